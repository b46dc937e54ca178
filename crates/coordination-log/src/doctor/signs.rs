//! Precomputed checks of one event. They are expensive and need no other event, so the parsing thread does them.

use std::borrow::Cow;

use super::record::fingerprint;
use super::rules;
use crate::event::Event;
use protocol::api::FindingKind;

/// What the doctor sees of one event before its neighbours are known.
#[derive(Debug, Clone)]
pub struct Signs {
    /// What is wrong or worth knowing, and what exactly.
    pub(super) found: Vec<(FindingKind, Cow<'static, str>)>,
    /// Its time can be compared with its neighbour's.
    pub(super) plausible: bool,
    /// Tells equal lines.
    pub(super) print: u64,
}

impl Signs {
    /// Looks at one event; `now` in epoch milliseconds tells what lies in the future.
    #[must_use]
    pub fn of(event: &Event, now: i64) -> Self {
        let mut found = Vec::new();
        rules::check(event, now, &mut |kind, detail| found.push((kind, detail)));
        Self { found, plausible: rules::is_plausible(event.at, now), print: fingerprint(event.raw.as_bytes()) }
    }
}
