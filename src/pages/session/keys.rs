//! Keys of an open thread, by their place on the keyboard: `J` and `K` from message to message, `C` copies the link of
//! the one with the focus, `Home` and `End` lead to the oldest and the newest, `/` finds.

use coordination::ids::EventId;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::keeper::Keeper;
use super::scroll;
use crate::components::copy_button::copy_and_tell;
use crate::components::thread::window::End;
use crate::i18n::use_words;
use crate::ui::toast::use_toasts;

const ROW: &str = "[data-event]";

/// What a key does in a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Next,
    Previous,
    CopyLink,
    Oldest,
    Newest,
    Find,
}

/// `code` is the physical key, so that a Hangul layout makes no difference.
fn act(code: &str, shift: bool) -> Option<Act> {
    match code {
        _ if shift => None,
        "KeyJ" => Some(Act::Next),
        "KeyK" => Some(Act::Previous),
        "KeyC" => Some(Act::CopyLink),
        "Home" => Some(Act::Oldest),
        "End" => Some(Act::Newest),
        "Slash" => Some(Act::Find),
        _ => None,
    }
}

/// The stream the keys are of.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) keeper: Keeper,
    pub(super) stream: NodeRef<html::Div>,
    /// Goes to an end.
    pub(super) on_jump: Callback<End>,
}

/// Listens while the stream is open. `link` is the address of a message, `finding` shows the field for finding.
pub(super) fn use_stream_keys(
    place: Place,
    link: impl Fn(&EventId) -> Option<String> + 'static,
    finding: Option<RwSignal<bool>>,
) {
    let (words, toasts) = (use_words(), use_toasts());
    let copy = move |row: &Element| {
        let Some(link) = row.get_attribute("data-event").and_then(|id| link(&EventId(id))) else { return };
        let origin = window().location().origin().unwrap_or_default();
        copy_and_tell(&format!("{origin}{link}"), words.now().thread().link_copied, words, toasts);
    };
    let keys = window_event_listener(ev::keydown, move |event| {
        let Some(act) = act(&event.code(), event.shift_key()).filter(|_| scroll::is_plain_key(&event)) else { return };
        // The page's own keys come first, as the second one after `g`; but here `/` finds in the thread.
        if event.default_prevented() && act != Act::Find {
            return;
        }
        let Some(stream) = place.stream.get_untracked() else { return };
        let jump = |end| {
            place.on_jump.run(end);
            true
        };
        let done = match act {
            Act::Find => finding.map(|finding| finding.set(true)).is_some(),
            Act::Oldest => jump(End::Older),
            Act::Newest => jump(End::Newer),
            Act::CopyLink => focused_row(&stream).map(|row| copy(&row)).is_some(),
            Act::Next | Act::Previous => step(place.keeper, &stream, act == Act::Next),
        };
        if done {
            event.prevent_default();
        }
    });
    on_cleanup(move || keys.remove());
}

fn focused_row(stream: &Element) -> Option<Element> {
    let focused = document().active_element()?;
    focused.closest(ROW).ok().flatten().filter(|row| stream.contains(Some(row)))
}

/// The focus goes to the adjoining message, from what is read first when it is elsewhere.
fn step(keeper: Keeper, stream: &Element, forward: bool) -> bool {
    let rows = scroll::below(stream, ROW);
    let target = match focused_row(stream).and_then(|row| rows.iter().position(|other| *other == row)) {
        Some(here) => rows.get(if forward { here + 1 } else { here.wrapping_sub(1) }).cloned(),
        None => keeper.first_read(),
    };
    let Some(target) = target.and_then(|row| row.dyn_into::<HtmlElement>().ok()) else { return false };
    target.focus().unwrap_or_default();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_thread_are_plain_ones() {
        assert_eq!(act("KeyJ", false), Some(Act::Next));
        assert_eq!(act("KeyK", false), Some(Act::Previous));
        assert_eq!(act("KeyC", true), None);
        assert_eq!(act("KeyG", false), None);
    }
}
