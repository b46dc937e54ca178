//! Pagination of a list: its first pages in one request, one more with each wish, as many again after Back.

use leptos::prelude::*;

use super::fetch::Fetch;
use super::url::{StoredQuery, use_kept};

/// How many pages of a list are requested.
#[derive(Clone, Copy)]
pub struct Pages {
    count: RwSignal<u32>,
    kept: StoredQuery,
    /// The requested count, and the number of rows at that time.
    wished: StoredValue<Option<(u32, usize)>>,
}

/// The pages of a list; back to one, or to what Back brings back, when what `list` reads changes.
pub fn use_pages(list: impl Fn() + 'static) -> Pages {
    let kept = use_kept("pages");
    let kept_pages = move || kept.get().map_or(1, |pages| pages as u32);
    let count = RwSignal::new(kept_pages());
    Effect::new(move |_| {
        list();
        count.set(kept_pages());
    });
    Pages { count, kept, wished: StoredValue::new(None) }
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
                return fetch.again();
            }
            if fetch.busy.get_untracked() {
                return;
            }
            // The page came and held only rows that were there: the next one is wanted.
        }
        self.wished.set_value(Some((count + 1, here)));
        self.count.set(count + 1);
        self.kept.set(count as usize + 1);
    }
}
