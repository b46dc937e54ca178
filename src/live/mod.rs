//! Live link to the monitor. It updates this tab's copy of the monitor's data (`src/state/hub.rs`), the clock and the
//! connection state. At the start it detects whether the monitor offers REST v2 with live frames, or REST 1.x only.

mod cached_home;
mod compat;
mod link;

use std::sync::Arc;

use gloo_timers::future::TimeoutFuture;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::source::{self, DataSource};
use crate::state::{Connection, use_clock, use_connection, use_hub};
use link::LinkTargets;

/// Between tries to recognise a monitor: a person is looking at an empty page, so it never takes long.
const DETECT_MS: u32 = 2_000;

/// Starts the link for the life of the page.
pub fn start() {
    let (hub, connection, clock) = (use_hub(), use_connection(), use_clock());
    let shown = LinkTargets { hub, clock, connection };
    // A computer that comes back online reconnects at once instead of waiting out its timer.
    window_event_listener(ev::online, move |_| connection.try_now());
    let owner = Owner::current();
    spawn_local(async move {
        let mut attempt = 0;
        let (source, home) = loop {
            match source::detect().await {
                Ok(found) => break found,
                Err(_) => {
                    attempt += 1;
                    if attempt == 1
                        && let Some(home) = cached_home::cached()
                    {
                        connection.last_received.set(Some(home.now));
                        hub.home.set(Some(Arc::new(home)));
                    }
                    let since = connection.last_received.get_untracked();
                    connection.link.set(Connection::Offline { since, attempt });
                    TimeoutFuture::new(DETECT_MS).await;
                }
            }
        };
        let first = link::first_answer(shown, home);
        connection.compat.set(matches!(source, DataSource::V1(_)));
        hub.source.set(Some(source.clone()));
        if let DataSource::V2(monitor) = &source {
            cached_home::refresh_while_live(monitor.clone(), connection);
        }
        let run = move || match source {
            DataSource::V2(monitor) => link::run(monitor, shown, first),
            DataSource::V1(monitor) => compat::run(monitor, hub, connection),
        };
        match owner {
            Some(owner) => owner.with(run),
            None => run(),
        }
    });
}
