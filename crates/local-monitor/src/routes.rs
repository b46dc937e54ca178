//! Routes of REST v2 that a local monitor answers: all that read the log and the tasks, and the category of a session.
//! Others are not found, as on a monitor that does not know them.

use coordination::api::{
    ActivityQuery, AgentsQuery, AtQuery, CategoriesPatch, CategoriesPatched, CategoryPatch, CategoryPatched,
    CategoryResult, ChangesQuery, DaysQuery, DelegationsQuery, ErrorBody, ErrorCode, EventsQuery, FindQuery, Me, Names,
    PeriodsQuery, RecapQuery, SearchQuery, SessionQuery, SessionsQuery, SharedQuery, TasksQuery, ThreadQuery,
    WaitsQuery,
};
use coordination::hub::Hub;
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use coordination::query::params::FromPairs;
use coordination::query::{self, QueryError};
use coordination::search::index::SearchIndex;
use serde::{Deserialize, Serialize};

use crate::monitor::LocalMonitor;
use crate::pairs::{pairs, segments};

/// Method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Reads.
    Get,
    /// Changes a part.
    Patch,
    /// Removes.
    Delete,
    /// Replaces.
    Put,
    /// Adds.
    Post,
}

/// A request as it would be sent to a monitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalRequest {
    /// Its method.
    pub method: Method,
    /// Path and query behind `/api/v2/`, e.g. `sessions?limit=50`.
    pub url: String,
    /// JSON body; empty for none.
    #[serde(default)]
    pub body: String,
}

impl LocalRequest {
    /// A request to read.
    #[must_use]
    pub fn get(url: &str) -> Self {
        Self { method: Method::Get, url: url.to_owned(), body: String::new() }
    }
}

/// An answer as a monitor would send it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalAnswer {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub body: String,
}

type Answer = Result<String, LocalAnswer>;

impl LocalMonitor {
    /// Answers a request as of `now`, epoch milliseconds.
    #[must_use]
    pub fn answer(&mut self, request: &LocalRequest, now: i64) -> LocalAnswer {
        let (path, query) = request.url.split_once('?').unwrap_or((&request.url, ""));
        let segments = segments(path);
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let answer = match request.method {
            Method::Get => self.read(&segments, pairs(query), now),
            method => self.write(method, &segments, &request.body, now),
        };
        answer.map_or_else(|refused| refused, |body| LocalAnswer { status: 200, body })
    }

    fn read(&mut self, path: &[&str], mut pairs: Vec<(String, String)>, now: i64) -> Answer {
        match path {
            ["health"] => return json(&self.health(now)),
            ["names"] => return json(&Names::default()),
            ["me"] => return json(&me()),
            ["doctor"] => return json(&self.doctor()),
            ["days"] => return json(&query::days(self.hub(), now, &DaysQuery::from_pairs(&pairs)?)),
            ["category-changes"] => return json(&self.category_changes(&ChangesQuery::from_pairs(&pairs)?, now)?),
            ["sessions", id, "category", "history"] => return found(self.category_history(SessionId::from(*id), now)),
            ["events", id] => {
                let event = query::event(self.hub(), &EventId::from(*id), |token| self.file_of(token));
                return found(event);
            }
            _ => {}
        }
        let at: Vec<_> = pairs.iter().filter(|(name, _)| AtQuery::NAMES.contains(&name.as_str())).cloned().collect();
        pairs.retain(|(name, _)| !AtQuery::NAMES.contains(&name.as_str()));
        match AtQuery::from_pairs(&at)?.moment() {
            None => question(self.hub(), self.index(), path, &pairs, now),
            Some(moment) if moment.at > now => {
                let error = format!("at: {} is in the future; leave it out for the present", moment.at);
                Err(refusal(
                    400,
                    &ErrorBody { field: Some("at".to_owned()), ..ErrorBody::new(ErrorCode::InvalidValue, error) },
                ))
            }
            // The past has no index: queries then read all events.
            Some(moment) => question(self.hub_at(moment), &SearchIndex::new(), path, &pairs, moment.at),
        }
    }

    /// Changes that last as long as the files are open.
    fn write(&mut self, method: Method, path: &[&str], body: &str, now: i64) -> Answer {
        let invalid =
            |error: serde_json::Error| refusal(400, &ErrorBody::new(ErrorCode::InvalidBody, error.to_string()));
        let id = match path {
            ["sessions", id, "category"] => SessionId::from(*id),
            ["categories"] if method == Method::Patch => {
                let patch: CategoriesPatch = serde_json::from_str(body).map_err(invalid)?;
                return json(&self.set_categories(patch, now));
            }
            _ => return Err(no_route()),
        };
        if query::session(self.hub(), now, &id).is_none() {
            return Err(not_found());
        }
        let (to, by, reason) = match method {
            Method::Patch => {
                let patch: CategoryPatch = serde_json::from_str(body).map_err(invalid)?;
                (Some(patch.collab_category), patch.updated_by, patch.reason)
            }
            Method::Delete => (None, None, None),
            _ => return Err(refusal(405, &ErrorBody::new(ErrorCode::MethodNotAllowed, "Method not allowed"))),
        };
        let manual = self.set_category(&id, to, (by, reason), now);
        let session = query::session(self.hub(), now, &id).map(|detail| detail.session);
        json(&CategoryPatched { ok: true, work_session_id: id, manual, session })
    }
}

/// A person who has the files may file their sessions, and can reach no agent.
fn me() -> Me {
    Me { user: None, may_categorize: true, may_speak: false, may_answer: false, read_only: false }
}

impl LocalMonitor {
    /// Sets the categories of many sessions, or returns them to their automatic ones.
    fn set_categories(&mut self, patch: CategoriesPatch, now: i64) -> CategoriesPatched {
        let mut results = Vec::new();
        for item in patch.items {
            let id = item.work_session_id;
            let is_known = query::session(self.hub(), now, &id).is_some();
            let author = (patch.updated_by.clone(), patch.reason.clone());
            let manual = is_known.then(|| self.set_category(&id, item.collab_category, author, now)).flatten();
            let session = query::session(self.hub(), now, &id).map(|detail| detail.session);
            let refused = (!is_known).then_some(ErrorCode::NotFound);
            results.push(CategoryResult { work_session_id: id, refused, manual, session });
        }
        CategoriesPatched { results }
    }
}

/// Answers a question that can be asked as of any moment.
fn question(hub: &Hub, index: &SearchIndex, path: &[&str], pairs: &[(String, String)], now: i64) -> Answer {
    let session = |id: &str| SessionId::from(id);
    let agent = |id: &str| AgentId::from(id);
    match path {
        ["home"] => json(&query::home(hub, now)),
        ["sessions"] => json(&query::sessions_with_index(hub, index, now, &read::<SessionsQuery>(pairs)?)?),
        ["search"] => json(&query::search(hub, index, now, &read::<SearchQuery>(pairs)?)?),
        ["sessions", id] => found(match read::<SessionQuery>(pairs)?.classifier {
            Some(classifier) => query::session_by(hub, now, &session(id), classifier),
            None => query::session(hub, now, &session(id)),
        }),
        ["sessions", id, "threads", thread] => {
            found(query::thread_page(hub, now, &session(id), &ThreadId::from(*thread), &read::<ThreadQuery>(pairs)?)?)
        }
        ["sessions", id, "threads", thread, "find"] => {
            let text = read::<FindQuery>(pairs)?.q;
            found(query::thread_found(hub, &session(id), &ThreadId::from(*thread), &text)?)
        }
        ["sessions", id, "find"] => found(query::session_found(hub, &session(id), &read::<FindQuery>(pairs)?.q)?),
        ["sessions", id, "timeline"] => found(query::timeline(hub, now, &session(id), &read::<ThreadQuery>(pairs)?)?),
        ["sessions", id, "delegations"] => {
            found(query::delegations(hub, now, &session(id), &read::<DelegationsQuery>(pairs)?)?)
        }
        ["sessions", id, "flow"] => found(query::flow(hub, now, &session(id))),
        ["delegations"] => json(&query::all_delegations(hub, now, &read::<DelegationsQuery>(pairs)?)?),
        ["agents"] => json(&query::agents(hub, now, &read::<AgentsQuery>(pairs)?)),
        ["agents", id] => found(query::agent_detail(hub, now, &agent(id), &read::<AgentsQuery>(pairs)?)),
        ["agents", id, "activity"] => found(query::activity(hub, now, &agent(id), &read::<ActivityQuery>(pairs)?)),
        ["waits"] => json(&query::waits(hub, now, &read::<WaitsQuery>(pairs)?)),
        ["quality"] => json(&query::quality(hub, now, &read::<PeriodsQuery>(pairs)?)),
        ["drift"] => json(&query::drift(hub, now, &read::<PeriodsQuery>(pairs)?)),
        ["events"] => json(&query::events_with_index(hub, index, now, &read::<EventsQuery>(pairs)?)?),
        ["shared"] => json(&query::shared_records(hub, &read::<SharedQuery>(pairs)?)),
        ["tasks"] => json(&query::tasks(hub, now, &read::<TasksQuery>(pairs)?)?),
        ["tasks", owner, id] => found(query::task(hub, now, &agent(owner), &TaskId::from(*id))),
        ["recap"] => json(&query::recap(hub, now, &read::<RecapQuery>(pairs)?)),
        ["totals"] => json(&query::moment_totals(hub, now)),
        _ => Err(no_route()),
    }
}

fn read<T: FromPairs>(pairs: &[(String, String)]) -> Result<T, QueryError> {
    T::from_pairs(pairs)
}

fn json<T: Serialize>(value: &T) -> Answer {
    let internal = |error: serde_json::Error| refusal(500, &ErrorBody::new(ErrorCode::Internal, error.to_string()));
    serde_json::to_string(value).map_err(internal)
}

fn found<T: Serialize>(value: Option<T>) -> Answer {
    value.map_or_else(|| Err(not_found()), |value| json(&value))
}

pub(crate) fn not_found() -> LocalAnswer {
    refusal(404, &ErrorBody::new(ErrorCode::NotFound, "Not found"))
}

fn no_route() -> LocalAnswer {
    refusal(404, &ErrorBody::new(ErrorCode::NotFound, "There is no such route"))
}

pub(crate) fn refusal(status: u16, body: &ErrorBody) -> LocalAnswer {
    LocalAnswer { status, body: serde_json::to_string(body).unwrap_or_default() }
}

impl From<QueryError> for LocalAnswer {
    fn from(error: QueryError) -> Self {
        refusal(400, &ErrorBody::from(error))
    }
}
