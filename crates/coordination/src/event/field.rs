//! The fields of an event that anything asks for, and their compact storage.
//! A text without escapes is a span of the raw line; others stand in one small buffer beside it.

macro_rules! fields {
    ($($name:ident = $key:literal,)*) => {
        /// A field of `data` (and three of the envelope) that is extracted when the line is read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $(#[doc = concat!("`", $key, "`")] $name,)*
            /// `agentId` of the envelope, as written.
            AgentId,
            /// `status` of the envelope.
            TopStatus,
        }

        impl Field {
            pub(super) fn of_data(key: &str) -> Option<Self> {
                match key {
                    $($key => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

fields! {
    FromAgent = "fromAgent",
    ToAgent = "toAgent",
    SenderAgentId = "senderAgentId",
    TargetAgentId = "targetAgentId",
    ConversationId = "conversationId",
    ParentConversationId = "parentConversationId",
    WorkSessionId = "workSessionId",
    PreviousWorkSessionId = "previousWorkSessionId",
    TaskId = "taskId",
    RootTaskId = "rootTaskId",
    RunId = "runId",
    ParentRunId = "parentRunId",
    TargetSessionKey = "targetSessionKey",
    SourceSessionKey = "sourceSessionKey",
    RequesterSessionKey = "requesterSessionKey",
    SessionKey = "sessionKey",
    Depth = "depth",
    Hop = "hop",
    EventRole = "eventRole",
    FromSessionType = "fromSessionType",
    ToSessionType = "toSessionType",
    CollabCategory = "collabCategory",
    CollabIntent = "collabIntent",
    CategoryConfidence = "categoryConfidence",
    CategorySource = "categorySource",
    CategoryVersion = "categoryVersion",
    Label = "label",
    Message = "message",
    ReplyPreview = "replyPreview",
    Description = "description",
    Summary = "summary",
    Reason = "reason",
    Title = "title",
    Status = "status",
    Error = "error",
    Outcome = "outcome",
    WaitStatus = "waitStatus",
    WaitError = "waitError",
    Turn = "turn",
    MaxTurns = "maxTurns",
    MessageIntent = "messageIntent",
    TerminationReason = "terminationReason",
    Announced = "announced",
    AnnounceSkipped = "announceSkipped",
    EarlyTermination = "earlyTermination",
    ConfiguredMaxTurns = "configuredMaxTurns",
    EffectiveTurns = "effectiveTurns",
    ActualTurns = "actualTurns",
    TotalTurns = "totalTurns",
    ConcurrencyBlocked = "concurrencyBlocked",
    PayloadType = "payloadType",
    PayloadJson = "payloadJson",
    Attempt = "attempt",
    MaxAttempts = "maxAttempts",
    ErrorCategory = "errorCategory",
    ErrorCode = "errorCode",
    BackoffMs = "backoffMs",
    ElapsedMs = "elapsedMs",
    ProgressCount = "progressCount",
    Priority = "priority",
    RequiresApproval = "requiresApproval",
    Assignee = "assignee",
    IsCrossAgent = "isCrossAgent",
    ChannelId = "channelId",
    Action = "action",
    AgeHours = "ageHours",
    ReassignCount = "reassignCount",
    RequestCount = "requestCount",
    ConsecutiveFailures = "consecutiveFailures",
    MilestoneId = "milestoneId",
}

/// One extracted value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stored {
    /// Bytes of the raw line.
    InLine {
        start: u32,
        end: u32,
    },
    /// Bytes of the side buffer.
    Aside {
        start: u32,
        end: u32,
    },
    /// As bytes: an `f64` would align every entry to eight, and a log holds over a million of them.
    Number([u8; 8]),
    Flag(bool),
}

/// The extracted values of one event.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Slots {
    entries: Box<[(Field, Stored)]>,
    aside: Box<str>,
}

impl Slots {
    fn find(&self, field: Field) -> Option<Stored> {
        self.entries.iter().find(|(key, _)| *key == field).map(|(_, stored)| *stored)
    }

    pub(super) fn text<'a>(&'a self, raw: &'a str, field: Field) -> Option<&'a str> {
        match self.find(field)? {
            Stored::InLine { start, end } => raw.get(start as usize..end as usize),
            Stored::Aside { start, end } => self.aside.get(start as usize..end as usize),
            Stored::Number(_) | Stored::Flag(_) => None,
        }
    }

    pub(super) fn number(&self, field: Field) -> Option<f64> {
        match self.find(field)? {
            Stored::Number(bytes) => Some(f64::from_ne_bytes(bytes)).filter(|number| number.is_finite()),
            _ => None,
        }
    }

    pub(super) fn flag(&self, field: Field) -> Option<bool> {
        match self.find(field)? {
            Stored::Flag(flag) => Some(flag),
            _ => None,
        }
    }
}

/// Collects the values while a line is read.
#[derive(Debug, Default)]
pub(super) struct Collector {
    entries: Vec<(Field, Stored)>,
    aside: String,
}

impl Collector {
    /// Forget a field: a later duplicate key replaces an earlier one, whatever its type.
    pub(super) fn clear(&mut self, field: Field) {
        self.entries.retain(|(key, _)| *key != field);
    }

    /// A text that is a slice of `raw`.
    pub(super) fn text_in_line(&mut self, field: Field, raw: &str, text: &str) {
        let text = trim(text);
        let start = (text.as_ptr() as usize).wrapping_sub(raw.as_ptr() as usize);
        if text.is_empty() {
            return;
        }
        match (u32::try_from(start), u32::try_from(start.saturating_add(text.len()))) {
            (Ok(from), Ok(to)) if raw.get(start..to as usize) == Some(text) => {
                self.entries.push((field, Stored::InLine { start: from, end: to }));
            }
            _ => self.text_aside(field, text),
        }
    }

    /// A text that had escapes.
    pub(super) fn text_aside(&mut self, field: Field, text: &str) {
        let text = trim(text);
        if text.is_empty() {
            return;
        }
        let start = self.aside.len();
        self.aside.push_str(text);
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(self.aside.len())) {
            self.entries.push((field, Stored::Aside { start, end }));
        }
    }

    pub(super) fn number(&mut self, field: Field, number: f64) {
        self.entries.push((field, Stored::Number(number.to_ne_bytes())));
    }

    pub(super) fn flag(&mut self, field: Field, flag: bool) {
        self.entries.push((field, Stored::Flag(flag)));
    }

    pub(super) fn finish(self) -> Slots {
        Slots { entries: self.entries.into_boxed_slice(), aside: self.aside.into_boxed_str() }
    }
}

/// Trims what JavaScript's `trim` trims: white space and the byte order mark.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}
