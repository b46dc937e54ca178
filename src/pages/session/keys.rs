//! Keyboard shortcuts of an open thread or of a session's timeline (all its threads in one list): next and previous
//! message, copy the link of the focused message, first and last message, search within the messages.

use coordination::ids::EventId;
use coordination::view::StreamEnd;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::scroll;
use super::scroll_anchor::ScrollAnchor;
use crate::components::copy_button::copy_with_toast;
use crate::i18n::use_i18n;
use crate::queries::{Shortcut, use_key};
use crate::ui::selectors::{EVENT, EVENT_ROW, TARGET_ROW};
use crate::ui::toast::use_toasts;

/// The stream the keys are of.
#[derive(Clone, Copy)]
pub(super) struct ThreadKeys {
    pub(super) keeper: ScrollAnchor,
    pub(super) stream: NodeRef<html::Div>,
    /// Goes to an end.
    pub(super) on_jump: Callback<StreamEnd>,
}

/// Answers while the stream is open. `link` is the address of a message, `finding` shows the field for finding.
pub(super) fn use_stream_keys(
    place: ThreadKeys,
    link: impl Fn(&EventId) -> Option<String> + Send + Sync + 'static,
    finding: RwSignal<bool>,
) {
    let (words, toasts) = (use_i18n(), use_toasts());
    let stream = move || place.stream.get_untracked().map(Element::from);
    for (key, forward) in [(Shortcut::NextRow, true), (Shortcut::PreviousRow, false)] {
        use_key(key, move || stream().is_some_and(|stream| step(place.keeper, &stream, forward)));
    }
    for (key, end) in [(Shortcut::Oldest, StreamEnd::Older), (Shortcut::Newest, StreamEnd::Newer)] {
        use_key(key, move || stream().map(|_| place.on_jump.run(end)).is_some());
    }
    use_key(Shortcut::CopyLink, move || {
        let row = stream().and_then(|stream| focused_row(&stream));
        let link = row.and_then(|row| link(&EventId::from(row.get_attribute(EVENT)?)));
        let Some(link) = link else { return false };
        let origin = window().location().origin().unwrap_or_default();
        copy_with_toast(&format!("{origin}{link}"), words.now().thread().link_copied, words, toasts);
        true
    });
    use_key(Shortcut::Search, move || {
        finding.set(true);
        true
    });
}

fn focused_row(stream: &Element) -> Option<Element> {
    let focused = document().active_element()?;
    focused.closest(EVENT_ROW).ok().flatten().filter(|row| stream.contains(Some(row)))
}

/// The focus goes to the adjoining message: from the one with the focus, else from the one the address points at while
/// it is in view, else to what is read first.
fn step(keeper: ScrollAnchor, stream: &Element, forward: bool) -> bool {
    let rows = scroll::below(stream, EVENT_ROW);
    let linked = || scroll::below(stream, TARGET_ROW).into_iter().find(|row| keeper.is_in_view(row));
    let from = focused_row(stream).or_else(linked);
    let target = match from.and_then(|row| rows.iter().position(|other| *other == row)) {
        // At the edge of what is drawn the next page is on its way: the key waits in the stream for it.
        Some(here) => {
            Some(rows.get(if forward { here + 1 } else { here.wrapping_sub(1) }).unwrap_or(&rows[here]).clone())
        }
        None => keeper.first_read(),
    };
    let Some(target) = target.and_then(|row| row.dyn_into::<HtmlElement>().ok()) else { return false };
    target.focus().unwrap_or_default();
    true
}
