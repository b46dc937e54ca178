//! The flow of a session (협업 흐름): drawing, table and details over one flow and its layout
//! (`coordination::braid`). The layout decides all positions.

mod arrow;
mod details;
mod drawing;
mod export;
mod ground;
mod legend;
mod links;
mod mark_text;
mod minimap;
mod reach;
mod ribbon;
mod sheets;
mod table;
mod twig;

use std::collections::HashMap;
use std::sync::Arc;

use coordination::api::Flow;
use coordination::flow_layout::{Area, Layout, Of};
use coordination::ids::{EventId, SessionId};

pub use details::{Details, Panel};
pub use drawing::{Drawing, Stage, bring_into_view, mark_id};
pub use export::save;
pub use sheets::Sheets;
pub use table::{FlowList, FlowTable, Listing};

/// A flow, the positions of its marks, and which mark each of its events belongs to.
pub struct Braid {
    /// The flow.
    pub flow: Arc<Flow>,
    /// Its layout.
    pub layout: Layout,
    marks: HashMap<EventId, Of>,
}

impl Braid {
    /// Puts them together.
    pub fn new(flow: Arc<Flow>, layout: Layout) -> Self {
        let mut marks = HashMap::new();
        let arrows = flow.arrows.iter().enumerate();
        marks.extend(arrows.flat_map(|(at, arrow)| arrow.events().map(move |id| (id.clone(), Of::Arrow(at)))));
        for (at, twig) in flow.twigs.iter().enumerate() {
            marks.extend(twig.events.iter().map(|id| (id.clone(), Of::Twig(at))));
        }
        for (at, ribbon) in flow.ribbons.iter().enumerate() {
            marks.insert(EventId(ribbon.id.to_string()), Of::Ribbon(at));
            marks.extend(ribbon.events.iter().map(|id| (id.clone(), Of::Ribbon(at))));
        }
        for (at, note) in flow.notes.iter().enumerate() {
            marks.extend(note.events.iter().map(|id| (id.clone(), Of::Note(at))));
        }
        Self { flow, layout, marks }
    }

    /// The session.
    pub fn session(&self) -> &SessionId {
        &self.flow.session_id
    }

    /// The mark an event belongs to.
    pub fn mark(&self, event: &EventId) -> Option<Of> {
        self.marks.get(event).copied()
    }

    /// What names a mark in the address.
    pub fn name(&self, of: Of) -> EventId {
        match of {
            Of::Arrow(at) => self.flow.arrows[at].id.clone(),
            Of::Twig(at) => self.flow.twigs[at].id.clone(),
            Of::Ribbon(at) => EventId(self.flow.ribbons[at].id.to_string()),
            Of::Note(at) => self.flow.notes[at].id.clone(),
        }
    }

    /// Outline of a mark, if it has one.
    pub fn area(&self, of: Of) -> Option<Area> {
        Some(reach::outline(self, of)).filter(|area| area.height > 0.0)
    }

    /// All events of a mark, oldest first.
    pub fn events(&self, of: Of) -> Vec<EventId> {
        match of {
            Of::Arrow(at) => self.flow.arrows[at].events().cloned().collect(),
            Of::Twig(at) => self.flow.twigs[at].events.clone(),
            Of::Ribbon(at) => self.flow.ribbons[at].events.clone(),
            Of::Note(at) => self.flow.notes[at].events.clone(),
        }
    }
}

/// A selected mark. It stays the same one while an answer changes other marks only.
#[derive(Clone)]
pub struct Chosen {
    /// The flow it belongs to.
    pub braid: Arc<Braid>,
    /// Which.
    pub of: Of,
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.braid.flow, &other.braid.flow);
        match (self.of, other.of) {
            (Of::Arrow(m), Of::Arrow(n)) => a.arrows[m] == b.arrows[n],
            (Of::Twig(m), Of::Twig(n)) => a.twigs[m] == b.twigs[n],
            (Of::Ribbon(m), Of::Ribbon(n)) => a.ribbons[m] == b.ribbons[n],
            (Of::Note(m), Of::Note(n)) => a.notes[m] == b.notes[n],
            _ => false,
        }
    }
}
