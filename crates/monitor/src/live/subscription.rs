//! One client's place in the stream, whatever its transport: what it missed, then what comes, then a sign of life.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use coordination::api::{Cursor, Frame, Heartbeat, Reset};
use coordination::query;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};
use tokio::time::Interval;

use super::Published;
use crate::state::AppState;

/// Silence longer than twice this means a dead link (reliability goal G11).
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A client further behind than this is cut; it resumes from its cursor.
const MAX_QUEUED_BYTES: u64 = 1024 * 1024;

/// What comes next.
#[derive(Debug)]
pub enum Next {
    /// A frame to send.
    Frame(Utf8Bytes),
    /// The last frame: send it and close.
    Last(Utf8Bytes),
    /// Close.
    End,
}

enum Step {
    Received(Result<Arc<Published>, RecvError>),
    Quiet,
    Close,
}

/// A client's place in the stream.
pub struct Subscription {
    state: AppState,
    frames: broadcast::Receiver<Arc<Published>>,
    ready: VecDeque<Utf8Bytes>,
    seq: u64,
    heartbeat: Interval,
    closing: watch::Receiver<bool>,
}

impl Subscription {
    /// Subscribes first and looks afterwards, so that nothing falls in between. With a cursor that can be continued
    /// the missed frames come; otherwise a snapshot, after a reset if there was a cursor.
    pub async fn open(state: &AppState, cursor: Option<Cursor>) -> Self {
        let frames = state.live().subscribe();
        let mut heartbeat = tokio::time::interval_at(tokio::time::Instant::now() + HEARTBEAT, HEARTBEAT);
        heartbeat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let closing = state.closing();
        let mut place = Self { state: state.clone(), frames, ready: VecDeque::new(), seq: 0, heartbeat, closing };
        let here = state.hub().cursor();
        let reason = match &cursor {
            None => None,
            Some(cursor) if cursor.epoch != here.epoch || cursor.seq > here.seq => Some("epoch"),
            Some(cursor) => match state.live().since(cursor.seq) {
                Some(missed) => {
                    place.seq = cursor.seq;
                    for frame in missed {
                        place.accept(&frame);
                    }
                    return place;
                }
                None => Some("window"),
            },
        };
        if let Some(reason) = reason {
            place.ready.extend(text(&Frame::Reset(Reset { cursor: here, reason: reason.to_owned() })));
        }
        let snapshot = state.ask(query::snapshot).await;
        place.seq = snapshot.cursor.seq;
        place.ready.extend(text(&Frame::Snapshot(Box::new(snapshot))));
        place
    }

    /// The next frame, waiting for it; a heartbeat when there is none for a while.
    pub async fn next(&mut self) -> Next {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Next::Frame(frame);
            }
            let closing = async { drop(self.closing.wait_for(|closing| *closing).await) };
            let step = tokio::select! {
                biased;
                () = closing => Step::Close,
                received = self.frames.recv() => Step::Received(received),
                _ = self.heartbeat.tick() => Step::Quiet,
            };
            match step {
                Step::Received(Ok(frame)) if self.state.live().total() - frame.total > MAX_QUEUED_BYTES => {
                    return self.slow();
                }
                Step::Received(Ok(frame)) => self.accept(&frame),
                Step::Received(Err(RecvError::Lagged(_))) => return self.slow(),
                Step::Received(Err(RecvError::Closed)) | Step::Close => return Next::End,
                Step::Quiet => self.ready.extend(self.sign_of_life()),
            }
        }
    }

    /// What is there now, without waiting.
    pub fn drain(&mut self) -> Vec<Utf8Bytes> {
        loop {
            match self.frames.try_recv() {
                Ok(frame) => self.accept(&frame),
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return self.ready.drain(..).collect(),
            }
        }
    }

    /// A heartbeat frame as of now.
    #[must_use]
    pub fn sign_of_life(&self) -> Option<Utf8Bytes> {
        let (cursor, source) = {
            let hub = self.state.hub();
            (hub.cursor(), hub.source().clone())
        };
        text(&Frame::Heartbeat(Heartbeat { cursor, now: self.state.now(), source }))
    }

    fn accept(&mut self, frame: &Published) {
        // Already part of the snapshot, or replayed from the window and received as well.
        if frame.seq > self.seq {
            self.seq = frame.seq;
            self.heartbeat.reset();
            self.ready.push_back(frame.text.clone());
        }
    }

    fn slow(&self) -> Next {
        let cursor = self.state.hub().cursor();
        tracing::info!(seq = self.seq, at = cursor.seq, "a live client was too slow and is cut");
        text(&Frame::Reset(Reset { cursor, reason: "slow".to_owned() })).map_or(Next::End, Next::Last)
    }
}

fn text(frame: &Frame) -> Option<Utf8Bytes> {
    match serde_json::to_string(frame) {
        Ok(text) => Some(text.into()),
        Err(error) => {
            tracing::error!(%error, "a frame could not be written");
            None
        }
    }
}
