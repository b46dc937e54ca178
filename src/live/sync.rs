//! The only writer of the tab's knowledge: applies frames in order, once per animation frame, and says what they
//! touched. A gap or a reset leads to one snapshot, the same path as start-up.

use std::sync::Arc;

use coordination::api::{Cursor, Frame};
use coordination::view::{Applied, View};
use leptos::prelude::Set;

use crate::state::{Change, Clock, ConnectionState, Hub};

/// What came of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All frames were applied.
    Applied,
    /// Frames are missing.
    Gap,
}

/// The writer.
pub(super) struct Sync {
    hub: Hub,
    clock: Clock,
    connection: ConnectionState,
    view: Option<View>,
    /// Position of the newest REST answer shown before the first frame.
    shown: Option<Cursor>,
}

impl Sync {
    pub(super) fn new(hub: Hub, clock: Clock, connection: ConnectionState) -> Self {
        Self { hub, clock, connection, view: None, shown: None }
    }

    /// Shows a first answer while the link is still being opened.
    pub(super) fn first_answer(&mut self, home: coordination::api::Home) {
        self.shown = Some(home.cursor.clone());
        self.clock.set(home.now);
        self.hub.home.set(Some(Arc::new(home)));
    }

    /// Where the stream can be continued.
    pub(super) fn cursor(&self) -> Option<Cursor> {
        self.view.as_ref().map(|view| view.cursor.clone())
    }

    /// Forgets the position, so that the next opening brings a snapshot. What is shown stays.
    pub(super) fn forget_position(&mut self) {
        self.shown = self.cursor().or(self.shown.take());
        self.view = None;
    }

    /// Applies frames in order.
    pub(super) fn apply(&mut self, frames: Vec<Frame>) -> Outcome {
        let mut change = Change::default();
        let mut touched = false;
        let mut outcome = Outcome::Applied;
        for frame in frames {
            match frame {
                Frame::Snapshot(snapshot) => {
                    self.clock.set(snapshot.now);
                    let known = self.cursor().or(self.shown.take());
                    change.everything |= known.as_ref() != Some(&snapshot.cursor);
                    self.view = Some(View::from(*snapshot));
                    touched = true;
                }
                Frame::Delta(delta) => {
                    self.clock.set(delta.now);
                    // Without a position a delta says nothing; a snapshot is on its way.
                    let Some(view) = &mut self.view else { continue };
                    match view.apply(&delta) {
                        Applied::Ok => {
                            change.add(&delta);
                            touched = true;
                        }
                        Applied::Gap => {
                            outcome = Outcome::Gap;
                            break;
                        }
                    }
                }
                Frame::Heartbeat(beat) => {
                    self.clock.set(beat.now);
                    if let Some(view) = &mut self.view
                        && view.home.source != beat.source
                    {
                        view.home.source = beat.source;
                        touched = true;
                    }
                }
                Frame::Reset(_) => self.forget_position(),
                Frame::Unknown => {}
            }
        }
        self.connection.heard.set(Some(self.clock.now()));
        if touched && let Some(view) = &self.view {
            self.hub.home.set(Some(Arc::new(view.home.clone())));
        }
        if change != Change::default() {
            self.hub.change.set(Arc::new(change));
        }
        if outcome == Outcome::Gap {
            self.forget_position();
        }
        outcome
    }
}
