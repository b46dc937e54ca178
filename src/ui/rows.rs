//! Keyboard navigation of lists: moves the focus between rows and opens the focused row. Rows are focusable elements
//! with `data-row`, or the rows of a list with roving tabindex ([`super::roving`]).

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::selectors::{KEY_ROWS, OPENS, ROW};

/// Gives the focus to the row `by` rows on; from outside the list to the first one in view. False without rows.
pub fn step(by: isize) -> bool {
    let rows = rows();
    let next = match current(&rows) {
        Some(here) => here.checked_add_signed(by).filter(|next| *next < rows.len()).unwrap_or(here),
        None => rows.iter().position(in_view).unwrap_or(0),
    };
    let Some(row) = rows.get(next) else { return false };
    row.focus().unwrap_or_default();
    true
}

/// Opens the row that has the focus: a link or button itself, else what in it is marked with `data-open`, else what
/// unfolds it. False without one.
pub fn open() -> bool {
    let rows = rows();
    let Some(row) = current(&rows).and_then(|here| rows.get(here)) else { return false };
    let inside = [OPENS, "summary"];
    let target = if row.has_attribute(ROW) {
        Some(row.clone())
    } else {
        inside.iter().find_map(|selector| row.query_selector(selector).ok().flatten()?.dyn_into().ok())
    };
    let Some(target) = target else { return false };
    target.click();
    true
}

fn rows() -> Vec<HtmlElement> {
    let Ok(found) = document().query_selector_all(KEY_ROWS) else { return Vec::new() };
    let rows = (0..found.length()).filter_map(|number| found.item(number)?.dyn_into::<HtmlElement>().ok());
    rows.filter(|row| row.offset_parent().is_some()).collect()
}

/// The row in which the focus is.
fn current(rows: &[HtmlElement]) -> Option<usize> {
    let focused: Element = document().active_element()?;
    rows.iter().position(|row| row.contains(Some(&focused)))
}

fn in_view(row: &HtmlElement) -> bool {
    row.get_bounding_client_rect().top() >= 0.0
}
