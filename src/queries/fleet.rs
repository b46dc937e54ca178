//! Queries of the fleet page: the machines, requested every two seconds while the page is visible, and the search on all
//! of them. A failed request keeps the last answer. The page has no live link, so the poll also sets the clock and the
//! connection state.

use std::sync::Arc;

use coordination::api::{FleetPage, FleetSearchPage};
use futures::future::{AbortHandle, abortable};
use gloo_timers::callback::Interval;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::source::{self, SourceError};
use crate::state::{Connection, ConnectionState, PageClock, Transport, use_clock, use_connection};

/// Interval between two requests.
const POLL_INTERVAL_MS: u32 = 2_000;
/// Failed requests in a row before the state counts as old: one lost request is no news.
const MAX_FAILURES: u32 = 2;

/// The machines of the fleet.
#[derive(Clone, Copy)]
pub struct FleetQuery {
    /// The newest answer.
    pub page: RwSignal<Option<Arc<FleetPage>>>,
    /// Why the newest request failed.
    pub error: RwSignal<Option<SourceError>>,
    /// When the newest answer was received, by the page's clock.
    pub received: RwSignal<Option<i64>>,
    failures: RwSignal<u32>,
    pending: StoredValue<Option<AbortHandle>>,
    connection: ConnectionState,
    clock: PageClock,
}

impl FleetQuery {
    /// Whether what is shown is old: the requests fail. Reactive.
    pub fn is_old(self) -> bool {
        self.failures.get() >= MAX_FAILURES
    }

    /// Sends a request now, in place of the pending one, whose connection may be dead.
    pub fn refetch(self) {
        self.abort();
        let (answer, handle) = abortable(source::fleet());
        self.pending.set_value(Some(handle));
        spawn_local(async move {
            let Ok(answer) = answer.await else { return };
            // `None` means that the value was set: the page is still there.
            if self.pending.try_set_value(None).is_none() {
                self.set_result(answer);
            }
        });
    }

    fn set_result(self, result: Result<FleetPage, SourceError>) {
        match result {
            Ok(page) => {
                self.clock.set(page.now);
                self.received.set(Some(page.now));
                self.failures.set(0);
                self.error.set(None);
                self.set_link(Connection::Live { transport: Transport::Poll });
                self.page.set(Some(Arc::new(page)));
            }
            Err(error) => {
                self.failures.update(|count| *count += 1);
                self.error.set(Some(error));
                let attempt = self.failures.get_untracked();
                if attempt >= MAX_FAILURES {
                    self.set_link(Connection::Offline { since: self.received.get_untracked(), attempt });
                }
            }
        }
    }

    fn set_link(self, link: Connection) {
        if self.connection.link.get_untracked() != link {
            self.connection.link.set(link);
        }
    }

    fn abort(self) {
        if let Some(Some(pending)) = self.pending.try_update_value(Option::take) {
            pending.abort();
        }
    }
}

/// Requests the machines until the reactive owner ends.
pub fn use_fleet() -> FleetQuery {
    let fleet = FleetQuery {
        page: RwSignal::new(None),
        error: RwSignal::new(None),
        received: RwSignal::new(None),
        failures: RwSignal::new(0),
        pending: StoredValue::new(None),
        connection: use_connection(),
        clock: use_clock(),
    };
    let is_visible = || document().visibility_state() == web_sys::VisibilityState::Visible;
    let poll = move || {
        if is_visible() && fleet.pending.try_with_value(Option::is_none) == Some(true) {
            fleet.refetch();
        }
    };
    let timer = StoredValue::new_local(Some(Interval::new(POLL_INTERVAL_MS, poll)));
    let shown = window_event_listener(ev::visibilitychange, move |_| {
        if is_visible() {
            fleet.refetch();
        }
    });
    on_cleanup(move || {
        drop(timer.try_update_value(Option::take));
        shown.remove();
        fleet.abort();
    });
    fleet.refetch();
    fleet
}

/// The search on all machines.
#[derive(Clone, Copy)]
pub struct FleetSearch {
    /// The newest answer, with its query.
    pub answer: RwSignal<Option<Arc<(String, FleetSearchPage)>>>,
    /// Why the newest request failed.
    pub error: RwSignal<Option<SourceError>>,
    retries: RwSignal<u32>,
}

impl FleetSearch {
    /// Sends the request again.
    pub fn refetch(self) {
        self.retries.update(|count| *count += 1);
    }
}

/// Searches for `q` whenever it changes, unless it is blank.
pub fn use_fleet_search(q: Memo<String>) -> FleetSearch {
    let search = FleetSearch { answer: RwSignal::new(None), error: RwSignal::new(None), retries: RwSignal::new(0) };
    let pending = StoredValue::new(None::<AbortHandle>);
    let abort = move || {
        if let Some(Some(pending)) = pending.try_update_value(Option::take) {
            pending.abort();
        }
    };
    // Sends requests.
    Effect::new(move |_| {
        search.retries.track();
        let q = q.get();
        abort();
        search.error.set(None);
        if q.is_empty() {
            search.answer.set(None);
            return;
        }
        let (answer, handle) = abortable(source::search_fleet(&q));
        pending.set_value(Some(handle));
        spawn_local(async move {
            match answer.await {
                Ok(Ok(page)) => drop(search.answer.try_set(Some(Arc::new((q, page))))),
                Ok(Err(error)) => drop(search.error.try_set(Some(error))),
                Err(_) => {}
            }
        });
    });
    on_cleanup(abort);
    search
}
