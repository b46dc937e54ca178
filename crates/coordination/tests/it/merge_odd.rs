//! Property test of transcript messages with malformed or unusual fields. The hub merges them with a log in either
//! order of arrival, and can remove them again.
//!
//! Proves (transcripts): Odd content of a transcript never makes the hub fail, and can be removed again.

use coordination::api::{Cursor, DelegationsQuery, EventsQuery, SessionsQuery};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::merge::TranscriptExchanges;
use coordination::query;
use coordination::transcript::exchanges::{
    ExchangeContext, ExchangeEvent, ExchangeEventKind, ExchangeParty, TranscriptLineRef,
};
use proptest::prelude::*;
use serde_json::json;

const NOW: i64 = 1_795_240_000_000;

/// What a hub answers, without the position in the stream.
fn answers(hub: &Hub) -> String {
    let mut cards = query::sessions(hub, NOW, &SessionsQuery { limit: Some(200), ..SessionsQuery::default() }).unwrap();
    cards.cursor = Cursor::default();
    let mut events = query::events(hub, NOW, &EventsQuery::default()).unwrap();
    events.cursor = Cursor::default();
    let runs = query::all_delegations(hub, NOW, &DelegationsQuery::default()).unwrap().rows;
    serde_json::to_string_pretty(&(cards, events, runs)).unwrap()
}

/// The long form draws new cases each time, the short one always the same.
fn draws() -> ProptestConfig {
    use proptest::test_runner::RngSeed;

    let (cases, rng_seed) = match std::env::var_os("TASK_HUB_SOAK") {
        Some(_) => (20_000, RngSeed::Random),
        None => (96, RngSeed::Fixed(96)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..Default::default() }
}

fn party() -> impl Strategy<Value = ExchangeParty> {
    let agents = prop::sample::select(vec!["ruda", "eden", "unknown", "", "a|b", "가나"]);
    (agents, prop::option::of(prop::sample::select(vec!["agent:ruda:main", "agent:eden:subagent:x", ":", "가나"])))
        .prop_map(|(agent, key)| ExchangeParty { agent: agent.to_owned(), key: key.map(str::to_owned) })
}

fn any_event() -> impl Strategy<Value = ExchangeEvent> {
    let kinds = vec![
        ExchangeEventKind::Send,
        ExchangeEventKind::Refused,
        ExchangeEventKind::Response,
        ExchangeEventKind::NoReply,
        ExchangeEventKind::Announce,
        ExchangeEventKind::Complete,
        ExchangeEventKind::Spawn,
        ExchangeEventKind::SpawnFailed,
        ExchangeEventKind::ChildResult,
    ];
    let line =
        (prop::sample::select(vec!["s", "t.x-1", "-"]), prop_oneof![0_u64..4, any::<u64>()]).prop_map(|(id, place)| {
            let (entry, key) = (Some("e".into()), Some("agent:ruda:main".into()));
            TranscriptLineRef { session_id: id.into(), place, entry, key, agent: "ruda".into() }
        });
    let at = prop_oneof![1_795_000_000_000_i64..1_795_000_100_000, any::<i64>()];
    let words = prop::option::of("[a가\\[\\]\u{0}-\u{ff}]{0,12}");
    (
        (prop::sample::select(kinds), at, prop::sample::select(vec!["x", "y", "z", "", "@"])),
        (party(), party(), words.clone(), words.clone(), words),
        (prop::option::of(0_u32..3), prop::option::of(line.clone()), prop::collection::vec(line, 0..3), any::<bool>()),
    )
        .prop_map(
            |((kind, at_ms, exchange), (from, to, text, run_id, session), (turn, cause, written, routed))| {
                let context = ExchangeContext { task: None, work_session: session, conversation: None };
                ExchangeEvent {
                    kind,
                    at_ms,
                    exchange: exchange.to_owned(),
                    from,
                    to,
                    text,
                    run_id,
                    turn,
                    label: None,
                    status: None,
                    error: None,
                    outcome: None,
                    routed,
                    cause,
                    context,
                    written,
                }
            },
        )
}

proptest! {
    #![proptest_config(draws())]

    /// Whatever transcripts contain, their events are merged without a failure and can be removed again.
    #[test]
    fn no_talk_is_too_odd(talk in prop::collection::vec(any_event(), 0..12), other in prop::collection::vec(any_event(), 0..12)) {
        let line = json!({"type": "a2a.send", "agentId": "ruda", "ts": 1_795_000_050_000_i64, "data": {
            "fromAgent": "ruda", "toAgent": "eden", "message": "a", "conversationId": "c", "runId": "x",
        }});
        let log = parse_lines(format!("{line}\n").as_bytes(), "f0", 0).0;
        let mut straight = Hub::new();
        straight.apply(log.clone());
        straight.sync_transcripts(TranscriptExchanges::new(talk.clone()));
        let mut detour = Hub::new();
        detour.sync_transcripts(TranscriptExchanges::new(other));
        detour.sync_transcripts(TranscriptExchanges::new(talk));
        detour.apply(log.clone());
        prop_assert_eq!(answers(&straight), answers(&detour));
        detour.sync_transcripts(TranscriptExchanges::default());
        prop_assert_eq!(detour.event_count(), log.len());
    }
}
