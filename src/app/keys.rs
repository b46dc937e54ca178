//! Single-key shortcuts by the key's place on the keyboard, so that they work in a Hangul layout too; off in fields
//! and while composing. And the sheet that lists them.

use gloo_timers::callback::Timeout;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::search::FIELD;
use super::shell::Place;
use crate::hooks::use_go;
use crate::i18n::use_words;
use crate::ui::Icon;
use crate::ui::dialog::Dialog;
use crate::ui::search_field::OWN_FIELD;

/// How long `g` waits for its second key.
const SECOND_KEY_MS: u32 = 1_200;

/// What a key does. Plain, so that it is tested without a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Search,
    Sheet,
    First,
    Go(Place),
}

/// `code` is the physical key, `after_g` whether `g` came just before.
fn act(code: &str, key: &str, shift: bool, after_g: bool) -> Option<Act> {
    match (after_g, code) {
        (true, "KeyH") => Some(Act::Go(Place::Home)),
        (true, "KeyC") => Some(Act::Go(Place::Sessions)),
        (true, "KeyE") => Some(Act::Go(Place::Events)),
        (true, "KeyT") => Some(Act::Go(Place::Tasks)),
        (_, "KeyG") if !shift => Some(Act::First),
        // Some layouts have these characters elsewhere: the character counts as well as the place.
        (_, "Slash") if shift => Some(Act::Sheet),
        _ if key == "?" => Some(Act::Sheet),
        (_, "Slash") => Some(Act::Search),
        _ if key == "/" => Some(Act::Search),
        _ => None,
    }
}

fn in_field(event: &ev::KeyboardEvent) -> bool {
    let Some(element) = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return false;
    };
    matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
        || element.closest("[contenteditable], dialog").ok().flatten().is_some()
}

/// Listens for the life of the page; draws the sheet.
#[component]
pub(super) fn Keys(sheet: RwSignal<bool>, seeking: RwSignal<bool>) -> impl IntoView {
    let go = use_go();
    let after_g = StoredValue::new(0_u32);
    let handle = window_event_listener(ev::keydown, move |event| {
        if event.is_composing() || event.ctrl_key() || event.meta_key() || event.alt_key() || in_field(&event) {
            return;
        }
        let waiting = after_g.get_value() > 0;
        after_g.set_value(0);
        let Some(act) = act(&event.code(), &event.key(), event.shift_key(), waiting) else { return };
        event.prevent_default();
        match act {
            Act::First => {
                after_g.set_value(1);
                Timeout::new(SECOND_KEY_MS, move || after_g.set_value(0)).forget();
            }
            Act::Go(place) => go.to(&place.href()),
            Act::Sheet => sheet.update(|open| *open = !*open),
            Act::Search => focus_search(seeking),
        }
    });
    on_cleanup(move || handle.remove());
    let words = use_words();
    view! {
        <Dialog
            open=sheet
            on_close=Callback::new(move |()| sheet.set(false))
            title=Signal::derive(move || words.get().shell.shortcuts.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            <Sheet />
        </Dialog>
    }
}

/// The page's own field where it has one, else the one of the bar.
fn focus_search(seeking: RwSignal<bool>) {
    let own = document().query_selector(OWN_FIELD).ok().flatten();
    let field = own.or_else(|| document().get_element_by_id(FIELD));
    match field.and_then(|field| field.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Hidden on a narrow screen: open it first.
        Some(field) if field.offset_parent().is_some() => field.focus().unwrap_or_default(),
        _ => seeking.set(true),
    }
}

#[component]
fn Sheet() -> impl IntoView {
    let words = use_words();
    let places = Place::ALL.into_iter().zip(["H", "C", "E", "T"]).map(|(place, key)| {
        view! {
            <dt>{move || (words.get().shell.shortcut_go)(place.word())}</dt>
            <dd>
                <kbd>"G"</kbd>
                <kbd>{key}</kbd>
            </dd>
        }
    });
    view! {
        <dl class="keys">
            <dt>{move || words.get().shell.shortcut_search}</dt>
            <dd>
                <kbd>"/"</kbd>
            </dd>
            {places.collect_view()}
            <dt>{move || words.get().shell.shortcut_sessions}</dt>
            <dd>
                <kbd>"["</kbd>
                <kbd>"]"</kbd>
            </dd>
            <dt>{move || words.get().shell.shortcut_rows}</dt>
            <dd>
                <kbd>"↑"</kbd>
                <kbd>"↓"</kbd>
            </dd>
            <dt>{move || words.get().shell.shortcuts}</dt>
            <dd>
                <kbd>"?"</kbd>
            </dd>
            <dt>{move || words.get().shell.shortcut_close}</dt>
            <dd>
                <kbd>"Esc"</kbd>
            </dd>
        </dl>
        <p class="keys-note">{move || words.get().shell.shortcut_note}</p>
    }
}

/// Opens the sheet with the pointer.
#[component]
pub(super) fn KeysButton(sheet: RwSignal<bool>) -> impl IntoView {
    let words = use_words();
    view! {
        <button
            type="button"
            class="icon-button keys-button"
            aria-label=move || words.get().shell.shortcuts
            title=move || words.get().shell.shortcuts
            on:click=move |_| sheet.set(true)
        >
            {Icon::Help}
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_by_place_so_that_a_hangul_layout_works() {
        assert_eq!(act("KeyG", "ㅎ", false, false), Some(Act::First));
        assert_eq!(act("KeyT", "ㅅ", false, true), Some(Act::Go(Place::Tasks)));
        assert_eq!(act("KeyC", "ㅊ", false, true), Some(Act::Go(Place::Sessions)));
    }

    #[test]
    fn letters_alone_do_nothing() {
        assert_eq!(act("KeyT", "t", false, false), None);
        assert_eq!(act("KeyH", "h", false, false), None);
    }

    #[test]
    fn slash_searches_and_question_mark_lists_on_any_layout() {
        assert_eq!(act("Slash", "/", false, false), Some(Act::Search));
        assert_eq!(act("Slash", "?", true, false), Some(Act::Sheet));
        assert_eq!(act("Digit7", "/", true, false), Some(Act::Search));
        assert_eq!(act("Minus", "?", true, false), Some(Act::Sheet));
    }
}
