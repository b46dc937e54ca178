//! Errors of failed queries, and their text in the user's language.

use coordination::api::{ErrorBody, ErrorCode};

use crate::i18n::messages::Messages;

/// A failed query.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceError {
    /// No answer at all.
    Network,
    /// The answer does not have the expected shape.
    Decode,
    /// The monitor has no such endpoint.
    Unsupported,
    /// The monitor answered with an error.
    Api {
        /// HTTP status.
        status: u16,
        /// The error body; its `code` selects the sentence.
        body: ErrorBody,
    },
}

impl SourceError {
    /// True when the log does not contain the requested object (404), as opposed to: it could not be read.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Api { status: 404, .. })
    }

    /// True when the value changed since it was read (409).
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Api { status: 409, .. })
    }

    /// True when the person at the page is not signed in or has not the right (401, 403).
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Api { status: 401 | 403, .. })
    }

    /// True when the machine shows this on its own dashboard only (501).
    pub fn is_not_offered(&self) -> bool {
        matches!(self, Self::Api { body, .. } if body.code == ErrorCode::NotOffered)
    }

    /// True when a retry may help: no answer, an answer that a proxy refused or truncated, or a status 408, 429 or 5xx.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Network | Self::Decode => true,
            Self::Unsupported => false,
            Self::Api { .. } if self.is_not_offered() => false,
            Self::Api { status, .. } => matches!(status, 408 | 429 | 500..),
        }
    }

    /// The sentence a user sees.
    pub fn sentence(&self, words: &Messages) -> String {
        let common = &words.common;
        match self {
            Self::Network => common.error_network.to_owned(),
            Self::Decode => common.error_decode.to_owned(),
            Self::Unsupported => common.error_unsupported.to_owned(),
            Self::Api { body, .. } => {
                let mut sentence = (common.error)(body.code).to_owned();
                if let (ErrorCode::InvalidValue, Some(field), false) = (body.code, &body.field, body.allowed.is_empty())
                {
                    sentence.push(' ');
                    sentence.push_str(&(common.error_allowed)(field, &body.allowed.join(", ")));
                }
                sentence
            }
        }
    }

    /// Reference for support: status and request id. Empty when there is none.
    pub fn reference(&self, words: &Messages) -> String {
        match self {
            Self::Api { status, body } if !body.request_id.is_empty() => {
                format!("{status} · {} {}", words.common.request_id, body.request_id)
            }
            Self::Api { status, .. } => status.to_string(),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn invalid_value_error_names_field_and_options() {
        let error = SourceError::Api {
            status: 400,
            body: ErrorBody {
                error: "status".to_owned(),
                code: ErrorCode::InvalidValue,
                field: Some("status".to_owned()),
                allowed: vec!["ACTIVE".to_owned(), "QUIET".to_owned()],
                range: None,
                fault: None,
                request_id: "r-7".to_owned(),
            },
        };
        assert!(error.sentence(Locale::Ko.messages()).ends_with("다음 중 하나여야 합니다: ACTIVE, QUIET"));
        assert_eq!(error.reference(Locale::En.messages()), "400 · Request r-7");
    }
}
