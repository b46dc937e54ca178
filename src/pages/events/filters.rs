//! What narrows the list: role tabs with counts, type, agent, period, text. Every one of them is in the address.

use coordination::ids::AgentId;
use coordination::role::Role;
use leptos::prelude::*;

use super::AnswerData;
use crate::components::people::use_people;
use crate::components::period::{Period, PeriodFilter};
use crate::components::views::SavedViews;
use crate::hooks::use_go;
use crate::i18n::{time, use_words};
use crate::routes::{EventsFilter, paths};
use crate::ui::Icon;
use crate::ui::menu::{Choice, Menu};
use crate::ui::search_field::SearchField;

/// Roles as tabs; the first is all of them.
#[component]
pub(super) fn RoleTabs(filter: Memo<EventsFilter>, answer: AnswerData) -> impl IntoView {
    let words = use_words();
    let counts = Memo::new(move |_| answer.with(|answer| answer.as_ref().map(|answer| answer.1.role_counts)));
    let count = move |role: Option<Role>| {
        counts.get().map(|counts| {
            let [main, delegation, task, system] = [
                counts.conversation_main,
                counts.delegation_subagent,
                counts.orchestration_task,
                counts.system_observability,
            ];
            let n = match role {
                None => main + delegation + task + system,
                Some(Role::ConversationMain) => main,
                Some(Role::DelegationSubagent) => delegation,
                Some(Role::OrchestrationTask) => task,
                Some(Role::SystemObservability) => system,
            };
            time::count(words.locale(), u64::from(n))
        })
    };
    let tabs = std::iter::once(None)
        .chain(Role::ALL.into_iter().map(Some))
        .map(|role| {
            let href = move || paths::events(&EventsFilter { role, ..filter.get() });
            let current = move || (filter.with(|filter| filter.role) == role).then_some("true");
            let word = move || {
                let words = words.get();
                role.map_or(words.common.all, |role| (words.common.role)(role))
            };
            view! {
                <a href=href aria-current=current>
                    {word}
                    <span class="n">{move || count(role)}</span>
                </a>
            }
        })
        .collect_view();
    view! {
        <nav class="role-tabs" aria-label=move || words.get().events().roles>
            {tabs}
        </nav>
    }
}

/// Type, agent, period, text; what else narrows the list stands as chips.
#[component]
pub(super) fn Filters(filter: Memo<EventsFilter>, answer: AnswerData) -> impl IntoView {
    let words = use_words();
    let people = use_people();
    let go = use_go();
    let typing = go.clone();
    let with = move |q: String| {
        let q = Some(q).filter(|q| !q.is_empty());
        paths::events(&EventsFilter { q, ..filter.get_untracked() })
    };
    let commit = go.clone();
    let set = Callback::new(move |change: EventsFilter| go.refine(&paths::events(&change)));
    let types = Memo::new(move |_| {
        let counts = answer.with(|answer| answer.as_ref().map(|answer| answer.1.type_counts.clone()));
        let name =
            |kind: &str| (words.get().events().type_name)(kind).map_or_else(|| kind.to_owned(), ToOwned::to_owned);
        let choice = |(kind, n): (String, u32)| Choice { text: format!("{} {n}", name(&kind)), value: kind };
        counts.unwrap_or_default().into_iter().map(choice).collect::<Vec<_>>()
    });
    let agents = Memo::new(move |_| {
        let choice =
            |agent: coordination::api::AgentSummary| Choice { text: people.name(&agent.id), value: agent.id.0 };
        people.all().into_iter().map(choice).collect::<Vec<_>>()
    });
    // Who to whom: one of a pair is enough.
    let party = move |side: &'static str,
                      of: fn(&EventsFilter) -> Option<AgentId>,
                      with: fn(EventsFilter, Option<AgentId>) -> EventsFilter| {
        view! {
            <Menu
                label=Signal::derive(move || (words.get().search().operator)(side).unwrap_or(side).to_owned())
                choices=agents
                value=Signal::derive(move || filter.with(of).map(|agent| agent.0).unwrap_or_default())
                on_pick=Callback::new(move |id: String| {
                    let id = Some(id).filter(|id| !id.is_empty()).map(Into::into);
                    set.run(with(filter.get_untracked(), id));
                })
            />
        }
    };
    let total = move || {
        answer
            .with(|answer| answer.as_ref().map(|answer| u64::from(answer.1.total)))
            .map(|total| (words.get().events().total)(&time::count(words.locale(), total)))
    };
    view! {
        <div class="events-filters" role="group" aria-label=move || words.get().events().filters>
            <Menu
                label=Signal::derive(move || words.get().events().all_types.to_owned())
                choices=types
                value=Signal::derive(move || filter.get().event_type.unwrap_or_default())
                on_pick=Callback::new(move |kind: String| {
                    set.run(EventsFilter { event_type: Some(kind).filter(|k| !k.is_empty()), ..filter.get_untracked() });
                })
            />
            <Menu
                label=Signal::derive(move || words.get().events().all_agents.to_owned())
                choices=agents
                value=Signal::derive(move || filter.get().agent.map(|agent| agent.0).unwrap_or_default())
                on_pick=Callback::new(move |id: String| {
                    let agent = Some(id).filter(|id| !id.is_empty()).map(Into::into);
                    set.run(EventsFilter { agent, ..filter.get_untracked() });
                })
            />
            {party("from", |filter| filter.from.clone(), |filter, from| EventsFilter { from, ..filter })}
            {party("to", |filter| filter.to.clone(), |filter, to| EventsFilter { to, ..filter })}
            <PeriodFilter
                value=Signal::derive(move || {
                    let filter = filter.get();
                    (filter.since, filter.first, filter.last)
                })
                on_pick=Callback::new(move |(since, first, last): Period| {
                    set.run(EventsFilter { since, first, last, ..filter.get_untracked() });
                })
            />
            <SearchField
                label=Signal::derive(move || words.get().events().search.to_owned())
                value=Signal::derive(move || filter.get().q.unwrap_or_default())
                on_type=Callback::new(move |q| typing.adjust(&with(q)))
                on_commit=Callback::new(move |(before, q)| commit.commit(&with(before), &with(q)))
            />
            <button
                type="button"
                class="button is-small"
                aria-pressed=move || (!filter.with(|filter| filter.apart)).to_string()
                on:click=move |_| {
                    let now = filter.get_untracked();
                    set.run(EventsFilter { apart: !now.apart, unfolded: Vec::new(), ..now });
                }
            >
                {move || words.get().events().group}
            </button>
            {move || {
                filter
                    .get()
                    .task
                    .map(|_| {
                        let without = paths::events(&EventsFilter { task: None, ..filter.get() });
                        let name = words.get().events().only_task;
                        view! {
                            <a class="filter-chip" href=without aria-label=(words.get().common.remove_filter)(name)>
                                <span>{name}</span>
                                {Icon::Close}
                            </a>
                        }
                    })
            }}
            <SavedViews path=Signal::derive(move || paths::events(&filter.get())) />
            <span class="push" role="status">
                {total}
            </span>
        </div>
    }
}
