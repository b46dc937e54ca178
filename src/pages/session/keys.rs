//! Keys of an open thread, by their place on the keyboard: `J` and `K` from message to message, `C` copies the link of
//! the one with the focus, `Home` and `End` lead to the oldest and the newest, `/` finds.

use coordination::ids::EventId;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::scroll;
use super::thread_state::{Jump, ThreadState};
use crate::components::copy_button::copy_and_tell;
use crate::i18n::use_words;
use crate::routes::paths;
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

/// Listens while the thread is open. `finding` shows the field for finding.
pub(super) fn use_thread_keys(thread: ThreadState, finding: RwSignal<bool>) {
    let (words, toasts) = (use_words(), use_toasts());
    let copy = move |row: &Element| {
        let (Some((session, of)), Some(id)) = (thread.key.get_untracked(), row.get_attribute("data-event")) else {
            return;
        };
        let origin = window().location().origin().unwrap_or_default();
        let link = paths::thread_at(&session, &of, &EventId(id));
        copy_and_tell(&format!("{origin}{link}"), words.now().thread().link_copied, words, toasts);
    };
    let keys = window_event_listener(ev::keydown, move |event| {
        // Another listener may have taken it, as the second key after `g`.
        if !scroll::is_plain_key(&event) || event.default_prevented() {
            return;
        }
        let Some(act) = act(&event.code(), event.shift_key()) else { return };
        let Some(stream) = thread.stream.get_untracked() else { return };
        let done = match act {
            Act::Find => {
                finding.set(true);
                true
            }
            Act::Oldest => {
                thread.go(Jump::Oldest);
                true
            }
            Act::Newest => {
                thread.go(Jump::Newest);
                true
            }
            Act::CopyLink => focused_row(&stream).map(|row| copy(&row)).is_some(),
            Act::Next | Act::Previous => step(thread, &stream, act == Act::Next),
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
fn step(thread: ThreadState, stream: &Element, forward: bool) -> bool {
    let rows = scroll::below(stream, ROW);
    let target = match focused_row(stream).and_then(|row| rows.iter().position(|other| *other == row)) {
        Some(here) => rows.get(if forward { here + 1 } else { here.wrapping_sub(1) }).cloned(),
        None => thread.keeper.first_read(),
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
