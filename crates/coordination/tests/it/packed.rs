//! Tests of old log lines and states of old sessions that the hub stores packed. Packing changes no answer: not while events
//! arrive, not after a full recomputation, not in REST 1.x. A damaged packed line is reported and keeps its position.
//!
//! Proves (log): Lines older than the newest 2,048 are stored packed and give the same answers as plain lines; so do the
//! states of all sessions but the 4,096 that changed last. A damaged packed line is reported.
//! Long form: `make soak ARGS=packed`.

use std::path::Path;
use std::sync::Arc;

use coordination::api::{
    AgentsQuery, DelegationsQuery, DeliveryFilter, EventsQuery, PeriodsQuery, RecapQuery, SearchQuery, SessionsQuery,
    Taught, TaughtWord, ThreadQuery, WaitsQuery,
};
use coordination::category::Category;
use coordination::classify::Classifier;
use coordination::compat;
use coordination::event::{Event, parse_lines};
use coordination::hub::{Hub, Packing};
use coordination::ids::AgentId;
use coordination::query;
use coordination::roster::Roster;
use coordination::search::index::{NoIndex, SearchIndex};

const NOW: i64 = 1_772_000_000_000;

/// Lines turned over, so that nothing works that forgets to turn them back.
#[derive(Debug)]
struct Turned {
    bytes: usize,
    newest: usize,
    damaged: bool,
}

impl Packing for Turned {
    fn pack(&self, plain: &[u8]) -> Option<Vec<u8>> {
        Some(plain.iter().map(|byte| !byte).collect())
    }

    fn unpack(&self, packed: &[u8], length: usize) -> Option<Vec<u8>> {
        assert_eq!(packed.len(), length);
        (!self.damaged).then(|| packed.iter().map(|byte| !byte).collect())
    }

    fn block_bytes(&self) -> usize {
        self.bytes
    }

    fn newest(&self) -> usize {
        self.newest
    }

    fn sample_bytes(&self) -> usize {
        1_000
    }

    fn with_samples(&self, _: &[u8]) -> Option<Arc<dyn Packing>> {
        let this: Arc<dyn Packing> = Arc::new(Self { ..*self });
        (!self.damaged).then_some(this)
    }

    fn open_sessions(&self) -> usize {
        self.newest
    }
}

pub(crate) fn events(story: &str) -> Vec<Event> {
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(story).join("logs");
    let mut files: Vec<_> = std::fs::read_dir(logs).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let read = |(number, file): (usize, &std::path::PathBuf)| {
        parse_lines(&std::fs::read(file).unwrap(), &format!("f{number}"), 0).0
    };
    files.iter().enumerate().flat_map(read).collect()
}

pub(crate) fn stories() -> Vec<String> {
    let all = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")).unwrap();
    let mut names: Vec<String> = all.map(|story| story.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name).join("logs").is_dir());
    names.sort();
    names
}

pub(crate) fn packing(bytes: usize, newest: usize) -> Hub {
    let mut hub = Hub::new();
    set_packing(&mut hub, bytes, newest);
    hub
}

pub(crate) fn set_packing(hub: &mut Hub, bytes: usize, newest: usize) {
    hub.set_packing(turned(bytes, newest));
}

pub(crate) fn turned(bytes: usize, newest: usize) -> Arc<dyn Packing> {
    Arc::new(Turned { bytes, newest, damaged: false })
}

/// Packs what is old and lets go of what was read again.
pub(crate) fn rest(hub: &mut Hub) {
    drop(hub.put_packed(hub.pack(usize::MAX)));
    while let Some(states) = hub.take_encoded_states(7) {
        hub.put_packed_states(states.pack());
    }
    drop(hub.evict_rehydrated());
    drop(hub.evict_rehydrated());
}

fn line(out: &mut Vec<String>, value: &impl serde::Serialize) {
    out.push(serde_json::to_string(value).unwrap());
}

/// What a hub answers to everything.
pub(crate) fn answers(hub: &Hub) -> Vec<String> {
    answers_at(hub, NOW)
}

/// The same at a moment.
pub(crate) fn answers_at(hub: &Hub, now: i64) -> Vec<String> {
    let mut out = Vec::new();
    line(&mut out, &query::snapshot(hub, now));
    for q in [None, Some("배포"), Some("ㅂㅍ"), Some("TEST"), Some("seum")] {
        let q = q.map(str::to_owned);
        line(&mut out, &query::sessions(hub, now, &SessionsQuery { q: q.clone(), ..Default::default() }).unwrap());
        line(&mut out, &query::events(hub, now, &EventsQuery { q, ..Default::default() }).unwrap());
    }
    let mut index = SearchIndex::new();
    let half = u32::try_from(hub.events().len() / 2).unwrap();
    assert!(hub.index_entries(0, half).iter().all(|entry| index.add(entry)));
    for q in
        ["배포", "배포를", "ㅂㅍ", "\"리뷰 부탁\"", "workSession", "-배포 is:blocked", "from:eden to:seum", "task:none"]
    {
        let search_query = SearchQuery { q: q.to_owned(), ..SearchQuery::default() };
        let found = query::search(hub, &index, now, &search_query).unwrap();
        assert_eq!(found, query::search(hub, &NoIndex, now, &search_query).unwrap(), "{q}");
        line(&mut out, &found);
    }
    let all = query::events(hub, now, &EventsQuery { limit: Some(500), ..Default::default() }).unwrap();
    for row in &all.events {
        line(&mut out, &query::event(hub, &row.id, |_| None));
    }
    for card in query::sessions(hub, now, &SessionsQuery { limit: Some(200), ..Default::default() }).unwrap().sessions {
        let id = &card.work_session_id;
        let session = query::session(hub, now, id).unwrap();
        for thread in &session.threads {
            let page = query::thread_page(hub, now, id, &thread.thread_id, &ThreadQuery::default());
            line(&mut out, &page.unwrap());
        }
        line(&mut out, &session);
        line(&mut out, &query::timeline(hub, now, id, &ThreadQuery::default()).unwrap());
        line(&mut out, &query::delegations(hub, now, id, &DelegationsQuery::default()).unwrap());
        line(&mut out, &query::flow(hub, now, id));
    }
    line(&mut out, &query::quality(hub, now, &PeriodsQuery::default()));
    line(&mut out, &query::drift(hub, now, &PeriodsQuery::default()));
    line(&mut out, &query::waits(hub, now, &WaitsQuery::default()));
    line(&mut out, &query::recap(hub, now, &RecapQuery::default()));
    line(&mut out, &query::moment_totals(hub, now));
    line(&mut out, &query::all_delegations(hub, now, &DelegationsQuery::default()).unwrap());
    line(&mut out, &query::agents(hub, now, &AgentsQuery::default()));
    out.push(format!("{:?}", query::totals(hub, now)));
    for agent in ["eden", "seum", "nobody"].map(AgentId::from) {
        line(&mut out, &query::agent_detail(hub, now, &agent, &AgentsQuery::default()));
        let of = SessionsQuery { agent: Some(agent), limit: Some(200), ..Default::default() };
        line(&mut out, &query::sessions(hub, now, &of).unwrap());
    }
    for delivery in DeliveryFilter::ALL {
        let of = SessionsQuery { delivery: vec![delivery], limit: Some(200), ..Default::default() };
        line(&mut out, &query::sessions(hub, now, &of).unwrap());
    }
    let old = compat::V1EventsQuery { limit: 1000, ..Default::default() };
    out.push(compat::events(hub, false, &old).into_text());
    let old = compat::WorkSessionsQuery { limit: 1000, ..Default::default() };
    out.push(compat::work_sessions(hub, true, now, &old).into_text());
    out.push(compat::search_work_sessions(hub, false, now, "배포", compat::ByteLimit::default()).into_text());
    let old = compat::V1SearchQuery { q: "test".to_owned(), limit: 50, ..Default::default() };
    out.push(compat::search_events(hub, true, &old).into_text());
    out
}

fn same(plain: &Hub, packed: &mut Hub, what: &str) {
    for (number, (plain, packed)) in answers(plain).iter().zip(answers(packed)).enumerate() {
        assert_eq!(*plain, packed, "{what}: answer {number}");
    }
    rest(packed);
}

pub(crate) fn taught() -> Taught {
    let word = TaughtWord { word: "배포".to_owned(), category: Category::DocsKnowledge, weight: 9.0 };
    Taught { words: vec![word], ..Taught::default() }
}

#[test]
fn packed_lines_answer_like_plain_lines() {
    for story in stories() {
        let log = events(&story);
        // One event a block, many, and an order in which late events make old sessions be derived again.
        let ways = [(2_000, 3, 41, false), (900, 0, 13, true), (1, 0, 7, false)];
        let short = log.len() < 400 || std::env::var_os("TASK_HUB_SOAK").is_some();
        for (bytes, newest, batch, backward) in ways.into_iter().take(if short { 3 } else { 1 }) {
            let mut log = log.clone();
            if backward {
                log.reverse();
            }
            let (mut plain, mut packed) = (Hub::new(), packing(bytes, newest));
            let (mut put_packed, mut states) = (0, None);
            for batch in log.chunks(batch) {
                let (one, other) = (plain.apply(batch.to_vec()), packed.apply(batch.to_vec()));
                plain.advance();
                packed.advance();
                let deltas = [query::delta(&plain, NOW, &one), query::delta(&packed, NOW, &other)];
                let [one, other] = deltas.map(|delta| serde_json::to_string(&delta).unwrap());
                assert_eq!(one, other, "{story}: a delta");
                let packed_away = packed.put_packed(packed.pack(usize::MAX));
                // What changes before it is put is not replaced.
                if let Some(states) = states.replace(packed.take_encoded_states(2)).flatten() {
                    packed.put_packed_states(states.pack());
                }
                put_packed += packed_away.len();
                drop(packed_away);
                drop(packed.evict_rehydrated());
            }
            rest(&mut packed);
            assert!(put_packed + 60 > log.len(), "{story}: {put_packed} of {} were packed", log.len());
            same(&plain, &mut packed, &story);
            assert!(packed.apply(log.clone()).is_empty(), "{story}: known lines are known although they are packed");

            for hub in [&mut plain, &mut packed] {
                let sums = hub.evaluate_rules(taught());
                hub.apply_rules(sums);
            }
            rest(&mut packed);
            same(&plain, &mut packed, &format!("{story}, taught"));
            for hub in [&mut plain, &mut packed] {
                hub.set_classifier(Classifier::V1);
            }
            rest(&mut packed);
            same(&plain, &mut packed, &format!("{story}, by v1"));
            let config = r#"{"agents":{"list":[{"id":"eden"},{"id":"seum"},{"id":"hangyeol"}]}}"#;
            for hub in [&mut plain, &mut packed] {
                hub.set_roster(Roster::parse(config, &mut |path| Err(path.to_owned())).unwrap());
            }
            rest(&mut packed);
            same(&plain, &mut packed, &format!("{story}, with another roster"));
        }
    }
}

#[test]
fn rehydrated_lines_are_evicted_and_readable() {
    let log = events("everything");
    let mut hub = packing(4_000, 0);
    hub.apply(log.clone());
    rest(&mut hub);
    let read = |hub: &Hub| hub.events().iter().map(|event| event.raw.len()).sum::<usize>();
    let bytes = read(&hub);
    assert!(hub.evict_rehydrated().is_empty(), "what was asked for since the last time stays");
    let evicted = hub.evict_rehydrated();
    assert!(evicted.len() + 60 > log.len(), "{} of {} were let go of", evicted.len(), log.len());
    assert_eq!(read(&hub), bytes);
    rest(&mut hub);
    let mut seen = 0;
    hub.events().scan(|index, event| {
        assert_eq!((index as usize, &event.raw), (seen, &log[seen].raw));
        seen += 1;
    });
    assert_eq!(seen, log.len());
    assert!(hub.evict_rehydrated().is_empty() && hub.evict_rehydrated().is_empty(), "a scan holds nothing");
}

#[test]
fn damaged_line_is_reported_with_its_position() {
    let log = events("everything");
    let mut hub = Hub::new();
    hub.set_packing(Arc::new(Turned { bytes: 1, newest: 0, damaged: true }));
    hub.apply(log.clone());
    rest(&mut hub);
    let detail = query::event(&hub, &log[0].id(), |_| None).unwrap();
    assert_eq!(detail.event.id, log[0].id());
    assert_eq!(detail.event.at, log[0].at);
    assert!(detail.raw.to_string().contains("damaged"), "{}", detail.raw);
}

#[test]
fn search_reads_text_of_packed_events() {
    let log = events("everything");
    let (mut plain, mut packed) = (Hub::new(), packing(2_000, 0));
    plain.apply(log.clone());
    packed.apply(log.clone());
    let words = log.iter().filter_map(|event| event.message()?.split_whitespace().last());
    for word in words.step_by(9) {
        rest(&mut packed);
        let sessions_query = SessionsQuery { q: Some(word.to_owned()), ..Default::default() };
        let [plain, packed] = [&plain, &packed].map(|hub| query::sessions(hub, NOW, &sessions_query).unwrap());
        assert_eq!(serde_json::to_string(&plain).unwrap(), serde_json::to_string(&packed).unwrap(), "{word}");
    }
}
