//! Global keyboard listener, actions of the shortcuts that every page has, and the button that opens the keyboard help.
//! The listener also runs actions that pages register. `queries::keys` defines the shortcuts.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::shell::MenuItem;
use super::tools::ToolDialogs;
use crate::i18n::use_i18n;
use crate::queries::{KeyMeaning, Pressed, Shortcut, acts_alone, in_text_field, meaning, use_go, use_key, use_keys};
use crate::routes::{FleetTab, paths};
use crate::state::{use_hub, use_preferences, use_reading};
use crate::ui::selectors::OWN_FIELD;
use crate::ui::toast::use_toasts;
use crate::ui::{Icon, rows};

/// How long `g` waits for its second key.
const SECOND_KEY_MS: f64 = 1_200.0;

/// Listens for the life of the page.
pub(super) fn listen(tools: ToolDialogs) {
    answer(tools);
    answer_rows();
    dispatch();
}

/// The same on the fleet page, which has no tools: keys of its tabs and rows, and the one of its search field.
pub(super) fn listen_on_fleet(href: impl Fn(FleetTab) -> String + Clone + Send + Sync + 'static) {
    let go = use_go();
    let keys = [Shortcut::Home, Shortcut::Sessions, Shortcut::Events, Shortcut::Tasks, Shortcut::Agents];
    for (key, tab) in keys.into_iter().zip(FleetTab::ALL) {
        let (go, href) = (go.clone(), href.clone());
        use_key(key, move || {
            go.to(&href(tab));
            true
        });
    }
    use_key(Shortcut::Search, focus_own_field);
    answer_rows();
    dispatch();
}

/// Gives each press to the handler of its shortcut.
fn dispatch() {
    let keys = use_keys();
    let letters = use_preferences().letters;
    // When it was pressed, by the browser's clock: a page that is busy in between takes none of the time.
    let after_g = StoredValue::new(None::<f64>);
    let handle = window_event_listener(ev::keydown, move |event| {
        // A composition's keys are the input method's.
        if event.is_composing() || event.alt_key() || event.default_prevented() {
            return;
        }
        let command = event.ctrl_key() || event.meta_key();
        // What can be turned off are characters: keys that make none are nobody's typing.
        let makes_none = ["Home", "End", "Escape"].contains(&event.code().as_str());
        if !command && (!(letters.get_untracked() || makes_none) || !acts_alone(&event)) {
            return;
        }
        let waiting = after_g.get_value().is_some_and(|at| event.time_stamp() - at <= SECOND_KEY_MS);
        after_g.set_value(None);
        let (code, key) = (event.code(), event.key());
        let pressed = Pressed { code: &code, key: &key, shift: event.shift_key(), command, after_g: waiting };
        match meaning(pressed) {
            Some(KeyMeaning::First) => {
                after_g.set_value(Some(event.time_stamp()));
                event.prevent_default();
            }
            Some(KeyMeaning::Is(key)) if keys.run(key) => event.prevent_default(),
            _ => {}
        }
    });
    on_cleanup(move || handle.remove());
}

fn answer(tools: ToolDialogs) {
    let go = use_go();
    for (key, place) in
        [Shortcut::Home, Shortcut::Sessions, Shortcut::Events, Shortcut::Tasks, Shortcut::Agents, Shortcut::Stores]
            .into_iter()
            .zip(MenuItem::ALL)
    {
        let go = go.clone();
        use_key(key, move || {
            go.to(&place.href());
            true
        });
    }
    use_key(Shortcut::Palette, move || tools.toggle_palette());
    use_key(Shortcut::Sheet, move || {
        tools.sheet.set(true);
        true
    });
    use_key(Shortcut::Search, move || focus_own_field() || tools.toggle_palette());
    let (hub, reading, toasts, words) = (use_hub(), use_reading(), use_toasts(), use_i18n());
    // In a field it is the browser's: what was typed last.
    use_key(Shortcut::Undo, move || !in_text_field() && toasts.undo());
    use_key(Shortcut::Unread, move || {
        let here = window().location().pathname().unwrap_or_default();
        let next = untrack(|| {
            let recent = hub.recent.get()?;
            let unread = recent.iter().filter(|card| reading.of_card(card).any());
            let mut hrefs = unread.map(|card| paths::session(&card.work_session_id));
            hrefs.find(|href| here != *href && !here.starts_with(&format!("{href}/")))
        });
        match next {
            Some(href) => go.to(&href),
            None => toasts.done(words.now().shell.nothing_unread),
        }
        true
    });
}

fn answer_rows() {
    use_key(Shortcut::NextRow, || rows::step(1));
    use_key(Shortcut::PreviousRow, || rows::step(-1));
    use_key(Shortcut::OpenRow, rows::open);
}

/// Focuses the page's own search field; false where it has none on screen.
fn focus_own_field() -> bool {
    let own = document().query_selector(OWN_FIELD).ok().flatten();
    let own = own.and_then(|field| field.dyn_into::<web_sys::HtmlElement>().ok());
    let field = own.filter(|field| field.offset_parent().is_some());
    field.is_some_and(|field| field.focus().is_ok())
}

/// Opens the sheet with the pointer.
#[component]
pub(super) fn KeysButton(sheet: RwSignal<bool>) -> impl IntoView {
    let words = use_i18n();
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
