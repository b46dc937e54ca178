//! Tests of the roster parser, which reads agents and session settings from `openclaw.json` (`contract/workspace.md`
//! §2): agent lists and maps, included files, and broken configurations.
//!
//! Proves (log): Agents of `openclaw.json` are read from a list, a map or the legacy map, and from included files.

use coordination::roster::Roster;

fn parse(text: &str) -> Roster {
    Roster::parse(text, &mut |path| Err(format!("no {path}"))).expect("a good configuration")
}

fn ids(roster: &Roster) -> Vec<&str> {
    roster.agents.iter().map(|agent| agent.id.as_str()).collect()
}

const JSON5: &str = r#"{
  // 협업 에이전트
  agents: {
    defaults: { workspace: "~/.openclaw/workspace" },
    list: [
      { id: "ruda", default: true, identity: { name: "루다", emoji: "🦞" }, subagents: { allowAgents: ["worker-quick"] } },
      { id: "eden", identity: { name: "이든", emoji: "💻", avatar: "avatars/eden.png" } },
      { id: "seum", name: "세움", identity: { emoji: "🏗️", theme: "인프라" }, },
      { id: "worker-quick", workspace: '~/.openclaw/workspace-worker-quick' },
    ],
  },
  session: { mainKey: "main", agentToAgent: { maxPingPongTurns: 5 } },
}"#;

#[test]
fn json5_agent_list_is_read() {
    let roster = parse(JSON5);
    assert_eq!(ids(&roster), ["ruda", "eden", "seum", "worker-quick"]);
    let ruda = roster.agent("ruda").expect("listed");
    assert!(ruda.default && ruda.configured && ruda.main && !ruda.worker);
    assert_eq!(ruda.workspace.as_deref(), Some("~/.openclaw/workspace"));
    assert_eq!((ruda.name.as_deref(), ruda.emoji.as_deref()), (Some("루다"), Some("🦞")));
    assert_eq!(roster.agent("seum").expect("listed").name.as_deref(), Some("세움"));
    assert_eq!(roster.agent("seum").expect("listed").theme.as_deref(), Some("인프라"));
    assert_eq!(roster.agent("eden").expect("listed").avatar.as_deref(), Some("avatars/eden.png"));
    let worker = roster.agent("worker-quick").expect("listed");
    assert!(worker.worker && worker.main, "a worker counts as main in roles, as the original 1.x monitor does");
    assert_eq!(worker.workspace.as_deref(), Some("~/.openclaw/workspace-worker-quick"));
}

#[test]
fn legacy_map_names_agents_by_key_or_id() {
    let roster = parse(r#"{"agents":{"defaults":{},"eden":{"model":"x"},"seum":{"id":"seum-infra"},"none":{}}}"#);
    assert_eq!(ids(&roster), ["eden", "seum-infra"]);
    assert!(roster.agent("eden").expect("listed").default, "without a mark the first is the default");
}

#[test]
fn map_and_list_forms_merge_by_id() {
    let roster = parse(
        r#"{agents: {ownership: "explicit", defaults: {systemAgent: {agentId: "seum"}},
            list: [{id: "Eden"}, {id: "dajim"}], entries: {seum: {name: "세움"}, eden: {identity: {name: "이든"}}}}}"#,
    );
    assert_eq!(ids(&roster), ["seum", "eden", "dajim"]);
    assert!(roster.agent("seum").expect("listed").default);
    assert_eq!(roster.agent("eden").expect("listed").name.as_deref(), Some("이든"));
}

#[test]
fn includes_are_relative_and_merged() {
    let mut requested = Vec::new();
    let roster = Roster::parse(
        r#"{agents: {$include: ["./parts/a.json5", "b.json5"], defaults: {workspace: "/w"}}}"#,
        &mut |path| {
            requested.push(path.to_owned());
            match path {
                "parts/a.json5" => Ok("{list: {$include: './list.json5'}}".to_owned()),
                "parts/list.json5" => Ok("[{id: 'eden'}]".to_owned()),
                "b.json5" => Ok("{list: [{id: 'seum'}]}".to_owned()),
                _ => Err("no such file".to_owned()),
            }
        },
    )
    .expect("all parts are there");
    assert_eq!(requested, ["parts/a.json5", "parts/list.json5", "b.json5"]);
    assert_eq!(ids(&roster), ["eden", "seum"]);
    assert_eq!(roster.agents[0].workspace.as_deref(), Some("/w"));
}

#[test]
fn broken_configuration_gives_one_sentence_error() {
    let fail = |text: &str| {
        let mut include = |_: &str| Ok(text.to_owned());
        Roster::parse(text, &mut include).expect_err("cannot be read")
    };
    for text in ["", "{agents: ", "[]", "{$include: 3}", "{a: {$include: 'x'}}"] {
        let error = fail(text);
        assert!(!error.is_empty() && !error.contains('\n'), "{text:?}: {error:?}");
    }
    assert!(fail(&"[".repeat(100_000)).contains("too deep"));
    let missing = Roster::parse("{$include: 'gone.json5'}", &mut |_| Err("no such file".to_owned()));
    assert_eq!(missing.expect_err("a part is missing"), "gone.json5: no such file");
}

#[test]
fn repeated_includes_terminate() {
    let mut read = 0;
    let ten = |next: usize| format!("{{$include: [{}]}}", vec![format!("'f{next}.json'"); 10].join(","));
    let error = Roster::parse(&ten(0), &mut |path| {
        read += 1;
        let number: usize = path.trim_start_matches('f').trim_end_matches(".json").parse().expect("a number");
        Ok(if number < 9 { ten(number + 1) } else { "{}".to_owned() })
    });
    assert!(error.expect_err("too many").contains("more than 100 files"));
    assert!(read <= 100, "{read}");
    let large = format!("{{a: '{}'}}", "x".repeat(3 << 20));
    let error = Roster::parse("{$include: ['a','b','c']}", &mut |_| Ok(large.clone()));
    assert!(error.expect_err("too large").contains("more than 8 MiB"));
}

#[test]
fn main_and_ruda_are_main_without_any_configuration() {
    let roster = Roster::default();
    assert!(roster.is_main("main") && roster.is_main(" Ruda "));
    assert!(!roster.is_main("eden") && !roster.is_main("unknown"));
    assert!(parse(JSON5).is_main("EDEN"));
}

#[test]
fn folder_without_configuration_is_unconfigured_agent() {
    let mut roster = parse("{agents: {list: [{id: 'eden'}]}}");
    roster.with_directories(&["eden".into(), "ghost".into()]);
    assert_eq!(ids(&roster), ["eden", "ghost"]);
    assert!(!roster.agents[1].configured && !roster.is_main("ghost"));
}

#[test]
fn identity_md_ranks_between_configuration_and_name() {
    let mut roster =
        parse("{agents: {list: [{id: 'a', identity: {name: 'A!'}}, {id: 'b', name: 'b-name'}, {id: 'c'}]}}");
    let card = "# IDENTITY\n\n- **Name:** 이든\n- **Emoji:** 💻\n- **Vibe:** calm\n- **Theme:** 개발\n";
    roster.set_identity("a", card);
    roster.set_identity("b", card);
    roster.set_identity(
        "c",
        "- **Name:**\n  _(pick something you like)_\n- **Emoji:** *(your signature)*\nName: (later)\n",
    );
    assert_eq!(roster.agents[0].name.as_deref(), Some("A!"));
    assert_eq!(roster.agents[0].emoji.as_deref(), Some("💻"));
    assert_eq!(roster.agents[1].name.as_deref(), Some("이든"));
    assert_eq!(roster.agents[1].theme.as_deref(), Some("개발"));
    assert_eq!((roster.agents[2].name.as_deref(), roster.agents[2].emoji.as_deref()), (None, None));
}

#[test]
fn session_key_and_store_settings_are_read() {
    let roster = parse(
        r#"{session: {mainKey: " Work ", store: "~/.openclaw/s/{agentId}.json"},
            agents: {list: [{id: "eden"}, {id: "ruda", default: true, agentDir: "~/elsewhere/ruda"}]}}"#,
    );
    let rules = roster.key_rules();
    assert_eq!((rules.main_key.as_str(), rules.default_agent.as_str()), ("work", "ruda"));
    assert_eq!(roster.session_store.as_deref(), Some("~/.openclaw/s/{agentId}.json"));
    assert_eq!(roster.agent("ruda").expect("listed").agent_dir.as_deref(), Some("~/elsewhere/ruda"));
    let bare = parse(r#"{session: {store: "/x.json"}}"#);
    assert_eq!(bare.session_store.as_deref(), Some("/x.json"), "without agents too");
    let rules = bare.key_rules();
    assert_eq!((rules.main_key.as_str(), rules.default_agent.as_str()), ("main", "main"));
}
