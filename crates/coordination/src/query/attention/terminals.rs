//! Work list lines of coding agents that wait for a person at a terminal, or that stopped with an error
//! (`contract/event-schema-v1_1.md` §A.3, §C.5).

use super::super::agents::newest_act;
use super::super::card::link;
use super::line;
use crate::api::{Attention, AttentionKind};
use crate::hub::{DETAIL_CHARS, Hub};
use crate::ids::{AgentId, TaskId};
use crate::schema::{AgentNow, AgentStage};
use crate::session::ARCHIVE_AFTER_MS;
use crate::text;

/// Lines of the last day. One replaces the line of a task that waits for the same.
pub(super) fn terminals(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    for (id, agent) in hub.live_statuses() {
        if now.saturating_sub(agent.since) > ARCHIVE_AFTER_MS {
            continue;
        }
        let kind = match (agent.stage, agent.waiting_for.as_deref()) {
            // That is idle, and needs nobody.
            _ if agent.rests() => continue,
            (AgentStage::PendingInput, Some("permission")) => AttentionKind::Permission,
            (AgentStage::PendingInput, _) => AttentionKind::Question,
            (AgentStage::Failed, _) => AttentionKind::AgentFailed,
            _ => continue,
        };
        let waiting = terminal_line(hub, kind, id, agent);
        // A team's tasks have ids of their own: the task of the waiting agent is the one it waits for.
        let same = |line: &Attention| {
            line.task_id == waiting.task_id && (line.agent == waiting.agent || waiting.task_id.is_some())
        };
        lines.retain(|line| line.kind != AttentionKind::TaskBlocked || !same(line));
        lines.push(waiting);
    }
}

fn terminal_line(hub: &Hub, kind: AttentionKind, id: &AgentId, agent: &AgentNow) -> Attention {
    let proof = hub.event_of(&agent.event_id).or_else(|| newest_act(hub, id));
    let session = proof.and_then(|index| hub.session_at(hub.meta_of(index).session));
    // The type name of the log.
    let evidence = proof.map_or("agent_blocked", |index| hub.event(index).event_type());
    let task = agent.task_id.as_deref().map(TaskId::from);
    let at = task.as_ref().and_then(|task| super::places(hub, task).into_iter().find(|(owner, _)| owner == id)?.1);
    let of_task = task.as_ref().map(|id| super::super::task::title(hub, id, at)).filter(|title| !title.is_empty());
    let title = of_task.or_else(|| session.map(|session| link(hub, &session.id).title)).unwrap_or_default();
    Attention {
        agent: Some(id.clone()),
        title,
        detail: text::preview(agent.tool.as_deref().unwrap_or_default(), DETAIL_CHARS),
        session_id: session.map(|session| session.id.as_ref().clone()),
        event_id: proof.map(|index| hub.id(index)),
        task_id: task,
        requests: hub.inputs.permissions.requests(id, &agent.terminal_session_id),
        ..line(kind, agent.since, evidence.to_owned())
    }
}
