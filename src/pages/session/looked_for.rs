//! Highlights of search terms in messages. The URL of an opened search result contains the terms.

use coordination::search::WordFilter;
use leptos::html;
use leptos::prelude::*;

use crate::components::fold::use_folds;
use crate::components::thread::flow::StreamItem;
use crate::routes::ThreadViewState;
use crate::ui::highlight;
use crate::ui::selectors::THREAD_TEXTS;

const NAME: &str = "looked-for";

/// Marks them in the drawn texts of a stream for as long as the address names them.
pub(super) fn use_looked_for_marks(
    view: Memo<ThreadViewState>,
    stream: NodeRef<html::Div>,
    items: Memo<Vec<StreamItem>>,
) {
    let folds = use_folds();
    let words = Memo::new(move |_| view.with(|view| view.marked.clone()));
    let drawn = Memo::new(move |_| items.with(|items| (items.len(), items.first().map(StreamItem::key))));
    // Marks belong to the document: the drawn texts are there a moment after they change.
    Effect::new(move |marked: Option<bool>| {
        let any = words.with(|words| !words.is_empty());
        if any {
            drawn.track();
            folds.track();
            stream.track();
        }
        if any || marked == Some(true) {
            request_animation_frame(move || {
                let Some(root) = stream.try_get_untracked().flatten() else { return };
                let Some(words) = words.try_get_untracked() else { return };
                let words = WordFilter::phrases(words.iter().map(String::as_str));
                let ranges = words.map(|words| highlight::found(&root, THREAD_TEXTS, &words));
                highlight::set(NAME, &ranges.unwrap_or_default());
            });
        }
        any
    });
    on_cleanup(|| highlight::set(NAME, &[]));
}
