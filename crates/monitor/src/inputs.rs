//! Positions in the streams of a fleet, of which mirrored homes are made. They are the same for every process that reads the
//! streams, so that a browser can continue at another one.
//!
//! These are watermarks. The process that mirrors the homes notes how far their files are written ([`WrittenInputs`]). Each reader of files notes that
//! before it looks, and reports it once the hub was sent what it found ([`LookReport`]).

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sink::ValueSink;

/// A position in the two streams of a fleet. Its text is `streams.log.state`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InputPosition {
    /// Names the two streams by when they were made.
    streams: Arc<str>,
    /// Sequence in the stream of logs.
    log: u64,
    /// Sequence in the stream of files.
    state: u64,
}

impl InputPosition {
    /// The beginning of two streams.
    pub(crate) fn start(streams: &str) -> Self {
        Self { streams: streams.into(), log: 0, state: 0 }
    }

    /// Whether everything up to the other position is before this one.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.is_in(&other.streams) && self.log >= other.log && self.state >= other.state
    }

    /// Whether it is one of these streams.
    pub(crate) fn is_in(&self, streams: &str) -> bool {
        *self.streams == *streams
    }

    /// What is before both; `None` for positions of different streams.
    pub(crate) fn common(&self, other: &Self) -> Option<Self> {
        let (log, state) = (self.log.min(other.log), self.state.min(other.state));
        other.is_in(&self.streams).then(|| Self { streams: Arc::clone(&self.streams), log, state })
    }

    /// Moves on behind a message of the stream of logs.
    pub(crate) fn pass_log(&mut self, sequence: u64) {
        self.log = self.log.max(sequence);
    }

    /// Moves on behind a message of the stream of files.
    pub(crate) fn pass_state(&mut self, sequence: u64) {
        self.state = self.state.max(sequence);
    }
}

impl fmt::Display for InputPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.streams, self.log, self.state)
    }
}

impl FromStr for InputPosition {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (rest, state) = text.rsplit_once('.').ok_or(())?;
        let (streams, log) = rest.rsplit_once('.').ok_or(())?;
        let number = |text: &str| text.parse().map_err(|_| ());
        Ok(Self { streams: streams.into(), log: number(log)?, state: number(state)? })
    }
}

/// How far the mirrored homes of this process are written. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenInputs(Arc<Mutex<Written>>);

#[derive(Debug, Default)]
struct Written {
    /// Behind the newest message that may be on the disk.
    begun: Option<InputPosition>,
    /// Behind the newest message that surely is.
    done: Option<InputPosition>,
}

impl WrittenInputs {
    /// The streams are read from `done` on. What earlier processes left on the disk is from before their `end`.
    pub(crate) fn restart(&self, done: InputPosition, end: InputPosition) {
        *self.lock() = Written { begun: Some(end), done: Some(done) };
    }

    /// A message is about to be written; `pass` moves behind it.
    pub(crate) fn begin(&self, pass: impl Fn(&mut InputPosition)) {
        self.lock().begun.iter_mut().for_each(pass);
    }

    /// It is written.
    pub(crate) fn finish(&self, pass: impl Fn(&mut InputPosition)) {
        self.lock().done.iter_mut().for_each(pass);
    }

    /// Behind the newest message of which anything may be read.
    pub(crate) fn begun(&self) -> Option<InputPosition> {
        self.lock().begun.clone()
    }

    /// What a look that begins now sees.
    pub(crate) fn done(&self) -> Option<InputPosition> {
        self.lock().done.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Written> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader of a home's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputReader {
    /// Of the coordination log.
    Log,
    /// Of workspaces and the configuration.
    Files,
    /// Of what people decided.
    Decisions,
    /// Of coding agents' events.
    AgentEvents,
    /// Of transcripts and session stores.
    Transcripts,
}

impl InputReader {
    /// Number of readers.
    pub(crate) const COUNT: usize = 5;
}

/// How far a reader has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Looked {
    /// The reader.
    pub(crate) reader: InputReader,
    /// Everything before it is read.
    pub(crate) position: InputPosition,
}

/// Reports how far a reader has read. Does nothing for a home that is no mirror.
#[derive(Debug, Clone, Default)]
pub(crate) struct LookReport(Option<Reporting>);

#[derive(Debug, Clone)]
struct Reporting {
    reader: InputReader,
    written: WrittenInputs,
    looked: ValueSink<Looked>,
    last: Option<InputPosition>,
}

impl LookReport {
    /// Reports of one reader.
    pub(crate) fn new(reader: InputReader, written: &WrittenInputs, looked: ValueSink<Looked>) -> Self {
        Self(Some(Reporting { reader, written: written.clone(), looked, last: None }))
    }

    /// To be called before a look.
    pub(crate) fn begin(&self) -> Option<InputPosition> {
        self.0.as_ref()?.written.done()
    }

    /// To be called with what `begin` gave when the hub was sent all that the look found.
    pub(crate) fn end(&mut self, begun: Option<InputPosition>) {
        let Some(reporting) = &mut self.0 else { return };
        if let Some(position) = begun
            && reporting.last.as_ref() != Some(&position)
        {
            reporting.last = Some(position.clone());
            // Without a hub the reader ends at its next update.
            let _sent: bool = reporting.looked.send(Looked { reader: reporting.reader, position });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str) -> InputPosition {
        text.parse().expect("a position")
    }

    #[test]
    fn position_is_read_from_its_text() {
        let text = "17-18.5.70";
        assert_eq!(position(text).to_string(), text);
        for damaged in ["", "17", "17.5", "17.x.7", "17.5.-1"] {
            assert_eq!(damaged.parse::<InputPosition>(), Err(()), "{damaged}");
        }
    }

    #[test]
    fn positions_of_two_streams_have_no_order() {
        assert!(position("a.5.7").covers(&position("a.5.6")) && !position("a.5.7").covers(&position("a.6.1")));
        assert!(!position("b.5.7").covers(&position("a.1.1")));
        assert_eq!(position("a.5.7").common(&position("a.6.1")), Some(position("a.5.1")));
        assert_eq!(position("a.5.7").common(&position("b.6.1")), None);
    }

    #[test]
    fn what_may_be_written_is_never_behind_what_is() {
        let written = WrittenInputs::default();
        assert_eq!((written.begun(), written.done()), (None, None));
        written.restart(position("a.5.0"), position("a.5.0"));
        written.begin(|at| at.pass_log(6));
        assert_eq!((written.begun(), written.done()), (Some(position("a.6.0")), Some(position("a.5.0"))));
        written.finish(|at| at.pass_log(6));
        assert_eq!(written.done(), Some(position("a.6.0")));
        // A message of files that comes again moves nothing back.
        written.begin(|at| at.pass_state(9));
        written.begin(|at| at.pass_state(2));
        assert_eq!(written.begun(), Some(position("a.6.9")));
        written.restart(position("b.0.0"), position("b.7.9"));
        written.begin(|at| at.pass_log(1));
        assert_eq!(written.begun(), Some(position("b.7.9")), "a message that comes again may be on the disk already");
    }
}
