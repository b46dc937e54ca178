//! Browser side of the live link to a 2.x monitor. It opens the WebSocket, event stream or long poll that the link
//! client (`crates/protocol/src/link/`) requests, passes frames and clock ticks to that client, and writes the results
//! into the state that pages read.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use coordination::api::{ClientMessage, Cursor, Home};
use coordination::link::{LinkClient, OpenRequest, Order};
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::future::{AbortHandle, Either, abortable, select};
use gloo_net::eventsource::futures::EventSource;
use gloo_net::websocket::Message;
use gloo_net::websocket::futures::WebSocket;
use gloo_timers::callback::{Interval, Timeout};
use gloo_timers::future::TimeoutFuture;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::source::{LiveRequest, MonitorV2};
use crate::state::{ConnectionState, HubState, LiveChanges, PageClock, Transport};

/// Frames within one animation frame are applied together.
const BATCH_MS: u32 = 16;
/// A frame after so long a pause is applied at once.
const PAUSE_MS: i64 = 100;
/// A poll without news is answered after this: as often as a heartbeat would come.
const POLL_WAIT_SECS: u32 = 15;
/// The client's clock ticks this often.
const TICK_MS: u32 = 500;
/// Between two looks at whether a socket that has to carry a message is open.
const OPENING_MS: u32 = 20;

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
    open: Option<OpenStream>,
    /// When frames were last applied, by the device's clock.
    settled_at: i64,
}

/// The open connection.
struct OpenStream {
    abort: AbortHandle,
    request: OpenRequest,
    /// Messages to the monitor, over a WebSocket.
    messages: Option<UnboundedSender<ClientMessage>>,
}

type SharedLink = Rc<RefCell<LiveLink>>;

fn device_now() -> i64 {
    js_sys::Date::now() as i64
}

/// Shows an answer while the link is still to be opened; returns its position.
pub(super) fn first_answer(shown: LinkTargets, home: Home) -> Cursor {
    let cursor = home.cursor.clone();
    shown.clock.set(home.now);
    shown.hub.take_home(home);
    cursor
}

/// Opens the link; `first` is the position of an answer that is shown already.
pub(super) fn run(monitor: MonitorV2, shown: LinkTargets, first: Cursor) {
    let mut client = LinkClient::new((js_sys::Math::random() * 9.0e15) as u64);
    client.shown(first);
    let link = Rc::new(RefCell::new(LiveLink { monitor, client, shown, open: None, settled_at: 0 }));
    update_client(&link, LinkClient::start);
    let ticking = Rc::clone(&link);
    Interval::new(TICK_MS, move || update_client(&ticking, LinkClient::tick)).forget();
    let looked_at = Rc::clone(&link);
    window_event_listener(ev::visibilitychange, move |_| {
        let visible = !document().hidden();
        update_client(&looked_at, |client, now| client.visible(now, visible));
    });
    let showing = Rc::clone(&link);
    Effect::new(move |previous_run: Option<()>| {
        shown.hub.shown_thread.track();
        if previous_run.is_some() {
            show_thread(&showing);
        }
    });
    Effect::new(move |previous_run: Option<()>| {
        shown.connection.nudge.track();
        if previous_run.is_some() {
            update_client(&link, LinkClient::nudge);
        }
    });
}

/// Another thread is on the screen. A socket gets a message; an event stream cannot, and is opened again at its
/// position; each poll names the thread.
fn show_thread(link: &SharedLink) {
    let (message, reopened) = {
        let inner = link.borrow();
        let Some(open) = &inner.open else { return };
        let thread = inner.shown.hub.shown_thread.get_untracked();
        match (&open.messages, open.request.transport) {
            (Some(messages), _) => (Some((messages.clone(), ClientMessage::Show { thread })), None),
            (None, Transport::Events) => (None, Some(open.request.clone())),
            (None, _) => return,
        }
    };
    if let Some((messages, message)) = message {
        // A connection that just ended is opened again, with this thread.
        messages.unbounded_send(message).unwrap_or_default();
    }
    if let Some(request) = reopened {
        let cursor = link.borrow().client.cursor();
        open(link, OpenRequest { cursor, ..request });
    }
}

/// Reports something to the client and carries out its order.
fn update_client(link: &SharedLink, report: impl FnOnce(&mut LinkClient, i64) -> Option<Order>) {
    if link.borrow().shown.hub.shows_files() {
        // Closing the files loads the page again.
        return close(&mut link.borrow_mut());
    }
    let (order, settles) = {
        let mut inner = link.borrow_mut();
        let waited = inner.client.has_waiting();
        let order = report(&mut inner.client, device_now());
        (order, !waited && inner.client.has_waiting())
    };
    show(link);
    match order {
        Some(Order::Open(opening)) => open(link, opening),
        Some(Order::Close) => close(&mut link.borrow_mut()),
        None => {}
    }
    if settles {
        let has_rested = device_now() - link.borrow().settled_at >= PAUSE_MS;
        if has_rested {
            return settle(link);
        }
        let later = Rc::clone(link);
        Timeout::new(BATCH_MS, move || settle(&later)).forget();
    }
}

/// Applies the frames that wait.
fn settle(link: &SharedLink) {
    link.borrow_mut().settled_at = device_now();
    update_client(link, LinkClient::settle);
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
        shown.hub.take_home(home);
    }
    if let Some(recent) = news.recent {
        shown.hub.recent.set(Some(Arc::new(recent)));
    }
    if news.change != LiveChanges::default() {
        shown.hub.take_change(news.change);
    }
    let state = state.by_clock_ahead(shown.clock.ahead_ms());
    if shown.connection.link.get_untracked() != state {
        shown.connection.link.set(state);
    }
}

fn close(link: &mut LiveLink) {
    if let Some(open) = link.open.take() {
        open.abort.abort();
    }
}

fn open(link: &SharedLink, request: OpenRequest) {
    close(&mut link.borrow_mut());
    let (task, monitor) = (Rc::clone(link), link.borrow().monitor.clone());
    let opening = request.clone();
    let (reading, abort) = abortable(async move {
        match opening.transport {
            Transport::Socket => read_socket(&task, &opening, &monitor).await,
            Transport::Events => read_events(&task, &opening, &monitor).await,
            Transport::Poll => read_polls(&task, &opening, &monitor).await,
        }
        update_client(&task, |client, now| client.ended(now, opening.generation));
    });
    link.borrow_mut().open = Some(OpenStream { abort, request, messages: None });
    // An aborted reading has been replaced; nobody waits for its end.
    spawn_local(async move { reading.await.unwrap_or_default() });
}

/// What the stream is to bring, as of now.
fn live_query(link: &SharedLink, cursor: Option<Cursor>) -> LiveRequest {
    LiveRequest { cursor, shown: link.borrow().shown.hub.shown_thread.get_untracked() }
}

async fn read_socket(link: &SharedLink, opening: &OpenRequest, monitor: &MonitorV2) {
    let (messages, mut outgoing) = unbounded::<ClientMessage>();
    let query = live_query(link, opening.cursor.clone());
    if let Some(open) = &mut link.borrow_mut().open {
        open.messages = Some(messages);
    }
    let Ok(socket) = web_sys::WebSocket::new(&monitor.socket_url(&query)) else { return };
    let Ok(mut frames) = WebSocket::try_from(socket.clone()) else { return };
    let sending = async move {
        while let Some(message) = outgoing.next().await {
            let Ok(text) = serde_json::to_string(&message) else { continue };
            while socket.ready_state() == web_sys::WebSocket::CONNECTING {
                TimeoutFuture::new(OPENING_MS).await;
            }
            // A browser reports a message over a socket that is closing as an error of the page, and the next stream asks
            // for what is shown then.
            if socket.ready_state() != web_sys::WebSocket::OPEN || socket.send_with_str(&text).is_err() {
                return;
            }
        }
    };
    let reading = async {
        while let Some(Ok(message)) = frames.next().await {
            if let Message::Text(text) = message {
                update_client(link, |client, now| client.text(now, opening.generation, &text));
            }
        }
    };
    futures::pin_mut!(sending, reading);
    // A socket that can no longer be written to ends by itself.
    if let Either::Left(((), reading)) = select(sending, reading).await {
        reading.await;
    }
}

async fn read_events(link: &SharedLink, opening: &OpenRequest, monitor: &MonitorV2) {
    let Ok(mut source) = EventSource::new(&monitor.live_url("live/events", &live_query(link, opening.cursor.clone())))
    else {
        return;
    };
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
        let query = live_query(link, link.borrow().client.cursor());
        let Ok(frames) = monitor.poll(&query, wait).await else { return };
        update_client(link, |client, now| client.polled(now, opening.generation, frames));
        wait = POLL_WAIT_SECS;
        // A short rest bounds a monitor that answers at once.
        TimeoutFuture::new(BATCH_MS * 4).await;
    }
}
