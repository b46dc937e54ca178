//! URL query of the flow page: diagram or table, selected element, zoom and unfolded pauses.

use coordination::ids::EventId;

use super::filters::{UrlPairs, UrlQueryWriter, text, value};

/// View of a flow page.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowView {
    /// As a table instead of a drawing.
    pub table: bool,
    /// The selected mark, by one of its events; a task without events by its id.
    pub sel: Option<EventId>,
    /// Size of the drawing in percent, within [`FlowView::ZOOM`].
    pub zoom: u32,
    /// Pauses that are not folded.
    pub open: Unfolded,
    /// The event shown as recorded.
    pub raw: Option<EventId>,
}

/// Unfolded pauses of a flow.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Unfolded {
    /// Those that begin at these times, in order.
    These(Vec<i64>),
    /// All of them.
    All,
    /// None.
    #[default]
    None,
}

impl Default for FlowView {
    fn default() -> Self {
        Self { table: false, sel: None, zoom: 100, open: Unfolded::None, raw: None }
    }
}

impl Unfolded {
    /// True for a pause that begins then.
    pub fn holds(&self, from: i64) -> bool {
        match self {
            Self::All => true,
            Self::These(list) => list.contains(&from),
            Self::None => false,
        }
    }

    /// The other way for one pause. `all` are the beginnings of all pauses.
    pub fn toggled(&self, from: i64, all: &[i64]) -> Self {
        let list: Vec<i64> = all.iter().copied().filter(|at| self.holds(*at) != (*at == from)).collect();
        match list.len() {
            0 => Self::None,
            many if many == all.len() => Self::All,
            _ => Self::These(list),
        }
    }
}

impl FlowView {
    /// Smallest and largest size in percent.
    pub const ZOOM: (u32, u32) = (50, 200);

    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        let zoom = value::<u32>(pairs, "zoom").unwrap_or(100).clamp(Self::ZOOM.0, Self::ZOOM.1);
        let open = match text(pairs, "open").as_deref() {
            Some("all") => Unfolded::All,
            Some(list) => {
                let times: Vec<i64> = list.split(',').filter_map(|at| at.parse().ok()).collect();
                if times.is_empty() { Unfolded::None } else { Unfolded::These(times) }
            }
            None => Unfolded::None,
        };
        let table = text(pairs, "view").as_deref() == Some("table");
        Self {
            table,
            sel: text(pairs, "sel").map(EventId::from),
            zoom,
            open,
            raw: text(pairs, "raw").map(EventId::from),
        }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("view", self.table.then_some("table"));
        out.put("sel", self.sel.as_ref());
        out.put("zoom", (self.zoom != 100).then_some(self.zoom));
        let open = match &self.open {
            Unfolded::All => Some("all".to_owned()),
            Unfolded::These(list) => Some(list.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
            Unfolded::None => None,
        };
        out.put("open", open);
        out.put("raw", self.raw.as_ref());
        out.0
    }
}
