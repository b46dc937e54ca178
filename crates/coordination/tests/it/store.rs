//! Tests of the reader of OpenClaw's session stores: entries, titles, rows and lists (`contract/sessions.md` §2.1, §5,
//! §6). Some tests read a home that OpenClaw 2026.2 wrote, and compare the rows with recorded answers of its gateway.
//!
//! Proves (transcripts): Rows and lists read from a file store equal the answers that the gateway of OpenClaw 2026.2
//! gave.

use std::path::PathBuf;

use coordination::api::{ArchiveQuery, StoreQuery};
use coordination::ids::AgentId;
use coordination::query::params::{FromPairs as _, ToPairs as _};
use coordination::roster::Roster;
use coordination::session_key::{KeyRules, SessionKey, ToolKind};
use coordination::store::{
    ArchiveReason, ArchivedTranscript, Release, SessionEntry, SpawnOutcome, StoreSnapshot, StoredSession,
    TranscriptLookup, list, read_file_store, read_runs, row, title,
};
use coordination::transcript::short_title;
use proptest::prelude::*;
use serde_json::{Value, json};

const AGENTS: [&str; 5] = ["ruda", "eden", "seum", "dajim", "worker-quick"];

fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/openclaw-2026.2")
}

fn text(below: &str) -> String {
    std::fs::read_to_string(home().join(below)).expect("a fixture")
}

fn real() -> StoreSnapshot {
    let sessions = AGENTS.into_iter().flat_map(|agent| {
        let rules = KeyRules { default_agent: agent.to_owned(), ..KeyRules::default() };
        let store = text(&format!("dot-openclaw/agents/{agent}/sessions/sessions.json"));
        let (sessions, odd) = read_file_store(&store, &rules).expect("a good store");
        assert!(odd.is_empty());
        sessions
    });
    StoreSnapshot { sessions: StoreSnapshot::once(sessions), ..StoreSnapshot::default() }
}

fn entry(value: Value) -> SessionEntry {
    SessionEntry::read(value).expect("an object")
}

fn stored(key: &str, value: Value) -> StoredSession {
    StoredSession::new(SessionKey::parse(key).expect("a key"), entry(value), Release::File, &KeyRules::default())
}

fn sessions_of(sessions: Vec<StoredSession>) -> StoreSnapshot {
    StoreSnapshot { sessions: StoreSnapshot::once(sessions), ..StoreSnapshot::default() }
}

fn keys(all: &StoreSnapshot, query: &StoreQuery, now: i64) -> Vec<String> {
    list(all, &Roster::default(), query, now, &mut ()).sessions.into_iter().map(|row| row.key).collect()
}

#[test]
fn text_of_any_size_is_shortened() {
    let long = "가".repeat(2_000_000);
    let mut own = entry(json!({ "label": long, "origin": { "label": long }, "subject": "짧음" }));
    own.fill("displayName", long.as_str());
    for text in [own.label(), own.display_name(), own.origin().and_then(|origin| origin["label"].as_str())] {
        let text = text.expect("kept");
        assert!(text.len() < 4_200 && text.starts_with('가') && text.ends_with('…'), "{}", text.len());
    }
    assert_eq!(own.subject(), Some("짧음"));
}

#[test]
fn bulky_and_secret_fields_dropped_unknown_preserved() {
    let read = entry(json!({
        "sessionId": "a1", "updatedAt": 5, "skillsSnapshot": {"x": 1}, "systemPromptReport": 1,
        "pluginExtensions": {}, "authProfileOverride": "k", "authProfileOverrideSource": "user", "recoveryScope": "s",
        "fromTheFuture": {"deep": [1]}, "label": 7, "totalTokens": 3, "totalTokensFresh": false
    }));
    let fields: Vec<&str> = read.keys().collect();
    assert_eq!(
        fields,
        ["sessionId", "updatedAt", "fromTheFuture", "label", "totalTokens", "totalTokensFresh"],
        "and nothing else"
    );
    assert_eq!(read.get("fromTheFuture"), Some(&json!({"deep": [1]})));
    assert_eq!((read.label(), read.get("label")), (None, Some(&json!(7))), "of a wrong type it is no label");
    assert_eq!(read.total_tokens(), None, "a stale sum is hidden");
    assert_eq!(SessionEntry::read(json!([1])), None);
}

#[test]
fn path_like_id_is_rejected() {
    for id in ["../x", "a/b", "", ".hidden", "A1", "a\u{0}", &"a".repeat(129)] {
        assert_eq!(entry(json!({ "sessionId": id })).session_id(), None, "{id:?}");
    }
    for id in ["a", "08ef1c0a-6a55-4f0e-9b0d-0a1b2c3d4e5f", "0._-", &"a".repeat(128)] {
        assert_eq!(entry(json!({ "sessionId": id })).session_id(), Some(id));
    }
}

#[test]
fn column_fills_only_missing_entry_fields() {
    let mut read = entry(json!({"label": "mine", "status": null}));
    read.fill("label", "column");
    read.fill("status", "done");
    read.fill("archivedAt", Value::Null);
    assert_eq!((read.label(), read.status().map(|s| s.as_str())), (Some("mine"), Some("done")));
    assert_eq!(read.get("archivedAt"), None);
}

#[test]
fn message_title_has_at_most_sixty_units() {
    let cut = |text: &str| short_title(text).expect("a title");
    assert_eq!(cut(&"가".repeat(60)), "가".repeat(60));
    assert_eq!(cut(&"가".repeat(61)), format!("{}…", "가".repeat(59)));
    assert_eq!(cut("  a \n\t b  "), "a b");
    let with_space_at = |at: usize| format!("{} {}", "x".repeat(at), "y".repeat(80));
    assert_eq!(cut(&with_space_at(36)), format!("{} {}…", "x".repeat(36), "y".repeat(22)));
    assert_eq!(cut(&with_space_at(37)), format!("{}…", "x".repeat(37)));
    // An emoji is two units and is not torn: at 58 units it no longer fits into 59.
    assert_eq!(cut(&format!("{}🦞{}", "x".repeat(58), "y".repeat(9))), format!("{}…", "x".repeat(58)));
    assert_eq!(cut(&format!("{}🦞{}", "x".repeat(57), "y".repeat(9))), format!("{}🦞…", "x".repeat(57)));
}

#[test]
fn title_order_is_name_subject_text_id() {
    let all = json!({"label": "L", "displayName": "D", "subject": "S", "sessionId": "08ef1c0a-6a55", "updatedAt": 1});
    let without = |keys: &[&str]| {
        let mut value = all.clone();
        for key in keys {
            value.as_object_mut().expect("an object").remove(*key);
        }
        entry(value)
    };
    let made = |keys: &[&str], release| title::derived(&without(keys), release, Some("first text"));
    assert_eq!(made(&[], Release::File).as_deref(), Some("D"));
    assert_eq!(made(&[], Release::Database).as_deref(), Some("L"));
    assert_eq!(made(&["label"], Release::Database).as_deref(), Some("D"));
    assert_eq!(made(&["displayName"], Release::File).as_deref(), Some("S"));
    assert_eq!(made(&["displayName", "subject"], Release::File).as_deref(), Some("first text"));
    let bare = without(&["displayName", "subject", "label"]);
    assert_eq!(title::derived(&bare, Release::File, None).as_deref(), Some("08ef1c0a (1970-01-01)"));
    let undated = entry(json!({"sessionId": "08ef1c0a-6a55", "updatedAt": 0}));
    assert_eq!(title::derived(&undated, Release::File, Some(" ")).as_deref(), Some("08ef1c0a"));
    assert_eq!(title::derived(&entry(json!({})), Release::File, None), None);
}

#[test]
fn newest_of_case_variants_wins() {
    let all = sessions_of(vec![
        stored("agent:eden:main", json!({"sessionId": "old", "updatedAt": 1})),
        stored("Agent:EDEN:Main", json!({"sessionId": "new", "updatedAt": 2})),
        stored("agent:eden:MAIN", json!({"sessionId": "none"})),
    ]);
    assert_eq!(all.sessions.len(), 1);
    assert_eq!(all.sessions[0].entry.session_id(), Some("new"));
    let found = all.find("AGENT:eden:main", &KeyRules::default()).expect("there");
    assert_eq!(found.key.as_str(), "Agent:EDEN:Main");
    assert!(all.find("main", &KeyRules { default_agent: "eden".to_owned(), ..KeyRules::default() }).is_some());
    assert!(all.find("main", &KeyRules::default()).is_none(), "the default agent has no such session");
}

#[test]
fn database_wins_over_newer_file() {
    let mut of_database = stored("agent:eden:main", json!({"sessionId": "db", "updatedAt": 1}));
    of_database.release = Release::Database;
    let of_file = stored("agent:eden:main", json!({"sessionId": "file", "updatedAt": 9}));
    for order in [vec![of_database.clone(), of_file.clone()], vec![of_file, of_database]] {
        assert_eq!(sessions_of(order).sessions[0].entry.session_id(), Some("db"));
    }
}

#[test]
fn global_sessions_of_two_agents_are_two() {
    let mine = |agent: &str| {
        let rules = KeyRules { default_agent: agent.to_owned(), ..KeyRules::default() };
        StoredSession::new(SessionKey::parse("global").unwrap(), entry(json!({"updatedAt": 1})), Release::File, &rules)
    };
    let all = sessions_of(vec![mine("a"), mine("b")]);
    assert_eq!(all.sessions.len(), 2);
    assert!(keys(&all, &StoreQuery::default(), 0).is_empty(), "reserved keys are hidden unless asked for");
    assert_eq!(keys(&all, &StoreQuery { include_global: true, ..StoreQuery::default() }, 0).len(), 2);
}

#[test]
fn query_applies_filter_order_search_activity_limit() {
    let minute = 60_000;
    let now = 100 * minute;
    let at = |minutes_ago: i64| json!({"updatedAt": now - minutes_ago * minute, "label": "build"});
    let all = sessions_of(vec![
        stored("agent:a:one", at(1)),
        stored("agent:a:two", at(10)),
        stored("agent:b:three", at(11)),
        stored("agent:b:four", json!({"label": "other", "updatedAt": now})),
        stored("agent:b:timeless", json!({"label": "build"})),
        stored("agent:b:cron:j:run:r", at(0)),
        stored("agent:b:put-away", json!({"archivedAt": 5, "updatedAt": 3})),
    ]);
    let every = ["agent:b:four", "agent:a:one", "agent:a:two", "agent:b:three", "agent:b:timeless"];
    assert_eq!(keys(&all, &StoreQuery::default(), now), every);
    let build = StoreQuery { label: Some("build".to_owned()), ..StoreQuery::default() };
    assert_eq!(keys(&all, &build, now), every[1..]);
    let active = StoreQuery { active_minutes: Some(10), ..build.clone() };
    assert_eq!(keys(&all, &active, now), ["agent:a:one", "agent:a:two"], "exactly ten minutes ago is active");
    let searched = StoreQuery { search: Some(" O".to_owned()), limit: Some(1), ..StoreQuery::default() };
    let answer = list(&all, &Roster::default(), &searched, now, &mut ());
    assert_eq!((answer.count, answer.total_count, answer.has_more), (1, 3, true), "the limit comes last");
    assert_eq!(answer.sessions[0].key, "agent:b:four");
    let of_agent = StoreQuery { agent: Some(AgentId::from("A")), ..StoreQuery::default() };
    assert_eq!(keys(&all, &of_agent, now), ["agent:a:one", "agent:a:two"]);
    let archived = StoreQuery { archived: true, ..StoreQuery::default() };
    assert_eq!(keys(&all, &archived, now), ["agent:b:put-away"]);
}

#[test]
fn pinned_sessions_first_children_named_once() {
    let all = sessions_of(vec![
        stored("agent:a:main", json!({"updatedAt": 9})),
        stored("agent:a:pin", json!({"updatedAt": 1, "pinnedAt": 2})),
        stored("agent:b:subagent:u", json!({"spawnedBy": "agent:A:main", "parentSessionKey": "agent:a:main"})),
        stored("agent:a:loop", json!({"spawnedBy": "agent:a:loop"})),
    ]);
    let answer = list(&all, &Roster::default(), &StoreQuery::default(), 0, &mut ());
    assert_eq!(answer.sessions[0].key, "agent:a:pin");
    let main = answer.sessions.iter().find(|row| row.key == "agent:a:main").expect("listed");
    assert_eq!(main.child_sessions, ["agent:b:subagent:u"]);
    assert!(answer.sessions.iter().all(|row| row.key != "agent:a:loop" || row.child_sessions.is_empty()));
}

#[test]
fn nothing_but_known_fields_leaves_a_store() {
    let secret = "geheim-4711";
    let value = json!({"sessionId": "a", "updatedAt": 1, "unknown": secret, "authProfileOverride": secret,
        "deliveryContext": {"to": secret}, "lastTo": secret, "lastAccountId": secret, "acp": {"token": secret},
        "origin": {"from": secret, "label": "Task-Hub"}});
    let shown = serde_json::to_string(&row(&stored("agent:a:x", value), &Roster::default())).unwrap();
    assert!(!shown.contains(secret), "{shown}");
}

#[test]
fn truncated_store_fails_odd_entries_are_named() {
    let whole = text("dot-openclaw/agents/eden/sessions/sessions.json");
    for end in [0, 1, whole.len() / 2, whole.trim_end().len() - 1] {
        let end = (0..=end).rev().find(|end| whole.is_char_boundary(*end)).unwrap_or(0);
        assert!(read_file_store(&whole[..end], &KeyRules::default()).is_err(), "cut at {end}");
    }
    assert!(read_file_store("[]", &KeyRules::default()).is_err());
    let (sessions, odd) =
        read_file_store(r#"{"agent:a:main": {"updatedAt": 1}, "x": 5, " ": {}}"#, &KeyRules::default())
            .expect("an object");
    assert_eq!((sessions.len(), odd), (1, vec!["x".to_owned(), " ".to_owned()]));
}

/// The answers of the gateway of 2026.2.26, asked before the last steps of the home: of sessions that did not change
/// since, every field.
#[test]
fn file_store_rows_equal_gateway_answer() {
    let all = real();
    let captured: Value = serde_json::from_str(&text("captures/ws-lists.json")).unwrap();
    let frames = captured["frames"].as_array().unwrap();
    let list_of = |params: &Value| {
        let frame = frames.iter().find(|frame| frame["method"] == "sessions.list" && frame["params"] == *params);
        frame.expect("captured")["response"]["payload"]["sessions"].as_array().unwrap().clone()
    };
    let rows = list_of(&json!({"includeDerivedTitles": true, "includeLastMessage": true, "limit": 100}));
    let query = StoreQuery { include_derived_titles: true, ..StoreQuery::default() };
    let ours = list(&all, &Roster::default(), &query, 0, &mut ()).sessions;
    // Deleted in the last step, and `/compact` came after the answer.
    let ended_key = "agent:worker-quick:subagent:d2de70fb-e9de-4ff6-a101-70dc06a7704c";
    let mut compared = 0;
    for theirs in rows.iter().filter(|row| row["key"] != ended_key) {
        let mine = ours.iter().find(|row| theirs["key"] == *row.key).expect("every captured session is found");
        if theirs["key"] == "agent:ruda:main" {
            assert!(mine.updated_at > theirs["updatedAt"].as_i64());
            continue;
        }
        let mine = serde_json::to_value(mine).unwrap();
        for (name, value) in theirs.as_object().unwrap() {
            match name.as_str() {
                // Of transcripts; and of fields that carry addresses only the channel and the label leave.
                "derivedTitle" | "lastMessagePreview" => continue,
                "deliveryContext" => assert_eq!(value, &json!({"channel": mine["lastChannel"]})),
                "origin" => assert_eq!(value["label"], mine["originLabel"]),
                _ => assert_eq!(&mine[name], value, "{name} of {}", theirs["key"]),
            }
            compared += 1;
        }
    }
    assert_eq!((rows.len(), ours.len(), compared), (13, 12, 177));
    let ids: Vec<&str> = rows
        .iter()
        .filter(|row| row["derivedTitle"].as_str().unwrap().ends_with(')'))
        .map(|row| row["key"].as_str().unwrap())
        .collect();
    for key in &ids {
        let mine = ours.iter().find(|row| row.key == **key).unwrap();
        let theirs = rows.iter().find(|row| row["key"] == **key).unwrap();
        assert_eq!(theirs["derivedTitle"], mine.derived_title.clone().unwrap(), "without a first text the id tells");
    }
    assert_eq!(ids.len(), 3);
    for (params, query) in [
        (
            json!({"spawnedBy": "agent:ruda:main"}),
            StoreQuery { spawned_by: Some("agent:ruda:main".into()), ..StoreQuery::default() },
        ),
        (
            json!({"agentId": "worker-quick"}),
            StoreQuery { agent: Some("worker-quick".into()), ..StoreQuery::default() },
        ),
        (json!({"search": "docs"}), StoreQuery { search: Some("docs".into()), ..StoreQuery::default() }),
        (json!({"label": "docs-fix"}), StoreQuery { label: Some("docs-fix".into()), ..StoreQuery::default() }),
    ] {
        let theirs: Vec<String> = list_of(&params).iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect();
        let theirs: Vec<String> = theirs.into_iter().filter(|key| key != ended_key).collect();
        assert_eq!(keys(&all, &query, 0), theirs, "{params}");
    }
}

#[test]
fn old_and_new_tool_kinds_are_given() {
    let all = real();
    let captured: Value = serde_json::from_str(&text("captures/http-sessions_list-messages.json")).unwrap();
    let rows = captured["response"]["result"]["details"]["sessions"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 9);
    for theirs in &rows {
        let session = all.find(theirs["key"].as_str().unwrap(), &KeyRules::default()).expect("found");
        assert_eq!(theirs["kind"], session.key.tool_kind(&session.rules, Release::File).as_str());
    }
    let mains = StoreQuery { kinds: vec![ToolKind::Main], ..StoreQuery::default() };
    assert_eq!(keys(&all, &mains, 0).len(), 4);
    let jobs = StoreQuery { kinds: vec![ToolKind::Cron], ..StoreQuery::default() };
    assert_eq!(keys(&all, &jobs, 0), ["agent:ruda:cron:9b86d94f-620a-4a3b-a873-9ca54844f003"], "its run is hidden");
}

#[test]
fn run_registry_gives_task_and_outcome() {
    let runs = read_runs(&text("dot-openclaw/subagents/runs.json")).expect("a registry");
    let named = |label: &str| runs.iter().find(|run| run.label.as_deref() == Some(label)).expect("registered");
    let labels: Vec<&str> = runs.iter().filter_map(|run| run.label.as_deref()).collect();
    assert_eq!(labels, ["docs-fix", "load-test", "research-a", "research-a1", "a11y-plan"]);
    assert_eq!(named("load-test").outcome, Some(SpawnOutcome::Timeout));
    assert_eq!(named("load-test").timeout_seconds, Some(12));
    assert_eq!(named("docs-fix").outcome, Some(SpawnOutcome::Ok));
    assert!(named("docs-fix").task.as_deref().unwrap().starts_with("[Goal] README 설치 절차 정리"));
    assert_eq!(named("research-a1").requester, named("research-a").child, "a grandchild's flat key");
    assert!(read_runs("{}").is_err() && read_runs("").is_err());
    assert!(read_runs(r#"{"runs": {"r1": {}, "r2": 5}}"#).is_ok_and(|runs| runs.len() == 1 && runs[0].run_id == "r1"));
}

#[test]
fn archives_are_known_by_their_names() {
    let agent = AgentId::from("a");
    let archive_of = |name: &str| {
        ArchivedTranscript::from_file_name(&agent, name).map(|archive| (archive.session_id, archive.reason))
    };
    let reset = Some(("s1".to_owned(), ArchiveReason::Reset));
    assert_eq!(archive_of("s1.jsonl.reset.2026-11-21T02-47-35.314Z"), reset);
    assert_eq!(archive_of("s1-topic-5.jsonl.reset.2026-11-21T02-47-35-314Z"), reset);
    let deleted = Some(("s1".to_owned(), ArchiveReason::Deleted));
    assert_eq!(archive_of("s1.jsonl.deleted.2026-02-17T12-34-56Z.638d9fb813ea420383ce5228bb5ede79.zst"), deleted);
    for name in
        ["s1.jsonl", "s1.jsonl.lock", "s1.jsonl.bak.1", "s1.jsonl.reset.tmp", "../s.jsonl.reset.2026-11-21T00-00-00Z"]
    {
        assert_eq!(archive_of(name), None, "{name}");
    }
    let import = ArchivedTranscript::from_import_file(&agent, "agent_a_subagent_x.s1.jsonl.imported-1795229433352")
        .expect("imported");
    assert_eq!((import.session_id.as_str(), import.reason), ("s1", ArchiveReason::Imported));
    assert_eq!(ArchivedTranscript::from_import_file(&agent, "legacy-store.sessions.json.imported-1795229433434"), None);
}

#[test]
fn store_query_params_round_trip() {
    let store_query = StoreQuery {
        kinds: vec![ToolKind::Main, ToolKind::Cron],
        agent: Some("eden".into()),
        active_minutes: Some(5),
        search: Some("배포".to_owned()),
        label: Some("docs-fix".to_owned()),
        spawned_by: Some("agent:ruda:main".to_owned()),
        limit: Some(50),
        include_global: true,
        include_unknown: true,
        archived: true,
        include_derived_titles: true,
        include_last_message: true,
        message_limit: Some(0),
        include_routing: true,
    };
    assert_eq!(StoreQuery::from_pairs(&store_query.to_pairs()).unwrap(), store_query);
    assert_eq!(store_query.to_pairs().len(), 15, "one each, and one more for the second kind");
    assert!(StoreQuery::default().to_pairs().is_empty());
    let archive_query = ArchiveQuery {
        agent: Some("eden".into()),
        key: Some("agent:eden:main".to_owned()),
        session: Some("70e14d35".to_owned()),
        search: Some("reset".to_owned()),
        limit: Some(12),
    };
    assert_eq!(ArchiveQuery::from_pairs(&archive_query.to_pairs()).unwrap(), archive_query);
    assert!(ArchiveQuery::default().to_pairs().is_empty());
}

#[test]
fn topic_archive_keeps_transcript_name() {
    let name = "s1-topic-7.jsonl.reset.2026-11-21T02-47-35.314Z";
    let archive = ArchivedTranscript::from_file_name(&"eden".into(), name).expect("an archive");
    assert!(archive.is_of("s1-topic-7") && archive.is_of("s1"));
    assert!(!archive.is_of("s1-topic") && !archive.is_of("") && !archive.is_of("s2"));
}

/// Counts what it is asked.
#[derive(Default)]
struct Counted {
    first: usize,
    last: usize,
    messages: usize,
    paths: usize,
}

impl TranscriptLookup for Counted {
    fn first(&mut self, _: &StoredSession) -> Option<String> {
        self.first += 1;
        Some("배포 파이프라인을 점검해 주세요".to_owned())
    }

    fn last(&mut self, _: &StoredSession) -> Option<String> {
        self.last += 1;
        Some("확인했습니다".to_owned())
    }

    fn messages(&mut self, _: &StoredSession, last: usize) -> Vec<Value> {
        self.messages += 1;
        vec![json!({"role": "user"}); last]
    }

    fn path(&mut self, _: &StoredSession) -> Option<String> {
        self.paths += 1;
        None
    }
}

#[test]
fn only_listed_rows_read_transcripts() {
    let one = |number: i64| {
        let name = if number % 2 == 0 { json!(null) } else { json!("named") };
        stored(&format!("agent:a:explicit:{number}"), json!({"updatedAt": number, "displayName": name}))
    };
    let all = sessions_of((0..5_000).map(one).collect());
    let mut texts = Counted::default();
    let query = StoreQuery {
        limit: Some(50),
        include_derived_titles: true,
        include_last_message: true,
        search: Some("explicit".to_owned()),
        ..StoreQuery::default()
    };
    let answer = list(&all, &Roster::default(), &query, 0, &mut texts);
    assert_eq!((answer.count, answer.total_count), (50, 5_000));
    assert_eq!((texts.first, texts.last), (25, 50), "and of those only what has no name of its own");
    let titles: Vec<_> = answer.sessions.iter().take(2).map(|row| row.derived_title.clone().unwrap()).collect();
    assert_eq!(titles, ["named", "배포 파이프라인을 점검해 주세요"]);
    let mut none = Counted::default();
    drop(list(&all, &Roster::default(), &StoreQuery::default(), 0, &mut none));
    assert_eq!(
        (none.first, none.last, none.messages, none.paths),
        (0, 0, 0, 0),
        "what is not asked for is not looked up"
    );
    let query = StoreQuery { message_limit: Some(20), ..StoreQuery::default() };
    let answer = list(&all, &Roster::default(), &query, 0, &mut none);
    assert_eq!((answer.count, none.messages), (200, 200), "each row may be large, so there are fewer");
    assert!(answer.has_more && answer.sessions[0].messages.as_ref().is_some_and(|messages| messages.len() == 20));
    let no_messages = StoreQuery { message_limit: Some(0), ..StoreQuery::default() };
    let answer = list(&all, &Roster::default(), &no_messages, 0, &mut none);
    assert_eq!((answer.count, none.messages), (5_000, 200), "0 asks for none");
}

proptest! {
    /// Whatever the order in which places are read, the same sessions are kept, each once and none lost.
    #[test]
    fn store_order_is_irrelevant(
        found in proptest::collection::vec(("(agent:[ab]:|)(main|MAIN|x|cron:j)", 0_i64..4, any::<bool>()), 0..12),
        turn in 0_usize..12,
    ) {
        let session_at = |(at, (key, updated, database)): (usize, &(String, i64, bool))| {
            let mut one = stored(key, json!({"sessionId": format!("s{at}"), "updatedAt": updated}));
            one.release = if *database { Release::Database } else { Release::File };
            one
        };
        let mut all: Vec<StoredSession> = found.iter().enumerate().map(session_at).collect();
        let merged = StoreSnapshot::once(all.clone());
        let identities: std::collections::BTreeSet<_> = all.iter().map(StoredSession::identity).collect();
        prop_assert_eq!(merged.len(), identities.len());
        let middle = turn % (all.len() + 1);
        all.rotate_left(middle);
        prop_assert_eq!(&StoreSnapshot::once(all.clone()), &merged);
        all.reverse();
        prop_assert_eq!(&StoreSnapshot::once(all), &merged);
    }

    /// Any text is a store or an error, never a panic; and what is cut off is never a store.
    #[test]
    fn any_text_is_a_store_or_an_error(text in "[\\PC\n]{0,80}", cut in 0_usize..400) {
        let rules = KeyRules::default();
        if let Ok((sessions, _)) = read_file_store(&text, &rules) {
            drop(list(&sessions_of(sessions), &Roster::default(), &StoreQuery { include_derived_titles: true, ..StoreQuery::default() }, 0, &mut ()));
        }
        let whole = r#"{"agent:eden:main": {"sessionId": "s1", "updatedAt": 1, "label": "배포", "origin": {"label": "x"}}}"#;
        let cut = (0..=cut.min(whole.len() - 1)).rev().find(|at| whole.is_char_boundary(*at)).unwrap_or(0);
        prop_assert!(read_file_store(&whole[..cut], &rules).is_err());
    }

    /// A title never has more than 60 units, and never begins otherwise than its text.
    #[test]
    fn a_title_is_the_beginning_of_its_text(text in "[a-z가-힣🦞 \\n]{0,200}") {
        let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = short_title(&text).unwrap_or_default();
        prop_assert!(title.encode_utf16().count() <= 60);
        match title.strip_suffix('…') {
            Some(begin) => prop_assert!(whole.starts_with(begin) && whole.encode_utf16().count() > 60),
            None => prop_assert_eq!(title, whole),
        }
    }
}
