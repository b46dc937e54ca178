//! REST 1.x requests for the equality tests in `laws.rs`. Each is answered twice: by the hub from its indexes, and by
//! `from_scratch`, an independent implementation that computes the answer from all events.

use coordination::category::Category;
use coordination::compat::{self, ByteLimit, V1EventsQuery, V1SearchQuery, WorkSessionsQuery};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::role::Role;
use coordination::session::Status;
use serde_json::{Value, json};

use super::from_scratch::{self, HubCategories};

/// One request.
#[derive(Debug, Clone)]
pub(super) enum LawRequest {
    Events(V1EventsQuery),
    EventSearch(V1SearchQuery),
    Sessions(WorkSessionsQuery),
    Session(SessionId, WorkSessionsQuery),
    SessionSearch(String, ByteLimit),
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

impl LawRequest {
    /// The answer of the hub; `None` for an unknown session.
    pub(super) fn answer(&self, hub: &Hub, by_v1: bool, now: i64) -> Option<String> {
        let answer = match self {
            Self::Events(query) => compat::events(hub, by_v1, query),
            Self::EventSearch(query) => compat::search_events(hub, by_v1, query),
            Self::Sessions(query) => compat::work_sessions(hub, by_v1, now, query),
            Self::Session(id, query) => compat::work_session(hub, by_v1, now, id, query)?,
            Self::SessionSearch(q, bound) => compat::search_work_sessions(hub, by_v1, now, q, *bound),
        };
        Some(answer.into_text())
    }

    /// The same from all events.
    pub(super) fn recomputed(&self, hub: &Hub, by_v1: bool, now: i64) -> Option<String> {
        let categories = HubCategories::new(hub, by_v1);
        let categories = categories.as_ref().map(|categories| categories as &dyn from_scratch::ScratchCategories);
        let (log, roster, overrides) = (hub.events(), hub.roster(), hub.overrides());
        Some(pretty(&match self {
            Self::Events(query) => from_scratch::events(log, roster, categories, query),
            Self::EventSearch(query) => from_scratch::search_events(log, roster, categories, query),
            Self::Sessions(query) => from_scratch::work_sessions(log, roster, overrides, categories, now, query),
            Self::Session(id, query) => {
                let session = from_scratch::work_session(log, roster, overrides, categories, now, id, query)?;
                let role = query.role.first().map(|role| role.as_str());
                json!({ "session": session, "role": role, "type": query.types })
            }
            Self::SessionSearch(q, bound) => {
                from_scratch::search_work_sessions(log, roster, overrides, categories, now, q, *bound)
            }
        }))
    }
}

/// Requests with each filter, alone and with others. `at`: some time within the history, for `since`; `ids`: sessions
/// that are requested alone.
pub(super) fn requests(at: i64, kinds: &[String], ids: &[SessionId]) -> Vec<LawRequest> {
    let mut out = Vec::new();
    let text = |text: &str| Some(text.to_owned());
    let kinds: Vec<Vec<String>> = [Vec::new(), vec!["none.such".to_owned()]]
        .into_iter()
        .chain(kinds.iter().map(|kind| vec![kind.clone()]))
        .collect();
    let roles = [None, text(Role::ConversationMain.as_str()), text(Role::DelegationSubagent.as_str()), text("x")];
    for (number, types) in kinds.iter().enumerate() {
        for role in &roles {
            let category = Category::ALL[number % 10].as_str();
            for (since, view_category, limit) in
                [(None, None, 7), (Some(at), None, 1000), (None, text(category), 3), (Some(at), text("all"), 2)]
            {
                let (role, types) = (role.clone(), types.clone());
                out.push(LawRequest::Events(V1EventsQuery {
                    since,
                    role,
                    types,
                    view_category,
                    limit,
                    ..V1EventsQuery::default()
                }));
            }
        }
    }
    let all = V1EventsQuery { limit: 1000, ..V1EventsQuery::default() };
    out.push(LawRequest::Events(V1EventsQuery { bound: ByteLimit(2_000), ..all.clone() }));
    out.push(LawRequest::Events(all));
    let sessions = WorkSessionsQuery { limit: 4, ..WorkSessionsQuery::default() };
    for status in [vec![], vec![Status::Active, Status::Quiet], vec![Status::Archived]] {
        for role in [vec![], vec![Role::ConversationMain], vec![Role::OrchestrationTask, Role::SystemObservability]] {
            for types in kinds.iter().take(4) {
                let (status, role, types) = (status.clone(), role.clone(), types.clone());
                out.push(LawRequest::Sessions(WorkSessionsQuery { status, role, types, ..sessions.clone() }));
            }
        }
    }
    for category in [Category::EngineeringBuild, Category::InfraOps, Category::PlanningDecision] {
        let view_category = text(category.as_str());
        out.push(LawRequest::Sessions(WorkSessionsQuery { view_category, ..sessions.clone() }));
    }
    for tag in ["배포", "DOCKER", " "] {
        out.push(LawRequest::Sessions(WorkSessionsQuery { sub_tag: text(tag), ..sessions.clone() }));
    }
    out.push(LawRequest::Sessions(WorkSessionsQuery { bound: ByteLimit(3_000), ..sessions.clone() }));
    out.push(LawRequest::Sessions(WorkSessionsQuery { limit: 1000, ..sessions.clone() }));
    for id in ids {
        out.push(LawRequest::Session(id.clone(), sessions.clone()));
        let role = vec![Role::ConversationMain];
        out.push(LawRequest::Session(
            id.clone(),
            WorkSessionsQuery { role, bound: ByteLimit(900), ..sessions.clone() },
        ));
    }
    for q in ["배포", "SEUM", "a2a.complete", "ㅂㅍ", "\"", " "] {
        let search = V1SearchQuery { q: q.to_owned(), limit: 5, offset: 1, ..V1SearchQuery::default() };
        out.push(LawRequest::EventSearch(V1SearchQuery {
            role: text(Role::ConversationMain.as_str()),
            ..search.clone()
        }));
        out.push(LawRequest::EventSearch(search));
        out.push(LawRequest::SessionSearch(q.to_owned(), ByteLimit::default()));
        out.push(LawRequest::SessionSearch(q.to_owned(), ByteLimit(2_500)));
    }
    out
}
