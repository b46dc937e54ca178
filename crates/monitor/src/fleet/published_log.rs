//! Type `PublishedLog`: a file that lines are appended to, as its publisher reads it. It is read by open handle, so
//! reading a renamed file continues where it was.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use coordination::digest::sha256_hex;

use super::batch::{BatchPlace, FIRST_LINK, LogBatch, MAX_BATCH_BYTES, link};
use super::log_digest::LogDigest;
use super::text::published_lines;
use crate::config::FleetText;
use crate::fs::sandbox::FileMeta;

/// Bytes of the first line that tell one log from another.
const START_BYTES: usize = 4096;
/// Letters of a generation.
const GENERATION_LETTERS: usize = 16;
/// A line that is reduced is read whole; of a longer one nothing travels.
const MAX_REDUCED_LINE_BYTES: usize = 8 << 20;

/// A log and how far it is published.
#[derive(Debug)]
pub(super) struct PublishedLog {
    file: File,
    /// Device and inode.
    pub(super) identity: (u64, u64),
    /// First bytes of the file, at most [`START_BYTES`] of its first line.
    start: Vec<u8>,
    /// Name of this content among the logs of its source; chosen when it is first published.
    pub(super) generation: String,
    /// Where reading continues.
    pub(super) source_at: u64,
    /// Bytes that are published.
    pub(super) at: u64,
    digest: LogDigest,
    /// Link of the chain after the last batch.
    link: String,
    /// Sequence of the last message of its subject; 0 before the first one.
    pub(super) sequence: u64,
}

/// A batch and the state that holds once it is stored.
pub(super) struct NextBatch {
    pub(super) batch: LogBatch,
    digest: LogDigest,
}

impl PublishedLog {
    /// A file with a whole first line, of which nothing is published yet; `None` before its first line is whole.
    pub(super) fn open(file: File) -> io::Result<Option<Self>> {
        let identity = FileMeta::from_handle(&file)?.identity;
        let Some(start) = first_line(&file)? else { return Ok(None) };
        let generation = base_generation(&start);
        Ok(Some(Self {
            file,
            identity,
            start,
            generation,
            source_at: 0,
            at: 0,
            digest: LogDigest::default(),
            link: FIRST_LINK.to_owned(),
            sequence: 0,
        }))
    }

    /// Continues where a message says that publishing stood. False when the file does not begin with what was published.
    pub(super) fn resume(&mut self, place: &BatchPlace, sequence: u64, text: FleetText) -> io::Result<bool> {
        let (mut digest, mut read, mut published) = (LogDigest::default(), 0_u64, 0_u64);
        while read < place.source_to {
            let left = place.source_to - read;
            let Some((consumed, bytes)) = self.piece(read, Some(left), text)? else { return Ok(false) };
            digest.update(&bytes);
            read += consumed;
            published += bytes.len() as u64;
        }
        if read != place.source_to || published != place.to || digest.hex() != place.content {
            return Ok(false);
        }
        (self.source_at, self.at, self.digest, self.sequence) = (read, published, digest, sequence);
        self.link.clone_from(&place.after);
        Ok(true)
    }

    /// Length of the file.
    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Bytes of the file that are not published yet; 0 when they are the beginning of a line.
    pub(super) fn unpublished(&self) -> u64 {
        let bytes = self.length().unwrap_or(self.source_at).saturating_sub(self.source_at);
        let has_line = bytes > 0 && !matches!(self.piece(self.source_at, None, FleetText::Full), Ok(None));
        if has_line { bytes } else { 0 }
    }

    /// Whether `other` begins like this log, is shorter, and may only be published up to where this one is.
    pub(super) fn goes_before(&self, other: &Self) -> bool {
        let base = |log: &Self| log.generation.split('-').next().map(str::to_owned);
        let has_new = |log: &Self| log.length().is_ok_and(|length| length > log.source_at);
        self.identity != other.identity
            && has_new(other)
            && base(self) == base(other)
            && self.source_at < other.source_at + 2 * MAX_BATCH_BYTES as u64
            && self.length().unwrap_or_default() > other.length().unwrap_or_default()
            && self.unpublished() > 0
    }

    /// Whether the file still begins as it did and is not shorter than what is published.
    pub(super) fn is_same(&self) -> io::Result<bool> {
        let mut start = vec![0; self.start.len()];
        let read = read_at(&self.file, 0, &mut start)?;
        Ok(read == self.start.len() && start == self.start && self.length()? >= self.source_at)
    }

    /// The next batch of whole lines; `None` before the next line is whole. A line that is longer than a batch travels in parts.
    pub(super) fn next(&self, path: &str, publisher: &str, text: FleetText) -> io::Result<Option<NextBatch>> {
        let Some((consumed, bytes)) = self.piece(self.source_at, None, text)? else { return Ok(None) };
        let mut digest = self.digest.clone();
        digest.update(&bytes);
        let place = BatchPlace {
            path: path.to_owned(),
            from: self.at,
            to: self.at + bytes.len() as u64,
            source_to: self.source_at + consumed,
            before: self.link.clone(),
            after: link(&self.link, &bytes),
            content: digest.hex(),
            publisher: publisher.to_owned(),
        };
        Ok(Some(NextBatch { batch: LogBatch { place, bytes }, digest }))
    }

    /// Notes that a batch is stored.
    pub(super) fn stored(&mut self, next: NextBatch, sequence: u64) {
        let place = next.batch.place;
        (self.source_at, self.at, self.digest, self.sequence) = (place.source_to, place.to, next.digest, sequence);
        self.link = place.after;
    }

    /// Bytes of the file that are read from `at`, at most `left`, and what is published of them. Reading a file again gives the
    /// same pieces as long as it only grows: a piece ends at the last line break within its size.
    fn piece(&self, at: u64, left: Option<u64>, text: FleetText) -> io::Result<Option<(u64, Vec<u8>)>> {
        let mut size = MAX_BATCH_BYTES;
        loop {
            let there = match left {
                Some(left) => left,
                None => self.length()?.saturating_sub(at),
            };
            let wanted = usize::try_from(there).map_or(size, |there| size.min(there));
            let mut bytes = vec![0; wanted];
            let read = read_at(&self.file, at, &mut bytes)?;
            bytes.truncate(read);
            let is_full = read == size;
            let mut breaks = (0..read).filter(|at| bytes[*at] == b'\n');
            // Behind a line that is longer than a batch no other one has room.
            let end = if size > MAX_BATCH_BYTES { breaks.next() } else { breaks.next_back() };
            match end {
                Some(end) => bytes.truncate(end + 1),
                None if !is_full && left.is_none() => return Ok(None),
                None if read == 0 => return Ok(None),
                None if text == FleetText::Full => {}
                None if size < MAX_REDUCED_LINE_BYTES => {
                    size *= 2;
                    continue;
                }
                // Part of a line that is too long to be reduced: a blank line takes its place.
                None => return Ok(Some((read as u64, b"\n".to_vec()))),
            }
            let consumed = bytes.len() as u64;
            return Ok(Some((consumed, published_lines(&bytes, text).into_owned())));
        }
    }
}

/// The first line without more than [`START_BYTES`] of it; `None` before it is whole.
fn first_line(file: &File) -> io::Result<Option<Vec<u8>>> {
    let mut start = vec![0; START_BYTES];
    let read = read_at(file, 0, &mut start)?;
    start.truncate(read);
    match start.iter().position(|byte| *byte == b'\n') {
        Some(end) => start.truncate(end + 1),
        None if read < START_BYTES => return Ok(None),
        None => {}
    }
    Ok(Some(start))
}

/// Name of a log by its first line.
fn base_generation(start: &[u8]) -> String {
    let mut name = sha256_hex(start);
    name.truncate(GENERATION_LETTERS);
    name
}

/// Fills the buffer as far as the file goes.
fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read_at(&mut buffer[read..], at + read as u64) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::Path;

    use super::*;

    fn open(path: &Path) -> PublishedLog {
        PublishedLog::open(File::open(path).expect("file")).expect("read").expect("a whole line")
    }

    fn append(path: &Path, bytes: &[u8]) {
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .expect("file")
            .write_all(bytes)
            .expect("written");
    }

    /// All batches that there are, each stored at once.
    fn batches(log: &mut PublishedLog, text: FleetText) -> Vec<LogBatch> {
        let mut all = Vec::new();
        while let Some(next) = log.next("logs/x.ndjson", "p", text).expect("read") {
            all.push(next.batch.clone());
            let sequence = log.sequence + 1;
            log.stored(next, sequence);
        }
        all
    }

    fn joined(batches: &[LogBatch]) -> Vec<u8> {
        batches.iter().flat_map(|batch| batch.bytes.clone()).collect()
    }

    #[test]
    fn batches_are_the_whole_lines_of_the_file() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("log");
        append(&path, b"{\"n\":0}");
        assert!(PublishedLog::open(File::open(&path).expect("file")).expect("read").is_none(), "no whole line");
        append(&path, b"\n{\"n\":1}\n{\"n\"");
        let mut log = open(&path);
        let first = batches(&mut log, FleetText::Full);
        assert_eq!(joined(&first), b"{\"n\":0}\n{\"n\":1}\n");
        append(&path, b":2}\n");
        let second = batches(&mut log, FleetText::Full);
        assert_eq!(joined(&second), b"{\"n\":2}\n");
        assert_eq!((second[0].place.from, second[0].place.to), (16, 24));
        assert_eq!(second[0].place.before, first[0].place.after);
    }

    #[test]
    fn long_lines_travel_in_parts() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("log");
        let mut line = vec![b'x'; 2 * MAX_BATCH_BYTES + 10];
        line.push(b'\n');
        append(&path, &line);
        append(&path, b"{}\n");
        let mut log = open(&path);
        let all = batches(&mut log, FleetText::Full);
        assert_eq!(all.len(), 3);
        assert_eq!(joined(&all), std::fs::read(&path).expect("file"));
    }

    #[test]
    fn long_reduced_line_travels_alone_and_half_a_line_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("log");
        let long = format!("{{\"message\":\"{}\"}}\n", "긴 말 ".repeat(MAX_BATCH_BYTES / 3));
        append(&path, long.as_bytes());
        for number in 0..40_000 {
            append(&path, format!("{{\"number\":{number}}}\n").as_bytes());
        }
        append(&path, b"{\"half");
        let mut log = open(&path);
        assert!(log.unpublished() > 0);
        let all = batches(&mut log, FleetText::Summary);
        assert_eq!(all[0].bytes.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert!(all.iter().all(|batch| batch.bytes.len() <= MAX_BATCH_BYTES), "as mirrors take them");
        assert_eq!(joined(&all).iter().filter(|byte| **byte == b'\n').count(), 40_001);
        assert_eq!(log.unpublished(), 0);
    }

    #[test]
    fn original_goes_before_its_copy() {
        let folder = tempfile::tempdir().expect("folder");
        let (path, copy) = (folder.path().join("log"), folder.path().join("copy"));
        append(&path, b"{\"n\":0}\n{\"n\":1}\n");
        std::fs::copy(&path, &copy).expect("copied");
        append(&path, b"{\"n\":2}\n");
        let (mut original, mut copy) = (open(&path), open(&copy));
        copy.generation.push_str("-1");
        assert!(original.goes_before(&copy) && !copy.goes_before(&original));
        batches(&mut original, FleetText::Full);
        assert!(!original.goes_before(&copy), "all of it is published");
        append(&path, b"{\"n\"");
        assert!(!original.goes_before(&copy), "half a line is not waited for");
        append(&path, b":3}\n");
        assert!(original.goes_before(&copy));
        batches(&mut copy, FleetText::Full);
        assert!(!original.goes_before(&copy), "nothing of the copy waits");
        let other = folder.path().join("other");
        append(&other, b"{\"other\":0}\n");
        assert!(!original.goes_before(&open(&other)), "it begins in another way");
    }

    #[test]
    fn publishing_resumes_after_any_batch_and_only_over_the_same_bytes() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("log");
        for number in 0..9_000 {
            append(&path, format!("{{\"number\":{number},\"message\":\"한 줄에 있는 말 여러 마디\"}}\n").as_bytes());
        }
        for text in [FleetText::Full, FleetText::Summary, FleetText::None] {
            let mut log = open(&path);
            let all = batches(&mut log, text);
            assert!(all.len() > 2);
            for (number, batch) in all.iter().enumerate() {
                let mut resumed = open(&path);
                assert!(resumed.resume(&batch.place, 7, text).expect("read"), "{text:?} after {number}");
                assert_eq!((resumed.at, resumed.sequence), (batch.place.to, 7));
                assert_eq!(joined(&batches(&mut resumed, text)), joined(&all[number + 1..]));
                let other = BatchPlace { content: batch.place.before.clone(), ..batch.place.clone() };
                assert!(!open(&path).resume(&other, 7, text).expect("read"), "another content");
            }
        }
        let beyond = BatchPlace { source_to: 1 << 30, ..batches(&mut open(&path), FleetText::Full)[0].place.clone() };
        assert!(!open(&path).resume(&beyond, 7, FleetText::Full).expect("read"), "a longer file");
    }

    #[test]
    fn rewritten_and_truncated_files_are_other_logs() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("log");
        append(&path, b"{\"n\":0}\n{\"n\":1}\n");
        let mut log = open(&path);
        batches(&mut log, FleetText::Full);
        assert!(log.is_same().expect("read"));
        std::fs::write(&path, b"{\"n\":0}\n").expect("written");
        assert!(!log.is_same().expect("read"), "shorter");
        std::fs::write(&path, b"{\"m\":0}\n{\"m\":1}\n{\"m\":2}\n").expect("written");
        assert!(!log.is_same().expect("read"), "another first line");
    }
}
