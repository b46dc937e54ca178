//! Sentences of work list lines, as plain text: what waits, what it is about, what would settle it; and the text of a
//! notification.

use coordination::api::{ApprovalKind, Attention, AttentionKind};
use coordination::delivery::ReasonClass;
use coordination::ids::AgentId;
use coordination::text::hidden;

use super::hidden::readable;
use super::people::PeopleNames;
use crate::i18n::I18n;

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
pub(super) fn headline(item: &Attention, words: I18n, people: PeopleNames) -> String {
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
        AttentionKind::ToolApproval => tool_approval(item, words, &name(&item.agent)),
        AttentionKind::AgentRequest => (home.agent_request)(&name(&item.agent)),
        AttentionKind::Zombie => (home.zombie)(&name(&item.agent)),
        AttentionKind::Deadlock => {
            let cycle = item.cycle.iter().chain(item.cycle.first());
            (home.deadlock)(&cycle.map(|id| people.name(id)).collect::<Vec<_>>().join(" → "))
        }
        AttentionKind::LowConfidence | AttentionKind::FallbackDrift | AttentionKind::Unknown => title.into_owned(),
    }
}

/// Who asks to run or use what: the heading that a plugin wrote, else a sentence.
fn tool_approval(item: &Attention, words: I18n, agent: &str) -> String {
    let home = &words.get().home;
    let kind = item.approval.as_ref().map_or(ApprovalKind::Unknown, |approval| approval.kind);
    match item.title.as_str() {
        "" => (home.tool_approval)(kind, agent),
        title => hidden::marked(title).into_owned(),
    }
}

/// Who and what it is about, in short parts.
pub(super) fn context(item: &Attention, words: I18n, people: PeopleNames) -> String {
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
            let is_named = at_terminal
                || matches!(item.kind, AttentionKind::Deadlock | AttentionKind::AgentRequest)
                || (item.kind == AttentionKind::ToolApproval && item.title.is_empty());
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
                // The line shows the command whole below; a notification leaves it out.
                AttentionKind::ToolApproval => {}
                AttentionKind::AgentRequest => parts.push((home.stated)(&detail())),
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
pub(super) fn settle(item: &Attention, words: I18n, people: PeopleNames) -> String {
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
        AttentionKind::Permission | AttentionKind::ToolApproval if !item.requests.is_empty() => {
            home.settle_permission_here.to_owned()
        }
        AttentionKind::Permission => (home.settle_permission)(&name(&item.agent)),
        AttentionKind::Question => (home.settle_question)(&name(&item.agent)),
        AttentionKind::AgentFailed => (home.settle_failed)(&name(&item.agent)),
        AttentionKind::Blocked if item.reason == Some(ReasonClass::Policy) => home.settle_policy.to_owned(),
        AttentionKind::Blocked => (home.settle_refused)(&name(&item.other), &name(&item.agent)),
        AttentionKind::NoReply => (home.settle_reply)(&name(&item.other), &name(&item.agent)),
        AttentionKind::Backoff => (home.settle_backoff)(&item.detail).to_owned(),
        AttentionKind::Zombie => home.settle_zombie.to_owned(),
        AttentionKind::Deadlock => home.settle_deadlock.to_owned(),
        AttentionKind::ToolApproval => home.settle_tool_approval.to_owned(),
        AttentionKind::AgentRequest => (home.settle_agent_request)(&name(&item.agent)),
        AttentionKind::LowConfidence | AttentionKind::FallbackDrift | AttentionKind::Unknown => String::new(),
    }
}
