//! One log file: where it was read to, and proof that it is still the same file.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use coordination::api::BadLine;
use coordination::event::{Lines, MAX_LINE_BYTES, parse_lines, read_lines, sample};
use sha2::{Digest as _, Sha256};

use super::Chunk;

/// First read size; doubled up to a whole line of the longest allowed size.
const CHUNK_BYTES: usize = 1024 * 1024;
/// Bytes remembered from the start of the file and from just before the read position.
const PROOF_BYTES: usize = 256;

/// Device and inode.
pub(super) type Identity = (u64, u64);

/// What a directory listing says about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) identity: Identity,
    pub(super) size: u64,
    pub(super) modified: (i64, i64),
}

impl Stamp {
    pub(super) fn of(meta: &std::fs::Metadata) -> Self {
        Self { identity: (meta.dev(), meta.ino()), size: meta.size(), modified: (meta.mtime(), meta.mtime_nsec()) }
    }
}

/// A file being followed.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    /// False while no directory entry leads to it.
    pub(super) present: bool,
    /// Looks since anything happened to it.
    pub(super) idle_looks: u32,
    /// Kept open while the writer may still append to it under another name.
    handle: Option<File>,
    /// Names it in event ids; known once its first line is complete.
    pub(super) token: Option<String>,
    /// Just after the last complete line read.
    pub(super) read_to: u64,
    /// Inside a line that is too long, up to its end.
    skipping: bool,
    /// First bytes read, at most [`PROOF_BYTES`].
    head: Vec<u8>,
    /// Last bytes read, at most [`PROOF_BYTES`].
    foot: Vec<u8>,
    /// Stamp at the last complete read: nothing to do while it stays.
    settled: Option<Stamp>,
}

impl LogFile {
    pub(super) fn new(path: PathBuf, stamp: Stamp) -> Self {
        Self {
            path,
            stamp,
            present: true,
            idle_looks: 0,
            handle: None,
            token: None,
            read_to: 0,
            skipping: false,
            head: Vec::new(),
            foot: Vec::new(),
            settled: None,
        }
    }

    pub(super) fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Bytes after the read position.
    pub(super) fn behind(&self) -> u64 {
        self.stamp.size.saturating_sub(self.read_to)
    }

    /// Opens it and makes sure that the name still leads to the file that was listed.
    pub(super) fn open(&mut self, keep: bool) -> io::Result<File> {
        if let Some(handle) = &self.handle {
            return handle.try_clone();
        }
        let file = File::open(&self.path)?;
        if Stamp::of(&file.metadata()?).identity != self.stamp.identity {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "replaced while it was opened"));
        }
        if keep {
            self.handle = Some(file.try_clone()?);
        }
        Ok(file)
    }

    pub(super) fn let_go(&mut self) {
        self.handle = None;
    }

    pub(super) fn is_held(&self) -> bool {
        self.handle.is_some()
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled == Some(self.stamp)
    }

    /// True when `file` starts and continues as this one did, up to the read position. A file without a complete
    /// line proves nothing and nothing is lost by reading it again.
    pub(super) fn matches(&self, file: &File) -> bool {
        let foot_at = self.read_to - self.foot.len() as u64;
        holds(file, 0, &self.head) && holds(file, foot_at, &self.foot)
    }

    /// The bytes under the name are others than those read: everything starts over, with a new token.
    pub(super) fn start_over(&mut self) {
        self.token = None;
        self.read_to = 0;
        self.skipping = false;
        self.head.clear();
        self.foot.clear();
        self.settled = None;
    }

    /// Reads every complete line there is. `token` names the file from its first line.
    pub(super) fn read(
        &mut self,
        file: &File,
        buffer: &mut Vec<u8>,
        token: &mut dyn FnMut(&str) -> String,
        sink: &mut dyn FnMut(Chunk),
    ) -> io::Result<()> {
        let mut want = CHUNK_BYTES;
        loop {
            let stamp = Stamp::of(&file.metadata()?);
            let filled = fill(file, self.read_to, want, buffer)?;
            let bytes = &buffer[..filled];
            let ended = filled < want;
            if self.skipping {
                let skipped = bytes.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
                self.skipping = skipped.is_none();
                self.advance(&buffer[..skipped.unwrap_or(filled)]);
                if skipped.is_some() {
                    // What follows the long line in this piece is read again, as lines.
                    continue;
                }
            } else if let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
                let lines = &bytes[..=end];
                let name = self.token.get_or_insert_with(|| token(&first_line_hash(lines)));
                let token = name.clone();
                let Lines { events, errors, quirks } = read_lines(lines, name, self.read_to);
                let bad =
                    errors.into_iter().map(|error| self.bad_line(error.offset, &error.reason, error.sample)).collect();
                self.advance(&buffer[..=end]);
                sink(Chunk { token, name: self.name(), events, bad, quirks });
            } else if filled > MAX_LINE_BYTES {
                let sample = sample(&String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]));
                let bad = vec![self.bad_line(self.read_to, "tooLong", sample)];
                if self.token.is_none() {
                    self.token = Some(token(&first_line_hash(bytes)));
                }
                self.skipping = true;
                self.advance(&buffer[..filled]);
                let token = self.token.clone().unwrap_or_default();
                sink(Chunk { token, name: self.name(), events: Vec::new(), bad, quirks: Vec::new() });
            } else if !ended {
                want = (want * 2).min(MAX_LINE_BYTES + 1);
                continue;
            }
            if ended {
                self.stamp = stamp;
                self.settled = Some(stamp);
                return Ok(());
            }
            want = CHUNK_BYTES;
        }
    }

    fn bad_line(&self, offset: u64, reason: &str, sample: String) -> BadLine {
        BadLine { file: self.name(), offset, reason: reason.to_owned(), sample }
    }

    fn advance(&mut self, bytes: &[u8]) {
        let missing = PROOF_BYTES.saturating_sub(self.head.len());
        if self.read_to == self.head.len() as u64 {
            self.head.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        }
        if bytes.len() >= PROOF_BYTES {
            self.foot.clear();
        }
        self.foot.extend_from_slice(&bytes[bytes.len().saturating_sub(PROOF_BYTES)..]);
        let excess = self.foot.len().saturating_sub(PROOF_BYTES);
        self.foot.drain(..excess);
        self.read_to += bytes.len() as u64;
    }
}

/// Time of the first event that has one, to order files by content: names do not sort (`contract/events.md` §1.2).
pub(super) fn first_event_time(path: &Path) -> Option<i64> {
    let file = File::open(path).ok()?;
    let mut buffer = Vec::new();
    let filled = fill(&file, 0, 64 * 1024, &mut buffer).ok()?;
    let end = buffer[..filled].iter().rposition(|byte| *byte == b'\n')?;
    let (events, _) = parse_lines(&buffer[..=end], "", 0);
    events.iter().map(|event| event.at).find(|at| *at > 0)
}

fn first_line_hash(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()).min(4096);
    let digest = Sha256::digest(&bytes[..end]);
    digest.iter().take(5).map(|byte| format!("{byte:02x}")).collect()
}

fn holds(file: &File, at: u64, expected: &[u8]) -> bool {
    let mut found = vec![0; expected.len()];
    file.read_exact_at(&mut found, at).is_ok() && found == expected
}

/// Reads up to `want` bytes at `at`; fewer only at the end of the file.
fn fill(file: &File, at: u64, want: usize, buffer: &mut Vec<u8>) -> io::Result<usize> {
    if buffer.len() < want {
        buffer.resize(want, 0);
    }
    let mut filled = 0;
    while filled < want {
        match file.read_at(&mut buffer[filled..want], at + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
