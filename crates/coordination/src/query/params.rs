//! Query parameters as text: read strictly for the server (400 with field and allowed values), written for the client.
//! Lists may be repeated and comma-separated; a blank value is as good as none.

mod classifier;
mod search;

pub use classifier::{classifier_query, replay_query};
pub use search::search_query;

use super::QueryError;
use crate::api::{
    AgentsQuery, ChangesQuery, DelegationsQuery, EventsQuery, PeriodsQuery, Seen, SessionsQuery, SessionsSort,
    TasksQuery, ThreadQuery,
};
use crate::category::Category;
use crate::ids::{AgentId, SessionId, TaskId};
use crate::role::Role;
use crate::session::Status;
use crate::workspace::TaskStatus;

/// Longest text of one value.
const MAX_VALUE: usize = 400;
/// No clock on earth is further from UTC.
const MAX_OFFSET_MIN: i32 = 18 * 60;
/// Most values of a list.
const MAX_LIST: usize = 50;

type Pairs = [(String, String)];

/// Reads `GET sessions`.
///
/// # Errors
/// Names the parameter that is unknown or holds an unacceptable value.
pub fn sessions_query(pairs: &Pairs) -> Result<SessionsQuery, QueryError> {
    const NAMES: [&str; 9] = ["category", "status", "agent", "tag", "q", "since", "sort", "limit", "after"];
    let read = Reader::new(pairs, &NAMES)?;
    Ok(SessionsQuery {
        category: read.one_of("category", &Category::ALL.map(Category::as_str))?,
        status: read.any_of("status", &Status::ALL.map(Status::as_str))?,
        agent: read.text("agent")?.map(|id| AgentId(id.to_lowercase())),
        tag: read.text("tag")?,
        q: read.text("q")?,
        since: read.time("since")?,
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
    const NAMES: [&str; 10] = ["role", "type", "agent", "session", "task", "since", "until", "q", "limit", "before"];
    let read = Reader::new(pairs, &NAMES)?;
    Ok(EventsQuery {
        role: read.any_of("role", &Role::ALL.map(Role::as_str))?,
        types: read.list("type")?,
        agent: read.text("agent")?.map(|id| AgentId(id.to_lowercase())),
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
    let read = Reader::new(pairs, &["since", "agent", "limit"])?;
    Ok(DelegationsQuery {
        since: read.time("since")?,
        agent: read.text("agent")?.map(|id| AgentId(id.to_lowercase())),
        limit: read.limit("limit", 10_000)?,
    })
}

/// Writes a query as parameters: what is given, in one fixed order. The reading functions give it back.
pub trait ToPairs {
    /// The parameters.
    fn to_pairs(&self) -> Vec<(String, String)>;
}

impl ToPairs for SessionsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put("category", self.category.map(Category::as_str));
        out.put_all("status", self.status.iter().map(|status| status.as_str()));
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
        out.put("tag", self.tag.as_deref());
        out.put("q", self.q.as_deref());
        out.put_number("since", self.since);
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
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
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
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
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
            self.put(name, Some(value));
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

struct Reader<'a> {
    pairs: &'a Pairs,
}

impl<'a> Reader<'a> {
    fn new(pairs: &'a Pairs, names: &[&str]) -> Result<Self, QueryError> {
        for (name, value) in pairs {
            if !names.contains(&name.as_str()) {
                let mut error = not_one_of(name, names);
                error.message = format!("{name}: no such parameter; there are {}", names.join(", "));
                return Err(error);
            }
            if value.chars().count() > MAX_VALUE {
                return Err(invalid(name, "longer than 400 characters"));
            }
        }
        Ok(Self { pairs })
    }

    fn values(&self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let pairs = self.pairs;
        pairs.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.trim()).filter(|text| !text.is_empty())
    }

    fn text(&self, name: &'a str) -> Result<Option<String>, QueryError> {
        let mut values = self.values(name);
        let first = values.next().map(str::to_owned);
        if values.next().is_some() {
            return Err(invalid(name, "given more than once"));
        }
        Ok(first)
    }

    fn list(&self, name: &'a str) -> Result<Vec<String>, QueryError> {
        let mut out: Vec<String> = Vec::new();
        for item in self.values(name).flat_map(|value| value.split(',')).map(str::trim).filter(|item| !item.is_empty())
        {
            if !out.iter().any(|known| known == item) {
                out.push(item.to_owned());
            }
        }
        if out.len() > MAX_LIST { Err(invalid(name, "more than 50 values")) } else { Ok(out) }
    }

    fn one_of<T: std::str::FromStr>(&self, name: &'a str, allowed: &[&str]) -> Result<Option<T>, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| not_one_of(name, allowed))
    }

    fn any_of<T: std::str::FromStr>(&self, name: &'a str, allowed: &[&str]) -> Result<Vec<T>, QueryError> {
        self.list(name)?.iter().map(|text| text.parse().map_err(|_| not_one_of(name, allowed))).collect()
    }

    fn limit(&self, name: &'a str, max: u32) -> Result<Option<u32>, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse::<u32>() {
            Ok(number) if (1..=max).contains(&number) => Ok(Some(number)),
            _ => {
                let mut error = invalid(name, &format!("a whole number from 1 to {max}"));
                error.allowed = vec![format!("1..{max}")];
                Err(error)
            }
        }
    }

    /// Minutes ahead of UTC.
    fn offset(&self, name: &'a str) -> Result<i32, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(0) };
        text.parse::<i32>().ok().filter(|minutes| minutes.abs() <= MAX_OFFSET_MIN).ok_or_else(|| {
            let mut error = invalid(name, "minutes ahead of UTC, a whole number from -1080 to 1080");
            error.allowed = vec!["-1080..1080".to_owned()];
            error
        })
    }

    /// Epoch milliseconds, or an ISO date or date-time.
    fn time(&self, name: &'a str) -> Result<Option<i64>, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse::<i64>().ok().or_else(|| crate::time::parse_iso(&text)) {
            Some(at) if (0..=8_640_000_000_000_000).contains(&at) => Ok(Some(at)),
            _ => {
                let mut error = invalid(name, "epoch milliseconds or an ISO date or time");
                error.allowed = vec!["epoch milliseconds".to_owned(), "ISO 8601".to_owned()];
                Err(error)
            }
        }
    }
}
