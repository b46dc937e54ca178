//! Check of the work session and the delegation depth that a conversation (`conversationId`) takes over from its parent
//! conversation (`contract/events.md` §3).
//!
//! It reports an event that changes the work session without naming the previous one, and a depth that is neither equal to
//! the parent's depth nor one more. It remembers the newest [`MAX_CONVERSATIONS`] conversations.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::event::{Event, Field};
use protocol::api::FindingKind;

/// Conversations that are remembered; about 0.6 MB.
const MAX_CONVERSATIONS: usize = 4096;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Lineage {
    known: HashMap<String, ConversationOrigin, foldhash::fast::RandomState>,
    order: VecDeque<String>,
}

/// Work session and depth of a conversation's first event.
#[derive(Debug, Serialize, Deserialize)]
struct ConversationOrigin {
    work_session: Option<String>,
    depth: Option<u32>,
}

impl Lineage {
    /// Records an event. Returns what it failed to inherit.
    pub(super) fn seen(&mut self, event: &Event) -> Option<(FindingKind, String)> {
        let own = event.conversation_id()?;
        let work_session = event.text(Field::WorkSessionId);
        let depth = event.count(Field::Depth);
        let parent = event.parent_conversation_id().filter(|parent| *parent != own).and_then(|id| self.known.get(id));
        let before = parent.or_else(|| self.known.get(own));
        let session_before = before.and_then(|known| known.work_session.as_deref());
        let found = match (session_before, work_session, parent.and_then(|parent| parent.depth), depth) {
            // A session that was archived continues under a new id, and its events say so.
            (Some(before), Some(now), ..)
                if before != now && event.text(Field::PreviousWorkSessionId) != Some(before) =>
            {
                Some((FindingKind::WorkSessionChanged, format!("{before} → {now}")))
            }
            (.., Some(before), Some(now)) if now != before && now != before + 1 => {
                Some((FindingKind::DepthSkipped, format!("{before} → {now}")))
            }
            _ => None,
        };
        if !self.known.contains_key(own) {
            let origin = ConversationOrigin { work_session: work_session.map(str::to_owned), depth };
            self.known.insert(own.to_owned(), origin);
            self.order.push_back(own.to_owned());
            if self.order.len() > MAX_CONVERSATIONS
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
        found
    }
}
