//! Reactive access to the URL: path segments, query pairs, navigation and filter changes. [`use_stored_query`] stores a
//! number, such as the length of a list, which the browser's Back restores.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate, use_params_map};

use crate::routes::parse_query;
use crate::state::{HistoryState, use_history_state};

/// A decoded path segment, empty when absent.
pub fn use_segment(name: &'static str) -> Memo<String> {
    let params = use_params_map();
    Memo::new(move |_| params.with(|params| params.get(name).unwrap_or_default()))
}

/// The query as pairs.
pub fn use_pairs() -> Memo<Vec<(String, String)>> {
    let search = use_location().search;
    Memo::new(move |_| search.with(|search| parse_query(search)))
}

/// Goes to links made by `routes::paths`.
#[derive(Clone)]
pub struct Go(std::sync::Arc<dyn Fn(&str, NavigateOptions) + Send + Sync>);

impl Go {
    /// A new entry in the history, from the top.
    pub fn to(&self, path: &str) {
        (self.0)(path, NavigateOptions { resolve: false, ..NavigateOptions::default() });
    }

    /// The same place looked at differently, on the user's wish: a new entry, so that Back takes it back; the scroll
    /// stays.
    pub fn refine(&self, path: &str) {
        (self.0)(path, NavigateOptions { resolve: false, scroll: false, ..NavigateOptions::default() });
    }

    /// The address follows what is on screen: no new entry, the scroll stays.
    pub fn adjust(&self, path: &str) {
        // The entry keeps its name, by which its places are known.
        let state = window().history().and_then(|history| history.state()).ok();
        let state = leptos_router::location::State::new(state);
        (self.0)(path, NavigateOptions { resolve: false, replace: true, scroll: false, state });
    }

    /// What typing led to becomes an entry of its own: Back leads to where it began.
    pub fn commit(&self, before: &str, now: &str) {
        if before != now {
            self.adjust(before);
            self.refine(now);
        }
    }
}

/// Goes to links made by `routes::paths`.
pub fn use_go() -> Go {
    let navigate = use_navigate();
    Go(std::sync::Arc::new(move |path, options| navigate(path, options)))
}

/// A change of a filter.
pub type Edit<F> = Box<dyn FnOnce(&mut F) + Send + Sync>;

/// The one way to change a filter: a copy of the one in force is edited, and the page goes to its address.
pub fn use_edit<F: 'static>(
    now: impl Fn() -> F + Send + Sync + 'static,
    address: impl Fn(&F) -> String + Send + Sync + 'static,
) -> Callback<Edit<F>> {
    let go = use_go();
    Callback::new(move |edit: Edit<F>| {
        let mut filter = now();
        edit(&mut filter);
        go.refine(&address(&filter));
    })
}

/// A number that Back restores: stored with the history entry and the address at which it was set.
#[derive(Clone, Copy)]
pub struct StoredQuery {
    places: HistoryState,
    name: &'static str,
    address: (Memo<String>, Memo<String>),
}

impl StoredQuery {
    /// What was set here before the user left, if anything.
    pub fn get(self) -> Option<usize> {
        self.places.stored_value(&self.key())?.parse().ok()
    }

    /// Sets it for the entry on screen.
    pub fn set(self, value: usize) {
        self.places.store_value(&self.key(), value.to_string());
    }

    fn key(self) -> String {
        format!("{} {}?{}", self.name, self.address.0.get_untracked(), self.address.1.get_untracked())
    }
}

/// A number of this page that Back brings back.
pub fn use_stored_query(name: &'static str) -> StoredQuery {
    let location = use_location();
    StoredQuery { places: use_history_state(), name, address: (location.pathname, location.search) }
}
