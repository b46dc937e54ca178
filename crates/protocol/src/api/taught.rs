//! Types of the classifier rules that people teach (`/api/v2/classifier/config`): words and agents with a weight for or
//! against a category. Also types of `/api/v2/classifier/replay`: session texts on which rules are tried.

use serde::{Deserialize, Serialize};

use super::{Classifier, Cursor, SessionLink};
use crate::category::Category;
use crate::ids::AgentId;

/// Most words.
pub const MAX_TAUGHT_WORDS: usize = 200;
/// Most hints by agent.
pub const MAX_AGENT_HINTS: usize = 100;
/// Longest word or phrase, in characters.
pub const MAX_TAUGHT_CHARS: usize = 40;
/// Greatest weight either way, in points of the score. The runner-up is mostly less than two behind, in a long session
/// of one mind up to ten.
pub const MAX_TAUGHT_WEIGHT: f64 = 20.0;

/// Rules of the classifier: the file `task-hub-classifier.json` in the home, and the body of its PUT.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Taught {
    /// Words and phrases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 200))]
    pub words: Vec<TaughtWord>,
    /// Agents. Without a hint, who speaks is no evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub agents: Vec<AgentHint>,
}

/// A word or phrase that speaks for a category wherever it is said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaughtWord {
    /// As typed: one to four words. Letter case, particles and endings do not matter.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 40))]
    pub word: String,
    /// What it speaks for.
    pub category: Category,
    /// Points added to the category's score once a session, −20 to 20 in hundredths; below 0 it speaks against.
    #[cfg_attr(feature = "openapi", schema(minimum = -20, maximum = 20))]
    pub weight: f64,
}

/// An agent whose part in a session speaks for a category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentHint {
    /// Who speaks.
    pub agent: AgentId,
    /// What that speaks for.
    pub category: Category,
    /// As [`TaughtWord::weight`].
    #[cfg_attr(feature = "openapi", schema(minimum = -20, maximum = 20))]
    pub weight: f64,
}

/// Why a rule is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaughtFault {
    /// Where, e.g. `words[2].word`.
    pub field: String,
    /// English sentence.
    pub message: String,
}

impl Taught {
    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.agents.is_empty()
    }

    /// Fingerprint of this content: equal rules have equal revisions.
    #[must_use]
    pub fn revision(&self) -> String {
        // FNV-1a over the parsed rules, so that spaces and the order of keys in the file do not matter.
        let text = serde_json::to_string(self).unwrap_or_default();
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
    }
}

/// `GET /api/v2/classifier/config`, and the answer to its PUT.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaughtInfo {
    /// The rules in force.
    #[serde(default)]
    pub config: Taught,
    /// Their revision; see [`Taught::revision`].
    #[serde(default)]
    pub revision: String,
    /// ISO time of the last change made here; absent when there was none or another program wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Who made it, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
    /// The file, below `~` where it is.
    #[serde(default)]
    pub path: String,
    /// The classifier in force; `v1` ignores the rules.
    #[serde(default)]
    pub classifier: Classifier,
    /// Why the file cannot be used; the previous rules stay in force, and the file is not overwritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// `PUT /api/v2/classifier/config`: body.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaughtPut {
    /// The complete new rules.
    pub config: Taught,
    /// The revision the client last saw; absent: any revision is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub expected: Option<String>,
    /// Author of the change, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub updated_by: Option<String>,
}

/// `GET /api/v2/classifier/replay?after&limit`: texts of sessions, for classifying them with other rules.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReplayPage {
    /// This page, newest sessions first.
    pub sessions: Vec<ReplaySession>,
    /// Sessions in the log.
    pub total: u32,
    /// Give as `after` for the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
    /// Position this answer reflects.
    #[serde(default)]
    pub cursor: Cursor,
}

/// One session as the classifier reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReplaySession {
    /// The session.
    pub session: SessionLink,
    /// Its category without an override, with taught words.
    pub automatic: Category,
    /// The override that a person set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<Category>,
    /// An event states the category: no word changes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stated: bool,
    /// Its category when no word is known.
    pub fallback: Category,
    /// Texts of main agents, oldest first.
    #[serde(default)]
    pub main: Vec<ReplayText>,
    /// Other texts: used only where main agents say nothing that is known.
    #[serde(default)]
    pub other: Vec<ReplayText>,
}

/// One text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReplayText {
    /// Its part of the record.
    pub place: TextZone,
    /// Who says it; absent for labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<AgentId>,
    /// The text, as far as the classifier reads it.
    pub text: String,
}

/// The part of a record that a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TextZone {
    /// The title that the author of the work gave it.
    Label,
    /// What somebody asks for.
    Request,
    /// What somebody answers.
    Answer,
}

impl TextZone {
    /// The part that an event's text is, by the event's type.
    #[must_use]
    pub fn of_type(event_type: &str) -> Self {
        match event_type {
            "a2a.response" | "a2a.complete" | "a2a.spawn_result" => Self::Answer,
            _ => Self::Request,
        }
    }
}
