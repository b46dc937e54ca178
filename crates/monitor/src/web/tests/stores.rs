//! Tests of OpenClaw's stored sessions over REST v2: lists, titles, previews, histories, and routing data (such as chat
//! channel and recipient).
//!
//! Proves (transcripts): Stored sessions are served over REST v2 without secrets, with masked titles and previews.
//! Routing data needs the write token.

use std::fs;

use coordination::api::StoreList;
use serde_json::{Value, json};

use super::{NOW, WebFixture};

fn store(fixture: &WebFixture, agent: &str, text: &str) {
    let path = fixture.path(&format!("agents/{agent}/sessions/sessions.json"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, text).expect("write");
}

#[tokio::test]
async fn stored_sessions_are_listed_without_secrets() {
    let fixture = WebFixture::new().await;
    let none = fixture.get("/api/v2/sessions-store").await.json();
    assert_eq!((&none["count"], &none["places"]), (&json!(0), &json!([])), "nothing is there, and nothing unreadable");
    let entries = json!({
        "agent:eden:main": {"sessionId": "s1", "updatedAt": NOW - 60_000, "label": "배포", "lastTo": "geheim-4711"},
        "agent:eden:discord:channel:42": {"sessionId": "s2", "updatedAt": NOW - 7_200_000, "authProfileOverride": "geheim-4711"},
        "agent:eden:cron:j:run:r": {"updatedAt": NOW},
    });
    store(&fixture, "eden", &entries.to_string());
    store(&fixture, "seum", "{\"agent:seum:main\": ");
    let answer = fixture.get("/api/v2/sessions-store").await;
    assert!(!answer.text().contains("geheim"), "{}", answer.text());
    let list: StoreList = serde_json::from_slice(&answer.body).expect("a list");
    let keys: Vec<&str> = list.sessions.iter().map(|row| row.key.as_str()).collect();
    assert_eq!((keys, list.ts), (vec!["agent:eden:main", "agent:eden:discord:channel:42"], NOW));
    let answer_json = answer.json();
    assert_eq!(answer_json["places"][0]["standing"]["state"], "read");
    assert_eq!(answer_json["places"][1]["standing"]["state"], "unreadable", "half a store is no empty store");
    for (query_string, count, total) in [
        ("kinds=group", 1, 1),
        ("kinds=main,group", 2, 2),
        ("kinds=hook", 0, 0),
        ("agent=SEUM", 0, 0),
        ("activeMinutes=2", 1, 1),
        ("search=%EB%B0%B0", 1, 1),
        ("label=x", 0, 0),
        ("limit=1", 1, 2),
        ("archived=true", 0, 0),
    ] {
        let filtered = fixture.get(&format!("/api/v2/sessions-store?{query_string}")).await.json();
        assert_eq!((&filtered["count"], &filtered["totalCount"]), (&json!(count), &json!(total)), "{query_string}");
    }
    let titled = fixture.get("/api/v2/sessions-store?includeDerivedTitles=true&limit=1").await.json();
    assert_eq!(titled["sessions"][0]["derivedTitle"], "s1 (2026-02-21)");
    for wrong in ["kinds=all", "limit=0", "activeMinutes=0", "archived=1", "foo=1", "limit=1&limit=2"] {
        assert_eq!(fixture.get(&format!("/api/v2/sessions-store?{wrong}")).await.status, 400, "{wrong}");
    }
    store(&fixture, "seum", "{\"agent:seum:main\": {\"updatedAt\": 1}}");
    assert_eq!(fixture.get("/api/v2/sessions-store?agent=seum").await.json()["count"], 1, "a change is seen at once");
}

#[tokio::test]
async fn transcript_titles_and_previews_are_masked() {
    let fixture = WebFixture::new().await;
    let entries = json!({
        "agent:eden:main": {"sessionId": "s1", "updatedAt": NOW},
        "agent:eden:direct:kim": {"sessionId": "s2", "updatedAt": NOW - 1},
    });
    store(&fixture, "eden", &entries.to_string());
    let lines = [
        json!({"type": "session", "version": 3, "id": "s1"}),
        json!({"type": "message", "id": "m0", "message": {"role": "user", "content": "다른 세션의 말",
            "provenance": {"kind": "inter_session", "sourceSessionKey": "agent:seum:main"}}}),
        json!({"type": "message", "id": "m1", "message": {"role": "user",
            "content": "[Sat 2026-11-21 11:38 GMT+9] 배포 열쇠는 sk-abcdefgh12345678 입니다"}}),
        json!({"type": "message", "id": "m2", "message": {"role": "assistant",
            "content": [{"type": "text", "text": format!("http://10.0.0.7/x 에 {}", "올렸습니다 ".repeat(60))}]}}),
        json!({"type": "message", "id": "m3", "message": {"role": "toolResult", "content": "geheim"}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(fixture.path("agents/eden/sessions/s1.jsonl"), text).expect("write");
    let plain = fixture.get("/api/v2/sessions-store").await.json();
    assert_eq!(plain["sessions"][0].get("lastMessagePreview"), None, "it was not asked for");
    let titled_answer = fixture.get("/api/v2/sessions-store?includeDerivedTitles=true&includeLastMessage=true").await;
    assert!(
        !titled_answer.text().contains("sk-abc") && !titled_answer.text().contains("10.0.0.7"),
        "{}",
        titled_answer.text()
    );
    let rows = titled_answer.json();
    assert_eq!(rows["sessions"][0]["derivedTitle"], "배포 열쇠는 [redacted-token] 입니다");
    let last = rows["sessions"][0]["lastMessagePreview"].as_str().expect("a last message");
    assert!(last.starts_with("[redacted-internal-url] 에 올렸습니다") && last.ends_with('…'), "{last}");
    assert_eq!(last.chars().count(), 240);
    assert_eq!(rows["sessions"][1]["derivedTitle"], "s2 (2026-02-21)", "without a transcript its id names it");
    assert_eq!(rows["sessions"][1].get("lastMessagePreview"), None);
    // The same transcript, looked into: keys are found in any case.
    let preview = fixture.get("/api/v2/sessions-store/agent%3AEDEN%3Amain/preview?limit=3&maxChars=30").await.json();
    assert_eq!((&preview["key"], &preview["status"]), (&json!("agent:eden:main"), &json!("ok")));
    let preview_items = preview["items"].as_array().expect("a list");
    let roles: Vec<&str> = preview_items.iter().filter_map(|item| item["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool"], "{preview}");
    assert!(!preview.to_string().contains("sk-abc") && !preview.to_string().contains("10.0.0.7"), "{preview}");
    let history = fixture.get("/api/v2/sessions-store/agent:eden:main/history").await.json();
    let roles: Vec<&str> =
        history["messages"].as_array().expect("a list").iter().filter_map(|it| it["role"].as_str()).collect();
    assert_eq!((roles, &history["complete"]), (vec!["user", "user", "assistant"], &json!(true)));
    let whole = fixture.get("/api/v2/sessions-store/agent:eden:main/history?includeTools=true&limit=1").await.json();
    assert_eq!(
        (&whole["messages"][0]["role"], whole["places"].as_array().map(Vec::len)),
        (&json!("toolResult"), Some(1))
    );
    // Page by page, each line by its name.
    let newest = fixture.get("/api/v2/sessions-store/agent:eden:main/history?limit=2").await.json();
    assert_eq!(newest["ids"], json!(["m2"]), "the result of the tool was looked at and is not asked for");
    let before = newest["earlier"].as_u64().expect("earlier messages");
    let older = fixture.get(&format!("/api/v2/sessions-store/agent:eden:main/history?before={before}")).await.json();
    assert_eq!((&older["ids"], older.get("earlier")), (&json!(["m0", "m1"]), None), "{older}");
    assert_eq!(history["ids"], json!(["m0", "m1", "m2"]));
    let none = fixture.get("/api/v2/sessions-store/agent:eden:direct:kim/history").await.json();
    assert_eq!((&none["status"], &none["messages"]), (&json!("missing"), &json!([])), "no transcript is no empty one");
    fs::create_dir(fixture.path("agents/eden/sessions/s2.jsonl")).expect("a folder");
    let odd = fixture.get("/api/v2/sessions-store/agent:eden:direct:kim/preview").await.json();
    assert_eq!(odd["status"], "error", "what cannot be read is said");
    for (route, status) in [
        ("agent:eden:nobody/history", 404),
        ("agent:eden:main/history?limit=0", 400),
        ("agent:eden:main/history?limit=1001", 400),
        ("agent:eden:main/history?includeTools=1", 400),
        ("agent:eden:main/history?before=-1", 400),
        ("agent:eden:main/history?before=99999999999999999", 400),
        ("agent:eden:main/preview?limit=51", 400),
        ("agent:eden:main/preview?foo=1", 400),
        ("agent:eden:main/other", 404),
    ] {
        assert_eq!(fixture.get(&format!("/api/v2/sessions-store/{route}")).await.status, status, "{route}");
    }
}

/// `messageLimit` counts as the tool does: results of tools count, and are left out.
#[tokio::test]
async fn message_limit_gives_last_messages_of_each_row() {
    let fixture = WebFixture::over("openclaw-2026.2/dot-openclaw", NOW).await;
    let captured = include_str!("../../../../../fixtures/openclaw-2026.2/captures/http-sessions_list-messages.json");
    let captured: Value = serde_json::from_str(captured).expect("JSON");
    let text = captured.pointer("/response/result/content/0/text").and_then(Value::as_str).expect("an answer");
    let theirs: Value = serde_json::from_str(text).expect("a list");
    let ours = fixture.get("/api/v2/sessions-store?messageLimit=2").await.json();
    let role_and_content = |row: &Value| -> Vec<(Value, Value)> {
        let messages = row["messages"].as_array().expect("messages").iter();
        messages.map(|one| (one["role"].clone(), one["content"].clone())).collect()
    };
    let mut compared = 0;
    for mine in ours["sessions"].as_array().expect("rows") {
        assert!(role_and_content(mine).len() <= 2, "{mine}");
        let same = |row: &&Value| row["key"] == mine["key"] && row["updatedAt"] == mine["updatedAt"];
        let Some(theirs) = theirs["sessions"].as_array().expect("rows").iter().find(same) else { continue };
        // Silent tokens are skipped here and included there.
        let silent =
            |content: &Value| ["_SKIP\"", "NO_REPLY\""].iter().any(|token| content.to_string().contains(token));
        let theirs: Vec<_> = role_and_content(theirs).into_iter().filter(|(_, content)| !silent(content)).collect();
        assert!(role_and_content(mine).ends_with(&theirs), "{}: {:?} {theirs:?}", mine["key"], role_and_content(mine));
        compared += theirs.len();
    }
    assert!(compared >= 10, "{compared}");
    let bare = fixture.get("/api/v2/sessions-store?messageLimit=0").await.json();
    assert!(bare["sessions"].as_array().expect("rows").iter().all(|row| row.get("messages").is_none()));
    for wrong in ["messageLimit=21", "messageLimit=-1", "messageLimit=all", "includeRouting=1"] {
        assert_eq!(fixture.get(&format!("/api/v2/sessions-store?{wrong}")).await.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn history_and_preview_accept_session_id() {
    for home in ["openclaw-2026.2/dot-openclaw", "openclaw-2026.9/dot-openclaw"] {
        let fixture = WebFixture::over(home, NOW).await;
        let list = fixture.get("/api/v2/sessions-store").await.json();
        for row in list["sessions"].as_array().expect("rows") {
            let (key, id) = (row["key"].as_str().expect("a key"), row["sessionId"].as_str().expect("an id"));
            for what in ["history", "preview"] {
                let of_key = fixture.get(&format!("/api/v2/sessions-store/{key}/{what}")).await.json();
                let of_id = fixture.get(&format!("/api/v2/sessions-store/{id}/{what}")).await.json();
                assert_eq!(of_key["key"], key);
                assert_eq!(of_id, of_key, "{home} {key}");
            }
        }
        let none = fixture.get("/api/v2/sessions-store/00000000-0000-4000-8000-000000000000/history").await;
        assert_eq!(none.status, 404);
    }
}

/// Addresses of people and paths of files want the right of a PATCH.
#[tokio::test]
async fn routing_needs_the_right_to_write() {
    let fixture = WebFixture::over("openclaw-2026.2/dot-openclaw", NOW).await;
    let path = "/api/v2/sessions-store?includeRouting=true";
    let refused = fixture.get(path).await;
    assert_eq!(refused.status, 401, "{}", refused.text());
    assert_eq!(refused.json()["code"], "unauthorized");
    let ask = |token: &str| {
        let request = super::ask("GET", path).header("x-task-monitor-token", token);
        request.body(axum::body::Body::empty()).expect("request")
    };
    assert_eq!(fixture.call(ask("wrong")).await.status, 401);
    let second_answer = fixture.call(ask(super::TOKEN)).await.json();
    let rows = second_answer["sessions"].as_array().expect("rows");
    let seum = rows.iter().find(|row| row["key"] == "agent:seum:main").expect("listed");
    assert_eq!(seum["deliveryContext"], json!({"channel": "webchat"}));
    assert_eq!(seum["origin"]["surface"], "webchat");
    let path = seum["transcriptPath"].as_str().expect("a path");
    assert!(path.ends_with("agents/seum/sessions/ced15cb3-0c27-491a-9032-7315fb490ada.jsonl"), "{path}");
    let bare = fixture.get("/api/v2/sessions-store").await.text();
    for field in ["deliveryContext", "transcriptPath", "\"origin\""] {
        assert!(!bare.contains(field), "{field}");
    }
}
