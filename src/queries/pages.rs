//! Pagination of a list with a button for more rows: the number of pages to load, counted from the first. The button
//! adds one page; a second press during the request adds none. The browser's Back restores the number.

use leptos::prelude::*;

use super::fetch::Fetch;
use super::url::{StoredQuery, use_stored_query};

/// How many pages of a list are requested.
#[derive(Clone, Copy)]
pub struct Pages {
    count: RwSignal<u32>,
    stored: StoredQuery,
    /// The requested count, and the number of rows at that time.
    wished: StoredValue<Option<(u32, usize)>>,
}

/// The pages of a list; back to one, or to what Back brings back, when what `list` reads changes.
pub fn use_pages(list: impl Fn() + 'static) -> Pages {
    let stored = use_stored_query("pages");
    let stored_pages = move || stored.get().map_or(1, |pages| pages as u32);
    let count = RwSignal::new(stored_pages());
    Effect::new(move |_| {
        list();
        count.set(stored_pages());
    });
    Pages { count, stored, wished: StoredValue::new(None) }
}

impl Pages {
    /// Number of requested pages. Reactive.
    pub fn get(self) -> u32 {
        self.count.get()
    }

    /// The user wants more than the `here` rows shown. A second press is the same wish, so that the button need not be
    /// disabled: lists are refetched at any moment, and a press during a request would be lost.
    pub fn more<T: Send + Sync>(self, here: usize, fetch: Fetch<T>) {
        let count = self.count.get_untracked();
        if self.wished.get_value() == Some((count, here)) {
            if fetch.error.with_untracked(Option::is_some) {
                return fetch.refetch();
            }
            if fetch.busy.get_untracked() {
                return;
            }
            // The page came and held only rows that were there: the next one is wanted.
        }
        self.wished.set_value(Some((count + 1, here)));
        self.count.set(count + 1);
        self.stored.set(count as usize + 1);
    }
}
