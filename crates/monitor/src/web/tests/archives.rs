//! Tests of archived transcripts over REST v2: the archives of two recorded homes, and every kind of storage location.
//!
//! Proves (transcripts): Transcripts that were reset, deleted, migrated or moved to cold storage are listed and read
//! over REST (`/api/v2/sessions-archive`). They are found by key, by id and by text.

use std::fs;
use std::path::Path;

use coordination::api::ArchiveList;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{NOW, WebFixture};

const AFTERWARDS: i64 = 1_795_240_000_000;

/// Ids of the messages with text of people and agents in an archive, read by `serde_json` alone.
fn message_ids(bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).expect("text");
    let values = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line"));
    let messages = values.filter(|value| {
        let message = &value["message"];
        let text = message["content"].as_str().or_else(|| message["content"][0]["text"].as_str()).unwrap_or_default();
        // A token alone, perhaps behind the time.
        let silent = ["NO_REPLY", "REPLY_SKIP", "ANNOUNCE_SKIP"].iter().any(|token| text.ends_with(token));
        ["user", "assistant"].iter().any(|role| message["role"] == *role) && !silent
    });
    messages.map(|value| value["id"].as_str().expect("an id").to_owned()).collect()
}

fn bytes_of(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).expect("read");
    let packed = path.extension().is_some_and(|end| end == "zst");
    if packed { zstd::decode_all(bytes.as_slice()).expect("unpack") } else { bytes }
}

#[tokio::test]
async fn real_home_archives_are_listed_and_readable() {
    for (home, reasons) in [
        ("openclaw-2026.2/dot-openclaw", vec!["deleted", "reset", "reset"]),
        ("openclaw-2026.9/dot-openclaw", vec!["deleted", "earlier", "earlier", "earlier"]),
        ("openclaw-2026.9/migrated-from-2026.2/dot-openclaw", vec!["imported", "imported", "imported", "deleted"]),
    ] {
        let fixture = WebFixture::over(home, AFTERWARDS).await;
        let list: ArchiveList =
            serde_json::from_slice(&fixture.get("/api/v2/sessions-archive").await.body).expect("a list");
        assert_eq!((list.count, list.total_count), (reasons.len(), reasons.len()));
        let shown_reasons: Vec<_> = list.archives.iter().map(|row| json!(row.reason)).collect();
        assert_eq!(
            shown_reasons,
            reasons.iter().map(|reason| json!(reason)).collect::<Vec<_>>(),
            "{home}, newest first"
        );
        for row in &list.archives {
            assert!(row.at.is_some_and(|at| at < AFTERWARDS), "{row:?}");
            if json!(row.reason) == "earlier" {
                continue;
            }
            let folder = if json!(row.reason) == "imported" { "session-sqlite-import-archive" } else { "sessions" };
            let bytes = bytes_of(&fixture.path(&format!("agents/{}/{folder}/{}", row.agent_id, row.name)));
            let path = format!("/api/v2/sessions-archive/{}/{}/history", row.agent_id, row.session_id);
            let answer = fixture.get(&path).await.json();
            assert_eq!((&answer["status"], &answer["complete"]), (&json!("ok"), &json!(true)), "{row:?}");
            let ids: Vec<String> = serde_json::from_value(answer["ids"].clone()).expect("ids");
            assert_eq!(ids, message_ids(&bytes), "{home} {row:?}");
            assert_eq!(answer["key"], json!(row.key.clone().unwrap_or_default()));
        }
        if home.contains("migrated") {
            let keys: Vec<_> = list.archives.iter().filter(|row| row.key.is_some()).collect();
            assert_eq!(keys.len(), 3, "the database has the keys of what it took in");
        }
        let none = fixture.get("/api/v2/sessions-archive?agent=nobody").await.json();
        assert_eq!((&none["count"], &none["totalCount"]), (&json!(0), &json!(0)));
        let one = fixture.get("/api/v2/sessions-archive?limit=1").await.json();
        assert_eq!((&one["count"], &one["totalCount"]), (&json!(1), &json!(reasons.len())));
    }
}

#[tokio::test]
async fn predecessor_sessions_are_found_by_key() {
    let fixture = WebFixture::over("openclaw-2026.9/dot-openclaw", AFTERWARDS).await;
    let list = |query: &str| {
        let path = format!("/api/v2/sessions-archive?{query}");
        let fixture = &fixture;
        async move { serde_json::from_slice::<ArchiveList>(&fixture.get(&path).await.body).expect("a list") }
    };
    let of_key = list("key=AGENT:ruda:main").await;
    let [row] = of_key.archives.as_slice() else { panic!("one: {of_key:?}") };
    // The window that precedes ruda's key by the README, with the time at which it ended.
    assert_eq!((row.session_id.as_str(), row.at), ("3c9a7697-63fb-4f04-8af1-133f6baecc0c", Some(1_795_229_478_275)));
    assert_eq!((row.key.as_deref(), json!(row.reason)), (Some("agent:ruda:main"), json!("earlier")));
    let path = format!("/api/v2/sessions-archive/ruda/{}/history?limit=1000", row.session_id);
    let earlier = fixture.get(&path).await.json();
    let now = fixture.get("/api/v2/sessions-store/agent:ruda:main/history?limit=1000").await.json();
    assert_eq!(earlier["status"], "ok");
    let ids = |answer: &Value| answer["ids"].as_array().expect("ids").clone();
    assert!(ids(&earlier).len() > 10 && ids(&earlier).iter().all(|id| !ids(&now).contains(id)), "{earlier}");
    // By id, by text; and what fits nothing is nothing.
    assert_eq!(list("session=3c9a7697-63fb-4f04-8af1-133f6baecc0c").await.archives, of_key.archives);
    assert_eq!(list("search=3C9A7697").await.archives, of_key.archives);
    assert_eq!(list("search=.ZST").await.total_count, 1, "a part of a file's name");
    assert_eq!(list("agent=seum&key=agent:ruda:main").await.total_count, 0);
    assert_eq!(list("session=3c9a7697").await.total_count, 0, "no part of an id");
}

#[tokio::test]
async fn archive_is_read_from_any_location() {
    let fixture = WebFixture::over("openclaw-2026.9/dot-openclaw", AFTERWARDS).await;
    let id = "a71208b5-a9f8-43e0-bcce-878eb8700e02";
    let path = format!("/api/v2/sessions-archive/worker-quick/{id}/history");
    let whole = fixture.get(&path).await.json();
    assert_eq!(whole["key"], "agent:worker-quick:subagent:56342563-6dfe-4c99-9d7a-e79fe337f0d6", "{whole}");
    let sessions = fixture.path("agents/worker-quick/sessions");
    let name = fs::read_dir(&sessions).expect("folder").next().expect("one").expect("entry").path();
    // Without its file the database's own copy is read.
    fs::rename(&name, fixture.path("kept")).expect("away");
    assert_eq!(fixture.get(&path).await.json()["messages"], whole["messages"]);
    // Without that it is still known, and its transcript is reported as missing.
    let database = fixture.path("agents/worker-quick/agent/openclaw-agent.sqlite");
    let open = Connection::open(&database).expect("open");
    open.execute_batch(
        "PRAGMA ignore_check_constraints = 1; UPDATE session_transcript_archives SET archive_blob = x'28b5'",
    )
    .expect("damage");
    assert_eq!(fixture.get(&path).await.json()["status"], "error", "what cannot be unpacked is not empty");
    open.execute_batch("DELETE FROM session_transcript_archives").expect("gone");
    drop(open);
    assert_eq!(fixture.get(&path).await.status, 404, "nobody knows of it any more");
    fs::rename(fixture.path("kept"), &name).expect("back");
    assert_eq!(fixture.get(&path).await.json()["messages"], whole["messages"]);
    fs::write(&name, b"no archive").expect("write");
    assert_eq!(fixture.get(&path).await.json()["status"], "error");
}

fn line(id: &str, text: &str) -> String {
    let message = json!({"role": "user", "content": text});
    format!("{}\n", json!({"type": "message", "id": id, "message": message}))
}

#[tokio::test]
async fn cold_storage_and_older_windows_read_by_id() {
    let fixture = WebFixture::new().await;
    let agent = fixture.path("agents/eden/agent");
    fs::create_dir_all(&agent).expect("folders");
    fs::create_dir_all(fixture.path("agents/eden/sessions/cold")).expect("folders");
    let open = Connection::open(agent.join("openclaw-agent.sqlite")).expect("open");
    open.execute_batch(
        "CREATE TABLE session_nodes (session_key TEXT, current_session_id TEXT, entry_json TEXT);
         CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB);
         CREATE TABLE session_transcript_cold_archives (session_id TEXT, generation INTEGER, archive_name TEXT,
            archive_blob BLOB);
         INSERT INTO session_nodes VALUES ('agent:eden:main', 'cold-1', '{\"previousSessionId\": \"old-1\"}');
         INSERT INTO session_nodes VALUES ('agent:eden:blob', 'cold-2', '{}');
         INSERT INTO session_nodes VALUES ('agent:eden:sly', 'cold-3', '{}');
         INSERT INTO session_transcript_cold_archives VALUES ('cold-1', 1, 'cold/abc.jsonl.zst', NULL);
         INSERT INTO session_transcript_cold_archives VALUES ('cold-3', 1, '../../../../secret', NULL);
         PRAGMA user_version = 23;",
    )
    .expect("a schema");
    let packed = |text: &str| zstd::encode_all(text.as_bytes(), 0).expect("pack");
    open.execute(
        "INSERT INTO session_transcript_cold_archives VALUES ('cold-2', 1, 'x.jsonl.zst', ?1)",
        [packed(&line("b1", "덩어리"))],
    )
    .expect("a blob");
    open.execute("INSERT INTO transcript_events VALUES ('old-1', 0, ?1, NULL)", [line("o1", "지난 창")])
        .expect("a row");
    drop(open);
    fs::write(fixture.path("agents/eden/sessions/cold/abc.jsonl.zst"), packed(&line("c1", "차가운 말")))
        .expect("write");
    fs::write(fixture.path("secret"), line("x", "geheim")).expect("write");
    fs::write(fixture.path("agents/eden/sessions/lost.jsonl"), line("l1", "열쇠 없는 말")).expect("write");
    fs::write(fixture.path("agents/eden/sessions/r.jsonl.reset.2026-02-17T12-34-56.789Z"), line("r1", "옛 말"))
        .expect("write");
    fs::write(fixture.path("agents/eden/sessions/r.jsonl.reset.2026-02-18T12-34-56.789Z"), line("r2", "새 말"))
        .expect("write");
    // By the key: a session in cold storage is not empty.
    for (key, ids) in [("main", "c1"), ("blob", "b1")] {
        let path = format!("/api/v2/sessions-store/agent:eden:{key}");
        let answer = fixture.get(&format!("{path}/history")).await.json();
        assert_eq!((&answer["status"], &answer["ids"]), (&json!("ok"), &json!([ids])), "{key}");
        let preview = fixture.get(&format!("{path}/preview")).await.json();
        assert_eq!((&preview["status"], preview["items"].as_array().map(Vec::len)), (&json!("ok"), Some(1)), "{key}");
    }
    let sly = fixture.get("/api/v2/sessions-store/agent:eden:sly/history").await.json();
    assert_eq!((&sly["status"], &sly["messages"]), (&json!("empty"), &json!([])), "a name leads nowhere else");
    // By the id.
    for (id, key, ids) in [
        ("cold-1", "agent:eden:main", "c1"),
        ("cold-2", "agent:eden:blob", "b1"),
        ("old-1", "agent:eden:main", "o1"),
        ("lost", "", "l1"),
        ("r", "", "r2"),
    ] {
        let answer = fixture.get(&format!("/api/v2/sessions-archive/eden/{id}/history")).await.json();
        assert_eq!((&answer["key"], &answer["ids"]), (&json!(key), &json!([ids])), "{id}");
        assert_eq!((&answer["status"], &answer["ts"]), (&json!("ok"), &json!(NOW)));
    }
    let list = fixture.get("/api/v2/sessions-archive?agent=EDEN").await.json();
    let rows: Vec<_> =
        list["archives"].as_array().expect("a list").iter().map(|row| row["sessionId"].clone()).collect();
    assert_eq!(rows, ["r", "r", "cold-1", "cold-2", "cold-3"], "{list}");
    for (path, status) in [
        ("eden/nothing/history", 404),
        ("nobody/r/history", 404),
        ("..%2F..%2Feden/r/history", 404),
        ("eden/..%2Fr/history", 404),
        ("eden/r/history?limit=0", 400),
        ("eden/r/history?foo=1", 400),
        ("eden/r", 404),
    ] {
        assert_eq!(fixture.get(&format!("/api/v2/sessions-archive/{path}")).await.status, status, "{path}");
    }
    assert_eq!(fixture.get("/api/v2/sessions-archive?limit=0").await.status, 400);
    // An unreadable folder is reported beside the list.
    fs::remove_dir_all(fixture.path("agents/eden/sessions")).expect("remove");
    fs::write(fixture.path("agents/eden/sessions"), "no folder").expect("write");
    let list = fixture.get("/api/v2/sessions-archive").await.json();
    let odd = list["places"].as_array().expect("places").iter().any(|place| place["standing"]["state"] == "unreadable");
    assert!(odd, "{list}");
}

/// Without the list of agents it is unknown whether the session exists, so the answer is not 404.
#[tokio::test]
async fn unreadable_agents_folder_returns_503() {
    let fixture = WebFixture::new().await;
    fs::create_dir_all(fixture.path("agents/eden/sessions")).expect("folders");
    fs::write(fixture.path("agents/eden/sessions/lost.jsonl"), line("l1", "열쇠 없는 말")).expect("write");
    let path = "/api/v2/sessions-archive/eden/lost/history";
    assert_eq!(fixture.get(path).await.status, 200);
    fs::rename(fixture.path("agents"), fixture.path("moved")).expect("move");
    fs::write(fixture.path("agents"), "no folder").expect("write");
    let answer = fixture.get(path).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.json()["code"], "source_unavailable");
    fs::remove_file(fixture.path("agents")).expect("remove");
    assert_eq!(fixture.get(path).await.status, 404, "a missing folder has no agents");
}
