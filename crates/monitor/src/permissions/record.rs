//! Lines of the record of answers, `logs/task-hub-answers.ndjson`. An answer is on the disk before the hook or OpenClaw's
//! gateway gets it; a second line says what became of it. The command itself is not stored: its digest is.

use coordination::api::{PermissionChannel, PermissionDecision, PermissionState};
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerLine {
    /// ISO time by the monitor's clock.
    pub(super) at: String,
    /// Which of the two lines of an answer.
    pub(super) what: AnswerLineKind,
    /// Id of the request.
    pub(super) id: String,
    /// Who waited for the answer.
    #[serde(default)]
    pub(super) channel: PermissionChannel,
    /// The agent that asked.
    pub(super) agent: String,
    /// Session of its program, or key of its session in OpenClaw.
    pub(super) session: String,
    /// The tool.
    pub(super) tool: String,
    /// Digest of tool, input and folder, as the person saw them.
    pub(super) digest: String,
    /// What was decided.
    pub(super) decision: PermissionDecision,
    /// Who decided, if a proxy or the page names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<String>,
    /// Why, of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// The second press, of a call that is hard to undo.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) confirmed: bool,
    /// Names the HTTP request in the monitor's log.
    pub(super) request_id: String,
    /// Of the second line: how the request ended. `open`: the answer was not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<PermissionState>,
    /// Of the second line: why the gateway did not take the answer, or why nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cause: Option<String>,
}

/// Line of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum AnswerLineKind {
    /// It is about to be handed to the hook or the gateway.
    Answer,
    /// What became of it.
    Outcome,
}
