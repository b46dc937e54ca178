//! Query of what led to a permission request: who delegated to whom down to the agent that asks, its newest message, and
//! who waits for it.

use super::attention::{wait_graph, written};
use super::card::link;
use super::open_sends::OpenSends;
use super::thread::message;
use crate::api::{Attention, PermissionStory, StoryMessage};
use crate::hub::{Hub, Session};
use crate::ids::{AgentId, EventId, SessionId};
use crate::text;

/// Longest way from the first agent to the one that asks.
const MAX_CHAIN: usize = 16;
/// Characters of a text; the thread has all of it.
const TEXT_CHARS: usize = 400;

/// What the hub knows of a request.
#[derive(Debug, Clone, Default)]
pub struct PermissionContext {
    /// The work session, if the agent's event is known.
    pub session_id: Option<SessionId>,
    /// That event in the hub.
    pub event_id: Option<EventId>,
    /// What led to it, without the words of the person, which only the hook knows.
    pub story: PermissionStory,
}

/// What led to the request of an agent, `key` being the id of its normalised event.
#[must_use]
pub fn permission_context(hub: &Hub, now: i64, agent: &AgentId, key: &str) -> PermissionContext {
    let event = hub.event_of(key).or_else(|| super::agents::newest_act(hub, agent));
    let session = event.and_then(|index| hub.session_at(hub.meta_of(index).session));
    let waits = OpenSends::new(hub, now);
    let lines = written(hub, now);
    let graph = wait_graph(hub, now, &waits, &lines);
    let mut story = PermissionStory {
        held_up: graph.held_up_by(agent),
        waiters: graph.waiters_of(agent).take(Attention::MAX_WAITERS).cloned().collect(),
        ..PermissionStory::default()
    };
    if let Some(session) = session {
        story.title = link(hub, &session.id).title;
        (story.chain, story.delegated) = chain(hub, session, agent);
        story.last_message = last_message(hub, session, agent);
    }
    PermissionContext {
        session_id: session.map(|session| session.id.as_ref().clone()),
        event_id: event.map(|index| hub.id(index)),
        story,
    }
}

/// Who delegated to whom, by the newest run of each; and the text of the last delegation.
fn chain(hub: &Hub, session: &Session, agent: &AgentId) -> (Vec<AgentId>, Option<String>) {
    let runs = &session.state.runs.list;
    let mut chain = vec![agent.clone()];
    let mut text = None;
    while let Some(at) = chain.last().filter(|_| chain.len() < MAX_CHAIN) {
        let Some(run) = runs.iter().rev().find(|run| run.to == *at && !run.orphan) else { break };
        if text.is_none() {
            text = run.events.first().and_then(|index| hub.event(*index).display_text()).map(shortened);
        }
        match &run.from {
            // An agent that starts others of its own name is no cycle of delegation.
            Some(from) if !chain.contains(from) => chain.push(from.clone()),
            _ => break,
        }
    }
    chain.reverse();
    (chain, text.filter(|text| !text.is_empty()))
}

/// The newest message of the session from or to the agent; of any agent where it has none.
fn last_message(hub: &Hub, session: &Session, agent: &AgentId) -> Option<StoryMessage> {
    let messages = || session.state.threads.iter().flat_map(|thread| &thread.messages).copied();
    let concerns = |index: &u32| {
        let event = hub.event(*index);
        event.speaker() == *agent || event.addressee() == *agent
    };
    let newest = |left: &u32, right: &u32| crate::hub::order(hub.events(), *left, *right);
    let index = messages().filter(concerns).max_by(newest).or_else(|| messages().max_by(newest))?;
    let message = message(hub, index);
    Some(StoryMessage { from: message.from, to: Some(message.to), text: shortened(message.text), at: message.at })
}

fn shortened(text: String) -> String {
    if text.chars().count() <= TEXT_CHARS { text } else { text::preview(&text, TEXT_CHARS) }
}
