//! Clock of the page, set by the server's time. Displayed ages are right even if the computer's clock is wrong.

use coordination::api::PastMoment;
use gloo_timers::callback::Interval;
use leptos::prelude::*;

/// How often coarse readers (lists) look again. Relative labels change by the minute.
const COARSE_TICK_MS: u32 = 20_000;

/// The page's clock.
#[derive(Clone, Copy)]
pub struct PageClock {
    ahead_ms: StoredValue<i64>,
    /// The past moment that is looked at: the clock shows it, and runs on behind it.
    moment: RwSignal<Option<PastMoment>>,
    second: RwSignal<i64>,
    coarse: RwSignal<i64>,
}

impl PageClock {
    /// A running clock, which shows `moment` while there is one. It ticks for the life of the page.
    pub(super) fn new(moment: RwSignal<Option<PastMoment>>) -> Self {
        let now = device_now();
        let clock =
            Self { ahead_ms: StoredValue::new(0), moment, second: RwSignal::new(now), coarse: RwSignal::new(now) };
        Interval::new(1_000, move || clock.second.set(clock.running())).forget();
        Interval::new(COARSE_TICK_MS, move || clock.coarse.set(clock.running())).forget();
        clock
    }

    /// Now, without subscribing; the past moment while one is looked at.
    pub fn now(self) -> i64 {
        self.moment.get_untracked().map_or_else(|| self.running(), |moment| moment.at)
    }

    /// Now, whatever is looked at.
    pub fn running(self) -> i64 {
        device_now() + self.ahead_ms.get_value()
    }

    /// How far it is ahead of the device's.
    pub fn ahead_ms(self) -> i64 {
        self.ahead_ms.get_value()
    }

    /// Now, to the second: for one small label, never for lists.
    pub fn second(self) -> i64 {
        self.moment.get().map_or_else(|| self.second.get(), |moment| moment.at)
    }

    /// The same, whatever is looked at.
    pub fn running_second(self) -> i64 {
        self.second.get()
    }

    /// Now, a few times a minute.
    pub fn coarse(self) -> Signal<i64> {
        Signal::derive(move || self.moment.get().map_or_else(|| self.coarse.get(), |moment| moment.at))
    }

    /// The same, whatever is looked at.
    pub fn running_coarse(self) -> Signal<i64> {
        self.coarse.into()
    }

    /// Takes the server's time as the truth.
    pub fn set(self, server_now: i64) {
        let before = self.running();
        self.ahead_ms.set_value(server_now - device_now());
        if (self.running() - before).abs() > 2_000 {
            self.second.set(self.running());
            self.coarse.set(self.running());
        }
    }
}

fn device_now() -> i64 {
    js_sys::Date::now() as i64
}

/// The page's clock.
pub fn use_clock() -> PageClock {
    expect_context()
}
