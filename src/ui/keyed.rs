//! Keyed list that leaves existing rows in place while rows are added or removed. If rows change their order, all are
//! drawn again. Leptos' own `For` (tachys 0.2) removes and reinserts the rows that follow two or more new ones, so that
//! the browser repeats their layout and the focus is lost.

use std::collections::HashSet;
use std::hash::Hash;

use leptos::html;
use leptos::prelude::*;
use leptos::tachys::reactive_graph::OwnedView;
use leptos::tachys::view::{Mountable, Render};

/// A row that is drawn.
struct KeyedRow<K> {
    key: K,
    state: <OwnedView<AnyView> as Render>::State,
}

/// The list. A row is drawn once for its key, and redrawn only where rows change places.
#[component]
pub fn Keyed<T, K>(
    #[prop(into)] each: Signal<Vec<T>>,
    /// Key of a row.
    key: fn(&T) -> K,
    /// Draws a row.
    draw: Box<dyn Fn(T) -> AnyView>,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    K: Eq + Hash + Clone + 'static,
{
    let list = NodeRef::<html::Div>::new();
    let rows = StoredValue::new_local(Vec::<KeyedRow<K>>::new());
    // Rows outlive the effect's runs: they belong to the list.
    let owner = Owner::current().unwrap_or_default();
    // The page's nodes are the browser's.
    Effect::new(move |_| {
        let Some(list) = list.get() else { return };
        let items = each.get();
        let Some(drawn) = rows.try_update_value(std::mem::take) else { return };
        let build = |item: T| {
            let own = owner.with(Owner::new);
            let view = own.with(|| draw(item));
            OwnedView::new_with_owner(view, own).build()
        };
        rows.set_value(untrack(|| follow(drawn, items, key, &list, build)));
    });
    view! { <div node_ref=list /> }
}

/// Removes old rows and inserts new ones between the remaining ones.
fn follow<T, K: Eq + Hash + Clone>(
    drawn: Vec<KeyedRow<K>>,
    items: Vec<T>,
    key: fn(&T) -> K,
    list: &web_sys::Element,
    build: impl Fn(T) -> <OwnedView<AnyView> as Render>::State,
) -> Vec<KeyedRow<K>> {
    let keys: Vec<K> = items.iter().map(key).collect();
    let stays = staying(&drawn.iter().map(|row| row.key.clone()).collect::<Vec<_>>(), &keys);
    let mut reused = Vec::with_capacity(items.len());
    for (mut row, stays) in drawn.into_iter().zip(stays) {
        if stays {
            reused.push(row);
        } else {
            row.state.unmount();
        }
    }
    // From the end, so that the row to insert before is already there.
    let mut rows: Vec<KeyedRow<K>> = Vec::with_capacity(items.len());
    for (item, key) in items.into_iter().zip(keys).rev() {
        if let Some(row) = reused.pop_if(|row| row.key == key) {
            rows.push(row);
            continue;
        }
        let mut state = build(item);
        // A row may draw nothing, and then no row can be inserted before it.
        if !rows.iter().rev().any(|next| next.state.insert_before_this(&mut state)) {
            state.mount(list, None);
        }
        rows.push(KeyedRow { key, state });
    }
    rows.reverse();
    rows
}

/// Which of the old rows stay: those that are wanted, unless they would have to change places.
fn staying<K: Eq + Hash>(old: &[K], new: &[K]) -> Vec<bool> {
    let wanted: HashSet<&K> = new.iter().collect();
    let had: HashSet<&K> = old.iter().collect();
    let ordered = old.iter().filter(|key| wanted.contains(key)).eq(new.iter().filter(|key| had.contains(key)));
    old.iter().map(|key| ordered && wanted.contains(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::staying;

    #[test]
    fn unchanged_order_reuses_rows() {
        assert_eq!(staying(&[3, 4, 5], &[1, 2, 3, 4]), [true, true, false], "a page before, the end gives way");
        assert_eq!(staying(&[1, 2, 3], &[1, 9, 3, 4]), [true, false, true], "one in the middle is another");
        assert_eq!(staying(&[1, 2, 3], &[2, 1, 3]), [false, false, false], "places are changed");
        assert_eq!(staying(&[1, 2], &[1, 2, 2]), [false, false], "a key that comes twice is drawn twice");
    }
}
