//! Queries of `GET /api/v2/sessions/{id}/delegations` and `GET /api/v2/delegations`: the tree of spawned runs as flat
//! rows, and its slowest branch.

use super::QueryError;
use super::card::link;
use super::page;
use crate::api::{AgentPair, DelegationRow, DelegationState, Delegations, DelegationsQuery, SessionLink};
use crate::hub::{Hub, Run, Session, count};
use crate::ids::{AgentId, EventId, SessionId};
use crate::session::ARCHIVE_AFTER_MS;

/// Default and maximum number of rows.
const DEFAULT_ROWS: u32 = 2_000;
const MAX_ROWS: u32 = 10_000;
/// Characters of a text in a row; its event has the whole text.
const TEXT_CHARS: usize = 400;

/// `GET sessions/{id}/delegations`; `None` for an unknown session.
///
/// # Errors
/// When the limit is not acceptable.
pub fn delegations(
    hub: &Hub,
    now: i64,
    id: &SessionId,
    query: &DelegationsQuery,
) -> Result<Option<Delegations>, QueryError> {
    let limit = page::limit(query.limit, DEFAULT_ROWS, MAX_ROWS)?;
    let Some(session) = hub.session(id) else { return Ok(None) };
    let mut tree = DelegationTree::default();
    tree.take(hub, session, query, limit);
    Ok(Some(Delegations { session_id: Some(id.clone()), ..tree.answer(hub, now, Vec::new()) }))
}

/// `GET delegations`: the runs of all sessions, newest session first.
///
/// # Errors
/// When the limit is not acceptable.
pub fn all_delegations(hub: &Hub, now: i64, query: &DelegationsQuery) -> Result<Delegations, QueryError> {
    let limit = page::limit(query.limit, DEFAULT_ROWS, MAX_ROWS)?;
    let since = query.since.unwrap_or(i64::MIN);
    let (mut tree, mut sessions) = (DelegationTree::default(), Vec::new());
    for session in hub.sessions().take_while(|session| session.state.last() >= since) {
        let before = tree.rows.len();
        tree.take(hub, session, query, limit);
        if tree.rows.len() > before {
            sessions.push(link(hub, &session.id));
        }
    }
    Ok(tree.answer(hub, now, sessions))
}

/// Rows collected so far.
#[derive(Default)]
struct DelegationTree {
    rows: Vec<DelegationRow>,
    total: usize,
}

impl DelegationTree {
    /// Adds the matching runs of a session, whole branches of them, up to the limit of rows.
    fn take(&mut self, hub: &Hub, session: &Session, query: &DelegationsQuery, limit: usize) {
        if session.state.has_runs() {
            session.state.read(|state| self.take_runs(hub, session, &state.runs.list, query, limit));
        }
    }

    fn take_runs(&mut self, hub: &Hub, session: &Session, runs: &[Run], query: &DelegationsQuery, limit: usize) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); runs.len()];
        let mut top = Vec::new();
        for (position, run) in runs.iter().enumerate() {
            match run.parent.filter(|parent| *parent < position) {
                Some(parent) => children[parent].push(position),
                None => top.push(position),
            }
        }
        for root in top {
            // Depth first, without recursion: nothing limits how deep a log may nest.
            let mut branch = Vec::new();
            let mut stack = vec![(root, 0_u32)];
            while let Some((position, depth)) = stack.pop() {
                branch.push((position, depth));
                stack.extend(children[position].iter().rev().map(|child| (*child, depth.saturating_add(1))));
            }
            if !branch.iter().any(|(position, _)| fits(&runs[*position], query)) {
                continue;
            }
            self.total += branch.len();
            let room = limit.saturating_sub(self.rows.len());
            let shown = branch.into_iter().take(room);
            self.rows.extend(
                shown.map(|(position, depth)| row(hub, session, &runs[position], depth, children[position].len())),
            );
        }
    }

    fn answer(self, hub: &Hub, now: i64, sessions: Vec<SessionLink>) -> Delegations {
        let starts = self.rows.iter().map(|row| row.start_time);
        let ends = self.rows.iter().filter_map(|row| row.end_time.or(row.accepted_at));
        let times = || starts.clone().chain(ends.clone()).filter(|at| *at > 0);
        Delegations {
            session_id: None,
            slowest: slowest(&self.rows, now),
            start_time: times().min().unwrap_or(0),
            end_time: times().max().unwrap_or(0),
            total: count(self.total),
            rows: self.rows,
            sessions,
            cursor: hub.cursor(),
            now,
        }
    }
}

fn fits(run: &Run, query: &DelegationsQuery) -> bool {
    let from = |id: &AgentId| run.from.as_ref() == Some(id);
    let between =
        |pair: &AgentPair| pair.directions().iter().any(|(asks, receiver)| from(asks) && run.to == **receiver);
    let newest = run.ended_at.or(run.accepted_at).unwrap_or(run.started_at);
    query.since.is_none_or(|since| newest >= since)
        && query.until.is_none_or(|until| run.started_at <= until)
        && (query.agents.is_empty() || query.agents.iter().any(|id| run.to == *id || from(id)))
        && query.from.as_ref().is_none_or(from)
        && query.to.as_ref().is_none_or(|to| run.to == *to)
        && (query.pairs.is_empty() || query.pairs.iter().any(between))
}

fn row(hub: &Hub, session: &Session, run: &Run, depth: u32, children: usize) -> DelegationRow {
    let shown = |index: u32| {
        let text = hub.event(index).display_text().unwrap_or_default();
        match text.char_indices().nth(TEXT_CHARS) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
            None => text,
        }
    };
    let first = hub.event(run.events[0]);
    DelegationRow {
        id: first.id(),
        depth,
        session_id: session.id.as_ref().clone(),
        from: run.from.clone(),
        to: run.to.clone(),
        label: run.label.clone(),
        text: if run.orphan { String::new() } else { shown(run.events[0]) },
        run_id: run.run_id.clone(),
        state: run.state,
        orphan: run.orphan,
        unknown_type: (run.state == DelegationState::Unknown).then(|| first.event_type().to_owned()),
        start_time: run.started_at,
        accepted_at: run.accepted_at,
        end_time: run.ended_at,
        result: run.result.map(shown).filter(|text| !text.is_empty()),
        error: run.error.clone(),
        events: count(run.events.len()),
        children: count(children),
        origin: first.origin(),
    }
}

/// Duration so far; `None` without times, or when the run is so old that it will hardly end.
fn took(row: &DelegationRow, now: i64) -> Option<i64> {
    let end = row.end_time.or_else(|| row.is_open().then_some(now))?;
    let length = end.checked_sub(row.start_time).filter(|length| *length >= 0)?;
    (row.start_time > 0 && (row.end_time.is_some() || length <= ARCHIVE_AFTER_MS)).then_some(length)
}

/// The slowest branch of rows in the order of the tree.
fn slowest(rows: &[DelegationRow], now: i64) -> Vec<EventId> {
    if rows.len() < 2 {
        return Vec::new();
    }
    let timed = |index: &usize| took(&rows[*index], now);
    let top = (0..rows.len()).filter(|index| rows[*index].depth == 0 && timed(index).is_some());
    // The first of equals, so that an answer is deterministic.
    let Some(mut at) = top.rev().max_by_key(|index| timed(index)) else { return Vec::new() };
    let mut path = vec![rows[at].id.clone()];
    loop {
        let depth = rows[at].depth;
        let end = (at + 1..rows.len()).find(|index| rows[*index].depth <= depth).unwrap_or(rows.len());
        let children = (at + 1..end).filter(|index| rows[*index].depth == depth + 1 && timed(index).is_some());
        let Some(next) = children.rev().max_by_key(|index| rows[*index].end_time.unwrap_or(now)) else { return path };
        path.push(rows[next].id.clone());
        at = next;
    }
}
