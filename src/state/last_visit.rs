//! Time of the reader's last look, stored in this browser, from which home says what happened during an absence.

use leptos::ev;
use leptos::prelude::*;

use super::clock::PageClock;
use super::hub::HubState;
use super::stored::{Persistent, Stored};

/// From this long on the reader was away.
const AWAY_MS: i64 = 60 * 60_000;

/// A moment, in epoch milliseconds; 0 before the first visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct LastLook(i64);

impl Persistent for LastLook {
    const KEY: &'static str = "task-hub.last-look";

    fn to_text(&self) -> String {
        self.0.to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }
}

/// Since when the reader was away.
#[derive(Clone, Copy)]
pub struct LastVisit {
    /// The last look before this visit, in epoch milliseconds; none when it was a short while ago, or is dealt with.
    pub away_since: RwSignal<Option<i64>>,
    stored: Stored<LastLook>,
    clock: PageClock,
    hub: HubState,
}

impl LastVisit {
    pub(super) fn new(clock: PageClock, hub: HubState) -> Self {
        let visit = Self { away_since: RwSignal::new(None), stored: Stored::new(), clock, hub };
        // The page is looked at, and still is as time passes; a tab in the background is not.
        let now = clock.running_coarse();
        let is_answered = Memo::new(move |_| hub.present.with(Option::is_some));
        Effect::new(move |_| {
            now.track();
            if is_answered.get() {
                visit.look();
            }
        });
        let _for_life = window_event_listener(ev::visibilitychange, move |_| visit.look());
        visit
    }

    fn look(self) {
        // The monitor's time comes with its first answer.
        if document().hidden() || self.hub.present.with_untracked(Option::is_none) || self.hub.shows_files() {
            return;
        }
        let (before, now) = (self.stored.now().0, self.clock.running());
        if before > 0 && now - before >= AWAY_MS {
            self.away_since.set(Some(before));
        }
        // A clock that is set back does not make the reader look in the future.
        self.stored.change(|look| look.0 = now);
    }

    /// The reader knows what happened.
    pub fn dismiss(self) {
        self.away_since.set(None);
    }
}

/// Since when the reader was away.
pub fn use_last_visit() -> LastVisit {
    expect_context()
}
