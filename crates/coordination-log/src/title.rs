//! Derivation of titles of sessions and tasks (`contract/events.md` §7.3). Words in the form of an id are removed, and
//! messages written by machines give no title.

use std::borrow::Cow;

use crate::event::{Event, Field};
use hangul::syllable::is_syllable;
use message_text as text;
pub use protocol::api::TitleSource;
use protocol::role::Role;

/// Title when nothing else fits (`contract/events.md` §7.3).
pub const DEFAULT_TITLE: &str = "협업 작업";
/// Length in UTF-16 units (`contract/sessions.md` §5).
const MAX_UNITS: usize = 60;
/// A word's end beyond this unit is a better place to cut than the middle of a word.
const WORD_CUT_AFTER: usize = 36;

/// The best title this one event can give, if it comes from a stronger source than `known`. Over a session the
/// strongest source wins, then the first event.
#[must_use]
pub fn of_event(event: &Event, role: Role, known: Option<TitleSource>) -> Option<(TitleSource, String)> {
    let better = |source: TitleSource| known.is_none_or(|known| source < known);
    if !better(TitleSource::Label) {
        return None;
    }
    if let Some(title) = event.label().and_then(clean) {
        // The label of a spawned run names that run: it titles a session only when no other source names the whole.
        let source = if role == Role::DelegationSubagent { TitleSource::Task } else { TitleSource::Label };
        return Some((source, title)).filter(|_| better(source));
    }
    match event.event_type() {
        "a2a.send" | "a2a.response" | "a2a.complete" | "a2a.spawn" | "a2a.auto_route" => of_message(event, better),
        _ if role == Role::OrchestrationTask && better(TitleSource::Task) => {
            let named = [Field::Title, Field::Description, Field::Summary].into_iter().find_map(|f| event.text(f));
            named.and_then(clean).map(|title| (TitleSource::Task, title))
        }
        _ => None,
    }
}

fn of_message(event: &Event, better: impl Fn(TitleSource) -> bool) -> Option<(TitleSource, String)> {
    let written = event.written_text().filter(|_| better(TitleSource::Goal))?;
    if text::is_machine(written) {
        return None;
    }
    if let Some(title) = goal(written).and_then(|goal| clean(&goal)) {
        return Some((TitleSource::Goal, title));
    }
    if !better(TitleSource::Message) {
        return None;
    }
    let shown = event.display_text()?;
    clean(&shown).map(|title| (TitleSource::Message, title))
}

/// The text after `[Goal]` (or a line's `goal:`), up to the line's end or the next `[…]` heading.
fn goal(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let named = |at: usize| bytes.get(at..at + 4).is_some_and(|four| four.eq_ignore_ascii_case(b"goal"));
    if !memchr::memchr2_iter(b'g', b'G', bytes).any(named) {
        return None;
    }
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let lower = line.to_ascii_lowercase();
        let bare = line.trim_start_matches(|c: char| matches!(c, '#' | '*' | '-' | '>') || c.is_whitespace());
        let after = match lower.find("[goal]") {
            Some(at) => line.get(at + "[goal]".len()..),
            None => bare.get(..5).filter(|start| start.eq_ignore_ascii_case("goal:")).and_then(|_| bare.get(5..)),
        };
        let Some(after) = after else { continue };
        let after = after.trim_matches(|c: char| matches!(c, ':' | '*') || c.is_whitespace());
        // A heading may stand alone, with its text on the next line.
        let found = if after.is_empty() { lines.find(|next| !next.trim().is_empty())? } else { after };
        return Some(before_heading(found).to_owned());
    }
    None
}

fn before_heading(line: &str) -> &str {
    // The closing bracket of several open ones is searched once, so that a line of them does not take quadratic time.
    let mut close = 0;
    for (at, _) in line.match_indices('[').filter(|(at, _)| *at > 0) {
        if close <= at {
            let Some(next) = line[at..].find(']') else { break };
            close = at + next;
        }
        if close > at + 1 && !line[close + 1..].starts_with('(') {
            return &line[..at];
        }
    }
    line
}

/// A title from any text: without markdown, mentions, ids and section marks; ≤ 60 units cut at a word. `None` when
/// no words are left.
#[must_use]
pub fn clean(text: &str) -> Option<String> {
    let line = text::preview(&text::strip_tokens(&without_code_blocks(text)), 400);
    let line = without_section_marks(&line);
    let mut title = String::with_capacity(line.len());
    for word in line.split(' ').filter_map(without_id) {
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    let title = title.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ':' | ',' | ';' | '-' | '–' | '—' | '·' | '…' | '/' | '|')
    });
    title.chars().any(char::is_alphanumeric).then(|| cut(title)).filter(|title| !title.is_empty())
}

/// Title of a task: the first line of its description with words in it, cleaned; empty when there is none.
#[must_use]
pub fn heading(description: &str) -> String {
    description.lines().find_map(clean).unwrap_or_default()
}

/// The words of a title, lower-cased, for comparing: titles that differ in case, spaces or punctuation mean the same work.
#[must_use]
pub fn words_of(title: &str) -> String {
    let lower = title.to_lowercase();
    let mut words = String::with_capacity(lower.len());
    for word in lower.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty()) {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}

/// A letter or digit of any script; Hangul and ASCII, nearly everything, need no Unicode table.
fn is_word_char(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { is_syllable(c) || c.is_alphanumeric() }
}

/// Removes code blocks, which make poor titles; the caller uses them only when there is nothing else.
fn without_code_blocks(text: &str) -> Cow<'_, str> {
    if !text.contains("```") {
        return Cow::Borrowed(text);
    }
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    let joined = outside.join("\n");
    if joined.trim().is_empty() { Cow::Borrowed(text) } else { Cow::Owned(joined) }
}

/// `line` has single spaces only ([`text::preview`]).
fn without_section_marks(line: &str) -> Cow<'_, str> {
    const MARKS: [&str; 6] = ["[goal]", "[context]", "[task]", "[constraints]", "[result]", "[outcome]"];
    if !line.contains('[') {
        return Cow::Borrowed(line);
    }
    let mut out = line.to_owned();
    for mark in MARKS {
        while let Some(at) = out.to_ascii_lowercase().find(mark) {
            out.replace_range(at..at + mark.len(), " ");
        }
    }
    Cow::Owned(out.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The word when it is not an id; brackets and punctuation around an id are removed with it.
fn without_id(word: &str) -> Option<&str> {
    // Every form of an id has one of these; nearly no other word has.
    if !word.bytes().any(|byte| matches!(byte, b'_' | b'-' | b':')) {
        return Some(word).filter(|word| !word.is_empty());
    }
    let punctuation = |c: char| c.is_ascii_punctuation() && !matches!(c, '_' | '-');
    let core = word.trim_matches(punctuation);
    if !is_id(core) {
        return Some(word).filter(|word| !word.is_empty());
    }
    None
}

fn is_id(word: &str) -> bool {
    // Korean particles follow an id without a space: `task_ab12의`.
    let ascii = word.trim_end_matches(|c: char| !c.is_ascii());
    let short_tail = word.len() - ascii.len() <= 9;
    let token =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let prefixed = ["task_", "ws_", "ws-", "conv:", "plan_", "run_", "ws:"]
        .iter()
        .any(|prefix| ascii.strip_prefix(prefix).is_some_and(|rest| token(rest) && has_digit(rest)));
    let key = ascii.strip_prefix("agent:").is_some_and(|rest| rest.contains(':'));
    short_tail && (prefixed || key || is_uuid(ascii))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_uuid(text: &str) -> bool {
    if text.len() != 36 {
        return false;
    }
    let parts: Vec<&str> = text.split('-').collect();
    parts.len() == 5
        && parts
            .iter()
            .zip([8, 4, 4, 4, 12])
            .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// ≤ 60 units as they are; else 59 units, cut at a space beyond 60 %, and `…`.
fn cut(title: &str) -> String {
    // No text has more units than bytes.
    if title.len() <= MAX_UNITS {
        return title.to_owned();
    }
    let mut units = 0;
    let mut hard = title.len();
    let mut word_end = None;
    for (at, c) in title.char_indices() {
        if units + c.len_utf16() > MAX_UNITS - 1 && hard == title.len() {
            hard = at;
        }
        if c == ' ' && units > WORD_CUT_AFTER && hard == title.len() {
            word_end = Some(at);
        }
        units += c.len_utf16();
    }
    if units <= MAX_UNITS {
        return title.to_owned();
    }
    format!("{}…", title.get(..word_end.unwrap_or(hard)).unwrap_or(title).trim_end())
}
