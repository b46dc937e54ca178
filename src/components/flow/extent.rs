//! Geometry of the flow's elements (arrows, runs, task bars, notes): hit areas, outlines, and the elements within a
//! vertical range. Also the comparison that detects whether an update changed an element.

use std::sync::Arc;

use coordination::flow_layout::{Area, MarkRef};

use super::DrawnFlow;

/// The marks of which something lies between two places, in order of reading; task bars first, because they lie below.
pub(super) fn near(drawn: &DrawnFlow, from: f64, to: f64) -> Vec<MarkRef> {
    let reaches = |of: MarkRef, top: f64, bottom: f64| {
        let bottom = match of {
            MarkRef::Delegation(at) => drawn.layout.delegations[at].y1.max(bottom),
            MarkRef::TaskBar(at) => {
                let spans = &drawn.layout.task_bars[at].spans;
                spans.iter().map(|span| span.area.bottom().max(span.text.bottom())).fold(bottom, f64::max)
            }
            _ => bottom,
        };
        top < to && bottom > from
    };
    let near = drawn.layout.stops.iter().filter(|stop| reaches(stop.of, stop.top, stop.bottom)).map(|stop| stop.of);
    let (task_bars, others): (Vec<MarkRef>, Vec<MarkRef>) = near.partition(|of| matches!(of, MarkRef::TaskBar(_)));
    task_bars.into_iter().chain(others).collect()
}

/// Nothing of a mark changed, nor its place.
pub(super) fn same(a: &Arc<DrawnFlow>, of_a: MarkRef, b: &Arc<DrawnFlow>, of_b: MarkRef) -> bool {
    if Arc::ptr_eq(a, b) {
        return of_a == of_b;
    }
    match (of_a, of_b) {
        (MarkRef::Arrow(m), MarkRef::Arrow(n)) => {
            a.flow.arrows[m] == b.flow.arrows[n] && a.layout.arrows[m] == b.layout.arrows[n]
        }
        (MarkRef::Delegation(m), MarkRef::Delegation(n)) => {
            a.flow.delegations[m] == b.flow.delegations[n] && a.layout.delegations[m] == b.layout.delegations[n]
        }
        (MarkRef::Note(m), MarkRef::Note(n)) => {
            a.flow.notes[m] == b.flow.notes[n] && a.layout.notes[m] == b.layout.notes[n]
        }
        (MarkRef::TaskBar(m), MarkRef::TaskBar(n)) => {
            a.flow.task_bars[m] == b.flow.task_bars[n] && a.layout.task_bars[m] == b.layout.task_bars[n]
        }
        _ => false,
    }
}

/// What is outlined while a mark is selected or has the focus: its words and what is near them.
pub(super) fn outline(drawn: &DrawnFlow, of: MarkRef) -> Area {
    let areas = areas(drawn, of);
    let Some(first) = areas.first().copied() else { return Area::default() };
    areas.into_iter().filter(|area| area.height > 0.0 && area.height < 90.0).fold(first, |all, area| {
        let (top, bottom) = (all.y.min(area.y), all.bottom().max(area.bottom()));
        if bottom - top > 120.0 {
            return all;
        }
        let (x, end) = (all.x.min(area.x), (all.x + all.width).max(area.x + area.width));
        Area { x, y: top, width: end - x, height: bottom - top }
    })
}

/// Where a mark can be pressed.
pub(super) fn areas(drawn: &DrawnFlow, of: MarkRef) -> Vec<Area> {
    match of {
        MarkRef::Arrow(at) => {
            let at = drawn.layout.arrows[at];
            let (x, y) = (at.x0.min(at.x1), at.y0.min(at.y1) - 7.0);
            let line =
                Area { x: x - 4.0, y, width: (at.x1 - at.x0).abs().max(24.0) + 8.0, height: at.y1 - at.y0 + 14.0 };
            std::iter::once(line).chain([at.text]).chain(at.fate).collect()
        }
        MarkRef::Delegation(at) => {
            let at = drawn.layout.delegations[at];
            let bottom = at.name.bottom().max(at.fate.bottom().min(at.y1.max(at.name.bottom()) + 18.0));
            let name = Area { x: at.name.x - 6.0, y: at.name.y, width: at.name.width, height: at.name.height };
            let fate = Area { x: at.fate.x - 6.0, ..at.fate };
            let stem = Area {
                x: at.stem - 5.0,
                y: at.y0,
                width: 10.0,
                height: (at.y1.min(bottom + 2_000.0) - at.y0).max(0.0),
            };
            vec![name, fate, stem]
        }
        MarkRef::TaskBar(at) => {
            let spans = &drawn.layout.task_bars[at].spans;
            spans.iter().map(|span| Area { x: span.text.x - 5.0, ..span.text }).collect()
        }
        MarkRef::Note(at) => {
            let at = drawn.layout.notes[at];
            vec![Area { x: at.x - 8.0, width: at.text.x + at.text.width - at.x + 8.0, ..at.text }]
        }
    }
}
