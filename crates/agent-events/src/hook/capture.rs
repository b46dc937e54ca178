//! Capture levels of hooks: how much of a hook may be stored (`contract/event-schema-v1_1.md` §C.6).

use serde::{Deserialize, Serialize};

/// Field of a stored payload with its capture level.
pub(super) const CAPTURED: &str = "captured";

/// The user's choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Capture {
    /// No text that a person or a model wrote: names, ids, states, durations, exit codes.
    None,
    /// Short summaries, subjects of tasks, names of files, errors, what agents say to each other; secrets masked.
    #[default]
    Summary,
    /// Prompts, commands and outputs too, cut and masked.
    Full,
}

impl Capture {
    /// The level of a word; none for any other.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "summary" => Some(Self::Summary),
            "full" => Some(Self::Full),
            _ => None,
        }
    }

    /// The word of a level.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Summary => "summary",
            Self::Full => "full",
        }
    }
}
