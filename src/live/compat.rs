//! Polling loop for a monitor that supports only REST 1.x. The WebSocket of such a monitor sends no new events, because
//! of a defect (`contract/monitor-api.md` §11 D0). The page requests new events every few seconds and agents' tasks
//! with every third poll, and shows that it polls.

use std::sync::Arc;

use coordination::api::{Delta, SNAPSHOT_SESSIONS, SessionsQuery};
use coordination::link::SILENCE_MS;
use futures::FutureExt;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::source::Compat;
use crate::state::{Connection, ConnectionState, HubState, LiveChanges, Transport};

/// Interval between two polls for events.
const POLL_MS: u32 = 3_000;
/// Agents' folders are read with every this many polls.
const WORKSPACE_EVERY: u32 = 3;

/// Asks for the life of the page.
pub(super) fn run(monitor: Arc<dyn Compat>, hub: HubState, connection: ConnectionState) {
    show_recent(hub, monitor.as_ref());
    spawn_local(async move {
        connection.last_received.set(Some(monitor.now()));
        connection.link.set(Connection::Live { transport: Transport::Poll });
        let mut failures = 0;
        for round in 1_u32.. {
            TimeoutFuture::new(POLL_MS).await;
            if hub.shows_files() {
                return;
            }
            let events = monitor.refresh().await;
            let folders = match round % WORKSPACE_EVERY {
                0 => monitor.refresh_workspaces().await,
                _ => Ok(None),
            };
            if hub.shows_files() {
                return;
            }
            match events.and_then(|events| folders.map(|folders| [events, folders])) {
                Ok(deltas) => {
                    failures = 0;
                    connection.last_received.set(Some(monitor.now()));
                    connection.link.set(Connection::Live { transport: Transport::Poll });
                    accept(hub, monitor.as_ref(), deltas.into_iter().flatten().collect());
                }
                Err(_) => {
                    failures += 1;
                    let since = connection.last_received.get_untracked();
                    let silent = since.is_none_or(|since| monitor.now() - since > SILENCE_MS);
                    connection.link.set(match since {
                        Some(since) if !silent && failures == 1 => Connection::Stale { since },
                        since => Connection::Offline { since, attempt: failures },
                    });
                }
            }
        }
    });
}

/// The newest sessions, as a 2.x monitor sends them.
fn show_recent(hub: HubState, monitor: &dyn Compat) {
    let query = SessionsQuery { limit: u32::try_from(SNAPSHOT_SESSIONS).ok(), ..SessionsQuery::default() };
    // The local hub answers at once.
    if let Some(Ok(page)) = monitor.sessions(&query).now_or_never() {
        hub.recent.set(Some(Arc::new(page.sessions)));
    }
}

fn accept(hub: HubState, monitor: &dyn Compat, deltas: Vec<Delta>) {
    if deltas.is_empty() {
        return;
    }
    let mut change = LiveChanges::default();
    let mut home = None;
    for delta in deltas {
        change.add(&delta);
        home = delta.home.or(home);
    }
    if let Some(home) = home {
        hub.take_home(home);
    }
    show_recent(hub, monitor);
    hub.take_change(change);
}
