//! Horizontal layout of the flow diagram: x positions of lanes, delegated runs, task bars, and the spaces for labels
//! between the lanes. It also records how far down each space already has labels.

use std::collections::BTreeSet;

use super::Area;
use super::sequence::{SequenceRow, join};
use crate::api::Flow;

/// Room for the times at the left edge.
pub(super) const TIME_COLUMN_WIDTH: f64 = 84.0;
/// From there to the first lane.
const FIRST_LANE_OFFSET: f64 = 64.0;
/// Half the width of a task bar: labels next to a lane begin here.
pub(super) const HALF_TASK_BAR_WIDTH: f64 = 13.0;
/// Room for words between two lanes.
const LABEL_WIDTH: f64 = 192.0;
/// Space between the lane of people and the next one, without labels.
const PEOPLE_GAP_WIDTH: f64 = 72.0;
/// Space between a label and its mark.
const LABEL_GAP: f64 = 8.0;
/// A further task bar of the same lane.
const TASK_BAR_OFFSET: f64 = 14.0;
/// Between two stems, while they are few; many share [`STEMS_WIDTH`].
const STEM_GAP: f64 = 14.0;
const STEMS_WIDTH: f64 = 112.0;

/// Positions next to a lane that are in use.
#[derive(Debug, Clone, Default)]
struct SideSlots {
    free: BTreeSet<usize>,
    all: usize,
}

impl SideSlots {
    fn take(&mut self) -> usize {
        self.free.pop_first().unwrap_or_else(|| {
            self.all += 1;
            self.all - 1
        })
    }
}

/// The lane of this number, at most the last one.
fn within(number: u32, lanes: usize) -> usize {
    (number as usize).min(lanes.saturating_sub(1))
}

/// Whether the lane of people has only messages, and those pass the lane next to it. Their labels have room
/// beyond that lane, and the lane of people needs no room for labels of its own.
fn only_passes(flow: &Flow, lanes: usize) -> bool {
    let column = |lane: u32| within(lane, lanes);
    let passes = flow.arrows.iter().all(|arrow| {
        let (from, to) = (column(arrow.from), column(arrow.to));
        from.min(to) > 0 || (from == 0 && to > 1)
    });
    let bare = flow.delegations.iter().all(|delegation| column(delegation.lane) > 0)
        && flow.task_bars.iter().all(|task_bar| column(task_bar.lane) > 0)
        && flow.notes.iter().all(|note| column(note.lane) > 0);
    flow.lanes.first().is_some_and(|lane| lane.person) && passes && bare
}

/// Horizontal positions.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    /// Middle of each lane.
    pub(super) lanes: Vec<f64>,
    /// Words between lane `n - 1` and lane `n`: left edge, width. One more than lanes.
    words: Vec<(f64, f64)>,
    /// The space next to the lane of people has no labels.
    narrow: bool,
    /// How far down each of them is filled.
    filled: Vec<f64>,
    /// Slot of each delegation.
    delegations: Vec<usize>,
    /// Slot of each task bar.
    task_bars: Vec<usize>,
    /// How many slots each lane has.
    stems: Vec<usize>,
    /// Width of all.
    pub(super) width: f64,
}

impl Columns {
    pub(super) fn new(flow: &Flow, rows: &[(i64, SequenceRow)]) -> Self {
        // Marks of a flow without lanes have one all the same.
        let lanes = flow.lanes.len().max(usize::from(!rows.is_empty()));
        let mut columns = Self {
            delegations: vec![0; flow.delegations.len()],
            task_bars: vec![0; flow.task_bars.len()],
            ..Self::default()
        };
        let (mut stems, mut sides) = (vec![SideSlots::default(); lanes], vec![SideSlots::default(); lanes]);
        for (_, row) in rows {
            match *row {
                SequenceRow::Branch(at) => {
                    let delegation = &flow.delegations[at];
                    let Some(slots) = stems.get_mut(within(delegation.lane, lanes)) else { continue };
                    columns.delegations[at] = slots.take();
                    if delegation.orphan && join(delegation).is_none() {
                        slots.free.insert(columns.delegations[at]);
                    }
                }
                SequenceRow::Join(at) => {
                    if let Some(slots) = stems.get_mut(within(flow.delegations[at].lane, lanes)) {
                        slots.free.insert(columns.delegations[at]);
                    }
                }
                SequenceRow::Span(at, number) => {
                    let task_bar = &flow.task_bars[at];
                    let Some(slots) = sides.get_mut(within(task_bar.lane, lanes)) else { continue };
                    if number == 0 {
                        columns.task_bars[at] = slots.take();
                    }
                    if number + 1 == task_bar.spans.len() && task_bar.spans[number].status.ended() {
                        slots.free.insert(columns.task_bars[at]);
                    }
                }
                SequenceRow::Arrow(_) | SequenceRow::Note(_) => {}
            }
        }
        columns.stems = stems.iter().map(|slots| slots.all).collect();
        columns.narrow = only_passes(flow, lanes);
        let left = |lane: usize| {
            HALF_TASK_BAR_WIDTH
                + TASK_BAR_OFFSET * sides.get(lane).map_or(0, |slots| slots.all).saturating_sub(1) as f64
        };
        let mut x = TIME_COLUMN_WIDTH + FIRST_LANE_OFFSET + left(0);
        columns.words.push((TIME_COLUMN_WIDTH, (x - left(0) - TIME_COLUMN_WIDTH).max(0.0)));
        for lane in 0..lanes {
            columns.lanes.push(x);
            let from = x + columns.right(lane) + LABEL_GAP;
            let room = if lane == 0 && columns.narrow { PEOPLE_GAP_WIDTH } else { LABEL_WIDTH };
            columns.words.push((from, room));
            x = from + room + LABEL_GAP + left(lane + 1);
        }
        columns.width = columns.words.last().map_or(x, |(from, width)| from + width + LABEL_GAP);
        columns.filled = vec![0.0; columns.words.len()];
        columns
    }

    /// The lane of this number; a number beyond the lanes means the last one.
    pub(super) fn lane(&self, number: u32) -> usize {
        within(number, self.lanes.len())
    }

    /// The space for the words of an arrow: next to the sender, on the way to the addressee.
    pub(super) fn label_space(&self, source: usize, target: usize) -> usize {
        match source {
            0 if self.narrow && target > 1 => 2,
            _ if target < source => source,
            _ => source + 1,
        }
    }

    /// A space is for words.
    pub(super) fn has_words(&self, space: usize) -> bool {
        !(self.narrow && space == 1)
    }

    /// From a lane to the words at its right.
    fn right(&self, lane: usize) -> f64 {
        let stems = self.stems.get(lane).copied().unwrap_or(0);
        HALF_TASK_BAR_WIDTH + if stems == 0 { 0.0 } else { STEM_GAP + self.stem_step(lane) * (stems - 1) as f64 }
    }

    fn stem_step(&self, lane: usize) -> f64 {
        STEM_GAP.min(STEMS_WIDTH / self.stems[lane].max(1) as f64)
    }

    /// Position of the stem of a delegation.
    pub(super) fn stem(&self, lane: usize, delegation: usize) -> f64 {
        self.lanes[lane] + HALF_TASK_BAR_WIDTH + STEM_GAP + self.stem_step(lane) * self.delegations[delegation] as f64
    }

    /// Left edge and width of a task bar.
    pub(super) fn task_bar(&self, lane: usize, task_bar: usize) -> (f64, f64) {
        let slot = self.task_bars[task_bar];
        if slot == 0 {
            return (self.lanes[lane] - HALF_TASK_BAR_WIDTH, HALF_TASK_BAR_WIDTH * 2.0);
        }
        (self.lanes[lane] - HALF_TASK_BAR_WIDTH - TASK_BAR_OFFSET * slot as f64, TASK_BAR_OFFSET - 4.0)
    }

    /// Room for words in a space, from `y` on.
    pub(super) fn words(&self, space: usize, y: f64, height: f64) -> Area {
        let (x, width) = self.words[space];
        Area { x, y, width, height }
    }

    /// How far down a space is filled.
    pub(super) fn filled(&self, space: usize) -> f64 {
        self.filled[space]
    }

    /// It is filled down to `y`.
    pub(super) fn fill(&mut self, space: usize, y: f64) {
        self.filled[space] = self.filled[space].max(y);
    }

    /// All are filled down to `y`.
    pub(super) fn fill_all(&mut self, y: f64) {
        for filled in &mut self.filled {
            *filled = filled.max(y);
        }
    }

    /// How far down the fullest is filled.
    pub(super) fn deepest(&self) -> f64 {
        self.filled.iter().copied().fold(0.0, f64::max)
    }
}
