//! Publisher of the live stream's frames. Each batch of changes becomes one delta, or a snapshot if the delta would be
//! larger than 1 MiB. Changes caused only by passing time are published too.
//!
//! The first change after a pause is published at once. Later changes are collected for up to 50 ms; the wait grows
//! with the cost of the previous frame and the number of clients. Home page data takes longest to compute, so a delta
//! contains it at most every 100 ms, and less often when it takes long.

use std::sync::Arc;
use std::time::Duration;

use coordination::api::{Cursor, Delta, Frame, Home, ShownThread, Snapshot, SourceInfo, ThreadPatch, TouchedThread};
use coordination::hub::{Changes, Hub};
use coordination::query;
use coordination::view::SharedState;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::Live;
use super::channel::FrameKind;
use super::frame_text::{self, FrameText};

/// How often passing time alone is looked at: a session that becomes ARCHIVED changes its card and the counts of home.
pub(crate) const TIME_CHECK: Duration = Duration::from_secs(20);
/// Between two homes while changes follow each other, and so how far home lags behind the rest at most; unless making
/// one takes more than an eighth of that.
pub(crate) const HOME_INTERVAL: Duration = Duration::from_millis(100);
/// The next home waits for so many times what the last one took to make: meanwhile no frame is published, and
/// nothing is read.
const HOME_COST_FACTOR: u32 = 8;
/// A delta larger than this costs more than starting over.
const MAX_DELTA_BYTES: usize = 1024 * 1024;
/// A clock that moves by this much more or less than time passed was set.
const CLOCK_SET_MS: i64 = 2_000;
/// What one frame costs for each client, about: it is written to its connection on another thread.
const CLIENT_COST: Duration = Duration::from_micros(10);
/// A frame is followed by the next one after this many times what it took to make, so that publishing leaves time for
/// reading, and for queries.
const COST_FACTOR: u32 = 2;
/// A crowd whose frame costs this or more must have taken it first: on a busy machine that takes longer than
/// it costs, and more frames would only make a queue.
const CROWD_COST: Duration = Duration::from_millis(1);
/// Between two looks at a crowd.
const CROWD_POLL: Duration = Duration::from_millis(1);
/// The next frame is made after this in any case.
const MAX_DELAY: Duration = Duration::from_millis(50);

/// Makes frames of changes. There is one, owned by the writer of the hub.
#[derive(Debug, Default)]
pub(crate) struct Publisher {
    /// Home as the clients know it, without what changes all the time.
    shown: Option<Home>,
    /// When home was last published.
    home_published: Option<Instant>,
    /// Time that making the newest one took.
    home_took: Duration,
    /// Something changed since then.
    home_changed: bool,
    /// For which moment all cards were last published, by the configured clock and by the monotonic one.
    full_at: Option<(i64, Instant)>,
    /// When the newest frame was published, and the time that it took to make.
    published: Option<(Instant, Duration)>,
}

impl Publisher {
    /// For how long changes still wait for company: the first one after a pause not at all, the next ones until the
    /// frame before them is paid for, and three of four clients of a crowd have taken it. To be called again then.
    pub(crate) fn coalesce_delay(&self, live: &Live) -> Duration {
        let Some((at, took)) = self.published else { return Duration::ZERO };
        let clients = u32::try_from(live.clients().info().clients).unwrap_or(u32::MAX);
        let (passed, crowd) = (at.elapsed(), CLIENT_COST.saturating_mul(clients));
        let most = MAX_DELAY.saturating_sub(passed);
        let price = took.saturating_mul(COST_FACTOR).max(crowd).saturating_sub(passed);
        let behind = crowd >= CROWD_COST && live.channel.takers().saturating_mul(4) < u64::from(clients) * 3;
        if price.is_zero() && behind { CROWD_POLL.min(most) } else { price.min(most) }
    }

    /// Time until [`Self::publish_due_home`] has something to publish, if anything.
    pub(crate) fn home_due_in(&self) -> Option<Duration> {
        self.home_changed.then(|| self.until_home())
    }

    /// Publishes what changed. Empty changes stand for a change that only home shows.
    pub(crate) fn publish(&mut self, live: &Live, changes: &Changes) {
        self.home_changed = true;
        if !changes.is_empty() || self.until_home().is_zero() {
            self.publish_delta(live, changes);
        }
    }

    /// Publishes home if it is due. To be called whenever time has passed.
    pub(crate) fn publish_due_home(&mut self, live: &Live) {
        if self.home_due_in().is_some_and(|wait| wait.is_zero()) {
            self.publish_delta(live, &Changes::default());
        }
    }

    /// Everyone starts over from a snapshot: after the history, and when a delta would be larger than that.
    pub(crate) fn restart(&mut self, live: &Live) {
        let start = Instant::now();
        live.continuation.restart();
        live.write(Hub::advance);
        let hub = live.hub();
        let now = live.now();
        let mut snapshot = query::snapshot(&hub, now);
        snapshot.cursor.inputs = live.continuation.applied();
        self.note_home(&snapshot.home);
        self.full_at = Some((now, Instant::now()));
        drop(hub);
        send_snapshot(live, snapshot);
        self.published = Some((Instant::now(), start.elapsed()));
    }

    /// Publishes what passing time changed, if it is time to look.
    pub(crate) fn check_time(&mut self, live: &Live) {
        let Some((then, looked)) = self.full_at else { return };
        if looked.elapsed() < TIME_CHECK {
            return;
        }
        let now = live.now();
        let passed = i64::try_from(looked.elapsed().as_millis()).unwrap_or(i64::MAX);
        let changes = if (now.saturating_sub(then).saturating_sub(passed)).abs() > CLOCK_SET_MS {
            // Frames published meanwhile are of moments that are neither before nor now.
            Changes::everything()
        } else {
            live.hub().time_changes(then, now)
        };
        self.full_at = Some((now, Instant::now()));
        let home = query::home(&live.hub(), now);
        if !changes.is_empty() || self.shown.as_ref() != Some(&steady(home)) {
            self.publish(live, &changes);
        }
    }

    /// One delta, with home if that is due.
    fn publish_delta(&mut self, live: &Live, changes: &Changes) {
        let start = Instant::now();
        live.write(Hub::advance);
        let hub = live.hub();
        let now = live.now();
        let mut delta = query::delta(&hub, now, changes);
        delta.cursor.inputs = live.continuation.applied();
        if self.until_home().is_zero() {
            let begun = Instant::now();
            let home = query::home(&hub, now);
            self.home_took = begun.elapsed();
            self.note_home(&home);
            delta.home = Some(home);
        }
        let patches = thread_patches(live, &hub, now, changes, &delta);
        drop(hub);
        live.continuation.record(&delta);
        if send_delta(live, delta, patches) {
            self.published = Some((Instant::now(), start.elapsed()));
        } else {
            self.restart(live);
        }
    }

    /// Time until home may be published again.
    fn until_home(&self) -> Duration {
        self.home_published.map_or(Duration::ZERO, |at| between_homes(self.home_took).saturating_sub(at.elapsed()))
    }

    fn note_home(&mut self, home: &Home) {
        self.shown = Some(steady(home.clone()));
        self.home_published = Some(Instant::now());
        self.home_changed = false;
    }
}

/// How long after one home the next one may be made, when that one took so long.
fn between_homes(took: Duration) -> Duration {
    HOME_INTERVAL.max(took.saturating_mul(HOME_COST_FACTOR))
}

/// Home without what differs between any two moments.
fn steady(mut home: Home) -> Home {
    home.now = 0;
    home.cursor = Cursor::default();
    home.source = SourceInfo::default();
    home
}

/// The new items of each touched thread that a client shows.
fn thread_patches(
    live: &Live,
    hub: &Hub,
    now: i64,
    changes: &Changes,
    delta: &Delta,
) -> Vec<(Arc<ShownThread>, ThreadPatch)> {
    let is_touched = |shown: &Arc<ShownThread>| {
        let same = |touched: &TouchedThread| {
            touched.thread.thread_id == shown.thread_id && touched.session_id == shown.session_id
        };
        delta.threads.iter().any(same)
    };
    let patch_of = |shown: Arc<ShownThread>| {
        let patch = query::thread_patch(hub, now, changes, &shown.session_id, &shown.thread_id)?;
        Some((shown, patch))
    };
    live.shown.all().into_iter().filter(is_touched).filter_map(patch_of).collect()
}

/// Publishes a snapshot; differences build on it from now on.
fn send_snapshot(live: &Live, snapshot: Snapshot) {
    let seq = snapshot.cursor.seq;
    match frame_object(&Frame::Snapshot(Box::new(snapshot))) {
        Ok(frame) => {
            let mut shared = live.shared();
            *shared = SharedState::of_snapshot(&frame);
            live.channel.publish(seq, FrameKind::Snapshot, FrameText::same_for_all(frame_text::write(frame)));
        }
        Err(error) => tracing::error!(%error, "a snapshot could not be written"),
    }
}

/// Publishes a delta; false when it is larger than a snapshot should be.
fn send_delta(live: &Live, delta: Delta, patches: Vec<(Arc<ShownThread>, ThreadPatch)>) -> bool {
    let seq = delta.cursor.seq;
    let kind = if delta.home.is_some() { FrameKind::Delta } else { FrameKind::Part };
    let mut frame = match frame_object(&Frame::Delta(Box::new(delta))) {
        Ok(frame) => frame,
        Err(error) => {
            tracing::error!(%error, "a delta could not be written");
            return false;
        }
    };
    let whole = live.clients().wants_whole().then(|| frame_text::write(frame.clone()).into());
    let mut shared = live.shared();
    if let Some(shared) = &mut *shared {
        shared.shorten(&mut frame);
    }
    let text = frame_text::write(frame);
    if text.len() > MAX_DELTA_BYTES {
        return false;
    }
    let with_thread = |(thread, patch): (Arc<ShownThread>, ThreadPatch)| {
        let patch = serde_json::to_string(&patch).ok()?;
        Some((thread, frame_text::with_field(&text, "threadPatch", &patch).into()))
    };
    let of_threads = patches.into_iter().filter_map(with_thread).collect();
    live.channel.publish(seq, kind, FrameText { of_threads, whole, text: text.into() });
    true
}

/// The fields of a frame.
fn frame_object(frame: &Frame) -> serde_json::Result<Map<String, Value>> {
    match serde_json::to_value(frame)? {
        Value::Object(fields) => Ok(fields),
        other => Err(serde::ser::Error::custom(format!("no object: {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{HOME_INTERVAL, between_homes};

    #[test]
    fn home_takes_at_most_an_eighth() {
        let ms = Duration::from_millis;
        assert_eq!(between_homes(ms(0)), HOME_INTERVAL);
        assert_eq!(between_homes(ms(12)), HOME_INTERVAL);
        assert_eq!(between_homes(ms(50)), ms(400));
    }
}
