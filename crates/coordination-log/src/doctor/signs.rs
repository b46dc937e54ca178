//! Checks of single events for the event doctor, which finds damage in the log. They need no other event and are
//! expensive, so the threads that parse lines run them, not the thread that changes the hub.

use std::borrow::Cow;

use super::record::fingerprint;
use super::rules;
use crate::event::Event;
use protocol::api::FindingKind;

/// Result of checking one event before its neighbours are known.
#[derive(Debug, Clone)]
pub struct Signs {
    /// Findings, each with its detail.
    pub(super) found: Vec<(FindingKind, Cow<'static, str>)>,
    /// Whether its time can be compared with its neighbour's.
    pub(super) plausible: bool,
    /// Fingerprint of the line, to recognise equal lines.
    pub(super) print: u64,
}

impl Signs {
    /// Checks one event; times after `now` (epoch milliseconds) are in the future.
    #[must_use]
    pub fn new(event: &Event, now: i64) -> Self {
        let mut found = Vec::new();
        rules::check(event, now, &mut |kind, detail| found.push((kind, detail)));
        Self { found, plausible: rules::is_plausible(event.at, now), print: fingerprint(event.raw.as_bytes()) }
    }
}
