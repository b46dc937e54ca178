//! Cache of the home page's data in the browser's storage. The cached data is shown when the dashboard starts and
//! cannot reach the monitor.

use coordination::api::Home;
use coordination::decode::decode;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::source::MonitorV2;
use crate::state::{Connection, ConnectionState, storage};

/// Delay of the first store after the page loads, and the interval while the link is live.
const FIRST_STORE_MS: u32 = 10_000;
const STORE_INTERVAL_MS: u32 = 300_000;

/// Several dashboards may live below one origin.
fn key() -> String {
    format!("task-hub.home {}", document().base_uri().ok().flatten().unwrap_or_default())
}

/// The cached home.
pub(super) fn cached() -> Option<Home> {
    let text = storage()?.get_item(&key()).ok().flatten()?;
    decode(serde_json::from_str(&text).ok()?).ok()
}

/// Keeps it up to date for the life of the page.
pub(super) fn refresh_while_live(monitor: MonitorV2, connection: ConnectionState) {
    spawn_local(async move {
        TimeoutFuture::new(FIRST_STORE_MS).await;
        loop {
            if matches!(connection.link.get_untracked(), Connection::Live { .. }) {
                store(&monitor).await;
            }
            TimeoutFuture::new(STORE_INTERVAL_MS).await;
        }
    });
}

async fn store(monitor: &MonitorV2) {
    if let (Ok(text), Some(storage)) = (monitor.home_text().await, storage()) {
        // A browser without room keeps what it had.
        storage.set_item(&key(), &text).unwrap_or_default();
    }
}
