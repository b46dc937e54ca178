//! Filters of the stored sessions: in use or archived, kind, agent, time and text. All of them are in the URL.

use coordination::ids::AgentId;
use coordination::session_key::ToolKind;
use leptos::prelude::*;

use super::StoresState;
use crate::components::people::use_people;
use crate::components::several::Several;
use crate::components::text_filter::TextFilter;
use crate::i18n::use_i18n;
use crate::queries::{Edit, use_edit};
use crate::routes::{Since, StoresFilter, paths};
use crate::ui::menu::{Menu, MenuChoice};
use crate::ui::segments::{Segment, Segments};

/// Filters by text, archived, kind, agent and period, and a button that clears them.
#[component]
pub(super) fn StoreFilterBar(state: StoresState) -> impl IntoView {
    let words = use_i18n();
    let filter = state.filter;
    let change = use_edit(move || filter.get_untracked(), paths::stores);
    let with_text = move |q| paths::stores(&StoresFilter { q, ..filter.get_untracked() });
    let narrowed = Memo::new(move |_| !filter.with(StoresFilter::is_empty));
    view! {
        <div class="filters" role="group" aria-label=move || words.get().sessions().filters>
            <TextFilter
                label=Signal::derive(move || words.get().stores().find.to_owned())
                words=Signal::derive(move || filter.get().q)
                address=with_text
            />
            <ArchivedSwitch filter=filter change=change />
            <span class="rule-v" aria-hidden="true" />
            <Kinds filter=filter change=change />
            <AgentMenu filter=filter change=change />
            <SinceMenu filter=filter change=change />
            <span class="filters__end">
                {move || {
                    narrowed.get().then(|| view! {
                        <a
                            class="button is-quiet is-small"
                            href=paths::stores(&StoresFilter { archived: filter.get().archived, ..StoresFilter::default() })
                        >
                            {move || words.get().common.clear_filters}
                        </a>
                    })
                }}
            </span>
        </div>
    }
}

/// Switch between current and archived sessions.
#[component]
fn ArchivedSwitch(filter: Memo<StoresFilter>, change: Callback<Edit<StoresFilter>>) -> impl IntoView {
    let words = use_i18n();
    let choice = move |archived: bool| Segment {
        value: archived,
        view: ViewFn::from(move || {
            move || {
                let stores = words.get().stores();
                if archived { stores.archived } else { stores.current }
            }
        }),
    };
    view! {
        <Segments
            label=Signal::derive(move || words.get().stores().which.to_owned())
            choices=[false, true].map(choice).to_vec()
            value=Signal::derive(move || filter.get().archived)
            on_pick=Callback::new(move |archived| change.run(Box::new(move |filter| filter.archived = archived)))
        />
    }
}

/// Menu of the session kinds, for several values.
#[component]
fn Kinds(filter: Memo<StoresFilter>, change: Callback<Edit<StoresFilter>>) -> impl IntoView {
    let words = use_i18n();
    let name = move |kind: ToolKind| (words.get().stores().kind)(kind).to_owned();
    let choices = Signal::derive(move || {
        ToolKind::ALL.map(|kind| MenuChoice { value: kind.as_str().to_owned(), text: name(kind) }).to_vec()
    });
    let chosen = Signal::derive(move || filter.get().kinds.iter().map(|kind| kind.as_str().to_owned()).collect());
    view! {
        <Several
            label=Signal::derive(move || words.get().stores().kinds.to_owned())
            choices=choices
            chosen=chosen
            name=Callback::new(move |kind: String| kind.parse().map_or(kind, name))
            on_change=Callback::new(move |kinds: Vec<String>| {
                change.run(Box::new(move |filter| {
                    filter.kinds = kinds.iter().filter_map(|kind| kind.parse().ok()).collect();
                }));
            })
        />
    }
}

/// Menu of the agents that have a store.
#[component]
fn AgentMenu(filter: Memo<StoresFilter>, change: Callback<Edit<StoresFilter>>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let known = use_agents();
    let choices = Signal::derive(move || {
        let choice = |id: AgentId| MenuChoice { text: people.name(&id), value: id.to_string() };
        known.get().into_iter().map(choice).collect::<Vec<_>>()
    });
    view! {
        <Menu
            label=Signal::derive(move || words.get().sessions().any_agent.to_owned())
            choices=choices
            value=Signal::derive(move || filter.get().agent.map(|id| id.to_string()).unwrap_or_default())
            on_pick=Callback::new(move |id: String| {
                change.run(Box::new(move |filter| filter.agent = (!id.is_empty()).then_some(AgentId::from(id))));
            })
        />
    }
}

/// Agents by the page's people, those that are configured first.
fn use_agents() -> Memo<Vec<AgentId>> {
    let people = use_people();
    Memo::new(move |_| {
        let mut all = people.all();
        all.sort_by_key(|agent| (!agent.main, !agent.configured));
        all.into_iter().map(|agent| agent.id).collect()
    })
}

/// Menu of the periods of the last change.
#[component]
fn SinceMenu(filter: Memo<StoresFilter>, change: Callback<Edit<StoresFilter>>) -> impl IntoView {
    let words = use_i18n();
    let choices = Signal::derive(move || {
        let choice = |since: Since| MenuChoice {
            value: since.as_str().to_owned(),
            text: (words.get().common.since)(since).to_owned(),
        };
        Since::ALL.map(choice).to_vec()
    });
    view! {
        <Menu
            label=Signal::derive(move || words.get().sessions().any_time.to_owned())
            choices=choices
            value=Signal::derive(move || filter.get().since.map(|since| since.as_str().to_owned()).unwrap_or_default())
            on_pick=Callback::new(move |since: String| {
                change.run(Box::new(move |filter| filter.since = since.parse().ok()));
            })
        />
    }
}
