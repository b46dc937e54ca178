//! Machines of the fleet: a row for each, with its state, when it was last seen, its sessions by status and what waits
//! for a person. Details unfold and stay open while the numbers change.

use coordination::api::{FleetRetention, FleetSource, FleetSourceState};
use coordination::session::Status;
use coordination::text::hidden;
use leptos::prelude::*;

use super::state::FleetState;
use crate::components::hidden::Name;
use crate::components::machine_state::state_style;
use crate::components::time_ago::TimeAgo;
use crate::i18n::messages::Messages;
use crate::i18n::{number, time, use_i18n};
use crate::routes::paths;
use crate::ui::badge::{Badge, StatusStyle, style};
use crate::ui::live_rows::LiveRows;
use crate::ui::{Icon, Tone};

/// Clocks that differ by less are not worth a word.
const MAX_CLOCK_DIFFERENCE_MS: i64 = 120_000;

/// The machines.
#[component]
pub(super) fn MachineList(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let sources = fleet.rows(|page| &page.sources, |source| &source.name);
    let count = move || sources.with(Vec::len);
    view! {
        <section class="fleet__section" aria-labelledby="machines">
            <div class="section-head">
                <h2 id="machines">{move || words.get().fleet().machines}</h2>
                <span class="section-head__count">{count}</span>
            </div>
            <ul class="machines">
                <LiveRows
                    each=move || sources.get()
                    key=|source: &FleetSource| source.id.clone()
                    draw=|source| view! { <MachineRow source=source /> }.into_any()
                />
            </ul>
            <RetentionLine fleet=fleet />
        </section>
    }
}

/// How much of the logs the servers keep, in one small line.
#[component]
fn RetentionLine(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let retention = fleet.slice(|page| page.retention.map(|retention| (retention, page.now)));
    move || {
        let (retention, now) = retention.get()?;
        Some(view! { <p class="fleet__more">{retention_text(retention, now, words.get())}</p> })
    }
}

fn retention_text(retention: FleetRetention, now: i64, words: &Messages) -> String {
    let FleetRetention { max_age_ms, max_bytes, bytes, first_time } = retention;
    let (fleet, locale) = (words.fleet(), words.locale);
    let age = max_age_ms.map(|age| (fleet.max_age)(&time::duration(locale, age)));
    let limit = max_bytes.map(|limit| (fleet.max_size)(&number::bytes(limit)));
    let unlimited = (age.is_none() && limit.is_none()).then(|| fleet.unlimited.to_owned());
    let stored = (fleet.stored)(&number::bytes(bytes));
    let first = first_time.map(|at| (fleet.stored_since)(&time::short_day(locale, now, at)));
    let parts: Vec<String> = age.into_iter().chain(limit).chain(unlimited).chain([stored]).chain(first).collect();
    format!("{}: {}", fleet.retention, parts.join(" · "))
}

/// One machine. Its name leads to its dashboard.
#[component]
fn MachineRow(source: Memo<FleetSource>) -> impl IntoView {
    let words = use_i18n();
    let name = Memo::new(move |_| source.with(|source| source.name.clone()));
    let state = Memo::new(move |_| source.with(|source| (source.state, source.starting)));
    let last_seen = Memo::new(move |_| source.with(|source| source.last_seen));
    let version = Memo::new(move |_| source.with(|source| source.version.clone()));
    let badge = move || {
        let (state, starting) = state.get();
        let is_starting = starting && state == FleetSourceState::Live;
        let StatusStyle { tone, icon } =
            if is_starting { style(Tone::Info, Icon::Hourglass) } else { state_style(state) };
        let texts = move || match words.get().fleet() {
            fleet if is_starting => (fleet.starting_state, fleet.starting_title),
            fleet => ((fleet.state)(state), (fleet.state_hint)(state)),
        };
        let text = Signal::derive(move || texts().0.to_owned());
        view! {
            <span title=move || texts().1>
                <Badge tone=tone icon=icon text=text />
            </span>
        }
    };
    let seen = move || match last_seen.get() {
        Some(at) => view! { <TimeAgo at=at /> }.into_any(),
        None => (move || words.get().fleet().not_yet).into_any(),
    };
    view! {
        <li class="machine">
            <div class="machine__state">{badge}</div>
            <h3>
                <a href=move || name.with(|name| paths::machine(name)) rel="external" data-row="">
                    {move || view! { <Name text=name.get() /> }}
                </a>
            </h3>
            <MachineCounts source=source />
            <p class="machine__facts">
                <span class="nowrap">{move || words.get().fleet().last_seen} " " {seen}</span>
                {move || {
                    let version = version.get();
                    (!version.is_empty()).then(|| view! {
                        <span class="nowrap">{move || words.get().fleet().version} " " <Name text=version.clone() /></span>
                    })
                }}
            </p>
            <MachineDetails source=source />
        </li>
    }
}

/// Sessions by status, and what waits for a person.
#[component]
fn MachineCounts(source: Memo<FleetSource>) -> impl IntoView {
    let words = use_i18n();
    let counts = Memo::new(move |_| source.with(|source| source.status_counts));
    let waiting = Memo::new(move |_| source.with(|source| source.waiting));
    let count = move |status: Status| {
        let n = move || {
            let n = counts.with(|counts| match status {
                Status::Active => counts.active,
                Status::Quiet => counts.quiet,
                Status::Archived => counts.archived,
            });
            time::count(words.locale(), u64::from(n))
        };
        view! {
            <li>
                {move || (words.get().common.status)(status)} " " <b>{n}</b>
            </li>
        }
    };
    view! {
        <ul class="machine__counts">
            {[Status::Active, Status::Quiet, Status::Archived].into_iter().map(count).collect_view()}
            {move || {
                let waiting = waiting.get();
                (waiting > 0).then(|| view! {
                    <li class="machine__waiting">
                        {Icon::Flag} {move || (words.get().fleet().waiting)(waiting)}
                    </li>
                })
            }}
        </ul>
    }
}

/// What is known of a machine, folded.
#[component]
fn MachineDetails(source: Memo<FleetSource>) -> impl IntoView {
    let words = use_i18n();
    let facts = Memo::new(move |_| source.with(|source| facts(source, words.get())));
    let fact = |(label, values): (&'static str, Vec<String>)| {
        let value = |value: String| view! { <dd>{value}</dd> };
        view! {
            <div>
                <dt>{label}</dt>
                {values.into_iter().map(value).collect_view()}
            </div>
        }
    };
    view! {
        <details class="machine__details">
            <summary>{move || words.get().fleet().details}</summary>
            <dl>{move || facts.get().into_iter().map(fact).collect_view()}</dl>
        </details>
    }
}

/// The details: a label and its values, as text.
fn facts(source: &FleetSource, words: &'static Messages) -> Vec<(&'static str, Vec<String>)> {
    let fleet = words.fleet();
    let marked = |text: &str| hidden::marked(text).into_owned();
    let holes = source.holes.iter().map(|hole| {
        let size = number::bytes(hole.to.saturating_sub(hole.from));
        let known = hole.known_from.map(|at| (fleet.known_from)(&time::exact(words.locale, at)));
        let place = format!("{} · {}–{} ({size})", marked(&hole.path), hole.from, hole.to);
        [Some(place), known].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    });
    let skipped = source.skipped.iter().map(|file| format!("{} · {}", marked(&file.path), marked(&file.cause)));
    let ahead = source.clock_ahead_ms;
    let clock = (ahead.abs() > MAX_CLOCK_DIFFERENCE_MS).then(|| {
        let length = time::duration(words.locale, ahead.abs());
        if ahead > 0 { (fleet.clock_ahead)(&length) } else { (fleet.clock_behind)(&length) }
    });
    let behind = (source.bytes_behind > 0).then(|| number::bytes(source.bytes_behind));
    let refused = (source.refused > 0).then(|| time::count(words.locale, source.refused));
    let level = (!source.text.is_empty()).then(|| marked((fleet.text_level)(&source.text)));
    let facts: [(&'static str, Vec<String>); 8] = [
        (fleet.size, vec![number::bytes(source.bytes)]),
        (fleet.size_behind, behind.into_iter().collect()),
        (fleet.holes, holes.collect()),
        (fleet.skipped, skipped.collect()),
        (fleet.refused_messages, refused.into_iter().collect()),
        (fleet.clock, clock.into_iter().collect()),
        (fleet.texts, level.into_iter().collect()),
        (fleet.id, vec![marked(&source.id)]),
    ];
    facts.into_iter().filter(|(_, values)| !values.is_empty()).collect()
}
