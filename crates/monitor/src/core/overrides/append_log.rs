//! Append-only file of JSON lines, and the state that its replay gives. The audit log of categories and the file of
//! shared records are such files.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file::is_absent;
use crate::fs::durable::{self, FileIdentity};
use crate::fs::sandbox::{FileMeta, OpenDenied};

/// About a million lines. A larger file is no log of ours, and would be read whole with every query.
const MAX_BYTES: u64 = 256 << 20;
/// A line of the audit log names a session by its key in the override file, which holds at most 16 MiB.
pub(in crate::core) const MAX_LINE: u64 = 64 << 20;

/// State that lines give, one after the other.
pub(in crate::core) trait Replay: Default {
    /// One line of the file.
    type Line: Serialize + DeserializeOwned;

    /// Applies the next line.
    fn apply(&mut self, line: Self::Line);
}

/// The file and its content. Only the holder of the writer's lock appends. No file stays open for it: a disk with a
/// file open for writing cannot be made read-only.
#[derive(Debug)]
pub(in crate::core) struct AppendLog<R> {
    path: PathBuf,
    /// Device and inode, to notice that the file was replaced.
    identity: FileIdentity,
    content: LogContent<R>,
}

/// Content of a file.
#[derive(Debug, Default)]
pub(in crate::core) struct LogContent<R> {
    /// What its lines give.
    pub(in crate::core) state: R,
    /// Lines that cannot be read: torn ones, mostly.
    pub(in crate::core) bad: u64,
    /// Number of bytes read.
    pub(in crate::core) length: u64,
    /// True when the last line has no end: the next must not be glued to it.
    torn: bool,
}

/// Where a file ended before an append.
#[derive(Debug)]
pub(in crate::core) struct LengthBeforeAppend(u64);

impl<R: Replay> AppendLog<R> {
    /// Reads the file that is there, or begins one.
    pub(in crate::core) fn open(path: &Path) -> io::Result<Self> {
        let options = OpenOptions::new().create(true).append(true).read(true).mode(0o600).clone();
        Self::from_file(path, &durable::open(&options, path)?)
    }

    /// Reads the file if there is one.
    pub(in crate::core) fn open_existing(path: &Path) -> io::Result<Option<Self>> {
        match durable::open(OpenOptions::new().read(true), path) {
            Ok(file) => Self::from_file(path, &file).map(Some),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn from_file(path: &Path, file: &File) -> io::Result<Self> {
        let identity = durable::identity(file)?;
        Ok(Self { path: path.to_owned(), identity, content: replayed(file)? })
    }

    /// True when this is the file at the path now, and only we have written to it.
    pub(in crate::core) fn is_current(&self) -> bool {
        durable::entry_at(&self.path)
            .is_ok_and(|(identity, length)| (identity, length) == (self.identity, self.content.length))
    }

    pub(in crate::core) fn content(&self) -> &LogContent<R> {
        &self.content
    }

    /// Appends lines and waits until they are on the disk. A partial write is taken back; after an error this log must
    /// be opened again.
    pub(in crate::core) fn append(&mut self, lines: Vec<R::Line>) -> io::Result<LengthBeforeAppend> {
        let before = LengthBeforeAppend(self.content.length);
        let mut bytes = Vec::new();
        if self.content.torn {
            bytes.push(b'\n');
        }
        for line in &lines {
            serde_json::to_writer(&mut bytes, line)?;
            bytes.push(b'\n');
        }
        if self.content.length + bytes.len() as u64 > MAX_BYTES {
            return Err(OpenDenied::TooLarge.into());
        }
        let file = durable::open(OpenOptions::new().append(true), &self.path)?;
        if (durable::identity(&file)?, durable::length(&file)?) != (self.identity, self.content.length) {
            return Err(io::Error::other("another program wrote the file meanwhile"));
        }
        if let Err(error) = durable::write(&file, self.content.length, &bytes) {
            // A longer file holds lines of another program: they are not cut off.
            let own = self.content.length..=self.content.length + bytes.len() as u64;
            if durable::length(&file).is_ok_and(|length| own.contains(&length)) {
                self.take_back(&before);
            }
            return Err(error);
        }
        self.content.torn = false;
        self.content.length += bytes.len() as u64;
        lines.into_iter().for_each(|line| self.content.state.apply(line));
        Ok(before)
    }

    /// Removes lines whose change was not made and so was never acknowledged; this log must be opened again. If it
    /// fails, the next writer that opens the log notes the real content of the file.
    pub(in crate::core) fn take_back(&self, appended: &LengthBeforeAppend) {
        let truncated = durable::open(OpenOptions::new().append(true), &self.path)
            .and_then(|file| durable::truncate(&file, appended.0));
        if let Err(error) = truncated {
            tracing::error!(path = %self.path.display(), %error, "a change that was not made stays in the file for now");
        }
    }
}

/// The content of a file at `path`; that of a missing one is empty.
pub(in crate::core) fn read<R: Replay>(path: &Path) -> io::Result<LogContent<R>> {
    AppendLog::open_existing(path).map(|log| log.map(|log| log.content).unwrap_or_default())
}

fn replayed<R: Replay>(file: &File) -> io::Result<LogContent<R>> {
    let mut state = R::default();
    let content = scan(file, |line| state.apply(line))?;
    Ok(LogContent { state, bad: content.bad, length: content.length, torn: content.torn })
}

/// Calls `each` for every line of a file at `path`, oldest first; a missing one has no lines.
pub(in crate::core) fn each<L: DeserializeOwned>(path: &Path, each: impl FnMut(L)) -> io::Result<LogContent<()>> {
    match durable::open(OpenOptions::new().read(true), path) {
        Ok(file) => scan(&file, each),
        Err(error) if is_absent(&error) => Ok(LogContent::default()),
        Err(error) => Err(error),
    }
}

fn scan<L: DeserializeOwned>(file: &File, mut each: impl FnMut(L)) -> io::Result<LogContent<()>> {
    if FileMeta::from_handle(file)?.size > MAX_BYTES {
        return Err(OpenDenied::TooLarge.into());
    }
    let mut content = LogContent::default();
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    // Within a line that is too long to be one.
    let mut over = false;
    loop {
        line.clear();
        let read = durable::with_failpoint(|| lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line))?;
        if read == 0 {
            content.bad += u64::from(over);
            return Ok(content);
        }
        content.length += read as u64;
        content.torn = !line.ends_with(b"\n");
        let part = content.torn && read as u64 == MAX_LINE;
        if over || part {
            content.bad += u64::from(!part);
            over = part;
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(read) => each(read),
            // A torn line is tolerated: its change was never acknowledged.
            Err(_) => content.bad += u64::from(!line.trim_ascii().is_empty()),
        }
    }
}
