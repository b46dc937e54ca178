//! Sessions of OpenClaw's own stores over REST v2.

use std::fs;

use coordination::api::StoreList;
use serde_json::json;

use super::{Bench, NOW};

fn store(bench: &Bench, agent: &str, text: &str) {
    let path = bench.path(&format!("agents/{agent}/sessions/sessions.json"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, text).expect("write");
}

#[tokio::test]
async fn stored_sessions_are_listed_filtered_and_never_with_their_secrets() {
    let bench = Bench::new().await;
    let none = bench.get("/api/v2/sessions-store").await.json();
    assert_eq!((&none["count"], &none["places"]), (&json!(0), &json!([])), "nothing is there, and nothing unreadable");
    let entries = json!({
        "agent:eden:main": {"sessionId": "s1", "updatedAt": NOW - 60_000, "label": "배포", "lastTo": "geheim-4711"},
        "agent:eden:discord:channel:42": {"sessionId": "s2", "updatedAt": NOW - 7_200_000, "authProfileOverride": "geheim-4711"},
        "agent:eden:cron:j:run:r": {"updatedAt": NOW},
    });
    store(&bench, "eden", &entries.to_string());
    store(&bench, "seum", "{\"agent:seum:main\": ");
    let answer = bench.get("/api/v2/sessions-store").await;
    assert!(!answer.text().contains("geheim"), "{}", answer.text());
    let list: StoreList = serde_json::from_slice(&answer.body).expect("a list");
    let keys: Vec<&str> = list.sessions.iter().map(|row| row.key.as_str()).collect();
    assert_eq!((keys, list.ts), (vec!["agent:eden:main", "agent:eden:discord:channel:42"], NOW));
    let told = answer.json();
    assert_eq!(told["places"][0]["standing"]["state"], "read");
    assert_eq!(told["places"][1]["standing"]["state"], "unreadable", "half a store is no empty store");
    for (asked, count, total) in [
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
        let told = bench.get(&format!("/api/v2/sessions-store?{asked}")).await.json();
        assert_eq!((&told["count"], &told["totalCount"]), (&json!(count), &json!(total)), "{asked}");
    }
    let titled = bench.get("/api/v2/sessions-store?includeDerivedTitles=true&limit=1").await.json();
    assert_eq!(titled["sessions"][0]["derivedTitle"], "s1 (2026-02-21)");
    for wrong in ["kinds=all", "limit=0", "activeMinutes=0", "archived=1", "foo=1", "limit=1&limit=2"] {
        assert_eq!(bench.get(&format!("/api/v2/sessions-store?{wrong}")).await.status, 400, "{wrong}");
    }
    store(&bench, "seum", "{\"agent:seum:main\": {\"updatedAt\": 1}}");
    assert_eq!(bench.get("/api/v2/sessions-store?agent=seum").await.json()["count"], 1, "a change is seen at once");
}
