//! Hook command line in the settings of a coding agent: builder for the installer of hooks, and parser. The parser recognises
//! the monitor's own commands, so that an update or removal leaves the hooks of other programs alone.

use std::path::Path;

use coordination::api::MAX_ANSWER_SECONDS;
use coordination::schema::AgentProgram;

use super::destination::Flags;

/// Written into every command of ours with the agent's word, so that it is known under any name of the program.
const FROM: &str = "--from";
/// The option of a command that waits for an answer.
const ANSWER: &str = "--answer";
/// Event whose command may have it.
pub(super) const ASKING_EVENT: &str = "PermissionRequest";
/// Seconds after which the agent ends a command that waits for nobody; it ends itself long before.
const TIMEOUT_SECONDS: u32 = 5;
/// Most seconds that Codex gives to hooks of these events; it warns at each start about more.
const CODEX_SHORT_TIMEOUT_SECONDS: u32 = 3;
const CODEX_SHORT_EVENTS: [&str; 2] = ["SessionEnd", "Interrupt"];
/// The same for a command that waits, beyond its wait.
const ANSWER_MARGIN_SECONDS: u32 = 10;
/// Name of the program unless it was renamed.
const PROGRAM: &str = "task-monitor";

/// The command for a shell. It succeeds even if the program is missing or too old to know `hook`: for a hook, an
/// exit code of 2 stops the agent.
pub(super) fn written(executable: &str, from: AgentProgram, flags: &Flags) -> Option<String> {
    let mut words = vec![executable, "hook", FROM, from.word()];
    if let Some(home) = &flags.home {
        words.extend(["--home", home.to_str()?]);
    }
    if let Some(config) = &flags.config {
        words.extend(["--config", config.to_str()?]);
    }
    if let Some(monitor) = &flags.monitor {
        words.extend(["--monitor", monitor]);
    }
    let seconds = flags.answer.map(|seconds| seconds.to_string());
    if let Some(seconds) = &seconds {
        words.extend([ANSWER, seconds]);
    }
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    Some(format!("{} || true", words.join(" ")))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a command as a shell reads them; variables are left as they are.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Whether a command is ours, whatever the path and name of its program.
pub(super) fn is_ours(command: &str) -> bool {
    let words = words(command);
    let [program, hook, rest @ ..] = words.as_slice() else { return false };
    let named = Path::new(program).file_name().is_some_and(|name| name == PROGRAM);
    hook == "hook" && (named || from_words(rest).is_some())
}

fn from_words(words: &[String]) -> Option<AgentProgram> {
    words.windows(2).find_map(|two| two[1].parse().ok().filter(|_| two[0] == FROM))
}

/// The coding agent whose events a command of ours passes on.
pub(super) fn from(command: &str) -> AgentProgram {
    from_words(&words(command)).unwrap_or_default()
}

/// The program that a command starts.
pub(super) fn program(command: &str) -> Option<String> {
    words(command).into_iter().next()
}

/// The options of a command of ours.
pub(super) fn flags(command: &str) -> Flags {
    let words = words(command);
    let after = |name: &str| words.iter().skip_while(|word| *word != name).nth(1).cloned();
    Flags {
        home: after("--home").map(Into::into),
        monitor: after("--monitor"),
        config: after("--config").map(Into::into),
        answer: after(ANSWER)
            .and_then(|seconds| seconds.parse().ok())
            .filter(|it| (1..=MAX_ANSWER_SECONDS).contains(it)),
    }
}

/// The command of an event, and the seconds after which the agent ends it. Only a permission request waits.
pub(super) fn for_event(command: &str, event: &str) -> (String, u32) {
    let is_short = from(command) == AgentProgram::Codex && CODEX_SHORT_EVENTS.contains(&event);
    let timeout = if is_short { CODEX_SHORT_TIMEOUT_SECONDS } else { TIMEOUT_SECONDS };
    match flags(command).answer {
        Some(seconds) if event == ASKING_EVENT => (command.to_owned(), seconds + ANSWER_MARGIN_SECONDS),
        Some(seconds) => (command.replacen(&format!(" {ANSWER} {seconds}"), "", 1), timeout),
        None => (command.to_owned(), timeout),
    }
}

#[cfg(test)]
mod tests;
