//! Session cards under headings by day or category, and the button that announces new sessions.

use std::collections::HashMap;

use coordination::api::{SessionCard, SessionsPage as Answer};
use coordination::category::Category;
use coordination::ids::SessionId;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::batch::ChoiceBar;
use super::choice::{ChoiceBox, SessionSelection, use_choice};
use super::pinned::{use_pinned, use_toggle_pin};
use super::{List, show};
use crate::components::category::emoji;
use crate::components::origin::{OriginNote, OriginShare};
use crate::components::session_card::SessionCardRow;
use crate::components::time_ago::use_now;
use crate::i18n::{time, use_i18n};
use crate::queries::Fetch;
use crate::routes::Grouping;
use crate::state::{use_pins, use_reading};
use crate::ui::Icon;
use crate::ui::more_menu::{MenuAction, MoreMenu};
use crate::ui::selectors::{CARD_LINK, SESSION, SESSION_CARD, SESSION_ROW};
use crate::ui::stretch::{RUN_ROWS, Stretch};

/// The heading above a run of cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum SessionGroupHead {
    /// Whole local days ago, and a time on that day.
    Day(i64),
    Category(Category),
}

/// A run of cards.
#[derive(Clone, PartialEq)]
struct SessionDayGroup {
    head: SessionGroupHead,
    /// A time within the group, for its date.
    at: i64,
    ids: Vec<SessionId>,
    /// False when the next page may bring more of it.
    complete: bool,
}

fn groups(cards: &[SessionCard], grouping: Grouping, now: i64, more: bool) -> Vec<SessionDayGroup> {
    let mut groups: Vec<SessionDayGroup> = Vec::new();
    for card in cards {
        let head = match grouping {
            Grouping::Latest => SessionGroupHead::Day(time::days_ago(now, card.last_time).max(0)),
            Grouping::Category => SessionGroupHead::Category(card.category.key),
        };
        // A card that changed in place must not split its neighbours' group.
        match groups.iter_mut().find(|group| group.head == head) {
            Some(group) => group.ids.push(card.work_session_id.clone()),
            None => groups.push(SessionDayGroup {
                head,
                at: card.last_time,
                ids: vec![card.work_session_id.clone()],
                complete: true,
            }),
        }
    }
    if let (true, Some(last)) = (more, groups.last_mut()) {
        last.complete = false;
    }
    groups
}

/// Pinned cards, then the cards in groups by day or category.
#[component]
pub(super) fn SessionRows(list: List) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let pinned = use_pinned(list);
    let by_id = Memo::new(move |_| {
        let listed = list.shown.get().into_iter().chain(pinned.get());
        listed.map(|card| (card.work_session_id.clone(), card)).collect::<HashMap<_, _>>()
    });
    let on_top = Memo::new(move |_| pinned.with(|cards| ids(cards)));
    let origin_share =
        Memo::new(move |_| by_id.with(|cards| OriginShare::from_origins(cards.values().map(SessionCard::origin))));
    let today = Memo::new(move |_| time::days_ago(now.at.get(), 0));
    let groups = Memo::new(move |_| {
        // The coarse clock is read again only when the day changes.
        today.get();
        let grouping = list.subject.with(|(_, filter)| filter.group);
        let free = |card: &&SessionCard| on_top.with(|pinned| !pinned.contains(&card.work_session_id));
        let cards: Vec<SessionCard> = list.shown.with(|cards| cards.iter().filter(free).cloned().collect());
        groups(&cards, grouping, now.at.get_untracked(), list.next.with(Option::is_some))
    });
    let order = Memo::new(move |_| {
        let listed = groups.with(|groups| groups.iter().flat_map(|group| group.ids.clone()).collect::<Vec<_>>());
        on_top.get().into_iter().chain(listed).collect::<Vec<_>>()
    });
    let choice = use_choice(order, card_in_focus);
    let toggle = use_toggle_pin();
    let press = move |event: ev::KeyboardEvent| {
        let plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key() && !event.is_composing();
        if let Some(session) = focused_card(&event).filter(|_| plain && event.code() == "KeyP") {
            event.prevent_default();
            toggle.run(session.clone());
            focus_card(session);
        }
    };
    let group = move |head: SessionGroupHead| {
        let shown_group = Memo::new(move |_| groups.with(|all| all.iter().find(|group| group.head == head).cloned()));
        let parts = move || shown_group.with(|group| group.as_ref().map(|group| parts(&group.ids)).unwrap_or_default());
        let count = move || {
            shown_group.with(|group| group.as_ref().filter(|group| group.complete).map(|group| group.ids.len()))
        };
        view! {
            <section class="session-group">
                <h2 class="session-group__head">
                    {move || {
                        shown_group.with(|group| group.as_ref().map(|group| view! { <GroupTitle head=head at=group.at /> }))
                    }}
                    {move || count().map(|count| view! { <span>{count}</span> })}
                </h2>
                <For each=parts key=Vec::clone let:ids>
                    <Cards ids=ids by_id=by_id toggle=toggle choice=choice origin_share=origin_share />
                </For>
            </section>
        }
    };
    let heads = move || groups.with(|groups| groups.iter().map(|group| group.head).collect::<Vec<_>>());
    view! {
        <div
            class="session-list"
            class:is-choosing=move || choice.any()
            role="region"
            aria-label=move || words.get().sessions().list
            on:keydown=press
        >
            <OriginNote share=origin_share />
            {move || {
                on_top.with(|ids| !ids.is_empty()).then(|| view! {
                    <section class="session-group is-pinned">
                        <h2 class="session-group__head">
                            {move || words.get().sessions().pinned} <span>{on_top.with(Vec::len)}</span>
                        </h2>
                        <Cards ids=on_top.get() by_id=by_id toggle=toggle choice=choice origin_share=origin_share />
                    </section>
                })
            }}
            <For each=heads key=|head| *head children=group />
        </div>
        <ChoiceBar list=list choice=choice by_id=by_id />
    }
}

fn ids(cards: &[SessionCard]) -> Vec<SessionId> {
    cards.iter().map(|card| card.work_session_id.clone()).collect()
}

/// Runs of rows that are drawn and removed together.
fn parts(ids: &[SessionId]) -> Vec<Vec<SessionId>> {
    ids.chunks(RUN_ROWS).map(<[SessionId]>::to_vec).collect()
}

/// Some cards of a group, drawn while they are near the viewport.
#[component]
fn Cards(
    ids: Vec<SessionId>,
    by_id: Memo<HashMap<SessionId, SessionCard>>,
    toggle: Callback<SessionId>,
    choice: SessionSelection,
    origin_share: Memo<OriginShare>,
) -> impl IntoView {
    let card = move |id: SessionId| {
        let first = by_id.with_untracked(|cards| cards.get(&id).cloned());
        first.map(|first| {
            let card = Memo::new(move |before: Option<&SessionCard>| {
                by_id.with(|cards| cards.get(&id).cloned()).or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
            });
            view! {
                <li class="session-row">
                    <ChoiceBox card=card choice=choice />
                    <SessionCardWithMenu card=card toggle=toggle choice=choice origin_share=origin_share />
                </li>
            }
        })
    };
    let draw = move || ids.iter().cloned().map(card).collect_view().into_any();
    view! { <Stretch draw=Box::new(draw) /> }
}

/// One card with its menu: select, pin, mark as read.
#[component]
fn SessionCardWithMenu(
    card: Memo<SessionCard>,
    toggle: Callback<SessionId>,
    choice: SessionSelection,
    origin_share: Memo<OriginShare>,
) -> impl IntoView {
    let words = use_i18n();
    let (pins, reading) = (use_pins(), use_reading());
    let pinned = Memo::new(move |_| card.with(|card| pins.holds(&card.work_session_id)));
    let id = move || card.with_untracked(|card| card.work_session_id.clone());
    let acts = vec![
        MenuAction {
            text: Signal::derive(move || {
                if !choice.allowed.get() {
                    return String::new();
                }
                let sessions = words.get().sessions();
                let chosen = card.with(|card| choice.holds(&card.work_session_id));
                if chosen { sessions.unchoose } else { sessions.choose }.to_owned()
            }),
            run: Callback::new(move |()| choice.press.run((id(), false))),
        },
        MenuAction {
            text: Signal::derive(move || {
                let sessions = words.get().sessions();
                if pinned.get() { sessions.unpin } else { sessions.pin }.to_owned()
            }),
            run: Callback::new(move |()| {
                toggle.run(id());
                focus_card(id());
            }),
        },
        MenuAction {
            text: Signal::derive(move || {
                let unread = card.with(|card| reading.of_card(card).any());
                if unread { words.get().sessions().mark_read.to_owned() } else { String::new() }
            }),
            run: Callback::new(move |()| card.with_untracked(|card| reading.saw_card(card))),
        },
    ];
    view! {
        <SessionCardRow card=card.into() origin_share=origin_share>
            <MoreMenu label=Signal::derive(move || words.get().sessions().card_menu.to_owned()) acts=acts />
        </SessionCardRow>
    }
}

/// The card in which a key was pressed.
fn focused_card(event: &ev::KeyboardEvent) -> Option<SessionId> {
    let target: web_sys::Element = event.target()?.dyn_into().ok()?;
    target.closest(SESSION_CARD).ok()??.get_attribute(SESSION).map(SessionId::from)
}

/// The card that has the focus.
fn card_in_focus() -> Option<SessionId> {
    let row = document().active_element()?.closest(SESSION_ROW).ok()??;
    row.query_selector(SESSION_CARD).ok()??.get_attribute(SESSION).map(SessionId::from)
}

/// The card moved, and the focus goes with it.
fn focus_card(session: SessionId) {
    request_animation_frame(move || {
        let Ok(cards) = document().query_selector_all(SESSION_CARD) else { return };
        let cards = (0..cards.length()).filter_map(|at| cards.item(at)?.dyn_into::<web_sys::Element>().ok());
        let mut own = cards.filter(|card| card.get_attribute(SESSION).as_deref() == Some(session.as_str()));
        let link = own.find_map(|card| card.query_selector(CARD_LINK).ok().flatten()?.dyn_into().ok());
        if let Some(link) = link {
            web_sys::HtmlElement::focus(&link).unwrap_or_default();
        }
    });
}

/// Heading of a group: its day or its category.
#[component]
fn GroupTitle(head: SessionGroupHead, at: i64) -> impl IntoView {
    let words = use_i18n();
    move || match head {
        SessionGroupHead::Day(0) => words.get().time.today.to_owned(),
        SessionGroupHead::Day(1) => words.get().time.yesterday.to_owned(),
        SessionGroupHead::Day(_) => time::day(words.locale(), at),
        SessionGroupHead::Category(category) => {
            format!("{} {}", emoji(category), (words.get().common.category)(category))
        }
    }
}

/// Button such as `새 활동 3` that shows new sessions; nothing without any.
#[component]
pub(super) fn NewActivity(list: List, answer: Fetch<Answer>) -> impl IntoView {
    let words = use_i18n();
    let reading = use_reading();
    let reveal = move |_| {
        if let Some(data) = answer.data.get_untracked() {
            show(list, reading, &data);
            window().scroll_to_with_x_and_y(0.0, 0.0);
            // The pill goes with the focus on it: on to what it announced.
            if let Some(first) = data.sessions.first() {
                focus_card(first.work_session_id.clone());
            }
        }
    };
    view! {
        <div class="new-activity" role="status">
            {move || {
                let news = if list.is_behind() { 0 } else { list.news.get() };
                (news > 0).then(|| view! {
                    <button type="button" class="pill" on:click=reveal>
                        {Icon::ArrowUp}
                        {move || (words.get().sessions().new_activity)(news)}
                    </button>
                })
            }}
        </div>
    }
}
