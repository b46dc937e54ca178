//! Keyboard shortcuts of the flow page: next and previous element, folding of pauses, newer and older session.

use leptos::prelude::*;

use crate::queries::{Shortcut, use_go, use_key};
use crate::routes::{FlowView, paths};

use super::state::FlowState;

/// Answers while the page is shown. `Enter` belongs to the mark that has the focus.
pub(super) fn use_flow_keys(state: FlowState) {
    let go = use_go();
    for (key, by) in [(Shortcut::NextRow, 1), (Shortcut::PreviousRow, -1)] {
        let go = go.clone();
        use_key(key, move || state.step(by, &go));
    }
    let fold = go.clone();
    use_key(Shortcut::OpenRow, move || state.toggle_folds(&fold));
    for (key, newer) in [(Shortcut::NewerSession, true), (Shortcut::OlderSession, false)] {
        let go = go.clone();
        use_key(key, move || {
            let link = state.detail.data.with_untracked(|detail| {
                let neighbours = &detail.as_ref()?.neighbours;
                if newer { neighbours.newer.clone() } else { neighbours.older.clone() }
            });
            link.map(|link| go.to(&paths::flow(&link.work_session_id, &FlowView::default()))).is_some()
        });
    }
}
