//! Filter bar of the session list: status, unread, agents, tag, delivery, resolved, time, text and order. A category page can
//! include sessions that have the category only as a secondary one. Each filter is a typed value of the URL. The bar
//! also has saved views, and buttons to mark all as read and to clear the filters.

use coordination::text::hidden;
use std::sync::Arc;

use coordination::api::{DeliveryFilter, SessionsPage as Answer};
use coordination::ids::AgentId;
use coordination::session::Status;
use leptos::prelude::*;

use super::Subject;
use crate::components::all_read::AllReadButton;
use crate::components::people::use_people;
use crate::components::period::{Period, PeriodFilter};
use crate::components::several::Several;
use crate::components::status::session_status_style;
use crate::components::views::SavedViews;
use crate::i18n::{time, use_i18n};
use crate::queries::{Edit, use_edit};
use crate::routes::{Grouping, SessionsFilter, paths};
use crate::state::use_rights;
use crate::ui::filter_toggle::FilterToggle;
use crate::ui::menu::{Menu, MenuChoice};
use crate::ui::pick::Pick;
use crate::ui::segments::{Segment, Segments};

/// Filters of the session list, saved views, and buttons to mark all as read and to clear the filters.
#[component]
pub(super) fn SessionFilterBar(subject: Memo<Subject>, answer: RwSignal<Option<Arc<Answer>>>) -> impl IntoView {
    let words = use_i18n();
    let category = move || subject.with_untracked(|(category, _)| *category);
    let change = use_edit(
        move || subject.with_untracked(|(_, filter)| filter.clone()),
        move |filter| paths::sessions(category(), filter),
    );
    let filter = move || subject.with(|(_, filter)| filter.clone());
    let is_all = Memo::new(move |_| subject.with(|(category, _)| category.is_none()));
    let narrowed = Memo::new(move |_| subject.with(|(_, filter)| !filter.is_empty()));
    let tags = Signal::derive(move || {
        answer.with(|answer| {
            let tags = answer.as_ref().map(|answer| answer.tags.clone()).unwrap_or_default();
            tags.into_iter()
                .map(|(tag, n)| MenuChoice { text: format!("#{} {n}", hidden::marked(&tag)), value: tag })
                .collect::<Vec<_>>()
        })
    });
    let agents = agent_choices();
    let open = RwSignal::new(false);
    let count = Memo::new(move |_| subject.with(|(_, filter)| filter.to_pairs().len()));
    view! {
        <div class="filters" class:is-open=open role="group" aria-label=move || words.get().sessions().filters>
            <FilterToggle open=open label=Signal::derive(move || (words.get().common.filters)(count.get())) />
            <StatusSegments
                value=Signal::derive(move || filter().status)
                answer=Signal::derive(move || answer.get().filter(|_| !filter().unread))
                on_pick=Callback::new(move |status| change.run(Box::new(move |filter| filter.status = status)))
            />
            <button
                type="button"
                class="segments__button"
                aria-pressed=move || filter().unread.to_string()
                on:click=move |_| change.run(Box::new(|filter| filter.unread = !filter.unread))
            >
                <span class="unread is-dot" aria-hidden="true" />
                {move || words.get().sessions().unread}
            </button>
            {move || {
                (!is_all.get()).then(|| view! {
                    <button
                        type="button"
                        class="segments__button"
                        aria-pressed=move || filter().secondary.to_string()
                        title=move || words.get().sessions().with_secondary_hint
                        on:click=move |_| change.run(Box::new(|filter| filter.secondary = !filter.secondary))
                    >
                        {move || words.get().sessions().with_secondary}
                    </button>
                })
            }}
            <span class="rule-v" aria-hidden="true" />
            <Menu
                label=Signal::derive(move || words.get().sessions().any_agent.to_owned())
                choices=agents
                value=Signal::derive(move || filter().agent.map(|id| id.to_string()).unwrap_or_default())
                on_pick=Callback::new(move |id: String| {
                    change.run(Box::new(move |filter| filter.agent = (!id.is_empty()).then_some(AgentId::from(id))));
                })
            />
            <Together filter=Signal::derive(filter) agents=agents change=change />
            <Menu
                label=Signal::derive(move || words.get().sessions().any_tag.to_owned())
                choices=tags
                value=Signal::derive(move || filter().tag.unwrap_or_default())
                on_pick=Callback::new(move |tag: String| {
                    change.run(Box::new(move |filter| filter.tag = (!tag.is_empty()).then_some(tag)));
                })
            />
            <DeliveryMenu
                value=Signal::derive(move || filter().delivery)
                on_pick=Callback::new(move |delivery| change.run(Box::new(move |filter| filter.delivery = delivery)))
            />
            <ResolvedMenu
                value=Signal::derive(move || filter().resolved)
                on_pick=Callback::new(move |resolved| change.run(Box::new(move |filter| filter.resolved = resolved)))
            />
            <PeriodFilter
                value=Signal::derive(move || {
                    let filter = filter();
                    Period { since: filter.since, first: filter.first, last: filter.last }
                })
                on_pick=Callback::new(move |Period { since, first, last }: Period| {
                    change.run(Box::new(move |filter| *filter = SessionsFilter { since, first, last, ..filter.clone() }));
                })
            />
            <SearchedText q=Signal::derive(move || filter().q) change=change />
            <span class="filters__end">
                <SavedViews path=Signal::derive(move || subject.with(|(category, filter)| paths::sessions(*category, filter))) />
                <AllReadButton />
                {move || {
                    narrowed.get().then(|| view! {
                        <button
                            type="button"
                            class="button is-quiet is-small"
                            on:click=move |_| {
                                change.run(Box::new(|filter| {
                                    *filter = SessionsFilter { group: filter.group, ..SessionsFilter::default() };
                                }));
                            }
                        >
                            {move || words.get().common.clear_filters}
                        </button>
                    })
                }}
                {move || {
                    is_all.get().then(|| view! {
                        <OrderSegments
                            value=Signal::derive(move || filter().group)
                            on_pick=Callback::new(move |group| change.run(Box::new(move |filter| filter.group = group)))
                        />
                    })
                }}
            </span>
        </div>
    }
}

/// Menu of the delivery states.
#[component]
fn DeliveryMenu(value: Signal<Option<DeliveryFilter>>, on_pick: Callback<Option<DeliveryFilter>>) -> impl IntoView {
    let words = use_i18n();
    let choices = Signal::derive(move || {
        let words = words.get().sessions();
        let choice = |delivery: DeliveryFilter| MenuChoice {
            value: delivery.as_str().to_owned(),
            text: (words.delivery)(delivery).to_owned(),
        };
        DeliveryFilter::ALL.into_iter().map(choice).collect::<Vec<_>>()
    });
    view! {
        <Menu
            label=Signal::derive(move || words.get().sessions().any_delivery.to_owned())
            choices=choices
            value=Signal::derive(move || value.get().map(|delivery| delivery.as_str().to_owned()).unwrap_or_default())
            on_pick=Callback::new(move |delivery: String| on_pick.run(delivery.parse().ok()))
        />
    }
}

/// The text that is searched for, which a press removes.
#[component]
fn SearchedText(q: Signal<Option<String>>, change: Callback<Edit<SessionsFilter>>) -> impl IntoView {
    let words = use_i18n();
    move || {
        q.get().map(|q| {
            let text = (words.get().sessions().text)(&q);
            let label = (words.get().common.remove_filter)(&text);
            let drop = Callback::new(move |()| change.run(Box::new(|filter| filter.q = None)));
            view! { <Pick text=text label=label on_press=drop /> }
        })
    }
}

/// Menu of sessions that a person marked as resolved, or of the others. An older monitor knows none.
#[component]
fn ResolvedMenu(value: Signal<Option<bool>>, on_pick: Callback<Option<bool>>) -> impl IntoView {
    let words = use_i18n();
    let known = use_rights().known();
    let choices = Signal::derive(move || {
        let words = words.get().sessions();
        let choice = |resolved: bool, text: &str| MenuChoice { value: resolved.to_string(), text: text.to_owned() };
        vec![choice(true, words.is_resolved), choice(false, words.is_unresolved)]
    });
    move || {
        known.get().then(|| {
            view! {
                <Menu
                    label=Signal::derive(move || words.get().sessions().any_resolved.to_owned())
                    choices=choices
                    value=Signal::derive(move || value.get().map(|resolved| resolved.to_string()).unwrap_or_default())
                    on_pick=Callback::new(move |resolved: String| on_pick.run(resolved.parse().ok()))
                />
            }
        })
    }
}

/// Menu of further participants; nothing before a first one is selected.
#[component]
fn Together(
    filter: Signal<SessionsFilter>,
    agents: Signal<Vec<MenuChoice>>,
    change: Callback<Edit<SessionsFilter>>,
) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let offered = Signal::derive(move || {
        let first = filter.with(|filter| filter.agent.as_ref().map(ToString::to_string));
        agents.get().into_iter().filter(|choice| Some(&choice.value) != first.as_ref()).collect::<Vec<_>>()
    });
    let any = Memo::new(move |_| filter.with(|filter| filter.agent.is_some() || !filter.with.is_empty()));
    let chosen =
        Memo::new(move |_| filter.with(|filter| filter.with.iter().map(ToString::to_string).collect::<Vec<_>>()));
    move || {
        any.get().then(|| {
            view! {
                <Several
                    label=Signal::derive(move || words.get().sessions().also_with.to_owned())
                    choices=offered
                    chosen=chosen
                    name=Callback::new(move |id: String| people.name(&AgentId::from(id)))
                    on_change=Callback::new(move |ids: Vec<String>| {
                        change.run(Box::new(move |filter| filter.with = ids.into_iter().map(AgentId::from).collect()));
                    })
                />
            }
        })
    }
}

/// Agents by name, known ones first.
fn agent_choices() -> Signal<Vec<MenuChoice>> {
    let people = use_people();
    Signal::derive(move || {
        let mut agents = people.all();
        agents.sort_by_key(|agent| (!agent.main, !agent.configured));
        agents
            .into_iter()
            .map(|agent| {
                let text = match &agent.emoji {
                    Some(emoji) => format!("{} {emoji}", agent.name),
                    None => agent.name.clone(),
                };
                MenuChoice { value: agent.id.to_string(), text }
            })
            .collect()
    })
}

/// Status filter, each choice with its count; a dash when it is unknown.
#[component]
fn StatusSegments(
    value: Signal<Option<Status>>,
    /// None while its counts are not those of the list.
    answer: Signal<Option<Arc<Answer>>>,
    on_pick: Callback<Option<Status>>,
) -> impl IntoView {
    let words = use_i18n();
    let count = move |status: Option<Status>| {
        let counts = answer.with(|answer| answer.as_ref().map(|answer| answer.status_counts));
        counts.map_or_else(
            || "–".to_owned(),
            |counts| {
                let n = match status {
                    None => counts.active + counts.quiet + counts.archived,
                    Some(Status::Active) => counts.active,
                    Some(Status::Quiet) => counts.quiet,
                    Some(Status::Archived) => counts.archived,
                };
                time::count(words.locale(), u64::from(n))
            },
        )
    };
    let segment = move |status: Option<Status>| Segment {
        value: status,
        view: ViewFn::from(move || {
            view! {
                {status.map(|status| session_status_style(status).icon.into_render())}
                {move || status.map_or(words.get().common.all, |status| (words.get().common.status)(status))}
                <span class="segments__count">{move || count(status)}</span>
            }
        }),
    };
    let choices = std::iter::once(None).chain(Status::ALL.map(Some)).map(segment).collect();
    view! {
        <Segments
            label=Signal::derive(move || words.get().sessions().status.to_owned())
            choices=choices
            value=value
            on_pick=on_pick
        />
    }
}

/// Switch between order by time and order by category.
#[component]
fn OrderSegments(value: Signal<Grouping>, on_pick: Callback<Grouping>) -> impl IntoView {
    let words = use_i18n();
    let choices = [Grouping::Latest, Grouping::Category]
        .into_iter()
        .map(|group| Segment {
            value: group,
            view: ViewFn::from(move || {
                move || {
                    let sessions = words.get().sessions();
                    match group {
                        Grouping::Latest => sessions.latest,
                        Grouping::Category => sessions.by_category,
                    }
                }
            }),
        })
        .collect();
    view! {
        <Segments
            label=Signal::derive(move || words.get().sessions().view.to_owned())
            choices=choices
            value=value
            on_pick=on_pick
        />
    }
}
