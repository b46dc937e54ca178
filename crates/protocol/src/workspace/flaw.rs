//! Types of the flaws of a task file: missing fields, unknown values and lines that could not be parsed. They are
//! reported together with the parsed parts.

use serde::{Deserialize, Serialize};

/// One thing that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskFlaw {
    /// Kind of the flaw.
    pub kind: FlawKind,
    /// As written: the status, the section's name, the first such line.
    pub text: String,
    /// Number of occurrences.
    pub count: u32,
}

/// Kinds of flaws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum FlawKind {
    /// A status that is not one of the nine.
    Status,
    /// A priority that is not one of the four.
    Priority,
    /// No status is written: an unfinished file, or one of somebody else.
    NoStatus,
    /// The description is missing, which the gateway requires.
    NoDescription,
    /// A fence whose JSON cannot be read, as in a half-written file.
    Section,
    /// Lines among the steps that are no steps.
    Steps,
    /// Lines among the progress notes that are not notes: the rest of a note over several lines.
    Progress,
    /// A heading this build does not know, with lines below it.
    Heading,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

/// Notes a flaw, or counts it to the first of its kind. Headings and sections are listed one by one.
pub(super) fn note(flaws: &mut Vec<TaskFlaw>, kind: FlawKind, text: &str) {
    /// Stored characters of the original text.
    const MAX_FLAW_CHARS: usize = 120;
    let own = matches!(kind, FlawKind::Section | FlawKind::Heading);
    let same = |flaw: &&mut TaskFlaw| flaw.kind == kind && (!own || flaw.text == text);
    match flaws.iter_mut().find(same) {
        Some(flaw) => flaw.count = flaw.count.saturating_add(1),
        None => flaws.push(TaskFlaw { kind, text: text.chars().take(MAX_FLAW_CHARS).collect(), count: 1 }),
    }
}
