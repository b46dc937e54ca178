//! Query of `GET shared`: views for everybody, the notes and resolved marks of a session, or all of them; and rules of
//! alerts.

use crate::api::{AlertRuleSpec, NotePlace, SharedContent, SharedList, SharedQuery, SharedRecord};
use crate::hub::Hub;
use crate::ids::{EventId, SessionId, ThreadId};

/// Whether the log holds a place: the session, and its thread and message if they are named.
#[must_use]
pub fn has_place(hub: &Hub, place: &NotePlace) -> bool {
    let Some(session) = hub.session(&place.work_session_id) else { return false };
    let has_thread = |id: &ThreadId| session.state.threads.iter().any(|thread| thread.id == *id);
    let has_event = |id: &EventId| {
        let slot = hub.slot_of(&place.work_session_id);
        hub.find(id).is_some_and(|event| Some(hub.meta_of(event).session) == slot)
    };
    place.thread_id.as_ref().is_none_or(has_thread) && place.event_id.as_ref().is_none_or(has_event)
}

/// A rule of alerts that people wrote in the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRule {
    /// Id of its shared record.
    pub id: String,
    /// Revision of that record.
    pub revision: u32,
    /// What it says.
    pub spec: AlertRuleSpec,
}

/// Rules of alerts that people wrote in the page, oldest first.
#[must_use]
pub fn page_rules(hub: &Hub) -> Vec<PageRule> {
    let rule = |record: &SharedRecord| match &record.content {
        SharedContent::Rule(spec) => {
            Some(PageRule { id: record.id.clone(), revision: record.revision, spec: spec.clone() })
        }
        _ => None,
    };
    hub.inputs.shared.rules().filter_map(rule).collect()
}

/// Notes and resolved marks of a session, or all of them; oldest first.
#[must_use]
pub fn notes_of(hub: &Hub, session: Option<&SessionId>) -> Vec<SharedRecord> {
    let query = SharedQuery { session: session.cloned(), all: true };
    let mut records = shared_records(hub, &query).records;
    records.retain(|record| record.content.place().is_some());
    records
}

/// `GET shared`.
#[must_use]
pub fn shared_records(hub: &Hub, query: &SharedQuery) -> SharedList {
    let shared = &hub.inputs.shared;
    let records = match &query.session {
        Some(session) => shared.of_session(session).cloned().collect(),
        None if query.all => shared.all().map(|(record, _)| record.clone()).collect(),
        None => shared.views().cloned().collect(),
    };
    SharedList { records, cursor: hub.cursor() }
}
