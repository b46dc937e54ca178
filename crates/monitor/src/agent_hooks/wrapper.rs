//! Process `task-monitor hook`, which a coding agent starts for each event. It posts the event to the monitor. An event
//! that it cannot post goes into the drop file `logs/hook-events.ndjson`.
//!
//! With `--answer SECONDS` a permission request is also put to the people at the dashboard, for so long.
//!
//! It prints nothing but a person's decision, and reports with `--verbose`. It exits with 0 within its time limit, because
//! exit code 2 would stop the agent.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use coordination::api::MAX_ANSWER_SECONDS;
use coordination::schema::{AgentProgram, HookStamp};
use serde_json::Value;

use super::destination::{Flags, HookDestination};
use super::drop_file;
use super::input;
use super::payload::{HookItem, item, read};
use super::permission::{PermissionCall, ask};
use super::send::EVENTS_PATH;
use super::stamp::{terminal, workspace};
use crate::clock::ServerClock;

/// So long the monitor has for its answer, the connection included.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(950);
/// Whatever hangs (a folder on a dead server, a disk), the agent waits no longer than this.
const PROCESS_TIMEOUT: Duration = Duration::from_secs(4);

/// Reads one event from standard input and passes it on. No failure here is an error for the caller.
pub(crate) fn run(words: impl IntoIterator<Item = OsString>) {
    let options = HookOptions::read(words);
    // A panic message would be shown to the agent.
    std::panic::set_hook(Box::new(|_| {}));
    let limit = ProcessLimit::start();
    let verbose = options.verbose;
    let result =
        std::panic::catch_unwind(move || options.pass_on(&limit)).unwrap_or_else(|_| "a mistake of its own".to_owned());
    if verbose {
        // Standard error may be closed.
        drop(writeln!(io::stderr(), "task-monitor hook: {result}"));
    }
}

/// Ends the process when its time is over, whatever hangs.
#[derive(Debug, Clone)]
struct ProcessLimit {
    start: Instant,
    /// Milliseconds from the start.
    limit_ms: Arc<AtomicU64>,
}

impl ProcessLimit {
    fn start() -> Self {
        let limit = Self { start: Instant::now(), limit_ms: Arc::new(AtomicU64::new(millis(PROCESS_TIMEOUT))) };
        let watched = limit.clone();
        let over = std::thread::Builder::new().spawn(move || {
            while let Some(left) = watched.left() {
                std::thread::sleep(left);
            }
            std::process::exit(0);
        });
        drop(over);
        limit
    }

    /// Time left; none when it is over.
    fn left(&self) -> Option<Duration> {
        let limit = Duration::from_millis(self.limit_ms.load(Ordering::SeqCst));
        limit.checked_sub(self.start.elapsed()).filter(|left| !left.is_zero())
    }

    /// Allows the process this much more time from now on.
    fn extend(&self, more: Duration) {
        self.limit_ms.store(millis(self.start.elapsed() + more + PROCESS_TIMEOUT), Ordering::SeqCst);
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Options of the command line; unknown ones are skipped, because settings outlive versions.
#[derive(Debug, Default, PartialEq, Eq)]
struct HookOptions {
    program: AgentProgram,
    flags: Flags,
    verbose: bool,
}

impl HookOptions {
    fn read(words: impl IntoIterator<Item = OsString>) -> Self {
        let mut options = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.to_string_lossy().split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(OsString::from(value))),
                None => (word.to_string_lossy().into_owned(), None),
            };
            let mut value = || value.clone().or_else(|| words.next());
            match name.as_str() {
                "--verbose" => options.verbose = true,
                "--from" => {
                    let program = value().and_then(|word| word.to_string_lossy().parse().ok());
                    options.program = program.unwrap_or_default();
                }
                "--home" => options.flags.home = value().map(PathBuf::from),
                "--config" => options.flags.config = value().map(PathBuf::from),
                "--answer" => {
                    let seconds = value().and_then(|seconds| seconds.to_string_lossy().parse().ok());
                    options.flags.answer = seconds.filter(|seconds| (1..=MAX_ANSWER_SECONDS).contains(seconds));
                }
                "--monitor" => options.flags.monitor = value().map(|url| url.to_string_lossy().into_owned()),
                _ => {}
            }
        }
        options
    }

    /// What became of the event, in one sentence for people.
    fn pass_on(&self, limit: &ProcessLimit) -> String {
        let env = |name: &str| std::env::var(name).ok();
        let received_at = ServerClock::system().now_ms();
        if io::stdin().is_terminal() {
            return "it reads an event from standard input, which is a terminal here".to_owned();
        }
        let given = match input::read(io::stdin()) {
            Ok(given) => given,
            Err(error) => return format!("the event cannot be read: {error}"),
        };
        if given == input::HookInput::Nothing {
            return "no event was given".to_owned();
        }
        let place = HookDestination::find(&self.flags, &env);
        let call = match (&given, self.flags.answer) {
            (input::HookInput::Whole(text), Some(_)) => PermissionCall::from_payload(self.program, text),
            _ => None,
        };
        let payload = given.mended().and_then(|text| read(&text));
        let cwd = payload.as_ref().and_then(|payload| payload.get("cwd")).and_then(Value::as_str).map(PathBuf::from);
        let cwd = cwd.or_else(|| env("CLAUDE_PROJECT_DIR").map(PathBuf::from)).or_else(|| std::env::current_dir().ok());
        let workspace_id = cwd.as_deref().and_then(workspace);
        let (received_at, arrived_at) = (Some(received_at), received_at);
        // Codex starts hooks from a process that serves all its terminals, with the environment of the first.
        let terminal_session_id = if self.program == AgentProgram::Codex { None } else { terminal(&env) };
        let stamp = HookStamp { program: self.program, received_at, arrived_at, terminal_session_id, workspace_id };
        let known = payload.is_some();
        let HookItem { bytes, key } = item(payload, &stamp, place.capture);
        let mut result = deliver(&place, &bytes);
        if let (Some(call), Some(key), Some(seconds)) = (call, key, self.flags.answer) {
            let wait = Duration::from_secs(seconds.into());
            limit.extend(wait);
            let (decision, outcome) = ask(&place, call, key, wait);
            if let Some(decision) = decision {
                // A closed output means that nobody waits for the decision any more.
                drop(writeln!(io::stdout(), "{decision}").and_then(|()| io::stdout().flush()));
            }
            result = format!("{result}; {outcome}");
        }
        let notes = [
            place.unread.as_deref(),
            (!known).then_some("the event is not a JSON object: only its arrival is reported"),
        ];
        let notes: Vec<&str> = notes.into_iter().flatten().chain([result.as_str()]).collect();
        notes.join("; ")
    }
}

/// To the monitor, else into the drop file.
fn deliver(place: &HookDestination, item: &[u8]) -> String {
    let why = match post(place, item) {
        Ok(result) => return result,
        Err(why) => why,
    };
    match drop_file::append(&place.home, item) {
        Ok(()) => format!("{why}; kept in {}", place.home.display(&place.home.logs().join(drop_file::DROP_FILE))),
        Err(error) => format!("{why}; lost: {}: {error}", place.home.display(place.home.root())),
    }
}

/// The monitor's result, or why the item goes into the drop file. Without a token no request is made: it would be
/// refused and counted.
fn post(place: &HookDestination, item: &[u8]) -> Result<String, String> {
    let monitor = place.monitor.as_ref().map_err(Clone::clone)?;
    let token = place.token.as_ref().map_err(Clone::clone)?.as_ref().ok_or("no token is known")?;
    match monitor.post(EVENTS_PATH, token.for_header(), item, Instant::now() + RESPONSE_TIMEOUT) {
        Ok(status @ 200..=299) => Ok(format!("taken by {monitor} ({status})")),
        // It was looked at and is no event; it would be none a second time.
        Ok(status @ (400 | 422)) => Ok(format!("refused by {monitor} for what it is ({status})")),
        Ok(status) => Err(format!("{monitor} answered {status}")),
        Err(error) => Err(format!("{monitor} cannot be reached: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_known_are_passed_over() {
        let read = |words: &[&str]| HookOptions::read(words.iter().map(OsString::from));
        let flags = Flags {
            home: Some("/a b".into()),
            config: Some("/c".into()),
            monitor: Some("http://127.0.0.1:1/?a=b".to_owned()),
            answer: Some(20),
        };
        let words =
            ["--from", "claude-code", "--home", "/a b", "--wings", "--config=/c", "--answer", "20", "--verbose"];
        let read_all = read(&[&words[..], &["--monitor=http://127.0.0.1:1/?a=b", "more"]].concat());
        assert_eq!(read_all, HookOptions { program: AgentProgram::ClaudeCode, flags, verbose: true });
        assert_eq!(read(&["--from", "codex"]).program, AgentProgram::Codex);
        for wrong in [&["--home"][..], &["--answer", "0"], &["--answer", "601"], &["--answer", "x"], &["--answer"]] {
            assert_eq!(read(wrong), HookOptions::default(), "{wrong:?}");
        }
    }
}
