//! Range of the slider: the life of the session on screen, else the day of the moment.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_location;

use coordination::ids::SessionId;

use crate::i18n::time;
use crate::routes::session_of;
use crate::state::{PageClock, use_clock, use_hub};

const DAY_MS: i64 = 86_400_000;
const MINUTE_MS: i64 = 60_000;

/// First and last moment that the slider reaches.
pub(super) type ScrubRange = (i64, i64);

/// The range for the page on screen.
pub(super) fn use_range() -> Memo<ScrubRange> {
    let (hub, clock, path) = (use_hub(), use_clock(), use_location().pathname);
    let session = Memo::new(move |_| path.with(|path| session_of(path)));
    let life = RwSignal::new(None::<(SessionId, ScrubRange)>);
    Effect::new(move |_| {
        let Some(id) = session.get() else { return };
        hub.source.track();
        let is_known = life.with_untracked(|life| life.as_ref().is_some_and(|(of, _)| *of == id));
        let Some(source) = hub.present_source().filter(|_| !is_known) else { return };
        // As it is now: of the past nobody knows how long it will last.
        spawn_local(async move {
            let Ok(detail) = source.session(&id).await else { return };
            let (start, last) = (detail.session.start_time, detail.session.last_time);
            if 0 < start && start < last {
                life.try_set(Some((id, (start, last + MINUTE_MS))));
            }
        });
    });
    Memo::new(move |_| {
        let at = hub.moment.get().map_or_else(|| clock.running(), |moment| moment.at);
        // The present moves on, and the clock is set by the first answer.
        hub.present.track();
        let of_session = session.get().and_then(|id| life.get().filter(|(of, _)| *of == id));
        match of_session {
            Some((_, range)) => bounded(range, at, clock),
            None => bounded(day_of(at), at, clock),
        }
    })
}

/// A range that holds the moment and nothing of the future.
fn bounded((first, last): ScrubRange, at: i64, clock: PageClock) -> ScrubRange {
    (first.min(at), last.min(clock.running()).max(at))
}

/// The user's day of a moment.
fn day_of(at: i64) -> ScrubRange {
    let first = time::local_midnight(at);
    // A day with a change of the clock has 23 or 25 hours.
    (first, time::local_midnight(first + DAY_MS + DAY_MS / 2) - 1)
}
