//! Highlights of the words that decided a session's category, in its displayed messages. The user switches them on.

use leptos::html;
use leptos::prelude::*;

use super::SessionState;
use crate::components::fold::use_folds;
use crate::components::thread::flow::StreamItem;
use crate::ui::highlight;
use crate::ui::selectors::THREAD_TEXTS;

const NAME: &str = "evidence";

/// Marks them in the drawn texts of a stream while the user wishes it.
pub(super) fn use_evidence_marks(state: SessionState, stream: NodeRef<html::Div>, items: Memo<Vec<StreamItem>>) {
    let folds = use_folds();
    let words = Memo::new(move |_| {
        let shown = state.evidence_shown.get();
        let evidence = state.detail.data.with(|detail| detail.as_ref().map(|detail| detail.evidence.clone()));
        let evidence = evidence.filter(|_| shown).unwrap_or_default();
        evidence.taught.into_iter().chain(evidence.matches).map(|(word, _)| word).collect::<Vec<_>>()
    });
    let drawn = Memo::new(move |_| items.with(|items| (items.len(), items.first().map(StreamItem::key))));
    Effect::new(move |marked: Option<bool>| {
        let any = words.with(|words| !words.is_empty());
        if any {
            drawn.track();
            folds.track();
        }
        if any || marked == Some(true) {
            request_animation_frame(move || {
                let Some(root) = stream.try_get_untracked().flatten() else { return };
                let Some(words) = words.try_get_untracked() else { return };
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                highlight::set(NAME, &highlight::words(&root, THREAD_TEXTS, &words));
            });
        }
        any
    });
    on_cleanup(|| highlight::set(NAME, &[]));
}
