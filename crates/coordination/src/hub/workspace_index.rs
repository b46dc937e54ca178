//! Index of the agents' workspace folders by task and by session.

use std::collections::BTreeSet;

use super::hash_map::FastHashMap;
use super::session::Session;
use super::task_texts::{DatedStatus, TaskTexts, Times, of_entry, of_file};
use crate::ids::{AgentId, SessionId, TaskId};
use crate::title;
use crate::workspace::{AgentWorkspace, HistoryEntry, Task, Workspace};

/// Position of a task: agent and index, open or archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TaskAt {
    Open { agent: u32, position: u32 },
    Archived { agent: u32, position: u32 },
}

/// Index of tasks. Rebuilt with each workspace; unchanged folders are reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkspaceIndex {
    /// Position of each agent's folder in the workspace.
    by_agent: FastHashMap<AgentId, u32>,
    /// Of each agent: open tasks and archived ones.
    shelves: Vec<[TaskTexts; 2]>,
    /// Every known place of a task by its id, open ones first.
    order: Vec<TaskAt>,
    /// Places that are not shown, in order: the same agent has a more complete one for the same id.
    hidden: Vec<TaskAt>,
    /// Archived places, in order, whose task has an open file, too.
    reopened: Vec<TaskAt>,
    /// Tasks whose file names the session.
    pub(crate) by_session: FastHashMap<SessionId, Vec<TaskId>>,
    /// The session that a session resumes, by task files.
    pub(crate) previous: FastHashMap<SessionId, SessionId>,
}

impl WorkspaceIndex {
    /// `old` is the previous index with its workspace; `times` returns the times of a task's events.
    pub(super) fn new(workspace: &Workspace, old: (Self, &Workspace), times: impl Fn(&TaskId) -> Times) -> Self {
        let mut index = Self::default();
        let (mut old, known) = old;
        for (agent, folder) in (0..).zip(&workspace.agents) {
            index.by_agent.entry(folder.agent_id.clone()).or_insert(agent);
            let before = old.position(&folder.agent_id);
            let (files, entries) = match before.and_then(|at| known.agents.get(at).zip(old.shelves.get_mut(at))) {
                Some((before, [files, entries])) => (
                    (before.tasks == folder.tasks).then(|| std::mem::take(files)),
                    (before.history == folder.history).then(|| std::mem::take(entries)),
                ),
                None => (None, None),
            };
            let open = |position| TaskAt::Open { agent, position };
            let archived = |position| TaskAt::Archived { agent, position };
            index.shelves.push([
                full(files, folder.tasks.len()).unwrap_or_else(|| TaskTexts::of_files(&folder.tasks, &times)),
                full(entries, folder.history.len()).unwrap_or_else(|| TaskTexts::of_entries(&folder.history, &times)),
            ]);
            index.order.extend((0..).zip(&folder.tasks).map(|(position, _)| open(position)));
            index.order.extend((0..).zip(&folder.history).map(|(position, _)| archived(position)));
            index.note_sessions(folder);
        }
        let mut order = std::mem::take(&mut index.order);
        order.sort_by(|a, b| index.id(*a).cmp(index.id(*b)).then_with(|| a.cmp(b)));
        let (mut hidden, mut reopened) = (Vec::new(), Vec::new());
        let owner = |at: TaskAt| workspace.agents.get(at.agent()).map(|folder| &folder.agent_id);
        for same in order.chunk_by(|a, b| index.id(*a) == index.id(*b)).filter(|same| same.len() > 1) {
            let mut owners = BTreeSet::new();
            hidden.extend(same.iter().filter(|at| !owners.insert(owner(**at))));
            if same.iter().any(|at| at.is_open()) {
                reopened.extend(same.iter().filter(|at| !at.is_open()));
            }
        }
        hidden.sort_unstable();
        reopened.sort_unstable();
        order.shrink_to_fit();
        (index.order, index.hidden, index.reopened) = (order, hidden, reopened);
        index
    }

    fn position(&self, id: &AgentId) -> Option<usize> {
        self.by_agent.get(id).map(|position| *position as usize)
    }

    /// An agent's folder in the indexed workspace.
    pub(super) fn folder<'a>(&self, workspace: &'a Workspace, id: &AgentId) -> Option<&'a AgentWorkspace> {
        workspace.agents.get(self.position(id)?)
    }

    fn note_sessions(&mut self, folder: &AgentWorkspace) {
        for task in &folder.tasks {
            let Some(session) = &task.work_session_id else { continue };
            self.by_session.entry(session.clone()).or_default().push(task.id.clone());
            if let Some(previous) = &task.previous_work_session_id {
                self.previous.entry(session.clone()).or_insert_with(|| previous.clone());
            }
        }
    }

    /// Whether a file or an archive contains the task.
    pub(crate) fn is_filed(&self, id: &TaskId) -> bool {
        !self.places(id).is_empty()
    }

    /// Every known place of a task, open ones first.
    pub(crate) fn places(&self, id: &TaskId) -> &[TaskAt] {
        let rest = &self.order[self.order.partition_point(|at| self.id(*at) < id)..];
        let same = rest.iter().take_while(|at| self.id(**at) == id).count();
        &rest[..same]
    }

    /// The ids of all tasks, in order; each occurs once for each of its places.
    pub(super) fn ids(&self) -> impl Iterator<Item = &TaskId> {
        self.order.iter().map(|at| self.id(*at))
    }

    /// The shelves of all agents: the agent's place in the workspace, its tasks, and the place of each position.
    pub(crate) fn shelves(&self) -> impl Iterator<Item = (usize, &TaskTexts, impl Fn(u32) -> TaskAt)> {
        self.shelves.iter().enumerate().flat_map(|(place, shelves)| {
            let agent = u32::try_from(place).unwrap_or(u32::MAX);
            shelves.iter().zip([true, false]).map(move |(shelf, is_open)| {
                let at = move |position| match is_open {
                    true => TaskAt::Open { agent, position },
                    false => TaskAt::Archived { agent, position },
                };
                (place, shelf, at)
            })
        })
    }

    /// Whether another place of the same agent has more of the same task.
    pub(crate) fn is_hidden(&self, at: TaskAt) -> bool {
        self.hidden.binary_search(&at).is_ok()
    }

    /// Whether the task at this place has an open file, here or elsewhere.
    pub(crate) fn has_file(&self, at: TaskAt) -> bool {
        at.is_open() || self.reopened.binary_search(&at).is_ok()
    }

    /// Number of the task at this place among those that events name.
    pub(crate) fn number(&self, at: TaskAt) -> Option<u32> {
        self.shelf(at).numbers()[at.position()]
    }

    /// Status and newest activity of the task at this place.
    pub(crate) fn dated_status(&self, at: TaskAt) -> DatedStatus {
        self.shelf(at).statuses()[at.position()]
    }

    /// Updates a task after new events.
    pub(super) fn update_task(&mut self, workspace: &Workspace, id: &TaskId, times: Times) {
        for at in self.places(id).to_vec() {
            let of_file = open(workspace, at).map(|file| of_file(file, times));
            let status = of_file.or_else(|| archived(workspace, at).map(|entry| of_entry(entry, times)));
            if let (Some(status), Ok(position)) = (status, u32::try_from(at.position())) {
                let [files, entries] = &mut self.shelves[at.agent()];
                let shelf = if at.is_open() { files } else { entries };
                shelf.set_status(position, status, times.number);
            }
        }
    }

    fn id(&self, at: TaskAt) -> &TaskId {
        &self.shelf(at).ids()[at.position()]
    }

    fn shelf(&self, at: TaskAt) -> &TaskTexts {
        let [files, entries] = &self.shelves[at.agent()];
        if at.is_open() { files } else { entries }
    }

    /// Titles of the tasks of a session: those that its events name, then those whose files name it.
    pub(crate) fn titles(&self, workspace: &Workspace, session: &Session) -> Vec<String> {
        let by_file = self.by_session.get(&session.id).into_iter().flatten();
        let tasks = session.state.tasks.iter().chain(by_file);
        tasks.filter_map(|task| self.description(workspace, task).and_then(title::clean)).collect()
    }

    /// Description of a task, from its file or its archive entry.
    pub(crate) fn description<'a>(&self, workspace: &'a Workspace, id: &TaskId) -> Option<&'a str> {
        self.places(id).iter().find_map(|at| match at {
            TaskAt::Open { .. } => open(workspace, *at).map(|task| task.description.as_str()),
            TaskAt::Archived { .. } => archived(workspace, *at).map(|entry| entry.description.as_str()),
        })
    }
}

impl TaskAt {
    fn is_open(self) -> bool {
        matches!(self, Self::Open { .. })
    }

    /// The agent's place in the workspace.
    pub(crate) fn agent(self) -> usize {
        let (Self::Open { agent, .. } | Self::Archived { agent, .. }) = self;
        agent as usize
    }

    fn position(self) -> usize {
        let (Self::Open { position, .. } | Self::Archived { position, .. }) = self;
        position as usize
    }
}

/// A shelf that is still present: of two folders of one agent the first has taken it.
fn full(shelf: Option<TaskTexts>, length: usize) -> Option<TaskTexts> {
    shelf.filter(|shelf| shelf.ids().len() == length)
}

/// The id of an archive entry; the legacy archive has none, so its month and position are used.
pub(super) fn archived_id(entry: &HistoryEntry, position: usize) -> TaskId {
    entry.id.clone().unwrap_or_else(|| TaskId::from(format!("archived_{}_{position}", entry.month)))
}

pub(crate) fn open(workspace: &Workspace, at: TaskAt) -> Option<&Task> {
    match at {
        TaskAt::Open { .. } => workspace.agents.get(at.agent())?.tasks.get(at.position()),
        TaskAt::Archived { .. } => None,
    }
}

pub(crate) fn archived(workspace: &Workspace, at: TaskAt) -> Option<&HistoryEntry> {
    match at {
        TaskAt::Archived { .. } => workspace.agents.get(at.agent())?.history.get(at.position()).map(|entry| &**entry),
        TaskAt::Open { .. } => None,
    }
}
