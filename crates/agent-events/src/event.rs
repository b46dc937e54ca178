//! Schema event: an event of a coding agent in the standard form of event schema 1.1 (`contract/event-schema-v1_1.md`
//! §A.1, §A.2). It has a type, source, severity, ids and payload. Its time is in epoch milliseconds in memory, and in
//! ISO 8601 on the wire.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use protocol::time::{parse_iso, to_iso};

/// The version that is written.
pub const VERSION: &str = "1.1";
/// The last millisecond whose year has four digits: the form of §A.1 has no place for more.
const LAST_MS: i64 = 253_402_300_799_999;

/// A moment that can be written, as near as there is one. Epoch milliseconds.
#[must_use]
pub(super) fn moment(ms: i64) -> i64 {
    ms.clamp(0, LAST_MS)
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident => $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$of])* $variant,)*
            /// A word that this build does not know; stored as written.
            Other(String),
        }

        impl $name {
            /// Every known word, in the order of the document.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }

            /// The value of a word on the wire.
            #[must_use]
            pub fn of(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)*
                    other => Self::Other(other.to_owned()),
                }
            }

            /// One of the document's words.
            #[must_use]
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Other(_))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Self::of(&String::deserialize(deserializer)?))
            }
        }
    };
}

words! {
    /// What happened (§A.2): nineteen types, and later ones of 1.x.
    Kind {
        /// An agent began, or began again.
        AgentStarted => "agent_started",
        /// An agent ended its turn or its life.
        AgentStopped => "agent_stopped",
        /// An agent waits for a person, or failed (`payload.state`).
        AgentBlocked => "agent_blocked",
        /// It continues.
        AgentUnblocked => "agent_unblocked",
        /// A task came into being.
        TaskCreated => "task_created",
        /// An agent was given a task.
        ManagerAssign => "manager_assign",
        /// And took it.
        AgentAcknowledged => "agent_acknowledged",
        /// Work on a task began.
        TaskStarted => "task_started",
        /// An update about a task.
        TaskProgress => "task_progress",
        /// A task is done.
        TaskCompleted => "task_completed",
        /// A task failed.
        TaskFailed => "task_failed",
        /// An agent requests a meeting.
        MeetingRequested => "meeting_requested",
        /// A meeting runs.
        MeetingStarted => "meeting_started",
        /// A meeting ended.
        MeetingEnded => "meeting_ended",
        /// A tool was called.
        ToolStarted => "tool_started",
        /// It succeeded.
        ToolSucceeded => "tool_succeeded",
        /// It did not.
        ToolFailed => "tool_failed",
        /// Something lives. Made by the server only.
        Heartbeat => "heartbeat",
        /// An input that could not be taken in.
        SchemaError => "schema_error",
    }
}

words! {
    /// Where a statement comes from (§A.1).
    Source {
        /// A hook of a coding agent.
        Hook => "hook",
        /// A program that writes events itself.
        Sdk => "sdk",
        /// The server concluded it.
        Synthetic => "synthetic",
    }
}

words! {
    /// How much it matters (§A.1).
    Severity {
        /// Only for detailed views.
        Debug => "debug",
        /// The course of things.
        Info => "info",
        /// A person may have to act.
        Warn => "warn",
        /// Something went wrong.
        Error => "error",
    }
}

impl Kind {
    /// A call of a tool began or ended.
    #[must_use]
    pub fn is_tool(&self) -> bool {
        matches!(self, Self::ToolStarted | Self::ToolSucceeded | Self::ToolFailed)
    }
}

impl Severity {
    /// The default of a type (§A.1, DECISION).
    #[must_use]
    pub fn of_kind(kind: &Kind) -> Self {
        match kind {
            Kind::ToolFailed | Kind::TaskFailed | Kind::SchemaError => Self::Error,
            Kind::AgentBlocked => Self::Warn,
            Kind::Heartbeat | Kind::ToolStarted => Self::Debug,
            _ => Self::Info,
        }
    }
}

/// One normalised event, complete. What may be missing on the wire is filled in when it is checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemaEvent {
    /// Unique everywhere; 1–128 of `[A-Za-z0-9._:-]`.
    pub id: String,
    /// `1.1`, or the 1.x in which it came.
    pub version: String,
    /// Epoch milliseconds; ISO-8601 UTC on the wire.
    #[serde(serialize_with = "write_time", deserialize_with = "read_time")]
    pub ts: i64,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The producer.
    pub source: Source,
    /// Project or repository, never a path.
    pub workspace_id: String,
    /// Instance of a terminal.
    pub terminal_session_id: String,
    /// One execution inside a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The outer session; internal, no display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Its agent: `team/agent`, the leader `team/leader`.
    pub agent_id: String,
    /// The counterpart.
    #[serde(default)]
    pub target_agent_id: Option<String>,
    /// The task.
    #[serde(default)]
    pub task_id: Option<String>,
    /// How much it matters.
    pub severity: Severity,
    /// BCP-47.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// What the type brings with it.
    #[serde(default)]
    pub payload: Map<String, Value>,
    /// Where it comes from, in brief: `provider`, `event_name`, `hash`, and `superseded` (§A.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Map<String, Value>>,
    /// Fields of a later 1.x: stored, not read (§A.6).
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl SchemaEvent {
    /// A text of the payload.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.payload.get(name).and_then(Value::as_str)
    }

    /// The one order of events: time, then id by code points (§A.4).
    #[must_use]
    pub fn place(&self) -> (i64, &str) {
        (self.ts, &self.id)
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks by reference; a time is small natively and not in wasm"
)]
fn write_time<S: Serializer>(ms: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&to_iso(*ms))
}

fn read_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_iso(&text).ok_or_else(|| D::Error::custom("no ISO-8601 time"))
}
