//! Link targets of the elements of a flow diagram: the message of an arrow, a run in the delegation tree, a task, an
//! event.

use coordination::flow_layout::MarkRef;

use super::DrawnFlow;
use crate::routes::{EventsFilter, TreeView, paths};

/// The address of a mark's object.
pub(super) fn target(drawn: &DrawnFlow, of: MarkRef) -> String {
    let session = drawn.session();
    match of {
        MarkRef::Arrow(at) => {
            let arrow = &drawn.flow.arrows[at];
            paths::thread_at(session, &arrow.thread, &arrow.id)
        }
        MarkRef::Delegation(at) => in_tree(drawn, &drawn.flow.delegations[at].id),
        MarkRef::TaskBar(at) => paths::task(&drawn.flow.task_bars[at].owner, &drawn.flow.task_bars[at].id),
        MarkRef::Note(at) => in_events(drawn, &drawn.flow.notes[at].id),
    }
}

/// An event in the session's events, below its tree.
pub(super) fn in_events(drawn: &DrawnFlow, event: &coordination::ids::EventId) -> String {
    paths::events(&EventsFilter { open: Some(event.clone()), ..EventsFilter::of_session(drawn.session()) })
}

/// A run in the session's delegation tree.
pub(super) fn in_tree(drawn: &DrawnFlow, run: &coordination::ids::EventId) -> String {
    let tree = TreeView { run: Some(run.clone()), ..TreeView::default() };
    paths::events(&EventsFilter { tree, ..EventsFilter::of_session(drawn.session()) })
}

impl DrawnFlow {
    /// The address of a mark's object: bubble, run, task, event.
    pub fn target(&self, of: MarkRef) -> String {
        target(self, of)
    }
}
