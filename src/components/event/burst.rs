//! Row of a burst (similar events in sequence) in the flat event list: number of events, period and common values. It
//! unfolds in place.

use std::sync::Arc;

use coordination::burst::Sameness;
use coordination::ids::EventId;
use coordination::text::hidden;
use leptos::prelude::*;

use super::list::BurstLine;
use super::row::{outcome_mark, role_icon};
use super::style::event_name;
use crate::components::agent::AgentName;
use crate::components::origin::{OriginMark, OriginShare};
use crate::i18n::{time, use_i18n};
use crate::routes::paths;
use crate::ui::Icon;

/// Row of a burst. Its type, sender, outcome and origin never change; its newest event and its count do.
#[component]
pub fn BurstRow(
    #[prop(into)] burst: Signal<Arc<BurstLine>>,
    /// Unfolds or folds it.
    on_turn: Callback<Vec<EventId>>,
    /// The session's own page already names it.
    #[prop(default = false)]
    in_session: bool,
    /// How much of the list only transcripts record.
    #[prop(into)]
    origin_share: Signal<OriginShare>,
) -> impl IntoView {
    let words = use_i18n();
    let first = burst.get_untracked();
    let newest = first.newest.clone();
    let kind = newest.event_type.clone();
    let named = newest.clone();
    let tools = first.of == Sameness::Tools;
    let name = move || match tools {
        true => words.get().events().tools_used.to_owned(),
        false => event_name(&named, words.get()).unwrap_or((words.get().common.role)(named.role)).to_owned(),
    };
    let aria_text = {
        let name = name.clone();
        move || (words.get().events().burst_label)(&name(), &count(&burst.get(), words))
    };
    let unfolded = Memo::new(move |_| burst.with(|burst| burst.unfolded));
    let at = move || burst.with(|burst| burst.summary.to);
    // Of tools their names say enough.
    let text = move || burst.with(|burst| (!tools).then(|| burst.newest.text.clone())).filter(|text| !text.is_empty());
    let newest_only = first.of == Sameness::Pair;
    view! {
        <article
            class="event-row is-burst"
            class:is-unfolded=unfolded
            data-event=first.name()
            aria-label=aria_text
        >
            <time title=move || time::exact(words.locale(), at())>{move || time::clock_seconds(words.locale(), at())}</time>
            <div class="event-row__kind">
                <b>{role_icon(newest.role)} " " {name}</b>
                {(!tools).then(|| view! { <code>{kind}</code> })}
            </div>
            <div class="event-row__what">
                <BurstAgents burst=burst origin_share=origin_share />
                {tools.then(|| view! { <BurstTools burst=burst /> })}
                {move || {
                    text()
                        .map(|text| {
                            view! {
                                <p class="event-row__text">
                                    {newest_only
                                        .then(|| {
                                            view! {
                                                <span class="is-dim">
                                                    {move || words.get().events().burst_newest} " "
                                                </span>
                                            }
                                        })} {text}
                                </p>
                            }
                        })
                }}
                <div class="event-row__links">
                    <button
                        type="button"
                        class="burst__toggle"
                        data-open=""
                        aria-expanded=move || unfolded.get().to_string()
                        on:click=move |_| on_turn.run(burst.with_untracked(|burst| burst.ids.clone()))
                    >
                        {Icon::ChevronRight}
                        <b>{move || count(&burst.get(), words)}</b>
                        <span>{move || span(&burst.get(), words)}</span>
                    </button>
                    {(!in_session).then(|| view! { <BurstSessions burst=burst /> })}
                </div>
            </div>
        </article>
    }
}

/// `23건`, or that there may be more.
fn count(burst: &BurstLine, words: crate::i18n::I18n) -> String {
    let count = time::count(words.locale(), burst.summary.count as u64);
    (words.get().events().burst)(&count, burst.open_ended)
}

/// From when to when.
fn span(burst: &BurstLine, words: crate::i18n::I18n) -> String {
    let (from, to) = (burst.summary.from, burst.summary.to);
    let clock = |at| time::clock_seconds(words.locale(), at);
    if from / 1_000 == to / 1_000 { clock(to) } else { format!("{}–{}", clock(from), clock(to)) }
}

/// Sender and recipients of a burst, its outcome and its origin. Several recipients show as a number.
#[component]
fn BurstAgents(burst: Signal<Arc<BurstLine>>, origin_share: Signal<OriginShare>) -> impl IntoView {
    let words = use_i18n();
    let newest = burst.with_untracked(|burst| burst.newest.clone());
    let from = newest.from.clone().filter(|id| id.as_str() != "unknown");
    let addressees = Memo::new(move |_| burst.with(|burst| burst.summary.addressees.clone()));
    let alone = from.is_none().then(|| newest.agent_id.clone());
    let to = move || {
        let addressees = addressees.get();
        let whom = match addressees.as_slice() {
            [] => return None,
            [one] => view! { <AgentName id=one.clone() /> }.into_any(),
            many => {
                let count = many.len();
                view! { <span>{move || (words.get().events().burst_to)(count)}</span> }.into_any()
            }
        };
        let arrow = view! {
            <span class="is-dim" aria-hidden="true">
                "→"
            </span>
        };
        Some(view! { {arrow} {whom} })
    };
    view! {
        <div class="event-row__who">
            {alone.filter(|_| addressees.with_untracked(Vec::is_empty)).map(|id| view! { <AgentName id=id /> })}
            {from.map(|id| view! { <AgentName id=id /> })}
            {to}
            {outcome_mark(&newest)}
            <OriginMark origin=newest.origin among=origin_share />
        </div>
    }
}

/// Names of the tools of a burst, each with its number of uses.
#[component]
fn BurstTools(burst: Signal<Arc<BurstLine>>) -> impl IntoView {
    let words = use_i18n();
    let tools = Memo::new(move |_| burst.with(|burst| burst.summary.tools.clone()));
    let each = move || {
        let tools = tools.get();
        let one = |(name, times): (String, usize)| {
            let text = hidden::marked(&name).into_owned();
            view! { <code>{move || (words.get().events().tool_times)(&text, times)}</code> }
        };
        tools.into_iter().map(one).collect_view()
    };
    view! { <p class="event-row__tool">{each}</p> }
}

/// Link to the session of all events, or the number of sessions; nothing without a session.
#[component]
fn BurstSessions(burst: Signal<Arc<BurstLine>>) -> impl IntoView {
    let words = use_i18n();
    let session_and_title = Memo::new(move |_| {
        burst.with(|burst| (burst.summary.sessions.clone(), burst.newest.session_title.clone().unwrap_or_default()))
    });
    move || {
        let (sessions, title) = session_and_title.get();
        match sessions.as_slice() {
            [] => ().into_any(),
            [one] => view! {
                <a class="link" href=paths::session(one)>
                    {move || if title.is_empty() { words.get().events().to_session.to_owned() } else { title.clone() }}
                </a>
            }
            .into_any(),
            many => {
                let count = many.len();
                view! { <span class="is-dim">{move || (words.get().events().burst_sessions)(count)}</span> }.into_any()
            }
        }
    }
}
