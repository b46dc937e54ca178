//! Live-link client of a tab: it connects [`machine`] with [`tab`](super::tab). Each opened connection has a number, so
//! that late messages of an earlier connection are dropped.

use super::machine::{LinkAction, LinkInput, LinkMachine};
use super::tab::{FrameOutcome, Tab, TabChanges};
use super::{Connection, Transport};
use crate::api::{Cursor, Frame};
use crate::view::HomeView;

/// What the shell is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Close the open connection and open this one.
    Open(OpenRequest),
    /// Close the open connection.
    Close,
}

/// A way to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRequest {
    /// Its number; reports about it carry it.
    pub generation: u64,
    /// Which way.
    pub transport: Transport,
    /// Where to continue; without it a snapshot comes.
    pub cursor: Option<Cursor>,
}

/// A tab's end of the link.
#[derive(Debug)]
pub struct LinkClient {
    machine: LinkMachine,
    tab: Tab,
    generation: u64,
    /// Frames that came and wait to be applied together.
    waiting: Vec<Frame>,
}

impl LinkClient {
    /// At rest. `seed` makes its waiting times differ from other tabs'.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { machine: LinkMachine::new(seed), tab: Tab::default(), generation: 0, waiting: Vec::new() }
    }

    /// An answer with this position was shown before the link begins.
    pub fn shown(&mut self, cursor: Cursor) {
        self.tab.shown(cursor);
    }

    /// Begins.
    pub fn start(&mut self, now: i64) -> Option<Order> {
        self.step(now, LinkInput::Start)
    }

    /// A frame came; it waits for [`Self::settle`].
    pub fn frame(&mut self, now: i64, generation: u64, frame: Frame) -> Option<Order> {
        if generation != self.generation {
            return None;
        }
        self.waiting.push(frame);
        self.step(now, LinkInput::FrameReceived)
    }

    /// Text came that should be a frame. Anything else is skipped: if it was a damaged frame, the next
    /// frame shows that it is missing; a stream of nothing else is noticed by its silence.
    pub fn text(&mut self, now: i64, generation: u64, text: &str) -> Option<Order> {
        // Through a value: so every type is decoded by one decoder, which keeps the bundle small.
        let value = serde_json::from_str(text).ok()?;
        self.frame(now, generation, Frame::from_value(value).ok()?)
    }

    /// A poll was answered; its frames are applied at once, because the next question asks for what follows them.
    /// An answer without news still shows that the monitor is there.
    pub fn polled(&mut self, now: i64, generation: u64, frames: Vec<Frame>) -> Option<Order> {
        if generation != self.generation {
            return None;
        }
        self.waiting.extend(frames);
        let order = self.step(now, LinkInput::FrameReceived);
        order.or_else(|| self.settle(now))
    }

    /// Applies what waits.
    pub fn settle(&mut self, now: i64) -> Option<Order> {
        let frames = std::mem::take(&mut self.waiting);
        let outcome = self.tab.apply(frames);
        if let Some(crowd) = self.tab.client_count() {
            self.machine.set_client_count(crowd);
        }
        match outcome {
            FrameOutcome::Applied => None,
            FrameOutcome::Gap => self.step(now, LinkInput::Gap),
        }
    }

    /// A way ended, or could not be opened.
    pub fn ended(&mut self, now: i64, generation: u64) -> Option<Order> {
        if generation != self.generation {
            return None;
        }
        self.step(now, LinkInput::Lost)
    }

    /// Time passed: to be called about twice a second.
    pub fn tick(&mut self, now: i64) -> Option<Order> {
        self.step(now, LinkInput::Tick)
    }

    /// The reader, or the browser coming back online, asks for a try at once.
    pub fn nudge(&mut self, now: i64) -> Option<Order> {
        self.step(now, LinkInput::Nudge)
    }

    /// The page became visible or hidden.
    pub fn visible(&mut self, now: i64, visible: bool) -> Option<Order> {
        self.step(now, LinkInput::Visible(visible))
    }

    /// What the page shows.
    #[must_use]
    pub fn connection(&self, now: i64) -> Connection {
        self.machine.connection(now)
    }

    /// True while reports about this way are wanted.
    #[must_use]
    pub fn is_open(&self, generation: u64) -> bool {
        generation == self.generation
    }

    /// True when frames wait to be applied.
    #[must_use]
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Where the stream can be continued.
    #[must_use]
    pub fn cursor(&self) -> Option<Cursor> {
        self.tab.cursor()
    }

    /// The stored view.
    #[must_use]
    pub fn view(&self) -> Option<&HomeView> {
        self.tab.view()
    }

    /// What changed since the last call.
    pub fn news(&mut self) -> TabChanges {
        self.tab.news()
    }

    fn step(&mut self, now: i64, input: LinkInput) -> Option<Order> {
        match self.machine.step(now, input)? {
            LinkAction::Open(transport) => {
                self.generation += 1;
                // What came before counts, so that the new way continues behind it. Should something be missing there,
                // the position is forgotten and the new way brings a snapshot.
                self.tab.apply(std::mem::take(&mut self.waiting));
                let cursor = self.tab.cursor();
                Some(Order::Open(OpenRequest { generation: self.generation, transport, cursor }))
            }
            LinkAction::Close => {
                self.generation += 1;
                Some(Order::Close)
            }
        }
    }
}
