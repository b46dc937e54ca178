//! How a page is looked at, as typed values of the URL's query. A value nobody understands is dropped, so an old or
//! mistyped link opens the page instead of an error; `unknown` names it, so that the page can say so.

use coordination::api::Owed;
use coordination::ids::{AgentId, EventId, SessionId, TaskId};
use coordination::role::Role;
use coordination::session::Status;

use super::{Day, TreeView};

pub(super) type Pairs = [(String, String)];

pub(super) fn text(pairs: &Pairs, key: &str) -> Option<String> {
    pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.trim().to_owned()).filter(|v| !v.is_empty())
}

pub(super) fn agent(pairs: &Pairs, key: &str) -> Option<AgentId> {
    text(pairs, key).map(|id| AgentId(id.to_lowercase()))
}

/// Each once, in order.
fn agents(pairs: &Pairs, key: &str) -> Vec<AgentId> {
    let mut out = Vec::new();
    for (_, id) in pairs.iter().filter(|(name, value)| name == key && !value.trim().is_empty()) {
        let id = AgentId(id.trim().to_lowercase());
        if !out.contains(&id) && out.len() < MAX_WITH {
            out.push(id);
        }
    }
    out
}

/// Further participants that an address names at most.
const MAX_WITH: usize = 10;

pub(super) fn value<T: std::str::FromStr>(pairs: &Pairs, key: &str) -> Option<T> {
    text(pairs, key).and_then(|value| value.parse().ok())
}

/// The value at `key` as written, when it is not a `T`.
pub(super) fn strange<T: std::str::FromStr>(pairs: &Pairs, key: &str) -> Option<(String, String)> {
    let written = text(pairs, key)?;
    written.parse::<T>().is_err().then(|| (key.to_owned(), written))
}

pub(super) struct Out(pub(super) Vec<(String, String)>);

impl Out {
    pub(super) fn put(&mut self, key: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.push((key.to_owned(), value.to_string()));
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

    /// The earliest time it lets through, on a whole minute so that the same link asks the same question for a while.
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

/// Order of the session list.
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
    /// One status.
    pub status: Option<Status>,
    /// A participant.
    pub agent: Option<AgentId>,
    /// Further participants.
    pub with: Vec<AgentId>,
    /// What is owed for a send.
    pub owed: Option<Owed>,
    /// A sub-tag.
    pub tag: Option<String>,
    /// Free text.
    pub q: Option<String>,
    /// How far back.
    pub since: Option<Since>,
    /// From which day on.
    pub first: Option<Day>,
    /// Up to which day.
    pub last: Option<Day>,
    /// Only sessions with talk that this reader has not seen.
    pub unread: bool,
    /// Order.
    pub group: Grouping,
}

impl SessionsFilter {
    /// Reads the URL.
    pub fn from_pairs(pairs: &Pairs) -> Self {
        Self {
            status: value(pairs, "status"),
            agent: agent(pairs, "agent"),
            with: agents(pairs, "with"),
            owed: value(pairs, "owed"),
            tag: text(pairs, "tag"),
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

    /// Writes the URL.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Out(Vec::new());
        out.put("status", self.status.map(|status| status.as_str().to_lowercase()));
        out.put("agent", self.agent.as_ref());
        for agent in &self.with {
            out.put("with", Some(agent));
        }
        out.put("owed", self.owed.map(Owed::as_str));
        out.put("tag", self.tag.as_ref());
        out.put("since", self.since.map(Since::as_str));
        out.put("first", self.first.as_ref().map(Day::as_str));
        out.put("last", self.last.as_ref().map(Day::as_str));
        out.put("unread", self.unread.then_some("1"));
        out.put("q", self.q.as_ref());
        out.put("group", (self.group == Grouping::Category).then_some("category"));
        out.0
    }

    /// Values that nobody understands, as written.
    pub fn unknown(pairs: &Pairs) -> Vec<(String, String)> {
        let days = ["first", "last"].map(|key| strange::<Day>(pairs, key));
        let values =
            [strange::<Status>(pairs, "status"), strange::<Since>(pairs, "since"), strange::<Owed>(pairs, "owed")];
        values.into_iter().chain(days).flatten().collect()
    }

    /// True when nothing narrows the list (the order does not).
    pub fn is_empty(&self) -> bool {
        Self { group: Grouping::Latest, ..self.clone() } == Self::default()
    }
}

/// Filters of the event list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventsFilter {
    /// One role.
    pub role: Option<Role>,
    /// One type.
    pub event_type: Option<String>,
    /// Speaker, addressee or owner.
    pub agent: Option<AgentId>,
    /// Who spoke.
    pub from: Option<AgentId>,
    /// Who was addressed.
    pub to: Option<AgentId>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// Of this task.
    pub task: Option<TaskId>,
    /// How far back.
    pub since: Option<Since>,
    /// From which day on.
    pub first: Option<Day>,
    /// Up to which day.
    pub last: Option<Day>,
    /// Free text.
    pub q: Option<String>,
    /// The event whose line is open.
    pub open: Option<EventId>,
    /// As the delegation tree of all sessions instead of the list.
    pub as_tree: bool,
    /// How that tree, or the session's own, is looked at.
    pub tree: TreeView,
    /// Each event of a burst is a line of its own.
    pub apart: bool,
    /// Shares over time also as a table.
    pub as_table: bool,
    /// Bursts that are unfolded: an event of each.
    pub unfolded: Vec<EventId>,
}

/// Bursts that the address remembers as unfolded; older ones are forgotten.
const MAX_UNFOLDED: usize = 20;

impl EventsFilter {
    /// Events of one session.
    pub fn of_session(session: &SessionId) -> Self {
        Self { session: Some(session.clone()), ..Self::default() }
    }

    /// Reads the URL.
    pub fn from_pairs(pairs: &Pairs) -> Self {
        Self {
            role: value(pairs, "role"),
            event_type: text(pairs, "type"),
            agent: agent(pairs, "agent"),
            from: agent(pairs, "from"),
            to: agent(pairs, "to"),
            session: text(pairs, "session").map(SessionId),
            task: text(pairs, "task").map(TaskId),
            since: value(pairs, "since"),
            first: value(pairs, "first"),
            last: value(pairs, "last"),
            q: text(pairs, "q"),
            open: text(pairs, "open").map(EventId),
            as_tree: text(pairs, "view").as_deref() == Some("tree"),
            tree: TreeView::from_pairs(pairs),
            apart: text(pairs, "group").as_deref() == Some("off"),
            as_table: text(pairs, "table").as_deref() == Some("1"),
            unfolded: {
                let listed = text(pairs, "burst").unwrap_or_default();
                listed.split(',').filter(|id| !id.is_empty()).map(EventId::from).take(MAX_UNFOLDED).collect()
            },
        }
    }

    /// With the burst of these events unfolded, or folded.
    #[must_use]
    pub fn turn_burst(&self, ids: &[EventId]) -> Self {
        let mut filter = self.clone();
        filter.unfolded.retain(|id| !ids.contains(id));
        if filter.unfolded.len() == self.unfolded.len() {
            // The oldest: it is the last that another answer could leave out.
            filter.unfolded.extend(ids.last().cloned());
            let many = filter.unfolded.len().saturating_sub(MAX_UNFOLDED);
            filter.unfolded.drain(..many);
        }
        filter
    }

    /// Writes the URL.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Out(Vec::new());
        out.put("view", self.as_tree.then_some("tree"));
        out.put("role", self.role.map(Role::as_str));
        out.put("type", self.event_type.as_ref());
        out.put("agent", self.agent.as_ref());
        out.put("from", self.from.as_ref());
        out.put("to", self.to.as_ref());
        out.put("session", self.session.as_ref());
        out.put("task", self.task.as_ref());
        out.put("since", self.since.map(Since::as_str));
        out.put("first", self.first.as_ref().map(Day::as_str));
        out.put("last", self.last.as_ref().map(Day::as_str));
        out.put("q", self.q.as_ref());
        self.tree.write(&mut out);
        out.put("group", self.apart.then_some("off"));
        out.put("table", self.as_table.then_some("1"));
        let unfolded: Vec<&str> = self.unfolded.iter().map(EventId::as_str).collect();
        out.put("burst", Some(unfolded.join(",")).filter(|unfolded| !unfolded.is_empty()));
        out.put("open", self.open.as_ref());
        out.0
    }

    /// Values that nobody understands, as written.
    pub fn unknown(pairs: &Pairs) -> Vec<(String, String)> {
        let days = ["first", "last"].map(|key| strange::<Day>(pairs, key));
        [strange::<Role>(pairs, "role"), strange::<Since>(pairs, "since")].into_iter().chain(days).flatten().collect()
    }

    /// What the list is asked for: not how anything is looked at.
    pub fn asked(&self) -> Self {
        let tree = TreeView::default();
        Self { open: None, as_tree: false, tree, apart: false, as_table: false, unfolded: Vec::new(), ..self.clone() }
    }

    /// True when nothing narrows the list.
    pub fn is_empty(&self) -> bool {
        self.asked() == Self::default()
    }
}

/// How a thread is looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ThreadView {
    /// The message it is opened at.
    pub at: Option<EventId>,
    /// The event shown as recorded.
    pub raw: Option<EventId>,
    /// Words to mark in what was said, as they were found.
    pub marked: Vec<String>,
}

/// Words that an address marks at most; a snippet holds no more that differ.
const MAX_MARKED: usize = 8;

impl ThreadView {
    /// Reads the URL.
    pub fn from_pairs(pairs: &Pairs) -> Self {
        let marked = pairs.iter().filter(|(name, value)| name == "mark" && !value.trim().is_empty());
        Self {
            at: text(pairs, "at").map(EventId),
            raw: text(pairs, "raw").map(EventId),
            marked: marked.map(|(_, value)| value.trim().to_owned()).take(MAX_MARKED).collect(),
        }
    }

    /// Writes the URL.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Out(Vec::new());
        out.put("at", self.at.as_ref());
        out.put("raw", self.raw.as_ref());
        for word in &self.marked {
            out.put("mark", Some(word));
        }
        out.0
    }
}
