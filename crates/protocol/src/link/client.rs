//! Client of the live stream in a browser tab. It connects the state machine of the connection (`machine.rs`) with the
//! data of the tab (`tab.rs`). Each opened connection has a number, so that late messages of an earlier connection are
//! dropped.

use super::machine::{LinkAction, LinkInput, LinkMachine};
use super::tab::{FrameOutcome, Tab, TabChanges};
use super::{Connection, Transport};
use serde_json::Value;

use crate::api::{Cursor, Frame};
use crate::view::{HomeView, LostState, SharedState};

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
    /// The transport to open.
    pub transport: Transport,
    /// Where to continue; without it a snapshot comes.
    pub cursor: Option<Cursor>,
}

/// A tab's end of the link.
#[derive(Debug)]
pub struct LinkClient {
    /// Decides which transport to open and when.
    machine: LinkMachine,
    /// Applies frames to the view.
    tab: Tab,
    /// What the frames' differences are put into.
    shared: Option<SharedState>,
    /// Number of the newest open request; reports about earlier ones are ignored.
    generation: u64,
    /// Received frames that are applied together.
    waiting: Vec<Frame>,
}

impl LinkClient {
    /// At rest. `seed` makes its waiting times differ from other tabs'.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { machine: LinkMachine::new(seed), tab: Tab::default(), shared: None, generation: 0, waiting: Vec::new() }
    }

    /// An answer with this position was shown before the link begins.
    pub fn shown(&mut self, cursor: Cursor) {
        self.tab.shown(cursor);
    }

    /// Begins.
    pub fn start(&mut self, now: i64) -> Option<Order> {
        self.step(now, LinkInput::Start)
    }

    /// A frame came; it waits for [`Self::settle`]. Anything that is no frame is skipped: if it was a damaged one, the
    /// next frame shows that it is missing; a stream of nothing else is noticed by its silence.
    pub fn frame(&mut self, now: i64, generation: u64, frame: Value) -> Option<Order> {
        if generation != self.generation {
            return None;
        }
        match self.completed(frame) {
            Ok(frame) => self.waiting.push(frame?),
            Err(LostState) => return self.lose_position(now),
        }
        self.step(now, LinkInput::FrameReceived)
    }

    /// The same of a frame that came as text.
    pub fn text(&mut self, now: i64, generation: u64, text: &str) -> Option<Order> {
        // Through a value: so every type is decoded by one decoder, which keeps the bundle small.
        self.frame(now, generation, serde_json::from_str(text).ok()?)
    }

    /// A poll was answered; its frames are applied at once, because the next question asks for what follows them.
    /// An answer without news still shows that the monitor is there.
    pub fn polled(&mut self, now: i64, generation: u64, frames: Vec<Value>) -> Option<Order> {
        if generation != self.generation {
            return None;
        }
        for frame in frames {
            match self.completed(frame) {
                Ok(frame) => self.waiting.extend(frame),
                Err(LostState) => return self.lose_position(now),
            }
        }
        let order = self.step(now, LinkInput::FrameReceived);
        order.or_else(|| self.settle(now))
    }

    /// A frame with whole home and cards; `None` for what is no frame.
    fn completed(&mut self, mut frame: Value) -> Result<Option<Frame>, LostState> {
        let Value::Object(fields) = &mut frame else { return Ok(None) };
        if fields.get("type").is_some_and(|kind| kind == "snapshot") {
            self.shared = SharedState::of_snapshot(fields);
        } else if let Some(shared) = &mut self.shared {
            shared.complete(fields)?;
        }
        Ok(Frame::from_value(frame).ok())
    }

    /// The next opening brings a snapshot.
    fn lose_position(&mut self, now: i64) -> Option<Order> {
        self.shared = None;
        self.waiting.clear();
        self.tab.forget_position();
        self.step(now, LinkInput::Gap)
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
