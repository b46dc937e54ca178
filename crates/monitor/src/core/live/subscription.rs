//! Subscription of one client on any transport: the missed frames or a snapshot first, then each new frame, and a
//! heartbeat after 15 seconds without one. A client that reads too slowly is disconnected.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use coordination::api::{ChangesSince, Cursor, Frame, Heartbeat, Reset, ShownThread};
use coordination::query;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::Live;
use super::channel::{NextFrame, Published};
use super::frame_text;
use super::shown::ShownThreadGuard;
use crate::inputs::InputPosition;

/// Silence longer than twice this means a dead link.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A client with more queued bytes than this since it connected is cut; it resumes from its cursor.
const MAX_QUEUED_BYTES: u64 = 1024 * 1024;
/// So many frames as large as the newest one may be queued as well: where home itself is large, a client that reads at
/// once has two of them queued now and then.
const LARGE_FRAMES: u64 = 3;

/// For how long a client that comes from another process of a fleet, which has read further, waits for this one.
const CATCH_UP: Duration = Duration::from_secs(2);
/// Between two looks at that.
const CATCH_UP_POLL: Duration = Duration::from_millis(20);

/// The next step of a subscription.
#[derive(Debug)]
pub(crate) enum Next {
    /// A frame to send.
    Frame(Utf8Bytes),
    /// The stream has to close.
    End(CloseReason),
}

/// Why a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The server is shutting down.
    Closing,
    /// The client is too slow.
    Slow,
}

/// What a client wants of the stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct StreamRequest {
    /// Where to continue; without it a snapshot comes.
    pub(crate) cursor: Option<Cursor>,
    /// Differences in place of whole home and cards.
    pub(crate) patches: bool,
    /// The thread that it shows; its new items come with differences only.
    pub(crate) shown: Option<ShownThread>,
}

/// A client's place in the stream.
#[derive(Debug)]
pub(crate) struct Subscription {
    live: Arc<Live>,
    /// Changes with every published frame.
    newest: watch::Receiver<u64>,
    /// Frames to send before the next one of the channel.
    ready: VecDeque<Utf8Bytes>,
    /// Name of this process run, part of every cursor.
    epoch: String,
    /// Position of the last frame that the client got.
    seq: u64,
    /// Reads differences; otherwise frames carry home and cards whole.
    patches: bool,
    /// The thread whose new items its frames bring.
    shown: Option<ShownThreadGuard>,
    /// False while home is still to follow the frames that this client got.
    whole: bool,
    /// Bytes published up to `seq`; frames from before the connection do not count.
    taken: u64,
    /// A client that resumes gets a heartbeat after the missed frames: it shows that the stream works, and the time.
    initial_heartbeat_due: bool,
    /// Time of the newest frame that this client got.
    sent_at: Instant,
    /// Ticks at the earliest time of the next heartbeat. Not reset for each frame: that would take the runtime's timer
    /// lock for every client.
    heartbeat: Interval,
    /// True once the monitor shuts down.
    closing: watch::Receiver<bool>,
}

impl Subscription {
    /// Subscribes first and looks afterwards, so that nothing falls in between. With a cursor that can be continued
    /// the missed frames come; otherwise a snapshot, after a reset if there was a cursor.
    pub(crate) async fn open(live: &Arc<Live>, wanted: StreamRequest) -> Self {
        let StreamRequest { cursor, patches, shown } = wanted;
        if !patches {
            live.clients().note_whole();
        }
        let sent_at = Instant::now();
        let mut heartbeat = tokio::time::interval_at(sent_at + HEARTBEAT, HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let here = live.hub().cursor();
        let mut place = Self {
            live: Arc::clone(live),
            newest: live.channel.newest(),
            ready: VecDeque::new(),
            epoch: here.epoch.clone(),
            seq: 0,
            patches,
            shown: shown.map(|thread| live.shown.enter(thread)),
            whole: live.channel.is_whole(),
            taken: live.channel.total(),
            initial_heartbeat_due: true,
            sent_at,
            heartbeat,
            closing: live.closing(),
        };
        let reason = match &cursor {
            None => None,
            Some(cursor) if cursor.epoch != here.epoch || cursor.seq > here.seq => Some("epoch"),
            Some(cursor) if live.channel.continues(cursor.seq) => {
                place.seq = cursor.seq;
                return place;
            }
            Some(_) => Some("window"),
        };
        let inputs = cursor.and_then(|cursor| cursor.inputs?.parse().ok());
        if !place.continue_from(inputs).await {
            place.start_over(reason).await;
        }
        place
    }

    /// Brings a snapshot next, with what changed since this position in the inputs. False when that is not known here.
    async fn continue_from(&mut self, inputs: Option<InputPosition>) -> bool {
        let Some(inputs) = inputs.filter(|inputs| self.live.continuation.is_known(inputs)) else { return false };
        let reached = async {
            while !self.live.continuation.has_reached(&inputs) {
                tokio::time::sleep(CATCH_UP_POLL).await;
            }
        };
        if tokio::time::timeout(CATCH_UP, reached).await.is_err() || self.live.continuation.since(&inputs).is_none() {
            return false;
        }
        self.snapshot(Some(&inputs)).await;
        true
    }

    /// Brings a snapshot next, after a reset if there is a reason for one; what follows continues it.
    async fn start_over(&mut self, reason: Option<&str>) {
        if let Some(reason) = reason {
            let cursor = self.live.hub().cursor();
            self.ready.extend(text(&Frame::Reset(Reset { cursor, reason: reason.to_owned() })));
        }
        self.snapshot(None).await;
    }

    /// Brings a snapshot next; what follows continues it. `inputs`: with what changed since this position.
    async fn snapshot(&mut self, inputs: Option<&InputPosition>) {
        let clients = self.live.clients().info().clients;
        // What was published while this client waited is in the snapshot.
        self.taken = self.live.channel.total();
        // Before the state: that may have more, and never less.
        let published = self.live.continuation.published();
        let shared = if self.patches {
            self.live.shared().as_ref().map(|shared| (shared.seq(), shared.snapshot(self.live.now(), clients)))
        } else {
            None
        };
        // After it: a frame is recorded before it is published. A client that starts over since then knows nothing.
        let unknown = || ChangesSince { everything: true, ..ChangesSince::default() };
        let changes = |live: &Live| inputs.map(|inputs| live.continuation.since(inputs).unwrap_or_else(unknown));
        let (seq, frame) = match shared {
            Some((seq, mut frame)) => {
                if let Some(Value::Object(cursor)) = frame.get_mut("cursor") {
                    cursor.extend(published.map(|published| ("inputs".to_owned(), published.into())));
                }
                let changes = changes(&self.live).and_then(|changes| serde_json::to_value(changes).ok());
                frame.extend(changes.map(|changes| ("changes".to_owned(), changes)));
                (seq, Some(frame_text::write(frame).into()))
            }
            None => {
                let mut snapshot = self.live.run_query(query::snapshot).await;
                snapshot.clients = Some(clients);
                snapshot.cursor.inputs = published;
                snapshot.changes = changes(&self.live);
                (snapshot.cursor.seq, text(&Frame::Snapshot(Box::new(snapshot))))
            }
        };
        self.initial_heartbeat_due = false;
        self.seq = seq;
        self.whole = true;
        self.ready.extend(frame);
    }

    /// Names the thread that the client shows from now on.
    pub(crate) fn show(&mut self, thread: Option<ShownThread>) {
        self.shown = thread.map(|thread| self.live.shown.enter(thread));
    }

    /// The next frame, waiting for it; a heartbeat when there is no frame for a while.
    pub(crate) async fn next(&mut self) -> Next {
        loop {
            // A client that keeps this state until the next run has sessions and home of one moment.
            if *self.closing.borrow() && self.whole {
                return Next::End(CloseReason::Closing);
            }
            if is_too_much(&self.live, self.taken) {
                return Next::End(CloseReason::Slow);
            }
            // Before looking: a frame that is published meanwhile is then noticed as new.
            self.newest.mark_unchanged();
            if let Some(frame) = self.ready.pop_front() {
                return self.send_frame(frame);
            }
            match self.live.channel.next_after(self.seq) {
                NextFrame::Frame(frame) => match self.text_of(&frame) {
                    Some(text) => {
                        self.note_taken(&frame);
                        return self.send_frame(text);
                    }
                    None => {
                        self.start_over(Some("window")).await;
                        continue;
                    }
                },
                NextFrame::Evicted => return Next::End(CloseReason::Slow),
                NextFrame::Nothing if self.initial_heartbeat_due => {
                    let beat = self.heartbeat_frame();
                    self.ready.extend(beat);
                    self.initial_heartbeat_due = false;
                    continue;
                }
                NextFrame::Nothing => {}
            }
            let silent = tokio::select! {
                biased;
                // The senders live as long as the server: an error would only end the waiting early.
                _ = self.closing.changed() => false,
                _ = self.newest.changed() => false,
                _ = self.heartbeat.tick() => true,
            };
            if !silent {
                continue;
            }
            if self.sent_at.elapsed() < HEARTBEAT {
                self.heartbeat.reset_at(self.sent_at + HEARTBEAT);
            } else {
                let beat = self.heartbeat_frame();
                self.ready.extend(beat);
            }
        }
    }

    /// Ends when the client's queue is too long, however long the frame in hand may take: runs next to a blocked send.
    pub(crate) async fn overrun(&self) {
        let mut newest = self.newest.clone();
        while !is_too_much(&self.live, self.taken) {
            if newest.changed().await.is_err() {
                return;
            }
        }
    }

    /// The frames that are ready, without waiting.
    async fn drain(&mut self) -> Vec<Utf8Bytes> {
        let mut frames: Vec<Utf8Bytes> = self.ready.drain(..).collect();
        while let NextFrame::Frame(frame) = self.live.channel.next_after(self.seq) {
            if let Some(text) = self.text_of(&frame) {
                self.note_taken(&frame);
                frames.push(text);
            } else {
                self.start_over(Some("window")).await;
                frames.extend(self.ready.drain(..));
            }
        }
        frames
    }

    /// A heartbeat as of now, with the position of this client.
    fn heartbeat_frame(&self) -> Option<Utf8Bytes> {
        // Before the look at the frames: a client that has the newest one has everything up to here.
        let inputs = self.live.continuation.published();
        let inputs = inputs.filter(|_| matches!(self.live.channel.next_after(self.seq), NextFrame::Nothing));
        let cursor = Cursor { epoch: self.epoch.clone(), seq: self.seq, inputs };
        let source = self.live.hub().source().clone();
        let clients = Some(self.live.clients().info().clients);
        text(&Frame::Heartbeat(Heartbeat { cursor, now: self.live.now(), source, clients }))
    }

    /// A frame as this client gets it; `None` when it reads whole ones and this one was made while nobody did.
    fn text_of(&self, frame: &Published) -> Option<Utf8Bytes> {
        if self.patches {
            return Some(frame.text.with_thread(self.shown.as_ref().map(|shown| &*shown.thread)).clone());
        }
        self.live.clients().note_whole();
        frame.text.whole.clone()
    }

    fn note_taken(&mut self, frame: &Published) {
        frame.took();
        self.seq = frame.seq;
        self.whole = frame.whole;
        self.taken = self.taken.max(frame.total);
    }

    fn send_frame(&mut self, frame: Utf8Bytes) -> Next {
        self.sent_at = Instant::now();
        Next::Frame(frame)
    }
}

/// Whether the queue of a client that took everything up to `taken` bytes is too long.
fn is_too_much(live: &Live, taken: u64) -> bool {
    let queued_bytes = live.channel.total().saturating_sub(taken);
    queued_bytes > MAX_QUEUED_BYTES + LARGE_FRAMES * live.channel.newest_bytes()
}

/// One answer to a poll: the ready frames, or those within `wait`, or a heartbeat; nothing when the server closes.
pub(crate) async fn poll(live: &Arc<Live>, wanted: StreamRequest, wait: Duration) -> Vec<Utf8Bytes> {
    let mut place = Subscription::open(live, wanted).await;
    place.initial_heartbeat_due = false;
    let mut frames = place.drain().await;
    if frames.is_empty() {
        match tokio::time::timeout(wait, place.next()).await {
            Ok(Next::Frame(frame)) => {
                frames.push(frame);
                frames.extend(place.drain().await);
            }
            Ok(Next::End(_)) => {}
            Err(_) => frames.extend(place.heartbeat_frame()),
        }
    }
    frames
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
