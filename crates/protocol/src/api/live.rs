//! Types of the live stream over WebSocket (`/api/v2/live`), server-sent events (`/live/events`) and long poll
//! (`/live/poll`): frames (`Frame`) and the stream position (`Cursor`). With `ClientMessage`, a WebSocket client names
//! the message thread that is open on its page.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::origin::is_zero;
use super::{Exchange, Home, Mark, Message, SessionCard, SourceInfo, ThreadSummary};
use crate::decode::{DecodeError, decode};
use crate::ids::{AgentId, SessionId, ThreadId};

/// Position in the stream of one monitor process. Its text is `epoch:seq`, or `epoch:seq~inputs`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cursor {
    /// Names the process run; a new one means "start over".
    pub epoch: String,
    /// Counts deltas from 0.
    pub seq: u64,
    /// Position in the streams of a fleet up to which this state has everything, so that the client can continue at another
    /// process that reads them. A client passes it on as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
}

impl Cursor {
    /// Whether both are the same position of the same process run.
    #[must_use]
    pub fn is_at(&self, other: &Self) -> bool {
        (&self.epoch, self.seq) == (&other.epoch, other.seq)
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.epoch, self.seq)?;
        self.inputs.as_ref().map_or(Ok(()), |inputs| write!(f, "~{inputs}"))
    }
}

impl std::str::FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (epoch, rest) = text.rsplit_once(':').ok_or(())?;
        if epoch.is_empty() {
            return Err(());
        }
        let (seq, inputs) = rest.split_once('~').map_or((rest, None), |(seq, inputs)| (seq, Some(inputs.to_owned())));
        Ok(Self { epoch: epoch.to_owned(), seq: seq.parse().map_err(|_| ())?, inputs })
    }
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Frame {
    /// The whole state, at start and after a reset.
    Snapshot(Box<Snapshot>),
    /// A change.
    Delta(Box<Delta>),
    /// No change; the connection is alive.
    Heartbeat(Heartbeat),
    /// The cursor cannot be continued: a snapshot follows (or must be fetched).
    Reset(Reset),
    /// A frame this build does not know.
    Unknown,
}

impl<'de> Deserialize<'de> for Frame {
    /// By hand and through a JSON value: the derived form would compile every wire type once more for its buffer,
    /// which is a fifth of the dashboard's bundle.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl Frame {
    /// Decodes a frame from a JSON value.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] when the value is not a frame; an unknown kind is [`Frame::Unknown`].
    pub fn from_value(value: Value) -> Result<Self, DecodeError> {
        let kind = value.get("type").and_then(Value::as_str).ok_or(DecodeError)?.to_owned();
        match kind.as_str() {
            "snapshot" => decode(value).map(Self::Snapshot),
            "delta" => decode(value).map(Self::Delta),
            "heartbeat" => decode(value).map(Self::Heartbeat),
            "reset" => decode(value).map(Self::Reset),
            _ => Ok(Self::Unknown),
        }
    }
}

/// The whole state that a tab holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Position after it.
    pub cursor: Cursor,
    /// Server time, epoch ms.
    pub now: i64,
    /// Home.
    pub home: Home,
    /// The newest sessions, at most [`SNAPSHOT_SESSIONS`], newest first, ties by id.
    pub sessions: Vec<SessionCard>,
    /// Number of live clients of the monitor. Clients spread their reconnects by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u64>,
    /// What changed since the position in the inputs that the client named. When absent, anything may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangesSince>,
}

/// What changed since a position, for a client that continues at another process of a fleet: what it shows besides home and
/// cards, which a snapshot has whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ChangesSince {
    /// Sessions that are new or changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionId>,
    /// Threads with new or changed items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<TouchedThread>,
    /// Number of new events, or more.
    #[serde(skip_serializing_if = "is_zero")]
    pub events_total: u32,
    /// Agents whose tasks or files changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// Views for everybody changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub views: bool,
    /// Anything may have changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub everything: bool,
}

/// How many cards a snapshot carries.
pub const SNAPSHOT_SESSIONS: usize = 100;

/// One change. Applied only when its `cursor.seq` is the next one.
///
/// It says which threads and how many events are new, not what they hold: a client asks for what it shows. The thread
/// that a client names when it opens the stream, or later over its WebSocket, comes along in `threadPatch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// Position after it.
    pub cursor: Cursor,
    /// Server time, epoch ms.
    pub now: i64,
    /// Home as it is now. Left out of most deltas of a busy stream because of its size: it is sent at most ten times a
    /// second, and the previous one stays valid until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<Home>,
    /// Cards that are new or changed.
    #[serde(default)]
    pub sessions: Vec<SessionCard>,
    /// Removed sessions (a late event showed that their events belong to another session).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<SessionId>,
    /// Threads with new or changed items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<TouchedThread>,
    /// Removed threads, for the same reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed_threads: Vec<(SessionId, ThreadId)>,
    /// Number of new events.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub events_total: u32,
    /// Agents whose tasks or files changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// Names, roles or rules changed, or an override of a session without events: open pages refetch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everything: bool,
    /// Revision of OpenClaw's session stores; absent when they did not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stores: Option<u64>,
    /// Views for everybody changed: pages that show them refetch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub views: bool,
    /// New and changed items of the thread that this client shows: a [`ThreadPatch`], decoded only by the page that
    /// shows the thread. Absent when that thread did not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<ThreadPatch>))]
    pub thread_patch: Option<Value>,
}

/// New or changed items of one thread; items replace those of the same id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ThreadPatch {
    /// The session.
    pub session_id: SessionId,
    /// Its summary now.
    pub thread: ThreadSummary,
    /// True when a late event changed what came before: ask for the thread again. Then there are no items here.
    #[serde(default)]
    pub replaced: bool,
    /// New bubbles.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// New marks.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// New or changed deliveries.
    #[serde(default)]
    pub exchanges: Vec<Exchange>,
}

/// A thread with new or changed items.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TouchedThread {
    /// The session.
    pub session_id: SessionId,
    /// The thread.
    pub thread: TouchedSummary,
}

/// The id of a [`ThreadSummary`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TouchedSummary {
    /// The thread.
    pub thread_id: ThreadId,
}

impl TouchedThread {
    /// The thread of a [`ThreadPatch`] that is still a JSON value.
    #[must_use]
    pub fn of_patch(patch: &Value) -> Option<Self> {
        let id = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
        Some(Self {
            session_id: id(patch, "sessionId")?.into(),
            thread: TouchedSummary { thread_id: id(patch.get("thread")?, "threadId")?.into() },
        })
    }
}

/// What a client tells the monitor over its WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ClientMessage {
    /// From now on it shows this thread; without `thread` none. Replaces what it named before.
    #[serde(rename_all = "camelCase")]
    Show {
        /// The thread.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thread: Option<ShownThread>,
    },
}

/// A thread that a client shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShownThread {
    /// The session.
    pub session_id: SessionId,
    /// The thread.
    pub thread_id: ThreadId,
}

/// Sign of life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Heartbeat {
    /// Newest position sent over this connection: a client with an older one has missed frames.
    pub cursor: Cursor,
    /// Server time, epoch ms.
    pub now: i64,
    /// State of the files.
    pub source: SourceInfo,
    /// How many live clients the monitor has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u64>,
}

/// Why a cursor ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reset {
    /// Current position.
    pub cursor: Cursor,
    /// `epoch` (another run of the monitor) or `window` (what was missed is no longer kept).
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::Cursor;

    #[test]
    fn position_is_read_from_its_text_with_and_without_inputs() {
        for text in ["a1b2:7", "a1b2:0~17-18.5.70"] {
            let cursor: Cursor = text.parse().expect("a position");
            assert_eq!((cursor.epoch.as_str(), cursor.to_string().as_str()), ("a1b2", text));
        }
        assert_eq!("a:7~17-18.5.70".parse::<Cursor>().map(|cursor| cursor.seq), Ok(7));
        for damaged in ["", ":7", "a:", "a:x~1", "a:-1"] {
            assert!(damaged.parse::<Cursor>().is_err(), "{damaged}");
        }
    }
}
