//! Tests of `task-monitor hook`, started as Claude Code does, and of its installer `task-monitor hooks`. Even if the
//! monitor, the disk or standard input fails, the hook prints nothing and exits in time with success. An event is
//! posted once, or is written once to `logs/hook-events.ndjson` (the drop file).
//!
//! Proves (claude-code): The hook command ends with success, in time and without output, whatever the monitor, the
//! disk, the input or the settings are. Each event is delivered once or stored once. Uninstalling leaves nothing
//! behind.
//! Long form: `make soak ARGS=hooks`.

use crate::support;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::support::{count, program, text};

/// Far beyond what any of it may take, on a machine with much else to do.
const SOON: Duration = Duration::from_secs(30);
const TOKEN: &str = "the-token-of-the-hook";

fn event() -> Value {
    json!({
        "session_id": "8c35adc1-0000-4000-8000-000000000001", "transcript_path": "/home/kim/.claude/x.jsonl",
        "cwd": "/home/kim/the-repo", "permission_mode": "default", "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": {"command": "cargo test", "description": "테스트 실행"},
        "tool_use_id": "toolu_01ABC", "error": "Command exited with non-zero status code 101", "is_interrupt": false
    })
}

/// A hook of a home, without the terminal and tokens of the environment that runs the tests.
fn hook(home: &Path, words: &[&str]) -> Command {
    let mut command = program();
    for name in [
        "TERM_SESSION_ID",
        "TMUX_PANE",
        "TMUX",
        "TASK_MONITOR_WRITE_TOKEN",
        "TASK_MONITOR_HOOKS_CAPTURE",
        "CLAUDE_PROJECT_DIR",
    ] {
        command.env_remove(name);
    }
    command.env("WT_SESSION", "tests").args(["hook", "--home", text(home)]).args(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts it and writes all of its input; `close` ends the input.
fn started(mut command: Command, input: &[u8], close: bool) -> Child {
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input");
    // It may have ended already.
    stdin.write_all(input).ok();
    if !close {
        child.stdin = Some(stdin);
    }
    child
}

/// Its output, which has to be none, and how long it took.
fn quiet(command: Command, input: &[u8]) -> Duration {
    let start = Instant::now();
    let done = started(command, input, true).wait_with_output().expect("it ends");
    assert_silent(&done);
    start.elapsed()
}

fn assert_silent(done: &Output) {
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{done:?}");
}

/// Items of the drop file of a home.
fn dropped(home: &Path) -> Vec<Value> {
    let text = match std::fs::read_to_string(drop_file(home)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => panic!("{error}"),
    };
    assert!(text.is_empty() || text.ends_with('\n'), "a torn line");
    text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect()
}

fn drop_file(home: &Path) -> PathBuf {
    home.join("logs/hook-events.ndjson")
}

/// A monitor that answers each post with the same bytes, after it has read all of it.
struct Answers {
    port: u16,
    requests: Receiver<String>,
}

impl Answers {
    fn with(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (request_sender, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a client");
                let request = request(&mut stream);
                // Sent before the answer: a client with the answer may read the request at once.
                if request_sender.send(request).is_err() {
                    break;
                }
                stream.write_all(answer.as_bytes()).ok();
            }
        });
        Self { port, requests }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Head and body of all that was posted.
    fn posts(&self) -> Vec<(String, Value)> {
        let parted = |request: String| {
            let (head, body) = request.split_once("\r\n\r\n").expect("a request");
            (head.to_owned(), serde_json::from_str(body).expect("JSON"))
        };
        self.requests.try_iter().map(parted).collect()
    }
}

fn request(stream: &mut TcpStream) -> String {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            if body.len() >= length.map_or(0, |length| length.parse().expect("a number")) {
                return text.into_owned();
            }
        }
        drop(text);
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return String::from_utf8_lossy(&bytes).into_owned(),
            Ok(filled) => bytes.extend_from_slice(&piece[..filled]),
        }
    }
}

const TAKEN: &str = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";

#[test]
fn event_is_posted_with_token_and_stamps() {
    let home = tempfile::tempdir().expect("a home");
    let monitor = Answers::with(TAKEN);
    let mut command = hook(home.path(), &["--monitor", &monitor.url()]);
    command.env("TASK_MONITOR_WRITE_TOKEN", TOKEN);
    quiet(command, event().to_string().as_bytes());
    let posts = monitor.posts();
    let [(head, item)] = posts.as_slice() else { panic!("one post: {posts:?}") };
    assert!(head.starts_with("POST /api/hooks/claude-code HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("X-Task-Monitor-Token: {TOKEN}\r\n")) || head.ends_with(TOKEN), "{head}");
    let names: Vec<&String> = item.as_object().expect("an item").keys().collect();
    assert_eq!(names, ["received_at", "terminal_session_id", "workspace_id", "key", "payload"]);
    assert_eq!((&item["terminal_session_id"], &item["workspace_id"]), (&json!("term_tests"), &json!("repo_the-repo")));
    let received = item["received_at"].as_str().expect("a time");
    assert!(received.len() == 24 && received.ends_with('Z'), "{received}");
    let item_text = item.to_string();
    assert!(
        item_text.contains("toolu_01ABC") && item_text.contains("status code 101") && item_text.contains("테스트 실행"),
        "{item_text}"
    );
    for secret in ["cargo test", "/home/kim", "transcript"] {
        assert!(!item_text.contains(secret), "{secret}: {item_text}");
    }
    assert_eq!(dropped(home.path()), Vec::<Value>::new(), "what is delivered is not kept as well");
}

#[test]
fn settings_token_is_used_and_not_in_arguments() {
    let home = tempfile::tempdir().expect("a home");
    let monitor = Answers::with(TAKEN);
    std::fs::write(home.path().join("token"), format!("{TOKEN}\n")).expect("token");
    let config = home.path().join("monitor.toml");
    std::fs::write(&config, format!("port = {}\nwrite_token_file = \"token\"\n", monitor.port)).expect("settings");
    quiet(hook(home.path(), &["--config", text(&config)]), event().to_string().as_bytes());
    let posts = monitor.posts();
    assert!(posts.len() == 1 && posts[0].0.contains(TOKEN), "{posts:?}");
}

#[test]
fn refused_event_is_stored_once() {
    let cases: &[(&str, usize)] = &[
        (TAKEN, 0),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 0),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", 0),
        ("HTTP/1.1 422 Unprocessable\r\n\r\n", 0),
        ("HTTP/1.1 401 Unauthorized\r\n\r\n", 1),
        ("HTTP/1.1 403 Forbidden\r\n\r\n", 1),
        ("HTTP/1.1 404 Not Found\r\n\r\n", 1),
        ("HTTP/1.1 413 Too Large\r\n\r\n", 1),
        ("HTTP/1.1 429 Too Many Requests\r\n\r\n", 1),
        ("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", 1),
        ("HTTP/1.1 500 Oh\r\n\r\n", 1),
        ("HTTP/1.1 503 Later\r\n\r\n", 1),
        ("HTTP/1.1 200 OK\r\nContent-", 1),
        ("SSH-2.0-OpenSSH\r\n\r\n", 1),
        ("", 1),
    ];
    for (answer, dropped_lines) in cases {
        let home = tempfile::tempdir().expect("a home");
        let monitor = Answers::with(answer);
        let mut command = hook(home.path(), &["--monitor", &monitor.url()]);
        command.env("TASK_MONITOR_WRITE_TOKEN", TOKEN);
        quiet(command, event().to_string().as_bytes());
        let items = dropped(home.path());
        assert_eq!(items.len(), *dropped_lines, "{answer:?}");
        let posts = monitor.posts();
        assert_eq!(posts.len(), 1, "{answer:?}");
        assert!(items.iter().all(|item| *item == posts[0].1), "the same item both ways");
    }
}

#[test]
fn unreachable_or_silent_monitor_delays_briefly() {
    let home = tempfile::tempdir().expect("a home");
    let hanging = TcpListener::bind("127.0.0.1:0").expect("a port");
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    for (number, port) in [free, hanging.local_addr().expect("an address").port()].into_iter().enumerate() {
        let mut command = hook(home.path(), &["--monitor", &format!("http://127.0.0.1:{port}")]);
        command.env("TASK_MONITOR_WRITE_TOKEN", TOKEN);
        let took = quiet(command, event().to_string().as_bytes());
        println!("{}: {} ms", ["down", "hanging"][number], took.as_millis());
        assert!(took < SOON, "{took:?}");
        assert_eq!(dropped(home.path()).len(), number + 1);
    }
}

#[test]
fn without_token_no_request_is_made() {
    let home = tempfile::tempdir().expect("a home");
    let monitor = Answers::with("HTTP/1.1 401 Unauthorized\r\n\r\n");
    quiet(hook(home.path(), &["--monitor", &monitor.url()]), event().to_string().as_bytes());
    assert_eq!((dropped(home.path()).len(), monitor.posts().len()), (1, 0));
}

#[test]
fn open_standard_input_is_not_awaited() {
    let home = tempfile::tempdir().expect("a home");
    let whole = event().to_string();
    // Whole, half and none: an event, the rest of an event, nothing.
    for (input, dropped_lines) in [(whole.as_str(), 1), (&whole[..whole.len() - 10], 2), ("", 2)] {
        let start = Instant::now();
        let mut child = started(hook(home.path(), &[]), input.as_bytes(), false);
        let open = child.stdin.take();
        let done = child.wait_with_output().expect("it ends");
        drop(open);
        assert_silent(&done);
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
        assert_eq!(dropped(home.path()).len(), dropped_lines, "{} bytes", input.len());
    }
    let items = dropped(home.path());
    assert_eq!(items[1]["payload"]["tool_use_id"], "toolu_01ABC", "members that were whole are kept");
}

#[test]
fn ten_megabyte_output_is_one_bounded_item() {
    let home = tempfile::tempdir().expect("a home");
    for capture in ["summary", "full"] {
        let config = home.path().join("monitor.toml");
        std::fs::write(&config, format!("[hooks]\ncapture = \"{capture}\"")).expect("settings");
        let mut payload = event();
        payload["hook_event_name"] = json!("PostToolUse");
        payload["tool_response"] = json!({"stdout": "한글\n".repeat(10 << 17), "interrupted": false});
        assert!(payload.to_string().len() > 10 << 20);
        quiet(hook(home.path(), &["--config", text(&config)]), payload.to_string().as_bytes());
    }
    let items = dropped(home.path());
    let [summary, full] = items.as_slice() else { panic!("{} items", items.len()) };
    assert_eq!(summary["payload"]["tool_response"], Value::Null, "nothing of an output");
    let payload_text = full["payload"].to_string();
    assert!(
        payload_text.contains("한글\\n한글") && payload_text.contains('…') && payload_text.len() < 64 << 10,
        "{}",
        payload_text.len()
    );
}

#[test]
fn non_event_is_counted_without_its_text() {
    let home = tempfile::tempdir().expect("a home");
    for input in ["s3cret, not JSON", "[\"s3cret\"]", "\"s3cret\"", "{s3cret}", "{\"s3cret"] {
        quiet(hook(home.path(), &[]), input.as_bytes());
    }
    let items = dropped(home.path());
    assert_eq!(items.len(), 5);
    for item in &items {
        assert_eq!(item["payload"], json!({"unreadable": true}));
        assert!(!item.to_string().contains("s3cret"), "{item}");
    }
    quiet(hook(home.path(), &[]), b" \n");
    assert_eq!(dropped(home.path()).len(), 5, "nothing is nothing");
}

#[test]
fn unusable_home_does_not_fail_the_hook() {
    let folder = tempfile::tempdir().expect("a folder");
    let absent = folder.path().join("absent");
    quiet(hook(&absent, &[]), event().to_string().as_bytes());
    assert!(!absent.exists(), "no home is made of nothing");
    let file = folder.path().join("file");
    std::fs::write(&file, "theirs").expect("a file");
    quiet(hook(&file, &[]), event().to_string().as_bytes());
    let linked = folder.path().join("linked");
    std::fs::create_dir_all(linked.join("logs")).expect("a home");
    std::os::unix::fs::symlink(&file, drop_file(&linked)).expect("a link");
    quiet(hook(&linked, &[]), event().to_string().as_bytes());
    assert_eq!(std::fs::read(&file).expect("read"), b"theirs");
    // A disk that takes nothing: no file may grow at all.
    let full = folder.path().join("full");
    std::fs::create_dir_all(full.join("logs")).expect("a home");
    let inner = hook(&full, &[]);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"])
        .arg(inner.get_program())
        .args(inner.get_args());
    limited.env_remove("TASK_MONITOR_WRITE_TOKEN");
    limited.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    quiet(limited, event().to_string().as_bytes());
    assert_eq!(std::fs::metadata(drop_file(&full)).expect("made").len(), 0);
}

#[test]
fn a_shell_that_forbids_to_write_stops_nobody() {
    let dir = tempfile::tempdir().expect("dir");
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"ulimit -f 0; exec "$0" hook --home "$1""#]).arg(program().get_program()).arg(dir.path());
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    quiet(shell, event().to_string().as_bytes());
    assert_eq!(std::fs::metadata(drop_file(dir.path())).expect("made").len(), 0);
}

#[test]
fn bad_options_are_reported_only_when_verbose() {
    let home = tempfile::tempdir().expect("a home");
    let absent = home.path().join("absent.toml");
    for words in [&["--wings", "--port"][..], &["--monitor", "http://192.0.2.1"], &["--config", text(&absent)]] {
        quiet(hook(home.path(), words), event().to_string().as_bytes());
    }
    assert_eq!(dropped(home.path()).len(), 3);
    let mut child = started(hook(home.path(), &["--config", text(&absent), "--verbose"]), b"{}", true);
    drop(child.stdin.take());
    let done = child.wait_with_output().expect("it ends");
    let messages = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && done.stdout.is_empty(), "{done:?}");
    assert!(
        messages.contains("absent.toml") && messages.contains("no token is known") && messages.contains("kept in"),
        "{messages}"
    );
}

#[test]
fn concurrent_hooks_write_separate_lines() {
    let home = tempfile::tempdir().expect("a home");
    let many = count(200, 2_000);
    let config = home.path().join("monitor.toml");
    std::fs::write(&config, "[hooks]\ncapture = \"full\"").expect("settings");
    let words = ["--config", text(&config)];
    // Waves, because a machine has only so many processes; lines of up to 60 KiB.
    for wave in 0..many / 50 {
        let children: Vec<Child> = (0..50)
            .map(|number| {
                let mut payload = event();
                payload["tool_use_id"] = json!(format!("toolu_{wave}_{number}"));
                let part = "글".repeat(1 + (number * 37) % 4000);
                payload["tool_input"] = json!({ "a": part, "b": part, "c": part, "d": part, "e": part });
                started(hook(home.path(), &words), payload.to_string().as_bytes(), true)
            })
            .collect();
        for child in children {
            assert_silent(&child.wait_with_output().expect("it ends"));
        }
    }
    let items = dropped(home.path());
    let mut names: Vec<&str> =
        items.iter().map(|item| item["payload"]["tool_use_id"].as_str().expect("a name")).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!((items.len(), names.len()), (many / 50 * 50, many / 50 * 50));
}

/// `hooks` of a person with a home of their own, in which Claude Code of that version lies.
fn hooks(person: &Path, words: &[&str]) -> Output {
    let mut command = program();
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "TASK_MONITOR_WRITE_TOKEN", "CLAWDBOT_STATE_DIR"] {
        command.env_remove(name);
    }
    command.env("HOME", person).env("PATH", "/usr/bin:/bin").current_dir(person).stdin(Stdio::null());
    command.arg("hooks").args(words).output().expect("the program starts")
}

fn lines_of(done: &Output, code: i32) -> String {
    assert_eq!(done.status.code(), Some(code), "{done:?}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Someone with settings of their own and Claude Code 2.1.286.
fn person() -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = folder.path().join(".claude/settings.json");
    let before = "{\n  \"permissions\": {\"deny\": [\"Bash(rm:*)\"]},\n  \"model\": \"opus\"\n}\n";
    std::fs::create_dir_all(folder.path().join(".claude")).expect("a folder");
    std::fs::write(&settings, before).expect("settings");
    std::fs::write(folder.path().join(".claude.json"), r#"{"lastReleaseNotesSeen":"2.1.286"}"#).expect("notes");
    (folder, settings, before.to_owned())
}

#[test]
fn installed_hooks_run_and_uninstall_cleanly() {
    let (person, settings, before) = person();
    // No monitor of this machine gets a request.
    let to = ["--monitor", "http://127.0.0.1:9"];
    let status = |code| lines_of(&hooks(person.path(), &[&["status"], &to[..]].concat()), code);
    assert!(status(1).contains("settings.json: not installed"));
    let output = lines_of(&hooks(person.path(), &[&["install"], &to[..]].concat()), 0);
    assert!(output.contains("~/.claude/settings.json: hooks for 15 events are installed"), "{output}");
    assert!(output.contains("what it was before: ~/.claude/settings.json.bak-task-hub-"), "{output}");
    assert!(output.contains("Claude Code 2.1.286 knows all of them") && output.contains("token: none"), "{output}");
    let installed: Value = serde_json::from_slice(&std::fs::read(&settings).expect("read")).expect("JSON");
    assert_eq!(installed["permissions"]["deny"], json!(["Bash(rm:*)"]));
    // Each command as Claude Code runs it: a shell, the event on standard input.
    let events = installed["hooks"].as_object().expect("hooks");
    for (name, groups) in events {
        let command = groups[0]["hooks"][0]["command"].as_str().expect("a command");
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", person.path());
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        quiet(shell, json!({"session_id": "s", "hook_event_name": name}).to_string().as_bytes());
    }
    let home = person.path().join(".openclaw");
    let names: Vec<Value> =
        dropped(&home).into_iter().map(|mut item| item["payload"]["hook_event_name"].take()).collect();
    assert_eq!(names, events.keys().map(|name| json!(name)).collect::<Vec<_>>());
    let output = status(0);
    assert!(
        output.contains("installed for PermissionRequest") || output.contains("installed for SessionStart"),
        "{output}"
    );
    assert!(output.contains("hook-events.ndjson holds 15 events") && output.contains("cannot be reached"), "{output}");
    let reinstalled = lines_of(&hooks(person.path(), &[&["install"], &to[..]].concat()), 0);
    assert!(reinstalled.contains("has our hooks already: nothing was changed"), "{reinstalled}");
    lines_of(&hooks(person.path(), &["uninstall"]), 0);
    assert_eq!(std::fs::read_to_string(&settings).expect("read"), before);
    let left: Vec<_> = std::fs::read_dir(person.path().join(".claude")).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(lines_of(&hooks(person.path(), &["uninstall"]), 0).contains("nothing was changed"));
}

#[test]
fn project_hooks_use_the_local_settings_file() {
    let (person, settings, before) = person();
    let project = person.path().join("the project's");
    std::fs::create_dir(&project).expect("a project");
    let folder = text(&project);
    let output = lines_of(&hooks(person.path(), &["install", "--project", folder, "--home", "my home"]), 0);
    assert!(output.contains("settings.local.json") && output.contains("made "), "{output}");
    assert_eq!(std::fs::read_to_string(&settings).expect("read"), before);
    let local = std::fs::read_to_string(project.join(".claude/settings.local.json")).expect("read");
    assert!(local.contains(&format!("--home '{}/my home'", person.path().display())), "{local}");
    assert!(!project.join(".claude/settings.json").exists());
    lines_of(&hooks(person.path(), &["uninstall", "--project", folder]), 0);
    assert_eq!(std::fs::read_dir(&project).expect("a folder").count(), 0);
}

#[test]
fn events_unknown_to_version_are_not_installed() {
    let (person, settings, _) = person();
    let count = || {
        let installed: Value = serde_json::from_slice(&std::fs::read(&settings).expect("read")).expect("JSON");
        installed["hooks"].as_object().map_or(0, serde_json::Map::len)
    };
    std::fs::remove_file(person.path().join(".claude.json")).expect("remove");
    let output = lines_of(&hooks(person.path(), &["install", "--monitor", "http://127.0.0.1:9"]), 0);
    assert!(output.contains("Claude Code was not found") && output.contains("--claude-version"), "{output}");
    assert_eq!(count(), 8);
    lines_of(&hooks(person.path(), &["install", "--claude-version", "2.1.84"]), 0);
    assert_eq!(count(), 15);
    lines_of(&hooks(person.path(), &["install"]), 0);
    assert_eq!(count(), 15, "what was asked for by a version stays");
    let output = lines_of(&hooks(person.path(), &["install", "--claude-version", "2.1.77"]), 0);
    assert!(output.contains("2.1.77 does not know 2 more events"), "{output}");
    assert_eq!(count(), 13);
}

#[test]
fn failed_install_is_reported_and_writes_nothing() {
    let (person, settings, _) = person();
    std::fs::write(&settings, "{\n  // mine\n}\n").expect("settings");
    for (words, code, named) in [
        (&["install"][..], 1, "a comment"),
        (&["uninstall"], 1, "a comment"),
        (&["install", "--monitor", "http://monitor.example"], 1, "on this machine"),
        (&["install", "--claude-version", "new"], 2, "new"),
        (&["install", "--user", "--project"], 2, "--project"),
        (&["install", "--project", "absent"], 1, "absent"),
        (&["reinstall"], 2, "reinstall"),
    ] {
        let done = hooks(person.path(), words);
        let messages = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{words:?}: {messages}");
        assert!(messages.contains(named) && messages.trim_end().lines().count() == 1, "{words:?}: {messages}");
        assert!(done.stdout.is_empty(), "{words:?}");
    }
    assert_eq!(std::fs::read_to_string(&settings).expect("read"), "{\n  // mine\n}\n");
    assert_eq!(std::fs::read_dir(person.path().join(".claude")).expect("a folder").count(), 1);
    let output = lines_of(&hooks(person.path(), &["status", "--user", "--monitor", "http://127.0.0.1:9"]), 1);
    assert!(output.contains("cannot be understood"), "{output}");
}

#[test]
fn status_checks_the_token_with_monitor() {
    let (person, ..) = person();
    for (answer, expected) in [
        (TAKEN, "the monitor takes it"),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "the monitor takes it"),
        ("HTTP/1.1 401 Unauthorized\r\n\r\n", "the monitor refuses it"),
        ("HTTP/1.1 404 Not Found\r\n\r\n", "takes no events of hooks"),
        ("HTTP/1.1 503 Service Unavailable\r\n\r\n", "can keep no events now"),
    ] {
        let monitor = Answers::with(answer);
        std::fs::write(person.path().join("token"), TOKEN).expect("token");
        let config = person.path().join("monitor.toml");
        std::fs::write(&config, format!("port = {}\nwrite_token_file = \"token\"\n", monitor.port)).expect("settings");
        let status = lines_of(&hooks(person.path(), &["status", "--config", text(&config)]), 1);
        assert!(status.contains(expected) && !status.contains(TOKEN), "{answer}: {status}");
        assert_eq!(monitor.requests.try_iter().filter(|request| request.ends_with("\r\n\r\n[]")).count(), 1);
    }
}
