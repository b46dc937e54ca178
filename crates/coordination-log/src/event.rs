//! Type of one parsed line of the coordination log (`contract/events.md` §1–§5). Its known fields are extracted when
//! the line is parsed. Most texts are spans of the raw line and are not copied.

pub mod category;
mod field;
mod file;
mod line;
mod long_id;
mod message;
mod position;
mod quirk;
mod recover;
mod role;
mod value;

pub use field::Field;
pub use file::{FIRST_LINE_BYTES, LIVE_LOG, file_token, first_event_time, first_line_hash, is_log_name};
pub use line::{MAX_LINE_BYTES, ParsedLines, event_from_value, parse_line, parse_lines, read_lines};
pub(crate) use long_id::is_shortened;
pub use message::UnansweredSend;
pub use quirk::{Quirk, QuirkKind, sample};

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use classifier::Keywords;
use classifier::v2::{TextFeatures, text_features};
use field::FieldTable;
pub use position::EventPosition;
pub use position::{HOOKS_TOKEN, RUN_TOKEN, TALK_TOKEN};
pub use position::{is_from_transcript, origin_of};
use protocol::api::{Origin, TextZone};
use protocol::category::Category;
use protocol::ids::{AgentId, EventId, SessionId, TaskId};
pub use recover::{readable, repair_surrogates};
pub use role::{DerivedRole, derive_role};

/// One event. `raw` stores the line for the detail view and the 1.x answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    position: EventPosition,
    event_type: Arc<str>,
    /// `agentId` as events name it, or `unknown`. One text is shared by many events.
    agent: Arc<str>,
    /// What the classifiers computed from the texts so far.
    category: CategoryCache,
    /// Epoch milliseconds; 0 when the line gives no usable time (`contract/events.md` §1.1).
    pub at: i64,
    /// The line as in the file (repaired where it was not valid JSON or UTF-8).
    pub raw: Box<str>,
    /// Values of the known fields, as ranges of `raw`.
    slots: FieldTable,
}

/// What a classifier reads in an event's texts, computed at most once.
#[derive(Debug, Clone, Default)]
struct CategoryCache {
    keywords: OnceLock<Keywords>,
    features: OnceLock<TextFeatures>,
    own: OnceLock<Option<Category>>,
}

/// Derived from the texts, so it distinguishes no two events.
impl PartialEq for CategoryCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Reason why a line is not an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineErrorReason {
    /// The line is not valid JSON.
    NotJson,
    /// The line is JSON, but not an object.
    NotObject,
    /// The object has no usable `type`.
    NoType,
    /// The line is longer than [`MAX_LINE_BYTES`].
    TooLong,
}

impl LineErrorReason {
    /// Code on the wire and in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotJson => "notJson",
            Self::NotObject => "notObject",
            Self::NoType => "noType",
            Self::TooLong => "tooLong",
        }
    }
}

/// A line that is not an event. The lines around it are still parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// Byte offset of the line's first byte.
    pub offset: u64,
    /// Why it is not an event.
    pub reason: LineErrorReason,
    /// The first 200 characters of the line, control characters escaped.
    pub sample: String,
}

macro_rules! text_fields {
    ($($(#[$doc:meta])* $name:ident => $field:ident;)*) => {
        impl Event {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> Option<&str> {
                self.text(Field::$field)
            })*
        }
    };
}

text_fields! {
    /// `message`: the text of a send or response, as written.
    message => Message;
    /// `replyPreview`: at most 200 UTF-16 units of it.
    reply_preview => ReplyPreview;
    /// `label`, the strongest title source.
    label => Label;
    /// `conversationId`.
    conversation_id => ConversationId;
    /// `parentConversationId`.
    parent_conversation_id => ParentConversationId;
    /// `runId`.
    run_id => RunId;
    /// `targetSessionKey`.
    target_session_key => TargetSessionKey;
    /// `outcome` as written.
    outcome => Outcome;
    /// `status` of the data.
    status => Status;
    /// `error`.
    error => Error;
    /// `reason`.
    reason => Reason;
    /// `waitStatus`.
    wait_status => WaitStatus;
    /// `waitError`.
    wait_error => WaitError;
    /// `messageIntent`.
    message_intent => MessageIntent;
    /// `terminationReason`.
    termination_reason => TerminationReason;
    /// `payloadType`.
    payload_type => PayloadType;
    /// `payloadJson`, a JSON text.
    payload_json => PayloadJson;
    /// `errorCode`.
    error_code => ErrorCode;
    /// `errorCategory`.
    error_category => ErrorCategory;
    /// `collabCategory` as written.
    collab_category => CollabCategory;
}

impl Event {
    /// `<file token>-<byte offset>`.
    #[must_use]
    pub fn id(&self) -> EventId {
        self.position.id()
    }

    /// Log, transcript or hooks, by the file token.
    #[must_use]
    pub fn origin(&self) -> Origin {
        origin_of(self.position.parts().0)
    }

    /// Place of its line: file and byte offset.
    #[must_use]
    pub fn position(&self) -> &EventPosition {
        &self.position
    }

    /// `type` as written, trimmed; never blank.
    #[must_use]
    pub fn event_type(&self) -> &str {
        &self.event_type
    }

    /// `agentId`, trimmed and lower-cased; `unknown` when the line has none.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// [`Event::agent`] as an id.
    #[must_use]
    pub fn agent_id(&self) -> AgentId {
        AgentId::from(self.agent())
    }

    /// Fills the cache of [`Event::own_category`], so that the work is done on the thread that parses. The keywords of
    /// `v1` are found on demand.
    pub(crate) fn cache_category(&self) {
        self.own_category();
    }

    pub(crate) fn keywords(&self) -> Keywords {
        *self.category.keywords.get_or_init(|| category::keywords(self))
    }

    /// The category of `v2` by itself, whatever its role.
    pub(crate) fn own_category(&self) -> Option<Category> {
        *self.category.own.get_or_init(|| category::v2_alone(self))
    }

    /// What `v2` reads in its text, computed at most once.
    #[must_use]
    pub fn features(&self) -> &TextFeatures {
        self.category.features.get_or_init(|| {
            let zone = TextZone::of_type(self.event_type());
            self.subject_text().map(|text| text_features(zone, text)).unwrap_or_default()
        })
    }

    /// True when some text of it is written with escapes in the line.
    #[must_use]
    pub fn has_escapes(&self) -> bool {
        self.slots.has_aside()
    }

    /// A text field of the data: trimmed, blank or of another type = absent.
    #[must_use]
    pub fn text(&self, field: Field) -> Option<&str> {
        self.slots.text(&self.raw, field)
    }

    /// A finite number of the data; a numeric string is not a number (`contract/events.md` §1.1).
    #[must_use]
    pub fn number(&self, field: Field) -> Option<f64> {
        self.slots.number(field)
    }

    /// A number of the data as a count; negative or fractional parts are dropped.
    #[must_use]
    pub fn count(&self, field: Field) -> Option<u32> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "float to int casts saturate")]
        self.number(field).filter(|number| *number >= 0.0).map(|number| number as u32)
    }

    /// A boolean of the data.
    #[must_use]
    pub fn flag(&self, field: Field) -> Option<bool> {
        self.slots.flag(field)
    }

    /// Texts of an array of the data (`unblockedBy`, `collabSubTags`), blank ones and other types left out.
    #[must_use]
    pub fn list(&self, key: &str) -> Vec<String> {
        let value = self.to_value();
        let Some(items) = value.get("data").and_then(|data| data.get(key)).and_then(Value::as_array) else {
            return Vec::new();
        };
        items
            .iter()
            .filter_map(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The line as JSON with every key; a JSON string when it nests too deep to be read.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.raw).unwrap_or_else(|_| Value::String(self.raw.to_string()))
    }

    /// Who speaks, as written: `fromAgent`, else `senderAgentId`, else `agentId`, else `unknown`
    /// (`contract/monitor-api.md` §4.5).
    #[must_use]
    pub fn from_text(&self) -> &str {
        self.text(Field::FromAgent)
            .or_else(|| self.text(Field::SenderAgentId))
            .or_else(|| self.text(Field::AgentId))
            .unwrap_or("unknown")
    }

    /// To whom, as written: `toAgent`, else `targetAgentId`, else `unknown`.
    #[must_use]
    pub fn to_text(&self) -> &str {
        self.text(Field::ToAgent).or_else(|| self.text(Field::TargetAgentId)).unwrap_or("unknown")
    }

    /// Who speaks, lower-cased. On the concurrency block the log names the requester although the target
    /// refuses (`contract/monitor-api.md` D23): then the target.
    #[must_use]
    pub fn speaker(&self) -> AgentId {
        AgentId::from(self.speaker_name().into_owned())
    }

    /// [`Event::speaker`] as text.
    #[must_use]
    pub fn speaker_name(&self) -> Cow<'_, str> {
        if self.is_concurrency_block() { self.agent().into() } else { lower(self.from_text()) }
    }

    /// To whom, lower-cased; swapped on the concurrency block as in [`Event::speaker`].
    #[must_use]
    pub fn addressee(&self) -> AgentId {
        AgentId::from(self.addressee_name().into_owned())
    }

    /// [`Event::addressee`] as text.
    #[must_use]
    pub fn addressee_name(&self) -> Cow<'_, str> {
        lower(if self.is_concurrency_block() { self.from_text() } else { self.to_text() })
    }

    /// A response that says the target was over its limit: `outcome` is blocked, the line was written for the
    /// target, and from/to are not swapped (`contract/events.md` §5.2).
    #[must_use]
    pub fn is_concurrency_block(&self) -> bool {
        // Nearly no event has an outcome.
        self.outcome() == Some("blocked")
            && self.event_type() == "a2a.response"
            && self.text(Field::ToAgent).is_some_and(|to| to.eq_ignore_ascii_case(self.agent()))
            && self.text(Field::FromAgent).is_some_and(|from| !from.eq_ignore_ascii_case(self.agent()))
    }

    /// `workSessionId`.
    #[must_use]
    pub fn work_session_id(&self) -> Option<SessionId> {
        self.text(Field::WorkSessionId).map(SessionId::from)
    }

    /// `previousWorkSessionId`.
    #[must_use]
    pub fn previous_work_session_id(&self) -> Option<SessionId> {
        self.text(Field::PreviousWorkSessionId).map(SessionId::from)
    }

    /// `taskId`.
    #[must_use]
    pub fn task_id(&self) -> Option<TaskId> {
        self.text(Field::TaskId).map(TaskId::from)
    }

    /// `turn`, from 1.
    #[must_use]
    pub fn turn(&self) -> Option<u32> {
        self.count(Field::Turn).filter(|turn| *turn >= 1)
    }

    /// `maxTurns`.
    #[must_use]
    pub fn max_turns(&self) -> Option<u32> {
        self.count(Field::MaxTurns)
    }

    /// Whether an agent delegated (`contract/monitor-api.md` §5): a parent conversation, or a depth or hop, even 0.
    #[must_use]
    pub fn delegation_hint(&self) -> bool {
        self.parent_conversation_id().is_some()
            || self.number(Field::Depth).is_some()
            || self.number(Field::Hop).is_some()
    }

    /// Whether it ends its session: `a2a.complete`, a refused spawn, `continuation.complete[d]`, the *types*
    /// `task.completed` and `task.cancelled`, any `task.*` with an ended status, `zombie.abandoned` that escalated.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        match self.event_type() {
            "a2a.complete"
            | "continuation.complete"
            | "continuation.completed"
            | "task.completed"
            | "task.cancelled" => true,
            "a2a.spawn_result" => self.status() == Some("error"),
            "zombie.abandoned" => self.text(Field::Action) == Some("escalated"),
            other if other.starts_with("task.") => [self.status(), self.text(Field::TopStatus)]
                .into_iter()
                .flatten()
                .any(|status| matches!(status, "completed" | "cancelled" | "abandoned" | "failed")),
            _ => false,
        }
    }
}

/// Lower case without a copy in the usual case: nearly every agent name is lower-case.
fn lower(text: &str) -> Cow<'_, str> {
    let small = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if small { text.into() } else { text.to_lowercase().into() }
}
