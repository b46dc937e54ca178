//! Tests of the settings: precedence of flags, environment and file, and values that are refused.

use super::*;

fn join_with(args: &ServeArgs, toml: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<Settings, ConfigError> {
    let layers = Layers::over(toml::from_str(toml).expect("toml"), None, args, env)?;
    Settings::from_layers(&layers, args, env)
}

fn join(args: &ServeArgs, toml: &str) -> Result<Settings, ConfigError> {
    join_with(args, toml, &|_| None)
}

#[test]
fn every_setting_is_accepted_from_flag_environment_and_file() {
    let example = |setting: &table::SettingSpec| match (setting.key, setting.kind) {
        (_, table::ValueKind::Word(words)) => words[0],
        ("discord_users", _) => "123456789012345678=김하늘",
        ("base_path", _) => "/hub/",
        ("public_url", _) => "https://hub.example",
        ("alerts.utc_offset", _) => "+09:00",
        ("host_link.url", _) => "/",
        ("gateway.url", _) => "http://127.0.0.1:1",
        ("hooks.heartbeat_interval_sec", _) => "20",
        ("hooks.max_tool_events" | "port", _) => "5000",
        ("trusted_proxies", _) => "10.0.0.0/8,::1",
        ("log.level", _) => "debug",
        ("hooks.locale", _) => "en",
        (_, table::ValueKind::List(_)) => "https://a.example,https://b.example",
        _ => "/nowhere",
    };
    // Each needs another one.
    let alone = [
        "host_link.label",
        "host_link.url",
        "gateway.url",
        "write_token_file",
        "gateway.token_file",
        "identity.header",
        "identity.groups_header",
        "rights.view",
        "rights.categorize",
        "rights.speak",
        "rights.answer",
        "fleet.name",
        "fleet.nats",
        "fleet.creds_file",
        "fleet.ca_file",
        "fleet.machine",
        "fleet.text",
        "fleet.ship",
        "fleet.writes",
        "fleet.reads",
        "fleet.mirror",
    ];
    for setting in table::SETTINGS.iter().filter(|it| it.flag.is_some() && !alone.contains(&it.key)) {
        let (text, flag) = (example(setting), format!("--{}", setting.flag.unwrap_or_default()));
        let args = ServeArgs::of(&[&flag, text]);
        let by_flag = join(&args, "").unwrap_or_else(|error| panic!("{flag}: {error}"));
        let env = |name: &str| (name == setting.env).then(|| text.to_owned());
        let by_env = join_with(&ServeArgs::default(), "", &env).unwrap_or_else(|error| panic!("{flag}: {error}"));
        let layers = Layers::over(toml::Table::new(), None, &args, &|_| None).expect("layers");
        let written = toml::Table::try_from(layers.table()).expect("toml").to_string();
        let by_file = join(&ServeArgs::default(), &written).unwrap_or_else(|error| panic!("{written}: {error}"));
        let plain = format!("{:?}", join(&ServeArgs::default(), "").expect("defaults"));
        assert_eq!(format!("{by_flag:?}"), format!("{by_env:?}"), "{flag}");
        assert_eq!(format!("{by_flag:?}"), format!("{by_file:?}"), "{flag}");
        let is_default = matches!(setting.key, "watcher" | "cache" | "log.format" | "alerts.language");
        assert!(is_default || format!("{by_flag:?}") != plain, "{flag} {text} changes nothing");
    }
}

#[test]
fn flags_override_file_and_file_overrides_defaults() {
    let file = "port = 4000\nhost = \"0.0.0.0\"\nbase_path = \"hub\"";
    let args = ServeArgs::of(&["--port", "5000"]);
    let settings = join(&args, file).expect("settings");
    assert_eq!((settings.port, settings.host.as_str(), settings.base_path.as_str()), (5000, "0.0.0.0", "/hub/"));
    let settings = join(&ServeArgs::default(), "").expect("settings");
    assert_eq!((settings.port, settings.host.as_str(), settings.base_path.as_str()), (3847, "127.0.0.1", "/"));
}

#[test]
fn rights_come_from_flag_environment_and_file() {
    let by_flag = ServeArgs::of(&[
        "--trusted-proxies",
        "10.0.0.1",
        "--identity-header",
        "X-User",
        "--identity-groups-header",
        "X-Groups",
        "--rights-view",
        "@staff",
        "--rights-categorize",
        "eden,@ops",
        "--rights-speak",
        "eden",
        "--rights-answer",
        "@ops",
    ]);
    let file = "trusted_proxies = [\"10.0.0.1\"]\n[identity]\nheader = \"X-User\"\ngroups_header = \"X-Groups\"\n\
                [rights]\nview = [\"@staff\"]\ncategorize = [\"eden\", \"@ops\"]\nspeak = [\"eden\"]\nanswer = [\"@ops\"]";
    let env = |name: &str| {
        let text = match name {
            "TASK_MONITOR_TRUSTED_PROXIES" => "10.0.0.1",
            "TASK_MONITOR_IDENTITY_HEADER" => "X-User",
            "TASK_MONITOR_IDENTITY_GROUPS_HEADER" => "X-Groups",
            "TASK_MONITOR_RIGHTS_VIEW" => "@staff",
            "TASK_MONITOR_RIGHTS_CATEGORIZE" => "eden, @ops",
            "TASK_MONITOR_RIGHTS_SPEAK" => "eden",
            "TASK_MONITOR_RIGHTS_ANSWER" => "@ops",
            _ => return None,
        };
        Some(text.to_owned())
    };
    let expected = join(&by_flag, "").expect("flags").identity.expect("on");
    assert!(expected.categorize.contains("eden", &[]) && !expected.speak.contains("seum", &[]));
    assert_eq!(join(&ServeArgs::default(), file).expect("file").identity.as_ref(), Some(&expected));
    assert_eq!(join_with(&ServeArgs::default(), "", &env).expect("environment").identity.as_ref(), Some(&expected));
    // A blank variable is nobody, not everybody.
    let blank = |name: &str| if name == "TASK_MONITOR_RIGHTS_SPEAK" { Some(String::new()) } else { env(name) };
    let settings = join_with(&ServeArgs::default(), "", &blank).expect("environment");
    assert!(!settings.identity.expect("on").speak.contains("eden", &[]));
}

#[test]
fn people_are_named_by_whole_ids_only() {
    let users = |toml: &str| join(&ServeArgs::default(), toml).map(|settings| settings.discord_users);
    let named = users("[discord_users]\n\"123456789012345678\" = \" 김하늘 \"").expect("settings");
    assert_eq!(named.get("123456789012345678").map(String::as_str), Some("김하늘"));
    assert!(users("[discord_users]\n\"<@123456789012345678>\" = \"김하늘\"").is_err());
    assert!(users("[discord_users]\n\"123456789012345678\" = \" \"").is_err());
}

#[test]
fn watcher_is_on_by_default() {
    let (off, on) = (ServeArgs::of(&["--watcher", "off"]), ServeArgs::of(&["--watcher", "on"]));
    let watcher = |args: &ServeArgs, toml: &str| join(args, toml).expect("settings").watcher;
    assert!(watcher(&ServeArgs::default(), "") && watcher(&on, "watcher = \"off\""));
    assert!(!watcher(&off, "") && !watcher(&ServeArgs::default(), "watcher = \"off\""));
}

#[test]
fn classifier_v2_is_default() {
    let classifier = |toml: &str| join(&ServeArgs::default(), toml).expect("settings").classifier;
    assert_eq!(classifier(""), Classifier::V2);
    assert_eq!(classifier("classifier = \"v1\""), Classifier::V1);
}

#[test]
fn header_breaking_path_or_origin_is_refused() {
    for bad in [
        "base_path = \"/a b/\"",
        "base_path = \"/../x\"",
        "allowed_origins = [\"example.org\"]",
        "frame_ancestors = [\"https://a; script-src *\"]",
        "trusted_proxies = [\"nginx\"]",
        "host_link = { label = \"x\", url = \"javascript:alert(1)\" }",
    ] {
        assert!(join(&ServeArgs::default(), bad).is_err(), "{bad}");
    }
}

#[test]
fn guessable_token_is_refused_for_other_machines() {
    let with = |host: &str, token: &str| {
        let env = |name: &str| (name == "TASK_MONITOR_WRITE_TOKEN").then(|| token.to_owned());
        join_with(&ServeArgs::default(), &format!("host = {host:?}"), &env)
    };
    assert!(with("0.0.0.0", "short").is_err());
    assert_eq!(with("127.0.0.1", "short").expect("settings").cautions.len(), 1);
    assert_eq!(with("0.0.0.0", "0123456789abcdef").expect("settings").cautions.len(), 0);
}

#[test]
fn world_readable_token_file_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("the-token");
    std::fs::write(&path, "0123456789abcdef\n").expect("write");
    let cautions = |mode: u32| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("mode");
        let settings = join(&ServeArgs::default(), &format!("write_token_file = {path:?}")).expect("settings");
        assert!(settings.write_token.is_some_and(|token| token.matches(b"0123456789abcdef")));
        settings.cautions
    };
    assert_eq!(cautions(0o600), Vec::<String>::new());
    for open in [0o640, 0o604] {
        assert!(cautions(open)[0].contains("the-token"), "{open:o}");
    }
}

#[test]
fn writes_need_a_token_beyond_loopback() {
    let writes = |host: &str, token: Option<&str>| {
        let mut settings = Settings::for_home(HomeDir::new("/nowhere"));
        settings.host = host.to_owned();
        settings.write_token = token.and_then(Secret::new);
        settings.writes()
    };
    for here in ["127.0.0.1", "[::1]", "localhost", "127.8.8.8", "::ffff:127.0.0.1"] {
        assert_eq!(writes(here, None), Writes::Page, "{here}");
    }
    for open in ["0.0.0.0", "::", "192.168.0.7", "hub.example", "localhost.evil.example"] {
        assert_eq!(writes(open, None), Writes::Nobody, "{open}");
        assert_eq!(writes(open, Some("0123456789abcdef")), Writes::Token, "{open}");
    }
}

#[test]
fn a_bad_file_is_named_with_its_line() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("monitor.toml");
    std::fs::write(&path, "host = \"::1\"\nprot = 1\n").expect("write");
    let args = ServeArgs { config: Some(path.clone()), ..ServeArgs::default() };
    let read = || Layers::read(&args, &|_| None);
    let error = read().expect_err("unknown key").to_string();
    assert!(error.contains("monitor.toml") && error.contains("line 2") && error.contains("prot"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    // A secret in the wrong place does not reach the terminal or the journal.
    for wrong in ["port = \"s3cret, \\\"indeed\"", "watcher = \"s3cret\"", "cors_origins = \"s3cret\"", "s3cret\n"] {
        std::fs::write(&path, wrong).expect("write");
        let error = read().expect_err("wrong").to_string();
        assert!(error.contains("line 1") && !error.contains("s3cret"), "{error}");
    }
}
