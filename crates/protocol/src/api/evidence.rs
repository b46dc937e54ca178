//! Parameters of `GET evidence`, which makes an evidence file.

use crate::ids::{SessionId, ThreadId};

/// How an evidence file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(rename_all = "lowercase"))]
pub enum EvidenceFormat {
    /// Its lines as JSON.
    #[default]
    Ndjson,
    /// A page with these lines and the dashboard inside, which opens from a disk.
    Html,
}

impl EvidenceFormat {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ndjson, Self::Html];

    /// Text on the wire, and ending of the file's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Html => "html",
        }
    }

    /// Content type of the file.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Html => "text/html;charset=utf-8",
        }
    }
}

impl std::str::FromStr for EvidenceFormat {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or(())
    }
}

/// Parameters of `GET evidence`. A session, a text, a begin or an end has to be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct EvidenceQuery {
    /// Lines of this work session only.
    #[cfg_attr(feature = "openapi", param(value_type = Option<String>))]
    pub session: Option<SessionId>,
    /// Lines of this thread only; its session has to be given too.
    #[cfg_attr(feature = "openapi", param(value_type = Option<String>))]
    pub thread: Option<ThreadId>,
    /// Lines of events that a search for this text finds, as in `GET events`.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub q: Option<String>,
    /// Lines of events from this time on, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
    /// Lines of events up to this time, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub until: Option<i64>,
    /// Masks tokens, e-mail addresses, phone numbers and addresses of private hosts in the texts of the lines.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub mask: bool,
    /// Adds the notes and resolved marks about the session, its threads and the messages in the file.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub notes: bool,
    /// Who makes the file, where no proxy names the person; at most 200 characters.
    #[cfg_attr(feature = "openapi", param(max_length = 200))]
    pub by: Option<String>,
    /// A note for its readers, at most 400 characters.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub note: Option<String>,
    /// How the file is written: `ndjson`, or `html` for a page that shows the lines without a monitor.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub format: EvidenceFormat,
}
