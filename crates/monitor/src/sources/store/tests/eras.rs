//! Tests of OpenClaw's session stores: database formats of several versions, unknown ones too, and stores and databases
//! at configured paths. A transcript path outside the sessions folder is ignored.
//!
//! Proves (transcripts): Older and newer databases, and files in configured places, are read.

use coordination::store::RunStatus;

use super::*;

const WINDOW: &str = "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT)";

#[test]
fn generation_a_is_read_by_its_columns() {
    let (_dir, root) = empty();
    for (agent, schema) in [
        (
            "keyed",
            "CREATE TABLE session_entries (session_key TEXT, entry_json TEXT, updated_at INTEGER);
             CREATE TABLE session_routes (session_key TEXT, session_id TEXT);
             INSERT INTO session_entries VALUES ('agent:keyed:main', '{\"label\": \"a\"}', 7);
             INSERT INTO session_routes VALUES ('agent:keyed:main', 's1');",
        ),
        (
            "routed",
            "CREATE TABLE session_entries (session_id TEXT, entry_json TEXT);
             CREATE TABLE session_routes (session_key TEXT, session_id TEXT);
             INSERT INTO session_entries VALUES ('s2', '{\"updatedAt\": 8}');
             INSERT INTO session_routes VALUES ('agent:routed:main', 's2');",
        ),
        (
            "bare",
            "CREATE TABLE session_entries (session_key TEXT, entry_json TEXT);
             INSERT INTO session_entries VALUES ('main', '{\"sessionId\": \"s3\", \"updatedAt\": 9}');",
        ),
    ] {
        let open = database(&root, agent, schema);
        open.execute_batch(&format!("{WINDOW}; PRAGMA user_version = 9;")).expect("more");
        open.execute("INSERT INTO transcript_events VALUES (?1, 0, '{\"type\":\"session\"}')", ["s1"]).expect("event");
    }
    let all = look(&root);
    let listed: Vec<_> = all
        .sessions
        .iter()
        .map(|session| (session.agent_id.as_str(), session.entry.session_id(), session.entry.updated_at()))
        .collect();
    assert_eq!(
        listed,
        [("bare", Some("s3"), Some(9)), ("keyed", Some("s1"), Some(7)), ("routed", Some("s2"), Some(8))]
    );
    assert!(all.places.iter().all(|place| place.state == PlaceState::Read));
    let lines = events(&HomeDir::new(&root), &Roster::default(), &AgentId::from("keyed"), "s1", 0, 9).expect("read");
    assert_eq!(lines, [EventLine { seq: 0, json: Ok("{\"type\":\"session\"}".to_owned()) }]);
}

#[test]
fn generation_a_messages_need_no_packed_rows() {
    let (_dir, root) = empty();
    let open = database(
        &root,
        "eden",
        "CREATE TABLE session_entries (session_key TEXT, entry_json TEXT, updated_at INTEGER);
         CREATE TABLE session_routes (session_key TEXT, session_id TEXT);
         INSERT INTO session_entries VALUES ('agent:eden:main', '{}', 7);
         INSERT INTO session_routes VALUES ('agent:eden:main', 's1');",
    );
    open.execute_batch(&format!("{WINDOW}; PRAGMA user_version = 13;")).expect("more");
    for (seq, text) in ["하나", "둘", "셋"].into_iter().enumerate() {
        let message = serde_json::json!({"role": "user", "content": text});
        let line = serde_json::json!({"type": "message", "id": format!("m{seq}"), "message": message});
        open.execute("INSERT INTO transcript_events VALUES ('s1', ?1, ?2)", (seq as i64, line.to_string()))
            .expect("event");
    }
    let (all, home) = (look(&root), HomeDir::new(&root));
    let session = &all.sessions[0];
    let found = recent(&home, &Roster::default(), session, 200).expect("read");
    let ids: Vec<_> = found.entries.iter().filter_map(|entry| entry.id.as_deref()).collect();
    assert_eq!((ids, found.complete, found.bad), (vec!["m0", "m1", "m2"], true, 0));
    let items = preview(&home, &Roster::default(), session, 2, 240).expect("read");
    assert_eq!(items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>(), ["둘", "셋"]);
    let heads = heads(&home, &Roster::default(), &session.agent_id).expect("read");
    assert_eq!(heads, [TranscriptHead { session_id: "s1".to_owned(), key: None, last: 2 }]);
}

#[test]
fn generation_b_columns_complete_the_entry() {
    let (_dir, root) = empty();
    drop(database(
        &root,
        "eden",
        "CREATE TABLE session_nodes (session_key TEXT, current_session_id TEXT, entry_json TEXT, updated_at INTEGER,
            status TEXT, created_actor_type TEXT, created_actor_id TEXT, from_the_future BLOB);
         INSERT INTO session_nodes VALUES ('agent:eden:main', 's1', '{}', 5, 'failed', 'agent', 'ruda', x'00');
         INSERT INTO session_nodes VALUES ('agent:eden:odd', 's2', 'no JSON', 6, NULL, NULL, NULL, NULL);
         CREATE TABLE session_key_contract (id INTEGER, main_key TEXT);
         INSERT INTO session_key_contract VALUES (1, 'Work'); PRAGMA user_version = 99;",
    ));
    let all = look(&root);
    let session_at = |key: &str| all.sessions.iter().find(|session| session.key.as_str() == key).expect("there");
    let main = session_at("agent:eden:main");
    assert_eq!(main.entry.status(), Some(RunStatus::Failed));
    assert_eq!(main.entry.created_actor().and_then(|actor| actor["id"].as_str()), Some("ruda"));
    assert_eq!(main.rules.main_key, "work", "the database says what its main key is");
    assert_eq!(
        session_at("agent:eden:odd").entry.session_id(),
        Some("s2"),
        "an entry that is no JSON still has its columns"
    );
    assert_eq!(place_at(&all, "agents/eden/agent/openclaw-agent.sqlite").state, PlaceState::Partial { odd: 1 });
}

#[test]
fn unknown_store_version_is_reported_as_unsupported() {
    let (_dir, root) = empty();
    drop(database(&root, "future", "CREATE TABLE conversations_v9 (x); PRAGMA user_version = 77;"));
    drop(database(&root, "past", "CREATE TABLE memory (x); PRAGMA user_version = 1;"));
    write(&root.join("agents/past/sessions/sessions.json"), r#"{"agent:past:main": {"updatedAt": 1}}"#);
    // A view is no table: its author could let it run for ever.
    drop(database(
        &root,
        "sly",
        "CREATE VIEW session_nodes AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
            SELECT x AS session_key, '{}' AS entry_json FROM n; PRAGMA user_version = 23;",
    ));
    let all = look(&root);
    assert_eq!(keys(&all), ["agent:past:main"], "until 2026.7.1 sessions are in files");
    let state = |agent: &str| place_at(&all, &format!("agents/{agent}/agent/openclaw-agent.sqlite")).state.clone();
    assert_eq!(state("future"), PlaceState::Unsupported { version: 77 });
    assert_eq!(state("sly"), PlaceState::Unsupported { version: 23 });
    assert_eq!(all.places.len(), 3, "a database without sessions is no place of sessions");
}

#[test]
fn store_path_may_be_per_agent_or_shared() {
    let (dir, root) = empty();
    let moved = configured("{session: {store: '~/.openclaw/kept/{agentId}/s.json'}, agents: {list: [{id: 'eden'}]}}");
    write(&root.join("kept/eden/s.json"), r#"{"main": {"sessionId": "s1", "updatedAt": 1}}"#);
    write(&root.join("kept/eden/s1.jsonl"), "{}\n");
    write(&root.join("agents/eden/sessions/sessions.json"), r#"{"agent:eden:unused": {}}"#);
    let all = StoreReader::new(HomeDir::new(&root)).look(&moved).expect("an update");
    assert_eq!((keys(&all), all.sessions[0].agent_id.as_str()), (vec!["main"], "eden"));
    let file = transcript_file(&HomeDir::new(&root), &moved, &all.sessions[0]).expect("beside the store");
    assert_eq!(file.name, "s1.jsonl");

    let elsewhere = dir.path().join("all.json");
    write(&elsewhere, r#"{"main": {"updatedAt": 1}, "agent:seum:main": {"updatedAt": 2}, "hook:u": {}}"#);
    let shared = configured(&format!(
        "{{session: {{store: '{}'}}, agents: {{list: [{{id: 'eden'}}, {{id: 'seum', default: true}}]}}}}",
        elsewhere.display()
    ));
    let all = StoreReader::new(HomeDir::new(&root)).look(&shared).expect("an update");
    let listed: Vec<_> = all.sessions.iter().map(|one| (one.agent_id.as_str(), one.key.as_str())).collect();
    let newest = [("seum", "agent:seum:main"), ("seum", "hook:u")];
    assert_eq!(listed, newest, "bare keys are the default agent's, and `main` is its main session");
}

#[test]
fn the_legacy_store_belongs_to_the_default_agent() {
    let (_dir, root) = empty();
    write(
        &root.join("sessions/sessions.json"),
        r#"{"main": {"sessionId": "s1", "updatedAt": 1}, "discord:a:guild-g:channel-c": {}}"#,
    );
    write(&root.join("sessions/s1.jsonl"), "{}\n");
    write(&root.join("openclaw.json"), "{agents: {list: [{id: 'eden'}]}}");
    let all = look(&root);
    assert!(all.sessions.iter().all(|session| session.agent_id.as_str() == "eden"), "{all:?}");
    assert_eq!(all.sessions.len(), 2);
    let main = all.sessions.iter().find(|session| session.key.as_str() == "main").expect("there");
    assert!(transcript_file(&HomeDir::new(&root), &roster(&root), main).is_ok());
}

#[test]
fn configured_database_path_is_used() {
    let (dir, root) = empty();
    let moved_path = dir.path().join("away");
    let schema = "CREATE TABLE session_nodes (session_key TEXT, entry_json TEXT);
        INSERT INTO session_nodes VALUES ('agent:eden:main', '{\"updatedAt\": 1}')";
    drop(database(&root, "eden", schema));
    fs::rename(root.join("agents/eden/agent"), &moved_path).expect("move");
    for (written, path) in
        [(moved_path.display().to_string(), &moved_path), ("~/.openclaw/in".to_owned(), &root.join("in"))]
    {
        if *path != moved_path {
            fs::rename(&moved_path, path).expect("move");
        }
        let roster = configured(&format!("{{agents: {{entries: {{eden: {{agentDir: '{written}'}}}}}}}}"));
        let all = StoreReader::new(HomeDir::new(&root)).look(&roster).expect("an update");
        assert_eq!(keys(&all), ["agent:eden:main"], "{written}");
    }
}

#[test]
fn transcript_path_must_be_inside_sessions_folder() {
    let (dir, root) = empty();
    let inside = root.join("agents/eden/sessions/named.jsonl");
    let outside = dir.path().join("secret.jsonl");
    for path in [&inside, &outside, &root.join("agents/eden/sessions/s1.jsonl"), &root.join("agents/eden/x.jsonl")] {
        write(path, "{}\n");
    }
    for (written, name) in [
        (inside.display().to_string(), "named.jsonl"),
        ("named.jsonl".to_owned(), "named.jsonl"),
        (outside.display().to_string(), "s1.jsonl"),
        (root.join("agents/eden/x.jsonl").display().to_string(), "s1.jsonl"),
        (root.join("agents/eden/sessions/../x.jsonl").display().to_string(), "s1.jsonl"),
        ("../x.jsonl".to_owned(), "s1.jsonl"),
        ("gone.jsonl".to_owned(), "s1.jsonl"),
    ] {
        let entry = serde_json::json!({"agent:eden:main": {"sessionId": "s1", "sessionFile": written}});
        write(&root.join("agents/eden/sessions/sessions.json"), &entry.to_string());
        let all = look(&root);
        let file = transcript_file(&HomeDir::new(&root), &Roster::default(), &all.sessions[0]).expect("found");
        assert_eq!(file.name, name, "{written}");
    }
}
