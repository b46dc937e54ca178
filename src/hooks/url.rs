//! The URL as values: path segments, query pairs, and going somewhere.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate, use_params_map};

use crate::routes::parse_query;

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

    /// The same place looked at differently: no new history entry, the scroll stays.
    pub fn adjust(&self, path: &str) {
        (self.0)(path, NavigateOptions { resolve: false, replace: true, scroll: false, ..NavigateOptions::default() });
    }
}

/// Goes to links made by `routes::paths`.
pub fn use_go() -> Go {
    let navigate = use_navigate();
    Go(std::sync::Arc::new(move |path, options| navigate(path, options)))
}
