//! Queries of the fleet page: the machines, refreshed when the stream of changes says so, and the search on all of them.
//! While the stream cannot be had, the machines are requested every two seconds; nothing is requested while the page is
//! hidden. A failed request keeps the last answer.
//!
//! The page has no live link of a monitor, so these requests also set the clock and the connection state.

use std::sync::Arc;
use std::time::Duration;

use coordination::api::{FleetPage, FleetSearchPage};
use futures::future::{AbortHandle, abortable};
use gloo_timers::callback::Interval;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::fleet_stream;
use crate::source::{self, SourceError};
use crate::state::{Connection, ConnectionState, PageClock, Transport, use_clock, use_connection};

/// Interval between two requests without a stream.
const POLL_INTERVAL_MS: u32 = 2_000;
/// Shortest time between an answer and the next request: a busy fleet changes ten times a second.
const MIN_GAP: Duration = Duration::from_millis(700);
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
    /// Counts answers: lists of rows are requested again after each.
    pub answers: RwSignal<u32>,
    /// The stream of changes is open.
    is_streaming: RwSignal<bool>,
    failures: RwSignal<u32>,
    pending: StoredValue<Option<AbortHandle>>,
    /// Something changed since the pending request was sent.
    is_outdated: StoredValue<bool>,
    last: LastFleetPage,
    connection: ConnectionState,
    clock: PageClock,
}

/// The newest answer of any part of the page: another part shows it at once.
#[derive(Clone, Copy)]
struct LastFleetPage(RwSignal<Option<Arc<FleetPage>>>);

/// Keeps the newest answer below the current owner.
pub fn provide_fleet() {
    provide_context(LastFleetPage(RwSignal::new(None)));
}

impl FleetQuery {
    /// Whether what is shown is old: the requests fail. Reactive.
    pub fn is_old(self) -> bool {
        self.failures.get() >= MAX_FAILURES
    }

    /// Sends a request now, in place of the pending one, whose connection may be dead.
    pub fn refetch(self) {
        self.abort();
        self.is_outdated.set_value(false);
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

    /// Something changed: a request now, or one after the pending one. A hidden page asks when it is shown again.
    pub(super) fn refresh(self) {
        match self.pending.try_with_value(Option::is_some) {
            Some(true) => self.is_outdated.set_value(true),
            Some(false) if is_visible() => self.refetch(),
            _ => {}
        }
    }

    /// The stream was opened, or is lost. Reactive users follow.
    pub(super) fn set_streaming(self, is_open: bool) {
        if self.is_streaming.try_get_untracked() == Some(!is_open) {
            self.is_streaming.set(is_open);
            if !is_open && is_visible() {
                // Whether the monitor is there is shown by its answer.
                self.refetch();
            }
        }
    }

    fn set_result(self, result: Result<FleetPage, SourceError>) {
        match result {
            Ok(page) => {
                self.clock.set(page.now);
                self.received.set(Some(page.now));
                self.failures.set(0);
                self.error.set(None);
                let transport = if self.is_streaming.get_untracked() { Transport::Events } else { Transport::Poll };
                self.set_link(Connection::Live { transport });
                let page = Arc::new(page);
                self.last.0.set(Some(Arc::clone(&page)));
                self.page.set(Some(page));
                self.answers.update(|count| *count += 1);
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
        if self.is_outdated.get_value() {
            let again = move || {
                if self.is_outdated.try_get_value() == Some(true) {
                    self.is_outdated.set_value(false);
                    self.refresh();
                }
            };
            set_timeout(again, MIN_GAP);
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

fn is_visible() -> bool {
    document().visibility_state() == web_sys::VisibilityState::Visible
}

/// Requests the machines until the reactive owner ends.
pub fn use_fleet() -> FleetQuery {
    let last: LastFleetPage = use_context().unwrap_or_else(|| LastFleetPage(RwSignal::new(None)));
    let known = last.0.get_untracked();
    let fleet = FleetQuery {
        received: RwSignal::new(known.as_ref().map(|page| page.now)),
        page: RwSignal::new(known),
        error: RwSignal::new(None),
        answers: RwSignal::new(0),
        is_streaming: RwSignal::new(false),
        failures: RwSignal::new(0),
        pending: StoredValue::new(None),
        is_outdated: StoredValue::new(false),
        last,
        connection: use_connection(),
        clock: use_clock(),
    };
    let poll = move || {
        let is_idle = fleet.pending.try_with_value(Option::is_none) == Some(true);
        // A stream without answers is no stream: a failed request is sent again.
        let is_due = fleet.is_streaming.try_get_untracked() == Some(false) || fleet.failures.get_untracked() > 0;
        if is_visible() && is_idle && is_due {
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
    fleet_stream::follow(fleet);
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
