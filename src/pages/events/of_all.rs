//! Delegation tree of all sessions, shown instead of the event list, and the switch between the two.

use coordination::api::{Delegations, DelegationsQuery};
use coordination::ids::EventId;
use leptos::prelude::*;

use super::filters::{EventPeriodFilter, type_word};
use super::people::Whom;
use super::{EventsState, since, until};
use crate::components::event::DelegationTreeView;
use crate::components::views::SavedViews;
use crate::i18n::{I18n, use_i18n};
use crate::pages::failure::Failure;
use crate::queries::{Fetch, FetchOptions, use_fetch, use_go, use_stored_query};
use crate::routes::{EventsFilter, TreeView, paths};
use crate::state::use_clock;
use crate::ui::Icon;
use crate::ui::pick::Pick;
use crate::ui::segments::{Segment, Segments};
use crate::ui::skeleton::Skeleton;

/// Runs at first, and at most.
const FIRST_RUNS: u32 = 2_000;
pub(super) const MAX_RUNS: u32 = 10_000;

/// Switch between list and tree. Shows nothing for a single session, whose page has both.
#[component]
pub(super) fn EventViewSwitch(state: EventsState) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let of_all = Memo::new(move |_| state.filter.with(|filter| filter.session.is_none()));
    let pick = Callback::new(move |as_tree: bool| {
        go.refine(&paths::events(&EventsFilter { as_tree, tree: TreeView::default(), ..state.filter.get_untracked() }));
    });
    move || {
        of_all.get().then(|| {
            let list = move || view! { {move || words.get().events().view_list} }.into_any();
            let tree = move || view! { {move || words.get().events().view_tree} }.into_any();
            view! {
                <div class="events-views">
                    <Segments
                        label=Signal::derive(move || words.get().events().views.to_owned())
                        choices=vec![
                            Segment { value: false, view: ViewFn::from(list) },
                            Segment { value: true, view: ViewFn::from(tree) },
                        ]
                        value=Signal::derive(move || state.filter.with(|filter| filter.as_tree))
                        on_pick=pick
                    />
                </div>
            }
        })
    }
}

/// Delegation tree of a loaded answer; nothing before the first one. Its view is in the address.
#[component]
pub(super) fn LoadedRunTree(runs: Fetch<Delegations>, state: EventsState, on_raw: Callback<EventId>) -> impl IntoView {
    let go = use_go();
    let first = runs.data.get_untracked();
    let on_view = Callback::new(move |tree: TreeView| {
        go.refine(&paths::events(&EventsFilter { tree, ..state.filter.get_untracked() }));
    });
    first.map(|first| {
        let answer = Signal::derive(move || runs.data.get().unwrap_or_else(|| first.clone()));
        let view = Memo::new(move |_| state.filter.with(|filter| filter.tree.clone()));
        view! { <DelegationTreeView answer=answer view=view on_view=on_view on_raw=on_raw /> }
    })
}

/// Filters and delegation tree of all sessions, with a button for more runs.
#[component]
pub(super) fn AllRuns(state: EventsState, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_i18n();
    let clock = use_clock();
    let stored_runs = use_stored_query("runs");
    let limit = RwSignal::new(stored_runs.get().map_or(FIRST_RUNS, |limit| limit as u32).clamp(FIRST_RUNS, MAX_RUNS));
    let key = move || (state.filter.with(EventsFilter::of_runs), limit.get());
    let options = FetchOptions::refetch_when(|change, _: &(EventsFilter, u32)| change.everything || change.events > 0);
    let runs = use_fetch(key, options, move |source, (filter, limit): (EventsFilter, u32)| {
        let query = runs_query(&filter, clock.now(), limit);
        async move { source.delegations(None, &query).await }
    });
    let there = Memo::new(move |_| runs.data.with(|runs| runs.as_ref().map(|runs| !runs.rows.is_empty())));
    let more = Memo::new(move |_| {
        let lacks = runs.data.with(|runs| runs.as_ref().is_some_and(|runs| (runs.rows.len() as u32) < runs.total));
        lacks && limit.get() < MAX_RUNS
    });
    let load = move |_| {
        limit.set(MAX_RUNS);
        stored_runs.set(MAX_RUNS as usize);
    };
    let narrowed = move || state.filter.with(|filter| !filter.of_runs().is_empty());
    view! {
        <RunFilters state=state />
        {move || match (there.get(), runs.failure.get()) {
            (Some(false), _) => {
                view! {
                    <p class="is-dim delegations__none">
                        {move || {
                            let words = words.get().events();
                            if narrowed() { words.tree_none_match } else { words.tree_none_at_all }
                        }}
                    </p>
                }
                .into_any()
            }
            (Some(true), _) => view! { <LoadedRunTree runs=runs state=state on_raw=on_raw /> }.into_any(),
            (None, Some(error)) => {
                view! { <Failure error=error on_retry=Callback::new(move |()| runs.refetch()) /> }.into_any()
            }
            (None, None) => {
                let label = Signal::derive(move || words.get().common.loading.to_owned());
                view! { <Skeleton rows=8 label=label /> }.into_any()
            }
        }}
        {move || {
            more.get()
                .then(|| {
                    view! {
                        <div class="events-more">
                            <button type="button" class="button" on:click=load>
                                {move || words.get().events().more_runs}
                            </button>
                        </div>
                    }
                })
        }}
    }
}

/// The query of the tree's filters.
pub(in crate::pages) fn runs_query(filter: &EventsFilter, now: i64, limit: u32) -> DelegationsQuery {
    let EventsFilter { agents, from, to, pairs, .. } = filter.clone();
    DelegationsQuery { since: since(filter, now), until: until(filter), agents, from, to, pairs, limit: Some(limit) }
}

/// Agent and period filters of the tree, and the list filters that it does not support.
#[component]
fn RunFilters(state: EventsState) -> impl IntoView {
    let words = use_i18n();
    view! {
        <div class="events-filters" role="group" aria-label=move || words.get().events().filters>
            <Whom filter=state.filter answer=state.fetch.data />
            <EventPeriodFilter filter=state.filter />
            <SavedViews path=Signal::derive(move || paths::events(&state.filter.get())) />
        </div>
        <NotOfRuns filter=state.filter />
    }
}

/// A condition in words, and the filter without it.
type Unused = (String, EventsFilter);

/// Removable chips of the list filters that the tree does not support; nothing without any.
#[component]
fn NotOfRuns(filter: Memo<EventsFilter>) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let unused = Memo::new(move |_| unused(&filter.get(), words));
    move || {
        let unused = unused.get();
        (!unused.is_empty()).then(|| {
            let chip = |(text, without): Unused| {
                let (go, href) = (go.clone(), paths::events(&without));
                let label = (words.get().common.remove_filter)(&text);
                view! { <Pick text=text label=label on_press=Callback::new(move |()| go.refine(&href)) /> }
            };
            view! {
                <div class="events-unused" role="note">
                    {Icon::Filter}
                    <span>{move || words.get().events().not_of_runs}</span>
                    {unused.into_iter().map(chip).collect_view()}
                </div>
            }
        })
    }
}

fn unused(filter: &EventsFilter, words: I18n) -> Vec<Unused> {
    let mut out: Vec<Unused> = Vec::new();
    let now = words.get();
    if let Some(role) = filter.role {
        out.push(((now.common.role)(role).to_owned(), EventsFilter { role: None, ..filter.clone() }));
    }
    for kind in &filter.types {
        let types = filter.types.iter().filter(|other| *other != kind).cloned().collect();
        out.push((type_word(kind, words), EventsFilter { types, ..filter.clone() }));
    }
    for state in &filter.delivery {
        let delivery = filter.delivery.iter().filter(|other| *other != state).copied().collect();
        out.push(((now.common.delivery)(*state).to_owned(), EventsFilter { delivery, ..filter.clone() }));
    }
    if filter.task.is_some() {
        out.push((now.events().only_task.to_owned(), EventsFilter { task: None, ..filter.clone() }));
    }
    if let Some(q) = &filter.q {
        out.push(((now.sessions().text)(q), EventsFilter { q: None, ..filter.clone() }));
    }
    out
}
