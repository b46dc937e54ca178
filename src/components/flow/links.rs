//! Links of a mark: its bubble, its node in the delegation tree, its task, its events.

use coordination::flow_layout::MarkRef;

use super::DrawnFlow;
use crate::routes::{EventsFilter, TreeView, paths};

/// The address of a mark's object.
pub(super) fn target(braid: &DrawnFlow, of: MarkRef) -> String {
    let session = braid.session();
    match of {
        MarkRef::Arrow(at) => {
            let arrow = &braid.flow.arrows[at];
            paths::thread_at(session, &arrow.thread, &arrow.id)
        }
        MarkRef::Twig(at) => in_tree(braid, &braid.flow.twigs[at].id),
        MarkRef::Ribbon(at) => paths::task(&braid.flow.ribbons[at].owner, &braid.flow.ribbons[at].id),
        MarkRef::Note(at) => in_events(braid, &braid.flow.notes[at].id),
    }
}

/// An event in the session's events, below its tree.
pub(super) fn in_events(braid: &DrawnFlow, event: &coordination::ids::EventId) -> String {
    paths::events(&EventsFilter { open: Some(event.clone()), ..EventsFilter::of_session(braid.session()) })
}

/// A run in the session's delegation tree.
pub(super) fn in_tree(braid: &DrawnFlow, run: &coordination::ids::EventId) -> String {
    let tree = TreeView { run: Some(run.clone()), ..TreeView::default() };
    paths::events(&EventsFilter { tree, ..EventsFilter::of_session(braid.session()) })
}

impl DrawnFlow {
    /// The address of a mark's object: bubble, run, task, event.
    pub fn target(&self, of: MarkRef) -> String {
        target(self, of)
    }
}
