//! State of a page's query to the data source, as signals. A query is sent when its key changes or a live change
//! affects it. The previous answer stays until the next one arrives. A failed request never removes visible data.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{AbortHandle, abortable};
use gloo_timers::callback::Timeout;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::refetch_policy::RefetchPolicy;
use crate::source::{DataSource, SourceError};
use crate::state::{ConnectionState, LiveChanges, PageClock, use_clock, use_connection, use_hub};

/// State of a query.
pub struct Fetch<T: Send + Sync + 'static> {
    /// The newest answer.
    pub data: RwSignal<Option<Arc<T>>>,
    /// Why the newest try failed.
    pub error: RwSignal<Option<SourceError>>,
    /// The same while there is no answer to show. Views choose by this: with `error` they would be rebuilt at each
    /// failure and lose what they had fetched themselves.
    pub failure: Memo<Option<SourceError>>,
    /// A request is pending.
    pub busy: RwSignal<bool>,
    refetches: RwSignal<u32>,
}

impl<T: Send + Sync + 'static> Clone for Fetch<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Fetch<T> {}

impl<T: Send + Sync + 'static> Fetch<T> {
    fn new() -> Self {
        let (data, error) = (RwSignal::new(None::<Arc<T>>), RwSignal::new(None::<SourceError>));
        let failure = Memo::new(move |_| error.get().filter(|_| data.with(Option::is_none)));
        Self { data, error, failure, busy: RwSignal::new(true), refetches: RwSignal::new(0) }
    }

    /// Asks again, e.g. on the user's wish.
    pub fn refetch(self) {
        self.refetches.update(|count| *count += 1);
    }

    fn take(self, answer: Result<T, SourceError>) {
        match answer {
            Ok(data) => {
                self.data.set(Some(Arc::new(data)));
                // Set only when it changes: dependent views would be redrawn at every answer.
                if self.error.with_untracked(Option::is_some) {
                    self.error.set(None);
                }
            }
            Err(error) => self.error.set(Some(error)),
        }
        self.busy.set(false);
    }
}

/// When to ask again and when an old answer must go.
pub struct FetchOptions<K> {
    /// True when a live change concerns this key.
    pub touches: Box<dyn Fn(&LiveChanges, &K) -> bool>,
    /// False when the key names another subject, so that the previous subject's answer must not be shown for it.
    pub same_subject: Box<dyn Fn(&K, &K) -> bool>,
}

impl<K> Default for FetchOptions<K> {
    /// Every change touches it; every key looks at the same thing differently.
    fn default() -> Self {
        Self { touches: Box::new(|_, _| true), same_subject: Box::new(|_, _| true) }
    }
}

/// A query between its answers.
#[derive(Clone, Copy)]
struct QueryState {
    question: StoredValue<RefetchPolicy>,
    /// The newest request; answers to earlier ones are dropped.
    generation: StoredValue<u64>,
    under_way: StoredValue<Option<AbortHandle>>,
    /// An answer to it is shown.
    answered: StoredValue<bool>,
    /// A request for a change is scheduled.
    soon: StoredValue<bool>,
    /// Time of the request, by the browser's clock.
    sent_at: StoredValue<f64>,
    refetches: RwSignal<u32>,
    connection: ConnectionState,
    clock: PageClock,
    /// Id of the query among those of the page.
    number: u64,
}

type FetchFuture<T> = Pin<Box<dyn Future<Output = Result<T, SourceError>>>>;

impl QueryState {
    fn new(refetches: RwSignal<u32>) -> Self {
        let asking = Self {
            question: StoredValue::new(RefetchPolicy::default()),
            generation: StoredValue::new(0),
            under_way: StoredValue::new(None),
            answered: StoredValue::new(false),
            soon: StoredValue::new(false),
            sent_at: StoredValue::new(0.0),
            refetches,
            connection: use_connection(),
            clock: use_clock(),
            number: (js_sys::Math::random() * 9.0e15) as u64,
        };
        on_cleanup(move || {
            asking.abort();
            asking.connection.mark_fresh(asking.number);
        });
        asking
    }

    /// Takes back what is under way.
    fn abort(self) {
        if let Some(Some(under_way)) = self.under_way.try_update_value(Option::take) {
            under_way.abort();
        }
    }

    /// Asks, in place of what is under way; `take` gets the answer, if the page still wants it.
    fn ask<T: 'static>(self, answer: FetchFuture<T>, take: impl FnOnce(Result<T, SourceError>) + 'static) {
        self.abort();
        let timeout_ms = self.question.try_update_value(RefetchPolicy::ask).unwrap_or_default();
        self.generation.update_value(|number| *number += 1);
        self.sent_at.set_value(js_sys::Date::now());
        let mine = self.generation.get_value();
        let (answer, under_way) = abortable(async move {
            futures::select_biased! {
                answer = answer.fuse() => answer,
                () = TimeoutFuture::new(timeout_ms).fuse() => Err(SourceError::Network),
            }
        });
        self.under_way.set_value(Some(under_way));
        spawn_local(async move {
            let Ok(answer) = answer.await else { return };
            // The page may be closed, or a newer request pending.
            if self.generation.try_get_value() != Some(mine) {
                return;
            }
            let passing = answer.as_ref().err().map(SourceError::is_passing);
            take(answer);
            match passing {
                None | Some(false) => self.answered(passing.is_none()),
                Some(true) => self.failed(mine),
            }
        });
    }

    /// Milliseconds since the request was sent.
    fn since(self) -> u32 {
        (js_sys::Date::now() - self.sent_at.try_get_value().unwrap_or_default()).max(0.0) as u32
    }

    /// The monitor answered, perhaps with an error.
    fn answered(self, yes: bool) {
        if yes {
            self.answered.set_value(true);
        }
        self.connection.mark_fresh(self.number);
        let took_ms = self.since();
        if self.question.try_update_value(|question| question.answered(took_ms)) == Some(true) {
            self.ask_soon();
        }
    }

    fn failed(self, mine: u64) {
        let took_ms = self.since();
        let wait = self.question.try_update_value(|question| question.failed(took_ms)).unwrap_or_default();
        if self.answered.get_value() && self.question.get_value().is_behind() {
            self.connection.mark_stale(self.number, self.clock.now() - i64::from(took_ms));
        }
        let retry = move || {
            if self.generation.try_get_value() == Some(mine) {
                self.refetches.update(|count| *count += 1);
            }
        };
        Timeout::new(wait, retry).forget();
    }

    /// The key names another subject: the previous answer does not apply to it.
    fn forget_answer(self) {
        self.answered.set_value(false);
        self.connection.mark_fresh(self.number);
    }

    fn is_failing(self) -> bool {
        self.question.try_get_value().is_some_and(RefetchPolicy::is_failing)
    }

    /// A change touches it.
    fn changed(self) {
        if self.question.try_update_value(RefetchPolicy::change) == Some(true) {
            self.ask_soon();
        }
    }

    fn ask_soon(self) {
        if self.soon.get_value() {
            return;
        }
        self.soon.set_value(true);
        let ask = move || {
            if self.soon.try_set_value(false).is_none() {
                self.refetches.update(|count| *count += 1);
            }
        };
        let wait = self.question.try_get_value().unwrap_or_default().wait(self.since());
        Timeout::new(wait, ask).forget();
    }
}

/// Asks `load(source, key)` for the current key.
pub fn use_fetch<K, T, Fut>(
    key: impl Fn() -> K + Send + Sync + 'static,
    options: FetchOptions<K>,
    load: impl Fn(DataSource, K) -> Fut + 'static,
) -> Fetch<T>
where
    K: Clone + PartialEq + Send + Sync + 'static,
    T: Send + Sync + 'static,
    Fut: Future<Output = Result<T, SourceError>> + 'static,
{
    let hub = use_hub();
    let connection = use_connection();
    let fetch = Fetch::new();
    let asking = QueryState::new(fetch.refetches);
    let key = Memo::new(move |_| key());
    let load = move |source, key| -> FetchFuture<T> { Box::pin(load(source, key)) };
    let FetchOptions { touches, same_subject } = options;

    Effect::new(move |before: Option<K>| {
        let key = key.get();
        fetch.refetches.track();
        if before.is_some_and(|before| !same_subject(&before, &key)) {
            fetch.data.set(None);
            fetch.error.set(None);
            asking.forget_answer();
        }
        let Some(source) = hub.source.get() else { return key };
        fetch.busy.set(true);
        asking.ask(load(source, key.clone()), move |answer| fetch.take(answer));
        key
    });

    Effect::new(move |first: Option<()>| {
        let change = hub.change.get();
        if first.is_some() && touches(&change, &key.get_untracked()) {
            asking.changed();
        }
    });
    // A query that failed while the link was down is sent again when it is back; a pending one may wait on a connection
    // that died with the link.
    Effect::new(move |before: Option<bool>| {
        let fresh = connection.fresh();
        if before == Some(false) && fresh {
            fetch.refetch();
        }
        // Without a source no request was sent, and none will be until there is one.
        if !fresh && hub.source.with(Option::is_none) {
            fetch.error.set(Some(SourceError::Network));
        }
        fresh
    });
    Effect::new(move |first: Option<()>| {
        connection.nudge.track();
        if first.is_some() && asking.is_failing() {
            fetch.refetch();
        }
    });
    fetch
}
