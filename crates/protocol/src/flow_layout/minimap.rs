//! Rows of a flow diagram's minimap, each for an equal part of the height. A row has the horizontal range of the
//! messages, delegated runs and notes that begin there, and whether a message or run failed. Task bars are left out.

use super::{FlowLayout, MarkRef};
use crate::api::{DelegationState, Flow, FlowArrow};
use crate::delivery::DeliveryState;

/// Width of a note in units of the drawing.
const NOTE_WIDTH: f64 = 6.0;

/// One row of the minimap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimapRow {
    /// Number of the row, from the top.
    pub row: usize,
    /// Left end, as a share of the width.
    pub from: f64,
    /// Right end, as a share of the width.
    pub to: f64,
    /// A message or a delegated run in it failed.
    pub failed: bool,
}

/// The minimap of a flow in `rows` rows; empty rows are left out.
#[must_use]
pub fn minimap_rows(flow: &Flow, layout: &FlowLayout, rows: usize) -> Vec<MinimapRow> {
    let mut found: Vec<Option<MinimapRow>> = vec![None; rows];
    if layout.height <= 0.0 || layout.width <= 0.0 || rows == 0 {
        return Vec::new();
    }
    for stop in &layout.stops {
        let (from, to, failed) = match stop.of {
            MarkRef::Arrow(at) => (layout.arrows[at].x0, layout.arrows[at].x1, has_failed(&flow.arrows[at])),
            MarkRef::Delegation(at) => {
                let failed = matches!(flow.delegations[at].state, DelegationState::Failed | DelegationState::TimedOut);
                (layout.delegations[at].lane, layout.delegations[at].stem, failed)
            }
            MarkRef::TaskBar(_) => continue,
            MarkRef::Note(at) => (layout.notes[at].x, layout.notes[at].x + NOTE_WIDTH, false),
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the height")]
        let number = ((stop.top / layout.height * rows as f64) as usize).min(rows - 1);
        let (from, to) = (from.min(to) / layout.width, from.max(to) / layout.width);
        let row = found[number].get_or_insert(MinimapRow { row: number, from, to, failed });
        (row.from, row.to, row.failed) = (row.from.min(from), row.to.max(to), row.failed || failed);
    }
    found.into_iter().flatten().collect()
}

/// True for a message that was refused or has no answer.
fn has_failed(arrow: &FlowArrow) -> bool {
    let state = arrow.exchange.as_ref().map(|exchange| exchange.state);
    matches!(state, Some(DeliveryState::NoReply | DeliveryState::Blocked))
}
