//! Keyed list whose rows stay while their items change, so that menus and open parts are kept. Where rows change their
//! order the browser takes the focus from those that move; it is given back. For lists that are short;
//! [`Keyed`](super::keyed::Keyed) draws long lists whose items never change.

use std::collections::HashMap;
use std::hash::Hash;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The rows. Each gets its item as a memo, which keeps its last value while the row is removed.
#[component]
pub fn LiveRows<T, K>(
    /// The items, in their order.
    each: impl Fn() -> Vec<T> + Send + Sync + 'static,
    /// Key of a row. Items with the same key are distinguished by their order.
    key: impl Fn(&T) -> K + Send + Sync + 'static,
    /// Draws a row.
    draw: impl Fn(Memo<T>) -> AnyView + Send + Clone + 'static,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
    K: Clone + Eq + Hash + Send + Sync + 'static,
{
    let items = Memo::new(move |_| numbered(each(), &key));
    let keys = move || {
        keep_focus();
        items.with(|items| items.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>())
    };
    let row = move |key: (K, u32)| {
        let find = move || items.with(|items| Some(items.iter().find(|(other, _)| *other == key)?.1.clone()));
        let first = untrack(&find)?;
        let item = Memo::new(move |last: Option<&T>| find().or_else(|| last.cloned()).unwrap_or_else(|| first.clone()));
        Some(draw(item))
    };
    view! { <For each=keys key=Clone::clone children=row /> }
}

/// Each item with its key and the number of equal keys before it.
fn numbered<T, K: Clone + Eq + Hash>(items: Vec<T>, key: impl Fn(&T) -> K) -> Vec<((K, u32), T)> {
    let mut seen: HashMap<K, u32> = HashMap::new();
    let number = |item: T| {
        let key = key(&item);
        let count = seen.entry(key.clone()).or_default();
        *count += 1;
        ((key, *count - 1), item)
    };
    items.into_iter().map(number).collect()
}

/// Gives the focus back to the element that has it now, if nothing has it after the rows were moved.
fn keep_focus() {
    let Some(element) = document().active_element().and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok())
    else {
        return;
    };
    request_animation_frame(move || {
        let is_lost = document().active_element().is_none_or(|here| here.tag_name() == "BODY");
        if is_lost && element.is_connected() && element.tag_name() != "BODY" {
            element.focus().unwrap_or_default();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn equal_keys_are_numbered() {
        let rows = numbered(vec![(1, "a"), (2, "b"), (1, "c")], |item| item.0);
        assert_eq!(rows, [((1, 0), (1, "a")), ((2, 0), (2, "b")), ((1, 1), (1, "c"))]);
    }
}
