//! Titles by rule (design §3.6, `contract/events.md` §7.3).

use serde::{Deserialize, Serialize};

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
