//! Row of one stored session: name, agent, kind, last message, model, tokens and time.

use std::sync::Arc;

use coordination::api::StoreRow;
use leptos::prelude::*;

use crate::components::agent::AgentName;
use crate::components::hidden::{Name, Said};
use crate::components::people::use_people;
use crate::components::stored::{RunStatusBadge, StoreKindLabel, key_name, store_title, tokens};
use crate::components::time_ago::TimeAgo;
use crate::i18n::use_i18n;
use crate::routes::paths;
use crate::ui::Icon;

/// One stored session: title, kind, last message, model, tokens and time.
#[component]
pub(super) fn StoreListRow(row: Arc<StoreRow>) -> impl IntoView {
    let words = use_i18n();
    let (href, event) = (paths::store(&row.key), row.key.clone());
    let of_title = Arc::clone(&row);
    let title = move || view! { <Name text=store_title(&of_title, words.get()) /> };
    let kind = row.tool_kind.map(|kind| view! { <StoreKindLabel kind=kind class=row.classification /> });
    let pinned = row.pinned.then(|| view! { <span class="is-dim">{move || words.get().stores().pinned}</span> });
    let last = row.last_message_preview.clone().map(|text| view! { <p class="last-line"><Said text=text /></p> });
    let status = row.status.map(|status| view! { <RunStatusBadge status=status /> });
    let agent = row.agent_id.clone();
    view! {
        <li class="store-row" data-event=event tabindex="-1">
            <div class="store-row__kind">{kind} {pinned}</div>
            <div class="store-row__main">
                <h2 class="store-row__title">
                    <a href=href data-open="">
                        {title}
                    </a>
                </h2>
                {last}
                <p class="store-row__meta">
                    <AgentName id=agent />
                    {outside(&row).map(|channel| view! { <span><Name text=channel /></span> })}
                    <StoreFamily row=Arc::clone(&row) />
                    <code class="file-path">
                        <Name text=row.key.clone() />
                    </code>
                </p>
            </div>
            <div class="store-row__cost">
                {status} {row.model.clone().map(|model| view! { <span class="store-row__model"><Name text=model /></span> })}
                <StoreTokens row=Arc::clone(&row) />
            </div>
            <TimeAgo at=row.updated_at.unwrap_or_default() />
        </li>
    }
}

/// The channel; jobs and what names none have no way to the outside.
fn outside(row: &StoreRow) -> Option<String> {
    row.channel.clone().filter(|channel| !matches!(channel.as_str(), "internal" | "unknown"))
}

/// Link to the parent session and number of children; nothing without both.
#[component]
fn StoreFamily(row: Arc<StoreRow>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let parent = row.spawned_by.clone().or_else(|| row.parent_session_key.clone()).filter(|key| *key != row.key);
    let children = row.child_sessions.len();
    view! {
        {parent.map(|key| {
            let href = paths::store(&key);
            view! {
                <a class="link" href=href>
                    {Icon::ArrowUp}
                    {move || (words.get().stores().child_of)(&key_name(&key, people))}
                </a>
            }
        })}
        {(children > 0).then(|| view! { <span>{move || (words.get().stores().children)(children)}</span> })}
    }
}

/// Tokens, and the share of the context that they fill; nothing when they are unknown.
#[component]
fn StoreTokens(row: Arc<StoreRow>) -> impl IntoView {
    let words = use_i18n();
    move || {
        tokens(&row, words).map(|(total, share)| {
            let stores = words.get().stores();
            view! {
                <span class="store-row__tokens">
                    <span>{(stores.tokens)(&total)}</span>
                    {share.map(|share| view! { <span class="is-dim">{(stores.context)(&share)}</span> })}
                </span>
            }
        })
    }
}
