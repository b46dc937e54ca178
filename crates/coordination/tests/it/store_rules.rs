//! Tests of the list of stored sessions: values of a row, such as channel, model, delivery addresses and send policy.
//! The values follow from OpenClaw's session store and configuration by the rules of `contract/sessions.md` §1 and §6.
//! Some tests compare with recorded answers of OpenClaw.
//!
//! Proves (transcripts): Channel, model, defaults, addresses and scope of stored sessions follow the contract, and
//! equal OpenClaw's answers where such were recorded.

use std::path::PathBuf;

use coordination::api::{ArchiveQuery, ModelSource, StoreQuery, StoreRow};
use coordination::roster::{PolicySource, Roster, SendPolicy, Visibility};
use coordination::session_key::{KeyRules, SessionKey, ToolKind};
use coordination::store::{
    ArchiveCause, ArchiveReason, ArchivedTranscript, Release, SessionEntry, StoreSnapshot, StoredSession, archives,
    list, read_file_store, read_runs, row,
};
use serde_json::{Value, json};

fn fixture(below: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(below);
    std::fs::read_to_string(path).expect("a fixture")
}

fn configured(text: &str) -> Roster {
    Roster::parse(text, &mut |_| Err("none".to_owned())).expect("a good configuration")
}

fn stored(key: &str, value: Value, roster: &Roster) -> StoredSession {
    let entry = SessionEntry::read(value).expect("an object");
    StoredSession::new(SessionKey::parse(key).expect("a key"), entry, Release::File, &roster.key_rules())
}

/// The home that 2026.2.26 wrote, under its own configuration.
fn real() -> (StoreSnapshot, Roster) {
    let roster = configured(&fixture("openclaw-2026.2/dot-openclaw/openclaw.json"));
    let sessions = roster.agents.iter().flat_map(|agent| {
        let rules = KeyRules { default_agent: agent.id.to_string(), ..roster.key_rules() };
        let store = fixture(&format!("openclaw-2026.2/dot-openclaw/agents/{}/sessions/sessions.json", agent.id));
        read_file_store(&store, &rules).expect("a good store").0
    });
    (StoreSnapshot { sessions: StoreSnapshot::once(sessions), ..StoreSnapshot::default() }, roster)
}

fn rows(all: &StoreSnapshot, roster: &Roster, query: &StoreQuery) -> Vec<StoreRow> {
    list(all, roster, query, 0, &mut ()).sessions
}

#[test]
fn channel_follows_kind_entry_delivery_key() {
    let roster = Roster::default();
    for (key, entry, channel) in [
        ("cron:j", json!({"channel": "discord"}), "internal"),
        ("agent:a:cron:j", json!({}), "internal"),
        ("hook:1", json!({}), "internal"),
        ("node-7", json!({}), "internal"),
        ("agent:a:main", json!({"channel": "discord", "lastChannel": "slack"}), "discord"),
        ("agent:a:main", json!({"lastChannel": "slack"}), "slack"),
        ("agent:a:telegram:direct:kim", json!({}), "telegram"),
        ("agent:a:main", json!({}), "unknown"),
    ] {
        assert_eq!(row(&stored(key, entry, &roster), &roster).channel.as_deref(), Some(channel), "{key}");
    }
}

/// What `sessions_list` answered. OpenClaw 2026.2.26 calls the kind of an agent's job `other`, so it has no channel.
#[test]
fn channel_equals_captured_tool_answers() {
    let (all, roster) = real();
    let ours = rows(&all, &roster, &StoreQuery::default());
    let captured: Value =
        serde_json::from_str(&fixture("openclaw-2026.2/captures/http-sessions_list-kinds.json")).unwrap();
    let text = captured.pointer("/response/result/content/0/text").and_then(Value::as_str).unwrap();
    let theirs: Value = serde_json::from_str(text).unwrap();
    let mut compared = 0;
    for theirs in theirs["sessions"].as_array().unwrap() {
        let Some(mine) = ours.iter().find(|mine| theirs["key"] == *mine.key) else { continue };
        if mine.tool_kind == Some(ToolKind::Cron) {
            assert_eq!(mine.channel.as_deref(), Some("internal"));
            continue;
        }
        assert_eq!(theirs["channel"], mine.channel.clone().unwrap(), "{}", mine.key);
        compared += 1;
    }
    assert_eq!(compared, 7);
}

#[test]
fn model_order_is_run_override_agent_default() {
    let roster = configured(
        r#"{agents: {defaults: {model: {primary: "studio/studio-1"}}, list: [
            {id: "eden", model: "openrouter/vendor/big"}, {id: "seum", model: {primary: "small"}}, {id: "ruda"}]}}"#,
    );
    let all = json!({"model": "m", "modelProvider": "p", "modelOverride": "o", "providerOverride": "q"});
    for (key, entry, provider, model, source) in [
        ("agent:eden:main", all, Some("p"), "m", ModelSource::Session),
        (
            "agent:eden:main",
            json!({"modelOverride": "o", "providerOverride": "q"}),
            Some("q"),
            "o",
            ModelSource::Override,
        ),
        ("agent:eden:main", json!({"modelOverride": "q/o"}), Some("q"), "o", ModelSource::Override),
        ("agent:eden:main", json!({}), Some("openrouter"), "vendor/big", ModelSource::Agent),
        ("agent:seum:main", json!({}), None, "small", ModelSource::Agent),
        ("agent:ruda:main", json!({"model": " "}), Some("studio"), "studio-1", ModelSource::Default),
    ] {
        let row = row(&stored(key, entry, &roster), &roster);
        assert_eq!(
            (row.model_provider.as_deref(), row.model.as_deref(), row.model_source),
            (provider, Some(model), Some(source)),
            "{key}"
        );
    }
    let none = Roster::default();
    let row = row(&stored("agent:eden:main", json!({}), &none), &none);
    assert_eq!((row.model, row.model_source), (None, None));
}

/// What `sessions.list` of both programs answered beside the rows.
#[test]
fn defaults_and_path_equal_captured_answers() {
    for release in ["2026.2", "2026.9"] {
        let roster = configured(&fixture(&format!("openclaw-{release}/dot-openclaw/openclaw.json")));
        let captured: Value =
            serde_json::from_str(&fixture(&format!("openclaw-{release}/captures/ws-lists.json"))).unwrap();
        let frames = captured["frames"].as_array().unwrap();
        let frame = frames.iter().find(|frame| frame["method"] == "sessions.list").unwrap();
        let theirs = &frame["response"]["payload"];
        let ours =
            serde_json::to_value(list(&StoreSnapshot::default(), &roster, &StoreQuery::default(), 0, &mut ())).unwrap();
        assert_eq!(ours["path"], theirs["path"], "{release}");
        for name in ["modelProvider", "model", "contextTokens"] {
            assert_eq!(ours["defaults"][name], theirs["defaults"][name], "{release}: {name}");
        }
    }
    let listed = |text: &str| {
        let answer = list(&StoreSnapshot::default(), &configured(text), &StoreQuery::default(), 0, &mut ());
        serde_json::to_value(answer).unwrap()
    };
    assert_eq!(listed("{session: {store: \"/srv/all.json\"}}")["path"], "/srv/all.json");
    assert_eq!(listed("{session: {store: \"~/s/{agentId}.json\"}}")["path"], "(multiple)");
    assert_eq!(listed("{}")["defaults"], json!({"modelProvider": null, "model": null, "contextTokens": null}));
    let set = "{agents: {defaults: {contextTokens: 64000, model: \"p/m\"}}}";
    assert_eq!(listed(set)["defaults"], json!({"modelProvider": "p", "model": "m", "contextTokens": 64000}));
}

#[test]
fn addresses_are_included_on_request_only() {
    let (all, roster) = real();
    let captured: Value = serde_json::from_str(&fixture("openclaw-2026.2/captures/ws-lists.json")).unwrap();
    let frames = captured["frames"].as_array().unwrap();
    let frame = frames.iter().find(|frame| frame["method"] == "sessions.list").unwrap();
    let theirs = frame["response"]["payload"]["sessions"].as_array().unwrap();
    let with = StoreQuery { include_routing: true, ..StoreQuery::default() };
    let (with, without) = (rows(&all, &roster, &with), rows(&all, &roster, &StoreQuery::default()));
    let mut compared = 0;
    for (mine, bare) in with.iter().zip(&without) {
        let Some(theirs) = theirs.iter().find(|theirs| theirs["key"] == *mine.key) else { continue };
        let (mine, bare) = (serde_json::to_value(mine).unwrap(), serde_json::to_value(bare).unwrap());
        for name in ["lastTo", "lastAccountId", "deliveryContext", "origin"] {
            assert_eq!(bare.get(name), None, "{name}");
            if mine["key"] != "agent:ruda:main" {
                assert_eq!(mine.get(name), theirs.get(name), "{name} of {}", mine["key"]);
                compared += usize::from(mine.get(name).is_some());
            }
        }
    }
    assert!(compared >= 10, "{compared}");
    let full = stored(
        "agent:eden:main",
        json!({"updatedAt": 1, "lastTo": "user:1", "lastAccountId": "a", "deliveryContext": {"to": "user:1",
            "threadId": 7, "secret": "x"}, "origin": {"from": "kim", "secret": "x"}}),
        &roster,
    );
    let all = StoreSnapshot { sessions: vec![full], ..StoreSnapshot::default() };
    let query = StoreQuery { include_routing: true, ..StoreQuery::default() };
    let row = serde_json::to_value(&rows(&all, &roster, &query)[0]).unwrap();
    assert_eq!((&row["lastTo"], &row["lastAccountId"]), (&json!("user:1"), &json!("a")));
    assert_eq!(row["deliveryContext"], json!({"to": "user:1", "threadId": "7"}), "and no field that nobody named");
    assert_eq!(row["origin"], json!({"from": "kim"}));
}

/// With `session.scope = "global"`, `main` means the global key.
#[test]
fn global_scope_makes_global_the_main_session() {
    let text = |scope: &str| format!("{{session: {{scope: \"{scope}\"}}, agents: {{list: [{{id: \"ruda\"}}]}}}}");
    for (scope, shown) in [("global", true), ("per-sender", false)] {
        let roster = configured(&text(scope));
        let all = StoreSnapshot {
            sessions: vec![stored("global", json!({"sessionId": "g1", "updatedAt": 1}), &roster)],
            ..StoreSnapshot::default()
        };
        let rows = rows(&all, &roster, &StoreQuery::default());
        assert_eq!(rows.len(), usize::from(shown), "{scope}: the reserved key is hidden unless asked for");
        if let Some(row) = rows.first() {
            assert_eq!((row.tool_kind, row.is_main, row.key.as_str()), (Some(ToolKind::Main), true, "global"));
        }
        for written in ["main", "agent:ruda:main", "MAIN"] {
            assert_eq!(all.find(written, &roster.key_rules()).is_some(), shown, "{scope}: {written}");
        }
        assert!(all.find("global", &roster.key_rules()).is_some());
        assert!(all.find("agent:ruda:other", &roster.key_rules()).is_none());
    }
    // A session from before the scope was changed stays within reach by its own key.
    let roster = configured(&text("global"));
    let all = StoreSnapshot {
        sessions: vec![
            stored("agent:ruda:main", json!({"sessionId": "old"}), &roster),
            stored("global", json!({"sessionId": "g1"}), &roster),
        ],
        ..StoreSnapshot::default()
    };
    let id = |written: &str| all.find(written, &roster.key_rules()).and_then(|one| one.entry.session_id());
    assert_eq!((id("main"), id("agent:ruda:main")), (Some("g1"), Some("old")));
}

#[test]
fn sessions_are_found_by_key_and_by_id() {
    let (all, roster) = real();
    for session in &all.sessions {
        let id = session.entry.session_id().expect("every recorded session has one");
        let found = all.find(id, &roster.key_rules()).expect("found by its id");
        assert_eq!(found.entry.session_id(), Some(id));
        assert!(!found.key.is_cron_run(), "a run has the id of its job's session: {}", session.key);
    }
    assert!(all.find("00000000-0000-4000-8000-000000000000", &roster.key_rules()).is_none());
}

#[test]
fn send_policy_order_is_entry_rules_default() {
    let roster = configured(
        r#"{session: {sendPolicy: {default: "allow", rules: [
            {action: "deny", match: {channel: "Discord", chatType: "group"}},
            {action: "deny", match: {keyPrefix: "cron:"}},
            {action: "deny", match: {rawKeyPrefix: "agent:eden:telegram:"}},
            {action: "allow", match: {chatType: "dm"}}]}}}"#,
    );
    let (allow, deny) = (SendPolicy::Allow, SendPolicy::Deny);
    for (key, entry, policy, source) in [
        ("agent:a:main", json!({"sendPolicy": "deny"}), deny, PolicySource::Session),
        ("agent:a:cron:j", json!({"sendPolicy": "allow"}), allow, PolicySource::Session),
        ("agent:a:discord:group:dev", json!({}), deny, PolicySource::Rule),
        ("agent:a:discord:channel:dev", json!({}), allow, PolicySource::Default),
        ("agent:a:x", json!({"channel": "discord", "chatType": "group"}), deny, PolicySource::Rule),
        ("agent:a:x", json!({"lastChannel": "discord", "chatType": "direct"}), allow, PolicySource::Rule),
        ("agent:a:cron:j", json!({}), deny, PolicySource::Rule),
        ("agent:Eden:telegram:direct:kim", json!({}), deny, PolicySource::Rule),
        ("agent:a:main", json!({"sendPolicy": "sometimes"}), allow, PolicySource::Default),
    ] {
        let row = row(&stored(key, entry, &roster), &roster);
        assert_eq!((row.effective_send_policy, row.send_policy_source), (Some(policy), Some(source)), "{key}");
    }
    let shut = configured(r#"{session: {sendPolicy: {default: "deny"}}}"#);
    let row = row(&stored("agent:a:main", json!({}), &shut), &shut);
    assert_eq!((row.effective_send_policy, row.send_policy_source), (Some(deny), Some(PolicySource::Default)));
}

/// `tools.sessions.visibility`: `tree` by default in the file era, `all` in the database era.
#[test]
fn visibility_has_the_default_of_its_release() {
    let visibility_of = |text: &str, release| configured(text).sessions.visibility(release);
    assert_eq!(visibility_of("{}", Release::File), Visibility::Tree);
    assert_eq!(visibility_of("{}", Release::Database), Visibility::All);
    for (word, visibility) in
        [("self", Visibility::Own), ("agent", Visibility::Agent), ("all", Visibility::All), ("x", Visibility::Unknown)]
    {
        let text = format!("{{tools: {{sessions: {{visibility: \"{word}\"}}}}}}");
        assert_eq!(visibility_of(&text, Release::File), visibility, "{word}");
    }
    let (all, roster) = real();
    assert_eq!(row(&all.sessions[0], &roster).tools_visibility, Some(Visibility::All), "as its configuration says");
}

/// Recorded runs (`subagents/runs.json`) keep their sessions for 600 minutes.
#[test]
fn archive_cause_comes_from_the_run() {
    let spawns = read_runs(&fixture("openclaw-2026.2/dot-openclaw/subagents/runs.json")).expect("runs");
    let run = spawns.iter().find(|run| run.label.as_deref() == Some("docs-fix")).expect("recorded").clone();
    let due = run.archive_at.expect("recorded");
    let deleted = |at: i64| ArchivedTranscript {
        agent_id: "worker-quick".into(),
        session_id: "d57bf91a-b358-4e79-875d-e89fa1380a65".to_owned(),
        key: Some(run.child.clone()),
        reason: ArchiveReason::Deleted,
        name: String::new(),
        ended_at: Some(at),
        word: None,
    };
    let cause = |archive: ArchivedTranscript, spawns| {
        let all = StoreSnapshot { archives: vec![archive], spawns, ..StoreSnapshot::default() };
        archives(&all, &ArchiveQuery::default(), 0).archives[0].cause.clone()
    };
    assert_eq!(cause(deleted(due), spawns.clone()), Some(ArchiveCause::AfterMinutes { minutes: 600 }));
    assert_eq!(cause(deleted(due - 1), spawns.clone()), None, "before its time somebody deleted it");
    let mut removed = run.clone();
    (removed.cleanup, removed.archive_at) = (Some("delete".to_owned()), None);
    assert_eq!(cause(deleted(due), vec![removed.clone()]), Some(ArchiveCause::Cleanup));
    assert_eq!(cause(ArchivedTranscript { reason: ArchiveReason::Reset, ..deleted(due) }, vec![removed]), None);
    let word = ArchivedTranscript { reason: ArchiveReason::Earlier, word: Some("idle".to_owned()), ..deleted(due) };
    assert_eq!(cause(word, spawns), Some(ArchiveCause::Word { word: "idle".to_owned() }));
}
