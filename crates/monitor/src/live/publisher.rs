//! What the writer of the hub tells the clients: one delta for each batch of changes, a snapshot when that is smaller,
//! and what passing time alone changed.

use std::time::Duration;

use coordination::api::{Cursor, Delta, Frame, Home, SourceInfo};
use coordination::hub::{Changes, Hub};
use coordination::query;
use tokio::time::Instant;

use super::Live;
use super::channel::Kind;

/// How often passing time alone is looked at: a session that becomes ARCHIVED changes its card and the counts of home.
pub(crate) const TIME_CHECK: Duration = Duration::from_secs(20);
/// A delta larger than this costs more than starting over.
const MAX_DELTA_BYTES: usize = 1024 * 1024;
/// A clock that moves by this much more or less than time passed was set.
const CLOCK_SET_MS: i64 = 2_000;

/// Makes frames of changes. There is one, beside the one writer of the hub.
#[derive(Debug, Default)]
pub(crate) struct Publisher {
    /// Home as the clients know it, without what changes all the time.
    shown: Option<Home>,
    /// For which moment all cards were last told, by the configured clock and by the one that cannot be set.
    told: Option<(i64, Instant)>,
    published: Option<Instant>,
}

impl Publisher {
    /// Since when nothing was published.
    pub(crate) fn rested(&self) -> Option<Duration> {
        self.published.map(|at| at.elapsed())
    }

    /// Tells what changed.
    pub(crate) fn step(&mut self, live: &Live, changes: &Changes) {
        live.write(Hub::advance);
        let hub = live.hub();
        let delta = query::delta(&hub, live.now(), changes);
        self.note(&delta.home);
        if !send_delta(live, delta) {
            drop(hub);
            self.restart(live);
        }
    }

    /// Everyone starts over from a snapshot: after the history, and when a delta would be larger than that.
    pub(crate) fn restart(&mut self, live: &Live) {
        live.write(Hub::advance);
        let hub = live.hub();
        let now = live.now();
        let snapshot = query::snapshot(&hub, now);
        self.note(&snapshot.home);
        self.told = Some((now, Instant::now()));
        let seq = snapshot.cursor.seq;
        match serde_json::to_string(&<Frame>::Snapshot(Box::new(snapshot))) {
            Ok(text) => live.channel.publish(seq, Kind::Snapshot, text),
            Err(error) => tracing::error!(%error, "a snapshot could not be written"),
        }
    }

    /// Tells what passing time changed, if it is time to look.
    pub(crate) fn check_time(&mut self, live: &Live) {
        let Some((then, looked)) = self.told else { return };
        if looked.elapsed() < TIME_CHECK {
            return;
        }
        let now = live.now();
        let passed = i64::try_from(looked.elapsed().as_millis()).unwrap_or(i64::MAX);
        let changes = if (now.saturating_sub(then).saturating_sub(passed)).abs() > CLOCK_SET_MS {
            // What was told meanwhile was told for moments that are neither before nor now.
            Changes::everything()
        } else {
            live.hub().aged(then, now)
        };
        self.told = Some((now, Instant::now()));
        let home = query::home(&live.hub(), now);
        if !changes.is_empty() || self.shown.as_ref() != Some(&steady(home)) {
            self.step(live, &changes);
        }
    }

    fn note(&mut self, home: &Home) {
        self.shown = Some(steady(home.clone()));
        self.published = Some(Instant::now());
    }
}

/// Home without what differs between any two moments.
fn steady(mut home: Home) -> Home {
    home.now = 0;
    home.cursor = Cursor::default();
    home.source = SourceInfo::default();
    home
}

fn send_delta(live: &Live, delta: Delta) -> bool {
    let seq = delta.cursor.seq;
    match serde_json::to_string(&Frame::Delta(Box::new(delta))) {
        Ok(text) if text.len() <= MAX_DELTA_BYTES => {
            live.channel.publish(seq, Kind::Delta, text);
            true
        }
        Ok(_) => false,
        Err(error) => {
            tracing::error!(%error, "a delta could not be written");
            false
        }
    }
}
