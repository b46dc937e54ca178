//! Vertical layout pass of the flow diagram: y positions of arrows, delegated runs, task bars, notes, pauses and time
//! labels. Rows are placed in order of time. The distance to the row above grows with the elapsed time and with the
//! labels in between.

use std::collections::HashMap;

use super::columns::{Columns, HALF_TASK_BAR_WIDTH, TIME_COLUMN_WIDTH};
use super::sequence::{SequenceRow, join, rows};
use super::{
    Area, ArrowAt, DelegationAt, FlowLayout, LayoutOptions, MAX_NOW_LINE_AGE_MS, MIN_FOLDED_PAUSE_MS, MarkRef, NoteAt,
    Pause, SpanAt, Stop, TaskBarAt, Tick, WorkSpan,
};
use crate::api::{ArrowKind, Flow, FlowArrow};
use crate::delivery::DeliveryState;
use crate::ids::EventId;

/// Height of one line of words.
const LINE_HEIGHT: f64 = 18.0;
/// Between words of neighbouring rows.
const ROW_GAP: f64 = 6.0;
/// An arrow drops by this much on its way: the addressee reads it after it was sent.
const ARROW_DROP: f64 = 10.0;
/// An arrow ends this far from its lane's middle.
const ARROW_TIP_INSET: f64 = 10.0;
/// Least distance between two rows of different times.
const MIN_ROW_STEP: f64 = 7.0;
/// Most extra height for a long time between two rows.
const MAX_TIME_GAP_HEIGHT: f64 = 22.0;
/// Height of a folded pause.
const FOLDED_PAUSE_HEIGHT: f64 = 44.0;
/// Unfolded, an hour takes this much, within bounds.
const HOUR_HEIGHT: f64 = 26.0;
const UNFOLDED_PAUSE_HEIGHT_RANGE: (f64, f64) = (96.0, 900.0);
const HOUR_MS: i64 = 3_600_000;
/// Between the first row and the upper edge.
const TOP_MARGIN: f64 = 44.0;

/// Places every mark of a flow.
#[must_use]
pub fn layout(flow: &Flow, options: &LayoutOptions<'_>) -> FlowLayout {
    let rows = rows(flow);
    let columns = Columns::new(flow, &rows);
    let mut drawing = Drawing {
        flow,
        options,
        out: FlowLayout {
            width: columns.width,
            lanes: columns.lanes.clone(),
            arrows: vec![ArrowAt::default(); flow.arrows.len()],
            delegations: vec![DelegationAt::default(); flow.delegations.len()],
            task_bars: flow
                .task_bars
                .iter()
                .map(|it| TaskBarAt { spans: vec![SpanAt::default(); it.spans.len()] })
                .collect(),
            notes: vec![NoteAt::default(); flow.notes.len()],
            ..FlowLayout::default()
        },
        columns,
        y: TOP_MARGIN,
        at: 0,
        day: None,
        timed_to: 0.0,
        requests: HashMap::new(),
        runs: Vec::new(),
    };
    for (at, row) in rows {
        drawing.row(at, row);
    }
    drawing.finish()
}

struct Drawing<'a> {
    flow: &'a Flow,
    options: &'a LayoutOptions<'a>,
    columns: Columns,
    out: FlowLayout,
    /// Position of the newest row, and its time.
    y: f64,
    at: i64,
    /// The day of the newest tick.
    day: Option<i64>,
    /// How far down the left edge is filled with times.
    timed_to: f64,
    /// Where each request arrived.
    requests: HashMap<&'a EventId, (usize, f64)>,
    /// Stretches of work as they were found: lane, from, to.
    runs: Vec<(usize, f64, f64)>,
}

impl<'a> Drawing<'a> {
    fn row(&mut self, at: i64, row: SequenceRow) {
        let from = self.row_top(at);
        let y = match row {
            SequenceRow::Span(task_bar, span) => self.span(task_bar, span, at, from),
            SequenceRow::Arrow(arrow) => self.arrow(arrow, from),
            SequenceRow::Branch(delegation) => self.branch(delegation, from),
            SequenceRow::Join(delegation) => self.join(delegation, from),
            SequenceRow::Note(note) => self.note(note, from),
        };
        self.y = y;
        self.at = at;
        self.tick(at, y);
    }

    /// The least place of a row of this time.
    fn row_top(&mut self, at: i64) -> f64 {
        let passed = at - self.at;
        let first = self.at == 0;
        if !first && passed >= MIN_FOLDED_PAUSE_MS {
            self.pause(self.at, at);
        }
        let new_day = at > 0 && self.day != Some((self.options.day)(at));
        let room = if first || passed == 0 {
            0.0
        } else {
            MIN_ROW_STEP + (5.0 * (1.0 + passed as f64 / 60_000.0).log2()).min(MAX_TIME_GAP_HEIGHT)
        };
        let least = if new_day { self.timed_to + 2.0 * LINE_HEIGHT } else { 0.0 };
        if passed >= MIN_FOLDED_PAUSE_MS && !first { self.y.max(least) } else { (self.y + room).max(least) }
    }

    fn pause(&mut self, from: i64, to: i64) {
        let top = self.columns.deepest().max(self.y + ARROW_DROP) + ROW_GAP + 4.0;
        let folded = !(self.options.unfolded)(from);
        let hours = (to - from) as f64 / HOUR_MS as f64;
        let height = if folded {
            FOLDED_PAUSE_HEIGHT
        } else {
            (hours * HOUR_HEIGHT).clamp(UNFOLDED_PAUSE_HEIGHT_RANGE.0, UNFOLDED_PAUSE_HEIGHT_RANGE.1)
        };
        let area = Area { x: TIME_COLUMN_WIDTH, y: top, width: self.out.width - TIME_COLUMN_WIDTH, height };
        let steps = if folded { 0 } else { 6 };
        let hours = (1..=steps).map(|step| {
            let share = f64::from(step) / f64::from(steps + 1);
            #[allow(clippy::cast_possible_truncation, reason = "a share of a time")]
            let at = from + ((to - from) as f64 * share) as i64;
            (at, top + LINE_HEIGHT + (height - LINE_HEIGHT) * share)
        });
        self.out.pauses.push(Pause { from, to, area, folded, hours: hours.collect() });
        self.columns.fill_all(area.bottom() + ROW_GAP);
        self.timed_to = self.timed_to.max(area.bottom());
        self.y = area.bottom() + LINE_HEIGHT + ROW_GAP;
    }

    /// The time of a row at the left edge, where there is room for it.
    fn tick(&mut self, at: i64, y: f64) {
        if at == 0 {
            return;
        }
        let day = (self.options.day)(at);
        let new_day = self.day != Some(day);
        let same_minute = self.out.ticks.last().is_some_and(|tick| tick.at / 60_000 == at / 60_000);
        if !new_day && (same_minute || y - LINE_HEIGHT / 2.0 < self.timed_to) {
            return;
        }
        #[allow(clippy::cast_possible_truncation, reason = "far below the limit")]
        self.out.ticks.push(Tick { at, day: new_day, y: (y + 4.0).round() as i64 });
        self.day = Some(day);
        self.timed_to = y + LINE_HEIGHT / 2.0;
    }

    fn stop(&mut self, of: MarkRef, top: f64, bottom: f64, at: i64) {
        self.out.stops.push(Stop { of, top, bottom, at });
    }

    fn arrow(&mut self, number: usize, from: f64) -> f64 {
        let arrow: &'a FlowArrow = &self.flow.arrows[number];
        let (source, target) = (self.columns.lane(arrow.from), self.columns.lane(arrow.to));
        let words = self.columns.label_space(source, target);
        let (first, last) =
            if target == source { (words, words) } else { (source.min(target) + 1, source.max(target)) };
        let above = LINE_HEIGHT + 2.0;
        let mut y = from.max(self.columns.filled(words) + above + ROW_GAP);
        for space in first..=last {
            y = y.max(self.columns.filled(space) + ROW_GAP);
        }
        let has_fate = has_outcome_label(arrow);
        let text = self.columns.words(words, y - above, LINE_HEIGHT);
        let fate = has_fate.then(|| self.columns.words(words, y + ARROW_DROP + 2.0, LINE_HEIGHT));
        for space in first..=last {
            self.columns.fill(space, y + ARROW_DROP + 4.0);
        }
        let bottom = fate.map_or(y + ARROW_DROP + 4.0, |fate| fate.bottom());
        self.columns.fill(words, bottom);
        let (a, b) = (self.out.lanes[source], self.out.lanes[target]);
        let side = if target < source { -ARROW_TIP_INSET } else { ARROW_TIP_INSET };
        let to = if target == source { a + ARROW_TIP_INSET } else { b - side };
        self.out.arrows[number] = ArrowAt { x0: a + side, y0: y, x1: to, y1: y + ARROW_DROP, text, fate };
        match (arrow.kind, &arrow.answers) {
            (ArrowKind::Request, _) => {
                self.requests.insert(&arrow.id, (target, y + ARROW_DROP));
            }
            (_, Some(request)) => {
                if let Some((lane, began)) = self.requests.get(request) {
                    self.runs.push((*lane, *began, y));
                }
            }
            _ => {}
        }
        self.stop(MarkRef::Arrow(number), y - above, bottom, arrow.at);
        y
    }

    fn branch(&mut self, number: usize, from: f64) -> f64 {
        let delegation = &self.flow.delegations[number];
        let lane = self.columns.lane(delegation.lane);
        let y = from.max(self.columns.filled(lane + 1) + LINE_HEIGHT / 2.0 + ROW_GAP);
        let name = self.columns.words(lane + 1, y - LINE_HEIGHT / 2.0, LINE_HEIGHT);
        // An unfinished run, or one without a known start, has that label below its name.
        let alone = join(delegation).is_none();
        let fate = self.columns.words(lane + 1, name.bottom(), if alone { LINE_HEIGHT } else { 0.0 });
        self.columns.fill(lane + 1, fate.bottom());
        let stem = self.columns.stem(lane, number);
        let at =
            DelegationAt { lane: self.out.lanes[lane] + 5.0, stem, y0: y, y1: y, back: delegation.orphan, name, fate };
        self.out.delegations[number] = at;
        self.stop(MarkRef::Delegation(number), name.y, fate.bottom(), delegation.start_time);
        y
    }

    fn join(&mut self, number: usize, from: f64) -> f64 {
        let lane = self.columns.lane(self.flow.delegations[number].lane);
        let y = from
            .max(self.columns.filled(lane + 1) + LINE_HEIGHT / 2.0 + 2.0)
            .max(self.out.delegations[number].y0 + LINE_HEIGHT);
        let fate = self.columns.words(lane + 1, y - LINE_HEIGHT / 2.0, LINE_HEIGHT);
        self.columns.fill(lane + 1, fate.bottom());
        let delegation = &mut self.out.delegations[number];
        (delegation.y1, delegation.back, delegation.fate) = (y, true, fate);
        y
    }

    fn span(&mut self, number: usize, span: usize, at: i64, from: f64) -> f64 {
        let task_bar = &self.flow.task_bars[number];
        let lane = self.columns.lane(task_bar.lane);
        // Next to the task bar, on the side with more room; left of the first lane are the times.
        let roomier = self.columns.filled(lane) < self.columns.filled(lane + 1);
        let left = lane > 0 && self.columns.has_words(lane) && roomier;
        let words = if left { lane } else { lane + 1 };
        let y = from.max(self.columns.filled(words) + ROW_GAP);
        let text = self.columns.words(words, y, 2.0 * LINE_HEIGHT);
        self.columns.fill(words, text.bottom());
        let (x, width) = self.columns.task_bar(lane, number);
        let placed = &mut self.out.task_bars[number].spans;
        if let Some(before) = span.checked_sub(1).filter(|before| !task_bar.spans[*before].status.ended()) {
            placed[before].area.height = y - placed[before].area.y;
        }
        placed[span] = SpanAt { area: Area { x, y, width, height: 0.0 }, text, left };
        if span == 0 {
            self.stop(MarkRef::TaskBar(number), y, text.bottom(), at);
        }
        y
    }

    fn note(&mut self, number: usize, from: f64) -> f64 {
        let note = &self.flow.notes[number];
        let lane = self.columns.lane(note.lane);
        let y = from.max(self.columns.filled(lane + 1) + LINE_HEIGHT / 2.0 + 2.0);
        let text = self.columns.words(lane + 1, y - LINE_HEIGHT / 2.0, LINE_HEIGHT);
        self.columns.fill(lane + 1, text.bottom());
        self.out.notes[number] = NoteAt { x: self.out.lanes[lane], y, text };
        self.stop(MarkRef::Note(number), text.y, text.bottom(), note.at);
        y
    }

    fn finish(mut self) -> FlowLayout {
        let since = self.flow.now.saturating_sub(self.flow.end_time);
        let goes_on = !self.flow.ended && (0..MAX_NOW_LINE_AGE_MS).contains(&since) && !self.out.stops.is_empty();
        if goes_on && self.at > 0 && self.flow.now.saturating_sub(self.at) >= MIN_FOLDED_PAUSE_MS {
            self.pause(self.at, self.flow.now);
        }
        let bottom = self.columns.deepest().max(self.y) + LINE_HEIGHT;
        self.out.now = goes_on.then_some(bottom);
        self.out.height = bottom + LINE_HEIGHT;
        // A bar without an end continues to the end of the drawing.
        for (delegation, at) in self.flow.delegations.iter().zip(&mut self.out.delegations) {
            if !at.back && !delegation.orphan {
                at.y1 = bottom;
            }
        }
        for (task_bar, at) in self.flow.task_bars.iter().zip(&mut self.out.task_bars) {
            let open = task_bar.spans.last().is_some_and(|span| !span.status.ended());
            if let Some(last) = at.spans.last_mut().filter(|_| open) {
                last.area.height = bottom - last.area.y;
            }
        }
        self.out.work = merged(self.runs);
        self.out
    }
}

/// Whether there is a label below an arrow: the state of a request without a plain answer, or the kind of an answer.
fn has_outcome_label(arrow: &FlowArrow) -> bool {
    match arrow.kind {
        ArrowKind::Request => {
            arrow.exchange.as_ref().is_some_and(|exchange| exchange.state != DeliveryState::Answered) || arrow.human
        }
        _ => true,
    }
}

/// Stretches of the same lane that touch become one.
fn merged(mut runs: Vec<(usize, f64, f64)>) -> Vec<WorkSpan> {
    runs.retain(|(_, from, to)| to > from);
    runs.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut out: Vec<WorkSpan> = Vec::with_capacity(runs.len());
    for (lane, y0, y1) in runs {
        match out.last_mut().filter(|last| last.lane == lane && y0 <= last.y1 + HALF_TASK_BAR_WIDTH) {
            Some(last) => last.y1 = last.y1.max(y1),
            None => out.push(WorkSpan { lane, y0, y1 }),
        }
    }
    out
}
