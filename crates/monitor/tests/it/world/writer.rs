//! Simulated process that appends records to one log file, for tests of the log follower. It can write a buffered
//! record late or in part, or crash and never write it.

use std::fs::File;
use std::io::Write as _;

use super::{WorldHistory, WorldRandom};

pub(crate) struct WorldWriter {
    file: Option<File>,
    /// Which place it writes to.
    pub(crate) place: Option<usize>,
    /// Number of the next record.
    pub(crate) number: i64,
    /// Number and text of a record begun, and how much of it is on disk.
    begun: Option<(i64, Vec<u8>, usize)>,
}

impl WorldWriter {
    pub(crate) fn new(number: i64) -> Self {
        Self { file: None, place: None, number, begun: None }
    }

    pub(crate) fn open(&mut self, file: File, place: usize) {
        (self.file, self.place) = (Some(file), Some(place));
    }

    fn put(&mut self, bytes: &[u8]) {
        self.file.as_mut().expect("it is open").write_all(bytes).expect("a write");
    }

    /// The buffered bytes reach the file.
    pub(crate) fn flush(&mut self, history: &mut WorldHistory) {
        if let Some((number, text, written)) = self.begun.take() {
            self.put(&text[written..]);
            history.record(number, text.len() - 1);
            history.newline();
        }
    }

    /// The buffered bytes are lost; those on disk stay there without a newline.
    pub(crate) fn crash(&mut self, history: &mut WorldHistory) {
        if let Some((number, text, written)) = self.begun.take() {
            if written == text.len() - 1 {
                history.record(number, written);
            } else {
                history.garbage(written);
            }
        }
    }

    pub(crate) fn line(&mut self, history: &mut WorldHistory, random: &mut WorldRandom) {
        let size = if random.one_in(40) { 20_000 } else { random.below(60) };
        self.flush(history);
        let (number, text) = self.text(size);
        self.put(&text);
        history.record(number, text.len() - 1);
        history.newline();
    }

    /// A line of this length with its newline; nothing when no record is that short.
    pub(crate) fn line_of(&mut self, history: &mut WorldHistory, size: usize) {
        let shortest = text(self.number, 0).len();
        if size >= shortest {
            let (number, text) = self.text(size - shortest);
            self.put(&text);
            history.record(number, text.len() - 1);
            history.newline();
        }
    }

    /// Some bytes of a record, at most all but the last; the cut falls anywhere, inside characters too.
    pub(crate) fn part(&mut self, history: &mut WorldHistory, random: &mut WorldRandom) {
        self.flush(history);
        let (number, text) = self.text(random.below(20));
        // Often just before the newline, where a whole record lacks nothing but its end.
        let written = if random.one_in(5) { text.len() - 1 } else { random.below(text.len()) };
        self.put(&text[..written]);
        self.begun = Some((number, text, written));
    }

    /// The machine crashed: the missing data are NULs.
    pub(crate) fn nuls(&mut self, history: &mut WorldHistory, random: &mut WorldRandom) {
        self.crash(history);
        history.twin |= history.len == 0;
        let nuls = vec![0; 1 + random.below(6000)];
        self.put(&nuls);
        history.garbage(nuls.len());
        if random.one_in(2) {
            self.put(b"\n");
            history.newline();
        }
    }

    /// The same first line as other files, and in the same write a second one that is not.
    pub(crate) fn twin_line(&mut self, history: &mut WorldHistory, random: &mut WorldRandom) {
        self.flush(history);
        if history.len > 0 {
            return self.line(history, random);
        }
        let first = text(0, 0);
        let (number, second) = self.text(random.below(60));
        self.put(&[first.as_slice(), &second].concat());
        history.record(0, first.len() - 1);
        history.newline();
        history.record(number, second.len() - 1);
        history.newline();
        history.twin = true;
    }

    fn text(&mut self, padding: usize) -> (i64, Vec<u8>) {
        let number = self.number;
        self.number += 1;
        (number, text(number, padding))
    }
}

/// A record with its newline.
fn text(number: i64, padding: usize) -> Vec<u8> {
    let padding = ".".repeat(padding);
    format!(
        "{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":{number},\"data\":{{\"message\":\"결제 🚀 👩‍💻{padding}\"}}}}\n"
    )
    .into_bytes()
}
