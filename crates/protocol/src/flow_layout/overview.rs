//! Minimap of a flow: for each of its lines, the horizontal range of messages, delegated runs and notes, and whether
//! one of them failed.

use super::{FlowLayout, MarkRef};
use crate::api::{DelegationState, Flow, FlowArrow};
use crate::delivery::DeliveryState;

/// One line of the small picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Streak {
    /// Line from the top.
    pub row: usize,
    /// Left end, a share of the width.
    pub from: f64,
    /// Right end, a share of the width.
    pub to: f64,
    /// Something in it went wrong.
    pub trouble: bool,
}

/// The picture in `rows` lines, empty ones left out.
#[must_use]
pub fn overview(flow: &Flow, layout: &FlowLayout, rows: usize) -> Vec<Streak> {
    let mut lines: Vec<Option<Streak>> = vec![None; rows];
    if layout.height <= 0.0 || layout.width <= 0.0 || rows == 0 {
        return Vec::new();
    }
    for stop in &layout.stops {
        let (from, to, trouble) = match stop.of {
            MarkRef::Arrow(at) => (layout.arrows[at].x0, layout.arrows[at].x1, failed(&flow.arrows[at])),
            MarkRef::Delegation(at) => {
                let bad = matches!(flow.delegations[at].state, DelegationState::Failed | DelegationState::TimedOut);
                (layout.delegations[at].lane, layout.delegations[at].stem, bad)
            }
            MarkRef::TaskBar(_) => continue,
            MarkRef::Note(at) => (layout.notes[at].x, layout.notes[at].x + 6.0, false),
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the height")]
        let row = ((stop.top / layout.height * rows as f64) as usize).min(rows - 1);
        let (from, to) = (from.min(to) / layout.width, from.max(to) / layout.width);
        let line = lines[row].get_or_insert(Streak { row, from, to, trouble });
        (line.from, line.to, line.trouble) = (line.from.min(from), line.to.max(to), line.trouble || trouble);
    }
    lines.into_iter().flatten().collect()
}

fn failed(arrow: &FlowArrow) -> bool {
    let state = arrow.exchange.as_ref().map(|exchange| exchange.state);
    matches!(state, Some(DeliveryState::NoReply | DeliveryState::Blocked))
}
