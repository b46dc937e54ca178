//! Row of the work list: what blocks an agent or needs a decision, how to settle it, a link to the evidence, and who
//! waits for it. Also the link to a classification that a person should check.

use std::collections::BTreeSet;

use coordination::api::{Attention, AttentionKind, BandStanding};
use coordination::ids::AgentId;
use coordination::text::hidden;
use leptos::prelude::*;

use super::agent::Imitations;
pub use super::attention_words::alert_text;
use super::attention_words::{context, headline, settle};
use super::machine::{MachineMark, use_machine_links};
use super::people::{PeopleNames, use_people};
use super::person_request::{RequestDetails, end_clock};
use super::status::attention_style;
use super::time_ago::use_now;
use crate::i18n::{I18n, number, time, use_i18n};
use crate::routes::{DriftView, EventsFilter, TasksFilter, paths};
use crate::ui::Icon;
use crate::ui::badge::{Badge, StatusStyle};

/// One line: what waits, what would settle it, since when. It leads to the page on which that is seen whole; the evidence
/// is a link of its own.
#[component]
pub fn AttentionRow(item: Memo<Attention>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let now = use_now();
    let links = use_machine_links();
    let kind = item.with_untracked(|item| item.kind);
    let StatusStyle { tone, icon } = attention_style(kind);
    let age = move || {
        let (locale, since) = (words.locale(), item.with(|item| item.since));
        match kind {
            // Nothing says since when.
            _ if since == 0 => String::new(),
            AttentionKind::NoReply | AttentionKind::Blocked | AttentionKind::Unknown => {
                time::relative(locale, now.at.get(), since)
            }
            _ => time::since(locale, now.at.get(), since),
        }
    };
    let proof = move || {
        let since = item.with(|item| item.since);
        // A date is not torn at the end of a line.
        let at = (since > 0).then(|| time::short(words.locale(), now.at.get(), since).replace(' ', "\u{a0}"));
        format!("{} {}", words.get().home.evidence, at.unwrap_or_default()).trim_end().to_owned()
    };
    let inferred = Memo::new(move |_| item.with(|item| item.inferred));
    let named = Memo::new(move |_| {
        item.with(|item| {
            let one = item.agent.iter().chain(&item.other);
            one.chain(&item.cycle).chain(&item.unblockers).chain(&item.waiters).cloned().collect::<BTreeSet<_>>()
        })
    });
    let times = Memo::new(move |_| item.with(|item| item.times));
    view! {
        <Badge tone=tone icon=icon text=Signal::derive(move || (words.get().home.attention)(kind).to_owned()) />
        <a class="attention" href=move || links.href(item.with(subject_link)) rel=links.rel() data-row="">
            <span class="attention__what">
                <Imitations named=named />
                {move || item.with(|item| headline(item, words, people))}
                {move || {
                    inferred.get().then(|| {
                        view! {
                            <span class="inferred" title=move || words.get().common.inferred_hint>
                                {move || words.get().common.inferred}
                            </span>
                        }
                    })
                }}
                {move || {
                    let times = times.get();
                    (times > 1)
                        .then(|| view! { <span class="attention__times">{move || (words.get().home.times)(times)}</span> })
                }}
            </span>
            <span class="attention__context">
                <MachineMark />
                {move || item.with(|item| context(item, words, people))}
                {move || {
                    // A request says so below.
                    let until = item.with(|item| item.until.filter(|_| item.approval.is_none()))?;
                    let at = end_clock(words, now.at.get(), until);
                    Some(format!(" · {}", (words.get().home.statement_ends)(&at)))
                }}
            </span>
            {(kind != AttentionKind::Unknown)
                .then(|| {
                    view! {
                        <span class="attention__settle">
                            {Icon::ArrowRight} {move || item.with(|item| settle(item, words, people))}
                        </span>
                    }
                })}
        </a>
        <span class="work-line__end">
            <span class="attention__since">{age}</span>
            <a
                class="link attention__evidence"
                href=move || links.href(item.with(evidence_link))
                rel=links.rel()
                title=move || item.with(|item| item.evidence.clone())
            >
                {proof}
            </a>
        </span>
        <RequestDetails item=item />
    }
}

/// Button with the agents that wait for the one that is stuck; it shows their tree. Nothing while nobody waits.
#[component]
pub fn Waiters(
    item: Memo<Attention>,
    /// Draws the tree of agents that wait for one.
    tree: fn(AgentId) -> AnyView,
) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let open = RwSignal::new(false);
    let agent = Memo::new(move |_| item.with(|item| item.agent.clone().filter(|_| item.held_up > 0)));
    let text = move || item.with(|item| waiters_text(item, words, people));
    move || {
        agent.get().map(|agent| {
            view! {
                <div class="work-line__waiting">
                    <button
                        type="button"
                        class="link"
                        aria-expanded=move || open.get().to_string()
                        on:click=move |_| open.update(|open| *open = !*open)
                    >
                        {text}
                        {Icon::ChevronDown}
                    </button>
                    {move || open.get().then(|| tree(agent.clone()))}
                </div>
            }
        })
    }
}

/// The agents that wait for the one that is stuck, without their tree. Nothing while nobody waits.
#[component]
pub fn WaiterNames(item: Memo<Attention>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let is_waited_for = Memo::new(move |_| item.with(|item| item.agent.is_some() && item.held_up > 0));
    let text = move || item.with(|item| waiters_text(item, words, people));
    move || is_waited_for.get().then(|| view! { <p class="work-line__waiting is-dim">{text}</p> })
}

/// How many agents wait, and the first of them by name. Reactive.
fn waiters_text(item: &Attention, words: I18n, people: PeopleNames) -> String {
    let home = &words.get().home;
    let names: Vec<String> = item.waiters.iter().map(|id| people.name(id)).collect();
    let count = (home.held_up)(item.held_up);
    // Without a number all of them go on, or nothing a person does frees any.
    let is_part = (1..item.held_up).contains(&item.freed);
    let count = if is_part { format!("{count} ({})", (home.freed)(item.freed)) } else { count };
    let others = item.held_up.saturating_sub(names.len() as u32);
    // An older monitor names none.
    if names.is_empty() { count } else { format!("{count}: {}", (home.waiters)(&names.join(", "), others)) }
}

/// A classification to check: a link to the session or the shares it is about.
#[component]
pub fn CheckLink(item: Attention) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let href = links.href(subject_link(&item));
    let text = move || {
        let home = &words.get().home;
        let Some(band) = item.band.filter(|_| item.kind == AttentionKind::FallbackDrift) else {
            return format!("“{}”", hidden::marked(&item.title));
        };
        let (part, whole) = (band.recent.fallback, band.recent.sessions);
        let (low, high) = (number::share(band.low), number::share(band.high));
        let figures = (home.drift_figures)(part, whole, &number::percent(part, whole), &low, &high);
        format!("{} ({figures})", (home.fallback_drift)(band.standing == BandStanding::Above))
    };
    view! {
        <a class="link" href=href rel=links.rel()>
            {text}
        </a>
    }
}

fn about_task(kind: AttentionKind) -> bool {
    matches!(
        kind,
        AttentionKind::TaskBlocked
            | AttentionKind::UnblockFailed
            | AttentionKind::Backoff
            | AttentionKind::Approval
            | AttentionKind::Zombie
            | AttentionKind::Deadlock
    )
}

/// The page on which the matter is seen whole and can be settled: the permission request, the task, the thread at the
/// message, the session.
pub fn subject_link(item: &Attention) -> String {
    if let Some(request) = item.requests.first() {
        return paths::permission(&request.id);
    }
    let task = item.agent.as_ref().zip(item.task_id.as_ref()).filter(|_| about_task(item.kind));
    if let Some((agent, task)) = task {
        return paths::task(agent, task);
    }
    if item.kind == AttentionKind::FallbackDrift {
        return paths::drift(DriftView::default());
    }
    if let Some(key) = &item.session_key {
        return paths::store(key);
    }
    let place = item.session_id.as_ref();
    let place = place.map(|session| paths::place(session, item.thread_id.as_ref(), item.event_id.as_ref()));
    place.unwrap_or_else(|| match item.kind {
        // Plans without a task are shown next to the tasks.
        AttentionKind::Approval => paths::tasks(&TasksFilter::default()),
        _ => paths::events(&EventsFilter { agents: item.agent.iter().cloned().collect(), ..EventsFilter::default() }),
    })
}

/// The event that proves it, among those of its task, session or agent; the same page as [`subject_link`] where a file is
/// all the evidence.
fn evidence_link(item: &Attention) -> String {
    if item.event_id.is_none() {
        return subject_link(item);
    }
    let mut filter = EventsFilter { open: item.event_id.clone(), ..EventsFilter::default() };
    match (&item.task_id, &item.session_id) {
        (Some(task), _) if about_task(item.kind) => filter.task = Some(task.clone()),
        (_, Some(session)) if item.thread_id.is_some() => filter.session = Some(session.clone()),
        _ => filter.agents = item.agent.iter().cloned().collect(),
    }
    paths::events(&filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::decode::decode;
    use coordination::query::alert_path;
    use serde_json::{Value, json};

    fn item(kind: &str, more: Value) -> Attention {
        let mut item = json!({ "kind": kind, "inferred": false, "since": 0, "agent": "eden" });
        let more = more.as_object().unwrap().clone();
        item.as_object_mut().unwrap().extend(more);
        decode(item).unwrap()
    }

    /// Each line has two links: the page that resolves it, and its evidence.
    #[test]
    fn attention_line_links_to_resolution_and_evidence() {
        let cases = [
            // Its file is all the evidence.
            (
                "taskBlocked",
                json!({"taskId": "task_1", "sessionId": "ws_1"}),
                "/tasks/eden/task_1",
                "/tasks/eden/task_1",
            ),
            (
                "taskBlocked",
                json!({"taskId": "task_1", "eventId": "f-7"}),
                "/tasks/eden/task_1",
                "/events?task=task_1&open=f-7",
            ),
            (
                "approval",
                json!({"taskId": "task_1", "eventId": "f-7"}),
                "/tasks/eden/task_1",
                "/events?task=task_1&open=f-7",
            ),
            ("approval", json!({}), "/tasks", "/tasks"),
            ("noReply", json!({"sessionId": "ws_1"}), "/s/ws_1", "/s/ws_1"),
            (
                "noReply",
                json!({"sessionId": "ws_1", "threadId": "conv:1", "eventId": "f-9", "taskId": "task_1"}),
                "/s/ws_1/t/conv:1?at=f-9",
                "/events?session=ws_1&open=f-9",
            ),
            ("permission", json!({"sessionId": "ws_1", "eventId": "f-3"}), "/s/ws_1", "/events?agent=eden&open=f-3"),
            (
                "permission",
                json!({"sessionId": "ws_1", "eventId": "f-3", "requests": [{"id": "r1", "expiresAt": 5}]}),
                "/permission/r1",
                "/events?agent=eden&open=f-3",
            ),
            (
                "deadlock",
                json!({"sessionId": "ws_1", "threadId": "conv:1", "eventId": "f-9", "cycle": ["eden", "seum"]}),
                "/s/ws_1/t/conv:1?at=f-9",
                "/events?session=ws_1&open=f-9",
            ),
            (
                "deadlock",
                json!({"taskId": "task_1", "eventId": "f-9", "cycle": ["eden", "seum"]}),
                "/tasks/eden/task_1",
                "/events?task=task_1&open=f-9",
            ),
            (
                "toolApproval",
                json!({"sessionKey": "agent:eden:main"}),
                "/sessions/agent:eden:main",
                "/sessions/agent:eden:main",
            ),
            ("fallbackDrift", json!({}), "/drift", "/drift"),
            ("of-later", json!({}), "/events?agent=eden", "/events?agent=eden"),
        ];
        for (kind, more, subject, evidence) in cases {
            let item = item(kind, more);
            assert_eq!((subject_link(&item).as_str(), evidence_link(&item).as_str()), (subject, evidence), "{kind}");
            // Alerts that leave the machine lead to the same page; home takes the place of a list of events.
            let alert = format!("/{}", alert_path(&item));
            assert!(alert == subject || (alert == "/" && subject.starts_with("/events?")), "{kind}: {alert}");
        }
    }
}
