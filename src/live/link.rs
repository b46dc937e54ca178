//! The browser's part of the link: opens the way the machine asks for, hands frames on, drives its clock.

use std::cell::RefCell;
use std::rc::Rc;

use coordination::api::{Cursor, Frame};
use futures::StreamExt;
use futures::future::{AbortHandle, abortable};
use gloo_net::eventsource::futures::EventSource;
use gloo_net::websocket::Message;
use gloo_net::websocket::futures::WebSocket;
use gloo_timers::callback::{Interval, Timeout};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::machine::{Action, Input, Machine};
use super::sync::{Outcome, Sync};
use crate::source::Monitor;
use crate::state::{ConnectionState, Transport};

/// Frames within one animation frame are applied together.
const BATCH_MS: u32 = 16;

/// A link that lives as long as the page.
pub(super) struct Link {
    monitor: Monitor,
    machine: Machine,
    sync: Sync,
    connection: ConnectionState,
    open: Option<AbortHandle>,
    /// Names the opened way; frames of an earlier one are late and dropped.
    generation: u64,
    waiting: Vec<Frame>,
}

type Shared = Rc<RefCell<Link>>;

fn device_now() -> i64 {
    js_sys::Date::now() as i64
}

/// Opens the link.
pub(super) fn run(monitor: Monitor, sync: Sync, connection: ConnectionState) {
    let seed = (js_sys::Math::random() * 9.0e15) as u64;
    let link = Rc::new(RefCell::new(Link {
        monitor,
        machine: Machine::new(seed),
        sync,
        connection,
        open: None,
        generation: 0,
        waiting: Vec::new(),
    }));
    step(&link, Input::Start);
    let ticking = Rc::clone(&link);
    Interval::new(1_000, move || step(&ticking, Input::Tick)).forget();
    Effect::new(move |first: Option<()>| {
        connection.nudge.track();
        if first.is_some() {
            step(&link, Input::Nudge);
        }
    });
}

/// Takes note of something and does what follows.
fn step(link: &Shared, input: Input) {
    let (action, shown, state) = {
        let mut link = link.borrow_mut();
        let now = device_now();
        let action = link.machine.step(now, input);
        if input == Input::Gap {
            link.sync.forget_position();
        }
        (action, link.machine.connection(now), link.connection)
    };
    if state.link.get_untracked() != shown {
        state.link.set(shown);
    }
    match action {
        Some(Action::Open(transport)) => open(link, transport),
        Some(Action::Close) => close(&mut link.borrow_mut()),
        None => {}
    }
}

fn close(link: &mut Link) {
    link.generation += 1;
    if let Some(open) = link.open.take() {
        open.abort();
    }
}

fn open(link: &Shared, transport: Transport) {
    let (task, monitor, cursor, generation) = {
        let mut inner = link.borrow_mut();
        close(&mut inner);
        (Rc::clone(link), inner.monitor.clone(), inner.sync.cursor(), inner.generation)
    };
    let (reading, abort) = abortable(async move {
        match transport {
            Transport::Socket => read_socket(&task, generation, &monitor, cursor.as_ref()).await,
            Transport::Events => read_events(&task, generation, &monitor, cursor.as_ref()).await,
            Transport::Poll => read_polls(&task, generation, &monitor).await,
        }
        if task.borrow().generation == generation {
            step(&task, Input::Lost);
        }
    });
    link.borrow_mut().open = Some(abort);
    // An aborted reading has been replaced; nobody waits for its end.
    spawn_local(async move { reading.await.unwrap_or_default() });
}

async fn read_socket(link: &Shared, generation: u64, monitor: &Monitor, cursor: Option<&Cursor>) {
    let Ok(mut socket) = WebSocket::open(&monitor.socket_url(cursor)) else { return };
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Text(text) = message {
            receive(link, generation, &text);
        }
    }
}

async fn read_events(link: &Shared, generation: u64, monitor: &Monitor, cursor: Option<&Cursor>) {
    let Ok(mut source) = EventSource::new(&monitor.live_url("live/events", cursor)) else { return };
    let names = ["message", "snapshot", "delta", "heartbeat", "reset"];
    let mut streams: Vec<_> = names.into_iter().filter_map(|name| source.subscribe(name).ok()).collect();
    let mut all = futures::stream::select_all(streams.iter_mut());
    while let Some(Ok((_, event))) = all.next().await {
        if let Some(text) = event.data().as_string() {
            receive(link, generation, &text);
        }
    }
}

async fn read_polls(link: &Shared, generation: u64, monitor: &Monitor) {
    loop {
        let cursor = link.borrow().sync.cursor();
        let Ok(frames) = monitor.poll(cursor.as_ref()).await else { return };
        if link.borrow().generation != generation {
            return;
        }
        // An answer without news still shows that the monitor is there.
        step(link, Input::Heard);
        accept(link, generation, frames);
        // The batch must be applied before the next cursor is read; a short rest also bounds a monitor that answers at once.
        gloo_timers::future::TimeoutFuture::new(BATCH_MS * 4).await;
    }
}

fn receive(link: &Shared, generation: u64, text: &str) {
    if link.borrow().generation != generation {
        return;
    }
    // Anything that is no frame is skipped; the silence limit notices a stream of only such things.
    let value = serde_json::from_str::<serde_json::Value>(text);
    if let Ok(frame) = value.and_then(serde_json::from_value::<Frame>) {
        step(link, Input::Heard);
        accept(link, generation, vec![frame]);
    }
}

/// Collects frames and applies them together in the next animation frame.
fn accept(link: &Shared, generation: u64, frames: Vec<Frame>) {
    let first = {
        let mut inner = link.borrow_mut();
        let first = inner.waiting.is_empty();
        inner.waiting.extend(frames);
        first && !inner.waiting.is_empty()
    };
    if first {
        let link = Rc::clone(link);
        Timeout::new(BATCH_MS, move || {
            let outcome = {
                let mut inner = link.borrow_mut();
                let frames = std::mem::take(&mut inner.waiting);
                inner.sync.apply(frames)
            };
            if outcome == Outcome::Gap && link.borrow().generation == generation {
                step(&link, Input::Gap);
            }
        })
        .forget();
    }
}
