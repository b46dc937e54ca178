//! Tests that compare the hub's REST 1.x answers with those of the test oracle `from_scratch`, which computes each
//! answer from all events without an index. The inputs are the fixture logs, random logs, transcripts that later
//! disappear, and late hooks that remove or replace earlier events.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use coordination::api::ManualOverride;
use coordination::category::Category;
use coordination::classify::Classifier;
use coordination::event::{Event, parse_lines};
use coordination::hub::{Hub, Packing};
use coordination::ids::SessionId;
use coordination::merge::TranscriptExchanges;
use coordination::roster::Roster;
use coordination::schema::hook::Capture;
use coordination::schema::{AgentsChanged, Ledger, SchemaInput, read_item};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::requests::{LawRequest, requests};
use crate::{hook_law, hooks, merge_law};

/// Lines as they are, in short blocks.
#[derive(Debug)]
struct ShortBlocks;

impl Packing for ShortBlocks {
    fn pack(&self, plain: &[u8]) -> Option<Vec<u8>> {
        Some(plain.to_vec())
    }

    fn unpack(&self, packed: &[u8], _: usize) -> Option<Vec<u8>> {
        Some(packed.to_vec())
    }

    fn block_bytes(&self) -> usize {
        1_500
    }

    fn newest(&self) -> usize {
        4
    }

    fn sample_bytes(&self) -> usize {
        0
    }
}

fn rest(hub: &mut Hub) {
    drop(hub.put_packed(hub.pack(usize::MAX)));
    drop(hub.evict_rehydrated());
    drop(hub.evict_rehydrated());
}

/// Compares every answer of the hub with the one from all events.
fn check(hub: &Hub, what: &str) {
    let (mut kinds, mut ids, mut times) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    hub.events().scan(|_, event| {
        kinds.insert(event.event_type().to_owned());
        ids.extend(event.work_session_id());
        ids.extend(event.conversation_id().map(|id| SessionId::from(format!("conv:{id}"))));
        times.push(event.at);
    });
    times.sort_unstable();
    let at = times.get(times.len() / 2).copied().unwrap_or_default();
    let kinds: Vec<String> = kinds.into_iter().step_by(1 + times.len() % 3).take(3).collect();
    let ids: Vec<SessionId> = ids.into_iter().step_by(1 + times.len() / 40).chain(["none".into()]).take(9).collect();
    // Within the last session's day, and long after it.
    let now = times.last().copied().unwrap_or_default() + 80_000_000;
    // Some of them each time, others the next time; a long history is read once a request.
    let stride = if times.len() < 200 { 6 } else { 17 };
    for request in requests(at, &kinds, &ids).into_iter().skip(times.len() % stride).step_by(stride) {
        for (by_v1, now) in [(false, now), (true, now), (false, now + 86_400_000)] {
            same(what, &request, request.answer(hub, by_v1, now), request.recomputed(hub, by_v1, now));
        }
    }
}

fn same(what: &str, request: &LawRequest, answer: Option<String>, expected: Option<String>) {
    if answer == expected {
        return;
    }
    let (answer, expected) = (answer.unwrap_or_default(), expected.unwrap_or_default());
    let at = answer.lines().zip(expected.lines()).position(|(one, other)| one != other).unwrap_or_default();
    let around = |text: &str| text.lines().skip(at.saturating_sub(8)).take(16).collect::<Vec<_>>().join("\n");
    panic!("{what}: {request:?}, line {at}\n{}\n--- from scratch ---\n{}", around(&answer), around(&expected));
}

fn manual(category: Category) -> ManualOverride {
    ManualOverride { collab_category: category, updated_at: String::new(), updated_by: None }
}

fn story(folder: &Path) -> (Roster, Vec<Event>) {
    let mut files: Vec<_> = std::fs::read_dir(folder.join("logs")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let read = |(number, file): (usize, &std::path::PathBuf)| {
        parse_lines(&std::fs::read(file).unwrap(), &format!("f{number}"), 0).0
    };
    let events = files.iter().enumerate().flat_map(read).collect();
    let config = std::fs::read_to_string(folder.join("openclaw.json")).unwrap_or_default();
    let mut include = |path: &str| std::fs::read_to_string(folder.join(path)).map_err(|error| error.to_string());
    (Roster::parse(&config, &mut include).unwrap_or_default(), events)
}

#[test]
fn every_story_answers_as_from_scratch() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for entry in std::fs::read_dir(fixtures).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("logs").is_dir() {
            continue;
        }
        let (roster, events) = story(&folder);
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let mut hub = Hub::new();
        hub.set_packing(Arc::new(ShortBlocks));
        let half = events.len() / 2;
        hub.apply(events[..half].to_vec());
        if events.len() < 200 {
            check(&hub, &format!("{name}: half, without a roster"));
        }
        // From here on an index, where there is one, is kept up and not built.
        rest(&mut hub);
        hub.apply(events[half..].to_vec());
        hub.set_roster(roster);
        if let Some(id) = events.iter().find_map(Event::work_session_id) {
            hub.set_overrides(BTreeMap::from([(id, manual(Category::LegalCompliance))]));
        }
        check(&hub, &name);
        if events.len() < 200 {
            hub.set_classifier(Classifier::V1);
            check(&hub, &format!("{name}: by v1"));
        }
    }
}

/// A line of a log in which few names, ids and times meet often, some of them odd.
fn line(word: u64) -> String {
    let pick = |shift: u32, all: &[&'static str]| all[usize::try_from(word >> shift & 0xff).unwrap() % all.len()];
    let kind = pick(
        0,
        &[
            "a2a.send",
            "a2a.response",
            "a2a.complete",
            "a2a.spawn",
            "a2a.send",
            "task.started",
            "task.completed",
            "odd.kind",
        ],
    );
    let base = 1_771_500_000_000_i64;
    let minutes = i64::try_from(word >> 8 & 0x3f).unwrap();
    let at = match word >> 14 & 0x1f {
        0 => json!(-5),
        1 => json!(0),
        2 => json!(base),
        3 => json!(base + minutes * 60_000 + 3),
        4..=8 => json!(base + minutes * 3_600_000),
        _ => json!(base + minutes * 60_000),
    };
    let mut data = json!({
        "fromAgent": pick(19, &["eden", "Seum", "worker"]), "toAgent": pick(21, &["seum", "eden", "unknown"]),
        "message": pick(23, &["배포 상태 확인", "fix the docker image", "계약서 법무 검토", "음", "\u{1F600} \"x\"\n y"]),
    });
    let mut put = |name: &str, value: Value| {
        data[name] = value;
    };
    match word >> 27 & 7 {
        0 => {}
        1 | 2 => put("conversationId", json!(pick(30, &["c1", "c2"]))),
        3 | 4 => put("workSessionId", json!(pick(30, &["w1", "w2", "conv:c1", "thread:pair:eden_seum"]))),
        _ => {
            put("conversationId", json!(pick(30, &["c1", "c2", "c3"])));
            put("workSessionId", json!(pick(33, &["w1", "w2", "w3"])));
        }
    }
    match word >> 36 & 0xf {
        0 => put("eventRole", json!(pick(40, &["conversation.main", "system.observability", "nonsense"]))),
        1 => put("depth", json!(0)),
        2 => {
            put("collabCategory", json!(pick(40, &["qa_validation", "infra_ops", "nonsense"])));
            put("collabSubTags", json!([pick(43, &["하나", "둘"]), "", 3]));
        }
        3 => {
            put("collabCategory", json!("infra_ops"));
            put("categorySource", json!("rule"));
            put("categoryVersion", json!("v0"));
        }
        4 => put("collabIntent", json!(pick(40, &["plan", " ", "배포"]))),
        5 => put("collabIntent", json!(5)),
        6 => {
            put("runId", json!("r"));
            put("turn", json!(1));
            put("maxTurns", json!(1));
            put("message", json!(null));
        }
        7 => put("status", json!(pick(40, &["failed", "error", "completed"]))),
        8 => put("categoryConfidence", json!(1.5e3)),
        _ => {}
    }
    let mut line = json!({"type": kind, "agentId": "eden", "ts": at, "data": data});
    match word >> 47 & 0x1f {
        0 => line["data"] = json!("text"),
        1 => line["categorySource"] = json!("x"),
        2 => line["list"] = json!([[], {}, [1, {"a": -0.0}]]),
        3 => {
            return line.to_string().replacen("\"data\"", "\"type\": \"a2a.send\", \"\\u0064ata2\": 1.50, \"data\"", 1);
        }
        _ => {}
    }
    line.to_string()
}

fn parsed(words: &[u64], file: &str) -> Vec<Event> {
    let text: String = words.iter().map(|word| line(*word) + "\n").collect();
    parse_lines(text.as_bytes(), file, 0).0
}

/// The long form of `make soak ARGS=law` draws new cases each time, the short one always the same.
fn draws() -> ProptestConfig {
    use proptest::test_runner::RngSeed;

    let (cases, rng_seed) = match std::env::var_os("TASK_HUB_SOAK") {
        Some(_) => (2_000, RngSeed::Random),
        None => (16, RngSeed::Fixed(16)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(draws())]

    #[test]
    fn random_logs_answer_as_from_scratch(
        batches in prop::collection::vec(prop::collection::vec(any::<u64>(), 1..12), 1..6),
        roster_after in 0_usize..6, category in 0_usize..10, packed in any::<bool>(),
    ) {
        let mut hub = Hub::new();
        if packed {
            hub.set_packing(Arc::new(ShortBlocks));
        }
        let roster = "{agents: {list: [{id: 'eden'}, {id: 'seum'}]}}";
        let roster = Roster::parse(roster, &mut |_| Err(String::new())).unwrap();
        for (number, words) in batches.iter().enumerate() {
            if number == roster_after {
                hub.set_roster(roster.clone());
            }
            hub.apply(parsed(words, &format!("f{}", number % 2 * 7 + number)));
            rest(&mut hub);
            if number == 2 {
                let manuals = ["w1", "conv:c1"].map(|id| (SessionId::from(id), manual(Category::ALL[category])));
                hub.set_overrides(BTreeMap::from(manuals));
            }
            check(&hub, &format!("after batch {number}"));
        }
    }

    #[test]
    fn withdrawn_talk_answers_as_from_scratch(
        seed in any::<u64>(), home in 0_usize..2, old in any::<bool>(), pieces in 1_usize..4,
    ) {
        let home = &merge_law::homes()[home];
        let mut random = merge_law::MergeRandom(seed | 1);
        let whole = merge_law::found(home, |length| length);
        let log = merge_law::log(&whole, &mut random, old, 3);
        let mut hub = Hub::new();
        for batch in log.chunks(log.len().div_ceil(pieces).max(1)) {
            let talk = merge_law::found(home, |length| random.below(length + 1));
            hub.sync_transcripts(TranscriptExchanges::new(talk));
            check(&hub, "after transcripts");
            hub.apply(batch.to_vec());
        }
        check(&hub, "with some transcripts");
        hub.sync_transcripts(TranscriptExchanges::default());
        check(&hub, "without transcripts");
    }

    #[test]
    fn withdrawn_hooks_answer_as_from_scratch(
        items in prop::collection::vec(hook_law::any_hook(), 1..50), words in prop::collection::vec(any::<u64>(), 1..20),
        size in 1_usize..30,
    ) {
        let inputs: Vec<SchemaInput> =
            items.iter().map(|item| read_item(item, hooks::START + 400_000, Capture::Full).unwrap()).collect();
        let (mut hub, mut ledger) = (Hub::new(), Ledger::default());
        hub.apply(parsed(&words, "f"));
        for piece in inputs.chunks(size).rev() {
            let changed = ledger.take(piece.to_vec());
            hub.apply_agent_events(&changed, AgentsChanged(BTreeMap::new()));
            check(&hub, "after hooks");
        }
    }
}
