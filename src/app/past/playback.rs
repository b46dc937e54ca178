//! Playback of the past: the moment moves on with the clock, or faster, until something needs a person or the present is
//! reached.

use std::collections::BTreeSet;

use coordination::api::{AttentionGroup, Home};
use gloo_timers::callback::Interval;
use leptos::prelude::*;

use crate::i18n::{I18n, use_i18n};
use crate::state::{HubState, PageClock, use_clock, use_hub};
use crate::ui::toast::{Toasts, use_toasts};

/// Between two steps.
const STEP_MS: u32 = 500;

/// Speeds, as multiples of the clock.
pub(super) const SPEEDS: [u32; 3] = [1, 10, 60];

/// Whether and how fast the moment moves by itself.
#[derive(Clone, Copy)]
pub(super) struct Playback {
    pub(super) is_playing: RwSignal<bool>,
    pub(super) speed: RwSignal<u32>,
    hub: HubState,
    clock: PageClock,
    toasts: Toasts,
    words: I18n,
}

/// A paused playback. `go` moves to a moment while playing; `reached_present` is called at the present.
pub(super) fn use_playback(go: Callback<i64>, reached_present: Callback<()>) -> Playback {
    let playback = Playback {
        is_playing: RwSignal::new(false),
        speed: RwSignal::new(SPEEDS[1]),
        hub: use_hub(),
        clock: use_clock(),
        toasts: use_toasts(),
        words: use_i18n(),
    };
    Effect::new(move |running: Option<Option<Interval>>| {
        drop(running);
        playback.is_playing.get().then(|| {
            Interval::new(STEP_MS, move || {
                if !untrack(|| playback.hub.past.is_pending()) {
                    playback.step(go, reached_present);
                }
            })
        })
    });
    // The lines that needed a person before; none before the first answer.
    Effect::new(move |before: Option<Option<BTreeSet<String>>>| {
        let now = playback.hub.home.with(|home| home.as_deref().map(for_person));
        let new = match (before.flatten(), &now) {
            (Some(before), Some(now)) => now.difference(&before).count(),
            _ => 0,
        };
        if new > 0 && playback.is_playing.get_untracked() {
            playback.is_playing.set(false);
            playback.toasts.done((playback.words.now().past().paused)(new));
        }
        now
    });
    playback
}

impl Playback {
    fn step(self, go: Callback<i64>, reached_present: Callback<()>) {
        let Some(moment) = self.hub.moment.get_untracked() else { return };
        let next = moment.at + i64::from(STEP_MS * self.speed.get_untracked());
        if next >= self.clock.running() {
            self.is_playing.set(false);
            reached_present.run(());
        } else {
            go.run(next);
        }
    }
}

/// Keys of the lines that need a person.
fn for_person(home: &Home) -> BTreeSet<String> {
    let of_person = home.attention.iter().filter(|line| line.group() == AttentionGroup::Person);
    of_person.map(|line| line.key()).collect()
}
