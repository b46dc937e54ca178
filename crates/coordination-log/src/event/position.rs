//! Position of an event: a token (short text) for its file, and the byte offset of its line. Together they form the
//! event's id. The token's prefix determines the event's origin: log, transcripts or hooks. Also holds the interner,
//! which stores each repeated text once.

use std::collections::HashSet;
use std::sync::Arc;

use protocol::api::Origin;
use protocol::ids::EventId;

/// Prefix of file tokens of events that are not in the log. Tokens of the log begin with a hexadecimal number, so that
/// events with equal time sort before those of the log.
const SYNTHETIC: &str = "0.";
/// Prefix of file tokens of events from hooks of coding agents.
pub const HOOKS_TOKEN: &str = "0.hooks.";
/// Prefix of file tokens of events from transcripts.
pub const TALK_TOKEN: &str = "0.talk.";
/// Prefix of file tokens of events that only a registry of runs has.
pub const RUN_TOKEN: &str = "0.runs.";

/// Whether a file token is of an event from transcripts or registries of runs.
#[must_use]
pub fn is_from_transcript(token: &str) -> bool {
    token.starts_with(TALK_TOKEN) || token.starts_with(RUN_TOKEN)
}

/// Where the events of a file come from, by its token.
#[must_use]
pub fn origin_of(token: &str) -> Origin {
    match token {
        log if !log.starts_with(SYNTHETIC) => Origin::Log,
        hooks if hooks.starts_with(HOOKS_TOKEN) => Origin::Hooks,
        talk if is_from_transcript(talk) => Origin::Transcript,
        _ => Origin::Log,
    }
}

/// An event's id as parts: the token is shared by all lines of a piece of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPosition {
    file: Arc<str>,
    offset: u64,
}

impl EventPosition {
    /// Marks "no offset": the id is of another form and all token.
    pub const NO_OFFSET: u64 = u64::MAX;

    /// Place in a file, by the byte offset of the line.
    #[must_use]
    pub fn new(file: Arc<str>, offset: u64) -> Self {
        Self { file, offset }
    }

    /// The place that an id names.
    #[must_use]
    pub fn of_id(id: &EventId) -> Self {
        let (token, offset) = id.parts();
        Self { file: token.into(), offset: offset.unwrap_or(Self::NO_OFFSET) }
    }

    /// As [`EventId::parts`].
    #[must_use]
    pub fn parts(&self) -> (&str, Option<u64>) {
        (&self.file, Some(self.offset).filter(|offset| *offset != Self::NO_OFFSET))
    }

    /// The file's token and the offset, or [`EventPosition::NO_OFFSET`].
    #[must_use]
    pub fn raw_parts(&self) -> (&Arc<str>, u64) {
        (&self.file, self.offset)
    }

    /// The id that names this place.
    #[must_use]
    pub fn id(&self) -> EventId {
        match self.parts() {
            (token, Some(offset)) => EventId::from(format!("{token}-{offset}")),
            (token, None) => EventId::from(token.to_owned()),
        }
    }
}

/// Interned texts. Lives while one piece of a file is read.
#[derive(Debug, Default)]
pub(super) struct TextInterner(HashSet<Arc<str>, foldhash::fast::RandomState>);

impl TextInterner {
    pub(super) fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.0.insert(Arc::clone(&text));
        text
    }
}
