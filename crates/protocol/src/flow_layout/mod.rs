//! Layout of a [`Flow`](crate::api::Flow), the sequence diagram of a session: position and size of every drawn item, for
//! screen, print and exported file. Time runs downwards. Labels never overlap ([`vertical`]). The cost grows with the
//! number of drawn items times the number of lanes.

mod columns;
mod minimap;
mod sequence;
mod sheets;
mod vertical;

pub use minimap::{MinimapRow, minimap_rows};
pub use sheets::{PaperSize, Sheet, SheetPart, Sheets, sheets};
pub use vertical::layout;

/// Pauses at least this long are folded.
pub const MIN_FOLDED_PAUSE_MS: i64 = 1_800_000;
/// A session whose newest event is older than this has no line for now.
const MAX_NOW_LINE_AGE_MS: i64 = 86_400_000;

/// Settings of a layout that the caller chooses.
pub struct LayoutOptions<'a> {
    /// True for a pause that is to be unfolded, by the time it begins (epoch milliseconds).
    pub unfolded: &'a dyn Fn(i64) -> bool,
    /// The user's local day of a time, as a number.
    pub day: &'a dyn Fn(i64) -> i64,
}

/// A rectangle in units of the drawing (pixels at zoom 1).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    /// True when the two share more than an edge.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }

    /// Lower edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// A drawing. Its marks have the same indexes as in the flow.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowLayout {
    /// Width of all.
    pub width: f64,
    /// Height of all.
    pub height: f64,
    /// Middle of each lane.
    pub lanes: Vec<f64>,
    /// One for each arrow.
    pub arrows: Vec<ArrowAt>,
    /// One for each delegation.
    pub delegations: Vec<DelegationAt>,
    /// One for each task bar.
    pub task_bars: Vec<TaskBarAt>,
    /// One for each note.
    pub notes: Vec<NoteAt>,
    /// While an agent had a request before it answered: lanes' own stretches, merged where they meet.
    pub work: Vec<WorkSpan>,
    /// Pauses, from the top.
    pub pauses: Vec<Pause>,
    /// Times at the left edge, from the top.
    pub ticks: Vec<Tick>,
    /// The marks in order of reading.
    pub stops: Vec<Stop>,
    /// The line for now, where the session may continue.
    pub now: Option<f64>,
}

/// A mark of the flow, by its position there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MarkRef {
    /// An arrow.
    Arrow(usize),
    /// A delegation.
    Delegation(usize),
    /// A task bar.
    TaskBar(usize),
    /// A note.
    Note(usize),
}

/// A mark in order of reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// The mark.
    pub of: MarkRef,
    /// Its upper end.
    pub top: f64,
    /// Its lower end.
    pub bottom: f64,
    /// When it begins.
    pub at: i64,
}

/// An arrow: from `x0`, `y0` to `x1`, `y1`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ArrowAt {
    /// Where it leaves.
    pub x0: f64,
    /// Where it leaves.
    pub y0: f64,
    /// Where it arrives; the same lane when an agent speaks to itself.
    pub x1: f64,
    /// Where it arrives.
    pub y1: f64,
    /// For its text, above the line.
    pub text: Area,
    /// For what became of it, below the line.
    pub fate: Option<Area>,
}

/// A delegation: leaves its lane at `y0`, comes back at `y1`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DelegationAt {
    /// The edge of its lane.
    pub lane: f64,
    /// Its own stem.
    pub stem: f64,
    /// Where it leaves; the same as `y1` where the log does not say when.
    pub y0: f64,
    /// Where it comes back, or the end of the drawing.
    pub y1: f64,
    /// It has come back.
    pub back: bool,
    /// For who and what.
    pub name: Area,
    /// For how it ended, or that it has not.
    pub fate: Area,
}

/// A task bar.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskBarAt {
    /// One for each span.
    pub spans: Vec<SpanAt>,
}

/// A section of a task bar, and the label next to its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpanAt {
    /// The stretch; without height where the status ends the task.
    pub area: Area,
    /// For its words, two lines.
    pub text: Area,
    /// The words end at the task bar instead of beginning there.
    pub left: bool,
}

/// A note on its lane.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NoteAt {
    /// Middle of its dot.
    pub x: f64,
    /// Middle of its dot.
    pub y: f64,
    /// For its words.
    pub text: Area,
}

/// A stretch of work on a lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkSpan {
    /// Lane, by position.
    pub lane: usize,
    /// Upper end.
    pub y0: f64,
    /// Lower end.
    pub y1: f64,
}

/// A time without events.
#[derive(Debug, Clone, PartialEq)]
pub struct Pause {
    /// When it begins.
    pub from: i64,
    /// When it ends.
    pub to: i64,
    /// Its place over the whole width.
    pub area: Area,
    /// It is folded.
    pub folded: bool,
    /// Unfolded: times in it, and where they are.
    pub hours: Vec<(i64, f64)>,
}

/// A time at the left edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub struct Tick {
    /// The time.
    pub at: i64,
    /// A new day begins with it: the day is above.
    pub day: bool,
    /// Where: the line of its text, in whole units.
    pub y: i64,
}

impl FlowLayout {
    /// The upper end of a mark.
    #[must_use]
    pub fn stop(&self, of: MarkRef) -> Option<&Stop> {
        self.stops.iter().find(|stop| stop.of == of)
    }

    /// All places of words: none of them shares room with another.
    pub fn labels(&self) -> impl Iterator<Item = Area> {
        let arrows = self.arrows.iter().flat_map(|arrow| [Some(arrow.text), arrow.fate]).flatten();
        let delegations = self.delegations.iter().flat_map(|delegation| [delegation.name, delegation.fate]);
        let task_bars = self.task_bars.iter().flat_map(|task_bar| &task_bar.spans).map(|span| span.text);
        let notes = self.notes.iter().map(|note| note.text);
        let pauses = self.pauses.iter().map(|pause| pause.area);
        arrows.chain(delegations).chain(task_bars).chain(notes).chain(pauses).filter(|area| area.height > 0.0)
    }
}
