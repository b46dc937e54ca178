//! Tests of the parser of session keys (`contract/sessions.md` §1): each row of the contract's table, random texts and
//! keys, and the keys of two real OpenClaw homes (state folders).
//!
//! Proves (transcripts): Every form of session key is parsed as the contract's table says.

use coordination::session_key::{Classification, GroupWord, KeyForm, KeyRules, Release, RowKind, SessionKey, ToolKind};
use proptest::prelude::*;

fn rules() -> KeyRules {
    KeyRules { main_key: "main".to_owned(), default_agent: "ruda".to_owned(), ..KeyRules::default() }
}

fn key(text: &str) -> SessionKey {
    SessionKey::parse(text).expect("a key")
}

fn direct(channel: Option<&str>, account: Option<&str>, peer: &str) -> KeyForm {
    KeyForm::Direct { channel: channel.map(str::to_owned), account: account.map(str::to_owned), peer: peer.to_owned() }
}

fn group(channel: &str, word: GroupWord, id: &str) -> KeyForm {
    KeyForm::Group { channel: channel.to_owned(), word, id: id.to_owned() }
}

/// (key, agent, form, kind of the tool by the table with what 2026.9.6 showed, kind of the row, class).
type KeyTableRow = (&'static str, &'static str, KeyForm, ToolKind, RowKind, Option<Classification>);

#[rustfmt::skip]
fn table() -> Vec<KeyTableRow> {
    use Classification as C;
    use RowKind as R;
    use ToolKind as T;
    let text = str::to_owned;
    vec![
        ("agent:eden:main", "eden", KeyForm::Word(text("main")), T::Main, R::Direct, Some(C::Main)),
        ("main", "ruda", KeyForm::Word(text("main")), T::Main, R::Direct, Some(C::Main)),
        ("agent:eden:direct:kim", "eden", direct(None, None, "kim"), T::Other, R::Direct, None),
        ("agent:eden:discord:direct:120", "eden", direct(Some("discord"), None, "120"), T::Other, R::Direct, None),
        ("agent:eden:discord:work:direct:120", "eden", direct(Some("discord"), Some("work"), "120"), T::Other, R::Direct, None),
        ("agent:eden:discord:dm:120", "eden", direct(Some("discord"), None, "120"), T::Other, R::Direct, None),
        ("agent:eden:discord:work:dm:120", "eden", direct(Some("discord"), Some("work"), "120"), T::Other, R::Direct, None),
        ("agent:eden:dm:120", "eden", direct(None, None, "120"), T::Other, R::Direct, None),
        ("agent:eden:telegram:group:-100", "eden", group("telegram", GroupWord::Group, "-100"), T::Group, R::Group, None),
        ("agent:eden:discord:channel:42", "eden", group("discord", GroupWord::Channel, "42"), T::Group, R::Group, None),
        ("agent:eden:matrix:room:!a:example.org", "eden", group("matrix", GroupWord::Room, "!a:example.org"), T::Group, R::Group, None),
        ("agent:eden:discord:channel:42:thread:7", "eden", group("discord", GroupWord::Channel, "42"), T::Group, R::Group, None),
        ("agent:eden:telegram:group:-100:topic:5", "eden", group("telegram", GroupWord::Group, "-100"), T::Group, R::Group, None),
        ("agent:eden:a2a:conv-1", "eden", KeyForm::A2a(text("conv-1")), T::Other, R::Direct, None),
        ("agent:eden:subagent:u1", "eden", KeyForm::Subagent(text("u1")), T::Other, R::Direct, Some(C::Subagent)),
        ("agent:eden:subagent:u1:subagent:u2", "eden", KeyForm::Subagent(text("u2")), T::Other, R::Direct, Some(C::Subagent)),
        ("agent:ruda:cron:j1", "ruda", KeyForm::Cron(text("j1")), T::Cron, R::Direct, Some(C::Cron)),
        ("agent:ruda:cron:j1:run:r1", "ruda", KeyForm::CronRun { job: text("j1"), run: text("r1") }, T::Cron, R::Direct, None),
        ("cron:j1", "ruda", KeyForm::Cron(text("j1")), T::Cron, R::Direct, Some(C::Cron)),
        ("hook:u1", "ruda", KeyForm::Hook(text("u1")), T::Hook, R::Direct, None),
        ("agent:eden:hook:gmail:1", "eden", KeyForm::Hook(text("gmail:1")), T::Other, R::Direct, None),
        ("node-phone", "ruda", KeyForm::Node(text("phone")), T::Node, R::Direct, None),
        ("node:phone:1", "ruda", KeyForm::Node(text("phone:1")), T::Node, R::Direct, None),
        ("agent:eden:acp:codex:1", "eden", KeyForm::Acp(text("codex:1")), T::Other, R::Direct, None),
        ("agent:eden:dashboard:u1", "eden", KeyForm::Dashboard(text("u1")), T::Other, R::Direct, Some(C::Direct)),
        ("agent:ruda:task-hub", "ruda", KeyForm::Word(text("task-hub")), T::Other, R::Direct, Some(C::Custom)),
        ("agent:eden:explicit:mine", "eden", KeyForm::Explicit(text("mine")), T::Other, R::Direct, None),
        ("agent:eden:main:heartbeat", "eden", KeyForm::Heartbeat(text("main")), T::Other, R::Direct, None),
        ("discord:acc:guild-g1:channel-c1", "ruda",
            KeyForm::OldDiscord { account: text("acc"), guild: text("g1"), channel: text("c1") }, T::Other, R::Direct, None),
        ("global", "ruda", KeyForm::Global, T::Other, R::Global, None),
        ("unknown", "ruda", KeyForm::Unknown, T::Other, R::Unknown, None),
    ]
}

#[test]
fn contract_table_keys_are_parsed() {
    for (text, agent, form, tool, row, class) in table() {
        for written in [text.to_owned(), text.to_uppercase()] {
            let (read, rules) = (key(&written), rules());
            assert_eq!(read.agent(&rules), agent, "{written}");
            assert_eq!(read.tool_kind(&rules, Release::Database), tool, "{written}");
            assert_eq!(read.row_kind(), row, "{written}");
            assert_eq!(read.classification(&rules), class, "{written}");
            assert_eq!(read.canonical(&rules), key(text).canonical(&rules), "case makes no other key");
        }
        assert_eq!(*key(text).form(), form, "{text}");
        assert_eq!(key(text).to_string(), text);
    }
}

#[test]
fn older_tool_kind_of_main_and_job_sessions() {
    let kind = |text: &str| key(text).tool_kind(&rules(), Release::File);
    assert_eq!([kind("agent:eden:main"), kind("agent:ruda:cron:j")], [ToolKind::Other; 2]);
    assert_eq!([kind("main"), kind("cron:j")], [ToolKind::Main, ToolKind::Cron]);
    assert_eq!([kind("hook:u"), kind("node-x")], [ToolKind::Hook, ToolKind::Node]);
    assert_eq!(kind("agent:eden:discord:channel:42"), ToolKind::Group);
}

#[test]
fn main_key_and_default_agent_make_aliases() {
    let rules = KeyRules { main_key: "work".to_owned(), default_agent: "eden".to_owned(), ..KeyRules::default() };
    for text in ["main", "work", "Work", "agent:eden:main", "agent:Eden:WORK"] {
        assert!(key(text).is_main(&rules), "{text}");
        assert_eq!(key(text).canonical(&rules), "agent:eden:work", "{text}");
    }
    assert!(!key("work").is_main(&KeyRules::default()));
    assert_ne!(key("agent:seum:main").canonical(&rules), key("main").canonical(&rules));
}

#[test]
fn last_thread_marker_wins() {
    let read = key("agent:eden:discord:channel:42:thread:7:topic:9");
    let thread = read.thread().expect("a thread");
    assert_eq!((thread.id.as_str(), thread.topic), ("9", true));
    assert_eq!(thread.parent, "agent:eden:discord:channel:42:thread:7");
    assert_eq!(read.parent().as_deref(), Some("agent:eden:discord:channel:42:thread:7"));
    assert_eq!(key(&thread.parent).thread().map(|thread| thread.id.as_str()), Some("7"));
    for text in ["agent:eden:thread:7", "agent:eden:main:thread", "thread:7", "topic"] {
        assert_eq!(key(text).thread(), None, "{text}");
    }
    let of_main = key("agent:eden:main:thread:7");
    assert!(!of_main.is_main(&rules()), "a thread of the main session is not the main session");
    assert_eq!(of_main.classification(&rules()), None);
}

#[test]
fn depth_counts_what_the_text_nests() {
    let depth = |text: &str| key(text).depth();
    assert_eq!(depth("agent:a:main"), 0);
    assert_eq!(depth("agent:a:subagent:u1"), 1);
    assert_eq!(depth("agent:a:subagent:u1:subagent:u2"), 2);
    assert_eq!(depth("agent:a:subagent"), 0, "a word that a caller chose");
    assert_eq!(key("agent:a:subagent:u1:subagent:u2").parent().as_deref(), Some("agent:a:subagent:u1"));
    assert_eq!(key("agent:a:subagent:u1").parent(), None);
}

#[test]
fn only_run_keys_of_jobs_are_job_runs() {
    let runs: Vec<&str> = table().iter().filter(|(text, ..)| key(text).is_cron_run()).map(|(text, ..)| *text).collect();
    assert_eq!(runs, ["agent:ruda:cron:j1:run:r1"]);
}

#[test]
fn empty_parts_dropped_short_agent_key_is_word() {
    assert_eq!(key(" agent::Eden::main ").as_str(), "agent:Eden:main");
    assert_eq!(*key("agent:eden").form(), KeyForm::Word("agent:eden".to_owned()));
    assert_eq!(key("agent:eden").named_agent(), None);
    assert_eq!(SessionKey::parse(" : :"), None);
    assert_eq!(SessionKey::parse(""), None);
}

proptest! {
    /// Any text: no panic, and what was read is written so that it reads the same.
    #[test]
    fn parsed_key_round_trips(text in "\\PC{0,60}") {
        if let Some(read) = SessionKey::parse(&text) {
            prop_assert_eq!(SessionKey::parse(&read.to_string()), Some(read.clone()));
            prop_assert_eq!(key(&read.folded()).canonical(&rules()), read.canonical(&rules()));
        }
    }

    /// The words of the table in any order and case, with empty parts between.
    #[test]
    fn keys_of_known_words_keep_their_laws(parts in proptest::collection::vec(
        proptest::sample::select(vec!["agent", "Eden", "main", "MAIN", "subagent", "cron", "run", "a2a", "direct", "dm",
            "discord", "group", "channel", "room", "thread", "topic", "heartbeat", "hook", "node", "node-", "node-x",
            "guild-g", "channel-c", "global", "unknown", "explicit", "dashboard", "u1", "", "가", "İ"]), 0..9)) {
        let text = parts.join(":");
        if let Some(read) = SessionKey::parse(&text) {
            let rules = rules();
            prop_assert_eq!(SessionKey::parse(read.as_str()), Some(read.clone()));
            prop_assert_eq!(read.tool_kind(&rules, Release::Database) == ToolKind::Group, read.row_kind() == RowKind::Group);
            if let Some(parent) = read.parent() {
                prop_assert!(parent.len() < read.as_str().len());
                let above = key(&parent);
                prop_assert_eq!(above.named_agent(), read.named_agent());
            }
        } else {
            prop_assert!(parts.iter().all(|part| part.is_empty()));
        }
    }
}

/// The lists of both gateways: kind, class, main and background of every key that the two real homes have.
#[test]
fn real_home_keys_parse_like_gateway() {
    let mut seen = std::collections::BTreeSet::new();
    for home in ["openclaw-2026.2", "openclaw-2026.9"] {
        let path = format!("{}/../../fixtures/{home}/captures/ws-lists.json", env!("CARGO_MANIFEST_DIR"));
        let captured: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("a fixture")).expect("JSON");
        for frame in captured["frames"].as_array().expect("frames") {
            for row in frame["response"]["payload"]["sessions"].as_array().into_iter().flatten() {
                let Some(text) = row["key"].as_str() else { continue };
                let (read, rules) = (key(text), KeyRules::default());
                assert_eq!(row["kind"], serde_json::json!(read.row_kind()), "{text}");
                if row["classification"].is_string() {
                    let class = read.classification(&rules).expect("a class that was seen");
                    assert_eq!(row["classification"], serde_json::json!(class), "{text}");
                    assert_eq!(row["isMain"], read.is_main(&rules), "{text}");
                    assert_eq!(row["isBackground"], class.is_background(), "{text}");
                    assert_eq!(row["agentId"], read.agent(&rules), "{text}");
                }
                seen.insert(text.to_owned());
            }
        }
    }
    assert_eq!(seen.len(), 21, "{seen:?}");
}
