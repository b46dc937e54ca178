//! Query of `GET shared`: views for everybody, the notes and resolved marks of a session, or all of them.

use crate::api::{NotePlace, SharedList, SharedQuery};
use crate::hub::Hub;
use crate::ids::{EventId, ThreadId};

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
