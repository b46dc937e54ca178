//! Errors of permission requests: why a hook is not held, and why an answer was not given.

use std::io;

use super::requests::AnswerRefused;

/// Why a hook's request is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AskRefused {
    /// Too many wait.
    #[error("Too many permission requests wait")]
    Full,
}

/// Why an answer was not given.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    /// The request or the answer does not allow it.
    #[error("{0}")]
    Refused(#[from] AnswerRefused),
    /// The record cannot be written, so the hook got nothing.
    #[error("the answer was not given, because the record of answers cannot be written: {0}")]
    NotRecorded(io::Error),
    /// OpenClaw's gateway did not take it; why.
    #[error("OpenClaw's gateway did not take the answer, so nothing changed: {0}")]
    NotTaken(String),
}
