//! Newtypes of the ids of agents, sessions, message threads, tasks and events, serialised as plain JSON strings. The id
//! of an event in the coordination log names its file and byte offset.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String))]
        #[serde(transparent)]
        // The hub keeps several ids for each message: short ones need no allocation, long ones are shared by clones.
        pub struct $name(SmolStr);

        impl $name {
            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// An agent's id, lower-cased (`contract/events.md` §3), or `unknown`.
    AgentId
}

/// Lookup key for the text of every new event.
impl std::borrow::Borrow<str> for AgentId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Lookup key for the text in which a search found a match.
impl std::borrow::Borrow<str> for TaskId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

text_id! {
    /// A work session: the bare `workSessionId`, or `conv:<conversationId>` / `thread:<thread key>` for a
    /// synthetic one (`contract/monitor-api.md` D21).
    SessionId
}
text_id! {
    /// A thread's key inside its session: `conv:…`, `pair:a_b` or `event:<type>:<bucket>` (`contract/monitor-api.md` §4.5).
    ThreadId
}
text_id! {
    /// A task's id, `task_…` (`contract/workspace.md` §3: the file name is the id).
    TaskId
}
text_id! {
    /// One line of the log: `<file token>-<byte offset>`. Stable across restarts and rotation,
    /// because the file token is made from the file's content, not its name.
    EventId
}

impl EventId {
    /// File token and byte offset; an id of another form is all token and has no offset.
    #[must_use]
    pub fn parts(&self) -> (&str, Option<u64>) {
        // Accepts only the form in which an offset is written, so that the parts make the id again.
        let written = |offset: &&str| *offset == "0" || !offset.starts_with(['0', '+']);
        let offset = |text: &str| text.parse().ok().filter(|offset| *offset < u64::MAX);
        self.0
            .rsplit_once('-')
            .filter(|(_, text)| written(text))
            .and_then(|(token, text)| Some((token, Some(offset(text)?))))
            .unwrap_or((&self.0, None))
    }

    /// Order within one instant: by file token, then by position in the file.
    #[must_use]
    pub fn cmp_position(&self, other: &Self) -> std::cmp::Ordering {
        self.parts().cmp(&other.parts())
    }
}
