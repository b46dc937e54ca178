//! Filters of the event list: role tabs with counts, type, delivery, agent, origin, period, text and task, and grouping
//! of similar events. All of them are in the URL.

use coordination::api::{EventsQuery, EvidenceQuery, Origin};
use coordination::delivery::DeliveryState;
use coordination::role::Role;
use coordination::text::hidden;
use leptos::prelude::*;

use super::AnswerData;
use super::events_query;
use super::people::Whom;
use crate::components::period::{Period, PeriodFilter};
use crate::components::several::Several;
use crate::components::text_filter::TextFilter;
use crate::components::views::SavedViews;
use crate::i18n::{I18n, time, use_i18n};
use crate::pages::save_evidence::{SaveEvidence, use_evidence_offer};
use crate::queries::use_go;
use crate::routes::{EventsFilter, paths};
use crate::state::use_clock;
use crate::ui::filter_toggle::FilterToggle;
use crate::ui::menu::{Menu, MenuChoice};
use crate::ui::pick::Pick;

/// Tabs of the roles with their counts; the first tab is all roles.
#[component]
pub(super) fn RoleTabs(filter: Memo<EventsFilter>, answer: AnswerData) -> impl IntoView {
    let words = use_i18n();
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

/// A type in words, as written where it has none. Reactive.
pub(super) fn type_word(kind: &str, words: I18n) -> String {
    (words.get().events().type_name)(kind).map_or_else(|| hidden::marked(kind).into_owned(), ToOwned::to_owned)
}

/// Menus of event types and delivery states, each for several values.
#[component]
fn TypeAndDeliveryMenus(filter: Memo<EventsFilter>, answer: AnswerData) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let set = Callback::new(move |change: EventsFilter| go.refine(&paths::events(&change)));
    let types = Memo::new(move |_| {
        let counts = answer.with(|answer| answer.as_ref().map(|answer| answer.1.type_counts.clone()));
        let choice =
            |(kind, n): (String, u32)| MenuChoice { text: format!("{} {n}", type_word(&kind, words)), value: kind };
        counts.unwrap_or_default().into_iter().map(choice).collect::<Vec<_>>()
    });
    let states = Signal::derive(move || {
        let word = words.get().common.delivery;
        let choice =
            |state: DeliveryState| MenuChoice { value: state.as_str().to_owned(), text: word(state).to_owned() };
        DeliveryState::ALL.map(choice).to_vec()
    });
    view! {
        <Several
            label=Signal::derive(move || {
                let none = filter.with(|filter| filter.types.is_empty());
                let words = words.get().events();
                if none { words.all_types } else { words.more_types }.to_owned()
            })
            choices=types
            chosen=Memo::new(move |_| filter.with(|filter| filter.types.clone()))
            name=Callback::new(move |kind: String| type_word(&kind, words))
            on_change=Callback::new(move |types| set.run(EventsFilter { types, ..filter.get_untracked() }))
        />
        <Several
            label=Signal::derive(move || {
                let none = filter.with(|filter| filter.delivery.is_empty());
                let words = words.get().events();
                if none { words.any_delivery } else { words.more_delivery }.to_owned()
            })
            choices=states
            chosen=Memo::new(move |_| {
                filter.with(|filter| filter.delivery.iter().map(|state| state.as_str().to_owned()).collect::<Vec<_>>())
            })
            name=Callback::new(move |state: String| {
                state.parse().map_or(state, |state| (words.get().common.delivery)(state).to_owned())
            })
            on_change=Callback::new(move |states: Vec<String>| {
                let delivery = states.iter().filter_map(|state| state.parse().ok()).collect();
                set.run(EventsFilter { delivery, ..filter.get_untracked() });
            })
        />
    }
}

/// Filters by type, delivery state, agents, origin, period and text. Task filters show as a removable chip.
#[component]
pub(super) fn EventFilterBar(filter: Memo<EventsFilter>, answer: AnswerData) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let with_text = move |q| paths::events(&EventsFilter { q, ..filter.get_untracked() });
    let set = Callback::new(move |change: EventsFilter| go.refine(&paths::events(&change)));
    let total = move || {
        answer
            .with(|answer| answer.as_ref().map(|answer| u64::from(answer.1.total)))
            .map(|total| (words.get().events().total)(&time::count(words.locale(), total)))
    };
    let open = RwSignal::new(false);
    let narrowed = Memo::new(move |_| filter.with(|filter| filter.list_filter().to_pairs().len()));
    view! {
        <div class="events-filters" class:is-open=open role="group" aria-label=move || words.get().events().filters>
            <FilterToggle open=open label=Signal::derive(move || (words.get().common.filters)(narrowed.get())) />
            <TypeAndDeliveryMenus filter=filter answer=answer />
            <Whom filter=filter answer=answer />
            <From filter=filter />
            <EventPeriodFilter filter=filter />
            <TextFilter
                label=Signal::derive(move || words.get().events().search.to_owned())
                words=Signal::derive(move || filter.get().q)
                address=with_text
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
                        let name = words.get().events().only_task.to_owned();
                        let label = (words.get().common.remove_filter)(&name);
                        let drop = Callback::new(move |()| set.run(EventsFilter { task: None, ..filter.get_untracked() }));
                        view! { <Pick text=name label=label on_press=drop /> }
                    })
            }}
            <SavedViews path=Signal::derive(move || paths::events(&filter.get())) />
            <SaveFound filter=filter />
            <span class="push" role="status">
                {total}
            </span>
        </div>
    }
}

/// Button that saves the found events as an evidence file. It knows a session, a text and a period; with other conditions
/// the file could not be checked, so it is not offered.
#[component]
fn SaveFound(filter: Memo<EventsFilter>) -> impl IntoView {
    let is_offered = use_evidence_offer();
    let clock = use_clock();
    let scope = move || filter.with(|filter| evidence_scope(&events_query(filter, clock.now())));
    let is_shown = Memo::new(move |_| is_offered.get() && scope().is_some());
    let scope = Signal::derive(move || scope().unwrap_or_default());
    view! {
        <Show when=move || is_shown.get()>
            <SaveEvidence scope=scope />
        </Show>
    }
}

/// The conditions of a list as the scope of an evidence file; none when it has others, or none at all.
fn evidence_scope(query: &EventsQuery) -> Option<EvidenceQuery> {
    let EventsQuery { session, q, since, until, .. } = query.clone();
    let known = EventsQuery { session, q, since, until, ..EventsQuery::default() };
    (known == *query && known != EventsQuery::default()).then(|| EvidenceQuery {
        session: known.session,
        q: known.q,
        since: known.since,
        until: known.until,
        ..EvidenceQuery::default()
    })
}

/// Menu of origins: log, transcript, hooks.
#[component]
fn From(filter: Memo<EventsFilter>) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let choices = Signal::derive(move || {
        let word = words.get().events().origin;
        let choice = |origin: Origin| MenuChoice { value: origin.as_str().to_owned(), text: word(origin).to_owned() };
        Origin::ALL.map(choice).to_vec()
    });
    view! {
        <Menu
            label=Signal::derive(move || words.get().events().any_origin.to_owned())
            choices=choices
            value=Signal::derive(move || filter.with(|filter| filter.origin).map_or("", Origin::as_str).to_owned())
            on_pick=Callback::new(move |origin: String| {
                let origin = origin.parse().ok();
                go.refine(&paths::events(&EventsFilter { origin, ..filter.get_untracked() }));
            })
        />
    }
}

/// Period filter of the event list.
#[component]
pub(super) fn EventPeriodFilter(filter: Memo<EventsFilter>) -> impl IntoView {
    let go = use_go();
    view! {
        <PeriodFilter
            value=Signal::derive(move || {
                let filter = filter.get();
                Period { since: filter.since, first: filter.first, last: filter.last }
            })
            on_pick=Callback::new(move |Period { since, first, last }: Period| {
                go.refine(&paths::events(&EventsFilter { since, first, last, ..filter.get_untracked() }));
            })
        />
    }
}
