//! Vertical layout pass: places each row as high as the order of time and the filled parts of its spaces allow.

use std::collections::HashMap;

use super::columns::{Columns, HALF, TIMES};
use super::sequence::{Row, join, rows};
use super::{
    Area, ArrowAt, FOLD_MS, Layout, NOW_MS, NoteAt, Of, Options, Pause, RibbonAt, SpanAt, Stop, Tick, TwigAt, Work,
};
use crate::api::{ArrowKind, Flow, FlowArrow};
use crate::delivery::DeliveryState;
use crate::ids::EventId;

/// Height of one line of words.
const LINE: f64 = 18.0;
/// Between words of neighbouring rows.
const AIR: f64 = 6.0;
/// An arrow drops by this much on its way: the addressee reads it after it was sent.
const SLOPE: f64 = 10.0;
/// An arrow ends this far from its lane's middle.
const TIP: f64 = 10.0;
/// Least distance between two rows of different times.
const STEP: f64 = 7.0;
/// Most extra height for a long time between two rows.
const WHILE: f64 = 22.0;
/// Height of a folded pause.
const FOLD: f64 = 44.0;
/// Unfolded, an hour takes this much, within bounds.
const HOUR: f64 = 26.0;
const OPEN: (f64, f64) = (96.0, 900.0);
const HOUR_MS: i64 = 3_600_000;
/// Between the first row and the upper edge.
const TOP: f64 = 44.0;

/// Places every mark of a flow.
#[must_use]
pub fn layout(flow: &Flow, options: &Options<'_>) -> Layout {
    let rows = rows(flow);
    let columns = Columns::new(flow, &rows);
    let mut drawing = Drawing {
        flow,
        options,
        out: Layout {
            width: columns.width,
            lanes: columns.lanes.clone(),
            arrows: vec![ArrowAt::default(); flow.arrows.len()],
            twigs: vec![TwigAt::default(); flow.twigs.len()],
            ribbons: flow
                .ribbons
                .iter()
                .map(|it| RibbonAt { spans: vec![SpanAt::default(); it.spans.len()] })
                .collect(),
            notes: vec![NoteAt::default(); flow.notes.len()],
            ..Layout::default()
        },
        columns,
        y: TOP,
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
    options: &'a Options<'a>,
    columns: Columns,
    out: Layout,
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
    fn row(&mut self, at: i64, row: Row) {
        let from = self.from(at);
        let y = match row {
            Row::Span(ribbon, span) => self.span(ribbon, span, at, from),
            Row::Arrow(arrow) => self.arrow(arrow, from),
            Row::Branch(twig) => self.branch(twig, from),
            Row::Join(twig) => self.join(twig, from),
            Row::Note(note) => self.note(note, from),
        };
        self.y = y;
        self.at = at;
        self.tick(at, y);
    }

    /// The least place of a row of this time.
    fn from(&mut self, at: i64) -> f64 {
        let passed = at - self.at;
        let first = self.at == 0;
        if !first && passed >= FOLD_MS {
            self.pause(self.at, at);
        }
        let new_day = at > 0 && self.day != Some((self.options.day)(at));
        let room =
            if first || passed == 0 { 0.0 } else { STEP + (5.0 * (1.0 + passed as f64 / 60_000.0).log2()).min(WHILE) };
        let least = if new_day { self.timed_to + 2.0 * LINE } else { 0.0 };
        if passed >= FOLD_MS && !first { self.y.max(least) } else { (self.y + room).max(least) }
    }

    fn pause(&mut self, from: i64, to: i64) {
        let top = self.columns.deepest().max(self.y + SLOPE) + AIR + 4.0;
        let folded = !(self.options.unfolded)(from);
        let hours = (to - from) as f64 / HOUR_MS as f64;
        let height = if folded { FOLD } else { (hours * HOUR).clamp(OPEN.0, OPEN.1) };
        let area = Area { x: TIMES, y: top, width: self.out.width - TIMES, height };
        let steps = if folded { 0 } else { 6 };
        let hours = (1..=steps).map(|step| {
            let share = f64::from(step) / f64::from(steps + 1);
            #[allow(clippy::cast_possible_truncation, reason = "a share of a time")]
            let at = from + ((to - from) as f64 * share) as i64;
            (at, top + LINE + (height - LINE) * share)
        });
        self.out.pauses.push(Pause { from, to, area, folded, hours: hours.collect() });
        self.columns.fill_all(area.bottom() + AIR);
        self.timed_to = self.timed_to.max(area.bottom());
        self.y = area.bottom() + LINE + AIR;
    }

    /// The time of a row at the left edge, where there is room for it.
    fn tick(&mut self, at: i64, y: f64) {
        if at == 0 {
            return;
        }
        let day = (self.options.day)(at);
        let new_day = self.day != Some(day);
        let same_minute = self.out.ticks.last().is_some_and(|tick| tick.at / 60_000 == at / 60_000);
        if !new_day && (same_minute || y - LINE / 2.0 < self.timed_to) {
            return;
        }
        #[allow(clippy::cast_possible_truncation, reason = "far below the limit")]
        self.out.ticks.push(Tick { at, day: new_day, y: (y + 4.0).round() as i64 });
        self.day = Some(day);
        self.timed_to = y + LINE / 2.0;
    }

    fn stop(&mut self, of: Of, top: f64, bottom: f64, at: i64) {
        self.out.stops.push(Stop { of, top, bottom, at });
    }

    fn arrow(&mut self, number: usize, from: f64) -> f64 {
        let arrow: &'a FlowArrow = &self.flow.arrows[number];
        let (source, target) = (self.columns.lane(arrow.from), self.columns.lane(arrow.to));
        let words = self.columns.beside(source, target);
        let (first, last) =
            if target == source { (words, words) } else { (source.min(target) + 1, source.max(target)) };
        let above = LINE + 2.0;
        let mut y = from.max(self.columns.filled(words) + above + AIR);
        for space in first..=last {
            y = y.max(self.columns.filled(space) + AIR);
        }
        let has_fate = tells_fate(arrow);
        let text = self.columns.words(words, y - above, LINE);
        let fate = has_fate.then(|| self.columns.words(words, y + SLOPE + 2.0, LINE));
        for space in first..=last {
            self.columns.fill(space, y + SLOPE + 4.0);
        }
        let bottom = fate.map_or(y + SLOPE + 4.0, |fate| fate.bottom());
        self.columns.fill(words, bottom);
        let (a, b) = (self.out.lanes[source], self.out.lanes[target]);
        let side = if target < source { -TIP } else { TIP };
        let to = if target == source { a + TIP } else { b - side };
        self.out.arrows[number] = ArrowAt { x0: a + side, y0: y, x1: to, y1: y + SLOPE, text, fate };
        match (arrow.kind, &arrow.answers) {
            (ArrowKind::Request, _) => {
                self.requests.insert(&arrow.id, (target, y + SLOPE));
            }
            (_, Some(request)) => {
                if let Some((lane, began)) = self.requests.get(request) {
                    self.runs.push((*lane, *began, y));
                }
            }
            _ => {}
        }
        self.stop(Of::Arrow(number), y - above, bottom, arrow.at);
        y
    }

    fn branch(&mut self, number: usize, from: f64) -> f64 {
        let twig = &self.flow.twigs[number];
        let lane = self.columns.lane(twig.lane);
        let y = from.max(self.columns.filled(lane + 1) + LINE / 2.0 + AIR);
        let name = self.columns.words(lane + 1, y - LINE / 2.0, LINE);
        // An unfinished run, or one without a known start, has that label below its name.
        let alone = join(twig).is_none();
        let fate = self.columns.words(lane + 1, name.bottom(), if alone { LINE } else { 0.0 });
        self.columns.fill(lane + 1, fate.bottom());
        let stem = self.columns.stem(lane, number);
        let at = TwigAt { lane: self.out.lanes[lane] + 5.0, stem, y0: y, y1: y, back: twig.orphan, name, fate };
        self.out.twigs[number] = at;
        self.stop(Of::Twig(number), name.y, fate.bottom(), twig.start_time);
        y
    }

    fn join(&mut self, number: usize, from: f64) -> f64 {
        let lane = self.columns.lane(self.flow.twigs[number].lane);
        let y = from.max(self.columns.filled(lane + 1) + LINE / 2.0 + 2.0).max(self.out.twigs[number].y0 + LINE);
        let fate = self.columns.words(lane + 1, y - LINE / 2.0, LINE);
        self.columns.fill(lane + 1, fate.bottom());
        let twig = &mut self.out.twigs[number];
        (twig.y1, twig.back, twig.fate) = (y, true, fate);
        y
    }

    fn span(&mut self, number: usize, span: usize, at: i64, from: f64) -> f64 {
        let ribbon = &self.flow.ribbons[number];
        let lane = self.columns.lane(ribbon.lane);
        // Next to the ribbon, on the side with more room; left of the first lane are the times.
        let roomier = self.columns.filled(lane) < self.columns.filled(lane + 1);
        let left = lane > 0 && self.columns.has_words(lane) && roomier;
        let words = if left { lane } else { lane + 1 };
        let y = from.max(self.columns.filled(words) + AIR);
        let text = self.columns.words(words, y, 2.0 * LINE);
        self.columns.fill(words, text.bottom());
        let (x, width) = self.columns.ribbon(lane, number);
        let placed = &mut self.out.ribbons[number].spans;
        if let Some(before) = span.checked_sub(1).filter(|before| !ribbon.spans[*before].status.ended()) {
            placed[before].area.height = y - placed[before].area.y;
        }
        placed[span] = SpanAt { area: Area { x, y, width, height: 0.0 }, text, left };
        if span == 0 {
            self.stop(Of::Ribbon(number), y, text.bottom(), at);
        }
        y
    }

    fn note(&mut self, number: usize, from: f64) -> f64 {
        let note = &self.flow.notes[number];
        let lane = self.columns.lane(note.lane);
        let y = from.max(self.columns.filled(lane + 1) + LINE / 2.0 + 2.0);
        let text = self.columns.words(lane + 1, y - LINE / 2.0, LINE);
        self.columns.fill(lane + 1, text.bottom());
        self.out.notes[number] = NoteAt { x: self.out.lanes[lane], y, text };
        self.stop(Of::Note(number), text.y, text.bottom(), note.at);
        y
    }

    fn finish(mut self) -> Layout {
        let since = self.flow.now.saturating_sub(self.flow.end_time);
        let goes_on = !self.flow.ended && (0..NOW_MS).contains(&since) && !self.out.stops.is_empty();
        if goes_on && self.at > 0 && self.flow.now.saturating_sub(self.at) >= FOLD_MS {
            self.pause(self.at, self.flow.now);
        }
        let bottom = self.columns.deepest().max(self.y) + LINE;
        self.out.now = goes_on.then_some(bottom);
        self.out.height = bottom + LINE;
        // A bar without an end continues to the end of the drawing.
        for (twig, at) in self.flow.twigs.iter().zip(&mut self.out.twigs) {
            if !at.back && !twig.orphan {
                at.y1 = bottom;
            }
        }
        for (ribbon, at) in self.flow.ribbons.iter().zip(&mut self.out.ribbons) {
            let open = ribbon.spans.last().is_some_and(|span| !span.status.ended());
            if let Some(last) = at.spans.last_mut().filter(|_| open) {
                last.area.height = bottom - last.area.y;
            }
        }
        self.out.work = merged(self.runs);
        self.out
    }
}

/// Whether there is a label below an arrow: the state of a request without a plain answer, or the kind of an answer.
fn tells_fate(arrow: &FlowArrow) -> bool {
    match arrow.kind {
        ArrowKind::Request => {
            arrow.exchange.as_ref().is_some_and(|exchange| exchange.state != DeliveryState::Answered) || arrow.human
        }
        _ => true,
    }
}

/// Stretches of the same lane that touch become one.
fn merged(mut runs: Vec<(usize, f64, f64)>) -> Vec<Work> {
    runs.retain(|(_, from, to)| to > from);
    runs.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut out: Vec<Work> = Vec::with_capacity(runs.len());
    for (lane, y0, y1) in runs {
        match out.last_mut().filter(|last| last.lane == lane && y0 <= last.y1 + HALF) {
            Some(last) => last.y1 = last.y1.max(y1),
            None => out.push(Work { lane, y0, y1 }),
        }
    }
    out
}
