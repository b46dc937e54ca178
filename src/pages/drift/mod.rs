//! Drift page: fallbacks (sessions without evidence), category shares, manual changes, confidence and consistency of
//! classification over time. The recent fallback share is compared with the usual one. Tables of chart data are
//! optional.

mod charts;
mod intents;
mod overrides;
mod tables;

use std::sync::Arc;

pub(in crate::pages) use charts::Grounds;
use charts::{Confidence, Shares};
use coordination::api::{BandStanding, Drift as Answer, PeriodsQuery};
use intents::IntentGroups;
use leptos::prelude::*;
use overrides::OverrideTable;

use super::failure::Failure;
use super::unknown_filter::UnknownFilter;
use crate::components::machine::use_machine_links;
use crate::components::source_empty::SourceEmpty;
use crate::i18n::{number, time, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch, use_go, use_page_title, use_pairs};
use crate::routes::{ChangesFilter, DriftSince, DriftView, paths};
use crate::source::SourceError;
use crate::state::{use_clock, use_connection, use_hub};
use crate::ui::band::Band;
use crate::ui::empty::EmptyState;
use crate::ui::menu::{Menu, MenuChoice};
use crate::ui::skeleton::Skeleton;
use crate::ui::{Icon, Tone};

type DriftText = crate::i18n::messages::DriftMessages;

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct DriftState {
    view: Memo<DriftView>,
    fetch: Fetch<Answer>,
}

/// The page of `/drift`.
#[component]
pub fn DriftPage() -> impl IntoView {
    let words = use_i18n();
    let (pairs, clock) = (use_pairs(), use_clock());
    let view = Memo::new(move |_| pairs.with(|pairs| DriftView::from_pairs(pairs)));
    let options =
        FetchOptions::refetch_when(|change, _: &Option<DriftSince>| change.everything || !change.sessions.is_empty());
    let fetch = use_fetch(
        move || view.get().since,
        options,
        move |source, since: Option<DriftSince>| {
            let now = clock.now();
            let since = since.map(|since| since.earliest_ms(now));
            let query = PeriodsQuery { since, offset_min: time::offset_east(now) };
            async move { source.drift(&query).await }
        },
    );
    let state = DriftState { view, fetch };
    use_page_title(move || words.get().drift().title.to_owned());
    let known = Memo::new(move |_| fetch.data.with(Option::is_some));
    view! {
        <main id="main" class="drift" tabindex="-1">
            <DriftHead />
            <DriftTools state=state />
            <UnknownFilter
                unknown=Signal::derive(move || DriftView::unknown(&pairs.get()))
                without=Signal::derive(move || paths::drift(view.get()))
            />
            {move || match (known.get(), fetch.failure.get()) {
                (true, _) => fetch
                    .data
                    .get_untracked()
                    .map(|first| {
                        let answer = Signal::derive(move || fetch.data.get().unwrap_or_else(|| first.clone()));
                        view! { <DriftPanel answer=answer state=state /> }
                    })
                    .into_any(),
                (false, Some(error)) => view! { <DriftFailure error=error state=state /> }.into_any(),
                (false, None) => {
                    let label = Signal::derive(move || words.get().common.loading.to_owned());
                    view! { <Skeleton rows=8 label=label /> }.into_any()
                }
            }}
        </main>
    }
}

/// Title of the page and a link to the category changes. An older monitor has no such link.
#[component]
fn DriftHead() -> impl IntoView {
    let words = use_i18n();
    let compat = use_connection().compat;
    view! {
        <header class="list-head has-more">
            <div>
                <h1>{move || words.get().drift().title}</h1>
                <p>{move || words.get().drift().subtitle}</p>
            </div>
            {move || {
                (!compat.get())
                    .then(|| {
                        view! {
                            <p class="page-head__more">
                                <a class="link" href=paths::changes(&ChangesFilter::default())>
                                    {Icon::Pen}
                                    {move || words.get().record().open}
                                </a>
                            </p>
                        }
                    })
            }}
        </header>
    }
}

/// Period, button for the tables, and number of counted sessions.
#[component]
fn DriftTools(state: DriftState) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let view = state.view;
    let set = Callback::new(move |view: DriftView| go.refine(&paths::drift(view)));
    let periods = Signal::derive(move || {
        let name = words.get().drift().since;
        let choice = |since: DriftSince| MenuChoice { text: name(since).to_owned(), value: since.as_str().to_owned() };
        DriftSince::ALL.into_iter().map(choice).collect::<Vec<_>>()
    });
    let as_table = Memo::new(move |_| view.get().as_table);
    let counted = move || {
        let answer = state.fetch.data.get()?;
        let (words, locale) = (words.get().drift(), words.locale());
        let say = |n: u32, say: fn(&str) -> String| (n > 0).then(|| say(&time::count(locale, u64::from(n))));
        let some = say(answer.all.sessions, words.counted);
        let left_out = [say(answer.all.stated, words.stated), say(answer.undated, words.undated)];
        Some(some.into_iter().chain(left_out.into_iter().flatten()).collect::<Vec<_>>().join(" · "))
    };
    view! {
        <div class="filters" role="group" aria-label=move || words.get().drift().period>
            <Menu
                label=Signal::derive(move || words.get().drift().all_time.to_owned())
                choices=periods
                value=Signal::derive(move || view.get().since.map(DriftSince::as_str).unwrap_or_default().to_owned())
                on_pick=Callback::new(move |since: String| {
                    set.run(DriftView { since: since.parse().ok(), ..view.get_untracked() });
                })
            />
            <button
                type="button"
                class="button is-small"
                aria-pressed=move || as_table.get().to_string()
                on:click=move |_| {
                    let now = view.get_untracked();
                    set.run(DriftView { as_table: !now.as_table, ..now });
                }
            >
                {move || words.get().drift().as_table}
            </button>
            <p class="drift__counted is-dim" role="status">
                {counted}
            </p>
        </div>
    }
}

/// Reason why no drift is shown: an older monitor, or a failed request.
#[component]
fn DriftFailure(error: SourceError, state: DriftState) -> impl IntoView {
    if error.is_not_found() {
        return view! { <DriftEmpty say=|words| words.unsupported /> }.into_any();
    }
    view! { <Failure error=error on_retry=Callback::new(move |()| state.fetch.refetch()) /> }.into_any()
}

/// Empty state with the title and reason of `say`.
#[component]
fn DriftEmpty(say: fn(&DriftText) -> (&'static str, &'static str)) -> impl IntoView {
    let words = use_i18n();
    let title = Signal::derive(move || say(words.get().drift()).0.to_owned());
    let text = Signal::derive(move || say(words.get().drift()).1.to_owned());
    view! { <EmptyState icon=Icon::Chart title=title text=text /> }
}

/// Charts and tables of the answer; an empty state without sessions.
#[component]
fn DriftPanel(answer: Signal<Arc<Answer>>, state: DriftState) -> impl IntoView {
    let unread = use_hub().unread_source();
    let any = Memo::new(move |_| answer.with(|answer| answer.all.sessions > 0));
    let narrowed = Memo::new(move |_| state.view.get().since.is_some());
    let as_table = Signal::derive(move || state.view.get().as_table);
    move || match (any.get(), unread.get()) {
        (true, _) => view! {
            <Standing answer=answer />
            <Grounds answer=answer />
            <Shares answer=answer as_table=as_table />
            <OverrideTable answer=answer />
            <Confidence answer=answer as_table=as_table />
            <IntentGroups answer=answer />
        }
        .into_any(),
        // Nothing that could be read is no sign that nothing was filed.
        (false, Some(source)) => view! { <SourceEmpty source=source /> }.into_any(),
        (false, None) if narrowed.get() => view! { <DriftEmpty say=|words| words.empty_period /> }.into_any(),
        (false, None) => view! { <DriftEmpty say=|words| words.empty /> }.into_any(),
    }
}

/// Recent share of fallbacks compared with its usual range; a warning outside that range.
#[component]
pub(in crate::pages) fn Standing(answer: Signal<Arc<Answer>>) -> impl IntoView {
    let words = use_i18n();
    let band = Memo::new(move |_| answer.with(|answer| answer.band));
    let text = Signal::derive(move || {
        let band = band.get();
        let say = words.get().drift();
        let share = number::percent(band.recent.fallback, band.recent.sessions);
        let (low, high) = (number::share(band.low), number::share(band.high));
        let count = |n: u32| time::count(words.locale(), u64::from(n));
        match band.standing {
            BandStanding::Inside => (say.band_inside)(&share, &low, &high),
            BandStanding::Above => (say.band_above)(&share, &low, &high),
            BandStanding::Below => (say.band_below)(&share, &low, &high),
            BandStanding::TooFew | BandStanding::Unknown => {
                (say.band_few)(&count(band.recent.sessions), &count(band.earlier.sessions))
            }
        }
    });
    move || match band.get().standing {
        BandStanding::Above | BandStanding::Below => {
            view! { <Band tone=Tone::Warning icon=Icon::Warn text=text /> }.into_any()
        }
        _ => view! { <p class="drift__standing">{Icon::Ok} <span>{text}</span></p> }.into_any(),
    }
}

/// Section with a heading and a hint. On the page of several machines it is a part of the section of its machine.
#[component]
fn DriftSection(
    title: fn(&DriftText) -> &'static str,
    hint: fn(&DriftText) -> &'static str,
    children: Children,
) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let text = move || title(words.get().drift());
    let heading = match links.is_elsewhere() {
        true => view! { <h3>{text}</h3> }.into_any(),
        false => view! { <h2>{text}</h2> }.into_any(),
    };
    view! {
        <section class="drift__part" aria-label=move || links.label(text())>
            <header>
                {heading}
                <p class="is-dim">{move || hint(words.get().drift())}</p>
            </header>
            {children()}
        </section>
    }
}
