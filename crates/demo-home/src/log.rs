//! Writer of the coordination log of a generated OpenClaw home (state folder). It rotates like OpenClaw's gateway: a
//! new file every month or after ten mebibytes (`contract/events.md` §1.2). Months are UTC, so that a seed gives the
//! same home everywhere.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use coordination::time::to_iso;

use super::RehearseError;

/// The gateway rotates before the append that follows this size.
const ROTATE_ABOVE: u64 = 10_485_760;
const LIVE: &str = "coordination-events.ndjson";

/// The live log and how far it is filled.
#[derive(Debug)]
pub(super) struct LogWriter {
    folder: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
    bytes: u64,
    month: Option<String>,
}

impl LogWriter {
    /// Continues the live log of a home, or begins one.
    pub(super) fn open(home: &Path) -> Result<Self, RehearseError> {
        let folder = home.join("logs");
        fs::create_dir_all(&folder).map_err(RehearseError::write(&folder))?;
        let bytes = fs::metadata(folder.join(LIVE)).map_or(0, |meta| meta.len());
        Ok(Self { folder, file: None, buffer: Vec::new(), bytes, month: None })
    }

    /// Appends one line; it reaches the file at the next [`LogWriter::flush`] at the latest.
    pub(super) fn append(&mut self, at: i64, line: &str) -> Result<(), RehearseError> {
        let month = to_iso(at).get(..7).unwrap_or_default().to_owned();
        let ended = self.month.as_ref().filter(|before| **before != month && self.bytes > 0).cloned();
        if let Some(ended) = ended {
            self.rotate(&ended)?;
        } else if self.bytes > ROTATE_ABOVE {
            self.rotate(&to_iso(at).replace([':', '.'], "-"))?;
        }
        self.month = Some(month);
        self.buffer.extend_from_slice(line.as_bytes());
        self.buffer.push(b'\n');
        self.bytes += line.len() as u64 + 1;
        if self.buffer.len() > 1 << 20 { self.flush() } else { Ok(()) }
    }

    /// Writes the buffered lines, whole lines only.
    pub(super) fn flush(&mut self) -> Result<(), RehearseError> {
        let path = self.folder.join(LIVE);
        let mut file = match self.file.take() {
            Some(file) => file,
            None => OpenOptions::new().create(true).append(true).open(&path).map_err(RehearseError::write(&path))?,
        };
        file.write_all(&self.buffer).map_err(RehearseError::write(&path))?;
        self.buffer.clear();
        self.file = Some(file);
        Ok(())
    }

    fn rotate(&mut self, suffix: &str) -> Result<(), RehearseError> {
        self.flush()?;
        self.file = None;
        self.bytes = 0;
        let archive = self.folder.join(format!("coordination-events-{suffix}.ndjson"));
        fs::rename(self.folder.join(LIVE), &archive).map_err(RehearseError::write(&archive))
    }
}
