//! `GET sessions/{id}/delegations`: the tree of spawned runs.

use crate::api::{DelegationNode, Delegations};
use crate::hub::{Hub, Run};
use crate::ids::SessionId;
use crate::text;

/// Deepest nesting shown; what lies deeper hangs on the last level.
const MAX_DEPTH: u32 = 32;

/// `GET sessions/{id}/delegations`.
#[must_use]
pub fn delegations(hub: &Hub, now: i64, id: &SessionId) -> Option<Delegations> {
    let runs = &hub.session(id)?.state.runs.list;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); runs.len()];
    let mut depths = vec![0_u32; runs.len()];
    let mut top = Vec::new();
    // A parent always stands before its children.
    for (position, run) in runs.iter().enumerate() {
        match run.parent.filter(|parent| depths[*parent] < MAX_DEPTH) {
            Some(parent) => {
                depths[position] = depths[parent] + 1;
                children[parent].push(position);
            }
            None => top.push(position),
        }
    }
    let mut times = runs.iter().flat_map(|run| &run.events).map(|index| hub.event(*index).at).filter(|at| *at > 0);
    let (start_time, end_time) = match times.next() {
        Some(first) => times.fold((first, first), |(start, end), at| (start.min(at), end.max(at))),
        None => (0, 0),
    };
    Some(Delegations {
        session_id: id.clone(),
        nodes: top.iter().map(|position| node(hub, runs, &children, *position, 0)).collect(),
        start_time,
        end_time,
        cursor: hub.cursor(),
        now,
    })
}

fn node(hub: &Hub, runs: &[Run], children: &[Vec<usize>], position: usize, depth: u32) -> DelegationNode {
    let run = &runs[position];
    let shown = |index: u32| text::display(hub.event(index)).unwrap_or_default();
    DelegationNode {
        id: hub.event(run.events[0]).id(),
        from: run.from.clone(),
        to: run.to.clone(),
        label: run.label.clone(),
        text: if run.orphan { String::new() } else { shown(run.events[0]) },
        run_id: run.run_id.clone(),
        state: run.state,
        orphan: run.orphan,
        start_time: run.started_at,
        accepted_at: run.accepted_at,
        end_time: run.ended_at,
        result: run.result.map(shown).filter(|text| !text.is_empty()),
        error: run.error.clone(),
        depth,
        events: run.events.iter().map(|index| hub.event(*index).id()).collect(),
        children: children[position].iter().map(|child| node(hub, runs, children, *child, depth + 1)).collect(),
    }
}
