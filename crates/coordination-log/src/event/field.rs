//! Compact storage of an event's fields. A text without escapes is stored as a span of the raw line. Other texts are
//! stored in a small buffer of the event: texts with escapes, and ids that were too long and are shortened.

use super::long_id::{is_too_long, shortened};

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
                let mut at = mixed(key.as_bytes());
                // The table has far more slots than keys, so an empty slot ends every search.
                while let Some(number) = usize::from(PLACES[at]).checked_sub(1) {
                    let (known, field) = KEYS[number];
                    if known == key {
                        return Some(field);
                    }
                    at = (at + 1) % PLACES.len();
                }
                None
            }

            /// Its bit in a set of fields.
            fn bit(self) -> u128 {
                1 << self as u8
            }
        }

        /// The keys of the data.
        const KEYS: &[(&str, Field)] = &[$(($key, Field::$name),)*];
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

/// First slot in [`PLACES`] at which a key is searched.
const fn mixed(key: &[u8]) -> usize {
    let (mut sum, mut at) = (key.len(), 0);
    while at < key.len() {
        sum = sum.wrapping_mul(31) ^ key[at] as usize;
        // The first and the last letters distinguish all keys.
        at = if at == 3 && key.len() > 8 { key.len() - 4 } else { at + 1 };
    }
    (sum ^ sum >> 7) % 256
}

/// Hash table with linear probing: a key's number in [`KEYS`] plus one, at the slot [`mixed`] or after it; 0 is empty.
/// Every key of every line is looked up; comparing it with each known key would be a tenth of the reading.
static PLACES: [u8; 256] = {
    let mut places = [0; 256];
    let mut number = 0;
    while number < KEYS.len() {
        let mut at = mixed(KEYS[number].0.as_bytes());
        while places[at] != 0 {
            at = (at + 1) % 256;
        }
        number += 1;
        // Fewer than a hundred.
        places[at] = number as u8;
    }
    places
};

/// Encoding of an entry's two halves.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FieldEncoding {
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
struct FieldEntry {
    field: Field,
    kind: FieldEncoding,
    halves: [u16; 2],
}

/// Data that most lines do not have.
#[derive(Debug, Clone, PartialEq, Default)]
struct Rare {
    /// Texts that had escapes.
    aside: Box<str>,
    /// Values that do not fit an entry.
    wide: Box<[u64]>,
}

/// The extracted values of one event.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct FieldTable {
    /// Bit set of the fields in `entries`, in two words: most lookups are for an absent one.
    known: [u64; 2],
    /// In the order of [`Field`], so that the number of smaller bits in `known` is an entry's index.
    entries: Box<[FieldEntry]>,
    /// Data that most lines do not have.
    rare: Option<Box<Rare>>,
}

impl FieldTable {
    fn find(&self, field: Field) -> Option<FieldEntry> {
        let number = field as u8;
        let (word, before) = match number < 64 {
            true => (self.known[0], 0),
            false => (self.known[1], self.known[0].count_ones()),
        };
        let bit = 1_u64 << (number % 64);
        if word & bit == 0 {
            return None;
        }
        self.entries.get((before + (word & (bit - 1)).count_ones()) as usize).copied()
    }

    fn wide(&self, entry: FieldEntry) -> Option<u64> {
        self.rare.as_ref()?.wide.get(usize::from(entry.halves[0])).copied()
    }

    pub(super) fn text<'a>(&'a self, raw: &'a str, field: Field) -> Option<&'a str> {
        let entry = self.find(field)?;
        let span = match entry.kind {
            FieldEncoding::InLine | FieldEncoding::Aside => entry.halves.map(usize::from),
            FieldEncoding::WideInLine | FieldEncoding::WideAside => unpack(self.wide(entry)?),
            _ => return None,
        };
        let whole = match entry.kind {
            FieldEncoding::InLine | FieldEncoding::WideInLine => raw,
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
            FieldEncoding::Whole => Some(f64::from(u32::from(entry.halves[0]) << 16 | u32::from(entry.halves[1]))),
            FieldEncoding::Number => self.wide(entry).map(f64::from_bits).filter(|number| number.is_finite()),
            _ => None,
        }
    }

    pub(super) fn flag(&self, field: Field) -> Option<bool> {
        match self.find(field)?.kind {
            FieldEncoding::True => Some(true),
            FieldEncoding::False => Some(false),
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
#[derive(Debug)]
pub(super) struct Collector {
    /// Bit set of the fields seen so far.
    met: u128,
    entries: Vec<FieldEntry>,
    /// Texts that had escapes, one after the other.
    aside: String,
    /// Values that do not fit an entry.
    wide: Vec<u64>,
}

impl Default for Collector {
    fn default() -> Self {
        // More than a line has.
        Self { met: 0, entries: Vec::with_capacity(24), aside: String::new(), wide: Vec::new() }
    }
}

impl Collector {
    /// Forget a field: a later duplicate key replaces an earlier one, whatever its type.
    pub(super) fn clear(&mut self, field: Field) {
        if self.met & field.bit() != 0 {
            self.entries.retain(|entry| entry.field != field);
        }
        self.met |= field.bit();
    }

    /// A text that is a slice of `raw`.
    pub(super) fn text_in_line(&mut self, field: Field, raw: &str, text: &str) {
        let text = trim(text);
        let start = (text.as_ptr() as usize).wrapping_sub(raw.as_ptr() as usize);
        if text.is_empty() {
            return;
        }
        if is_too_long(field, text) {
            return self.text_aside(field, text);
        }
        // Two texts at the same place are equal, so nothing has to be compared.
        if raw.get(start..start.saturating_add(text.len())).is_some() {
            self.span(field, [FieldEncoding::InLine, FieldEncoding::WideInLine], start, text.len());
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
        match is_too_long(field, text) {
            true => self.aside.push_str(&shortened(text)),
            false => self.aside.push_str(text),
        }
        self.span(field, [FieldEncoding::Aside, FieldEncoding::WideAside], start, self.aside.len() - start);
    }

    fn span(&mut self, field: Field, [narrow, wide]: [FieldEncoding; 2], start: usize, length: usize) {
        match (u16::try_from(start), u16::try_from(length)) {
            (Ok(start), Ok(length)) => self.entries.push(FieldEntry { field, kind: narrow, halves: [start, length] }),
            _ => self.widely(field, wide, pack(start, length)),
        }
    }

    /// A value that does not fit an entry. Only a hostile line that repeats a key 65,536 times exceeds the space; the
    /// field is then absent.
    fn widely(&mut self, field: Field, kind: FieldEncoding, value: Option<u64>) {
        if let (Some(value), Ok(place)) = (value, u16::try_from(self.wide.len())) {
            self.wide.push(value);
            self.entries.push(FieldEntry { field, kind, halves: [place, 0] });
        }
    }

    pub(super) fn number(&mut self, field: Field, number: f64) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared with the original")]
        let whole = number as u32;
        if f64::from(whole).to_bits() == number.to_bits() {
            #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
            let halves = [(whole >> 16) as u16, whole as u16];
            self.entries.push(FieldEntry { field, kind: FieldEncoding::Whole, halves });
        } else {
            self.widely(field, FieldEncoding::Number, Some(number.to_bits()));
        }
    }

    pub(super) fn flag(&mut self, field: Field, flag: bool) {
        let kind = if flag { FieldEncoding::True } else { FieldEncoding::False };
        self.entries.push(FieldEntry { field, kind, halves: [0; 2] });
    }

    pub(super) fn finish(mut self) -> FieldTable {
        self.entries.sort_unstable_by_key(|entry| entry.field);
        let known = self.entries.iter().fold(0, |known, entry| known | entry.field.bit());
        #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
        let known = [known as u64, (known >> 64) as u64];
        let plain = self.aside.is_empty() && self.wide.is_empty();
        let rare = Rare { aside: self.aside.into_boxed_str(), wide: self.wide.into_boxed_slice() };
        FieldTable { known, entries: self.entries.into_boxed_slice(), rare: (!plain).then(|| Box::new(rare)) }
    }
}

/// Trims the same characters as JavaScript's `trim`: white space and the byte order mark.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Field, KEYS, mixed};

    #[test]
    fn every_key_is_found_and_no_other() {
        for (key, field) in KEYS {
            assert_eq!(Field::of_data(key), Some(*field));
            for other in [&key[1..], &key[..key.len() - 1], &key.to_uppercase(), &format!("{key}s")] {
                let known = KEYS.iter().find(|(key, _)| *key == other).map(|(_, field)| *field);
                assert_eq!(Field::of_data(other), known, "{other}");
            }
        }
        assert_eq!(Field::of_data(""), None);
        let places: BTreeSet<usize> = KEYS.iter().map(|(key, _)| mixed(key.as_bytes())).collect();
        assert!(places.len() * 4 > KEYS.len() * 3, "{} places for {} keys", places.len(), KEYS.len());
    }
}
