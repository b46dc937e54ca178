//! Tests of adding and removing hooks in Claude Code settings of every structure.
//!
//! Proves (claude-code): Settings of every shape get our hooks and lose them again, and keep everything else.

use proptest::prelude::*;
use serde_json::Map;

use coordination::schema::AgentProgram;

use super::super::events::{known, named};
use super::*;

const COMMAND: &str = "/opt/task-monitor hook --from claude-code --home /home/kim/.openclaw || true";

fn all() -> Vec<HookEvent> {
    known(Some("2.1.84".parse().expect("a version")))
}

fn two() -> Vec<HookEvent> {
    ["PreToolUse", "Stop"].map(|name| named(AgentProgram::ClaudeCode, name).expect("an event")).to_vec()
}

fn value(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).expect("JSON")
}

#[test]
fn empty_file_gets_only_our_hooks() {
    let written = install("", COMMAND, &two()).expect("installed");
    expect_test::expect![[r#"
        {
          "hooks": {
            "PreToolUse": [
              {
                "matcher": "*",
                "hooks": [
                  {
                    "type": "command",
                    "command": "/opt/task-monitor hook --from claude-code --home /home/kim/.openclaw || true",
                    "timeout": 5
                  }
                ]
              }
            ],
            "Stop": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "/opt/task-monitor hook --from claude-code --home /home/kim/.openclaw || true",
                    "timeout": 5
                  }
                ]
              }
            ]
          }
        }
    "#]]
    .assert_eq(&written);
    assert_eq!(uninstall(&written).expect("out"), "{}\n");
}

#[test]
fn neighbours_keep_every_byte_and_their_layout() {
    let before = "{\r\n\t\"permissions\" : {\"deny\":[ \"Bash(rm:*)\" ]},\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{ \"hooks\": [{\"type\":\"command\",\"command\":\"say done\"}] }\r\n\t\t]\r\n\t},\r\n\t\"model\": \"opus\"\r\n}";
    let after = install(before, "c hook --from claude-code", &two()).expect("installed");
    let expected = "{\r\n\t\"permissions\" : {\"deny\":[ \"Bash(rm:*)\" ]},\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{ \"hooks\": [{\"type\":\"command\",\"command\":\"say done\"}] },\r\n\t\t\t{\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t\"type\": \"command\",\r\n\t\t\t\t\t\t\"command\": \"c hook --from claude-code\",\r\n\t\t\t\t\t\t\"timeout\": 5\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t],\r\n\t\t\"PreToolUse\": [\r\n\t\t\t{\r\n\t\t\t\t\"matcher\": \"*\",\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t\"type\": \"command\",\r\n\t\t\t\t\t\t\"command\": \"c hook --from claude-code\",\r\n\t\t\t\t\t\t\"timeout\": 5\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t},\r\n\t\"model\": \"opus\"\r\n}";
    assert_eq!(after, expected);
    assert_eq!(uninstall(&after).expect("out"), before);
}

#[test]
fn uninstall_restores_text_byte_for_byte() {
    for before in [
        "{}",
        "{\"model\":\"opus\"}",
        "{ \"model\": \"opus\" }\n",
        "\u{feff}{\n    \"model\": \"opus\"\n}\n",
        "{\n\t\"env\": {},\n\n\t\"model\": \"opus\" }",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\n    ]\n  }\n}\n",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"\",\"hooks\":[{\"type\":\"http\",\"url\":\"http://x\"}]}]},\"a\":[1,2]}",
        "{\n  \"한글\": \"값\", \"n\": 1.0e5, \"big\": 12345678901234567890123,\n  \"hooks\": {\"Stop\": [ {\"hooks\":[]} ]}\n}",
        "{\n  \"hooks\": {\n    \"Later\": [],\n    \"Stop\": [{\"hooks\": [{\"type\": \"prompt\", \"prompt\": \"task-monitor hook\"}]}]\n  }\n}\n",
    ] {
        let after = install(before, COMMAND, &all()).expect(before);
        assert_ne!(after, before);
        assert_eq!(ours(&after).expect("ours").len(), all().len());
        assert_eq!(install(&after, COMMAND, &all()).expect("again"), after, "a second time changes nothing");
        assert_eq!(uninstall(&after).expect("out"), before);
        assert_eq!(uninstall(before).expect("out"), before, "what is not there is not taken out");
    }
}

#[test]
fn settings_without_room_for_hooks_are_refused() {
    for (text, reason) in [
        ("{\n  // mine\n  \"a\": 1\n}", "line 2 has a comment, which JSON does not allow"),
        ("{ /* mine */ }", "a comment"),
        ("{\"a\":1,}", "line 1 is not valid JSON"),
        ("{\"a\":", "not valid JSON"),
        ("nonsense", "not valid JSON"),
        ("{} {}", "not valid JSON"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ("{\"hooks\":[]}", "`hooks` is not an object"),
        ("{\"hooks\":{\"Stop\":{}}}", "`hooks.Stop` is not a list"),
        ("{\"hooks\":{},\"hooks\":{}}", "twice"),
        ("{\"hooks\":{\"Stop\":[],\"Stop\":[]}}", "`hooks.Stop` occurs twice"),
    ] {
        for error in [install(text, COMMAND, &two()).expect_err(text), uninstall(text).expect_err(text)] {
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}

#[test]
fn old_program_path_is_corrected_in_place() {
    let old = install("{\"a\": 1}", "/old/task-monitor hook", &all()).expect("installed");
    let new = install(&old, COMMAND, &all()).expect("again");
    assert_eq!(new, old.replace("/old/task-monitor hook", COMMAND));
    let fewer = install(&new, COMMAND, &two()).expect("fewer");
    assert_eq!(fewer, install("{\"a\": 1}", COMMAND, &two()).expect("installed"), "events that are not known go");
    let doubled = r#"{"hooks":{"Stop":[{"hooks":[{"command":"task-monitor hook"},{"command":"x"},{"command":"task-monitor hook"}]}]}}"#;
    let stop = [named(AgentProgram::ClaudeCode, "Stop").expect("an event")];
    let once = value(&install(doubled, COMMAND, &stop).expect("installed"));
    assert_eq!(once["hooks"]["Stop"][0]["hooks"], json!([{"command": "x"}]));
    assert_eq!(once["hooks"]["Stop"][1]["hooks"][0]["command"], COMMAND);
}

#[test]
fn hooks_that_are_switched_off_are_noticed() {
    assert!(switched_off("\u{feff}{\"disableAllHooks\": true}"));
    assert!(!switched_off("{\"disableAllHooks\": false}") && !switched_off("{}") && !switched_off(""));
}

/// Settings as people and programs write them, with hooks of others in them.
fn settings() -> impl Strategy<Value = Value> {
    let handler = prop_oneof![
        "[a-z]{1,4} [a-z]{1,4}".prop_map(|command| json!({"type": "command", "command": command})),
        Just(json!({"type": "http", "url": "http://127.0.0.1:1"})),
    ];
    let group =
        (prop::option::of("[A-Z|*]{0,3}"), prop::collection::vec(handler, 1..3)).prop_map(|(matcher, hooks)| {
            let mut group = Map::new();
            group.extend(matcher.map(|matcher| ("matcher".to_owned(), Value::from(matcher))));
            group.insert("hooks".to_owned(), Value::from(hooks));
            Value::Object(group)
        });
    let names = prop::sample::select(vec!["PreToolUse", "Stop", "Notification", "Later", "TaskCreated"]);
    let hooks =
        prop::collection::btree_map(names, prop::collection::vec(group, 1..3), 1..4).prop_map(|events| json!(events));
    let others = prop::collection::btree_map("[a-g가-힣\"]{1,3}", any::<Option<u8>>(), 0..4);
    (others, prop::option::of(hooks), any::<bool>()).prop_map(|(others, hooks, first)| {
        let mut members: Vec<(String, Value)> = others.into_iter().map(|(name, value)| (name, json!(value))).collect();
        if let Some(hooks) = hooks {
            let at = if first { 0 } else { members.len() };
            members.insert(at, ("hooks".to_owned(), hooks));
        }
        Value::Object(members.into_iter().collect())
    })
}

/// Long under `make soak`.
fn draws() -> ProptestConfig {
    let cases = if std::env::var_os("TASK_HUB_SOAK").is_some() { 20_000 } else { 64 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(draws())]
    #[test]
    fn install_then_uninstall_restores_text(value in settings(), layout in 0..4_u8, bom: bool, ends: bool) {
        let text = match layout {
            0 => value.to_string(),
            1 => serde_json::to_string_pretty(&value).expect("text"),
            2 => serde_json::to_string_pretty(&value).expect("text").replace("  ", "\t"),
            _ => serde_json::to_string_pretty(&value).expect("text").replace('\n', "\r\n"),
        };
        let before = format!("{}{text}{}", if bom { "\u{feff}" } else { "" }, if ends { "\n" } else { "" });
        let after = install(&before, COMMAND, &all()).expect("installed");
        // Nothing else is touched: without our groups the value is the old one.
        let mut rest = super::tests::value(&after);
        prop_assert_eq!(ours(&after).expect("ours").len(), all().len());
        for groups in rest["hooks"].as_object_mut().expect("hooks").values_mut() {
            groups.as_array_mut().expect("groups").retain(|group| group["hooks"][0]["command"] != COMMAND);
        }
        let hooks = rest["hooks"].as_object_mut().expect("hooks");
        hooks.retain(|_, groups| groups.as_array().is_some_and(|groups| !groups.is_empty()));
        if hooks.is_empty() {
            rest.as_object_mut().expect("settings").shift_remove("hooks");
        }
        prop_assert_eq!(rest, value);
        prop_assert_eq!(install(&after, COMMAND, &all()).expect("again"), after.clone());
        prop_assert_eq!(uninstall(&after).expect("out"), before);
    }
}
