//! Model of one simulated log file, for the tests of the log follower: the written lines with their numbered events,
//! and how far the follower has read. [`WorldHistory::sequence`] returns the events that the follower must have
//! delivered by then.

/// A record written whole: where it begins and ends, and its number.
#[derive(Clone, Copy)]
pub(super) struct WorldRecord {
    at: u64,
    end: u64,
    number: i64,
}

/// A line that has its newline.
#[derive(Clone)]
pub(super) struct WorldLine {
    at: u64,
    /// Just after the newline.
    end: u64,
    records: Vec<WorldRecord>,
    /// Something on it is no record.
    pub(super) bad: bool,
}

/// Bytes that only ever grew, wherever they are now.
#[derive(Clone, Default)]
pub(super) struct WorldHistory {
    pub(super) len: u64,
    lines: Vec<WorldLine>,
    /// Records after the last newline.
    open: Vec<WorldRecord>,
    garbage: bool,
    /// Seen by the reader that runs now, up to here.
    pub(super) seen: u64,
    /// The bytes before this were cut off and left over from another history, where they were seen.
    pub(super) from: u64,
    /// Its first line is that of other histories too.
    pub(super) twin: bool,
}

impl WorldHistory {
    fn line_start(&self) -> u64 {
        self.lines.last().map_or(0, |line| line.end)
    }

    pub(super) fn garbage(&mut self, size: usize) {
        self.len += size as u64;
        self.garbage |= size > 0;
    }

    pub(super) fn record(&mut self, number: i64, size: usize) {
        let end = self.len + size as u64;
        self.open.push(WorldRecord { at: self.len, end, number });
        self.len = end;
    }

    pub(super) fn newline(&mut self) {
        let line = WorldLine {
            at: self.line_start(),
            end: self.len + 1,
            records: std::mem::take(&mut self.open),
            bad: std::mem::take(&mut self.garbage),
        };
        self.len += 1;
        self.lines.push(line);
    }

    /// The rest when it is cut at `size`.
    pub(super) fn cut(&self, size: u64) -> Self {
        let mut left = Self { len: size, twin: self.twin, ..Self::default() };
        left.lines = self.lines.iter().filter(|line| line.end <= size).cloned().collect();
        left.from = left.line_start();
        let records = self.lines.iter().flat_map(|line| &line.records).chain(&self.open);
        left.open = records.filter(|record| record.at >= left.from && record.end <= size).copied().collect();
        let covered: u64 = left.open.iter().map(|record| record.end - record.at).sum();
        left.garbage = left.from + covered < size;
        left
    }

    /// Cuts off only what no reader has taken: it stays the same history.
    pub(super) fn cut_unread(&mut self, size: u64) {
        let left = self.cut(size);
        *self = Self { from: self.from.min(left.from), seen: self.read_to(), ..left };
    }

    /// Just after the last line a reader has taken.
    pub(super) fn read_to(&self) -> u64 {
        self.lines.iter().map(|line| line.end).filter(|end| *end <= self.seen).max().unwrap_or(0)
    }

    pub(super) fn seen_lines(&self) -> impl Iterator<Item = &WorldLine> {
        self.lines.iter().filter(|line| line.at >= self.from && line.end <= self.seen)
    }

    /// Offsets and numbers of the records that must have been given.
    pub(super) fn sequence(&self) -> Vec<(u64, i64)> {
        self.seen_lines().flat_map(|line| &line.records).map(|record| (record.at, record.number)).collect()
    }
}
