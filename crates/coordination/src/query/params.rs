//! Parser and writer of query parameters. The server parses strictly: the answer 400 names the field and, if it has a
//! fixed set of values, that set. A list is written as repeated parameters, as comma-separated values
//! ([`crate::commas`]), or both; pairs of agents only as repeated parameters. A blank value counts as absent.

mod classifier;
mod evidence;
mod fleet;
mod past;
mod reader;
mod schema;
mod search;
mod store;
mod writer;

use reader::QueryReader;
use writer::QueryWriter;

use super::QueryError;
use crate::api::{
    ActivityQuery, AgentsQuery, ChangesQuery, DelegationsQuery, DeliveryFilter, EventsQuery, ExpectedOverride,
    FindQuery, Origin, PeriodsQuery, SessionsQuery, SessionsSort, SharedQuery, TasksQuery, ThreadQuery, WaitsQuery,
};
use crate::category::Category;
use crate::delivery::DeliveryState;
use crate::ids::{AgentId, SessionId, TaskId};
use crate::role::Role;
use crate::session::Status;
use crate::workspace::TaskStatus;

type QueryPairs = [(String, String)];

/// Reads a query from its parameters.
pub trait FromPairs: Sized {
    /// Reads the parameters.
    ///
    /// # Errors
    /// Names the parameter that is unknown, given twice, or holds an unacceptable value.
    fn from_pairs(pairs: &[(String, String)]) -> Result<Self, QueryError>;
}

impl FromPairs for SessionsQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        const NAMES: [&str; 15] = [
            "category",
            "includeSecondary",
            "status",
            "agent",
            "with",
            "sessionKey",
            "delivery",
            "resolved",
            "tag",
            "q",
            "since",
            "until",
            "sort",
            "limit",
            "after",
        ];
        let read = QueryReader::new(pairs, &NAMES)?;
        Ok(Self {
            category: read.one_of("category", &Category::ALL.map(Category::as_str))?,
            include_secondary: read.one_of("includeSecondary", &["true", "false"])?.unwrap_or(false),
            status: read.any_of("status", &Status::ALL.map(Status::as_str))?,
            agent: read.agent("agent")?,
            with: read.agents("with")?,
            session_key: read.text("sessionKey")?,
            delivery: read.any_of("delivery", &DeliveryFilter::ALL.map(DeliveryFilter::as_str))?,
            resolved: read.one_of("resolved", &["true", "false"])?,
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
}

impl FromPairs for ThreadQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["before", "after", "around", "limit"])?;
        let query = Self {
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
}

impl FromPairs for FindQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        Ok(Self { q: QueryReader::new(pairs, &["q"])?.text("q")?.unwrap_or_default() })
    }
}

impl FromPairs for EventsQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        const NAMES: [&str; 15] = [
            "role", "type", "agent", "from", "to", "pair", "delivery", "origin", "session", "task", "since", "until",
            "q", "limit", "before",
        ];
        let read = QueryReader::new(pairs, &NAMES)?;
        Ok(Self {
            role: read.any_of("role", &Role::ALL.map(Role::as_str))?,
            types: read.list("type")?,
            agents: read.agents("agent")?,
            from: read.agent("from")?,
            to: read.agent("to")?,
            pairs: read.pairs("pair")?,
            delivery: read.any_of("delivery", &DeliveryState::ALL.map(DeliveryState::as_str))?,
            origin: read.one_of("origin", &Origin::ALL.map(Origin::as_str))?,
            session: read.text("session")?.map(SessionId::from),
            task: read.text("task")?.map(TaskId::from),
            since: read.time("since")?,
            until: read.time("until")?,
            q: read.text("q")?,
            limit: read.limit("limit", 500)?,
            before: read.text("before")?,
        })
    }
}

impl FromPairs for TasksQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["agent", "status", "session", "q", "limit", "after"])?;
        Ok(Self {
            agent: read.text("agent")?.map(|id| AgentId::from(id.to_lowercase())),
            status: read.any_of("status", &TaskStatus::ALL.map(TaskStatus::as_str))?,
            session: read.text("session")?.map(SessionId::from),
            q: read.text("q")?,
            limit: read.limit("limit", 500)?,
            after: read.text("after")?,
        })
    }
}

impl FromPairs for ChangesQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["who", "session", "from", "to", "since", "until", "limit", "cursor"])?;
        let side = |name| -> Result<Option<ExpectedOverride>, QueryError> {
            let allowed: Vec<String> =
                [None].into_iter().chain(Category::ALL.map(Some)).map(|it| ExpectedOverride(it).into()).collect();
            let Some(text) = read.text(name)? else { return Ok(None) };
            let refuse = |_| not_one_of(name, &allowed.iter().map(String::as_str).collect::<Vec<_>>());
            ExpectedOverride::try_from(text).map(Some).map_err(refuse)
        };
        Ok(Self {
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
}

impl FromPairs for SharedQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["session", "all"])?;
        let all = read.one_of("all", &["true", "false"])?.unwrap_or(false);
        Ok(Self { session: read.text("session")?.map(SessionId::from), all })
    }
}

impl FromPairs for AgentsQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        Ok(Self { since: QueryReader::new(pairs, &["since"])?.time("since")? })
    }
}

impl FromPairs for ActivityQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["since", "until"])?;
        Ok(Self { since: read.time("since")?, until: read.time("until")? })
    }
}

impl FromPairs for PeriodsQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["since", "offset"])?;
        Ok(Self { since: read.time("since")?, offset_min: read.offset("offset")? })
    }
}

impl FromPairs for WaitsQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["agent"])?;
        Ok(Self { agent: read.agent("agent")? })
    }
}

impl FromPairs for DelegationsQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["since", "until", "agent", "from", "to", "pair", "limit"])?;
        Ok(Self {
            since: read.time("since")?,
            until: read.time("until")?,
            agents: read.agents("agent")?,
            from: read.agent("from")?,
            to: read.agent("to")?,
            pairs: read.pairs("pair")?,
            limit: read.limit("limit", 10_000)?,
        })
    }
}

/// Writes a query as parameters: what is given, in one fixed order. [`FromPairs`] gives it back.
pub trait ToPairs {
    /// The parameters.
    fn to_pairs(&self) -> Vec<(String, String)>;
}

impl ToPairs for SessionsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put("category", self.category.map(Category::as_str));
        out.put("includeSecondary", self.include_secondary.then_some("true"));
        out.put_all("status", self.status.iter().map(|status| status.as_str()));
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
        out.put_all("with", self.with.iter().map(AgentId::as_str));
        out.put("sessionKey", self.session_key.as_deref());
        out.put_all("delivery", self.delivery.iter().map(|filter| filter.as_str()));
        out.put("resolved", self.resolved.map(|resolved| if resolved { "true" } else { "false" }));
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
        let mut out = QueryWriter::default();
        out.put("before", self.before.as_deref());
        out.put("after", self.after.as_deref());
        out.put("around", self.around.as_deref());
        out.put_number("limit", self.limit.map(i64::from));
        out.0
    }
}

impl ToPairs for EventsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
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
        let mut out = QueryWriter::default();
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
        let mut out = QueryWriter::default();
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

impl ToPairs for SharedQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put("session", self.session.as_ref().map(SessionId::as_str));
        out.put("all", self.all.then_some("true"));
        out.0
    }
}

impl ToPairs for AgentsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put_number("since", self.since);
        out.0
    }
}

impl ToPairs for ActivityQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put_number("since", self.since);
        out.put_number("until", self.until);
        out.0
    }
}

impl ToPairs for PeriodsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put_number("since", self.since);
        out.put_number("offset", Some(i64::from(self.offset_min)).filter(|minutes| *minutes != 0));
        out.0
    }
}

impl ToPairs for WaitsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
        out.0
    }
}

impl ToPairs for DelegationsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
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
