//! Browser side of the live link. It opens the transport that the link client orders, passes frames to that client and
//! drives the client's clock. It writes the client's results into the state that pages read.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use coordination::api::{Cursor, Home};
use coordination::link::{LinkClient, OpenRequest, Order};
use futures::StreamExt;
use futures::future::{AbortHandle, abortable};
use gloo_net::eventsource::futures::EventSource;
use gloo_net::websocket::Message;
use gloo_net::websocket::futures::WebSocket;
use gloo_timers::callback::{Interval, Timeout};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::source::MonitorV2;
use crate::state::{ConnectionState, HubState, LiveChanges, PageClock, Transport};

/// Frames within one animation frame are applied together.
const BATCH_MS: u32 = 16;
/// A poll without news is answered after this: as often as a heartbeat would come.
const POLL_WAIT_SECS: u32 = 15;
/// The client's clock ticks this often.
const TICK_MS: u32 = 500;

/// What pages see of the link.
#[derive(Clone, Copy)]
pub(super) struct LinkTargets {
    pub(super) hub: HubState,
    pub(super) clock: PageClock,
    pub(super) connection: ConnectionState,
}

/// A live link. It lives as long as the page.
struct LiveLink {
    monitor: MonitorV2,
    client: LinkClient,
    shown: LinkTargets,
    open: Option<AbortHandle>,
}

type SharedLink = Rc<RefCell<LiveLink>>;

fn device_now() -> i64 {
    js_sys::Date::now() as i64
}

/// Shows an answer while the link is still to be opened; returns its position.
pub(super) fn first_answer(shown: LinkTargets, home: Home) -> Cursor {
    let cursor = home.cursor.clone();
    shown.clock.set(home.now);
    shown.hub.home.set(Some(Arc::new(home)));
    cursor
}

/// Opens the link; `first` is the position of an answer that is shown already.
pub(super) fn run(monitor: MonitorV2, shown: LinkTargets, first: Cursor) {
    let mut client = LinkClient::new((js_sys::Math::random() * 9.0e15) as u64);
    client.shown(first);
    let link = Rc::new(RefCell::new(LiveLink { monitor, client, shown, open: None }));
    update_client(&link, LinkClient::start);
    let ticking = Rc::clone(&link);
    Interval::new(TICK_MS, move || update_client(&ticking, LinkClient::tick)).forget();
    let looked_at = Rc::clone(&link);
    window_event_listener(ev::visibilitychange, move |_| {
        let visible = !document().hidden();
        update_client(&looked_at, |client, now| client.visible(now, visible));
    });
    Effect::new(move |first: Option<()>| {
        shown.connection.nudge.track();
        if first.is_some() {
            update_client(&link, LinkClient::nudge);
        }
    });
}

/// Reports something to the client and carries out its order.
fn update_client(link: &SharedLink, report: impl FnOnce(&mut LinkClient, i64) -> Option<Order>) {
    let (order, settles) = {
        let mut inner = link.borrow_mut();
        let waited = inner.client.has_waiting();
        let order = report(&mut inner.client, device_now());
        (order, !waited && inner.client.has_waiting())
    };
    show(link);
    if settles {
        let later = Rc::clone(link);
        Timeout::new(BATCH_MS, move || update_client(&later, LinkClient::settle)).forget();
    }
    match order {
        Some(Order::Open(opening)) => open(link, opening),
        Some(Order::Close) => close(&mut link.borrow_mut()),
        None => {}
    }
}

/// Writes what differs into the state that pages read, after the client is free again.
fn show(link: &SharedLink) {
    let (shown, state, news) = {
        let mut inner = link.borrow_mut();
        (inner.shown, inner.client.connection(device_now()), inner.client.news())
    };
    if let Some(now) = news.now {
        shown.clock.set(now);
        shown.connection.last_received.set(Some(now));
    }
    if let Some(home) = news.home {
        shown.hub.home.set(Some(Arc::new(home)));
    }
    if let Some(recent) = news.recent {
        shown.hub.recent.set(Some(Arc::new(recent)));
    }
    if news.change != LiveChanges::default() {
        shown.hub.change.set(Arc::new(news.change));
    }
    let state = state.by_clock_ahead(shown.clock.ahead_ms());
    if shown.connection.link.get_untracked() != state {
        shown.connection.link.set(state);
    }
}

fn close(link: &mut LiveLink) {
    if let Some(open) = link.open.take() {
        open.abort();
    }
}

fn open(link: &SharedLink, opening: OpenRequest) {
    close(&mut link.borrow_mut());
    let (task, monitor) = (Rc::clone(link), link.borrow().monitor.clone());
    let (reading, abort) = abortable(async move {
        match opening.transport {
            Transport::Socket => read_socket(&task, &opening, &monitor).await,
            Transport::Events => read_events(&task, &opening, &monitor).await,
            Transport::Poll => read_polls(&task, &opening, &monitor).await,
        }
        update_client(&task, |client, now| client.ended(now, opening.generation));
    });
    link.borrow_mut().open = Some(abort);
    // An aborted reading has been replaced; nobody waits for its end.
    spawn_local(async move { reading.await.unwrap_or_default() });
}

async fn read_socket(link: &SharedLink, opening: &OpenRequest, monitor: &MonitorV2) {
    let Ok(mut socket) = WebSocket::open(&monitor.socket_url(opening.cursor.as_ref())) else { return };
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Text(text) = message {
            update_client(link, |client, now| client.text(now, opening.generation, &text));
        }
    }
}

async fn read_events(link: &SharedLink, opening: &OpenRequest, monitor: &MonitorV2) {
    let Ok(mut source) = EventSource::new(&monitor.live_url("live/events", opening.cursor.as_ref())) else { return };
    let names = ["message", "snapshot", "delta", "heartbeat", "reset"];
    let mut streams: Vec<_> = names.into_iter().filter_map(|name| source.subscribe(name).ok()).collect();
    let mut all = futures::stream::select_all(streams.iter_mut());
    while let Some(Ok((_, event))) = all.next().await {
        if let Some(text) = event.data().as_string() {
            update_client(link, |client, now| client.text(now, opening.generation, &text));
        }
    }
}

async fn read_polls(link: &SharedLink, opening: &OpenRequest, monitor: &MonitorV2) {
    // The first answer comes at once, news or not: it shows that this way works.
    let mut wait = 0;
    while link.borrow().client.is_open(opening.generation) {
        let cursor = link.borrow().client.cursor();
        let Ok(frames) = monitor.poll(cursor.as_ref(), wait).await else { return };
        update_client(link, |client, now| client.polled(now, opening.generation, frames));
        wait = POLL_WAIT_SECS;
        // A short rest bounds a monitor that answers at once.
        gloo_timers::future::TimeoutFuture::new(BATCH_MS * 4).await;
    }
}
