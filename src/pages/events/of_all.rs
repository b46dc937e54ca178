//! The runs of all sessions as one tree, instead of the list; and the switch between the two.

use coordination::api::{Delegations, DelegationsQuery};
use coordination::ids::EventId;
use leptos::prelude::*;

use super::EventsState;
use crate::components::event::DelegationTree;
use crate::components::people::use_people;
use crate::hooks::{Fetch, FetchOptions, use_fetch, use_go, use_kept};
use crate::i18n::use_words;
use crate::pages::failure::Failure;
use crate::routes::{EventsFilter, Since, TreeView, paths};
use crate::state::use_clock;
use crate::ui::menu::{Choice, Menu};
use crate::ui::segments::{Segment, Segments};
use crate::ui::skeleton::Skeleton;

/// Runs at first, and at most.
const FIRST_RUNS: u32 = 2_000;
pub(super) const MAX_RUNS: u32 = 10_000;

/// List or tree; of one session both are shown.
#[component]
pub(super) fn Views(state: EventsState) -> impl IntoView {
    let words = use_words();
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

/// The tree of an answer that is there; how it is looked at stands in the address.
#[component]
pub(super) fn Runs(runs: Fetch<Delegations>, state: EventsState, on_raw: Callback<EventId>) -> impl IntoView {
    let go = use_go();
    let first = runs.data.get_untracked();
    let on_view = Callback::new(move |tree: TreeView| {
        go.refine(&paths::events(&EventsFilter { tree, ..state.filter.get_untracked() }));
    });
    first.map(|first| {
        let answer = Signal::derive(move || runs.data.get().unwrap_or_else(|| first.clone()));
        let view = Memo::new(move |_| state.filter.with(|filter| filter.tree.clone()));
        view! { <DelegationTree answer=answer view=view on_view=on_view on_raw=on_raw /> }
    })
}

/// Filters and the tree of all sessions.
#[component]
pub(super) fn AllRuns(state: EventsState, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_words();
    let clock = use_clock();
    let kept = use_kept("runs");
    let limit = RwSignal::new(kept.get().map_or(FIRST_RUNS, |limit| limit as u32).clamp(FIRST_RUNS, MAX_RUNS));
    let key = move || {
        let (agent, since) = state.filter.with(|filter| (filter.agent.clone(), filter.since));
        (agent, since, limit.get())
    };
    let options = FetchOptions {
        touches: Box::new(|change, _: &(_, Option<Since>, u32)| change.everything || change.events > 0),
        same_subject: Box::new(|_, _| true),
    };
    let runs = use_fetch(key, options, move |source, (agent, since, limit): (_, Option<Since>, u32)| {
        let since = since.map(|since| since.earliest_ms(clock.now()));
        let query = DelegationsQuery { since, agent, limit: Some(limit) };
        async move { source.delegations(None, &query).await }
    });
    let there = Memo::new(move |_| runs.data.with(|runs| runs.as_ref().map(|runs| !runs.rows.is_empty())));
    let more = Memo::new(move |_| {
        let lacks = runs.data.with(|runs| runs.as_ref().is_some_and(|runs| (runs.rows.len() as u32) < runs.total));
        lacks && limit.get() < MAX_RUNS
    });
    let load = move |_| {
        limit.set(MAX_RUNS);
        kept.set(MAX_RUNS as usize);
    };
    let narrowed = move || state.filter.with(|filter| filter.agent.is_some() || filter.since.is_some());
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
            (Some(true), _) => view! { <Runs runs=runs state=state on_raw=on_raw /> }.into_any(),
            (None, Some(error)) => {
                view! { <Failure error=error on_retry=Callback::new(move |()| runs.again()) /> }.into_any()
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

/// Agent and period.
#[component]
fn RunFilters(state: EventsState) -> impl IntoView {
    let words = use_words();
    let people = use_people();
    let go = use_go();
    let set = Callback::new(move |change: EventsFilter| go.refine(&paths::events(&change)));
    let agents = Memo::new(move |_| {
        let choice =
            |agent: coordination::api::AgentSummary| Choice { text: people.name(&agent.id), value: agent.id.0 };
        people.all().into_iter().map(choice).collect::<Vec<_>>()
    });
    let periods = Memo::new(move |_| {
        let choice = |since: Since| Choice {
            text: (words.get().common.since)(since).to_owned(),
            value: since.as_str().to_owned(),
        };
        Since::ALL.into_iter().map(choice).collect::<Vec<_>>()
    });
    view! {
        <div class="events-filters" role="group" aria-label=move || words.get().events().filters>
            <Menu
                label=Signal::derive(move || words.get().events().all_agents.to_owned())
                choices=agents
                value=Signal::derive(move || state.filter.get().agent.map(|agent| agent.0).unwrap_or_default())
                on_pick=Callback::new(move |id: String| {
                    let agent = Some(id).filter(|id| !id.is_empty()).map(Into::into);
                    set.run(EventsFilter { agent, ..state.filter.get_untracked() });
                })
            />
            <Menu
                label=Signal::derive(move || words.get().events().all_time.to_owned())
                choices=periods
                value=Signal::derive(move || state.filter.get().since.map(Since::as_str).unwrap_or_default().to_owned())
                on_pick=Callback::new(move |since: String| {
                    set.run(EventsFilter { since: since.parse().ok(), ..state.filter.get_untracked() });
                })
            />
        </div>
    }
}
