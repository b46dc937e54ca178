//! Reader that follows the coordination log (`contract/events.md` §1): the live file and the older log files beside it.
//! It delivers complete lines only, and recognises files by inode and content, not by name. [`Follower`] is a state
//! machine; `thread.rs` runs it on a thread.

mod checkpoint;
mod copies;
mod file;
mod fingerprint;
mod follower;
mod line_block;
mod listing;
mod prefix;
mod thread;
mod watch;

#[cfg(test)]
mod tests;

use coordination::api::{BadLine, Following, SourceFile, SourceState, Unreadable};
use coordination::doctor::Signs;
use coordination::event::{Event, Quirk};

pub use checkpoint::LogCheckpoint;
pub(crate) use checkpoint::ResumeError;
pub use follower::Follower;
pub use line_block::LineBlock;
pub use thread::Output;
pub(crate) use thread::spawn;
pub(crate) use watch::LogWatch;

/// Events and bad lines read in one block from one file.
#[derive(Debug)]
pub struct Chunk {
    /// Names the file in event ids.
    pub token: String,
    /// Name of the file when it was read.
    pub name: String,
    /// Events in file order.
    pub events: Vec<Event>,
    /// What each of them shows the doctor by itself.
    pub signs: Vec<Signs>,
    /// Lines that could not be read.
    pub bad: Vec<BadLine>,
    /// Oddities of lines, readable or not.
    pub quirks: Vec<Quirk>,
}

impl Chunk {
    /// Appends the next block if it follows in the same file; gives back a block of another one.
    pub(crate) fn join(&mut self, next: Self) -> Option<Self> {
        if (&self.token, &self.name) != (&next.token, &next.name) {
            return Some(next);
        }
        self.events.extend(next.events);
        self.signs.extend(next.signs);
        self.bad.extend(next.bad);
        self.quirks.extend(next.quirks);
        None
    }
}

/// Status of the files after one look.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogStatus {
    /// State of home and log.
    pub state: SourceState,
    /// Files on disk in reading order.
    pub files: Vec<SourceFile>,
    /// File token of each event id, and the name of its file.
    pub tokens: Vec<(String, String)>,
    /// Bytes on disk not yet read, the unfinished last lines aside.
    pub lag_bytes: u64,
    /// Bytes of unfinished last lines.
    pub pending_bytes: u64,
    /// What following went through since the start.
    pub following: Following,
    /// Files that could not be read.
    pub unreadable: Vec<Unreadable>,
}
