//! The cards under their day or category, and the pill that announces news.

use std::collections::HashMap;

use coordination::api::{SessionCard, SessionsPage as Answer};
use coordination::category::Category;
use coordination::ids::SessionId;
use leptos::prelude::*;

use super::{List, show};
use crate::components::category::emoji;
use crate::components::session_card::SessionCardRow;
use crate::components::time_ago::use_now;
use crate::hooks::Fetch;
use crate::i18n::{time, use_words};
use crate::routes::Grouping;
use crate::ui::Icon;

/// What stands above a run of cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Head {
    /// Whole local days ago, and a time on that day.
    Day(i64),
    Category(Category),
}

/// A run of cards.
#[derive(Clone, PartialEq)]
struct Group {
    head: Head,
    /// A time within the group, for its date.
    at: i64,
    ids: Vec<SessionId>,
    /// False when the next page may bring more of it.
    complete: bool,
}

fn groups(cards: &[SessionCard], grouping: Grouping, now: i64, more: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for card in cards {
        let head = match grouping {
            Grouping::Latest => Head::Day(time::days_ago(now, card.last_time).max(0)),
            Grouping::Category => Head::Category(card.category.key),
        };
        // A card that changed where it stands must not split its neighbours' group.
        match groups.iter_mut().find(|group| group.head == head) {
            Some(group) => group.ids.push(card.work_session_id.clone()),
            None => {
                groups.push(Group { head, at: card.last_time, ids: vec![card.work_session_id.clone()], complete: true })
            }
        }
    }
    if let (true, Some(last)) = (more, groups.last_mut()) {
        last.complete = false;
    }
    groups
}

/// The groups and their cards.
#[component]
pub(super) fn Rows(list: List) -> impl IntoView {
    let words = use_words();
    let now = use_now();
    let by_id = Memo::new(move |_| {
        list.shown.with(|cards| {
            cards.iter().map(|card| (card.work_session_id.clone(), card.clone())).collect::<HashMap<_, _>>()
        })
    });
    let today = Memo::new(move |_| time::days_ago(now.at.get(), 0));
    let groups = Memo::new(move |_| {
        // The coarse clock is asked again only when the day changes.
        today.track();
        let grouping = list.subject.with(|(_, filter)| filter.group);
        list.shown.with(|cards| groups(cards, grouping, now.at.get_untracked(), list.next.with(Option::is_some)))
    });
    let card = move |id: SessionId| {
        let first = by_id.with_untracked(|cards| cards.get(&id).cloned());
        first.map(|first| {
            let card = Memo::new(move |before: Option<&SessionCard>| {
                by_id.with(|cards| cards.get(&id).cloned()).or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
            });
            view! { <li><SessionCardRow card=card.into() /></li> }
        })
    };
    view! {
        <div class="session-list" role="region" aria-label=move || words.get().sessions().list>
            <For each=move || groups.get() key=|group| (group.head, group.complete, group.ids.clone()) let:group>
                <section class="session-group">
                    <h2 class="session-group__head">
                        <GroupTitle head=group.head at=group.at />
                        {group.complete.then(|| view! { <span>{group.ids.len()}</span> })}
                    </h2>
                    <ul>{group.ids.into_iter().map(card).collect_view()}</ul>
                </section>
            </For>
        </div>
    }
}

#[component]
fn GroupTitle(head: Head, at: i64) -> impl IntoView {
    let words = use_words();
    move || match head {
        Head::Day(0) => words.get().time.today.to_owned(),
        Head::Day(1) => words.get().time.yesterday.to_owned(),
        Head::Day(_) => time::day(words.locale(), at),
        Head::Category(category) => format!("{} {}", emoji(category), (words.get().common.category)(category)),
    }
}

/// `새 활동 3`: shows what waits, at the reader's wish.
#[component]
pub(super) fn NewActivity(list: List, answer: Fetch<Answer>) -> impl IntoView {
    let words = use_words();
    let reveal = move |_| {
        if let Some(data) = answer.data.get_untracked() {
            show(list, &data);
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    };
    view! {
        <div class="new-activity" role="status">
            {move || {
                let news = list.news.get();
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
