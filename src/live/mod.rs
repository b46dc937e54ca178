//! Live link to the monitor. It updates this tab's copy of the monitor's data (`src/state/hub.rs`), the clock and the
//! connection state. At the start it detects whether the monitor offers REST v2 with live frames, or REST 1.x only.

mod cached_home;
mod compat;
mod link;

use std::sync::Arc;

use coordination::api::Cursor;
use futures::FutureExt;
use gloo_timers::future::TimeoutFuture;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::lazy_chunks::lazy_chunk;
use crate::source::{self, Compat, DataSource, MonitorV2};
use crate::state::{Connection, ConnectionState, HubState, use_clock, use_connection, use_hub};
use link::LinkTargets;

/// Between tries to recognise a monitor: a person is looking at an empty page, so it never takes long.
const DETECT_MS: u32 = 2_000;

lazy_chunk!(
    live,
    load_link,
    fn run_link(monitor: MonitorV2, shown: LinkTargets, first: Cursor) -> () {
        cached_home::refresh_while_live(monitor.clone(), shown.connection);
        link::run(monitor, shown, first);
    }
);

lazy_chunk!(
    compat,
    load_polling,
    fn run_polling(monitor: Arc<dyn Compat>, hub: HubState, connection: ConnectionState) -> () {
        compat::run(monitor, hub, connection);
    }
);

/// Starts the link for the life of the page. Home is shown from the first answer; the code of the link comes after it.
pub fn start() {
    let (hub, connection, clock) = (use_hub(), use_connection(), use_clock());
    let shown = LinkTargets { hub, clock, connection };
    if !source::named_files().is_empty() {
        return;
    }
    // A computer that comes back online reconnects at once instead of waiting out its timer.
    window_event_listener(ev::online, move |_| connection.try_now());
    let owner = Owner::current();
    spawn_local(async move {
        let mut attempt = 0;
        let (source, home) = loop {
            let detected = source::detect().await;
            // Files were opened meanwhile; closing them loads the page again.
            if hub.shows_files() {
                return;
            }
            match detected {
                Ok(found) => break found,
                Err(error) => {
                    attempt += 1;
                    connection.refused.set(error.is_refusal());
                    if attempt == 1
                        && let Some(home) = cached_home::cached()
                    {
                        connection.last_received.set(Some(home.now));
                        hub.take_home(home);
                    }
                    let since = connection.last_received.get_untracked();
                    connection.link.set(Connection::Offline { since, attempt });
                    TimeoutFuture::new(DETECT_MS).await;
                }
            }
        };
        connection.refused.set(false);
        let first = link::first_answer(shown, home);
        connection.compat.set(matches!(source, DataSource::V1(_)));
        hub.set_source(source.clone());
        while !load(&source).await && !hub.shows_files() {
            connection.link.set(Connection::Offline { since: connection.last_received.get_untracked(), attempt: 1 });
            TimeoutFuture::new(DETECT_MS).await;
        }
        // The code is there, so each of them runs at its first poll.
        let run = move || match source {
            DataSource::V2(monitor) => run_link(monitor, shown, first).now_or_never(),
            DataSource::V1(monitor) => run_polling(monitor, hub, connection).now_or_never(),
        };
        match owner {
            Some(owner) => owner.with(run),
            None => run(),
        };
    });
}

/// Loads the code of the link to this kind of monitor; false when it could not be had.
async fn load(source: &DataSource) -> bool {
    match source {
        DataSource::V2(_) => load_link().await.is_ok(),
        DataSource::V1(_) => load_polling().await.is_ok(),
    }
}
