//! Log quality panel of the events page: shares of events without a known role and of sessions without evidence for a
//! category, over time, as charts and a table. It also shows the numbers of failed milestone syncs and of unreadable
//! lines.

use std::sync::Arc;

use coordination::api::{PeriodsQuery, Quality as Answer, QualityBucket};
use coordination::role::Role;
use leptos::prelude::*;

use super::EventsState;
use crate::components::shares::{PeriodShare, ShareChart};
use crate::i18n::number::percent;
use crate::i18n::{I18n, time, use_i18n};
use crate::pages::failure::Failure;
use crate::queries::{FetchOptions, use_fetch, use_go};
use crate::routes::{EventsFilter, Since, paths};
use crate::state::{use_clock, use_connection, use_hub};
use crate::ui::Icon;
use crate::ui::skeleton::Skeleton;

/// Panel above the list of system events; nothing with an older monitor.
#[component]
pub(super) fn LogQuality(state: EventsState) -> impl IntoView {
    let words = use_i18n();
    let clock = use_clock();
    let options = FetchOptions::refetch_when(|change, _: &Option<Since>| change.everything || change.events > 0);
    let period = move || state.filter.with(|filter| filter.since);
    let fetch = use_fetch(period, options, move |source, since: Option<Since>| {
        let now = clock.now();
        let since = since.map(|since| since.earliest_ms(now));
        let query = PeriodsQuery { since, offset_min: time::offset_east(now) };
        async move { source.quality(&query).await }
    });
    let known = Memo::new(move |_| fetch.data.with(Option::is_some));
    move || match (known.get(), fetch.failure.get()) {
        (true, _) => fetch
            .data
            .get_untracked()
            .map(|first| {
                let answer = Signal::derive(move || fetch.data.get().unwrap_or_else(|| first.clone()));
                view! { <QualityPanel answer=answer state=state /> }
            })
            .into_any(),
        // A monitor of an earlier version has no such endpoint.
        (false, Some(error)) if error.is_not_found() => ().into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=2 label=label /> }.into_any()
        }
    }
}

/// When a stretch is, in words.
fn when(bucket: &QualityBucket, answer: &Answer, words: I18n) -> String {
    time::period(words.locale(), answer.now, bucket.at, answer.step_ms)
}

/// Charts, losses, and the table on request.
#[component]
fn QualityPanel(answer: Signal<Arc<Answer>>, state: EventsState) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let any = Memo::new(move |_| answer.with(|answer| !answer.buckets.is_empty()));
    let chart = move |title: fn(&crate::i18n::messages::EventsMessages) -> &'static str,
                      why: fn(&crate::i18n::messages::EventsMessages) -> &'static str,
                      of: fn(&QualityBucket) -> (u32, u32)| {
        let share = move |bucket: &QualityBucket, answer: &Answer| {
            let (part, whole) = of(bucket);
            let edge = time::period_begin(words.locale(), answer.now, bucket.at, answer.step_ms);
            PeriodShare { at: when(bucket, answer, words), edge, part, whole }
        };
        let all = Signal::derive(move || answer.with(|answer| share(&answer.all, answer)));
        let shares = Signal::derive(move || {
            answer.with(|answer| answer.buckets.iter().map(|bucket| share(bucket, answer)).collect::<Vec<_>>())
        });
        let title = Signal::derive(move || title(words.get().events()).to_owned());
        let why = Signal::derive(move || why(words.get().events()).to_owned());
        view! { <ShareChart title=title why=why all=all shares=shares /> }
    };
    let as_table = Memo::new(move |_| state.filter.with(|filter| filter.as_table));
    let turn = move |_| {
        let now = state.filter.get_untracked();
        go.refine(&paths::events(&EventsFilter { as_table: !now.as_table, ..now }));
    };
    view! {
        <section class="quality" aria-label=move || words.get().events().quality>
            <header>
                <h2>{move || words.get().events().quality}</h2>
                <p class="is-dim">{move || words.get().events().quality_hint}</p>
            </header>
            {move || {
                any.get()
                    .then(|| {
                        view! {
                            <div class="quality__charts">
                                {chart(
                                    |words| words.unknown_role,
                                    |words| words.unknown_role_why,
                                    |bucket| (bucket.unknown_role, bucket.events),
                                )}
                                {chart(
                                    |words| words.no_category,
                                    |words| words.no_category_why,
                                    |bucket| (bucket.fallback, bucket.sessions),
                                )}
                            </div>
                        }
                    })
            }}
            <div class="quality__facts">
                <QualityFacts answer=answer state=state />
                <button
                    type="button"
                    class="button is-small"
                    aria-expanded=move || as_table.get().to_string()
                    on:click=turn
                >
                    {move || words.get().events().as_table}
                </button>
            </div>
            {move || as_table.get().then(|| view! { <QualityTable answer=answer /> })}
        </section>
    }
}

/// Numbers of failed syncs and of unreadable lines, with links to both.
#[component]
fn QualityFacts(answer: Signal<Arc<Answer>>, state: EventsState) -> impl IntoView {
    let words = use_i18n();
    let (hub, panel) = (use_hub(), use_connection().panel);
    let count = move |n: u64| time::count(words.locale(), n);
    let failed = Memo::new(move |_| answer.with(|answer| answer.all.sync_failed));
    let to_failed = move || {
        let types = vec!["milestone.sync_failed".to_owned()];
        let role = Some(Role::SystemObservability);
        paths::events(&EventsFilter { types, role, ..state.filter.get().list_filter() })
    };
    let bad = Memo::new(move |_| hub.home.with(|home| home.as_ref().map_or(0, |home| home.source.bad_lines)));
    view! {
        <span>
            {Icon::Warn}
            " "
            {move || (words.get().events().sync_failed)(&count(u64::from(failed.get())))}
            {move || {
                (failed.get() > 0).then(|| {
                    view! {
                        " "
                        <a class="link" href=to_failed>
                            {move || words.get().events().only_these}
                        </a>
                    }
                })
            }}
        </span>
        <span>
            {Icon::Warn}
            " "
            {move || (words.get().events().bad_lines)(&count(bad.get()))}
            " "
            <button type="button" class="link" on:click=move |_| panel.set(true)>
                {move || words.get().events().to_doctor}
            </button>
        </span>
    }
}

/// Values of the charts as a table, newest period first.
#[component]
fn QualityTable(answer: Signal<Arc<Answer>>) -> impl IntoView {
    let words = use_i18n();
    let head = |word: fn(&crate::i18n::messages::EventsMessages) -> &'static str| {
        view! { <th scope="col">{move || word(words.get().events())}</th> }
    };
    let rows = move || {
        answer.with(|answer| {
            let row = |bucket: &QualityBucket| {
                let QualityBucket { events, unknown_role, sessions, fallback, sync_failed, .. } = *bucket;
                let share = |part: u32, whole: u32| format!("{part} ({})", percent(part, whole));
                view! {
                    <tr>
                        <th scope="row">{when(bucket, answer, words)}</th>
                        <td>{events}</td>
                        <td>{share(unknown_role, events)}</td>
                        <td>{sessions}</td>
                        <td>{share(fallback, sessions)}</td>
                        <td>{sync_failed}</td>
                    </tr>
                }
            };
            answer.buckets.iter().rev().map(row).collect_view()
        })
    };
    view! {
        <div class="data-table" tabindex="0" role="region" aria-label=move || words.get().events().as_table>
            <table>
                <thead>
                    <tr>
                        {head(|w| w.column_when)} {head(|w| w.column_events)} {head(|w| w.unknown_role)}
                        {head(|w| w.column_sessions)} {head(|w| w.no_category)} {head(|w| w.column_sync)}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
