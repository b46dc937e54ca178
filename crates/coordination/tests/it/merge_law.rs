//! Property tests of the merge of log and transcripts. Any order and batching gives the same result: nothing is counted
//! twice and nothing is lost. After each batch, a snapshot plus deltas equals a fresh snapshot.
//!
//! Proves (transcripts): Log and transcripts give the same result in any order and any batches: nothing is counted
//! twice, nothing is lost. After each batch, a snapshot plus deltas equals a fresh snapshot.
//! Long form: `make soak ARGS=transcripts`.

use crate::transcripts;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use coordination::api::{
    DelegationsQuery, EventsQuery, SessionCard, SessionsQuery, ThreadPage, ThreadQuery, ThreadSummary,
};
use coordination::event::{Event, parse_lines};
use coordination::hub::{Changes, Hub};
use coordination::ids::{SessionId, ThreadId};
use coordination::merge::TranscriptExchanges;
use coordination::query;
use coordination::transcript::exchanges::{
    ChildOutcome, ExchangeEvent, ExchangeEventKind, ExchangeScan, ScanSource, find,
};
use coordination::transcript::{TranscriptEntry, lines, rows};
use coordination::view::{ApplyResult, HomeView, LoadedRange as _, LoadedThread, PatchResult, StreamEnd};
use proptest::prelude::*;
use serde_json::{Value, json};
use transcripts::{Transcript, transcripts};

const NOW: i64 = 1_795_240_000_000;

pub(crate) struct ReadTranscript {
    source: ScanSource,
    entries: Vec<TranscriptEntry>,
}

fn read(home: &'static str) -> Vec<ReadTranscript> {
    let read_transcript = |one: &Transcript| {
        let source = ScanSource { agent: one.agent.clone(), key: one.key.clone(), session_id: one.session_id.clone() };
        let entries = if home == "2026.9" { rows(one.rows()) } else { lines(&one.bytes, 0) }.entries;
        ReadTranscript { source, entries }
    };
    transcripts(home).iter().map(read_transcript).collect()
}

pub(crate) fn homes() -> &'static [Vec<ReadTranscript>; 2] {
    static HOMES: OnceLock<[Vec<ReadTranscript>; 2]> = OnceLock::new();
    HOMES.get_or_init(|| [read("2026.2"), read("2026.9")])
}

/// What is found when only so much of each transcript is there.
pub(crate) fn found(home: &[ReadTranscript], mut part: impl FnMut(usize) -> usize) -> Vec<ExchangeEvent> {
    let scan = |read: &ReadTranscript| {
        let mut scan = ExchangeScan::new(read.source.clone());
        read.entries[..part(read.entries.len())].iter().for_each(|entry| scan.push(entry));
        scan
    };
    find(&home.iter().map(scan).collect::<Vec<_>>())
}

pub(crate) struct MergeRandom(pub(crate) u64);

impl MergeRandom {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap()
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

fn cut(text: &str, units: usize) -> String {
    String::from_utf16_lossy(&text.encode_utf16().take(units).collect::<Vec<_>>()).trim().to_owned()
}

/// A log as the fork would have written it beside these talks (`contract/events.md` §4, §5), some lines of it lost.
/// `old`: the era in which answers had only previews and messages were cut at 200.
pub(crate) fn log(talk: &[ExchangeEvent], random: &mut MergeRandom, old: bool, lost: usize) -> Vec<Event> {
    let mut lines: Vec<(i64, Value)> = Vec::new();
    let mut names: BTreeMap<&str, (String, Option<String>, bool, i64)> = BTreeMap::new();
    for event in talk {
        let number = names.len();
        let (conversation, session, runs, last) = names.entry(&event.exchange).or_insert_with(|| {
            let session = (random.below(2) == 0).then(|| format!("ws_{}", number / 3));
            (format!("00000000-0000-4000-8000-{number:012}"), session, random.below(2) == 0, 0)
        });
        let run = event.run_id.clone().filter(|_| *runs);
        // One flow writes in order, and of a child before it begins.
        let later = if event.kind == ExchangeEventKind::Spawn { 20 } else { 1_500 };
        let at = (event.at_ms + i64::try_from(random.below(later)).unwrap()).max(*last);
        *last = at;
        let child = matches!(event.kind, ExchangeEventKind::Spawn | ExchangeEventKind::ChildResult);
        let text = event.text.clone().unwrap_or_default();
        let units = if old { 200 } else { 4_000 };
        let mut put = |kind: &str, own: Value| {
            let mut data = json!({
                "fromAgent": event.from.agent, "toAgent": event.to.agent, "conversationId": conversation,
            });
            if let Some(session) = session {
                data["workSessionId"] = json!(session);
            }
            if !child {
                data["eventRole"] = json!("conversation.main");
            }
            own.as_object().unwrap().iter().for_each(|(name, value)| data[name] = value.clone());
            lines.push((at, json!({"type": kind, "agentId": event.from.agent, "ts": at, "data": data})));
        };
        match event.kind {
            ExchangeEventKind::Send => {
                put("a2a.send", json!({"message": cut(&text, units), "runId": run, "targetSessionKey": event.to.key}));
            }
            ExchangeEventKind::Response => {
                let message = (!old).then(|| text.trim().to_owned());
                put("a2a.response", json!({"message": message, "replyPreview": cut(&text, 200), "turn": event.turn}));
            }
            ExchangeEventKind::NoReply => {
                let no_reply_text = "[outcome] no_reply: 메시지가 전달되었으나 응답을 수신하지 못했습니다";
                put(
                    "a2a.response",
                    json!({"outcome": "no_reply", "message": no_reply_text, "replyPreview": no_reply_text}),
                );
            }
            ExchangeEventKind::Complete => put("a2a.complete", json!({"announced": false, "actualTurns": event.turn})),
            ExchangeEventKind::Spawn => {
                let own = json!({
                    "targetSessionKey": event.to.key, "message": cut(&text, 200), "replyPreview": cut(&text, 200),
                    "label": event.label, "depth": 0, "hop": 0,
                });
                put("a2a.spawn", own.clone());
                put("a2a.send", own);
                let own =
                    json!({"targetSessionKey": event.to.key, "status": "accepted", "runId": event.run_id, "depth": 0});
                put("a2a.spawn_result", own);
            }
            ExchangeEventKind::ChildResult => {
                let reply = match event.outcome {
                    Some(ChildOutcome::Timeout) => "[timed out]".to_owned(),
                    Some(ChildOutcome::Error) => "[failed: x]".to_owned(),
                    _ => cut(&text, 200),
                };
                put("a2a.response", json!({"turn": 1, "maxTurns": 1, "runId": event.run_id, "replyPreview": reply}));
                put("a2a.complete", json!({"totalTurns": 1, "runId": event.run_id, "announced": true}));
            }
            ExchangeEventKind::Refused | ExchangeEventKind::Announce | ExchangeEventKind::SpawnFailed => {}
        }
    }
    lines.sort_by_key(|(at, _)| *at);
    lines.retain(|_| lost == 0 || !random.one_in(lost));
    let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
    let (events, errors) = parse_lines(text.as_bytes(), "f0", 0);
    assert!(errors.is_empty());
    events
}

fn page(hub: &Hub, session: &SessionId, thread: &ThreadId) -> Option<ThreadPage> {
    let query = ThreadQuery { limit: Some(500), ..ThreadQuery::default() };
    query::thread_page(hub, NOW, session, thread, &query).unwrap()
}

/// Events of a session that no log has, counted one by one.
fn transcript_only_events(hub: &Hub, card: &SessionCard) -> usize {
    let mut query =
        EventsQuery { session: Some(card.work_session_id.clone()), limit: Some(500), ..EventsQuery::default() };
    let mut count = 0;
    loop {
        let page = query::events(hub, NOW, &query).unwrap();
        count += page.events.iter().filter(|row| !row.origin.is_log()).count();
        let Some(next) = page.next else { return count };
        query.before = Some(next);
    }
}

pub(crate) type MergedThreads = BTreeMap<(SessionId, ThreadId), (ThreadSummary, LoadedThread)>;

/// A thread as a page holds it that shows its newest messages.
fn loaded(page: &ThreadPage) -> (ThreadSummary, LoadedThread) {
    let mut held = LoadedThread::from_page(page);
    held.trim(StreamEnd::Older);
    (page.thread.clone(), held)
}

fn threads(hub: &Hub) -> MergedThreads {
    let mut out = MergedThreads::new();
    let page_of = query::sessions(hub, NOW, &SessionsQuery { limit: Some(200), ..SessionsQuery::default() }).unwrap();
    assert!(page_of.next.is_none());
    for card in page_of.sessions {
        let detail = query::session(hub, NOW, &card.work_session_id).unwrap();
        assert_eq!(card.transcript_only_events as usize, transcript_only_events(hub, &card), "{}", card.title);
        for summary in detail.threads {
            let page = page(hub, &card.work_session_id, &summary.thread_id).unwrap();
            let count = page.messages.iter().filter(|message| !message.origin.is_log()).count();
            assert_eq!(summary.transcript_only_messages as usize, count, "{:?}", summary.thread_id);
            out.insert((card.work_session_id.clone(), summary.thread_id), loaded(&page));
        }
    }
    out
}

/// All answers, without the position in the stream.
pub(crate) fn answers(hub: &Hub) -> (String, MergedThreads) {
    let mut cards = query::sessions(hub, NOW, &SessionsQuery { limit: Some(200), ..SessionsQuery::default() }).unwrap();
    cards.cursor = coordination::api::Cursor::default();
    let ids = cards.sessions.iter().map(|card| &card.work_session_id);
    let all = DelegationsQuery::default();
    let runs: Vec<_> = ids.map(|id| query::delegations(hub, NOW, id, &all).unwrap().unwrap().rows).collect();
    let mut events = query::events(hub, NOW, &EventsQuery::default()).unwrap();
    events.cursor = coordination::api::Cursor::default();
    let mut home = query::home(hub, NOW);
    home.cursor = coordination::api::Cursor::default();
    (serde_json::to_string_pretty(&(cards, runs, events, home)).unwrap(), threads(hub))
}

/// Tells a tab what changed and holds it against a fresh one.
fn step(hub: &mut Hub, view: &mut HomeView, held: &mut MergedThreads, changes: &Changes) {
    hub.advance();
    let mut delta = query::delta(hub, NOW, changes);
    delta.home = Some(query::home(hub, NOW));
    assert!(view.apply(&delta) == ApplyResult::Ok);
    assert_eq!(*view, HomeView::from(query::snapshot(hub, NOW)), "a snapshot and its deltas");
    for removed in &delta.removed_threads {
        held.remove(removed);
    }
    held.retain(|(session, _), _| !delta.removed.contains(session));
    for touched in &delta.threads {
        let key = (touched.session_id.clone(), touched.thread.thread_id.clone());
        let patch = query::thread_patch(hub, NOW, changes, &key.0, &key.1).expect("a touched thread has a patch");
        let applied = held.get_mut(&key).map(|(summary, view)| {
            summary.clone_from(&patch.thread);
            view.apply(&patch, StreamEnd::Newer)
        });
        if applied != Some(PatchResult::Applied) {
            let page = page(hub, &key.0, &key.1).unwrap();
            held.insert(key, loaded(&page));
        }
    }
    let fresh = threads(hub);
    if delta.everything {
        *held = fresh;
    } else {
        assert_eq!(*held, fresh, "the threads");
    }
}

/// Who said what to whom, as threads show it: every bubble.
fn thread_messages(hub: &Hub) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for (_, view) in threads(hub).values() {
        for message in &view.messages {
            out.push((message.from.to_string(), message.to.to_string(), words(&message.text)));
        }
    }
    out.sort();
    out
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Who said what to whom, by the transcripts alone. Talk with children is no conversation.
fn transcript_messages(talk: &[ExchangeEvent]) -> Vec<(String, String, String)> {
    let kinds = [ExchangeEventKind::Send, ExchangeEventKind::Refused, ExchangeEventKind::Response];
    let texts = talk.iter().filter(|event| kinds.contains(&event.kind)).filter_map(|event| {
        let text = coordination::text::clean(event.text.as_deref()?)?;
        Some((event.from.agent.clone(), event.to.agent.clone(), words(&text)))
    });
    let mut texts: Vec<_> = texts.collect();
    texts.sort();
    texts
}

/// Two answers are one, line by line.
fn same(one: &str, other: &str, what: &str) {
    let differing = one.lines().zip(other.lines()).position(|(one, other)| one != other);
    if let Some(at) = differing.or((one != other).then_some(one.lines().count().min(other.lines().count()))) {
        let around = |text: &str| text.lines().skip(at.saturating_sub(12)).take(24).collect::<Vec<_>>().join("\n");
        panic!("{what}:\n{}\n--- and ---\n{}", around(one), around(other));
    }
}

fn hold(seed: u64, home: usize, old: bool, lost: usize, pieces: usize) {
    let home = &homes()[home];
    let mut random = MergeRandom(seed | 1);
    let whole = found(home, |length| length);
    let log = log(&whole, &mut random, old, lost);

    let mut straight = Hub::new();
    straight.apply(log.clone());
    straight.sync_transcripts(TranscriptExchanges::new(whole.clone()));
    let mut backward = Hub::new();
    backward.sync_transcripts(TranscriptExchanges::new(whole.clone()));
    backward.apply(log.iter().rev().cloned().collect());
    let expected = answers(&straight);
    let actual = answers(&backward);
    same(&expected.0, &actual.0, "log first, or transcripts first");
    assert_eq!(expected.1, actual.1, "log first, or transcripts first");

    let mut mixed = Hub::new();
    mixed.set_epoch("e".to_owned());
    let mut view = HomeView::from(query::snapshot(&mixed, NOW));
    let mut held = MergedThreads::new();
    let mut rest = log.clone();
    for at in (1..rest.len()).rev() {
        rest.swap(at, random.below(at + 1));
    }
    let size = rest.len().div_ceil(pieces).max(1);
    for batch in rest.chunks(size) {
        let talk = found(home, |length| random.below(length + 1));
        let changes = mixed.sync_transcripts(TranscriptExchanges::new(talk));
        step(&mut mixed, &mut view, &mut held, &changes);
        let changes = mixed.apply(batch.to_vec());
        step(&mut mixed, &mut view, &mut held, &changes);
    }
    let changes = mixed.sync_transcripts(TranscriptExchanges::new(whole.clone()));
    step(&mut mixed, &mut view, &mut held, &changes);
    let actual = answers(&mixed);
    same(&expected.0, &actual.0, "in pieces");
    assert_eq!(expected.1, actual.1, "in pieces");
    assert!(mixed.sync_transcripts(TranscriptExchanges::new(whole.clone())).is_empty(), "nothing new is no change");

    assert_eq!(thread_messages(&straight), transcript_messages(&whole), "no message twice, none lost, none cut");
    let runs = query::all_delegations(&straight, NOW, &DelegationsQuery::default()).unwrap();
    let spawned = whole.iter().filter(|event| event.kind == ExchangeEventKind::Spawn).count();
    let brief: Vec<_> = runs.rows.iter().map(|row| (row.id.as_str(), row.state, row.start_time)).collect();
    assert_eq!(runs.rows.len(), spawned, "each child once: {brief:#?}");
    assert!(runs.rows.iter().all(|row| !row.orphan && !row.is_open()), "and how it ended");

    // Without the transcripts only the log is left, as it was before.
    let mut plain = Hub::new();
    plain.apply(log);
    let changes = mixed.sync_transcripts(TranscriptExchanges::default());
    step(&mut mixed, &mut view, &mut held, &changes);
    assert_eq!(answers(&plain), answers(&mixed), "entries of the transcripts are removed");
}

#[test]
fn a_log_that_has_everything_is_only_filled() {
    for home in 0..2 {
        hold(7, home, false, 0, 3);
        hold(7, home, true, 0, 3);
    }
}

/// The long form of `make soak ARGS=transcripts` draws new cases each time, the short one always the same.
fn draws() -> ProptestConfig {
    use proptest::test_runner::RngSeed;

    let (cases, rng_seed) = match std::env::var_os("TASK_HUB_SOAK") {
        Some(_) => (4_000, RngSeed::Random),
        None => (16, RngSeed::Fixed(16)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(draws())]

    #[test]
    fn log_and_transcripts_in_any_order_agree(
        seed in any::<u64>(), home in 0_usize..2, old in any::<bool>(), lost in 2_usize..6, pieces in 1_usize..6,
    ) {
        hold(seed, home, old, lost, pieces);
    }
}
