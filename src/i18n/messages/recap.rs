//! Message struct of what changed since the last visit: one field per text. Each language is a value of it.

use coordination::api::{RecapKind, RecapOutcome};

/// Messages of what changed since the last visit.
pub struct RecapMessages {
    pub title: &'static str,
    pub since: fn(time: &str) -> String,
    /// Leads to home as it was then.
    pub look: &'static str,
    pub dismiss: &'static str,
    pub kind: fn(RecapKind) -> &'static str,
    pub outcome: fn(RecapOutcome, agent: &str, other: &str, title: &str, count: u32) -> String,
    pub slow: fn(agent: &str, took: &str, usual: &str) -> String,
    pub quiet: fn(agent: &str) -> String,
    /// Changes without a line.
    pub more: fn(u32) -> String,
    pub summary: fn(sessions: u32, events: u32) -> String,
}
