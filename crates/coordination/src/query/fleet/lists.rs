//! Merged lists of a fleet: what one machine contributes to a page, and the merge of all contributions. A page costs what
//! the same page costs on each machine. Only sums and the order are computed here.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::cursor::{FleetCursor, Resume};
use super::fleet_session;
use crate::api::{
    AgentCard, AgentSummary, Drift, EventRow, EventsPage, EventsQuery, FleetAgent, FleetAgentsPage, FleetDrift,
    FleetDriftPage, FleetEvent, FleetEventsPage, FleetListSource, FleetSessionsPage, FleetTask, FleetTasksPage,
    FleetUnreadable, SessionCard, SessionsPage, SessionsQuery, StatusCounts, TaskSummary, TasksPage, TasksQuery,
    page_mark,
};
use crate::category::Category;
use crate::hub::{Hub, count};
use crate::ids::AgentId;
use crate::query::page::{self, EventMark};
use crate::query::sessions::SessionsCursor;
use crate::query::tasks::cursor;
use crate::query::{QueryError, agents, events, sessions, tasks, team};
use crate::role::Role;
use crate::search::index::Candidates;
use crate::workspace::TaskStatus;

/// Tasks of a page by default. A machine alone gives all that fit into its largest page.
const DEFAULT_TASKS: u32 = 100;
/// Sub-tags of the answer.
const MAX_TAGS: usize = 30;

/// What one machine contributes to a page.
#[derive(Debug, Clone)]
pub struct MachinePage<P> {
    /// The machine. The merge fills in its total and its agents.
    pub source: FleetListSource,
    /// Its answer.
    pub page: P,
    /// Agents that the rows of its answer name.
    pub agents: Vec<AgentSummary>,
}

/// Sessions of one machine for a page of `GET fleet/sessions`, with the agents that they name.
///
/// # Errors
/// When the limit or the cursor is not acceptable.
pub fn machine_sessions(
    hub: &Hub,
    by: &impl Candidates,
    now: i64,
    query: &SessionsQuery,
    machine: &str,
) -> Result<(SessionsPage, Vec<AgentSummary>), QueryError> {
    let after = match FleetCursor::read("after", query.after.as_deref(), machine)? {
        Some(cursor) => SessionsCursor::read(hub, Some(cursor.row))?.map(|row| match cursor.resume {
            Resume::AfterRow => row,
            Resume::WithEqual => row.at_moment(),
            Resume::AfterEqual => row.after_moment(),
        }),
        None => None,
    };
    let page = sessions::sessions_after(hub, by, now, query, after)?;
    let named = page.sessions.iter().flat_map(|card| &card.participants).collect();
    let agents = agents::named(hub, now, &named);
    Ok((page, agents))
}

/// Events of one machine for a page of `GET fleet/events`, with the agents that they name.
///
/// # Errors
/// As [`machine_sessions`].
pub fn machine_events(
    hub: &Hub,
    by: &impl Candidates,
    now: i64,
    query: &EventsQuery,
    machine: &str,
) -> Result<(EventsPage, Vec<AgentSummary>), QueryError> {
    let before = match FleetCursor::read("before", query.before.as_deref(), machine)? {
        Some(cursor) => EventMark::read("before", Some(&cursor.row.to_owned()))?.map(|row| match cursor.resume {
            Resume::AfterRow => row,
            // Newest first: the later events of a moment come before the earlier ones.
            Resume::WithEqual => row.after_moment(),
            Resume::AfterEqual => row.at_moment(),
        }),
        None => None,
    };
    let page = events::events_before(hub, by, now, query, before.as_ref())?;
    let named = page.events.iter().flat_map(people_of).flatten().collect();
    let agents = agents::named(hub, now, &named);
    Ok((page, agents))
}

fn people_of(row: &EventRow) -> [Option<&AgentId>; 4] {
    [Some(&row.agent_id), row.from.as_ref(), row.to.as_ref(), row.task_owner.as_ref()]
}

/// Tasks of one machine for a page of `GET fleet/tasks`, with the agents that they name.
///
/// # Errors
/// As [`machine_sessions`].
pub fn machine_tasks(
    hub: &Hub,
    now: i64,
    query: &TasksQuery,
    machine: &str,
) -> Result<(TasksPage, Vec<AgentSummary>), QueryError> {
    let after = match FleetCursor::read("after", query.after.as_deref(), machine)? {
        Some(FleetCursor { row, resume }) => {
            let row = cursor::read_cursor(row)?;
            Some(match resume {
                Resume::AfterRow => row,
                Resume::WithEqual => cursor::at_moment(row),
                Resume::AfterEqual => cursor::after_moment(row),
            })
        }
        None => None,
    };
    let query = TasksQuery { limit: query.limit.or(Some(DEFAULT_TASKS)), ..query.clone() };
    let mut page = tasks::tasks_after(hub, now, &query, after.as_ref())?;
    let unblockers = |task: &TaskSummary| -> Vec<AgentId> {
        let ids = task.blocking.iter().flat_map(|blocking| &blocking.unblocked_by);
        ids.map(|id| AgentId::from(id.as_str())).collect()
    };
    let named: BTreeSet<AgentId> =
        page.tasks.iter().flat_map(|task| unblockers(task).into_iter().chain([task.agent_id.clone()])).collect();
    let mut agents = std::mem::take(&mut page.agents);
    agents.retain(|agent| named.contains(&agent.id));
    Ok((page, agents))
}

/// Agents of one machine for `GET fleet/agents`, without the answer times of pairs, which cost what history holds.
#[must_use]
pub fn machine_agents(hub: &Hub, now: i64) -> Vec<AgentCard> {
    team::cards(hub, now)
}

/// Merges the sessions of all machines into a page.
///
/// # Errors
/// When the limit is not acceptable.
pub fn merge_sessions(
    lists: Vec<MachinePage<SessionsPage>>,
    query: &SessionsQuery,
    now: i64,
) -> Result<FleetSessionsPage, QueryError> {
    let mut merged = FleetSessionsPage {
        category_counts: Category::ALL.into_iter().map(|key| (key, 0)).collect(),
        now,
        ..FleetSessionsPage::default()
    };
    let mut tags = BTreeMap::new();
    let mut rows = MergedRows::new(sessions::page_rows(query)?);
    for MachinePage { source, page, agents } in lists {
        for (sum, (_, count)) in merged.category_counts.iter_mut().zip(&page.category_counts) {
            sum.1 += count;
        }
        let StatusCounts { active, quiet, archived } = page.status_counts;
        merged.status_counts.active += active;
        merged.status_counts.quiet += quiet;
        merged.status_counts.archived += archived;
        page.tags.into_iter().for_each(|(tag, count)| *tags.entry(tag).or_insert(0) += count);
        merged.total += page.total;
        rows.add(&source.source, page.sessions, page.next.is_some());
        merged.sources.push(FleetListSource { total: page.total, agents, ..source });
    }
    merged.tags = page::ranked(tags.iter().map(|(tag, count)| (tag.as_str(), *count)), MAX_TAGS);
    let key = |card: &SessionCard| SessionsCursor::of_card(card, query.sort).group_and_time();
    let cursor = |card: &SessionCard| SessionsCursor::of_card(card, query.sort).write();
    let (rows, next) = rows.into_page(key, cursor);
    merged.sessions = rows.into_iter().map(|(source, session)| fleet_session(&source, session)).collect();
    merged.next = next;
    Ok(merged)
}

/// Merges the events of all machines into a page.
///
/// # Errors
/// As [`merge_sessions`].
pub fn merge_events(
    lists: Vec<MachinePage<EventsPage>>,
    query: &EventsQuery,
    now: i64,
) -> Result<FleetEventsPage, QueryError> {
    let mut merged = FleetEventsPage { now, ..FleetEventsPage::default() };
    let mut types = BTreeMap::new();
    let mut rows = MergedRows::new(events::page_rows(query)?);
    for MachinePage { source, mut page, agents } in lists {
        for role in Role::ALL {
            *merged.role_counts.of_mut(role) += *page.role_counts.of_mut(role);
        }
        page.type_counts.into_iter().for_each(|(name, count)| *types.entry(name).or_insert(0) += count);
        merged.total += page.total;
        rows.add(&source.source, page.events, page.next.is_some());
        merged.sources.push(FleetListSource { total: page.total, agents, ..source });
    }
    merged.type_counts = page::ranked(types.iter().map(|(name, count)| (name.as_str(), *count)), usize::MAX);
    let (rows, next) = rows.into_page(|row| Reverse(row.at), |row| page_mark(row.at, &row.id));
    merged.events = rows.into_iter().map(|(source, event)| FleetEvent { source, event }).collect();
    merged.next = next;
    Ok(merged)
}

/// Merges the tasks of all machines into a page.
///
/// # Errors
/// As [`merge_sessions`].
pub fn merge_tasks(
    lists: Vec<MachinePage<TasksPage>>,
    query: &TasksQuery,
    now: i64,
) -> Result<FleetTasksPage, QueryError> {
    let mut merged = FleetTasksPage { now, ..FleetTasksPage::default() };
    let mut statuses: BTreeMap<usize, (TaskStatus, u32)> = BTreeMap::new();
    let mut rows = MergedRows::new(page::limit(query.limit, DEFAULT_TASKS, tasks::MAX_TASKS)?);
    for MachinePage { source, page, agents } in lists {
        for (status, count) in page.status_counts {
            statuses.entry(crate::hub::rank(status)).or_insert((status, 0)).1 += count;
        }
        let name = &source.source;
        merged.unreadable.extend(page.unreadable.into_iter().map(|file| FleetUnreadable {
            source: name.clone(),
            path: file.path,
            cause: file.cause,
        }));
        merged.total += page.total;
        rows.add(name, page.tasks, page.next.is_some());
        merged.sources.push(FleetListSource { total: page.total, agents, ..source });
    }
    merged.status_counts = statuses.into_values().collect();
    let key = |task: &TaskSummary| (crate::hub::rank(task.status), Reverse(task.last_activity));
    let (rows, next) = rows.into_page(key, |task| cursor::write_cursor(&cursor::key_of(task)));
    merged.tasks = rows.into_iter().map(|(source, task)| FleetTask { source, task }).collect();
    merged.next = next;
    Ok(merged)
}

/// Merges the agents of all machines. All of them are one page.
#[must_use]
pub fn merge_agents(lists: Vec<MachinePage<Vec<AgentCard>>>, now: i64) -> FleetAgentsPage {
    let mut rows = MergedRows::new(usize::MAX);
    let mut sources = Vec::new();
    for MachinePage { source, page, agents } in lists {
        let total = count(page.len());
        // The order of a machine is one of display.
        let mut cards = page;
        cards.sort_by_key(|card| Reverse(card.agent.last_time));
        rows.add(&source.source, cards, false);
        sources.push(FleetListSource { total, agents, ..source });
    }
    let (rows, _) = rows.into_page(|card: &AgentCard| Reverse(card.agent.last_time), |_| String::new());
    let agents = rows.into_iter().map(|(source, card)| FleetAgent { source, card }).collect();
    FleetAgentsPage { agents, sources, now }
}

/// Drift of all machines, by name.
#[must_use]
pub fn merge_drift(lists: Vec<MachinePage<Drift>>, now: i64) -> FleetDriftPage {
    let mut merged = FleetDriftPage { now, ..FleetDriftPage::default() };
    for MachinePage { source, page, agents } in lists {
        let total = page.all.sessions + page.all.stated;
        merged.drifts.push(FleetDrift { source: source.source.clone(), drift: page });
        merged.sources.push(FleetListSource { total, agents, ..source });
    }
    merged.drifts.sort_by(|one, other| one.source.cmp(&other.source));
    merged
}

/// Rows of all machines, each machine's in the order of its own list.
struct MergedRows<T> {
    limit: usize,
    rows: Vec<(String, T)>,
    has_more: bool,
}

impl<T> MergedRows<T> {
    fn new(limit: usize) -> Self {
        Self { limit, rows: Vec::new(), has_more: false }
    }

    fn add(&mut self, machine: &str, rows: Vec<T>, has_more: bool) {
        self.rows.extend(rows.into_iter().map(|row| (machine.to_owned(), row)));
        self.has_more |= has_more;
    }

    /// The first rows by key and machine, and the cursor of the next page. `cursor` writes that of the machine's own list.
    fn into_page<K: Ord>(
        mut self,
        key: impl Fn(&T) -> K,
        cursor: impl Fn(&T) -> String,
    ) -> (Vec<(String, T)>, Option<String>) {
        // Stable: rows of a machine stay in its order. Each list is sorted already, so this is one merge.
        self.rows.sort_by(|(one, a), (other, b)| key(a).cmp(&key(b)).then_with(|| one.cmp(other)));
        let has_more = self.has_more || self.rows.len() > self.limit;
        self.rows.truncate(self.limit);
        let next =
            self.rows.last().filter(|_| has_more).map(|(machine, row)| FleetCursor::write(machine, &cursor(row)));
        (self.rows, next)
    }
}
