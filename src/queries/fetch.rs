//! Query of a page to the data source, with answer and error as signals. A request is sent when the key (such as a
//! session id) changes, when a live change concerns the key, and again after a transient failure. The previous answer
//! stays until the next one arrives. If [`FetchOptions`] says so, a change of the key discards it at once.

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
use crate::state::{ConnectionState, HubState, LiveChanges, PageClock, use_clock, use_connection, use_hub};

#[cfg(test)]
#[path = "fetch_example.rs"]
#[allow(dead_code, reason = "nothing renders the example")]
mod fetch_example;

/// Signals of a query, for views.
pub struct Fetch<T: Send + Sync + 'static> {
    /// The newest answer.
    pub data: RwSignal<Option<Arc<T>>>,
    /// Why the newest request failed.
    pub error: RwSignal<Option<SourceError>>,
    /// `error` while there is no answer to show. Views choose by this: `error` would rebuild them at each failure, and
    /// they would lose what they fetched themselves.
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

    /// Sends a request now, for example when the user presses "try again".
    pub fn refetch(self) {
        self.refetches.update(|count| *count += 1);
    }

    fn set_result(self, result: Result<T, SourceError>) {
        match result {
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

/// Which live changes send a request, and whether the data stays when the key changes. Begin with
/// [`Self::refetch_when`], [`Self::refetch_on_any_change`] or [`Self::ignore_live_changes`].
pub struct FetchOptions<K> {
    /// True when a live change concerns this key.
    refetch_when: Box<dyn Fn(&LiveChanges, &K) -> bool>,
    /// True when the data of the first key may be shown until the answer for the second arrives.
    keep_data_when: Box<dyn Fn(&K, &K) -> bool>,
    /// Shortest delay between two requests for live changes, in milliseconds.
    pace_ms: u32,
}

impl<K: 'static> FetchOptions<K> {
    /// A live change for which `concerns` is true sends a request. A change of the key keeps the data.
    pub fn refetch_when(concerns: impl Fn(&LiveChanges, &K) -> bool + 'static) -> Self {
        Self { refetch_when: Box::new(concerns), keep_data_when: Box::new(|_, _| true), pace_ms: 0 }
    }

    /// Every live change sends a request. A change of the key keeps the data.
    pub fn refetch_on_any_change() -> Self {
        Self::refetch_when(|_, _| true)
    }

    /// Requests follow only the key and [`Fetch::refetch`]. A change of the key keeps the data.
    pub fn ignore_live_changes() -> Self {
        Self::refetch_when(|_, _| false)
    }

    /// A change of the key clears the data: the answer for one key is never shown for another.
    pub fn clear_on_key_change(self) -> Self
    where
        K: PartialEq,
    {
        self.keep_data_when(|a, b| a == b)
    }

    /// While live changes follow each other, requests are sent at this pace or a slower one. For what lies beside the
    /// messages that a user reads: it is drawn again with every answer.
    pub fn at_pace(self, pace_ms: u32) -> Self {
        Self { pace_ms, ..self }
    }

    /// A change of the key clears the data unless `keep` is true for the old and the new key.
    pub fn keep_data_when(self, keep: impl Fn(&K, &K) -> bool + 'static) -> Self {
        Self { keep_data_when: Box::new(keep), ..self }
    }
}

/// Runner of a query: sends its requests and decides when the next one is due. Views do not see it.
#[derive(Clone, Copy)]
struct QueryRunner {
    policy: StoredValue<RefetchPolicy>,
    /// The newest request; answers to earlier ones are dropped.
    generation: StoredValue<u64>,
    pending: StoredValue<Option<AbortHandle>>,
    /// An answer is shown, and applies to the current key.
    has_answer: StoredValue<bool>,
    /// A request for a change is scheduled.
    is_scheduled: StoredValue<bool>,
    /// Time of the request, by the browser's clock.
    sent_at: StoredValue<f64>,
    refetches: RwSignal<u32>,
    connection: ConnectionState,
    hub: HubState,
    /// It counts among the queries that wait for an answer as of a past moment.
    is_counted: StoredValue<bool>,
    clock: PageClock,
    /// Random id of the query among those of the page.
    id: u64,
}

type FetchFuture<T> = Pin<Box<dyn Future<Output = Result<T, SourceError>>>>;

impl QueryRunner {
    fn new(refetches: RwSignal<u32>, pace_ms: u32) -> Self {
        let query = Self {
            policy: StoredValue::new(RefetchPolicy::with_pace(pace_ms)),
            generation: StoredValue::new(0),
            pending: StoredValue::new(None),
            has_answer: StoredValue::new(false),
            is_scheduled: StoredValue::new(false),
            sent_at: StoredValue::new(0.0),
            refetches,
            connection: use_connection(),
            hub: use_hub(),
            is_counted: StoredValue::new(false),
            clock: use_clock(),
            id: (js_sys::Math::random() * 9.0e15) as u64,
        };
        on_cleanup(move || {
            query.abort();
            query.set_waiting(false);
            query.connection.mark_fresh(query.id);
        });
        query
    }

    /// Counts the query while it waits for an answer as of a past moment: the slider of the past moves on when all are
    /// there.
    fn set_waiting(self, waits: bool) {
        let counts = waits && self.hub.moment.with_untracked(Option::is_some);
        if self.is_counted.try_get_value().is_some_and(|is_counted| is_counted != counts) {
            self.is_counted.set_value(counts);
            self.hub.past.pending.update(|count| *count = if counts { *count + 1 } else { count.saturating_sub(1) });
        }
    }

    /// Aborts the pending request.
    fn abort(self) {
        if let Some(Some(pending)) = self.pending.try_update_value(Option::take) {
            pending.abort();
        }
    }

    /// Sends a request in place of the pending one. `set_result` gets the answer, unless the query ended or a newer
    /// request was sent.
    fn send<T: 'static>(self, answer: FetchFuture<T>, set_result: impl FnOnce(Result<T, SourceError>) + 'static) {
        self.abort();
        self.set_waiting(true);
        let timeout_ms = self.policy.try_update_value(RefetchPolicy::on_send).unwrap_or_default();
        self.generation.update_value(|number| *number += 1);
        self.sent_at.set_value(js_sys::Date::now());
        let generation = self.generation.get_value();
        let (answer, pending) = abortable(async move {
            futures::select_biased! {
                answer = answer.fuse() => answer,
                () = TimeoutFuture::new(timeout_ms).fuse() => Err(SourceError::Network),
            }
        });
        self.pending.set_value(Some(pending));
        spawn_local(async move {
            let Ok(answer) = answer.await else { return };
            // The page may be closed, or a newer request pending.
            if self.generation.try_get_value() != Some(generation) {
                return;
            }
            let (ok, may_retry) = (answer.is_ok(), answer.as_ref().is_err_and(SourceError::is_transient));
            set_result(answer);
            self.set_waiting(false);
            if may_retry { self.on_failure(generation) } else { self.on_answer(ok) }
        });
    }

    /// Milliseconds since the request was sent.
    fn elapsed_ms(self) -> u32 {
        (js_sys::Date::now() - self.sent_at.try_get_value().unwrap_or_default()).max(0.0) as u32
    }

    /// The monitor answered. `ok` is false when its answer is an error that a retry does not change.
    fn on_answer(self, ok: bool) {
        if ok {
            self.has_answer.set_value(true);
        }
        self.connection.mark_fresh(self.id);
        let took_ms = self.elapsed_ms();
        if self.policy.try_update_value(|policy| policy.on_answer(took_ms)) == Some(true) {
            self.schedule_refetch();
        }
    }

    /// The request failed, and a retry may help: schedules it.
    fn on_failure(self, generation: u64) {
        let took_ms = self.elapsed_ms();
        let delay_ms = self.policy.try_update_value(|policy| policy.on_failure(took_ms)).unwrap_or_default();
        if self.has_answer.get_value() && self.policy.get_value().is_behind() {
            self.connection.mark_stale(self.id, self.clock.running() - i64::from(took_ms));
        }
        let retry = move || {
            if self.generation.try_get_value() == Some(generation) {
                self.refetches.update(|count| *count += 1);
            }
        };
        Timeout::new(delay_ms, retry).forget();
    }

    /// The data was cleared: the previous answer does not apply to the new key.
    fn clear(self) {
        self.has_answer.set_value(false);
        self.connection.mark_fresh(self.id);
    }

    fn is_failing(self) -> bool {
        self.policy.try_get_value().is_some_and(RefetchPolicy::is_failing)
    }

    /// A live change concerns the key.
    fn on_live_change(self) {
        if self.policy.try_update_value(RefetchPolicy::on_change) == Some(true) {
            self.schedule_refetch();
        }
    }

    /// Sends a request once the delay of the policy has passed. Calls in between have no effect.
    fn schedule_refetch(self) {
        if self.is_scheduled.get_value() {
            return;
        }
        self.is_scheduled.set_value(true);
        let refetch = move || {
            // `None` means that the flag was set: the query has not ended.
            if self.is_scheduled.try_set_value(false).is_none() {
                self.refetches.update(|count| *count += 1);
            }
        };
        let delay_ms = self.policy.try_get_value().unwrap_or_default().delay_ms(self.elapsed_ms());
        Timeout::new(delay_ms, refetch).forget();
    }
}

/// Loads `load(source, key)` for the current key and keeps the newest answer as signals.
///
#[doc = concat!("```ignore\n", include_str!("fetch_example.rs"), "```")]
///
/// A request is sent when
/// - `key` changes, [`Fetch::refetch`] is called, or another source is in use: a pending request is aborted;
/// - a live change arrives that [`FetchOptions::refetch_when`] accepts: a pending request is awaited first;
/// - the newest request failed and a retry may help ([`SourceError::is_transient`]): 1 s after it
///   was sent, then 2 s, up to 16 s, and at once when the request took longer than that;
/// - the live link is back, or the user asks for a try while the newest request failed: at once.
///
/// | state | `data` | `failure` | `error` | `busy` |
/// |---|---|---|---|---|
/// | first request pending | none | none | none | true |
/// | answered | the answer | none | none | false |
/// | next request pending | the last answer | as before | as before | true |
/// | failed, nothing to show | none | the cause | the cause | false |
/// | failed, something to show | the last answer | none | the cause | false |
/// | request after a failure pending | the last answer or none | as before | as before | true |
/// | key changed, data not kept | none | none | none | true |
/// | link lost before the first request | none | network | network | true |
///
/// Needs the contexts of [`state::provide`](crate::state::provide). Ends with its reactive owner.
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
    let FetchOptions { refetch_when, keep_data_when, pace_ms } = options;
    let query = QueryRunner::new(fetch.refetches, pace_ms);
    let key = Memo::new(move |_| key());
    let load = move |source, key| -> FetchFuture<T> { Box::pin(load(source, key)) };
    Effect::new(move |before: Option<K>| {
        let key = key.get();
        fetch.refetches.track();
        if before.is_some_and(|before| !keep_data_when(&before, &key)) {
            fetch.data.set(None);
            fetch.error.set(None);
            query.clear();
        }
        let Some(source) = hub.source.get() else { return key };
        fetch.busy.set(true);
        query.send(load(source, key.clone()), move |result| {
            // What is shown of another moment says nothing of this one.
            if hub.moment.with_untracked(Option::is_some) && result.as_ref().is_err_and(|error| !error.is_transient()) {
                fetch.data.set(None);
                query.clear();
            }
            fetch.set_result(result);
        });
        key
    });

    Effect::new(move |previous_run: Option<()>| {
        let change = hub.change.get();
        if previous_run.is_some() && refetch_when(&change, &key.get_untracked()) {
            query.on_live_change();
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
    Effect::new(move |previous_run: Option<()>| {
        connection.nudge.track();
        if previous_run.is_some() && query.is_failing() {
            fetch.refetch();
        }
    });
    fetch
}
