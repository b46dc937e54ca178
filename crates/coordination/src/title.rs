//! Titles by rule (design §3.6, `contract/events.md` §7.3).

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::role::Role;

/// Where a title comes from, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TitleSource {
    /// `label`.
    Label,
    /// `[Goal]`.
    Goal,
    /// First user-facing message.
    Message,
    /// Description of the task it belongs to.
    Task,
    /// Nothing fitted: `협업 작업`.
    Default,
}

/// Title when nothing else fits (`contract/events.md` §7.3).
pub const DEFAULT_TITLE: &str = "협업 작업";

/// The best title this one event can give, or nothing. Over a session the lowest source wins, then the first event.
#[must_use]
pub fn of_event(event: &Event, role: Role) -> Option<(TitleSource, String)> {
    let _ = (event, role);
    None
}

/// A title out of any text: cleaned of markdown, mentions, ids, tokens; ≤ 60 characters cut at a word. Nothing when
/// no words are left.
#[must_use]
pub fn clean(text: &str) -> Option<String> {
    let text = crate::text::preview(text, 60);
    (!text.is_empty()).then_some(text)
}
