//! Pagination of the sequence diagram (flow) for print. A row of the diagram is never cut; lanes and the bars along
//! them continue on the next page. Too wide drawings and too high rows are scaled down. The caller draws the lane
//! heads.

use std::ops::Range;

use super::{ArrowAt, FlowLayout};
use crate::api::Flow;

/// Between the edges of a sheet and its rows.
const SHEET_MARGIN: f64 = 8.0;
/// A tick's text: its line, and the day above it.
const TICK_HEIGHT: f64 = 12.0;
const DAY_LABEL_HEIGHT: f64 = 20.0;
/// A person's disc, around the beginning of an arrow.
const PERSON_DISC_RADIUS: f64 = 12.0;
/// Height around an arrow's end.
const ARROW_HEAD_HEIGHT: f64 = 8.0;
/// The words of an unfolded pause.
const PAUSE_LABEL_HEIGHT: f64 = 32.0;

/// What a sheet has for the drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperSize {
    /// Width in pixels of paper (96 an inch).
    pub width: f64,
    /// Height in the same, for the heads and the rows.
    pub height: f64,
    /// Height of the heads in units of the drawing.
    pub heads: f64,
}

/// What is drawn at one place and never cut. Numbers are positions in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SheetPart {
    /// An arrow with its words.
    Arrow(usize),
    /// Where a delegation leaves its lane: who and what. All of its words when it does not come back.
    Branch(usize),
    /// Where it comes back, and how it ended.
    Return(usize),
    /// The dot on a delegation's stem.
    Dot(usize),
    /// Where a span of a task bar begins, with its words: task bar, span.
    Span(usize, usize),
    /// A note.
    Note(usize),
    /// A pause: the whole of a folded one, the words of an unfolded one.
    Pause(usize),
    /// A time within an unfolded pause: pause, time.
    Hour(usize, usize),
    /// The line for now.
    Now,
}

/// One sheet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// Its upper end in the drawing. Where lanes are busy side by side it may lie a little above the end of the sheet
    /// before.
    pub from: f64,
    /// Its lower end.
    pub to: f64,
    /// Its parts, from the top.
    pub parts: Vec<SheetPart>,
    /// The times at its left edge, by position in the layout.
    pub ticks: Range<usize>,
    /// First and last usable time of its parts; 0 without one.
    pub times: (i64, i64),
}

/// A flow on paper.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheets {
    /// Pixels of paper for a unit of the drawing, at most 1.
    pub scale: f64,
    /// From the top.
    pub list: Vec<Sheet>,
}

/// Something that is drawn at one place.
struct SheetRow {
    part: SheetPart,
    /// Sort key of rows: position in time.
    y: f64,
    top: f64,
    bottom: f64,
}

/// Deals a layout out to sheets, each as full as it gets. A drawing wider than the paper is made smaller.
#[must_use]
pub fn sheets(flow: &Flow, layout: &FlowLayout, paper: PaperSize) -> Sheets {
    let mut rows = rows(layout);
    let ticks = with_ticks(layout, &mut rows);
    let tallest = rows.iter().map(|row| row.bottom - row.top).fold(0.0, f64::max) + 2.0 * SHEET_MARGIN;
    let scale = (paper.width / layout.width.max(1.0)).min(paper.height / (tallest + paper.heads)).min(1.0);
    let room = paper.height / scale - paper.heads - 2.0 * SHEET_MARGIN;
    let mut list = Vec::new();
    let (mut first, mut top, mut bottom) = (0, f64::INFINITY, f64::NEG_INFINITY);
    for (number, row) in rows.iter().enumerate() {
        let (higher, lower) = (top.min(row.top), bottom.max(row.bottom));
        if number > first && lower - higher > room {
            list.push(sheet(flow, layout, &rows, &ticks, first..number, (top, bottom)));
            (first, top, bottom) = (number, row.top, row.bottom);
        } else {
            (top, bottom) = (higher, lower);
        }
    }
    if first < rows.len() {
        list.push(sheet(flow, layout, &rows, &ticks, first..rows.len(), (top, bottom)));
    }
    Sheets { scale, list }
}

/// The sheet of these rows, which reach from `ends.0` to `ends.1`. `ticks` names the row of each tick.
fn sheet(
    flow: &Flow,
    layout: &FlowLayout,
    rows: &[SheetRow],
    ticks: &[usize],
    own: Range<usize>,
    (top, bottom): (f64, f64),
) -> Sheet {
    let tick = |row: usize| ticks.partition_point(|of| *of < row);
    let ticks = tick(own.start)..tick(own.end);
    let parts: Vec<SheetPart> = rows[own].iter().map(|row| row.part).collect();
    let known = || parts.iter().map(|part| time(flow, layout, *part)).filter(|at| *at > 0);
    let times = (known().min().unwrap_or(0), known().max().unwrap_or(0));
    Sheet { from: top - SHEET_MARGIN, to: bottom + SHEET_MARGIN, parts, ticks, times }
}

/// Time of a part; 0 where it is unknown.
fn time(flow: &Flow, layout: &FlowLayout, part: SheetPart) -> i64 {
    match part {
        SheetPart::Arrow(at) => flow.arrows[at].at,
        SheetPart::Branch(at) => flow.delegations[at].start_time,
        SheetPart::Return(at) => flow.delegations[at].end_time.unwrap_or(0),
        SheetPart::Span(at, span) => flow.task_bars[at].spans[span].from,
        SheetPart::Note(at) => flow.notes[at].at,
        SheetPart::Hour(at, hour) => layout.pauses[at].hours[hour].0,
        SheetPart::Now => flow.now,
        SheetPart::Dot(_) | SheetPart::Pause(_) => 0,
    }
}

/// All rows in order of time.
fn rows(layout: &FlowLayout) -> Vec<SheetRow> {
    let row = |part, y, top, bottom| SheetRow { part, y, top, bottom };
    let mut rows = Vec::with_capacity(layout.stops.len() + layout.delegations.len() * 2 + layout.pauses.len());
    rows.extend(layout.arrows.iter().enumerate().map(|(at, arrow)| {
        let (top, bottom) = reach(arrow);
        row(SheetPart::Arrow(at), arrow.y0, top, bottom)
    }));
    for (at, delegation) in layout.delegations.iter().enumerate() {
        let returns = delegation.back && delegation.y1 > delegation.y0;
        let words =
            if returns { delegation.name.bottom() } else { delegation.name.bottom().max(delegation.fate.bottom()) };
        rows.push(row(SheetPart::Branch(at), delegation.y0, delegation.name.y, words));
        if returns {
            rows.push(row(SheetPart::Return(at), delegation.y1, delegation.fate.y, delegation.fate.bottom()));
        }
        let middle = (delegation.y0 + delegation.y1) / 2.0;
        rows.push(row(SheetPart::Dot(at), middle, middle - ARROW_HEAD_HEIGHT, middle + ARROW_HEAD_HEIGHT));
    }
    for (at, task_bar) in layout.task_bars.iter().enumerate() {
        let spans = task_bar.spans.iter().enumerate();
        rows.extend(spans.map(|(span, place)| {
            row(SheetPart::Span(at, span), place.area.y, place.area.y - 2.0, place.text.bottom().max(place.area.y))
        }));
    }
    rows.extend(layout.notes.iter().enumerate().map(|(at, note)| {
        row(
            SheetPart::Note(at),
            note.y,
            note.text.y.min(note.y - ARROW_HEAD_HEIGHT),
            note.text.bottom().max(note.y + ARROW_HEAD_HEIGHT),
        )
    }));
    for (at, pause) in layout.pauses.iter().enumerate() {
        let y = pause.area.y;
        // The teeth of a folded one reach a little beyond it.
        let bottom = if pause.folded { pause.area.bottom() } else { y + PAUSE_LABEL_HEIGHT };
        rows.push(row(SheetPart::Pause(at), y, y - 4.0, bottom + 4.0));
        let hours = pause.hours.iter().enumerate();
        rows.extend(
            hours
                .map(|(hour, (_, y))| row(SheetPart::Hour(at, hour), *y, y - ARROW_HEAD_HEIGHT, y + ARROW_HEAD_HEIGHT)),
        );
    }
    rows.extend(layout.now.map(|y| row(SheetPart::Now, y, y - ARROW_HEAD_HEIGHT, y + ARROW_HEAD_HEIGHT)));
    rows.sort_by(|a, b| a.y.total_cmp(&b.y));
    rows
}

/// Upper and lower end of an arrow with all that belongs to it.
fn reach(arrow: &ArrowAt) -> (f64, f64) {
    let top = arrow.text.y.min(arrow.y0 - PERSON_DISC_RADIUS);
    let bottom = arrow
        .fate
        .map_or(arrow.y1, |fate| fate.bottom())
        .max(arrow.y1 + ARROW_HEAD_HEIGHT)
        .max(arrow.y0 + PERSON_DISC_RADIUS);
    (top, bottom)
}

/// Makes room for each tick next to the row whose time it shows. Returns the row of each tick.
fn with_ticks(layout: &FlowLayout, rows: &mut [SheetRow]) -> Vec<usize> {
    let mut tick_rows = Vec::with_capacity(layout.ticks.len());
    let mut at = 0;
    for tick in &layout.ticks {
        // A tick is four units below its row, in whole units.
        let y = tick.y as f64;
        let other =
            |part| matches!(part, SheetPart::Dot(_) | SheetPart::Hour(..) | SheetPart::Pause(_) | SheetPart::Now);
        while at + 1 < rows.len() && (rows[at].y < y - 4.6 || other(rows[at].part)) {
            at += 1;
        }
        if let Some(row) = rows.get_mut(at) {
            row.top = row.top.min(y - TICK_HEIGHT - if tick.day { DAY_LABEL_HEIGHT } else { 0.0 });
            row.bottom = row.bottom.max(y + 4.0);
            tick_rows.push(at);
        }
    }
    tick_rows
}
