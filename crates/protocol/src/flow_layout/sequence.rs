//! Rows of a flow (sequence diagram of a session), sorted by time: messages, starts and ends of delegated runs, status
//! changes of tasks, and notes.

use crate::api::{Flow, FlowDelegation};

/// One row. The order of the variants is the order within one millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SequenceRow {
    /// A task gets a status: task bar, span.
    Span(usize, usize),
    /// A message.
    Arrow(usize),
    /// A run branches off, or its first event.
    Branch(usize),
    /// A run comes back.
    Join(usize),
    /// Something else.
    Note(usize),
}

/// All rows with their times; without a usable time first.
pub(super) fn rows(flow: &Flow) -> Vec<(i64, SequenceRow)> {
    let mut rows = Vec::with_capacity(flow.arrows.len() + flow.delegations.len() * 2 + flow.notes.len());
    rows.extend(flow.arrows.iter().enumerate().map(|(at, arrow)| (arrow.at, SequenceRow::Arrow(at))));
    rows.extend(flow.notes.iter().enumerate().map(|(at, note)| (note.at, SequenceRow::Note(at))));
    for (at, delegation) in flow.delegations.iter().enumerate() {
        rows.push((delegation.start_time, SequenceRow::Branch(at)));
        if let Some(end) = join(delegation) {
            rows.push((end.max(delegation.start_time), SequenceRow::Join(at)));
        }
    }
    for (at, task_bar) in flow.task_bars.iter().enumerate() {
        let mut from = i64::MIN;
        for (number, span) in task_bar.spans.iter().enumerate() {
            // A file's times are a person's or a program's: they never run backwards here.
            from = from.max(span.from);
            rows.push((from, SequenceRow::Span(at, number)));
        }
    }
    for (at, _) in &mut rows {
        *at = (*at).max(0);
    }
    // Nearly sorted runs: the standard sort merges them in linear time.
    rows.sort();
    rows
}

/// When a run comes back, apart from its first sign. What only its result shows is one row.
pub(super) fn join(delegation: &FlowDelegation) -> Option<i64> {
    delegation.end_time.filter(|_| !delegation.orphan)
}
