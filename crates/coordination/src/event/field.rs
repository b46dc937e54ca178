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
    PlanId = "planId",
}

/// What an entry's two halves mean.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Start and length of a span of the raw line.
    InLine,
    /// Start and length of a span of the side buffer.
    Aside,
    /// Place in [`Rare::wide`] of a span of the raw line: start, then length.
    WideInLine,
    /// Place in [`Rare::wide`] of a span of the side buffer.
    WideAside,
    /// A whole number of 32 bits.
    Whole,
    /// Place in [`Rare::wide`] of the bits of a number.
    Number,
    False,
    True,
}

/// One extracted value in six bytes: a log of a million lines holds over ten million of them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    field: Field,
    kind: Kind,
    halves: [u16; 2],
}

/// What most lines do not have.
#[derive(Debug, Clone, PartialEq, Default)]
struct Rare {
    /// Texts that had escapes.
    aside: Box<str>,
    /// Values that do not fit an entry.
    wide: Box<[u64]>,
}

/// The extracted values of one event.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Slots {
    entries: Box<[Entry]>,
    rare: Option<Box<Rare>>,
}

impl Slots {
    fn find(&self, field: Field) -> Option<Entry> {
        self.entries.iter().find(|entry| entry.field == field).copied()
    }

    fn wide(&self, entry: Entry) -> Option<u64> {
        self.rare.as_ref()?.wide.get(usize::from(entry.halves[0])).copied()
    }

    pub(super) fn text<'a>(&'a self, raw: &'a str, field: Field) -> Option<&'a str> {
        let entry = self.find(field)?;
        let span = match entry.kind {
            Kind::InLine | Kind::Aside => entry.halves.map(usize::from),
            Kind::WideInLine | Kind::WideAside => unpack(self.wide(entry)?),
            _ => return None,
        };
        let whole = match entry.kind {
            Kind::InLine | Kind::WideInLine => raw,
            _ => &self.rare.as_ref()?.aside,
        };
        whole.get(span[0]..span[0] + span[1])
    }

    pub(super) fn has_aside(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| !rare.aside.is_empty())
    }

    pub(super) fn number(&self, field: Field) -> Option<f64> {
        let entry = self.find(field)?;
        match entry.kind {
            Kind::Whole => Some(f64::from(u32::from(entry.halves[0]) << 16 | u32::from(entry.halves[1]))),
            Kind::Number => self.wide(entry).map(f64::from_bits).filter(|number| number.is_finite()),
            _ => None,
        }
    }

    pub(super) fn flag(&self, field: Field) -> Option<bool> {
        match self.find(field)?.kind {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }
}

fn pack(start: usize, length: usize) -> Option<u64> {
    Some(u64::from(u32::try_from(start).ok()?) << 32 | u64::from(u32::try_from(length).ok()?))
}

#[allow(clippy::cast_possible_truncation, reason = "both halves are 32 bits")]
fn unpack(span: u64) -> [usize; 2] {
    [(span >> 32) as usize, span as u32 as usize]
}

/// Collects the values while a line is read.
#[derive(Debug, Default)]
pub(super) struct Collector {
    entries: Vec<Entry>,
    aside: String,
    wide: Vec<u64>,
}

impl Collector {
    /// Forget a field: a later duplicate key replaces an earlier one, whatever its type.
    pub(super) fn clear(&mut self, field: Field) {
        self.entries.retain(|entry| entry.field != field);
    }

    /// A text that is a slice of `raw`.
    pub(super) fn text_in_line(&mut self, field: Field, raw: &str, text: &str) {
        let text = trim(text);
        let start = (text.as_ptr() as usize).wrapping_sub(raw.as_ptr() as usize);
        if text.is_empty() {
            return;
        }
        if raw.get(start..start.saturating_add(text.len())) == Some(text) {
            self.span(field, [Kind::InLine, Kind::WideInLine], start, text.len());
        } else {
            self.text_aside(field, text);
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
        self.span(field, [Kind::Aside, Kind::WideAside], start, text.len());
    }

    fn span(&mut self, field: Field, [narrow, wide]: [Kind; 2], start: usize, length: usize) {
        match (u16::try_from(start), u16::try_from(length)) {
            (Ok(start), Ok(length)) => self.entries.push(Entry { field, kind: narrow, halves: [start, length] }),
            _ => self.widely(field, wide, pack(start, length)),
        }
    }

    /// A value that does not fit an entry. Only a hostile line that repeats a key 65,536 times has more than there is
    /// place for; the field is then absent.
    fn widely(&mut self, field: Field, kind: Kind, value: Option<u64>) {
        if let (Some(value), Ok(place)) = (value, u16::try_from(self.wide.len())) {
            self.wide.push(value);
            self.entries.push(Entry { field, kind, halves: [place, 0] });
        }
    }

    pub(super) fn number(&mut self, field: Field, number: f64) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared with the original")]
        let whole = number as u32;
        if f64::from(whole).to_bits() == number.to_bits() {
            #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
            let halves = [(whole >> 16) as u16, whole as u16];
            self.entries.push(Entry { field, kind: Kind::Whole, halves });
        } else {
            self.widely(field, Kind::Number, Some(number.to_bits()));
        }
    }

    pub(super) fn flag(&mut self, field: Field, flag: bool) {
        let kind = if flag { Kind::True } else { Kind::False };
        self.entries.push(Entry { field, kind, halves: [0; 2] });
    }

    pub(super) fn finish(self) -> Slots {
        let plain = self.aside.is_empty() && self.wide.is_empty();
        let rare = Rare { aside: self.aside.into_boxed_str(), wide: self.wide.into_boxed_slice() };
        Slots { entries: self.entries.into_boxed_slice(), rare: (!plain).then(|| Box::new(rare)) }
    }
}

/// Trims what JavaScript's `trim` trims: white space and the byte order mark.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}
