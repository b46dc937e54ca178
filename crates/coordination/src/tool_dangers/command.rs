//! Dangers of a shell command: the text is split into simple commands, and each is held against lists of programs and
//! options. Quoted words are taken as they are; the commands in `$(…)`, backquotes and `bash -c '…'` are looked at as well.

use super::{Found, is_outside};
use crate::api::DangerKind;

/// Programs that run the command behind them.
const WRAPPERS: [&str; 9] = ["env", "nohup", "time", "nice", "xargs", "command", "exec", "builtin", "timeout"];
const PRIVILEGED: [&str; 4] = ["sudo", "doas", "pkexec", "su"];
const SHELLS: [&str; 10] = ["sh", "bash", "zsh", "dash", "fish", "python", "python3", "node", "perl", "ruby"];
const DOWNLOADERS: [&str; 4] = ["curl", "wget", "fetch", "aria2c"];
/// Nesting of commands in commands that is followed.
const MAX_DEPTH: usize = 4;

/// Adds the dangers of a command that runs in `folder`.
pub(super) fn dangers(command: &str, folder: &str, found: &mut Found) {
    look(command, folder, found, 0);
    let folded = command.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    for words in
        ["drop table", "drop database", "drop schema", "truncate table", "delete from", "flushall", "dropdatabase("]
    {
        if folded.contains(words) {
            found.add(DangerKind::DropsData, words);
        }
    }
}

fn look(command: &str, folder: &str, found: &mut Found, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let mut downloads = false;
    for SimpleCommand { words, piped } in &split(command) {
        downloads &= *piped;
        let names: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        for (at, word) in words.iter().enumerate() {
            if word.nested {
                look(&word.text, folder, found, depth + 1);
            }
            if let Some(target) =
                redirected(words, at).filter(|target| !is_harmless(target) && is_outside(target, folder))
            {
                found.add(DangerKind::OutsideFolder, target);
            }
        }
        let Some((name, rest)) = program(&names, found) else { continue };
        if SHELLS.contains(&name) {
            if downloads || words.iter().any(|word| word.nested && mentions_download(&word.text)) {
                found.add(DangerKind::RunsDownload, command);
            }
            if let Some(script) = rest.iter().position(|word| *word == "-c").and_then(|at| rest.get(at + 1)) {
                look(script, folder, found, depth + 1);
            }
        }
        downloads |= DOWNLOADERS.contains(&name);
        if name == "eval" && mentions_download(command) {
            found.add(DangerKind::RunsDownload, command);
        }
        if let Some(kind) = kind(name, rest) {
            found.add(kind, &std::iter::once(name).chain(rest.iter().copied()).collect::<Vec<_>>().join(" "));
        }
        // `find … -exec rm {} +` and its like.
        if let Some(at) = rest.iter().position(|word| matches!(*word, "-exec" | "-execdir" | "-ok"))
            && let Some(inner) = rest.get(at + 1..)
            && inner.first().is_some_and(|name| matches!(base(name), "rm" | "shred" | "unlink"))
        {
            found.add(DangerKind::Deletes, &inner.join(" "));
        }
    }
}

fn mentions_download(text: &str) -> bool {
    split(text).iter().flat_map(|command| &command.words).any(|word| DOWNLOADERS.contains(&base(&word.text)))
}

/// The program of a simple command and its arguments, without assignments and wrappers before it.
fn program<'a, 'w>(mut words: &'a [&'w str], found: &mut Found) -> Option<(&'w str, &'a [&'w str])> {
    loop {
        let (first, rest) = words.split_first()?;
        let name = base(first);
        let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if PRIVILEGED.contains(&name) {
            found.add(DangerKind::Privileged, &words.join(" "));
        } else if !is_assignment && !WRAPPERS.contains(&name) {
            return Some((name, rest));
        }
        // Options of the wrapper, and the number of `timeout 5`.
        let is_option = |word: &&&str| word.starts_with('-') || word.bytes().all(|byte| byte.is_ascii_digit());
        let options = if is_assignment { 0 } else { rest.iter().take_while(is_option).count() };
        words = rest.get(options..)?;
    }
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// What a program with these arguments is known for.
fn kind(name: &str, rest: &[&str]) -> Option<DangerKind> {
    let has = |word: &str| rest.contains(&word);
    let short = |letters: &str| {
        rest.iter().any(|word| {
            word.strip_prefix('-')
                .is_some_and(|flags| !flags.starts_with('-') && flags.contains(|c| letters.contains(c)))
        })
    };
    // The first argument that is no option.
    let verb = |skip: usize| rest.iter().filter(|word| !word.starts_with('-')).nth(skip).copied().unwrap_or_default();
    match name {
        "rm" => (short("rRf") || has("--recursive") || has("--force")).then_some(DangerKind::Deletes),
        "shred" | "wipe" | "srm" => Some(DangerKind::Deletes),
        "find" => has("-delete").then_some(DangerKind::Deletes),
        "rsync" => rest.iter().any(|word| word.starts_with("--delete")).then_some(DangerKind::Deletes),
        "git" => git(rest),
        "dd" => rest.iter().any(|word| word.starts_with("of=")).then_some(DangerKind::System),
        "fdisk" | "parted" | "wipefs" | "shutdown" | "reboot" | "halt" | "poweroff" | "iptables" | "nft" | "umount"
        | "killall" | "pkill" => Some(DangerKind::System),
        "chmod" | "chown" | "chgrp" => (short("R") || has("--recursive")).then_some(DangerKind::System),
        "systemctl" => {
            matches!(verb(0), "stop" | "disable" | "mask" | "kill" | "isolate").then_some(DangerKind::System)
        }
        "crontab" => short("r").then_some(DangerKind::System),
        "npm" | "pnpm" | "yarn" | "cargo" => {
            matches!(verb(0), "publish" | "unpublish" | "yank").then_some(DangerKind::Publishes)
        }
        "twine" => (verb(0) == "upload").then_some(DangerKind::Publishes),
        "docker" | "podman" | "buildah" => match verb(0) {
            "push" => Some(DangerKind::Publishes),
            "system" | "volume" | "image" if has("prune") || has("rm") => Some(DangerKind::Deletes),
            _ => None,
        },
        "gh" | "glab" => matches!(verb(1), "merge" | "create" | "delete" | "close" | "edit" | "archive")
            .then_some(DangerKind::Publishes),
        "kubectl" | "oc" => matches!(
            verb(0),
            "apply" | "delete" | "scale" | "drain" | "replace" | "patch" | "rollout" | "create" | "edit" | "exec"
        )
        .then_some(DangerKind::Publishes),
        "helm" => matches!(verb(0), "install" | "upgrade" | "uninstall" | "rollback").then_some(DangerKind::Publishes),
        "terraform" | "tofu" => matches!(verb(0), "apply" | "destroy" | "import").then_some(DangerKind::Publishes),
        "pulumi" => matches!(verb(0), "up" | "destroy").then_some(DangerKind::Publishes),
        "aws" | "gcloud" | "az" => rest
            .iter()
            .any(|word| {
                ["delete", "terminate", "remove", "rm", "deploy", "create", "update"]
                    .iter()
                    .any(|verb| word.starts_with(verb))
            })
            .then_some(DangerKind::Publishes),
        "vercel" | "netlify" | "fly" | "flyctl" | "firebase" | "heroku" | "wrangler" => Some(DangerKind::Publishes),
        "ssh" => Some(DangerKind::Publishes),
        name if name.starts_with("mkfs") => Some(DangerKind::System),
        _ => None,
    }
}

fn git(rest: &[&str]) -> Option<DangerKind> {
    // `-C folder` and `-c name=value` stand before the command.
    let mut words = rest;
    while let Some((first, others)) = words.split_first().filter(|(first, _)| first.starts_with('-')) {
        words = others.get(usize::from(matches!(*first, "-C" | "-c"))..)?;
    }
    let (verb, rest) = words.split_first()?;
    let has = |word: &str| rest.contains(&word);
    let short = |letter: char| {
        rest.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    match *verb {
        "push" => {
            let forced = short('f')
                || rest.iter().any(|word| word.starts_with("--force") || word.starts_with('+'))
                || ["--delete", "-d", "--mirror", "--prune"].iter().any(|word| has(word));
            let dry = has("--dry-run") || has("-n");
            if dry { None } else { Some(if forced { DangerKind::RewritesHistory } else { DangerKind::Publishes }) }
        }
        "reset" => has("--hard").then_some(DangerKind::RewritesHistory),
        "clean" => (short('f') || has("--force")).then_some(DangerKind::RewritesHistory),
        "branch" => (short('D') || (has("--delete") && has("--force"))).then_some(DangerKind::RewritesHistory),
        "filter-branch" | "filter-repo" | "update-ref" => Some(DangerKind::RewritesHistory),
        "reflog" => has("expire").then_some(DangerKind::RewritesHistory),
        "stash" => (has("drop") || has("clear")).then_some(DangerKind::RewritesHistory),
        "checkout" | "restore" => (has("--") || has(".")).then_some(DangerKind::RewritesHistory),
        _ => None,
    }
}

/// A word of a command.
struct Word {
    /// Without its quotes.
    text: String,
    /// It was `$(…)`, backquoted or `<(…)`: a command.
    nested: bool,
    /// It is a `>` or `>>`, which names the file behind it.
    redirects: bool,
}

/// A command without others in it.
struct SimpleCommand {
    words: Vec<Word>,
    /// It reads what the one before it prints.
    piped: bool,
}

/// The file that a redirection at this place writes.
fn redirected(words: &[Word], at: usize) -> Option<&str> {
    words.get(at).filter(|word| word.redirects).and_then(|_| words.get(at + 1)).map(|word| word.text.as_str())
}

fn is_harmless(path: &str) -> bool {
    path.starts_with('&') || path.starts_with("/dev/") || path.starts_with("/tmp/") || path.contains('$')
}

/// The simple commands of a text.
fn split(command: &str) -> Vec<SimpleCommand> {
    let mut splitter = Splitter::default();
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => splitter.word.extend(chars.next()),
            '\'' | '"' => {
                splitter.quoted = true;
                while let Some(inner) = chars.next().filter(|inner| *inner != c) {
                    match inner {
                        '\\' if c == '"' => splitter.word.extend(chars.next()),
                        '$' if c == '"' && chars.peek() == Some(&'(') => {
                            chars.next();
                            let nested = parenthesised(&mut chars);
                            splitter.nested(nested);
                        }
                        inner => splitter.word.push(inner),
                    }
                }
            }
            '`' => {
                let nested: String = chars.by_ref().take_while(|inner| *inner != '`').collect();
                splitter.nested(nested);
            }
            '$' | '<' | '>' if chars.peek() == Some(&'(') => {
                chars.next();
                let nested = parenthesised(&mut chars);
                splitter.nested(nested);
            }
            '>' => {
                // `2>` is no word of its own.
                if splitter.word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'&') {
                    splitter.word.clear();
                }
                splitter.end_word();
                while matches!(chars.peek(), Some('>' | '|')) {
                    chars.next();
                }
                let joins = chars.peek() == Some(&'&');
                if !joins {
                    splitter.words.push(Word { text: ">".to_owned(), nested: false, redirects: true });
                }
            }
            '|' => {
                splitter.end_command();
                splitter.piped = chars.next_if_eq(&'|').is_none();
            }
            ';' | '&' | '\n' | '(' | ')' | '{' | '}' => {
                splitter.end_command();
                splitter.piped = false;
            }
            c if c.is_whitespace() => splitter.end_word(),
            c => splitter.word.push(c),
        }
    }
    splitter.end_command();
    splitter.commands
}

/// The text up to the closing parenthesis, which is taken too.
fn parenthesised(chars: &mut impl Iterator<Item = char>) -> String {
    let (mut depth, mut text) = (1, String::new());
    for c in chars {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        text.push(c);
    }
    text
}

#[derive(Default)]
struct Splitter {
    commands: Vec<SimpleCommand>,
    /// A pipe leads to the command that is read.
    piped: bool,
    words: Vec<Word>,
    word: String,
    /// The word had quotes, so it is one even when it is empty.
    quoted: bool,
}

impl Splitter {
    fn end_word(&mut self) {
        if !self.word.is_empty() || self.quoted {
            self.words.push(Word { text: std::mem::take(&mut self.word), nested: false, redirects: false });
        }
        self.quoted = false;
    }

    fn nested(&mut self, text: String) {
        self.end_word();
        self.words.push(Word { text, nested: true, redirects: false });
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.commands.push(SimpleCommand { words: std::mem::take(&mut self.words), piped: self.piped });
        }
    }
}
