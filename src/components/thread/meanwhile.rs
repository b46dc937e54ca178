//! Summary of an agent's activity while an answer from that agent was awaited: task, events and queue. The notice of a
//! missing answer contains the summary and fetches it when the notice is drawn.

use coordination::api::{ActivityQuery, AgentActivity, AgentEvidence};
use coordination::ids::AgentId;
use coordination::text::hidden;
use leptos::prelude::*;

use crate::components::people::use_people;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{FetchOptions, use_fetch};
use crate::routes::{EventsFilter, paths};

/// A term and its description for a `dl`: the agent's work, its events and its queue in the period.
#[component]
pub fn Meanwhile(
    agent: AgentId,
    /// Epoch milliseconds: when the message was sent.
    since: i64,
    /// Epoch milliseconds: when the wait ended.
    until: i64,
) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let options = FetchOptions::ignore_live_changes();
    let query = ActivityQuery { since: Some(since), until: Some(until) };
    let fetch_key = (agent.clone(), query);
    let fetch = use_fetch(
        move || fetch_key.clone(),
        options,
        |source, (agent, query)| async move { source.activity(&agent, &query).await },
    );
    let name = {
        let agent = agent.clone();
        move || (words.get().thread().meanwhile)(&people.name(&agent))
    };
    let content = move || {
        let Some(activity) = fetch.data.get() else {
            let failed = fetch.failure.get().is_some();
            let thread = words.get().thread();
            let text = if failed { thread.meanwhile_failed } else { words.get().common.loading };
            return view! { <span class="is-dim">{text}</span> }.into_any();
        };
        let thread = words.get().thread();
        let (href, word) = match &activity.newest {
            Some(newest) => (link(&agent, newest), thread.meanwhile_see),
            None => (paths::agent(&agent), thread.meanwhile_agent),
        };
        view! {
            <span>{sentence(&activity, words)}</span>
            " "
            <a class="link" href=href>
                {word}
            </a>
        }
        .into_any()
    };
    view! {
        <dt>{name}</dt>
        <dd>{content}</dd>
    }
}

/// `‘배포 준비’ 작업 중 · 그 사이 기록 3건, 마지막 14:03 · 앞에 2건 대기`
fn sentence(activity: &AgentActivity, words: I18n) -> String {
    let thread = words.get().thread();
    let clock = |at: i64| time::clock(words.locale(), at);
    let mut parts = Vec::new();
    if let Some(task) = &activity.task {
        let title = match task.title.is_empty() {
            true => words.get().tasks().untitled.to_owned(),
            false => hidden::marked(&task.title).into_owned(),
        };
        parts.push((thread.meanwhile_task)(&title, task.status));
    }
    parts.push(match (activity.newest.as_ref().and_then(|newest| newest.at), activity.last_before) {
        (Some(at), _) => (thread.meanwhile_events)(activity.events, &clock(at)),
        (None, Some(before)) => (thread.meanwhile_silent)(&time::day_clock(words.locale(), before)),
        (None, None) => thread.meanwhile_unknown.to_owned(),
    });
    if activity.ahead > 0 {
        parts.push((thread.meanwhile_ahead)(activity.ahead));
    }
    parts.join(" · ")
}

/// Where its newest event of the period is seen in context: its message, its task, else among the agent's events.
fn link(agent: &AgentId, newest: &AgentEvidence) -> String {
    match (&newest.session_id, &newest.thread_id, &newest.event_id, &newest.task_id) {
        (Some(session), Some(thread), Some(event), _) => paths::thread_at(session, thread, event),
        (_, _, _, Some(task)) => paths::task(agent, task),
        _ => paths::events(&EventsFilter {
            agents: vec![agent.clone()],
            open: newest.event_id.clone(),
            ..EventsFilter::default()
        }),
    }
}
