//! Bar of the past: which moment is shown, a slider over the day or the session, steps from event to event, playback, a
//! calendar, and the way back to now.

use std::sync::Arc;

use coordination::api::{DaysQuery, EventDay, EventDays, KnownBy, PastMoment};
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::calendar::Calendar;
use super::compare::{Comparison, use_compared_with};
use super::playback::{Playback, SPEEDS, use_playback};
use super::range::use_range;
use crate::i18n::{time, use_i18n};
use crate::queries::{Go, use_go};
use crate::routes::ComparedWith;
use crate::source::SourceError;
use crate::state::{HubState, PageClock, use_clock, use_hub};
use crate::ui::Icon;
use crate::ui::segments::{Segment, Segments};

/// A day of a calendar, in milliseconds.
const DAY_MS: i64 = 86_400_000;

/// Moves of the bar.
#[derive(Clone)]
struct Mover {
    hub: HubState,
    clock: PageClock,
    go: Go,
    /// Moment of the slider that is not requested yet.
    wanted: RwSignal<Option<i64>>,
    /// Number of moves so far: the address follows the last one.
    moves: StoredValue<u32>,
}

/// The address is written so long after the last move, because browsers limit how often it may be.
const ADDRESS_DELAY_MS: u32 = 400;

/// The events around a moment are fetched so long after it came to rest.
const DAYS_DELAY_MS: u32 = 60;

impl Mover {
    /// To a moment. The address follows.
    fn to(&self, at: i64) {
        if at >= self.clock.running() {
            return self.to_present();
        }
        self.drag(at.max(0));
        self.moves.update_value(|moves| *moves += 1);
        let (this, moves) = (self.clone(), self.moves.get_value());
        Timeout::new(ADDRESS_DELAY_MS, move || {
            if this.moves.try_get_value() == Some(moves) {
                this.settle();
            }
        })
        .forget();
    }

    /// The address of the moment that is shown or requested.
    fn settle(&self) {
        let wanted = self.wanted.get_untracked();
        if let Some(moment) = self.hub.moment.get_untracked() {
            self.go.to_moment(Some(PastMoment { at: wanted.unwrap_or(moment.at), ..moment }));
        }
    }

    /// To a moment without its address. While something of the last one is not on the page yet, the newest moment waits.
    fn drag(&self, at: i64) {
        let Some(moment) = self.hub.moment.get_untracked() else { return };
        if untrack(|| self.hub.past.is_pending()) {
            return self.wanted.set(Some(at));
        }
        self.wanted.set(None);
        self.hub.go_to(Some(PastMoment { at, ..moment }));
    }

    fn known_by(&self, known_by: KnownBy) {
        if let Some(moment) = self.hub.moment.get_untracked() {
            self.go.to_moment(Some(PastMoment { known_by, ..moment }));
        }
    }

    fn to_present(&self) {
        self.go.to_moment(None);
    }
}

/// The bar.
#[component]
pub(super) fn PastBar() -> impl IntoView {
    let words = use_i18n();
    let (hub, clock, go) = (use_hub(), use_clock(), use_go());
    let mover = Mover { hub, clock, go, wanted: RwSignal::new(None), moves: StoredValue::new(0) };
    let (drag, to_present) = (mover.clone(), mover.clone());
    let playback =
        use_playback(Callback::new(move |at| drag.drag(at)), Callback::new(move |()| to_present.to_present()));
    // The address follows when playback pauses, for whatever reason.
    let paused = mover.clone();
    Effect::new(move |was_playing: Option<bool>| {
        let is_playing = playback.is_playing.get();
        if was_playing == Some(true) && !is_playing {
            paused.settle();
        }
        is_playing
    });
    let resume = mover.clone();
    Effect::new(move |_| {
        if !hub.past.is_pending()
            && let Some(at) = resume.wanted.get_untracked()
        {
            resume.drag(at);
        }
    });
    let at = Memo::new(move |_| hub.moment.get().map(|moment| moment.at).unwrap_or_default());
    let days = use_days(hub, clock, at);
    let calendar = RwSignal::new(false);
    let button = NodeRef::<leptos::html::Button>::new();
    let focus_button = move || {
        if let Some(button) = button.get_untracked() {
            button.focus().unwrap_or_default();
        }
    };
    let pick = mover.clone();
    let on_pick = Callback::new(move |day: EventDay| {
        calendar.set(false);
        focus_button();
        let last = days.with_untracked(|days| days.as_ref().and_then(|days| days.last)).unwrap_or(i64::MAX);
        pick.to((time::local_midnight(day.at + DAY_MS + DAY_MS / 2) - 1).min(last.max(day.at)));
    });
    let close = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && calendar.get_untracked() {
            event.stop_propagation();
            calendar.set(false);
            focus_button();
        }
    };
    let back = mover.clone();
    view! {
        <section class="past" aria-label=move || words.get().past().title on:keydown=close>
            <div class="past__row">
                <p class="past__at">
                    {Icon::Clock}
                    {move || {
                        let shown = time::exact(words.locale(), at.get());
                        (words.get().past().at)(&shown)
                    }}
                </p>
                <PlayerButtons mover=mover.clone() playback=playback days=days.into() />
                <span class="past__end">
                    <button
                        type="button"
                        node_ref=button
                        class="button is-small"
                        aria-expanded=move || calendar.get().to_string()
                        on:click=move |_| calendar.update(|open| *open = !*open)
                    >
                        {move || words.get().past().calendar}
                    </button>
                    <CompareButton mover=mover.clone() />
                    <KnownByChoice mover=mover.clone() />
                    <button type="button" class="button is-small is-primary" on:click=move |_| back.to_present()>
                        {move || words.get().past().to_present}
                    </button>
                </span>
            </div>
            <Scrubber mover=mover at=at playback=playback />
            {move || calendar.get().then(|| view! { <Calendar days=days on_pick=on_pick /> })}
            <PastNote days=days.into() />
            <Comparison />
        </section>
    }
}

/// Days with events as of now, with the events next to the moment.
fn use_days(hub: HubState, clock: PageClock, at: Memo<i64>) -> RwSignal<Option<Arc<EventDays>>> {
    let days = RwSignal::new(None);
    Effect::new(move |waiting: Option<Option<Timeout>>| {
        drop(waiting);
        let near = at.get();
        // After the answers for the moment itself, which the page shows.
        if hub.past.is_pending() || hub.source.with(Option::is_none) {
            return None;
        }
        let source = hub.present_source()?;
        Some(Timeout::new(DAYS_DELAY_MS, move || {
            let query = DaysQuery { offset_min: time::offset_east(clock.running()), near: Some(near) };
            spawn_local(async move {
                if let Ok(answer) = source.days(&query).await
                    && at.try_get_untracked() == Some(near)
                {
                    days.try_set(Some(Arc::new(answer)));
                }
            });
        }))
    });
    days
}

/// Steps to the events around the moment, and playback.
#[component]
fn PlayerButtons(mover: Mover, playback: Playback, days: Signal<Option<Arc<EventDays>>>) -> impl IntoView {
    let words = use_i18n();
    let previous = Memo::new(move |_| days.with(|days| days.as_ref()?.previous));
    let next = Memo::new(move |_| days.with(|days| days.as_ref()?.next));
    let step = |to: Memo<Option<i64>>| {
        let mover = mover.clone();
        move |_| {
            if let Some(at) = to.get_untracked() {
                mover.to(at);
            }
        }
    };
    let play_word = move || match playback.is_playing.get() {
        true => words.get().past().pause,
        false => words.get().past().play,
    };
    let speed = |speed: u32| Segment { value: speed, view: ViewFn::from(move || (words.get().past().speed)(speed)) };
    let toggle = move |_| playback.is_playing.update(|playing| *playing = !*playing);
    view! {
        <span class="past__player">
            <button
                type="button"
                class="button is-small"
                disabled=move || previous.get().is_none()
                on:click=step(previous)
            >
                {Icon::ChevronLeft}
                <span class="past__step">{move || words.get().past().previous}</span>
            </button>
            <button type="button" class="button is-small" on:click=toggle>
                {play_word}
            </button>
            <Segments
                label=Signal::derive(move || words.get().past().speed_label.to_owned())
                choices=SPEEDS.map(speed).to_vec()
                value=playback.speed
                on_pick=Callback::new(move |speed| playback.speed.set(speed))
            />
            <button type="button" class="button is-small" disabled=move || next.get().is_none() on:click=step(next)>
                <span class="past__step">{move || words.get().past().next}</span>
                {Icon::ChevronRight}
            </button>
        </span>
    }
}

/// Slider over the day, or over the life of the session on screen.
#[component]
fn Scrubber(mover: Mover, at: Memo<i64>, playback: Playback) -> impl IntoView {
    let words = use_i18n();
    let range = use_range();
    let value = |event: leptos::ev::Event| event_target_value(&event).parse::<f64>().ok().map(|value| value as i64);
    let (drag, rest) = (mover.clone(), mover);
    let end =
        move |pick: fn(super::range::ScrubRange) -> i64| move || time::day_clock(words.locale(), pick(range.get()));
    view! {
        <div class="past__scrubber">
            <span>{end(|range| range.0)}</span>
            <input
                type="range"
                step="1000"
                min=move || range.get().0.to_string()
                max=move || range.get().1.to_string()
                // After the limits, by which the browser bounds it.
                prop:value=move || {
                    range.track();
                    at.get().to_string()
                }
                aria-label=move || words.get().past().scrubber
                aria-valuetext=move || time::exact(words.locale(), at.get())
                on:input=move |event| {
                    playback.is_playing.set(false);
                    if let Some(at) = value(event) {
                        drag.drag(at);
                    }
                }
                on:change=move |event| {
                    if let Some(at) = value(event) {
                        rest.to(at);
                    }
                }
            />
            <span>{end(|range| range.1)}</span>
        </div>
    }
}

/// Opens and closes the comparison.
#[component]
fn CompareButton(mover: Mover) -> impl IntoView {
    let words = use_i18n();
    let compared = use_compared_with();
    let toggle = move |_| {
        let with = if compared.get_untracked().is_some() { None } else { Some(ComparedWith::Now) };
        mover.go.compare(with);
    };
    view! {
        <button
            type="button"
            class="button is-small"
            aria-expanded=move || compared.with(Option::is_some).to_string()
            on:click=toggle
        >
            {move || words.get().past().compare}
        </button>
    }
}

/// By what events count as known.
#[component]
fn KnownByChoice(mover: Mover) -> impl IntoView {
    let words = use_i18n();
    let hub = mover.hub;
    let known_by = Memo::new(move |_| hub.moment.get().map(|moment| moment.known_by).unwrap_or_default());
    let choice = |known_by: KnownBy| Segment {
        value: known_by,
        view: ViewFn::from(move || (words.get().past().known_by)(known_by)),
    };
    view! {
        <Segments
            label=Signal::derive(move || words.get().past().known_by_label.to_owned())
            choices=KnownBy::ALL.map(choice).to_vec()
            value=known_by
            on_pick=Callback::new(move |known_by| mover.known_by(known_by))
        />
    }
}

/// What the past does not hold, or why it cannot be shown.
#[component]
fn PastNote(days: Signal<Option<Arc<EventDays>>>) -> impl IntoView {
    let words = use_i18n();
    let hub = use_hub();
    let failed = Memo::new(move |_| hub.past.error.with(Option::is_some));
    let is_before_first = Memo::new(move |_| {
        let at = hub.moment.get()?.at;
        days.with(|days| days.as_ref()?.first).filter(|first| at < *first)
    });
    let text = move || {
        let past = words.get().past();
        let error = hub.past.error.with(|error| error.as_ref().map(|error| matches!(error, SourceError::Unsupported)));
        match (error, is_before_first.get()) {
            (Some(true), _) => past.unsupported.to_owned(),
            (Some(false), _) => past.failed.to_owned(),
            (None, Some(first)) => (past.before_first)(&time::exact(words.locale(), first)),
            (None, None) => past.limits.to_owned(),
        }
    };
    view! {
        <p class="past__note" class:is-bad=move || failed.get()>
            {text}
            {move || {
                let retry = move |_| hub.past.retry.update(|count| *count += 1);
                failed.get().then(|| {
                    view! {
                        <button type="button" class="button is-small" on:click=retry>
                            {words.get().past().retry}
                        </button>
                    }
                })
            }}
        </p>
    }
}
