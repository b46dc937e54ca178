//! URL query of the events page: list or delegation tree, with filters.

use coordination::api::{AgentPair, Origin};
use coordination::commas;
use coordination::delivery::DeliveryState;
use coordination::ids::{AgentId, EventId, SessionId, TaskId};
use coordination::role::Role;

use super::filters::{
    UrlPairs, UrlQueryWriter, agent, agents, invalid_value, invalid_values, text, texts, value, values,
};
use super::{Day, Since, TreeView};

/// Filters of the event list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventsFilter {
    /// One role.
    pub role: Option<Role>,
    /// Any of these types.
    pub types: Vec<String>,
    /// Speaker, addressee or owner is any of these.
    pub agents: Vec<AgentId>,
    /// Sender.
    pub from: Option<AgentId>,
    /// Who was addressed.
    pub to: Option<AgentId>,
    /// From one of a pair to the other, of any of these.
    pub pairs: Vec<AgentPair>,
    /// Sends that are in any of these states now.
    pub delivery: Vec<DeliveryState>,
    /// Only events of this origin: log, transcript or hooks.
    pub origin: Option<Origin>,
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

    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self {
            role: value(pairs, "role"),
            types: texts(pairs, "type"),
            agents: agents(pairs, "agent"),
            from: agent(pairs, "from"),
            to: agent(pairs, "to"),
            pairs: values(pairs, "pair"),
            delivery: values(pairs, "delivery"),
            origin: value(pairs, "origin"),
            session: text(pairs, "session").map(SessionId::from),
            task: text(pairs, "task").map(TaskId::from),
            since: value(pairs, "since"),
            first: value(pairs, "first"),
            last: value(pairs, "last"),
            q: text(pairs, "q"),
            open: text(pairs, "open").map(EventId::from),
            as_tree: text(pairs, "view").as_deref() == Some("tree"),
            tree: TreeView::from_pairs(pairs),
            apart: text(pairs, "group").as_deref() == Some("off"),
            as_table: text(pairs, "table").as_deref() == Some("1"),
            unfolded: {
                let listed = text(pairs, "burst").unwrap_or_default();
                commas::split(&listed).map(EventId::from).take(MAX_UNFOLDED).collect()
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

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("view", self.as_tree.then_some("tree"));
        out.put("role", self.role.map(Role::as_str));
        out.put_all("type", &self.types);
        out.put_all("agent", &self.agents);
        out.put("from", self.from.as_ref());
        out.put("to", self.to.as_ref());
        out.put_all("pair", &self.pairs);
        out.put_all("delivery", self.delivery.iter().map(|state| state.as_str()));
        out.put("origin", self.origin.map(Origin::as_str));
        out.put("session", self.session.as_ref());
        out.put("task", self.task.as_ref());
        out.put("since", self.since.map(Since::as_str));
        out.put("first", self.first.as_ref().map(Day::as_str));
        out.put("last", self.last.as_ref().map(Day::as_str));
        out.put("q", self.q.as_ref());
        self.tree.write(&mut out);
        out.put("group", self.apart.then_some("off"));
        out.put("table", self.as_table.then_some("1"));
        let unfolded = commas::join(self.unfolded.iter().map(EventId::as_str));
        out.put("burst", Some(unfolded).filter(|unfolded| !unfolded.is_empty()));
        out.put("open", self.open.as_ref());
        out.0
    }

    /// Parameters with an invalid value, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        let days = ["first", "last"].map(|key| invalid_value::<Day>(pairs, key));
        let values = [
            invalid_value::<Role>(pairs, "role"),
            invalid_value::<Since>(pairs, "since"),
            invalid_value::<Origin>(pairs, "origin"),
        ];
        let several = [invalid_values::<AgentPair>(pairs, "pair"), invalid_values::<DeliveryState>(pairs, "delivery")];
        values.into_iter().chain(days).flatten().chain(several.into_iter().flatten()).collect()
    }

    /// The filter without what only changes the view.
    pub fn list_filter(&self) -> Self {
        let tree = TreeView::default();
        Self { open: None, as_tree: false, tree, apart: false, as_table: false, unfolded: Vec::new(), ..self.clone() }
    }

    /// The conditions of the delegation tree: it knows people, pairs and periods.
    pub fn of_runs(&self) -> Self {
        Self {
            agents: self.agents.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            pairs: self.pairs.clone(),
            since: self.since,
            first: self.first.clone(),
            last: self.last.clone(),
            ..Self::default()
        }
    }

    /// True when nothing narrows the list.
    pub fn is_empty(&self) -> bool {
        self.list_filter() == Self::default()
    }
}
