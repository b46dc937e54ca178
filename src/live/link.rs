//! The browser's part of the link: opens what the client orders, hands frames on, drives its clock, and is the only
//! writer of what pages see.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use coordination::api::{Cursor, Home};
use coordination::link::{Client, Opening, Order};
use futures::StreamExt;
use futures::future::{AbortHandle, abortable};
use gloo_net::eventsource::futures::EventSource;
use gloo_net::websocket::Message;
use gloo_net::websocket::futures::WebSocket;
use gloo_timers::callback::{Interval, Timeout};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::source::Monitor;
use crate::state::{Change, Clock, ConnectionState, Hub, Transport};

/// Frames within one animation frame are applied together.
const BATCH_MS: u32 = 16;
/// A poll without news is answered after this: as often as a heartbeat would come.
const POLL_WAIT_SECS: u32 = 15;
/// The client's clock ticks this often.
const TICK_MS: u32 = 500;

/// What pages see of the link.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub(super) hub: Hub,
    pub(super) clock: Clock,
    pub(super) connection: ConnectionState,
}

/// A live link. It lives as long as the page.
struct Link {
    monitor: Monitor,
    client: Client,
    shown: Shown,
    open: Option<AbortHandle>,
}

type Shared = Rc<RefCell<Link>>;

fn device_now() -> i64 {
    js_sys::Date::now() as i64
}

/// Shows an answer while the link is still to be opened; returns its position.
pub(super) fn first_answer(shown: Shown, home: Home) -> Cursor {
    let cursor = home.cursor.clone();
    shown.clock.set(home.now);
    shown.hub.home.set(Some(Arc::new(home)));
    cursor
}

/// Opens the link; `first` is the position of an answer that is shown already.
pub(super) fn run(monitor: Monitor, shown: Shown, first: Cursor) {
    let mut client = Client::new((js_sys::Math::random() * 9.0e15) as u64);
    client.shown(first);
    let link = Rc::new(RefCell::new(Link { monitor, client, shown, open: None }));
    tell(&link, Client::start);
    let ticking = Rc::clone(&link);
    Interval::new(TICK_MS, move || tell(&ticking, Client::tick)).forget();
    let looked_at = Rc::clone(&link);
    window_event_listener(ev::visibilitychange, move |_| {
        let visible = !document().hidden();
        tell(&looked_at, |client, now| client.visible(now, visible));
    });
    Effect::new(move |first: Option<()>| {
        shown.connection.nudge.track();
        if first.is_some() {
            tell(&link, Client::nudge);
        }
    });
}

/// Reports something to the client and carries out its order.
fn tell(link: &Shared, report: impl FnOnce(&mut Client, i64) -> Option<Order>) {
    let (order, settles) = {
        let mut inner = link.borrow_mut();
        let waited = inner.client.has_waiting();
        let order = report(&mut inner.client, device_now());
        (order, !waited && inner.client.has_waiting())
    };
    show(link);
    if settles {
        let later = Rc::clone(link);
        Timeout::new(BATCH_MS, move || tell(&later, Client::settle)).forget();
    }
    match order {
        Some(Order::Open(opening)) => open(link, opening),
        Some(Order::Close) => close(&mut link.borrow_mut()),
        None => {}
    }
}

/// Writes what differs into the state that pages read, after the client is free again.
fn show(link: &Shared) {
    let (shown, state, news) = {
        let mut inner = link.borrow_mut();
        (inner.shown, inner.client.connection(device_now()), inner.client.news())
    };
    if let Some(now) = news.now {
        shown.clock.set(now);
        shown.connection.heard.set(Some(now));
    }
    if let Some(home) = news.home {
        shown.hub.home.set(Some(Arc::new(home)));
    }
    if let Some(recent) = news.recent {
        shown.hub.recent.set(Some(Arc::new(recent)));
    }
    if news.change != Change::default() {
        shown.hub.change.set(Arc::new(news.change));
    }
    let state = state.by_clock_ahead(shown.clock.ahead_ms());
    if shown.connection.link.get_untracked() != state {
        shown.connection.link.set(state);
    }
}

fn close(link: &mut Link) {
    if let Some(open) = link.open.take() {
        open.abort();
    }
}

fn open(link: &Shared, opening: Opening) {
    close(&mut link.borrow_mut());
    let (task, monitor) = (Rc::clone(link), link.borrow().monitor.clone());
    let (reading, abort) = abortable(async move {
        match opening.transport {
            Transport::Socket => read_socket(&task, &opening, &monitor).await,
            Transport::Events => read_events(&task, &opening, &monitor).await,
            Transport::Poll => read_polls(&task, &opening, &monitor).await,
        }
        tell(&task, |client, now| client.ended(now, opening.generation));
    });
    link.borrow_mut().open = Some(abort);
    // An aborted reading has been replaced; nobody waits for its end.
    spawn_local(async move { reading.await.unwrap_or_default() });
}

async fn read_socket(link: &Shared, opening: &Opening, monitor: &Monitor) {
    let Ok(mut socket) = WebSocket::open(&monitor.socket_url(opening.cursor.as_ref())) else { return };
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Text(text) = message {
            tell(link, |client, now| client.text(now, opening.generation, &text));
        }
    }
}

async fn read_events(link: &Shared, opening: &Opening, monitor: &Monitor) {
    let Ok(mut source) = EventSource::new(&monitor.live_url("live/events", opening.cursor.as_ref())) else { return };
    let names = ["message", "snapshot", "delta", "heartbeat", "reset"];
    let mut streams: Vec<_> = names.into_iter().filter_map(|name| source.subscribe(name).ok()).collect();
    let mut all = futures::stream::select_all(streams.iter_mut());
    while let Some(Ok((_, event))) = all.next().await {
        if let Some(text) = event.data().as_string() {
            tell(link, |client, now| client.text(now, opening.generation, &text));
        }
    }
}

async fn read_polls(link: &Shared, opening: &Opening, monitor: &Monitor) {
    // The first answer comes at once, news or not: it shows that this way works.
    let mut wait = 0;
    while link.borrow().client.is_open(opening.generation) {
        let cursor = link.borrow().client.cursor();
        let Ok(frames) = monitor.poll(cursor.as_ref(), wait).await else { return };
        tell(link, |client, now| client.polled(now, opening.generation, frames));
        wait = POLL_WAIT_SECS;
        // A short rest bounds a monitor that answers at once.
        gloo_timers::future::TimeoutFuture::new(BATCH_MS * 4).await;
    }
}
