//! Roving tabindex of a long list. Tab reaches only the current row and its controls. The arrow keys move between rows.
//! Rows are the elements with `data-event`.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::selectors::{EVENT, EVENT_ROW, ROVING};

const CONTROLS: &str = "a[href], button, summary";

/// Which row is reached first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The uppermost.
    First,
    /// The lowest.
    Last,
}

/// Makes the rows below `list` one stop. Their number may change at any time.
pub fn use_roving(list: NodeRef<html::Div>, start: Start) {
    let current = StoredValue::new(None::<String>);
    // Tab stops belong to the document, and the rows are drawn by others.
    Effect::new(move |_| {
        let Some(list) = list.get() else { return };
        let list: Element = list.into();
        let seen = list.clone();
        let callback = Closure::<dyn FnMut(JsValue)>::new(move |_| mark(&seen, current, start));
        let Ok(observer) = web_sys::MutationObserver::new(callback.as_ref().unchecked_ref()) else { return };
        let wanted = web_sys::MutationObserverInit::new();
        wanted.set_child_list(true);
        wanted.set_subtree(true);
        observer.observe_with_options(&list, &wanted).unwrap_or_default();
        mark(&list, current, start);
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
            current.set_value(row.get_attribute(EVENT));
            mark(&list, current, start);
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

/// Puts the one stop at the current row, else where the list starts.
fn mark(list: &Element, current: StoredValue<Option<String>>, start: Start) {
    let Some(current) = current.try_get_value() else { return };
    let rows = rows(list);
    let is_current = |row: &&HtmlElement| current.is_some() && row.get_attribute(EVENT) == current;
    let edge = || if start == Start::First { rows.first() } else { rows.last() };
    let stop = rows.iter().find(is_current).or_else(edge).cloned();
    for row in &rows {
        let is_stop = stop.as_ref() == Some(row);
        if (row.tab_index() == 0) == is_stop && row.has_attribute(ROVING) {
            continue;
        }
        row.set_attribute(ROVING, "").unwrap_or_default();
        row.set_tab_index(if is_stop { 0 } else { -1 });
        for control in below(row, CONTROLS) {
            control.set_tab_index(if is_stop { 0 } else { -1 });
        }
    }
}
