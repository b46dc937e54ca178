//! Section with the events of a task. Each event has a time and a link to its row in the event list. Agents are named
//! only in events that involve an agent other than the task's owner.

use coordination::api::{EventRow, TaskSummary};
use leptos::prelude::*;

use crate::components::agent::AgentLink;
use crate::components::event::style::{event_name, event_style, event_text};
use crate::i18n::{time, use_i18n};
use crate::routes::{EventsFilter, paths};
use crate::ui::badge::StatusStyle;

/// Section with the events of a task; nothing without events.
#[component]
pub fn TaskHistory(events: Vec<EventRow>, task: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let filter = EventsFilter { task: Some(task.id.clone()), ..EventsFilter::default() };
    let all = paths::events(&filter);
    (!events.is_empty()).then(|| {
        let items = events
            .into_iter()
            .map(|event| {
                let href = paths::events(&EventsFilter { open: Some(event.id.clone()), ..filter.clone() });
                view! { <TaskEventLine event=event href=href owner=task.clone() /> }
            })
            .collect_view();
        view! {
            <section>
                <h3>
                    {move || words.get().tasks().history} <small>
                        <a class="link" href=all>
                            {move || words.get().tasks().all_events}
                        </a>
                    </small>
                </h3>
                <ol class="timeline">{items}</ol>
            </section>
        }
    })
}

/// One event: time, kind and text. Agents are named when another agent than the task's own is involved.
#[component]
fn TaskEventLine(event: EventRow, href: String, owner: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let StatusStyle { tone, icon } = event_style(&event);
    let at = event.at;
    let (named, described) = (event.clone(), event.clone());
    let name = move || event_name(&named, words.get()).map_or_else(|| named.event_type.clone(), ToOwned::to_owned);
    let text = move || event_text(&described, words.get());
    let when = move || if at > 0 { time::day_clock(words.locale(), at) } else { words.get().time.unknown.to_owned() };
    let exact = move || if at > 0 { time::exact(words.locale(), at) } else { String::new() };
    let who = event.from.unwrap_or(event.agent_id);
    let other = event.to.filter(|to| *to != who);
    let people = (who != owner.agent_id || other.is_some()).then(|| {
        view! {
            <span class="is-dim">
                <AgentLink id=who />
                {other.map(|to| view! { " → " <AgentLink id=to /> })}
                " "
            </span>
        }
    });
    view! {
        <li>
            <time title=exact>{when}</time>
            <span class=format!("is-{}", tone.as_str())>{icon}</span>
            <span>
                <a class="timeline__kind" href=href>
                    {name}
                </a>
                " "
                {people}
                <bdi class="is-dim">{text}</bdi>
            </span>
        </li>
    }
}
