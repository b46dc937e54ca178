//! Stream of changes of the fleet page: server-sent events that say when to ask again. A stream that ends, fails or is silent
//! is opened again after a growing wait; meanwhile the page polls.

use futures::future::{Either, abortable, select};
use futures::{FutureExt as _, StreamExt as _};
use gloo_net::eventsource::State;
use gloo_net::eventsource::futures::EventSource;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::fleet::FleetQuery;
use crate::source;

/// The monitor sends a heartbeat every 15 seconds. A stream that is silent for so long is dead.
const MAX_SILENCE_MS: u32 = 40_000;
/// Between two looks at the state of the stream.
const CHECK_MS: u32 = 1_000;
/// Wait before a lost stream is opened again; it doubles up to the longest one.
const RETRY_MIN_MS: u32 = 2_000;
const RETRY_MAX_MS: u32 = 30_000;

/// Follows the stream until the reactive owner ends.
pub(super) fn follow(fleet: FleetQuery) {
    let (following, handle) = abortable(follow_streams(fleet));
    spawn_local(following.map(drop));
    on_cleanup(move || handle.abort());
}

async fn follow_streams(fleet: FleetQuery) {
    let mut wait = RETRY_MIN_MS;
    loop {
        let was_open = read_stream(fleet).await;
        fleet.set_streaming(false);
        wait = if was_open { RETRY_MIN_MS } else { (wait * 2).min(RETRY_MAX_MS) };
        TimeoutFuture::new(wait).await;
    }
}

/// Reads one stream until it is lost; whether anything came.
async fn read_stream(fleet: FleetQuery) -> bool {
    let Ok(mut source) = EventSource::new(&source::fleet_live_url()) else { return false };
    let mut streams: Vec<_> =
        ["change", "heartbeat"].into_iter().filter_map(|name| source.subscribe(name).ok()).collect();
    let mut events = futures::stream::select_all(streams.iter_mut());
    let (mut was_open, mut silent_ms) = (false, 0);
    loop {
        match select(events.next(), TimeoutFuture::new(CHECK_MS)).await {
            Either::Left((Some(Ok((name, _))), _)) => {
                (was_open, silent_ms) = (true, 0);
                fleet.set_streaming(true);
                if name == "change" {
                    fleet.refresh();
                }
            }
            Either::Left(_) => return was_open,
            // The browser opens a lost stream again by itself, without a word: meanwhile the page would be old.
            Either::Right(_) => {
                silent_ms += CHECK_MS;
                let is_lost = was_open && source.state() != State::Open;
                if is_lost || silent_ms >= MAX_SILENCE_MS {
                    return was_open;
                }
            }
        }
    }
}
