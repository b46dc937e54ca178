//! Time of the reader's last look, from which home says what happened during an absence. It is stored in this browser and,
//! where a proxy names the person, by the monitor for all browsers of that person; the newer of both counts.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::clock::PageClock;
use super::hub::HubState;
use super::rights::Rights;
use super::stored::{Persistent, Stored};

/// From this long on the reader was away.
const AWAY_MS: i64 = 60 * 60_000;
/// Between two reports of one visit to the monitor: a visit under way elsewhere is never older.
const REPORT_INTERVAL_MS: i64 = 60_000;
/// Time for the monitor to say whether it knows the person. After that the browser's own time counts.
const NAME_TIMEOUT_MS: i64 = 5_000;

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

/// A look at the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PageLook {
    /// The look before in this browser.
    before: LastLook,
    at: i64,
}

/// What follows from a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LookOutcome {
    /// It waits for the monitor to say whether it knows the person.
    Wait,
    /// It is reported; the answer says when the person looked before.
    Report,
    /// The time in the browser decides.
    Decide,
}

/// The step after a look. `waited_ms`: since the first look that waits; `reported_ms`: since the last report.
fn step_after(is_named: Option<bool>, waited_ms: i64, reported_ms: Option<i64>) -> LookOutcome {
    match is_named {
        None if waited_ms < NAME_TIMEOUT_MS => LookOutcome::Wait,
        // A clock that was set back ends the interval.
        Some(true) if reported_ms.is_none_or(|ms| !(0..REPORT_INTERVAL_MS).contains(&ms)) => LookOutcome::Report,
        _ => LookOutcome::Decide,
    }
}

/// Since when the reader was away: the newer of the last looks in this browser and of the person in any browser. None when it
/// was a short while ago, and at the first visit.
fn away_since(browser: LastLook, person: Option<i64>, now: i64) -> Option<i64> {
    let last = browser.0.max(person.unwrap_or_default());
    (last > 0 && now.saturating_sub(last) >= AWAY_MS).then_some(last)
}

/// Since when the reader was away.
#[derive(Clone, Copy)]
pub struct LastVisit {
    /// The last look before this visit, in epoch milliseconds; none when it was a short while ago, or is dealt with.
    pub away_since: RwSignal<Option<i64>>,
    stored: Stored<LastLook>,
    clock: PageClock,
    hub: HubState,
    /// Whether a proxy names the person.
    is_named: Memo<Option<bool>>,
    /// The first look that waits for that.
    waiting: StoredValue<Option<PageLook>>,
    /// When a look was last reported.
    reported_at: StoredValue<Option<i64>>,
    /// The monitor records no visits.
    unsupported: StoredValue<bool>,
}

impl LastVisit {
    pub(super) fn new(clock: PageClock, hub: HubState, rights: Rights) -> Self {
        let visit = Self {
            away_since: RwSignal::new(None),
            stored: Stored::new(),
            clock,
            hub,
            is_named: rights.is_named(),
            waiting: StoredValue::new(None),
            reported_at: StoredValue::new(None),
            unsupported: StoredValue::new(false),
        };
        // The page is looked at, and still is as time passes; a tab in the background is not.
        let now = clock.running_coarse();
        let is_answered = Memo::new(move |_| hub.present.with(Option::is_some));
        Effect::new(move |_| {
            now.track();
            visit.is_named.track();
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
        let (before, now) = (*self.stored.now(), self.clock.running());
        // A clock that is set back does not make the reader look in the future.
        self.stored.change(|look| look.0 = now);
        let look = self.waiting.get_value().unwrap_or(PageLook { before, at: now });
        let is_named = self.is_named.get_untracked().map(|is_named| is_named && !self.unsupported.get_value());
        let reported_ms = self.reported_at.get_value().map(|at| now.saturating_sub(at));
        let step = step_after(is_named, now.saturating_sub(look.at), reported_ms);
        self.waiting.set_value(Some(look).filter(|_| step == LookOutcome::Wait));
        match step {
            LookOutcome::Wait => {}
            LookOutcome::Report => self.report(look.before, now),
            LookOutcome::Decide => self.decide(look.before, None, now),
        }
    }

    fn report(self, before: LastLook, now: i64) {
        self.reported_at.set_value(Some(now));
        let Some(source) = self.hub.present_source() else { return self.decide(before, None, now) };
        spawn_local(async move {
            let answer = source.record_visit().await;
            // An older monitor; the next page asks again.
            self.unsupported.set_value(answer.as_ref().is_err_and(|error| !error.is_transient()));
            if !self.hub.shows_files() {
                self.decide(before, answer.ok().and_then(|visit| visit.last_visit), now);
            }
        });
    }

    fn decide(self, browser: LastLook, person: Option<i64>, now: i64) {
        if let Some(since) = away_since(browser, person, now) {
            self.away_since.set(Some(since));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_771_651_020_000;
    const MINUTE: i64 = 60_000;

    #[test]
    fn newer_of_browser_and_person_decides() {
        let ago = |minutes: i64| NOW - minutes * MINUTE;
        for (browser, person, since, case) in [
            (0, None, None, "a first visit"),
            (ago(59), None, None, "a short while"),
            (ago(60), None, Some(ago(60)), "away, as far as the browser knows"),
            (ago(1_440), Some(ago(20)), None, "here a short while ago, on another device"),
            (ago(1_440), Some(ago(1)), None, "a visit is under way on another device"),
            (ago(1_440), Some(ago(180)), Some(ago(180)), "seen in the morning on another device"),
            (ago(90), Some(ago(1_440)), Some(ago(90)), "last here before the monitor knew the person"),
            (ago(5), Some(ago(1_440)), None, "here a short while ago"),
            (0, Some(ago(180)), Some(ago(180)), "a new browser"),
            (0, Some(ago(20)), None, "a new browser after a short while"),
            (ago(1_440), Some(ago(-30)), None, "the clock was set back"),
            (ago(-30), None, None, "the clock was set back"),
        ] {
            assert_eq!(away_since(LastLook(browser), person, NOW), since, "{case}");
        }
    }

    #[test]
    fn look_waits_for_the_name_and_is_reported_once_a_minute() {
        use LookOutcome::{Decide, Report, Wait};
        for (is_named, waited_ms, reported_ms, step) in [
            (None, 0, None, Wait),
            (None, NAME_TIMEOUT_MS, None, Decide),
            (Some(false), 0, None, Decide),
            (Some(true), 0, None, Report),
            (Some(true), 20_000, None, Report),
            (Some(true), 0, Some(REPORT_INTERVAL_MS - 1), Decide),
            (Some(true), 0, Some(REPORT_INTERVAL_MS), Report),
            (Some(true), 0, Some(-1), Report),
        ] {
            assert_eq!(step_after(is_named, waited_ms, reported_ms), step, "{is_named:?} {waited_ms} {reported_ms:?}");
        }
    }
}
