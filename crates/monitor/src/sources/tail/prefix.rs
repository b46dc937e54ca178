//! Detection of log lines that the monitor has already read, so that a copied or restored log file counts once. A line
//! is known if the monitor has read a file that begins with the same bytes, up to the end of this line. Only 64-bit
//! hashes are compared; they stay in memory.
//!
//! The name of a file does not matter. A known first line is no evidence of a copy if new lines follow it, because
//! files may start with equal lines; it counts again. A line that occurs twice in one file counts twice.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};
use std::ops::Range;

/// Hash chain over the bytes of one file, line by line.
#[derive(Debug, Clone)]
pub(super) struct Prefix {
    /// Hash of everything up to the end of the last complete line.
    complete: u64,
    /// Continues it over the line after that.
    line: DefaultHasher,
}

impl Default for Prefix {
    fn default() -> Self {
        Self::from_fingerprint(0)
    }
}

impl Prefix {
    /// The chain up to the end of a line, by its hash.
    pub(super) fn from_fingerprint(fingerprint: u64) -> Self {
        let mut line = DefaultHasher::new();
        line.write_u64(fingerprint);
        Self { complete: fingerprint, line }
    }

    /// Hash of everything up to the end of the last complete line.
    pub(super) fn fingerprint(&self) -> u64 {
        self.complete
    }

    /// Continues over bytes without a newline.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.line.write(bytes);
    }

    /// Continues over bytes that end with the only newline in them.
    fn end_line(&mut self, bytes: &[u8]) -> u64 {
        self.extend(bytes);
        let fingerprint = self.line.finish();
        *self = Self::from_fingerprint(fingerprint);
        fingerprint
    }
}

/// Fingerprints of all prefixes that were delivered.
#[derive(Debug, Default)]
pub(super) struct DeliveredPrefixes {
    prefixes: HashSet<u64, BuildHasherDefault<HashAsIs>>,
}

/// Hasher of values that are hashes: it takes the value as it is.
#[derive(Debug, Default)]
struct HashAsIs(u64);

impl Hasher for HashAsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        self.0 = hasher.finish();
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl FromIterator<u64> for DeliveredPrefixes {
    fn from_iter<I: IntoIterator<Item = u64>>(prefixes: I) -> Self {
        Self { prefixes: prefixes.into_iter().collect() }
    }
}

impl DeliveredPrefixes {
    /// All of them, in any order.
    pub(super) fn all(&self) -> Vec<u64> {
        self.prefixes.iter().copied().collect()
    }

    /// Ranges of `lines`, which end with a newline, that were not delivered before; they count as delivered now.
    /// `prefix` ends where the lines start. A single delivered line at the start of a file, followed by others, is no
    /// evidence of a copy: files may start with equal lines.
    pub(super) fn new_runs(&mut self, prefix: &mut Prefix, lines: &[u8], at_start: bool) -> Vec<Range<usize>> {
        let (mut runs, mut at) = (Vec::<Range<usize>>::new(), 0);
        for end in memchr::memchr_iter(b'\n', lines).map(|newline| newline + 1) {
            if self.prefixes.insert(prefix.end_line(lines.get(at..end).unwrap_or_default())) {
                match runs.last_mut() {
                    Some(run) if run.end == at => run.end = end,
                    _ => runs.push(at..end),
                }
            }
            at = end;
        }
        let first_line = memchr::memchr(b'\n', lines).map_or(0, |end| end + 1);
        if let (true, [run]) = (at_start, runs.as_mut_slice())
            && run.start == first_line
        {
            run.start = 0;
        }
        runs
    }

    /// True when the line that starts in `prefix` and ends with the newline of `bytes` was not delivered before.
    pub(super) fn is_new_line(&mut self, prefix: &mut Prefix, bytes: &[u8]) -> bool {
        self.prefixes.insert(prefix.end_line(bytes))
    }

    /// True when the unfinished line that `prefix` ends in was not delivered up to here before.
    pub(super) fn is_new_start(&mut self, prefix: &Prefix) -> bool {
        self.prefixes.insert(prefix.line.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_lines(delivered: &mut DeliveredPrefixes, lines: &str) -> String {
        delivered.new_runs(&mut Prefix::default(), lines.as_bytes(), true).into_iter().map(|run| &lines[run]).collect()
    }

    #[test]
    fn a_prefix_is_delivered_once() {
        let mut delivered = DeliveredPrefixes::default();
        assert_eq!(new_lines(&mut delivered, "a\nb\nb\n"), "a\nb\nb\n", "a line may repeat within its file");
        assert_eq!(new_lines(&mut delivered, "a\nb\n"), "");
        assert_eq!(new_lines(&mut delivered, "a\nb\nc\nb\n"), "c\nb\n");
        assert_eq!(new_lines(&mut delivered, "b\nb\n"), "b\nb\n", "other lines precede it");
        assert_eq!(new_lines(&mut delivered, "a\nd\n"), "a\nd\n", "one equal first line is no copy");
        assert_eq!(new_lines(&mut delivered, "a\n"), "");
    }

    #[test]
    fn hashing_in_parts_equals_hashing_whole() {
        let (mut whole, mut parts) = (Prefix::default(), Prefix::default());
        parts.extend(b"ab");
        parts.extend(b"");
        parts.extend(b"cde");
        assert_eq!(parts.end_line(b"fghijklmnop\n"), whole.end_line(b"abcdefghijklmnop\n"));
        assert_eq!(parts.end_line(b"x\n"), whole.end_line(b"x\n"));
    }
}
