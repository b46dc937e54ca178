//! Row of the work list: what blocks an agent or needs a decision, how to settle it, a link to the evidence, and who
//! waits for it. Also the link to a classification that a person should check.

use coordination::api::{Attention, AttentionKind, BandStanding};
use coordination::delivery::ReasonClass;
use coordination::ids::AgentId;
use coordination::text::hidden;
use leptos::prelude::*;

use super::hidden::readable;
use super::people::{PeopleNames, use_people};
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
    let kind = item.with_untracked(|item| item.kind);
    let StatusStyle { tone, icon } = attention_style(kind);
    let age = move || {
        let (locale, since) = (words.locale(), item.with(|item| item.since));
        match kind {
            AttentionKind::NoReply | AttentionKind::Blocked | AttentionKind::Unknown => {
                time::relative(locale, now.at.get(), since)
            }
            _ => time::since(locale, now.at.get(), since),
        }
    };
    let proof = move || {
        // A date is not torn at the end of a line.
        let at = time::short(words.locale(), now.at.get(), item.with(|item| item.since)).replace(' ', "\u{a0}");
        format!("{} {at}", words.get().home.evidence)
    };
    let inferred = Memo::new(move |_| item.with(|item| item.inferred));
    let times = Memo::new(move |_| item.with(|item| item.times));
    view! {
        <Badge tone=tone icon=icon text=Signal::derive(move || (words.get().home.attention)(kind).to_owned()) />
        <a class="attention" href=move || item.with(subject_link) data-row="">
            <span class="attention__what">
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
            <span class="attention__context">{move || item.with(|item| context(item, words, people))}</span>
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
            <a class="link attention__evidence" href=move || item.with(evidence_link) title=move || item.with(|item| item.evidence.clone())>
                {proof}
            </a>
        </span>
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
    let text = move || {
        let home = &words.get().home;
        item.with(|item| {
            let names: Vec<String> = item.waiters.iter().map(|id| people.name(id)).collect();
            let count = (home.held_up)(item.held_up);
            let others = item.held_up.saturating_sub(names.len() as u32);
            // An older monitor names none.
            if names.is_empty() { count } else { format!("{count}: {}", (home.waiters)(&names.join(", "), others)) }
        })
    };
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

/// Title and text of a notification about a line: its kind and agent, then what waits, and what it is about.
pub fn alert_text(item: &Attention, words: I18n, people: PeopleNames) -> (String, String) {
    let all = words.get();
    let agent = item.agent.as_ref().map(|agent| people.name(agent));
    let title =
        std::iter::once((all.home.attention)(item.kind).to_owned()).chain(agent).collect::<Vec<_>>().join(" · ");
    let inferred = if item.inferred { format!(" ({})", all.common.inferred) } else { String::new() };
    let text = format!("{}{inferred}\n{}", headline(item, words, people), context(item, words, people));
    (title, text.trim_end().to_owned())
}

/// What waits, in one sentence. Names have no emoji here, so that particles attach.
fn headline(item: &Attention, words: I18n, people: PeopleNames) -> String {
    let home = &words.get().home;
    let name = |id: &Option<AgentId>| id.as_ref().map(|id| people.name(id)).unwrap_or_default();
    let readable = readable(&item.detail, words);
    let (title, detail) = (hidden::marked(&item.title), hidden::marked(&readable));
    match item.kind {
        AttentionKind::UnblockFailed => (home.unblock_failed)(&name(&item.agent)),
        AttentionKind::Backoff => (home.backoff)(&name(&item.agent)),
        AttentionKind::TaskBlocked if !item.detail.is_empty() => detail.into_owned(),
        AttentionKind::TaskBlocked => (home.task_blocked)(&name(&item.agent)),
        AttentionKind::Blocked => (home.send_blocked)(&name(&item.other)),
        AttentionKind::NoReply => (home.no_reply)(&name(&item.other)),
        AttentionKind::Permission => (home.permission)(&name(&item.agent), &detail),
        AttentionKind::Question => (home.question)(&name(&item.agent)),
        AttentionKind::AgentFailed => (home.agent_failed)(&name(&item.agent)),
        AttentionKind::Approval if !item.title.is_empty() => title.into_owned(),
        AttentionKind::Approval => (home.approval)(&name(&item.agent)),
        AttentionKind::Zombie => (home.zombie)(&name(&item.agent)),
        AttentionKind::Deadlock => {
            let cycle = item.cycle.iter().chain(item.cycle.first());
            (home.deadlock)(&cycle.map(|id| people.name(id)).collect::<Vec<_>>().join(" → "))
        }
        AttentionKind::LowConfidence | AttentionKind::FallbackDrift | AttentionKind::Unknown => title.into_owned(),
    }
}

/// Who and what it is about, in short parts.
fn context(item: &Attention, words: I18n, people: PeopleNames) -> String {
    let home = &words.get().home;
    let named = |id: &AgentId| match people.emoji(id) {
        Some(emoji) => format!("{} {}", people.name(id), hidden::marked(&emoji)),
        None => people.name(id),
    };
    let mut parts: Vec<String> = Vec::new();
    let title = || hidden::marked(&item.title).into_owned();
    let detail = || hidden::marked(&readable(&item.detail, words)).into_owned();
    match item.kind {
        AttentionKind::NoReply | AttentionKind::Blocked => {
            if !item.detail.is_empty() {
                parts.push(format!("“{}”", detail()));
            }
            if let Some(agent) = &item.agent {
                parts.push((home.sent_by)(&people.name(agent)));
            }
            if let Some(retries) = item.attempts.filter(|&n| n > 0) {
                parts.push((home.retries)(retries));
            }
        }
        _ => {
            // The headline names who waits at a terminal or in a cycle.
            let at_terminal =
                matches!(item.kind, AttentionKind::Permission | AttentionKind::Question | AttentionKind::AgentFailed);
            let is_named = at_terminal || item.kind == AttentionKind::Deadlock;
            parts.extend(item.agent.as_ref().filter(|_| !is_named).map(named));
            match item.kind {
                AttentionKind::TaskBlocked | AttentionKind::Zombie => parts.push(title()),
                AttentionKind::UnblockFailed => parts.extend([title(), detail()]),
                AttentionKind::Backoff => {
                    parts.extend([title(), (home.backoff_reason)(&item.detail).to_owned()]);
                }
                // The sentence already contains what it waits for.
                AttentionKind::Permission => parts.push(title()),
                AttentionKind::Question | AttentionKind::AgentFailed => parts.extend([title(), detail()]),
                // A session may have its title from this very message.
                AttentionKind::Deadlock if item.title == item.detail => parts.push(title()),
                AttentionKind::Deadlock => parts.extend([title(), detail()]),
                _ => parts.push(detail()),
            }
            if let (AttentionKind::Backoff, Some(times)) = (item.kind, item.attempts) {
                parts.push((home.backoff_times)(times));
            } else if let Some(requests) = item.attempts.filter(|&n| n > 0) {
                parts.push((home.requests)(requests));
            }
        }
    }
    parts.extend((item.messages > 0).then(|| (home.in_vain)(item.messages)));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// What would settle it.
fn settle(item: &Attention, words: I18n, people: PeopleNames) -> String {
    let home = &words.get().home;
    let name = |id: &Option<AgentId>| id.as_ref().map(|id| people.name(id)).unwrap_or_default();
    match item.kind {
        AttentionKind::TaskBlocked | AttentionKind::UnblockFailed => {
            let names: Vec<String> = item.unblockers.iter().map(|id| people.name(id)).collect();
            // Helpers that have all been tried in vain are no solution.
            let can = item.kind == AttentionKind::TaskBlocked && !names.is_empty();
            let who = can.then(|| (home.settle_unblock)(&names.join("·")));
            let what = (!item.action.is_empty()).then(|| (home.settle_action)(&hidden::marked(&item.action)));
            let parts: Vec<String> = who.into_iter().chain(what).collect();
            if parts.is_empty() { home.settle_nobody.to_owned() } else { parts.join(" · ") }
        }
        AttentionKind::Approval => home.settle_approval.to_owned(),
        AttentionKind::Permission if !item.requests.is_empty() => home.settle_permission_here.to_owned(),
        AttentionKind::Permission => (home.settle_permission)(&name(&item.agent)),
        AttentionKind::Question => (home.settle_question)(&name(&item.agent)),
        AttentionKind::AgentFailed => (home.settle_failed)(&name(&item.agent)),
        AttentionKind::Blocked if item.reason == Some(ReasonClass::Policy) => home.settle_policy.to_owned(),
        AttentionKind::Blocked => (home.settle_refused)(&name(&item.other), &name(&item.agent)),
        AttentionKind::NoReply => (home.settle_reply)(&name(&item.other), &name(&item.agent)),
        AttentionKind::Backoff => (home.settle_backoff)(&item.detail).to_owned(),
        AttentionKind::Zombie => home.settle_zombie.to_owned(),
        AttentionKind::Deadlock => home.settle_deadlock.to_owned(),
        AttentionKind::LowConfidence | AttentionKind::FallbackDrift | AttentionKind::Unknown => String::new(),
    }
}

/// A classification to check: a link to the session or the shares it is about.
#[component]
pub fn CheckLink(item: Attention) -> impl IntoView {
    let words = use_i18n();
    let href = subject_link(&item);
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
        <a class="link" href=href>
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
            ("fallbackDrift", json!({}), "/drift", "/drift"),
            ("of-later", json!({}), "/events?agent=eden", "/events?agent=eden"),
        ];
        for (kind, more, subject, evidence) in cases {
            let item = item(kind, more);
            assert_eq!((subject_link(&item).as_str(), evidence_link(&item).as_str()), (subject, evidence), "{kind}");
        }
    }
}
