//! Work list lines that the user snoozed, stored in this browser. A line stays hidden until its evidence (an event
//! or a file) changes, or until the end of the day, as the user chose.

use coordination::api::Attention;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::stored::{Persistent, Stored};

/// Maximum number of stored lines; the oldest are dropped and shown again.
const MAX_SNOOZED: usize = 200;
const VERSION: u64 = 1;

/// How long a line stays hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnoozeUntil {
    /// Until another event proves it.
    UntilNews,
    /// Until this time, epoch ms, whatever comes.
    Until(i64),
}

#[derive(Debug, Clone, PartialEq)]
struct SnoozeEntry {
    /// What the line is about.
    about: String,
    /// What proved it then.
    proof: String,
    until: SnoozeUntil,
}

/// All snoozed lines, the latest last, at most [`MAX_SNOOZED`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snoozed(Vec<SnoozeEntry>);

impl Snoozed {
    fn hides(&self, line: &Attention, now: i64) -> bool {
        let about = line.subject_key();
        self.0.iter().filter(|put| put.about == about).any(|put| match put.until {
            SnoozeUntil::UntilNews => put.proof == line.proof_key(),
            SnoozeUntil::Until(end) => now < end,
        })
    }

    fn snooze(&mut self, line: &Attention, until: SnoozeUntil) {
        let about = line.subject_key();
        self.0.retain(|put| put.about != about);
        self.0.push(SnoozeEntry { about, proof: line.proof_key(), until });
        self.0.drain(..self.0.len().saturating_sub(MAX_SNOOZED));
    }

    fn bring_back(&mut self, line: &Attention) {
        let about = line.subject_key();
        self.0.retain(|put| put.about != about);
    }
}

impl Persistent for Snoozed {
    const KEY: &'static str = "task-hub.put-away";

    fn to_text(&self) -> String {
        let row = |put: &SnoozeEntry| {
            let until = match put.until {
                SnoozeUntil::UntilNews => None,
                SnoozeUntil::Until(end) => Some(end),
            };
            json!([put.about, put.proof, until])
        };
        json!({ "v": VERSION, "lines": self.0.iter().map(row).collect::<Vec<_>>() }).to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        let stored: Value = serde_json::from_str(text).ok()?;
        let rows = stored.get("lines").filter(|_| stored["v"].as_u64() == Some(VERSION))?.as_array()?;
        let put = |row: &Value| {
            let until = row.get(2)?.as_i64().map_or(SnoozeUntil::UntilNews, SnoozeUntil::Until);
            Some(SnoozeEntry {
                about: row.get(0)?.as_str()?.to_owned(),
                proof: row.get(1)?.as_str()?.to_owned(),
                until,
            })
        };
        Some(Self(rows.iter().filter_map(put).collect()))
    }
}

/// The snoozed lines.
#[derive(Clone, Copy)]
pub struct SnoozedLines(Stored<Snoozed>);

impl SnoozedLines {
    pub(super) fn new() -> Self {
        Self(Stored::new())
    }

    /// True while the line is snoozed. Reactive.
    pub fn hides(self, line: &Attention, now: i64) -> bool {
        self.0.with(|put| put.hides(line, now))
    }

    /// Snoozes a line.
    pub fn snooze(self, line: &Attention, until: SnoozeUntil) {
        self.0.change(|put| put.snooze(line, until));
    }

    /// Brings it back.
    pub fn bring_back(self, line: &Attention) {
        self.0.change(|put| put.bring_back(line));
    }
}

/// The snoozed lines.
pub fn use_snoozed() -> SnoozedLines {
    expect_context()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::decode::decode;

    fn line(event: &str) -> Attention {
        decode(json!({
            "kind": "noReply", "inferred": false, "since": 5, "agent": "eden", "other": "seum",
            "sessionId": "ws", "threadId": "conv:c", "eventId": event,
        }))
        .unwrap()
    }

    #[test]
    fn snoozed_line_returns_with_new_event() {
        let mut put = Snoozed::default();
        put.snooze(&line("f-1"), SnoozeUntil::UntilNews);
        assert!(put.hides(&line("f-1"), 1_000_000_000));
        assert!(!put.hides(&line("f-2"), 0));
        let other = Attention { task_id: Some("task_1".into()), ..line("f-1") };
        assert!(!put.hides(&other, 0), "another subject is another line");
    }

    #[test]
    fn day_snooze_ends_at_end_of_day() {
        let mut put = Snoozed::default();
        put.snooze(&line("f-1"), SnoozeUntil::Until(100));
        assert!(put.hides(&line("f-2"), 99));
        assert!(!put.hides(&line("f-1"), 100));
    }

    /// A line without an event returns when its file has a newer time.
    #[test]
    fn file_evidence_change_ends_snooze() {
        let file = |since| Attention { event_id: None, evidence: "tasks/a.md".to_owned(), since, ..line("") };
        let mut put = Snoozed::default();
        put.snooze(&file(5), SnoozeUntil::UntilNews);
        assert!(put.hides(&file(5), 0) && !put.hides(&file(6), 0));
    }

    #[test]
    fn snoozed_lines_can_be_restored_and_persist() {
        let mut put = Snoozed::default();
        put.snooze(&line("f-1"), SnoozeUntil::UntilNews);
        put.snooze(&line("f-1"), SnoozeUntil::Until(7));
        assert_eq!(Snoozed::from_text(&put.to_text()), Some(put.clone()));
        put.bring_back(&line("f-9"));
        assert_eq!(put, Snoozed::default(), "a line is snoozed once at most");
        assert_eq!(Snoozed::from_text("[]"), None);
    }
}
