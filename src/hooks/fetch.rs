//! One question of a page to the source: asked when its key changes or a live change touches it, answered in
//! signals. The previous answer stays until the next is there; a failed answer never removes what is shown.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::source::{ApiError, Source};
use crate::state::{Change, use_connection, use_hub};

/// Live changes within this time lead to one question.
const COALESCE_MS: u32 = 150;
/// A question that found nobody is asked again after this, and after twice as long each time.
const RETRY_FIRST_MS: u32 = 1_000;
const RETRY_CAP_MS: u32 = 16_000;

/// The state of a question.
pub struct Fetch<T: Send + Sync + 'static> {
    /// The newest answer.
    pub data: RwSignal<Option<Arc<T>>>,
    /// Why the newest try failed.
    pub error: RwSignal<Option<ApiError>>,
    /// A question is under way.
    pub busy: RwSignal<bool>,
    again: RwSignal<u32>,
}

impl<T: Send + Sync + 'static> Clone for Fetch<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Fetch<T> {}

impl<T: Send + Sync + 'static> Fetch<T> {
    /// Asks again, e.g. on the reader's wish.
    pub fn again(self) {
        self.again.update(|count| *count += 1);
    }
}

/// When to ask again and when an old answer must go.
pub struct FetchOptions<K> {
    /// True when a live change concerns this key.
    pub touches: Box<dyn Fn(&Change, &K) -> bool>,
    /// False when the key names another thing, so that its predecessor's answer must not stand in for it.
    pub same_subject: Box<dyn Fn(&K, &K) -> bool>,
}

impl<K> Default for FetchOptions<K> {
    /// Every change touches it; every key looks at the same thing differently.
    fn default() -> Self {
        Self { touches: Box::new(|_, _| true), same_subject: Box::new(|_, _| true) }
    }
}

/// Asks `load(source, key)` for the current key.
pub fn use_fetch<K, T, Fut>(
    key: impl Fn() -> K + Send + Sync + 'static,
    options: FetchOptions<K>,
    load: impl Fn(Source, K) -> Fut + 'static,
) -> Fetch<T>
where
    K: Clone + PartialEq + Send + Sync + 'static,
    T: Send + Sync + 'static,
    Fut: Future<Output = Result<T, ApiError>> + 'static,
{
    let hub = use_hub();
    let connection = use_connection();
    let fetch = Fetch {
        data: RwSignal::new(None),
        error: RwSignal::new(None),
        busy: RwSignal::new(true),
        again: RwSignal::new(0),
    };
    let key = Memo::new(move |_| key());
    let generation = StoredValue::new(0_u64);
    let retry_ms = StoredValue::new(RETRY_FIRST_MS);
    let load = move |source, key| -> Pin<Box<dyn Future<Output = Result<T, ApiError>>>> { Box::pin(load(source, key)) };
    let FetchOptions { touches, same_subject } = options;

    Effect::new(move |before: Option<K>| {
        let key = key.get();
        fetch.again.track();
        if before.is_some_and(|before| !same_subject(&before, &key)) {
            fetch.data.set(None);
            fetch.error.set(None);
        }
        let Some(source) = hub.source.get() else { return key };
        generation.update_value(|n| *n += 1);
        let mine = generation.get_value();
        fetch.busy.set(true);
        let answer = load(source, key.clone());
        spawn_local(async move {
            let answer = answer.await;
            // The page may be gone, or a newer question under way.
            if generation.try_get_value() != Some(mine) {
                return;
            }
            match answer {
                Ok(data) => {
                    retry_ms.set_value(RETRY_FIRST_MS);
                    fetch.data.set(Some(Arc::new(data)));
                    // Told only when it changes: views that hang on it would be drawn anew at every answer.
                    if fetch.error.with_untracked(Option::is_some) {
                        fetch.error.set(None);
                    }
                }
                Err(error) => {
                    if error.is_passing() {
                        let wait = retry_ms.get_value();
                        retry_ms.set_value((wait * 2).min(RETRY_CAP_MS));
                        // Whatever the live link says: one connection can break while it stands, and it can be down
                        // just now and back before the page calls it stale, so that its return asks nothing.
                        let retry = move || {
                            if generation.try_get_value() == Some(mine) {
                                fetch.again();
                            }
                        };
                        gloo_timers::callback::Timeout::new(wait, retry).forget();
                    }
                    fetch.error.set(Some(error));
                }
            }
            fetch.busy.set(false);
        });
        key
    });

    let waiting = StoredValue::new(false);
    Effect::new(move |first: Option<()>| {
        let change = hub.change.get();
        if first.is_none() || waiting.get_value() || !touches(&change, &key.get_untracked()) {
            return;
        }
        waiting.set_value(true);
        gloo_timers::callback::Timeout::new(COALESCE_MS, move || {
            if waiting.try_set_value(false).is_none() {
                fetch.again();
            }
        })
        .forget();
    });
    // A question that failed while the link was down is asked again when it is back.
    Effect::new(move |before: Option<bool>| {
        let fresh = connection.fresh();
        if before == Some(false) && fresh {
            fetch.again();
        }
        // Without a source nothing was asked, and will not be until there is one.
        if !fresh && hub.source.with(Option::is_none) {
            fetch.error.set(Some(ApiError::Network));
        }
        fresh
    });
    fetch
}
