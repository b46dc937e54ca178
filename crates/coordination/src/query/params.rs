//! Query parameters: parsed strictly for the server (400 with field and allowed values), printed for the client. Lists
//! may be repeated and comma-separated ([`crate::commas`]); a blank value counts as absent.

mod classifier;
mod reader;
mod schema;
mod search;
mod store;

use reader::Reader;

pub use classifier::{classifier_query, replay_query};
pub use schema::schema_events_query;
pub use search::search_query;
pub use store::{archive_query, store_history_query, store_preview_query, store_query};

use super::QueryError;
use crate::api::{
    ActivityQuery, AgentPair, AgentsQuery, ChangesQuery, DelegationsQuery, DeliveryFilter, EventsQuery, Origin,
    PeriodsQuery, Seen, SessionsQuery, SessionsSort, TasksQuery, ThreadQuery,
};
use crate::category::Category;
use crate::commas;
use crate::delivery::DeliveryState;
use crate::ids::{AgentId, SessionId, TaskId};
use crate::role::Role;
use crate::session::Status;
use crate::workspace::TaskStatus;

type Pairs = [(String, String)];

/// Reads `GET sessions`.
///
/// # Errors
/// Names the parameter that is unknown or holds an unacceptable value.
pub fn sessions_query(pairs: &Pairs) -> Result<SessionsQuery, QueryError> {
    const NAMES: [&str; 14] = [
        "category",
        "includeSecondary",
        "status",
        "agent",
        "with",
        "sessionKey",
        "delivery",
        "tag",
        "q",
        "since",
        "until",
        "sort",
        "limit",
        "after",
    ];
    let read = Reader::new(pairs, &NAMES)?;
    Ok(SessionsQuery {
        category: read.one_of("category", &Category::ALL.map(Category::as_str))?,
        include_secondary: read.one_of("includeSecondary", &["true", "false"])?.unwrap_or(false),
        status: read.any_of("status", &Status::ALL.map(Status::as_str))?,
        agent: read.agent("agent")?,
        with: read.agents("with")?,
        session_key: read.text("sessionKey")?,
        delivery: read.any_of("delivery", &DeliveryFilter::ALL.map(DeliveryFilter::as_str))?,
        tag: read.text("tag")?,
        q: read.text("q")?,
        since: read.time("since")?,
        until: read.time("until")?,
        sort: match read.text("sort")?.as_deref() {
            None | Some("latest") => SessionsSort::Latest,
            Some("category") => SessionsSort::Category,
            Some(_) => return Err(not_one_of("sort", &["latest", "category"])),
        },
        limit: read.limit("limit", 200)?,
        after: read.text("after")?,
    })
}

/// Reads `GET sessions/{id}/threads/{threadId}` and `GET sessions/{id}/timeline`.
///
/// # Errors
/// As [`sessions_query`].
pub fn thread_query(pairs: &Pairs) -> Result<ThreadQuery, QueryError> {
    let read = Reader::new(pairs, &["before", "after", "around", "limit"])?;
    let query = ThreadQuery {
        before: read.text("before")?,
        after: read.text("after")?,
        around: read.text("around")?,
        limit: read.limit("limit", 500)?,
    };
    let given = [&query.before, &query.after, &query.around].into_iter().flatten().count();
    if given > 1 {
        return Err(invalid("around", "only one of before, after and around can be given"));
    }
    Ok(query)
}

/// Reads the text of `GET sessions/{id}/threads/{threadId}/find`.
///
/// # Errors
/// As [`sessions_query`].
pub fn find_query(pairs: &Pairs) -> Result<String, QueryError> {
    Reader::new(pairs, &["q"])?.text("q").map(Option::unwrap_or_default)
}

/// Reads `GET events`.
///
/// # Errors
/// As [`sessions_query`].
pub fn events_query(pairs: &Pairs) -> Result<EventsQuery, QueryError> {
    const NAMES: [&str; 15] = [
        "role", "type", "agent", "from", "to", "pair", "delivery", "origin", "session", "task", "since", "until", "q",
        "limit", "before",
    ];
    let read = Reader::new(pairs, &NAMES)?;
    Ok(EventsQuery {
        role: read.any_of("role", &Role::ALL.map(Role::as_str))?,
        types: read.list("type")?,
        agents: read.agents("agent")?,
        from: read.agent("from")?,
        to: read.agent("to")?,
        pairs: read.pairs("pair")?,
        delivery: read.any_of("delivery", &DeliveryState::ALL.map(DeliveryState::as_str))?,
        origin: read.one_of("origin", &Origin::ALL.map(Origin::as_str))?,
        session: read.text("session")?.map(SessionId),
        task: read.text("task")?.map(TaskId),
        since: read.time("since")?,
        until: read.time("until")?,
        q: read.text("q")?,
        limit: read.limit("limit", 500)?,
        before: read.text("before")?,
    })
}

/// Reads `GET tasks`.
///
/// # Errors
/// As [`sessions_query`].
pub fn tasks_query(pairs: &Pairs) -> Result<TasksQuery, QueryError> {
    let read = Reader::new(pairs, &["agent", "status", "session", "q", "limit", "after"])?;
    Ok(TasksQuery {
        agent: read.text("agent")?.map(|id| AgentId(id.to_lowercase())),
        status: read.any_of("status", &TaskStatus::ALL.map(TaskStatus::as_str))?,
        session: read.text("session")?.map(SessionId),
        q: read.text("q")?,
        limit: read.limit("limit", 500)?,
        after: read.text("after")?,
    })
}

/// Reads `GET category-changes`.
///
/// # Errors
/// As [`sessions_query`].
pub fn changes_query(pairs: &Pairs) -> Result<ChangesQuery, QueryError> {
    let read = Reader::new(pairs, &["who", "session", "from", "to", "since", "until", "limit", "cursor"])?;
    let side = |name| -> Result<Option<Seen>, QueryError> {
        let allowed: Vec<String> =
            [None].into_iter().chain(Category::ALL.map(Some)).map(|it| Seen(it).into()).collect();
        let Some(text) = read.text(name)? else { return Ok(None) };
        let refuse = |_| not_one_of(name, &allowed.iter().map(String::as_str).collect::<Vec<_>>());
        Seen::try_from(text).map(Some).map_err(refuse)
    };
    Ok(ChangesQuery {
        who: read.text("who")?,
        session: read.text("session")?,
        from: side("from")?,
        to: side("to")?,
        since: read.time("since")?,
        until: read.time("until")?,
        limit: read.limit("limit", 500)?,
        cursor: read.text("cursor")?,
    })
}

/// Reads `GET agents`.
///
/// # Errors
/// As [`sessions_query`].
pub fn agents_query(pairs: &Pairs) -> Result<AgentsQuery, QueryError> {
    Ok(AgentsQuery { since: Reader::new(pairs, &["since"])?.time("since")? })
}

/// Reads `GET agents/{id}/activity`.
///
/// # Errors
/// As [`sessions_query`].
pub fn activity_query(pairs: &Pairs) -> Result<ActivityQuery, QueryError> {
    let read = Reader::new(pairs, &["since", "until"])?;
    Ok(ActivityQuery { since: read.time("since")?, until: read.time("until")? })
}

/// Reads `GET quality` and `GET drift`.
///
/// # Errors
/// As [`sessions_query`].
pub fn periods_query(pairs: &Pairs) -> Result<PeriodsQuery, QueryError> {
    let read = Reader::new(pairs, &["since", "offset"])?;
    Ok(PeriodsQuery { since: read.time("since")?, offset_min: read.offset("offset")? })
}

/// Reads `GET delegations` and `GET sessions/{id}/delegations`.
///
/// # Errors
/// As [`sessions_query`].
pub fn delegations_query(pairs: &Pairs) -> Result<DelegationsQuery, QueryError> {
    let read = Reader::new(pairs, &["since", "until", "agent", "from", "to", "pair", "limit"])?;
    Ok(DelegationsQuery {
        since: read.time("since")?,
        until: read.time("until")?,
        agents: read.agents("agent")?,
        from: read.agent("from")?,
        to: read.agent("to")?,
        pairs: read.pairs("pair")?,
        limit: read.limit("limit", 10_000)?,
    })
}

/// Writes a query as parameters: the given values, in one fixed order. The reading functions are the inverse.
pub trait ToPairs {
    /// The parameters.
    fn to_pairs(&self) -> Vec<(String, String)>;
}

impl ToPairs for SessionsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put("category", self.category.map(Category::as_str));
        out.put("includeSecondary", self.include_secondary.then_some("true"));
        out.put_all("status", self.status.iter().map(|status| status.as_str()));
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
        out.put_all("with", self.with.iter().map(AgentId::as_str));
        out.put("sessionKey", self.session_key.as_deref());
        out.put_all("delivery", self.delivery.iter().map(|owed| owed.as_str()));
        out.put("tag", self.tag.as_deref());
        out.put("q", self.q.as_deref());
        out.put_number("since", self.since);
        out.put_number("until", self.until);
        out.put("sort", (self.sort == SessionsSort::Category).then_some("category"));
        out.put_number("limit", self.limit.map(i64::from));
        out.put("after", self.after.as_deref());
        out.0
    }
}

impl ToPairs for ThreadQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put("before", self.before.as_deref());
        out.put("after", self.after.as_deref());
        out.put("around", self.around.as_deref());
        out.put_number("limit", self.limit.map(i64::from));
        out.0
    }
}

impl ToPairs for EventsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put_all("role", self.role.iter().map(|role| role.as_str()));
        out.put_all("type", self.types.iter().map(String::as_str));
        out.put_all("agent", self.agents.iter().map(AgentId::as_str));
        out.put("from", self.from.as_ref().map(AgentId::as_str));
        out.put("to", self.to.as_ref().map(AgentId::as_str));
        out.put_pairs("pair", &self.pairs);
        out.put_all("delivery", self.delivery.iter().map(|state| state.as_str()));
        out.put("origin", self.origin.map(Origin::as_str));
        out.put("session", self.session.as_ref().map(SessionId::as_str));
        out.put("task", self.task.as_ref().map(TaskId::as_str));
        out.put_number("since", self.since);
        out.put_number("until", self.until);
        out.put("q", self.q.as_deref());
        out.put_number("limit", self.limit.map(i64::from));
        out.put("before", self.before.as_deref());
        out.0
    }
}

impl ToPairs for TasksQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
        out.put_all("status", self.status.iter().map(|status| status.as_str()));
        out.put("session", self.session.as_ref().map(SessionId::as_str));
        out.put("q", self.q.as_deref());
        out.put_number("limit", self.limit.map(i64::from));
        out.put("after", self.after.as_deref());
        out.0
    }
}

impl ToPairs for ChangesQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put("who", self.who.as_deref());
        out.put("session", self.session.as_deref());
        out.put("from", self.from.map(String::from).as_deref());
        out.put("to", self.to.map(String::from).as_deref());
        out.put_number("since", self.since);
        out.put_number("until", self.until);
        out.put_number("limit", self.limit.map(i64::from));
        out.put("cursor", self.cursor.as_deref());
        out.0
    }
}

impl ToPairs for AgentsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put_number("since", self.since);
        out.0
    }
}

impl ToPairs for ActivityQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put_number("since", self.since);
        out.put_number("until", self.until);
        out.0
    }
}

impl ToPairs for PeriodsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put_number("since", self.since);
        out.put_number("offset", Some(i64::from(self.offset_min)).filter(|minutes| *minutes != 0));
        out.0
    }
}

impl ToPairs for DelegationsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put_number("since", self.since);
        out.put_number("until", self.until);
        out.put_all("agent", self.agents.iter().map(AgentId::as_str));
        out.put("from", self.from.as_ref().map(AgentId::as_str));
        out.put("to", self.to.as_ref().map(AgentId::as_str));
        out.put_pairs("pair", &self.pairs);
        out.put_number("limit", self.limit.map(i64::from));
        out.0
    }
}

#[derive(Default)]
struct Writer(Vec<(String, String)>);

impl Writer {
    fn put(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }

    fn put_all<'a>(&mut self, name: &str, values: impl Iterator<Item = &'a str>) {
        for value in values {
            self.put(name, Some(&commas::item(value)));
        }
    }

    fn put_pairs(&mut self, name: &str, pairs: &[AgentPair]) {
        for pair in pairs {
            self.put(name, Some(&pair.to_string()));
        }
    }

    fn put_number(&mut self, name: &str, value: Option<i64>) {
        self.put(name, value.map(|number| number.to_string()).as_deref());
    }
}

pub(super) fn invalid(field: &str, why: &str) -> QueryError {
    let message = format!("{field}: {why}");
    QueryError { field: field.to_owned(), allowed: Vec::new(), message, range: None, fault: None }
}

fn not_one_of(field: &str, allowed: &[&str]) -> QueryError {
    QueryError {
        allowed: allowed.iter().map(|&text| text.to_owned()).collect(),
        ..invalid(field, &format!("not one of {}", allowed.join(", ")))
    }
}
