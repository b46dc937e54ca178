//! The live stream (design §3.9): numbered frames, a replay window, and one subscription behind every transport.
//! Each frame is serialised once and shared by all connections.

mod subscription;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::broadcast;

pub use subscription::{Next, Subscription};

/// Frames kept for resuming.
const WINDOW_FRAMES: usize = 1024;
/// Bytes kept for resuming.
const WINDOW_BYTES: usize = 8 * 1024 * 1024;

/// What a published frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Continues the frame before it.
    Delta,
    /// Replaces everything before it.
    Snapshot,
}

/// One frame on its way to all clients.
#[derive(Debug)]
pub(crate) struct Published {
    seq: u64,
    text: Utf8Bytes,
    /// Bytes published up to and including this frame.
    total: u64,
}

/// Where frames are published.
#[derive(Debug)]
pub struct Channel {
    sender: broadcast::Sender<Arc<Published>>,
    window: Mutex<Window>,
}

#[derive(Debug, Default)]
struct Window {
    /// Position before the first kept frame: the oldest cursor that can be continued.
    base: u64,
    /// The newest frames; the oldest leave when the window is full.
    frames: VecDeque<Arc<Published>>,
    bytes: usize,
    total: u64,
}

impl Channel {
    /// An empty channel at position 0.
    #[must_use]
    pub fn new() -> Self {
        Self { sender: broadcast::channel(WINDOW_FRAMES).0, window: Mutex::default() }
    }

    /// Publishes the frame that leads to `seq`.
    pub(crate) fn publish(&self, seq: u64, kind: Kind, text: String) {
        let mut window = self.window();
        window.total += text.len() as u64;
        let frame = Arc::new(Published { seq, text: text.into(), total: window.total });
        match kind {
            Kind::Delta => window.push(Arc::clone(&frame)),
            Kind::Snapshot => *window = Window { base: seq, total: window.total, ..Window::default() },
        }
        // An error only says that nobody listens; the window has the frame.
        drop(self.sender.send(frame));
    }

    /// Clients connected over any transport.
    #[must_use]
    pub fn listeners(&self) -> usize {
        self.sender.receiver_count()
    }

    fn subscribe(&self) -> broadcast::Receiver<Arc<Published>> {
        self.sender.subscribe()
    }

    /// Frames after `seq`, or nothing when they are not all there any more.
    fn since(&self, seq: u64) -> Option<Vec<Arc<Published>>> {
        let window = self.window();
        (seq >= window.base).then(|| window.frames.iter().filter(|frame| frame.seq > seq).cloned().collect())
    }

    fn total(&self) -> u64 {
        self.window().total
    }

    fn window(&self) -> std::sync::MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Channel {
    fn default() -> Self {
        Self::new()
    }
}

impl Window {
    fn push(&mut self, frame: Arc<Published>) {
        self.bytes += frame.text.len();
        self.frames.push_back(frame);
        while self.frames.len() > WINDOW_FRAMES || self.bytes > WINDOW_BYTES {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.text.len();
            self.base = oldest.seq;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seqs(channel: &Channel, after: u64) -> Option<Vec<u64>> {
        Some(channel.since(after)?.iter().map(|frame| frame.seq).collect())
    }

    #[test]
    fn a_cursor_inside_the_window_gets_exactly_the_frames_after_it() {
        let channel = Channel::new();
        for seq in 1..=5 {
            channel.publish(seq, Kind::Delta, format!("{seq}"));
        }
        assert_eq!(seqs(&channel, 0), Some(vec![1, 2, 3, 4, 5]));
        assert_eq!(seqs(&channel, 3), Some(vec![4, 5]));
        assert_eq!(seqs(&channel, 5), Some(vec![]));
    }

    #[test]
    fn a_cursor_older_than_the_window_cannot_be_continued() {
        let channel = Channel::new();
        for seq in 1..=WINDOW_FRAMES as u64 + 10 {
            channel.publish(seq, Kind::Delta, String::new());
        }
        assert_eq!(seqs(&channel, 9), None);
        assert_eq!(seqs(&channel, 10).map(|list| list.len()), Some(WINDOW_FRAMES));
    }

    #[test]
    fn the_window_is_bounded_in_bytes_too() {
        let channel = Channel::new();
        for seq in 1..=10 {
            channel.publish(seq, Kind::Delta, "x".repeat(WINDOW_BYTES / 4));
        }
        assert_eq!(seqs(&channel, 0), None);
        assert_eq!(seqs(&channel, 6), Some(vec![7, 8, 9, 10]));
    }

    #[test]
    fn nothing_before_a_published_snapshot_can_be_continued() {
        let channel = Channel::new();
        channel.publish(1, Kind::Delta, String::new());
        channel.publish(2, Kind::Snapshot, String::new());
        channel.publish(3, Kind::Delta, String::new());
        assert_eq!(seqs(&channel, 1), None);
        assert_eq!(seqs(&channel, 2), Some(vec![3]));
    }
}
