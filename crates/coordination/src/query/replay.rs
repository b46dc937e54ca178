//! Query of `GET classifier/replay`: the texts of sessions, as the classifier reads them. The browser classifies them
//! again with edited rules, to show before saving which sessions would change category.

use super::QueryError;
use super::card::link;
use super::page;
use crate::api::{ReplayPage, ReplaySession, ReplayText};
use crate::classify::v2::{TextZone, read_part};
use crate::hub::{Hub, Session, count};
use crate::ids::AgentId;
use crate::role::Role;

/// A page ends with the session that brings it to this many bytes of text.
const PAGE_BYTES: usize = 1024 * 1024;

/// `GET classifier/replay`: sessions that began last first, those before `after`.
///
/// # Errors
/// When the limit is out of bounds.
pub fn replay(hub: &Hub, after: Option<u32>, limit: Option<u32>) -> Result<ReplayPage, QueryError> {
    let limit = page::limit(limit, 200, 1000)?;
    let mut page = ReplayPage { total: count(hub.session_count()), cursor: hub.cursor(), ..ReplayPage::default() };
    let mut bytes = 0;
    for slot in (0..hub.slots().min(after.unwrap_or(u32::MAX))).rev() {
        let Some(session) = hub.session_at(slot) else { continue };
        if page.sessions.len() == limit || bytes >= PAGE_BYTES {
            page.next = Some(slot + 1);
            break;
        }
        let session = replay_session(hub, session);
        bytes += session.main.iter().chain(&session.other).map(|text| text.text.len()).sum::<usize>();
        page.sessions.push(session);
    }
    Ok(page)
}

fn replay_session(hub: &Hub, session: &Session) -> ReplaySession {
    let votes = &session.state.votes;
    let (mut main, mut other) = (RoleTexts::default(), RoleTexts::default());
    for index in &session.events {
        let event = hub.event(*index);
        // A category stated in an event was not derived from the texts.
        if crate::event::category::stated(event).is_some() {
            continue;
        }
        let texts = if hub.meta_of(*index).role == Role::ConversationMain { &mut main } else { &mut other };
        if let Some(label) = event.label().filter(|label| !texts.labels.contains(label)) {
            texts.labels.push(label);
            texts.push(TextZone::Label, None, label);
        }
        if let Some(text) = event.subject_text() {
            texts.push(TextZone::of_type(event.event_type()), Some(event.speaker()), text);
        }
    }
    // Without known words, the titles of its tasks decide.
    if votes.is_silent() {
        hub.inputs
            .tasks
            .titles(hub.workspace(), session)
            .iter()
            .for_each(|title| other.push(TextZone::Label, None, title));
    }
    ReplaySession {
        session: link(hub, &session.id),
        automatic: votes.verdict().info.key,
        manual: hub.overrides().get(&session.id).map(|manual| manual.collab_category),
        stated: votes.is_stated(),
        fallback: votes.fallback(),
        main: main.texts,
        other: other.texts,
    }
}

#[derive(Default)]
struct RoleTexts<'a> {
    labels: Vec<&'a str>,
    texts: Vec<ReplayText>,
}

impl RoleTexts<'_> {
    fn push(&mut self, place: TextZone, speaker: Option<AgentId>, text: &str) {
        self.texts.push(ReplayText { place, speaker, text: read_part(text).to_owned() });
    }
}
