//! The live link: recognises the monitor, keeps the tab's knowledge fresh. The only writer of live state.

use gloo_timers::future::TimeoutFuture;
use leptos::task::spawn_local;

use crate::source;
use crate::state::{Connection, Transport, use_clock, use_connection, use_hub};
use leptos::prelude::*;

/// Starts the link for the life of the page.
pub fn start() {
    let (hub, connection, clock) = (use_hub(), use_connection(), use_clock());
    spawn_local(async move {
        loop {
            if let Ok(source) = source::detect().await {
                hub.source.set(Some(source.clone()));
                if let Ok(home) = source.home().await {
                    clock.set(home.now);
                    hub.home.set(Some(std::sync::Arc::new(home)));
                    connection.heard.set(Some(clock.now()));
                    connection.link.set(Connection::Live { transport: Transport::Poll });
                    break;
                }
            }
            TimeoutFuture::new(2_000).await;
        }
    });
}
