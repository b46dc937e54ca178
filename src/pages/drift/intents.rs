//! Section of the drift page about sessions with the same title: how many of them have the same category, and links to
//! those that differ.

use std::sync::Arc;

use coordination::api::{DividedIntent, Drift as Answer, IntentMember, Intents};
use leptos::prelude::*;

use super::DriftSection;
use crate::components::category::CategoryBadge;
use crate::components::session_card::title_text;
use crate::components::time_ago::TimeAgo;
use crate::i18n::number::percent;
use crate::i18n::{time, use_i18n};
use crate::routes::paths;

/// Section with the rate of agreement and the groups that disagree.
#[component]
pub(super) fn IntentGroups(answer: Signal<Arc<Answer>>) -> impl IntoView {
    let words = use_i18n();
    let intents = Memo::new(move |_| answer.with(|answer| answer.intents.clone()));
    let rate_text = move || {
        let Intents { groups, sessions, agreeing, .. } = intents.get();
        let words_now = words.get().drift();
        let count = |n: u32| time::count(words.locale(), u64::from(n));
        if groups == 0 {
            return words_now.no_intents.to_owned();
        }
        (words_now.agreeing)(&percent(agreeing, sessions), &count(agreeing), &count(sessions), &count(groups))
    };
    let united = Memo::new(move |_| intents.with(|all| all.groups > 0 && all.divided.is_empty()));
    let part = Memo::new(move |_| {
        intents.with(|all| {
            (all.divided.len() < all.divided_total as usize).then_some((all.divided.len(), all.divided_total))
        })
    });
    view! {
        <DriftSection title=|words| words.intents hint=|words| words.intents_hint>
            <p class="drift__rate">{rate_text}</p>
            {move || united.get().then(|| view! { <p class="is-dim">{move || words.get().drift().all_agree}</p> })}
            <ol class="drift__groups" aria-label=move || words.get().drift().divided hidden=move || intents.with(|all| all.divided.is_empty())>
                {move || {
                    let groups = intents.get().divided.into_iter();
                    groups.map(|group| view! { <DividedIntentRow group=group /> }).collect_view()
                }}
            </ol>
            {move || {
                part.get()
                    .map(|(here, all)| view! { <p class="is-dim">{move || (words.get().drift().divided_of)(here, all)}</p> })
            }}
        </DriftSection>
    }
}

/// One group of sessions with the same title and different categories.
#[component]
fn DividedIntentRow(group: DividedIntent) -> impl IntoView {
    let words = use_i18n();
    let DividedIntent { title, title_source, primary, sessions, agreeing, members } = group;
    let named = u32::try_from(members.len()).unwrap_or(sessions);
    let more = sessions.saturating_sub(named);
    let title = move || title_text(&title, title_source);
    view! {
        <li>
            <h3>{title}</h3>
            <p class="is-dim">
                <CategoryBadge category=primary />
                " "
                {move || (words.get().drift().out_of_line)(sessions - agreeing, sessions)}
            </p>
            <ul>{members.into_iter().map(|member| view! { <IntentMemberRow member=member /> }).collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="is-dim">{move || (words.get().drift().more_sessions)(more)}</p> })}
        </li>
    }
}

/// Link to one session of a group: category, time, and a note when the category is a fallback.
#[component]
fn IntentMemberRow(member: IntentMember) -> impl IntoView {
    let words = use_i18n();
    let fallback = member.fallback;
    view! {
        <li>
            <a class="drift__member" href=paths::session(&member.work_session_id) data-row="">
                <CategoryBadge category=member.key />
                <TimeAgo at=member.at />
                {fallback.then(|| view! { <small class="is-dim">{move || words.get().drift().no_grounds}</small> })}
            </a>
        </li>
    }
}
