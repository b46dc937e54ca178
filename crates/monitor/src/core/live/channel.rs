//! Bounded buffer of the newest frames of the live stream. Each client pulls frames from its own position. When the
//! buffer is full, publishing drops the oldest frames and never waits for a client. A client whose next frame was
//! dropped starts again from a snapshot.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::frame_text::FrameText;

/// Frames kept for resuming: enough for the bytes to decide, which at a thousand lines a second, most of them in a
/// frame of their own of 2 KB, are some six seconds, and at a hundred half a minute.
pub(super) const WINDOW_FRAMES: usize = 16 * 1024;
/// Bytes kept for resuming.
const WINDOW_BYTES: usize = 12 * 1024 * 1024;

/// Kind of a published frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// Continues the frame before it and brings home.
    Delta,
    /// Continues the frame before it; home follows.
    Part,
    /// Replaces everything before it.
    Snapshot,
}

/// One frame on its way to all clients, serialised once.
#[derive(Debug)]
pub(crate) struct Published {
    /// Position after this frame.
    pub(super) seq: u64,
    pub(super) text: FrameText,
    /// False while home, as of this frame, is still to follow.
    pub(super) whole: bool,
    /// Number of bytes published up to and including this frame.
    pub(super) total: u64,
    /// Number of clients that took it.
    takers: AtomicU64,
}

impl Published {
    /// A client takes it.
    pub(super) fn took(&self) {
        self.takers.fetch_add(1, Ordering::Relaxed);
    }
}

/// The frame after a position.
#[derive(Debug)]
pub(super) enum NextFrame {
    /// This frame.
    Frame(Arc<Published>),
    /// Nothing yet.
    Nothing,
    /// The frame is no longer in the window.
    Evicted,
}

/// Where frames are published.
#[derive(Debug)]
pub(crate) struct Channel {
    /// Recent frames, from which clients resume.
    window: Mutex<FrameWindow>,
    /// Position of the newest frame; waiting clients wait for this.
    newest: watch::Sender<u64>,
    /// Maximum number of frames in the window.
    max_frames: usize,
    /// Number of frames published since the start.
    published: AtomicU64,
}

#[derive(Debug)]
struct FrameWindow {
    /// Position before the first stored delta: the oldest cursor that can be continued.
    base: u64,
    /// The snapshot that leads to `base`, while it does.
    snapshot: Option<Arc<Published>>,
    /// The newest deltas; the oldest leave when the window is full.
    frames: VecDeque<Arc<Published>>,
    /// Size of `frames`; limited by [`WINDOW_BYTES`].
    bytes: usize,
    /// Number of bytes published since the start.
    total: u64,
    /// False while home is still to follow the newest frame.
    whole: bool,
}

impl Channel {
    /// An empty channel at position 0 that stores so many frames.
    pub(crate) fn with_capacity(max_frames: usize) -> Self {
        Self { window: Mutex::default(), newest: watch::channel(0).0, max_frames, published: AtomicU64::new(0) }
    }

    /// Publishes the frame that leads to `seq`.
    pub(crate) fn publish(&self, seq: u64, kind: FrameKind, text: FrameText) {
        {
            let mut window = self.window();
            window.total += text.text.len() as u64;
            let whole = kind != FrameKind::Part;
            let frame = Arc::new(Published { seq, text, whole, total: window.total, takers: AtomicU64::new(0) });
            window.whole = whole;
            match kind {
                FrameKind::Delta | FrameKind::Part => window.push(frame, self.max_frames),
                FrameKind::Snapshot => window.restart(frame),
            }
        }
        self.published.fetch_add(1, Ordering::Relaxed);
        self.newest.send_replace(seq);
    }

    /// Number of frames published since the start.
    pub(super) fn published(&self) -> u64 {
        self.published.load(Ordering::Relaxed)
    }

    /// Changes with every frame.
    pub(super) fn newest(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// The frame after `seq`.
    pub(super) fn next_after(&self, seq: u64) -> NextFrame {
        let window = self.window();
        if seq < window.base {
            return window.snapshot.clone().map_or(NextFrame::Evicted, NextFrame::Frame);
        }
        window.frame_at(seq).map_or(NextFrame::Nothing, |at| NextFrame::Frame(Arc::clone(at)))
    }

    /// True when all frames after `seq` are stored.
    pub(super) fn continues(&self, seq: u64) -> bool {
        seq >= self.window().base
    }

    /// Clients that took the newest frame.
    pub(super) fn takers(&self) -> u64 {
        let window = self.window();
        let newest = window.frames.back().or(window.snapshot.as_ref());
        newest.map_or(0, |frame| frame.takers.load(Ordering::Relaxed))
    }

    /// False while home is still to follow the newest frame.
    pub(super) fn is_whole(&self) -> bool {
        self.window().whole
    }

    /// Bytes published.
    pub(super) fn total(&self) -> u64 {
        self.window().total
    }

    /// Bytes of the newest frame.
    pub(super) fn newest_bytes(&self) -> u64 {
        let window = self.window();
        window.frames.back().or(window.snapshot.as_ref()).map_or(0, |frame| frame.text.text.len() as u64)
    }

    fn window(&self) -> MutexGuard<'_, FrameWindow> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for FrameWindow {
    fn default() -> Self {
        Self { base: 0, snapshot: None, frames: VecDeque::new(), bytes: 0, total: 0, whole: true }
    }
}

impl FrameWindow {
    /// The first frame after `seq`.
    fn frame_at(&self, seq: u64) -> Option<&Arc<Published>> {
        let at = self.frames.partition_point(|frame| frame.seq <= seq);
        self.frames.get(at)
    }

    fn push(&mut self, frame: Arc<Published>, max_frames: usize) {
        self.bytes += frame.text.bytes();
        self.frames.push_back(frame);
        while self.frames.len() > max_frames || self.bytes > WINDOW_BYTES {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.text.bytes();
            self.base = oldest.seq;
            self.snapshot = None;
        }
    }

    fn restart(&mut self, snapshot: Arc<Published>) {
        let (base, total) = (snapshot.seq, snapshot.total);
        *self = Self { base, total, snapshot: Some(snapshot), ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(text: &str) -> FrameText {
        FrameText::same_for_all(text.to_owned())
    }

    /// Positions of all frames after `seq`, as a client reads them; `None` when one is evicted.
    fn seqs(channel: &Channel, mut seq: u64) -> Option<Vec<u64>> {
        let mut list = Vec::new();
        loop {
            match channel.next_after(seq) {
                NextFrame::Frame(frame) => {
                    seq = frame.seq;
                    list.push(seq);
                }
                NextFrame::Nothing => return Some(list),
                NextFrame::Evicted => return None,
            }
        }
    }

    #[test]
    fn cursor_in_window_gets_following_frames() {
        let channel = Channel::with_capacity(WINDOW_FRAMES);
        for seq in 1..=5 {
            channel.publish(seq, FrameKind::Delta, same(&seq.to_string()));
        }
        assert_eq!(seqs(&channel, 0), Some(vec![1, 2, 3, 4, 5]));
        assert_eq!(seqs(&channel, 3), Some(vec![4, 5]));
        assert_eq!(seqs(&channel, 5), Some(vec![]));
    }

    #[test]
    fn cursor_older_than_window_is_rejected() {
        let channel = Channel::with_capacity(WINDOW_FRAMES);
        for seq in 1..=WINDOW_FRAMES as u64 + 10 {
            channel.publish(seq, FrameKind::Delta, same(""));
        }
        assert_eq!((seqs(&channel, 9), channel.continues(9)), (None, false));
        assert_eq!(seqs(&channel, 10).map(|list| list.len()), Some(WINDOW_FRAMES));
        assert!(channel.continues(10));
    }

    #[test]
    fn the_window_is_bounded_in_bytes_too() {
        let channel = Channel::with_capacity(WINDOW_FRAMES);
        for seq in 1..=10 {
            channel.publish(seq, FrameKind::Delta, same(&"x".repeat(WINDOW_BYTES / 4)));
        }
        assert_eq!(seqs(&channel, 0), None);
        assert_eq!(seqs(&channel, 6), Some(vec![7, 8, 9, 10]));
    }

    #[test]
    fn a_published_snapshot_replaces_what_came_before_it() {
        let channel = Channel::with_capacity(WINDOW_FRAMES);
        channel.publish(1, FrameKind::Delta, same(""));
        channel.publish(3, FrameKind::Snapshot, same(""));
        channel.publish(4, FrameKind::Delta, same(""));
        assert_eq!(seqs(&channel, 0), Some(vec![3, 4]), "an open client continues with the snapshot");
        assert!(!channel.continues(1), "a resumed client is reset");
        assert_eq!(seqs(&channel, 3), Some(vec![4]));
        for seq in 5..=WINDOW_FRAMES as u64 + 5 {
            channel.publish(seq, FrameKind::Delta, same(""));
        }
        assert_eq!(seqs(&channel, 0), None, "the snapshot leads nowhere once deltas after it are gone");
    }
}
