//! Reactive access to the URL: path segments, query pairs, navigation and filter changes. [`use_stored_query`] stores a
//! number, such as the length of a list, which the browser's Back restores.

use coordination::api::{KnownBy, PastMoment};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate, use_params_map};

use crate::routes::{ComparedWith, at_moment, comparing, parse_query, without_moment};
use crate::state::{HistoryState, HubState, PageClock, use_clock, use_history_state, use_hub};

const MINUTE_MS: i64 = 60_000;

/// A decoded path segment, empty when absent.
pub fn use_segment(name: &'static str) -> Memo<String> {
    let params = use_params_map();
    Memo::new(move |_| params.with(|params| params.get(name).unwrap_or_default()))
}

/// The query as pairs, without the past moment, which concerns all pages.
pub fn use_pairs() -> Memo<Vec<(String, String)>> {
    let search = use_location().search;
    Memo::new(move |_| without_moment(search.with(|search| parse_query(search))))
}

/// Goes to links made by `routes::paths`, and keeps the past moment that is looked at.
#[derive(Clone)]
pub struct Go {
    navigate: std::sync::Arc<dyn Fn(&str, NavigateOptions) + Send + Sync>,
    hub: HubState,
    clock: PageClock,
}

impl Go {
    fn navigate(&self, path: &str, options: NavigateOptions) {
        (self.navigate)(&at_moment(path, self.hub.moment.get_untracked()), options);
    }

    /// The page on screen as of a past moment, or as of now: a new entry in the history, unless the page is in the past
    /// already and stays there.
    pub fn to_moment(&self, moment: Option<PastMoment>) {
        let address = here();
        let was_past = address.split_once('?').map(|(_, query)| parse_query(query)).unwrap_or_default();
        let replace = moment.is_some() && crate::routes::moment(&was_past).is_some();
        let options = NavigateOptions { resolve: false, replace, scroll: false, ..NavigateOptions::default() };
        (self.navigate)(&at_moment(&address, moment), options);
    }

    /// The page on screen with its moment compared, or no longer.
    pub fn compare(&self, with: Option<ComparedWith>) {
        let options = NavigateOptions { resolve: false, replace: true, scroll: false, ..NavigateOptions::default() };
        let here = at_moment(&here(), self.hub.moment.get_untracked());
        (self.navigate)(&comparing(&here, with), options);
    }

    /// The page on screen as of a minute ago, from where the bar of the past leads further back.
    pub fn to_recent_past(&self) {
        if self.hub.moment.get_untracked().is_none() {
            let minute_ago = (self.clock.now() / MINUTE_MS - 1) * MINUTE_MS;
            self.to_moment(Some(PastMoment { at: minute_ago, known_by: KnownBy::default() }));
        }
    }

    /// A new entry in the history, from the top.
    pub fn to(&self, path: &str) {
        self.navigate(path, NavigateOptions { resolve: false, ..NavigateOptions::default() });
    }

    /// The same place looked at differently, on the user's wish: a new entry, so that Back takes it back; the scroll
    /// stays.
    pub fn refine(&self, path: &str) {
        self.navigate(path, NavigateOptions { resolve: false, scroll: false, ..NavigateOptions::default() });
    }

    /// The address follows what is on screen: no new entry, the scroll stays.
    pub fn adjust(&self, path: &str) {
        // The entry keeps its name, by which its places are known.
        let state = window().history().and_then(|history| history.state()).ok();
        let state = leptos_router::location::State::new(state);
        self.navigate(path, NavigateOptions { resolve: false, replace: true, scroll: false, state });
    }

    /// What typing led to becomes an entry of its own: Back leads to where it began.
    pub fn commit(&self, before: &str, now: &str) {
        if before != now {
            self.adjust(before);
            self.refine(now);
        }
    }
}

/// Path and query of the page on screen.
fn here() -> String {
    let location = window().location();
    format!("{}{}", location.pathname().unwrap_or_default(), location.search().unwrap_or_default())
}

/// Goes to links made by `routes::paths`.
pub fn use_go() -> Go {
    let navigate = use_navigate();
    Go {
        navigate: std::sync::Arc::new(move |path, options| navigate(path, options)),
        hub: use_hub(),
        clock: use_clock(),
    }
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
