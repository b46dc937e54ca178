//! Roving tabindex of a long list. Tab reaches only the current row and its controls. The arrow keys move between rows.
//! Rows are the elements with `data-event`.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, MutationRecord};

use super::selectors::{EVENT, EVENT_ROW, ROVING, ROVING_PARTS};

const CONTROLS: &str = "a[href], button, summary";

/// Which row is reached first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The uppermost.
    First,
    /// The lowest.
    Last,
}

/// State of a list.
#[derive(Default)]
struct RovingState {
    /// Name of the row that had the focus last.
    current: Option<String>,
    /// The row that Tab reaches.
    stop: Option<HtmlElement>,
}

/// Makes the rows below `list` one stop. Their number may change at any time, and so may the controls in them.
pub fn use_roving(list: NodeRef<html::Div>, start: Start) {
    let state = StoredValue::new_local(RovingState::default());
    // Tab stops belong to the document, and the rows are drawn by others.
    Effect::new(move |_| {
        let Some(list) = list.get() else { return };
        let list: Element = list.into();
        let seen = list.clone();
        let callback = Closure::<dyn FnMut(Vec<MutationRecord>)>::new(move |records: Vec<MutationRecord>| {
            for record in records {
                let added = record.added_nodes();
                let elements = (0..added.length()).filter_map(|number| added.item(number)?.dyn_into::<Element>().ok());
                elements.for_each(|element| leave_out(&element));
            }
            move_stop(&seen, state, start);
        });
        let Ok(observer) = web_sys::MutationObserver::new(callback.as_ref().unchecked_ref()) else { return };
        let wanted = web_sys::MutationObserverInit::new();
        wanted.set_child_list(true);
        wanted.set_subtree(true);
        observer.observe_with_options(&list, &wanted).unwrap_or_default();
        leave_out(&list);
        move_stop(&list, state, start);
        let observed = StoredValue::new_local(Some((observer, callback)));
        on_cleanup(move || {
            if let Some(Some((observer, _))) = observed.try_update_value(Option::take) {
                observer.disconnect();
            }
        });
    });
    let inside = move |event: &web_sys::Event| {
        let target = event.target()?.dyn_into::<Element>().ok()?;
        let list: Element = list.get_untracked()?.into();
        list.contains(Some(&target)).then_some((list, target))
    };
    let focused = window_event_listener(ev::focusin, move |event| {
        if let Some((list, target)) = inside(&event)
            && let Some(row) = target.closest(EVENT_ROW).ok().flatten()
        {
            state.update_value(|state| state.current = row.get_attribute(EVENT));
            move_stop(&list, state, start);
        }
    });
    let pressed = window_event_listener(ev::keydown, move |event| {
        let step = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            _ => return,
        };
        let plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key() && !event.shift_key();
        // Without a visible focus the arrow keys scroll, as everywhere.
        let Some((list, target)) =
            inside(&event).filter(|(_, target)| plain && target.matches(":focus-visible") == Ok(true))
        else {
            return;
        };
        let rows = rows(&list);
        let here =
            target.closest(EVENT_ROW).ok().flatten().and_then(|row| rows.iter().position(|other| **other == row));
        let next = here.and_then(|here| here.checked_add_signed(step)).and_then(|next| rows.get(next));
        if let Some(next) = next {
            event.prevent_default();
            next.focus().unwrap_or_default();
        }
    });
    on_cleanup(move || {
        focused.remove();
        pressed.remove();
    });
}

fn rows(list: &Element) -> Vec<HtmlElement> {
    below(list, EVENT_ROW)
}

fn below(root: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(found) = root.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|number| found.item(number)?.dyn_into().ok()).collect()
}

/// Takes rows and controls that were drawn out of the order of Tab.
fn leave_out(drawn: &Element) {
    let itself = drawn.dyn_ref::<HtmlElement>().filter(|drawn| drawn.matches(ROVING_PARTS) == Ok(true)).cloned();
    for part in itself.into_iter().chain(below(drawn, ROVING_PARTS)) {
        part.set_attribute(ROVING, "").unwrap_or_default();
        part.set_tab_index(-1);
    }
}

/// Puts the one stop at the current row, else where the list starts.
fn move_stop(list: &Element, state: StoredValue<RovingState, LocalStorage>, start: Start) {
    state.try_update_value(|state| {
        let current = state
            .current
            .as_ref()
            .and_then(|current| rows(list).into_iter().find(|row| row.get_attribute(EVENT).as_ref() == Some(current)));
        let stop = current.or_else(|| match start {
            Start::First => list.query_selector(EVENT_ROW).ok().flatten()?.dyn_into().ok(),
            Start::Last => {
                let rows = list.query_selector_all(EVENT_ROW).ok()?;
                rows.item(rows.length().checked_sub(1)?)?.dyn_into().ok()
            }
        });
        if let Some(before) = state.stop.take().filter(|before| stop.as_ref() != Some(before)) {
            set_tab_index(&before, -1);
        }
        if let Some(stop) = &stop {
            set_tab_index(stop, 0);
        }
        state.stop = stop;
    });
}

/// Sets it on a row and on all its controls.
fn set_tab_index(row: &HtmlElement, index: i32) {
    let controls = below(row, CONTROLS);
    for element in std::iter::once(row).chain(&controls).filter(|element| element.tab_index() != index) {
        element.set_tab_index(index);
    }
}
