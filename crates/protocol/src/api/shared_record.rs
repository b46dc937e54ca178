//! Types of `/api/v2/shared`: records that all people of a home see, namely notes, resolved marks, views for everybody
//! and rules of alerts. [`SharedRecords`](crate::shared_records::SharedRecords) replays their file.

use serde::{Deserialize, Serialize};

use super::{AlertRuleSpec, Cursor};
use crate::ids::{EventId, SessionId, ThreadId};

/// Longest note, in characters.
pub const MAX_NOTE_CHARS: usize = 10_000;
/// Longest name of a view, in characters.
pub const MAX_VIEW_NAME_CHARS: usize = 60;
/// Longest address of a view, in characters.
pub const MAX_VIEW_PATH_CHARS: usize = 2_000;
/// Most records in force at a time.
pub const MAX_SHARED_RECORDS: usize = 10_000;

/// A note, a resolved mark, a view for everybody or a rule of alerts, with its authors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SharedRecord {
    /// Id, chosen by the client that wrote the record first.
    pub id: String,
    /// Grows by one with each change; 1 after the first.
    pub revision: u32,
    /// What it says.
    pub content: SharedContent,
    /// When it was written first.
    pub created_at: i64,
    /// Who wrote it first, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// When it was changed last.
    pub updated_at: i64,
    /// Who changed it last, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
}

/// Content of a shared record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SharedContent {
    /// A note on a session, thread or message.
    Note(Note),
    /// A session, thread or message that needs nothing more.
    Resolved(ResolvedMark),
    /// A list with its filters, under a name.
    View(TeamView),
    /// Which lines of the work list are sent to whom.
    Rule(AlertRuleSpec),
    /// A kind of a newer version.
    #[serde(other)]
    Unknown,
}

/// Text that a person wrote on a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// What it is about.
    pub place: NotePlace,
    /// The text, as typed.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 10000, pattern = r"[^\s\x00-\x1f\x7f-\x9f]"))]
    pub text: String,
}

/// Mark that a place needs nothing more. A place has at most one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResolvedMark {
    /// What is resolved.
    pub place: NotePlace,
    /// How or why, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 10000))]
    pub reason: Option<String>,
}

/// Who marked a session as resolved, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResolvedBy {
    /// When the mark was set or changed.
    pub at: i64,
    /// Who did, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// View that everybody has in the menu of its list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamView {
    /// Name of the view.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 60, pattern = r"[^\s\x00-\x1f\x7f-\x9f]"))]
    pub name: String,
    /// Address below the base of the dashboard, with its query. The pattern is that of [`is_own_path`].
    #[cfg_attr(
        feature = "openapi",
        schema(
            min_length = 1,
            max_length = 2000,
            pattern = r"^/(([^/\\%?#.\x00-\x1f\x7f-\x9f]|%([013-9A-Fa-f][0-9A-Fa-f]|2[0-9A-DFa-df]))([^/\\%?#\x00-\x1f\x7f-\x9f]|%([013-9A-Fa-f][0-9A-Fa-f]|2[0-9A-DFa-df]))*(/([^/\\%?#.\x00-\x1f\x7f-\x9f]|%([013-9A-Fa-f][0-9A-Fa-f]|2[0-9A-DFa-df]))([^/\\%?#\x00-\x1f\x7f-\x9f]|%([013-9A-Fa-f][0-9A-Fa-f]|2[0-9A-DFa-df]))*)*/?)?([?#][^\\\x00-\x1f\x7f-\x9f]*)?$"
        )
    )]
    pub path: String,
    /// It is shown on home, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub home: bool,
}

/// A session, one of its threads, or one of its messages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NotePlace {
    /// The session.
    pub work_session_id: SessionId,
    /// The thread; absent: the whole session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The message; absent: the whole thread or session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
}

impl NotePlace {
    /// Whether this is a whole session.
    #[must_use]
    pub fn is_session(&self) -> bool {
        self.thread_id.is_none() && self.event_id.is_none()
    }
}

impl SharedContent {
    /// What a note or mark is about; views and rules have no place.
    #[must_use]
    pub fn place(&self) -> Option<&NotePlace> {
        match self {
            Self::Note(note) => Some(&note.place),
            Self::Resolved(mark) => Some(&mark.place),
            Self::View(_) | Self::Rule(_) | Self::Unknown => None,
        }
    }

    /// The words that a person wrote.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Note(note) => &note.text,
            Self::Resolved(mark) => mark.reason.as_deref().unwrap_or_default(),
            Self::View(view) => &view.name,
            Self::Rule(rule) => &rule.name,
            Self::Unknown => "",
        }
    }

    /// Kind of the content.
    #[must_use]
    pub fn kind(&self) -> SharedKind {
        match self {
            Self::Note(_) => SharedKind::Note,
            Self::Resolved(_) => SharedKind::Resolved,
            Self::View(_) => SharedKind::View,
            Self::Rule(_) => SharedKind::Rule,
            Self::Unknown => SharedKind::Unknown,
        }
    }
}

/// Kind of a shared record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedKind {
    /// See [`SharedContent::Note`].
    Note,
    /// See [`SharedContent::Resolved`].
    Resolved,
    /// See [`SharedContent::View`].
    View,
    /// See [`SharedContent::Rule`].
    Rule,
    /// See [`SharedContent::Unknown`].
    Unknown,
}

/// `GET /api/v2/shared`: parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct SharedQuery {
    /// Only notes and marks of this session.
    pub session: Option<SessionId>,
    /// Records of every kind and session; without it and without `session` only views.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub all: bool,
}

/// `GET /api/v2/shared`: views for everybody, notes and marks of a session, or all records; oldest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SharedList {
    /// The records.
    pub records: Vec<SharedRecord>,
    /// Position this answer reflects.
    #[serde(default)]
    pub cursor: Cursor,
}

/// `PUT /api/v2/shared/{id}`: body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SharedPut {
    /// The new content. A record keeps its kind.
    pub content: SharedContent,
    /// The revision that the client last saw, 0 for a new record; absent: any revision is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<u32>,
    /// Author of the change, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub updated_by: Option<String>,
}

/// `DELETE /api/v2/shared/{id}`: body, which may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SharedRemoval {
    /// As in [`SharedPut::expected`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<u32>,
    /// Who removes it, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub updated_by: Option<String>,
}

/// Answer to a PUT or DELETE of a shared record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SharedChanged {
    /// The record now in force; absent after a removal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<SharedRecord>,
    /// Revision of the id now. A removed record can be written again with it as `expected`.
    pub revision: u32,
}

/// One line of the file: a change of one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedLine {
    /// When, by the monitor's clock.
    pub at: i64,
    /// Who, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Names the request in the monitor's log.
    #[serde(default)]
    pub request_id: String,
    /// Id of the record.
    pub id: String,
    /// Its revision after the change.
    pub revision: u32,
    /// Its content after the change; absent: it is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<SharedContent>,
}

/// Whether a text can be the id of a shared record: 1 to 64 letters, digits, `-` and `_` of ASCII.
#[must_use]
pub fn is_shared_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Whether an address leads to a page of the dashboard itself. Browsers read `\` as `/` and pass over tabs and line
/// breaks: `/\t/example.com` is another host. `..`, also written `%2e%2e`, leads out of the dashboard's folder.
#[must_use]
pub fn is_own_path(path: &str) -> bool {
    let odd = |c: char| c == '\\' || c.is_control();
    let place = path.split(['?', '#']).next().unwrap_or_default();
    let Some(place) = place.strip_prefix('/').filter(|_| !path.contains(odd)) else { return false };
    let mut segments = place.strip_suffix('/').unwrap_or(place).split('/');
    place.is_empty() || segments.all(|it| !it.is_empty() && !it.starts_with('.') && is_percent_encoded(it))
}

/// Whether each `%` begins a byte in hexadecimal, and none of them is a full stop.
fn is_percent_encoded(segment: &str) -> bool {
    let codes = segment.split('%').skip(1).map(|rest| rest.get(..2));
    let is_code = |code: &str| code.bytes().all(|byte| byte.is_ascii_hexdigit()) && !code.eq_ignore_ascii_case("2e");
    codes.into_iter().all(|code| code.is_some_and(is_code))
}

#[cfg(test)]
mod tests {
    use super::is_own_path;

    #[test]
    fn own_path_leads_to_no_other_place() {
        for path in ["/", "/all?q=../x", "/events?role=a.b#%2e%2e", "/s/conv%3A1/t/a.b/", "/?at=100%"] {
            assert!(is_own_path(path), "{path}");
        }
        let others =
            ["", "all", "//evil.example", "/\\evil.example", "/\t/evil.example", "/../admin", "/a/%2E%2e/admin"];
        for path in others.into_iter().chain(["/.", "//", "/a//b", "/100%", "/%2"]) {
            assert!(!is_own_path(path), "{path}");
        }
    }
}
