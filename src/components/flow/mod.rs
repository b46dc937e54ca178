//! View of a session's flow (협업 흐름), a sequence diagram of its messages, delegated runs and tasks. It consists of
//! drawing, table and details panel. `coordination::flow_layout` computes the layout.

mod arrow;
mod background;
mod delegation;
mod details;
mod drawing;
mod export;
mod extent;
mod legend;
mod links;
mod mark_text;
mod minimap;
mod sheets;
mod table;
mod task_bar;

use std::collections::HashMap;
use std::sync::Arc;

use coordination::api::Flow;
use coordination::flow_layout::{Area, FlowLayout, MarkRef};
use coordination::ids::{EventId, SessionId};

pub use details::{Details, Panel};
pub use drawing::{DrawingContext, FlowDrawing, bring_into_view, mark_id};
pub use export::save;
pub use sheets::FlowSheets;
pub use table::{FlowList, FlowTable, Listing};

/// A flow, the positions of its marks, and which mark each of its events belongs to.
pub struct DrawnFlow {
    /// The flow.
    pub flow: Arc<Flow>,
    /// Its layout.
    pub layout: FlowLayout,
    marks: HashMap<EventId, MarkRef>,
}

impl DrawnFlow {
    /// Puts them together.
    pub fn new(flow: Arc<Flow>, layout: FlowLayout) -> Self {
        let mut marks = HashMap::new();
        let arrows = flow.arrows.iter().enumerate();
        marks.extend(arrows.flat_map(|(at, arrow)| arrow.events().map(move |id| (id.clone(), MarkRef::Arrow(at)))));
        for (at, delegation) in flow.delegations.iter().enumerate() {
            marks.extend(delegation.events.iter().map(|id| (id.clone(), MarkRef::Delegation(at))));
        }
        for (at, task_bar) in flow.task_bars.iter().enumerate() {
            marks.insert(EventId::from(task_bar.id.to_string()), MarkRef::TaskBar(at));
            marks.extend(task_bar.events.iter().map(|id| (id.clone(), MarkRef::TaskBar(at))));
        }
        for (at, note) in flow.notes.iter().enumerate() {
            marks.extend(note.events.iter().map(|id| (id.clone(), MarkRef::Note(at))));
        }
        Self { flow, layout, marks }
    }

    /// The session.
    pub fn session(&self) -> &SessionId {
        &self.flow.session_id
    }

    /// The mark an event belongs to.
    pub fn mark(&self, event: &EventId) -> Option<MarkRef> {
        self.marks.get(event).copied()
    }

    /// What names a mark in the address.
    pub fn name(&self, of: MarkRef) -> EventId {
        match of {
            MarkRef::Arrow(at) => self.flow.arrows[at].id.clone(),
            MarkRef::Delegation(at) => self.flow.delegations[at].id.clone(),
            MarkRef::TaskBar(at) => EventId::from(self.flow.task_bars[at].id.to_string()),
            MarkRef::Note(at) => self.flow.notes[at].id.clone(),
        }
    }

    /// Outline of a mark, if it has one.
    pub fn area(&self, of: MarkRef) -> Option<Area> {
        Some(extent::outline(self, of)).filter(|area| area.height > 0.0)
    }

    /// All events of a mark, oldest first.
    pub fn events(&self, of: MarkRef) -> Vec<EventId> {
        match of {
            MarkRef::Arrow(at) => self.flow.arrows[at].events().cloned().collect(),
            MarkRef::Delegation(at) => self.flow.delegations[at].events.clone(),
            MarkRef::TaskBar(at) => self.flow.task_bars[at].events.clone(),
            MarkRef::Note(at) => self.flow.notes[at].events.clone(),
        }
    }
}

/// A selected mark. It stays the same one while an answer changes other marks only.
#[derive(Clone)]
pub struct Chosen {
    /// The flow it belongs to.
    pub flow: Arc<DrawnFlow>,
    /// Which.
    pub of: MarkRef,
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.flow.flow, &other.flow.flow);
        match (self.of, other.of) {
            (MarkRef::Arrow(m), MarkRef::Arrow(n)) => a.arrows[m] == b.arrows[n],
            (MarkRef::Delegation(m), MarkRef::Delegation(n)) => a.delegations[m] == b.delegations[n],
            (MarkRef::TaskBar(m), MarkRef::TaskBar(n)) => a.task_bars[m] == b.task_bars[n],
            (MarkRef::Note(m), MarkRef::Note(n)) => a.notes[m] == b.notes[n],
            _ => false,
        }
    }
}
