//! Tests of messages and delegated runs that only transcripts contain, as the running monitor serves them. For two
//! recorded OpenClaw homes, everything served is compared with the transcript files, which the test reads without the
//! monitor's code. Another test merges transcripts with a log.
//!
//! Proves (transcripts): Every session, message, delegated run and outcome in the transcripts of two recorded homes is
//! served. The numbers equal a count that the test makes from the files. The key of a stored session finds the work
//! sessions that hold one of its messages, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use coordination::api::Frame;

use super::live::{connect, frame, listen};
use super::{NOW, SESSION, WebFixture, eventually};

/// After the last thing that the homes' agents did.
const AFTERWARDS: i64 = 1_795_240_000_000;

/// Every line of every transcript of a home, session by session: by SQL and by `serde_json`, not by the reader that is
/// tested.
fn transcripts(root: &Path) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    for agent in fs::read_dir(root.join("agents")).expect("agents") {
        let agent = agent.expect("agent").path();
        let parse = |text: &str| text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
        if let Ok(files) = fs::read_dir(agent.join("sessions")) {
            for file in files {
                let path = file.expect("file").path();
                let name = path.file_name().expect("name").to_string_lossy().into_owned();
                let bytes = fs::read(&path).expect("read");
                if name.ends_with(".zst") {
                    let text = zstd::stream::decode_all(bytes.as_slice()).expect("unpack");
                    all.push(parse(std::str::from_utf8(&text).expect("text")));
                } else if name.contains(".jsonl") {
                    all.push(parse(std::str::from_utf8(&bytes).expect("text")));
                }
            }
        }
        let database = agent.join("agent/openclaw-agent.sqlite");
        if database.exists() {
            let open = rusqlite::Connection::open(&database).expect("open");
            let query = "SELECT session_id, event_json, event_zstd FROM transcript_events ORDER BY session_id, seq";
            let mut statement = open.prepare(query).expect("prepare");
            let rows = statement.query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
            });
            let mut sessions: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            for row in rows.expect("rows") {
                let (id, plain, packed) = row.expect("row");
                let text = plain.unwrap_or_else(|| {
                    let packed = packed.expect("one of the two");
                    String::from_utf8(zstd::stream::decode_all(packed.as_slice()).expect("unpack")).expect("text")
                });
                sessions.entry(id).or_default().push(serde_json::from_str(&text).expect("a line"));
            }
            all.extend(sessions.into_values());
        }
    }
    all
}

/// Spawned runs by their label, with how they ended, as the home's registry has them.
fn registry(root: &Path) -> BTreeMap<String, String> {
    let mut runs = Vec::new();
    if let Ok(text) = fs::read_to_string(root.join("subagents/runs.json")) {
        let value: Value = serde_json::from_str(&text).expect("runs");
        runs.extend(value["runs"].as_object().expect("runs").values().cloned());
    }
    let shared = root.join("state/openclaw.sqlite");
    if shared.exists() {
        let open = rusqlite::Connection::open(&shared).expect("open");
        let mut statement = open.prepare("SELECT payload_json FROM subagent_runs").expect("prepare");
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).expect("rows");
        runs.extend(rows.map(|row| serde_json::from_str::<Value>(&row.expect("row")).expect("a run")));
    }
    let label_and_status = |run: &Value| {
        let outcome = run.pointer("/execution/outcome/status").or_else(|| run.pointer("/outcome/status"));
        let word = outcome.and_then(Value::as_str).unwrap_or("none").to_owned();
        (run["label"].as_str().expect("a label").to_owned(), word)
    };
    runs.iter().map(label_and_status).collect()
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// Texts that were sent by a tool, and texts that came from another session, as stored in the files.
struct SentTexts {
    called: Vec<String>,
    received: Vec<String>,
    spawned: usize,
}

fn sent_texts(all: &[Vec<Value>]) -> SentTexts {
    let mut found = SentTexts { called: Vec::new(), received: Vec::new(), spawned: 0 };
    for line in all.iter().flatten() {
        let message = &line["message"];
        for block in message["content"].as_array().into_iter().flatten().filter(|block| block["type"] == "toolCall") {
            let (name, arguments) = match block["name"].as_str() {
                Some("tool_call") => (&block["arguments"]["id"], &block["arguments"]["args"]),
                _ => (&block["name"], &block["arguments"]),
            };
            match name.as_str() {
                Some("sessions_send") => found.called.push(words(arguments["message"].as_str().expect("a message"))),
                Some("sessions_spawn") => found.spawned += 1,
                _ => {}
            }
        }
        let from = &message["provenance"];
        if from["kind"] == "inter_session" && from["sourceTool"] == "sessions_send" {
            let text = text_of(message);
            let body_lines = text.lines().filter(|line| {
                !line.starts_with("[Inter-session message]") && !line.starts_with("This content was routed by OpenClaw")
            });
            let text = body_lines.collect::<Vec<_>>().join("\n");
            // The envelope of older releases: `[Sat 2026-11-21 11:38 GMT+9] `.
            let text = match text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
                Some((inside, rest)) if inside.contains("GMT") => rest.to_owned(),
                _ => text,
            };
            found.received.push(words(&text));
        }
    }
    found
}

async fn threads(fixture: &WebFixture) -> Vec<Value> {
    let sessions = fixture.get("/api/v2/sessions?limit=200").await.json();
    let mut all = Vec::new();
    for card in sessions["sessions"].as_array().expect("sessions") {
        let id = card["workSessionId"].as_str().expect("an id");
        let detail = fixture.get(&format!("/api/v2/sessions/{id}")).await.json();
        for thread in detail["threads"].as_array().expect("threads") {
            let thread = thread["threadId"].as_str().expect("an id");
            all.push(fixture.get(&format!("/api/v2/sessions/{id}/threads/{thread}?limit=500")).await.json());
        }
    }
    all
}

async fn everything_is_found(home: &str, talks: u64) {
    let fixture = WebFixture::over(home, AFTERWARDS).await;
    let root = fixture.dir.path().join(".openclaw");
    let files = transcripts(&root);
    let (sent_texts, registry) = (sent_texts(&files), registry(&root));
    let health = eventually(&fixture, "/api/v2/health", |it| it["transcripts"]["talks"] == talks).await;
    assert_eq!(health["transcripts"]["transcripts"], files.len(), "every transcript is followed: {health}");
    assert_eq!((&health["transcripts"]["badLines"], &health["unreadable"]), (&json!(0), &json!([])), "{health}");
    assert!(health["stores"].as_array().is_some_and(|all| all.iter().all(|it| it["standing"]["state"] == "read")));
    let threads = threads(&fixture).await;
    let bubbles: Vec<&Value> = threads.iter().flat_map(|page| page["messages"].as_array().expect("messages")).collect();
    assert!(bubbles.iter().all(|bubble| bubble["origin"] == "transcript"), "each says where it comes from");
    let mut texts: BTreeMap<String, usize> = BTreeMap::new();
    for bubble in &bubbles {
        *texts.entry(words(bubble["text"].as_str().expect("a text"))).or_default() += 1;
    }
    // A person's mark is removed from the shown text.
    let plain = |text: &str| words(text.trim_start_matches("[Human Intervention]"));
    let tokens = ["REPLY_SKIP", "ANNOUNCE_SKIP", "NO_REPLY"];
    for text in &sent_texts.called {
        assert!(texts.contains_key(&plain(text)), "{home}: a message that was sent: {text}");
    }
    let mut carried = 0;
    for text in sent_texts.received.iter().filter(|text| !tokens.contains(&text.as_str())) {
        if text != "Agent-to-agent announce step." && !text.starts_with("sessions_send delivery to ") {
            // A long reply is carried cut.
            let uncut = text.trim_end_matches('…');
            let known = |shown: &&String| **shown == plain(text) || (uncut.len() > 4_000 && shown.starts_with(uncut));
            assert!(texts.keys().any(|shown| known(&shown)), "{home}: what came from another session: {text}");
            carried += 1;
        }
    }
    assert!(carried >= 20 && sent_texts.called.len() == 6, "{home}: {carried} {}", sent_texts.called.len());
    // Everything shown is in a file, and a text sent to one session is shown for it alone.
    let whole: String =
        files.iter().flatten().map(|line| words(&text_of(&line["message"]))).collect::<Vec<_>>().join("\n");
    let sent: BTreeSet<&String> = sent_texts.called.iter().collect();
    for (text, times) in &texts {
        let mark = text.chars().take(60).collect::<String>();
        assert!(whole.contains(&mark) || sent.iter().any(|sent| sent.contains(&mark)), "{home}: invented: {text}");
        let occurrences = sent_texts.received.iter().filter(|received| plain(received) == *text).count().max(1);
        let occurrences = occurrences.max(sent_texts.called.iter().filter(|called| plain(called) == *text).count());
        assert!(*times <= occurrences + 1, "{home}: shown {times} times, said {occurrences}: {text}");
    }
    let runs = fixture.get("/api/v2/delegations").await.json();
    let rows = runs["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), sent_texts.spawned), (6, 6), "{home}: each child once");
    for row in rows {
        let label = row["label"].as_str().expect("a label");
        let state = match registry.get(label).map(String::as_str) {
            Some("ok") => "succeeded",
            Some("timeout") => "timedOut",
            Some("error") => "failed",
            // A deleted session takes its run along: its parent had been notified.
            None if whole.contains(&format!("A subagent task \"{label}\" just failed")) => "failed",
            other => panic!("{home}: {label} {other:?}"),
        };
        assert_eq!((&row["state"], &row["origin"]), (&json!(state), &json!("transcript")), "{home}: {label}");
    }
    let nested = rows.iter().find(|row| row["label"] == "research-a1").expect("the grandchild");
    assert_eq!(nested["depth"], 1, "{home}: below the child that asked for it");
    // Where a bubble can be looked up, a line of that name holds it, or calls the tool that sent it.
    let lines: BTreeMap<&str, &Value> =
        files.iter().flatten().filter_map(|line| Some((line["id"].as_str()?, &line["message"]))).collect();
    let places = bubbles.iter().filter_map(|bubble| Some((bubble, bubble["transcript"]["entry"].as_str()?)));
    let mut looked_up = 0;
    for (bubble, entry) in places {
        let mark: String = bubble["text"].as_str().expect("a text").chars().take(12).collect();
        let line = lines.get(entry).unwrap_or_else(|| panic!("{home}: no line {entry}"));
        assert!(words(&line.to_string()).contains(mark.lines().next().expect("a line")), "{home}: {mark} {line}");
        looked_up += 1;
    }
    assert!(looked_up >= 15, "{home}: {looked_up}");
    every_place_can_be_read(home, &fixture, &bubbles).await;
}

/// Each place leads to a history that holds the line: by its key, or, for archives, by agent and session id.
async fn every_place_can_be_read(home: &str, fixture: &WebFixture, bubbles: &[&Value]) {
    let mut archived = 0;
    for place in bubbles.iter().map(|bubble| &bubble["transcript"]).filter(|place| place.is_object()) {
        let text = |name: &str| place[name].as_str().unwrap_or_default();
        let path = match text("key") {
            "" => format!("sessions-archive/{}/{}", text("agent"), text("session")),
            key => format!("sessions-store/{key}"),
        };
        archived += usize::from(text("key").is_empty());
        // Messages from before the reset of the session are on earlier pages.
        let mut before = String::new();
        loop {
            let history_path = format!("/api/v2/{path}/history?limit=1000&includeTools=true{before}");
            let answer = fixture.get(&history_path).await.json();
            let ids = answer["ids"].as_array().unwrap_or_else(|| panic!("{home}: {place} {answer}"));
            if ids.contains(&place["entry"]) {
                break;
            }
            let earlier = answer["earlier"].as_u64().unwrap_or_else(|| panic!("{home}: {place} is nowhere"));
            before = format!("&before={earlier}");
        }
    }
    assert!(archived >= 2, "{home}: {archived} in archives");
}

#[tokio::test]
async fn file_home_exchanges_are_all_shown() {
    everything_is_found("openclaw-2026.2/dot-openclaw", 22).await;
}

#[tokio::test]
async fn database_home_exchanges_are_all_shown() {
    everything_is_found("openclaw-2026.9/dot-openclaw", 23).await;
}

fn line(id: &str, message: &Value) -> String {
    format!("{}\n", json!({"type": "message", "id": id, "message": message}))
}

/// Adds to a transcript of the fixture.
fn append(fixture: &WebFixture, name: &str, text: &str) {
    let path = fixture.path(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path).expect("open");
    std::io::Write::write_all(&mut file, text.as_bytes()).expect("append");
}

/// The call that sends a message from eden to seum.
fn call(id: &str, message: &str, at: i64) -> String {
    let arguments = json!({"sessionKey": "agent:seum:main", "message": message});
    let call = json!({"type": "toolCall", "id": id, "name": "sessions_send", "arguments": arguments});
    line(id, &json!({"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": at}))
}

const EDEN: &str = "agents/eden/sessions/e1.jsonl";
const SEUM: &str = "agents/seum/sessions/s1.jsonl";

fn stores(fixture: &WebFixture) {
    for (agent, id) in [("eden", "e1"), ("seum", "s1")] {
        let key = format!("agent:{agent}:main");
        append(
            fixture,
            &format!("agents/{agent}/sessions/sessions.json"),
            &json!({key: {"sessionId": id, "updatedAt": NOW}}).to_string(),
        );
    }
}

#[tokio::test]
async fn log_and_transcripts_merge_without_duplicates() {
    let fixture = WebFixture::new().await;
    let long = format!("배포 절차를 정리했습니다. {}끝.", "한 단계씩 확인합니다. ".repeat(500));
    let cut: String = String::from_utf16_lossy(&long.encode_utf16().take(4_000).collect::<Vec<_>>());
    fixture.append(&super::send(NOW - 50_000, &cut));
    stores(&fixture);
    append(&fixture, EDEN, &call("c1", &long, NOW - 50_500));
    let from = json!({"kind": "inter_session", "sourceSessionKey": "agent:eden:main", "sourceTool": "sessions_send"});
    append(
        &fixture,
        SEUM,
        &line("h1", &json!({"role": "user", "content": long, "provenance": from, "timestamp": NOW - 49_000})),
    );
    let blocks = json!([{"type": "text", "text": "로그에 없는 답입니다"}]);
    append(
        &fixture,
        SEUM,
        &line("s1", &json!({"role": "assistant", "content": blocks, "stopReason": "stop", "timestamp": NOW - 40_000})),
    );
    let path = format!("/api/v2/sessions/{SESSION}/threads/conv:c1?limit=100");
    // A transcript may be read before the list of sessions that names its key; the key follows.
    let is_complete = |page: &Value| {
        let messages = page["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        messages.len() == 3 && messages[1..].iter().all(|message| message["transcript"]["key"] != "")
    };
    let page = eventually(&fixture, &path, is_complete).await;
    let messages = page["messages"].as_array().expect("messages");
    assert_eq!(messages[1]["text"], long.trim(), "what the log cut is whole");
    assert_eq!((messages[1].get("origin"), &messages[1]["truncated"]), (None, &json!(false)), "and stays the log's");
    assert_eq!(messages[1]["transcript"], json!({"key": "agent:eden:main", "session": "e1", "entry": "c1"}));
    let filled: Vec<_> = messages.iter().map(|message| message.get("filled").is_some()).collect();
    assert_eq!(filled, [false, true, false], "what was filled says so");
    assert_eq!((&page["thread"]["messageCount"], &page["thread"]["transcriptOnlyMessages"]), (&json!(3), &json!(1)));
    assert_eq!((&messages[2]["text"], &messages[2]["origin"]), (&json!("로그에 없는 답입니다"), &json!("transcript")));
    assert_eq!(messages[2]["transcript"], json!({"key": "agent:seum:main", "session": "s1", "entry": "s1"}));
    let states: Vec<_> = page["exchanges"].as_array().expect("sends").iter().map(|it| it["state"].clone()).collect();
    assert!(states.contains(&json!("answered")), "{states:?}");
    let sessions = fixture.get("/api/v2/sessions").await.json();
    assert_eq!(sessions["total"], 1, "no second session for the same talk: {sessions}");
    // The log names no stored session: what transcripts fill it from does.
    for (key, total) in [("agent:eden:main", 1), ("AGENT:seum:main", 1), ("agent:eden:other", 0), ("agent:seum:mai", 0)]
    {
        let part = fixture.get(&format!("/api/v2/sessions?sessionKey={key}")).await.json();
        assert_eq!(part["total"], total, "{key}");
    }
    let card = &sessions["sessions"][0];
    assert_eq!((&card["eventCount"], &card["transcriptOnlyEvents"]), (&json!(3), &json!(1)));
    // Events of one origin, and both together.
    for (origin, total) in [("?origin=log", 2), ("?origin=transcript", 1), ("", 3)] {
        let events = fixture.get(&format!("/api/v2/events{origin}")).await.json();
        assert_eq!(events["total"], total, "{origin}");
    }
    let found = fixture.get("/api/v2/events?origin=transcript").await.json();
    assert_eq!(found["events"][0]["text"], "로그에 없는 답입니다");
    assert_eq!(fixture.get("/api/v2/events?origin=dream").await.status, 400);
    // The old interface has the same events, and those that no log holds are marked.
    let old = fixture.get("/api/events?limit=50").await.json();
    let origins: Vec<&Value> = old["events"].as_array().expect("events").iter().map(|event| &event["origin"]).collect();
    assert_eq!(origins.iter().filter(|origin| **origin == "transcript").count(), 1, "{origins:?}");
    assert_eq!(origins.len(), 3);
    // The log catches up: its line replaces the message of the transcript.
    let answer = json!({"type": "a2a.response", "agentId": "seum", "ts": NOW - 39_000, "data": {
        "fromAgent": "seum", "toAgent": "eden", "message": "로그에 없는 답입니다", "conversationId": "c1",
        "eventRole": "conversation.main", "workSessionId": SESSION,
    }});
    fixture.append(&format!("{answer}\n"));
    let page = eventually(&fixture, &path, |page| page["messages"][2].get("origin").is_none()).await;
    assert_eq!(page["messages"].as_array().map(Vec::len), Some(3), "{page}");
    assert_eq!(page["thread"].get("transcriptOnlyMessages"), None, "nothing is left that only a transcript tells of");
    assert_eq!(page["messages"][2]["transcript"]["entry"], "s1");
    assert_eq!(fixture.get("/api/v2/health").await.json()["events"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn transcript_changes_reach_live_clients() {
    let fixture = WebFixture::new().await;
    let mut socket = connect(listen(&fixture).await, "").await;
    let Frame::Snapshot(_) = frame(&mut socket).await else { panic!("snapshot first") };
    stores(&fixture);
    append(&fixture, EDEN, &call("c1", "새 부탁입니다", NOW - 1_000));
    let (mut revision, mut events) = (0, 0);
    while revision == 0 || events == 0 {
        if let Frame::Delta(delta) = frame(&mut socket).await {
            revision = delta.stores.unwrap_or(revision);
            events += delta.events_total;
        }
    }
    let page = fixture.get("/api/v2/events?origin=transcript").await.json();
    assert_eq!((&page["total"], &page["events"][0]["text"]), (&json!(1), &json!("새 부탁입니다")));
    append(&fixture, EDEN, &line("a1", &json!({"role": "user", "content": "고마워요", "timestamp": NOW})));
    loop {
        if let Frame::Delta(delta) = frame(&mut socket).await
            && let Some(next) = delta.stores
        {
            assert!(next > revision, "it counts");
            return;
        }
    }
}
