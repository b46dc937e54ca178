//! Tests of the session store reader on recorded OpenClaw state folders: two that the real OpenClaw wrote, and one that
//! it migrated. Lists, previews and histories are compared with captured answers of OpenClaw's gateways.

use coordination::api::StoreQuery;
use coordination::session_key::Release;
use coordination::store::{ArchiveReason, SpawnOutcome, list};
use serde_json::{Value, json};

use super::*;
use crate::sources::transcript::Briefs;

fn captured(below: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(fixture(below)).expect("a fixture")).expect("JSON")
}

fn of_list(captured: &Value, params: &Value) -> Vec<Value> {
    let frames = captured["frames"].as_array().expect("frames");
    let frame = frames.iter().find(|frame| frame["method"] == "sessions.list" && frame["params"] == *params);
    frame.expect("captured")["response"]["payload"]["sessions"].as_array().expect("rows").clone()
}

/// Deleted in a later step than the lists were taken.
const DELETED: &str = "agent:worker-quick:subagent:56342563-6dfe-4c99-9d7a-e79fe337f0d6";
/// Fields that a store and the lists of 2026.9.6 hold under the same name and with the same value.
const SAME: [&str; 33] = [
    "key",
    "kind",
    "label",
    "displayName",
    "subject",
    "groupChannel",
    "space",
    "chatType",
    "updatedAt",
    "sessionId",
    "systemSent",
    "abortedLastRun",
    "thinkingLevel",
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "totalTokensFresh",
    "modelProvider",
    "model",
    "contextTokens",
    "classification",
    "isMain",
    "isBackground",
    "agentId",
    "status",
    "createdVia",
    "parentSessionKey",
    "startedAt",
    "endedAt",
    "runtimeMs",
    "lastRunId",
    "lastRunError",
    "estimatedCostUsd",
];
const SAME_TOO: [&str; 9] = [
    "spawnedBy",
    "spawnDepth",
    "subagentRole",
    "createdAt",
    "lastInteractionAt",
    "lastActivityAt",
    "archived",
    "pinned",
    "previousSessionId",
];

#[test]
fn database_sessions_match_the_captured_gateway_list() {
    let (_dir, root) = copy("openclaw-2026.9/dot-openclaw");
    let before = listing(&root);
    let all = look(&root);
    assert_eq!(listing(&root), before, "nothing is left beside a stopped home, and nothing is touched");
    assert_eq!(all.sessions.len(), 12);
    assert!(all.places.iter().all(|place| place.state == PlaceState::Read), "{:?}", all.places);
    assert_eq!(all.places.len(), 6, "five agents and the shared database");

    let theirs = of_list(&captured("openclaw-2026.9/captures/ws-lists.json"), &json!({}));
    let ours = list(&all, &roster(&root), &StoreQuery::default(), 0, &mut ()).sessions;
    let (mut compared, mut moved_on) = (0, Vec::new());
    for row in theirs.iter().filter(|row| row["key"] != DELETED) {
        let session = all.sessions.iter().find(|session| row["key"] == *session.key.as_str()).expect("found");
        if session.entry.updated_at() != row["updatedAt"].as_i64() {
            moved_on.push(session.key.as_str());
            continue;
        }
        let mine = ours.iter().find(|mine| row["key"] == *mine.key).expect("listed");
        let mine = serde_json::to_value(mine).expect("JSON");
        for name in SAME.iter().chain(&SAME_TOO) {
            assert_eq!(mine[name], row[name], "{name} of {}", session.key);
            compared += 1;
        }
        let actor = |value: &Value| (value["type"].clone(), value["id"].clone());
        assert_eq!(actor(&mine["createdActor"]), actor(&row["createdActor"]), "{}", session.key);
        let participants = |value: &Value, below: &str| -> Vec<(Value, Value)> {
            value["participants"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| actor(one.pointer(below).expect("one")))
                .collect()
        };
        // The list omits the parent of a child.
        if row["spawnedBy"].is_null() {
            assert_eq!(participants(&mine, ""), participants(row, "/identity"), "{}", session.key);
        }
        let children = |value: &Value| -> Vec<Value> {
            let all = value["childSessions"].as_array().into_iter().flatten();
            all.filter(|key| **key != *DELETED).cloned().collect()
        };
        assert_eq!(children(&mine), children(row), "{}", session.key);
    }
    // Later steps talked to these three once more and put the fourth away.
    let fourth = "agent:eden:dashboard:dc265c01-fac4-4ff5-9a1a-dedc3d25e969";
    assert_eq!(moved_on, ["agent:dajim:main", "agent:seum:main", fourth, "agent:ruda:main"]);
    assert_eq!((theirs.len(), compared), (13, 8 * 42));
    // The channel is the tool's: rows of the gateway have none.
    let tool = captured("openclaw-2026.9/captures/http-sessions_list-messages.json");
    let text = tool.pointer("/response/result/content/0/text").and_then(Value::as_str).expect("an answer");
    let tool: Value = serde_json::from_str(text).expect("a list");
    let rows = tool["sessions"].as_array().expect("rows").iter();
    let channels = rows.filter_map(|row| Some((ours.iter().find(|mine| row["key"] == *mine.key)?, row)));
    let same = channels.filter(|(mine, row)| row["channel"] == json!(mine.channel)).count();
    assert_eq!(same, 10, "internal for the job, unknown for the others");
    let ruda = ours.iter().find(|row| row.key == "agent:ruda:main").expect("listed");
    assert_eq!(ruda.goal.as_ref().map(|goal| goal.objective.as_str()), Some("2월 베타 릴리스 준비를 마친다"));
    assert_eq!(ruda.child_sessions.len(), 3);
    let archived = StoreQuery { archived: true, ..StoreQuery::default() };
    let archived_keys: Vec<String> =
        list(&all, &roster(&root), &archived, 0, &mut ()).sessions.into_iter().map(|row| row.key).collect();
    assert_eq!(archived_keys, [fourth]);
}

#[test]
fn database_answers_match_captured_tool_answers() {
    let (_dir, root) = copy("openclaw-2026.9/dot-openclaw");
    let all = look(&root);
    let answer = captured("openclaw-2026.9/captures/http-sessions_list-messages.json");
    let rows = answer["response"]["result"]["details"]["sessions"].as_array().expect("rows").clone();
    let query = StoreQuery { include_derived_titles: true, ..StoreQuery::default() };
    let ours = list(&all, &roster(&root), &query, 0, &mut ()).sessions;
    let mut titles = 0;
    for row in rows.iter().filter(|row| row["key"] != DELETED) {
        let Some(mine) = ours.iter().find(|mine| row["key"] == *mine.key) else {
            assert_eq!(row["label"], "hotfix-room", "only what was put away is not listed");
            continue;
        };
        assert_eq!(row["kind"], json!(mine.tool_kind), "{}", mine.key);
        assert_eq!(row["agentId"], json!(mine.agent_id));
        if row["displayName"].is_string() {
            assert_eq!(row["derivedTitle"], json!(mine.derived_title), "{}", mine.key);
            titles += 1;
        }
    }
    assert_eq!((rows.len(), titles), (12, 7));
}

#[test]
fn spawned_runs_tasks_and_state_events_are_read() {
    let (_dir, root) = copy("openclaw-2026.9/dot-openclaw");
    let all = look(&root);
    let mut ends: Vec<_> = all.spawns.iter().map(|run| (run.label.clone().expect("a label"), run.outcome)).collect();
    ends.sort_by(|one, other| one.0.cmp(&other.0));
    let end = |label: &str, how| (label.to_owned(), Some(how));
    assert_eq!(
        ends,
        [
            end("a11y-plan", SpawnOutcome::Ok),
            end("docs-fix", SpawnOutcome::Ok),
            end("load-test", SpawnOutcome::Timeout),
            end("research-a", SpawnOutcome::Ok),
            end("research-a1", SpawnOutcome::Ok),
            end("schema-dump", SpawnOutcome::Error),
        ]
    );
    let failed = all.spawns.iter().find(|run| run.label.as_deref() == Some("schema-dump")).expect("there");
    assert_eq!(failed.child, DELETED, "though its session is deleted");
    assert!(failed.error.as_deref().is_some_and(|why| why.starts_with("LLM request failed")));
    assert!(failed.task.as_deref().is_some_and(|task| task.starts_with("[Goal] 운영 DB 스키마 덤프")));
    let docs_run = all.spawns.iter().find(|run| run.label.as_deref() == Some("docs-fix")).expect("there");
    assert!(docs_run.reply.as_deref().is_some_and(|text| text.starts_with("설치 절차를 `docs/install.md`에")));
    assert_eq!((all.tasks.len(), all.events.len()), (23, 20));
    assert!(all.events.windows(2).all(|pair| pair[0].sequence < pair[1].sequence));
    let archives = all.archives.iter().map(|archive| (archive.reason, archive.key.as_deref()));
    let (earlier, deleted): (Vec<_>, Vec<_>) = archives.partition(|(reason, _)| *reason == ArchiveReason::Earlier);
    assert_eq!(deleted, [(ArchiveReason::Deleted, Some(DELETED))], "database and folder tell of one archive");
    let mut earlier_keys: Vec<_> = earlier.into_iter().filter_map(|(_, key)| key).collect();
    earlier_keys.sort_unstable();
    assert_eq!(
        earlier_keys,
        ["agent:dajim:main", "agent:ruda:main", "agent:seum:main"],
        "windows that a key went on from"
    );
}

/// Independently: the rows as SQLite gives them, each packed one through zstd.
#[test]
fn plain_and_packed_events_come_in_order() {
    let (_dir, root) = copy("openclaw-2026.9/dot-openclaw");
    let before = listing(&root);
    let (home, roster) = (HomeDir::new(&root), roster(&root));
    let (mut events_seen, mut packed_seen) = (0, 0);
    for agent in ["ruda", "eden", "seum", "dajim", "worker-quick"] {
        let (_other, elsewhere) = copy(&format!("openclaw-2026.9/dot-openclaw/agents/{agent}"));
        let open = Connection::open(elsewhere.join("agent/openclaw-agent.sqlite")).expect("a copy");
        let mut statement = open.prepare("SELECT DISTINCT session_id FROM transcript_events").expect("query");
        let ids: Vec<String> =
            statement.query_map([], |row| row.get(0)).expect("rows").map(|id| id.expect("id")).collect();
        for id in ids {
            let mut statement = open
                .prepare("SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ?1 ORDER BY seq")
                .expect("query");
            let expected: Vec<Value> = statement
                .query_map([&id], |row| Ok((row.get::<_, Option<String>>(0)?, row.get::<_, Option<Vec<u8>>>(1)?)))
                .expect("rows")
                .map(|row| {
                    let (plain, packed) = row.expect("row");
                    let bytes = plain.map(String::into_bytes).unwrap_or_else(|| {
                        packed_seen += 1;
                        zstd::decode_all(packed.expect("one of the two").as_slice()).expect("a frame")
                    });
                    serde_json::from_slice(&bytes).expect("JSON")
                })
                .collect();
            let lines = events(&home, &roster, &AgentId::from(agent), &id, 0, usize::MAX).expect("read");
            let read: Vec<Value> = lines
                .iter()
                .map(|line| serde_json::from_str(line.json.as_ref().expect("text")).expect("JSON"))
                .collect();
            assert_eq!(read, expected);
            assert!(lines.iter().zip(0..).all(|(line, seq)| line.seq == seq), "counted from 0 without a gap");
            assert_eq!((read[0]["type"].clone(), read[0]["version"].clone()), (json!("session"), json!(4)));
            let page = events(&home, &roster, &AgentId::from(agent), &id, 1, 2).expect("read");
            assert_eq!(page, lines[1..lines.len().min(3)]);
            let last = last_events(&home, &roster, &AgentId::from(agent), &id, 3).expect("read");
            assert_eq!(last, lines[lines.len().saturating_sub(3)..]);
            events_seen += lines.len();
        }
    }
    assert_eq!((events_seen, packed_seen), (334, 14));
    assert_eq!(listing(&root), before, "reading talk leaves nothing either");
    let none = events(&home, &roster, &AgentId::from("eden"), "../x", 0, 1);
    assert_eq!(none, Err(ReadError::Missing));
}

#[test]
fn older_messages_are_in_earlier_windows() {
    let (_dir, root) = copy("openclaw-2026.9/dot-openclaw");
    let (home, roster) = (HomeDir::new(&root), roster(&root));
    let found = windows(&home, &roster, &AgentId::from("seum"), "AGENT:seum:main").expect("read");
    let ids: Vec<&str> = found.iter().map(|window| &window.session_id[..8]).collect();
    assert_eq!(ids, ["3a1818ba", "9005c244"]);
    assert_eq!(found[0].previous.as_deref(), Some(found[1].session_id.as_str()));
}

#[test]
fn file_sessions_are_found_with_their_transcripts() {
    let (_dir, root) = copy("openclaw-2026.2/dot-openclaw");
    let before = listing(&root);
    let all = look(&root);
    assert_eq!((all.sessions.len(), all.spawns.len()), (13, 5));
    assert!(all.places.iter().all(|place| place.state == PlaceState::Read), "{:?}", all.places);
    let (home, roster) = (HomeDir::new(&root), roster(&root));
    for session in &all.sessions {
        // Their absolute paths lead into another machine's home.
        let file = transcript_file(&home, &roster, session).unwrap_or_else(|error| panic!("{}: {error}", session.key));
        assert_eq!(Some(file.name.as_str()), session.entry.session_id().map(|id| format!("{id}.jsonl")).as_deref());
        assert!(file.seen.size > 0 && file.folder.open(&file.name).is_ok());
    }
    let mut archives: Vec<_> = all.archives.iter().map(|one| (one.agent_id.as_str(), one.reason)).collect();
    archives.sort_by_key(|one| one.0);
    let expected =
        [("dajim", ArchiveReason::Reset), ("seum", ArchiveReason::Reset), ("worker-quick", ArchiveReason::Deleted)];
    assert_eq!(archives, expected);
    assert_eq!(listing(&root), before);
}

#[test]
fn migrated_home_reads_database_and_lists_archives() {
    let (_dir, root) = copy("openclaw-2026.9/migrated-from-2026.2/dot-openclaw");
    // As if an old program had continued beside it, with a newer time.
    let newer =
        r#"{"agent:ruda:main": {"sessionId": "zzz", "updatedAt": 9999999999999}, "agent:ruda:new": {"updatedAt": 1}}"#;
    write(&root.join("agents/ruda/sessions/sessions.json"), newer);
    let all = look(&root);
    assert_eq!(all.sessions.len(), 5 + 3 + 1);
    let main = all.sessions.iter().find(|session| session.key.as_str() == "agent:ruda:main").expect("found");
    assert_eq!(
        (main.release, main.entry.session_id()),
        (Release::Database, Some("c616d513-9dd9-45e7-ba5a-ffab6d053fe1"))
    );
    assert!(keys(&all).contains(&"agent:ruda:new"), "what only the file has is still shown");
    let mut reasons: Vec<_> = all.archives.iter().map(|archive| format!("{:?}", archive.reason)).collect();
    reasons.sort();
    assert_eq!(reasons, ["Deleted", "Imported", "Imported", "Imported"]);
    assert_eq!(main.entry.created_via(), None, "a migrated session does not tell how it came to be");
}

#[test]
fn last_messages_match_captured_gateway_answers() {
    let (_dir, root) = copy("openclaw-2026.9/dot-openclaw");
    let before = listing(&root);
    let (all, roster, home) = (look(&root), roster(&root), HomeDir::new(&root));
    let (query, mut briefs) = (StoreQuery { include_last_message: true, ..StoreQuery::default() }, Briefs::default());
    let list = list(&all, &roster, &query, 0, &mut TranscriptTexts::new(&home, &roster, &mut briefs));
    assert_eq!(listing(&root), before, "nothing is left beside a stopped home");
    let last = |key: &str| list.sessions.iter().find(|row| row.key == key)?.last_message_preview.clone();
    for (key, expected_text) in [
        ("agent:seum:main", "확인했습니다. staging 클러스터를 먼저 보고 30분 안에 답하겠습니다."),
        (
            "agent:worker-quick:subagent:dec8e10a-6d23-47c1-949b-93e3b973edf5",
            "설치 절차를 docs/install.md에 정리했습니다. Linux: 스크립트 설치 macOS: Homebrew Both sections were checked for broken links.",
        ),
        ("agent:ruda:cron:0914562a-8cff-4ed5-b190-217e7b6c8780", "일일 점검 완료: 이상 없음."),
        (
            "agent:dajim:subagent:867b6786-1968-4e76-a6b5-bb34af86a917",
            "하위 조사 A-1의 표까지 받았습니다. 조사 A를 마칩니다.",
        ),
    ] {
        assert_eq!(last(key).as_deref(), Some(expected_text), "{key}");
    }
    assert!(list.sessions.iter().all(|row| row.last_message_preview.is_some()), "{:?}", list.sessions);
}

#[test]
fn database_preview_is_the_active_branch() {
    let (_dir, root) = copy("openclaw-2026.9/dot-openclaw");
    let (all, roster, home) = (look(&root), roster(&root), HomeDir::new(&root));
    let mut looked = 0;
    for session in &all.sessions {
        let Some(id) = session.entry.session_id() else { continue };
        let found = recent(&home, &roster, session, 1_000).expect("read");
        assert!(found.complete && found.bad == 0, "{id}");
        // Counted by the program's own table of its active branch.
        let database = Connection::open(root.join(format!("agents/{}/agent/openclaw-agent.sqlite", session.agent_id)));
        let places: Vec<i64> = database
            .expect("a database")
            .prepare(
                "SELECT event_seq FROM session_transcript_active_events WHERE session_id = ?1 ORDER BY active_position",
            )
            .and_then(|mut statement| statement.query_map([id], |row| row.get(0))?.collect())
            .expect("rows");
        assert_eq!(found.entries.iter().map(|entry| entry.place as i64).collect::<Vec<_>>(), places, "{id}");
        // The messages before a place are the same branch up to there.
        let middle = found.entries[found.entries.len() / 2].place;
        let before = recent_before(&home, &roster, session, 1_000, Some(middle)).expect("read");
        assert_eq!(before.entries[..], found.entries[..found.entries.len() / 2], "{id}");
        let items = preview(&home, &roster, session, 50, 2_000).expect("read");
        assert!(!items.is_empty(), "{id}");
        looked += 1;
    }
    assert_eq!(looked, 12);
}
