//! Grouping of similar consecutive events into bursts, which the event list shows as one line. Only neighbours are
//! joined. So the order never changes, and expanding all bursts gives the full list.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::api::EventRow;
use crate::ids::{AgentId, SessionId};

/// Neighbours of one type between the same agents belong together when no more time than this lies between them.
pub const PAIR_GAP_MS: i64 = 60_000;
/// Equal texts belong together within this time: prompts are repeated every few minutes.
pub const WORDS_GAP_MS: i64 = 1_800_000;
/// Fewer events of one type between the same agents are no burst.
pub const MIN_PAIR_EVENTS: usize = 4;
/// Fewer repetitions are no burst.
pub const MIN_REPETITIONS: usize = 3;

/// The type of a call; its end is another.
const TOOL_STARTED: &str = "tool.started";

/// What the events of a burst share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sameness {
    /// Type and agents.
    Pair,
    /// Type, speaker and words.
    Words,
    /// The agent that uses tools, one after the other.
    Tools,
}

/// Rows that a list shows as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Burst {
    /// Which rows, by position.
    pub rows: Range<usize>,
    /// What they share; absent for a single row.
    pub of: Option<Sameness>,
}

/// Content of the line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of events.
    pub count: usize,
    /// Time of the oldest, epoch milliseconds.
    pub from: i64,
    /// Time of the newest.
    pub to: i64,
    /// The recipients, each once, the newest first.
    pub addressees: Vec<AgentId>,
    /// The sessions, each once, the newest first.
    pub sessions: Vec<SessionId>,
    /// The tools that were used, each with how often it was called or, where only that is seen, came back; the most used
    /// first.
    pub tools: Vec<(String, usize)>,
}

/// The rows (newest first) as bursts, in their order: every row is in exactly one. No burst reaches over a change of
/// `day`. A failure is joined with its own repetition only, and a person's message with nothing.
pub fn bursts<R: Borrow<EventRow>>(rows: &[R], day: impl Fn(i64) -> i64) -> Vec<Burst> {
    let near = |a: &EventRow, b: &EventRow, gap: i64| {
        a.at > 0 && b.at > 0 && a.at.abs_diff(b.at) <= gap.unsigned_abs() && day(a.at) == day(b.at)
    };
    // Compared with the first of the run, and in time with the one before.
    let run = |from: usize, gap: i64, same: fn(&EventRow, &EventRow) -> bool| {
        let first = rows[from].borrow();
        let joined = rows[from..].windows(2).take_while(|two| {
            let (before, next) = (two[0].borrow(), two[1].borrow());
            near(before, next, gap) && same(first, next)
        });
        joined.count() + 1
    };
    let mut out = Vec::with_capacity(rows.len());
    let mut at = 0;
    while at < rows.len() {
        let pair = run(at, PAIR_GAP_MS, same_pair);
        let words = run(at, WORDS_GAP_MS, same_words);
        let tools = run(at, PAIR_GAP_MS, same_tools);
        let of_pair = Some((pair, Sameness::Pair)).filter(|_| pair >= MIN_PAIR_EVENTS);
        let of_words = Some((words, Sameness::Words)).filter(|_| words >= MIN_REPETITIONS);
        // The longer of two. Equal texts say more, and tool calls are joined first.
        let (length, of) = match (of_pair, of_words) {
            _ if tools >= MIN_PAIR_EVENTS => (tools, Some(Sameness::Tools)),
            (Some(pair), Some(words)) if pair.0 > words.0 => (pair.0, Some(pair.1)),
            (_, Some(words)) => (words.0, Some(words.1)),
            (Some(pair), None) => (pair.0, Some(pair.1)),
            (None, None) => (1, None),
        };
        out.push(Burst { rows: at..at + length, of });
        at += length;
    }
    out
}

/// Content of the line for these rows (newest first).
pub fn summary<R: Borrow<EventRow>>(rows: &[R]) -> Summary {
    let mut out = Summary { count: rows.len(), ..Summary::default() };
    let times = || rows.iter().map(|row| row.borrow().at);
    (out.from, out.to) = (times().min().unwrap_or_default(), times().max().unwrap_or_default());
    for row in rows {
        let row = row.borrow();
        if let Some(to) = row.to.as_ref().filter(|to| !out.addressees.contains(to)) {
            out.addressees.push(to.clone());
        }
        if let Some(session) = row.session_id.as_ref().filter(|session| !out.sessions.contains(session)) {
            out.sessions.push(session.clone());
        }
    }
    out.tools = tools(rows);
    out
}

/// Calls and their ends are two events each: a tool was used as often as the more of both says.
fn tools<R: Borrow<EventRow>>(rows: &[R]) -> Vec<(String, usize)> {
    let mut uses: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in rows.iter().map(Borrow::borrow) {
        let Some(tool) = &row.tool else { continue };
        let (calls, ends) = uses.entry(&tool.name).or_default();
        *(if row.event_type == TOOL_STARTED { calls } else { ends }) += 1;
    }
    let mut out: Vec<(String, usize)> =
        uses.into_iter().map(|(name, (calls, ends))| (name.to_owned(), calls.max(ends))).collect();
    out.sort_by_key(|(_, count)| Reverse(*count));
    out
}

/// One agent uses tools in one session, and none of them failed.
fn same_tools(a: &EventRow, b: &EventRow) -> bool {
    let quiet = |row: &EventRow| row.tool.is_some() && !has_failed(row);
    quiet(a) && quiet(b) && a.agent_id == b.agent_id && a.session_id == b.session_id && a.origin == b.origin
}

/// Type, agents and outcome are the same, and nothing went wrong.
fn same_pair(a: &EventRow, b: &EventRow) -> bool {
    same_kind(a, b) && a.to == b.to && !has_failed(a)
}

/// The same speaker says the same words. Without words, it must be about the same thing.
fn same_words(a: &EventRow, b: &EventRow) -> bool {
    let about = || a.to == b.to && a.task_id == b.task_id && a.session_id == b.session_id;
    same_kind(a, b) && a.text == b.text && (!a.text.is_empty() || about())
}

fn same_kind(a: &EventRow, b: &EventRow) -> bool {
    !a.human
        && !b.human
        && a.event_type == b.event_type
        && a.role == b.role
        && a.agent_id == b.agent_id
        && a.from == b.from
        && a.outcome == b.outcome
        && a.missing == b.missing
        // One line says where all of them come from.
        && a.origin == b.origin
}

/// A person may want to see each of these.
fn has_failed(row: &EventRow) -> bool {
    let bad_type = ["failed", "blocked", "rejected"].iter().any(|end| row.event_type.ends_with(end));
    let bad_outcome =
        |word: &str| matches!(word, "no_reply" | "blocked" | "forbidden" | "error" | "failed" | "timeout");
    bad_type || row.missing.is_some() || row.outcome.as_deref().is_some_and(bad_outcome)
}
