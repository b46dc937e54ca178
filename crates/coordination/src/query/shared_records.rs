//! Query of `GET shared`: views for everybody, the notes and resolved marks of a session, or all of them.

use crate::api::{SharedList, SharedQuery};
use crate::hub::Hub;

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
