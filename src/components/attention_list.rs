//! The needs-me strip: what waits for a person, each line naming its evidence and leading to it.

use coordination::api::{Attention, AttentionKind, BandStanding};
use coordination::text::hidden;
use leptos::prelude::*;

use super::people::{People, use_people};
use super::status::attention_face;
use super::time_ago::use_now;
use crate::i18n::{Words, number, time, use_words};
use crate::routes::{DriftView, EventsFilter, paths};
use crate::ui::Icon;
use crate::ui::mark::Mark;

/// One line.
#[component]
pub fn AttentionRow(item: Attention) -> impl IntoView {
    let words = use_words();
    let people = use_people();
    let now = use_now();
    let (tone, icon) = attention_face(item.kind);
    let (kind, since, inferred) = (item.kind, item.since, item.inferred);
    let href = evidence_link(&item);
    let evidence = item.evidence.clone();
    let for_context = item.clone();
    let age = move || {
        let locale = words.locale();
        match kind {
            AttentionKind::TaskBlocked
            | AttentionKind::UnblockFailed
            | AttentionKind::Backoff
            | AttentionKind::Approval
            | AttentionKind::Permission
            | AttentionKind::Question
            | AttentionKind::AgentFailed
            | AttentionKind::Zombie => time::since(locale, now.at.get(), since),
            AttentionKind::FallbackDrift => words.get().home.drift_since.to_owned(),
            _ => time::relative(locale, now.at.get(), since),
        }
    };
    let proof = move || {
        let locale = words.locale();
        let home = &words.get().home;
        let evidence = match kind {
            AttentionKind::FallbackDrift => home.drift_evidence,
            _ if evidence.is_empty() => home.no_evidence,
            _ => &evidence,
        };
        // A date is not torn at the end of a line.
        let at = time::short(locale, now.at.get(), since).replace(' ', "\u{a0}");
        format!("{} {evidence} · {at}", home.evidence)
    };
    view! {
        <a class="attention" href=href data-row="">
            <Mark tone=tone icon=icon text=Signal::derive(move || (words.get().home.attention)(kind).to_owned()) />
            <span class="attention__what">
                {move || headline(&item, words, people)}
                {inferred
                    .then(|| {
                        view! {
                            <span class="inferred" title=move || words.get().common.inferred_hint>
                                {move || words.get().common.inferred}
                            </span>
                        }
                    })}
                <span class="attention__context">{move || context(&for_context, words, people)}</span>
            </span>
            <span class="attention__evidence">
                <span class="attention__since">{age}</span>
                {proof}
            </span>
            <span class="attention__go">{Icon::ChevronRight}</span>
        </a>
    }
}

/// What waits, in one sentence. Names stand without emoji here, so that particles attach.
fn headline(item: &Attention, words: Words, people: People) -> String {
    let home = &words.get().home;
    let name = |id: &Option<coordination::ids::AgentId>| id.as_ref().map(|id| people.name(id)).unwrap_or_default();
    let (title, detail) = (hidden::marked(&item.title), hidden::marked(&item.detail));
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
        AttentionKind::LowConfidence => (home.low_confidence)(&title),
        AttentionKind::FallbackDrift => {
            let more = item.band.is_some_and(|band| band.standing == BandStanding::Above);
            (home.fallback_drift)(more).to_owned()
        }
        AttentionKind::Zombie => (home.zombie)(&name(&item.agent)),
        AttentionKind::Unknown => title.into_owned(),
    }
}

/// Who and what it is about, in short parts.
fn context(item: &Attention, words: Words, people: People) -> String {
    let home = &words.get().home;
    let named = |id: &coordination::ids::AgentId| match people.emoji(id) {
        Some(emoji) => format!("{} {emoji}", people.name(id)),
        None => people.name(id),
    };
    let mut parts: Vec<String> = Vec::new();
    let title = || hidden::marked(&item.title).into_owned();
    let detail = || hidden::marked(&item.detail).into_owned();
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
        AttentionKind::FallbackDrift => parts.extend(item.band.map(|band| {
            let (part, whole) = (band.recent.fallback, band.recent.sessions);
            let (low, high) = (number::share(band.low), number::share(band.high));
            (home.drift_figures)(part, whole, &number::percent(part, whole), &low, &high)
        })),
        _ => {
            parts.extend(item.agent.as_ref().map(named));
            match item.kind {
                AttentionKind::TaskBlocked | AttentionKind::Zombie => parts.push(title()),
                AttentionKind::UnblockFailed => parts.extend([title(), detail()]),
                AttentionKind::Backoff => {
                    parts.extend([title(), (home.backoff_reason)(&item.detail).to_owned()]);
                }
                // What it waits for is said already.
                AttentionKind::Permission => parts.push(title()),
                AttentionKind::Question | AttentionKind::AgentFailed => parts.extend([title(), detail()]),
                AttentionKind::LowConfidence => {}
                _ => parts.push(detail()),
            }
            if !item.unblockers.is_empty() {
                let names: Vec<String> = item.unblockers.iter().map(named).collect();
                parts.push(format!("{} {}", home.unblocker, names.join(", ")));
            }
            if let (AttentionKind::Backoff, Some(times)) = (item.kind, item.attempts) {
                parts.push((home.backoff_times)(times));
            } else if let Some(requests) = item.attempts.filter(|&n| n > 0) {
                parts.push((home.requests)(requests));
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Where the evidence is: the event that proves it for a task, a plan or a wait, its file's page where there is only a file, the
/// message for a send, the session otherwise.
fn evidence_link(item: &Attention) -> String {
    let task = item.agent.as_ref().zip(item.task_id.as_ref()).map(|(agent, task)| paths::task(agent, task));
    let about_task = matches!(
        item.kind,
        AttentionKind::TaskBlocked
            | AttentionKind::UnblockFailed
            | AttentionKind::Backoff
            | AttentionKind::Approval
            | AttentionKind::Zombie
    );
    let waits = matches!(item.kind, AttentionKind::Permission | AttentionKind::Question | AttentionKind::AgentFailed);
    if waits && item.event_id.is_some() {
        let (agents, open) = (item.agent.iter().cloned().collect(), item.event_id.clone());
        return paths::events(&EventsFilter { agents, open, ..EventsFilter::default() });
    }
    if about_task && item.event_id.is_some() {
        let (task, open) = (item.task_id.clone(), item.event_id.clone());
        return paths::events(&EventsFilter { task, open, ..EventsFilter::default() });
    }
    if let (true, Some(task)) = (about_task, &task) {
        return task.clone();
    }
    if item.kind == AttentionKind::FallbackDrift {
        return paths::drift(DriftView::default());
    }
    match (&item.session_id, &item.thread_id, &item.event_id) {
        (Some(session), Some(thread), Some(event)) => paths::thread_at(session, thread, event),
        (Some(session), Some(thread), None) => paths::thread(session, thread),
        (Some(session), None, _) => paths::session(session),
        (None, _, event) => task.unwrap_or_else(|| {
            paths::events(&EventsFilter {
                open: event.clone(),
                agents: item.agent.iter().cloned().collect(),
                ..EventsFilter::default()
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

    fn item(kind: AttentionKind) -> Attention {
        Attention {
            kind,
            inferred: false,
            since: 0,
            agent: Some(AgentId::from("eden")),
            other: None,
            unblockers: Vec::new(),
            title: String::new(),
            detail: String::new(),
            attempts: None,
            evidence: String::new(),
            session_id: None,
            thread_id: None,
            event_id: None,
            task_id: None,
            band: None,
        }
    }

    #[test]
    fn every_line_leads_to_its_evidence() {
        let mut blocked = item(AttentionKind::TaskBlocked);
        blocked.task_id = Some(TaskId::from("task_1"));
        blocked.session_id = Some(SessionId::from("ws_1"));
        assert_eq!(evidence_link(&blocked), "/tasks/eden/task_1", "its file is all the evidence");
        blocked.event_id = Some(EventId::from("f-7"));
        assert_eq!(evidence_link(&blocked), "/events?task=task_1&open=f-7");

        let mut no_reply = item(AttentionKind::NoReply);
        no_reply.session_id = Some(SessionId::from("ws_1"));
        assert_eq!(evidence_link(&no_reply), "/s/ws_1");
        no_reply.thread_id = Some(ThreadId::from("conv:1"));
        no_reply.event_id = Some(EventId::from("f-9"));
        assert_eq!(evidence_link(&no_reply), "/s/ws_1/t/conv:1?at=f-9");

        assert_eq!(evidence_link(&item(AttentionKind::FallbackDrift)), "/drift");
        assert_eq!(evidence_link(&item(AttentionKind::Unknown)), "/events?agent=eden");
    }
}
