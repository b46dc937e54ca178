//! Filters of the session list and of a thread as URL queries, with parser and writer. Filters of other pages use the
//! helpers for single parameters. An unknown value, as in an old or mistyped link, is ignored; `unknown` returns it, so
//! that the page can report it.

use coordination::api::DeliveryFilter;
use coordination::ids::{AgentId, EventId};
use coordination::session::Status;

use super::Day;

pub(super) type UrlPairs = [(String, String)];

pub(super) fn text(pairs: &UrlPairs, key: &str) -> Option<String> {
    pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.trim().to_owned()).filter(|v| !v.is_empty())
}

pub(super) fn agent(pairs: &UrlPairs, key: &str) -> Option<AgentId> {
    text(pairs, key).map(|id| AgentId::from(id.to_lowercase()))
}

/// Most values of one parameter that are read.
pub const MAX_VALUES: usize = 10;

/// All values of a name that hold something, as written.
fn written<'a>(pairs: &'a UrlPairs, key: &'a str) -> impl Iterator<Item = &'a str> {
    pairs.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

/// The distinct values in order, at most [`MAX_VALUES`].
fn each<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    for value in values {
        if !out.contains(&value) && out.len() < MAX_VALUES {
            out.push(value);
        }
    }
    out
}

/// Several texts, each under the name.
pub(super) fn texts(pairs: &UrlPairs, key: &str) -> Vec<String> {
    each(written(pairs, key).map(str::to_owned))
}

/// Several agents, likewise.
pub(super) fn agents(pairs: &UrlPairs, key: &str) -> Vec<AgentId> {
    each(written(pairs, key).map(|id| AgentId::from(id.to_lowercase())))
}

/// Several values, likewise; invalid ones are left out.
pub(super) fn values<T: std::str::FromStr + PartialEq>(pairs: &UrlPairs, key: &str) -> Vec<T> {
    each(written(pairs, key).filter_map(|value| value.parse().ok()))
}

/// The values of `key` that do not parse as a `T`, as written.
pub(super) fn invalid_values<T: std::str::FromStr>(pairs: &UrlPairs, key: &str) -> Vec<(String, String)> {
    let invalid = written(pairs, key).filter(|value| value.parse::<T>().is_err());
    invalid.map(|value| (key.to_owned(), value.to_owned())).collect()
}

pub(super) fn value<T: std::str::FromStr>(pairs: &UrlPairs, key: &str) -> Option<T> {
    text(pairs, key).and_then(|value| value.parse().ok())
}

/// The value of `key` as written, when it does not parse as a `T`.
pub(super) fn invalid_value<T: std::str::FromStr>(pairs: &UrlPairs, key: &str) -> Option<(String, String)> {
    let written = text(pairs, key)?;
    written.parse::<T>().is_err().then(|| (key.to_owned(), written))
}

pub(super) struct UrlQueryWriter(pub(super) Vec<(String, String)>);

impl UrlQueryWriter {
    pub(super) fn put(&mut self, key: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.push((key.to_owned(), value.to_string()));
        }
    }

    /// Several, each under the name.
    pub(super) fn put_all(&mut self, key: &str, values: impl IntoIterator<Item = impl ToString>) {
        for value in values {
            self.put(key, Some(value));
        }
    }
}

/// How far back a list reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// One hour.
    Hour,
    /// Six hours.
    SixHours,
    /// One day.
    Day,
    /// Seven days.
    Week,
}

impl Since {
    /// All, shortest first.
    pub const ALL: [Self; 4] = [Self::Hour, Self::SixHours, Self::Day, Self::Week];

    /// Text in the URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "1h",
            Self::SixHours => "6h",
            Self::Day => "24h",
            Self::Week => "7d",
        }
    }

    /// The earliest time it lets through, on a whole minute so that the same link sends the same query for a while.
    pub fn earliest_ms(self, now_ms: i64) -> i64 {
        let hours = match self {
            Self::Hour => 1,
            Self::SixHours => 6,
            Self::Day => 24,
            Self::Week => 168,
        };
        (now_ms - hours * 3_600_000).div_euclid(60_000) * 60_000
    }
}

impl std::str::FromStr for Since {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|since| since.as_str() == text).ok_or(())
    }
}

/// Grouping of the session list, which also sets its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Newest first, under days.
    #[default]
    Latest,
    /// Under categories in seed order.
    Category,
}

/// Filters of the session list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionsFilter {
    /// Only sessions with this status.
    pub status: Option<Status>,
    /// Only sessions in which this agent took part.
    pub agent: Option<AgentId>,
    /// Further agents; all of them took part.
    pub with: Vec<AgentId>,
    /// Only sessions with a send in this delivery state. In the URL `owed`, as in links shared earlier.
    pub delivery: Option<DeliveryFilter>,
    /// Only sessions that a person marked as resolved, or only others.
    pub resolved: Option<bool>,
    /// Only sessions with this sub-tag, case-insensitive.
    pub tag: Option<String>,
    /// A category also lists the sessions that have it as a secondary one.
    pub secondary: bool,
    /// Text in title, messages, participants or tags, case-insensitive.
    pub q: Option<String>,
    /// Only sessions of this period up to now; with `first`, the later start counts.
    pub since: Option<Since>,
    /// First day of the period.
    pub first: Option<Day>,
    /// Last day of the period, inclusive.
    pub last: Option<Day>,
    /// Only sessions with unread messages.
    pub unread: bool,
    /// Grouping of the list. It does not narrow it.
    pub group: Grouping,
}

impl SessionsFilter {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self {
            status: value(pairs, "status"),
            agent: agent(pairs, "agent"),
            with: agents(pairs, "with"),
            delivery: value(pairs, "owed"),
            resolved: value(pairs, "resolved"),
            tag: text(pairs, "tag"),
            secondary: text(pairs, "secondary").as_deref() == Some("1"),
            q: text(pairs, "q"),
            since: value(pairs, "since"),
            first: value(pairs, "first"),
            last: value(pairs, "last"),
            unread: text(pairs, "unread").as_deref() == Some("1"),
            group: match text(pairs, "group").as_deref() {
                Some("category") => Grouping::Category,
                _ => Grouping::Latest,
            },
        }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("status", self.status.map(|status| status.as_str().to_ascii_lowercase()));
        out.put("agent", self.agent.as_ref());
        out.put_all("with", &self.with);
        out.put("owed", self.delivery.map(DeliveryFilter::as_str));
        out.put("resolved", self.resolved);
        out.put("tag", self.tag.as_ref());
        out.put("since", self.since.map(Since::as_str));
        out.put("first", self.first.as_ref().map(Day::as_str));
        out.put("last", self.last.as_ref().map(Day::as_str));
        out.put("unread", self.unread.then_some("1"));
        out.put("secondary", self.secondary.then_some("1"));
        out.put("q", self.q.as_ref());
        out.put("group", (self.group == Grouping::Category).then_some("category"));
        out.0
    }

    /// Parameters with an invalid value, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        let days = ["first", "last"].map(|key| invalid_value::<Day>(pairs, key));
        let values = [
            invalid_value::<Status>(pairs, "status"),
            invalid_value::<Since>(pairs, "since"),
            invalid_value::<DeliveryFilter>(pairs, "owed"),
        ];
        values.into_iter().chain(days).flatten().collect()
    }

    /// True when nothing narrows the list (the order does not).
    pub fn is_empty(&self) -> bool {
        Self { group: Grouping::Latest, ..self.clone() } == Self::default()
    }
}

/// How a thread is looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ThreadViewState {
    /// The message it is opened at.
    pub at: Option<EventId>,
    /// The event shown as recorded.
    pub raw: Option<EventId>,
    /// Words to mark in the messages, as they were found.
    pub marked: Vec<String>,
}

/// Words that an address marks at most; a snippet holds no more that differ.
const MAX_MARKED: usize = 8;

impl ThreadViewState {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        let marked = pairs.iter().filter(|(name, value)| name == "mark" && !value.trim().is_empty());
        Self {
            at: text(pairs, "at").map(EventId::from),
            raw: text(pairs, "raw").map(EventId::from),
            marked: marked.map(|(_, value)| value.trim().to_owned()).take(MAX_MARKED).collect(),
        }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("at", self.at.as_ref());
        out.put("raw", self.raw.as_ref());
        out.put_all("mark", &self.marked);
        out.0
    }
}
