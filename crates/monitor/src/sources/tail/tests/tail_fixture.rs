//! Fixture of the tests of the log follower: a temporary OpenClaw state folder, a follower of its log files, and the
//! events and bad lines that the follower has read.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::super::*;
use crate::home::HomeDir;

/// A home with a follower on it, and everything the follower has delivered so far.
pub(super) struct TailFixture {
    pub(super) dir: tempfile::TempDir,
    pub(super) follower: Follower,
    pub(super) events: Vec<Event>,
    pub(super) bad: Vec<BadLine>,
    /// Time by the looks taken.
    pub(super) now: i64,
}

impl TailFixture {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        let follower = Follower::new(HomeDir::new(dir.path().join(".openclaw")));
        let fixture = Self { dir, follower, events: Vec::new(), bad: Vec::new(), now: 0 };
        fs::create_dir_all(fixture.path("")).expect("logs");
        fixture
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(".openclaw/logs").join(name)
    }

    pub(super) fn append(&self, name: &str, bytes: impl AsRef<[u8]>) {
        append(&self.path(name), bytes.as_ref());
    }

    pub(super) fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).expect("rename");
    }

    pub(super) fn look(&mut self) -> LogStatus {
        let (events, bad) = (&mut self.events, &mut self.bad);
        self.now += 1;
        self.follower.look(self.now, &mut |block| {
            let chunk = block.parse();
            events.extend(chunk.events);
            bad.extend(chunk.bad);
        })
    }

    /// A new process over the same files.
    pub(super) fn restart(&mut self) {
        self.follower = Follower::new(HomeDir::new(self.dir.path().join(".openclaw")));
        self.events.clear();
    }

    pub(super) fn times(&self) -> Vec<i64> {
        self.events.iter().map(|event| event.at).collect()
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.events.iter().map(|event| event.id().to_string()).collect()
    }
}

pub(super) fn append(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("open");
    file.write_all(bytes).expect("append");
}

pub(super) fn line(at: i64) -> String {
    format!("{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":{at},\"data\":{{\"message\":\"결제 🚀 {at}\"}}}}\n")
}
