//! Append-only record in the logs folder of a home: one JSON value a line, each on the disk before the append returns.
//! The file is opened for each line, locked against other monitors, and never held open.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::HomeDir;

/// Read back after a restart: the newest lines.
const MAX_READ_BACK_BYTES: u64 = 16 << 20;

/// A record whose lines are `T`.
#[derive(Debug)]
pub(crate) struct RecordFile<T> {
    home: HomeDir,
    /// Name below the logs folder.
    name: &'static str,
    of: PhantomData<fn(T)>,
}

impl<T: Serialize + DeserializeOwned> RecordFile<T> {
    /// The record of this name.
    pub(crate) fn new(home: HomeDir, name: &'static str) -> Self {
        Self { home, name, of: PhantomData }
    }

    /// Appends a line and waits until it is on the disk. A partial write is taken back.
    pub(crate) fn append(&self, line: &T) -> io::Result<()> {
        let folder = self.home.open()?.made_folder("logs")?;
        let mut file = folder.append(self.name)?;
        // Another monitor of this home may be writing too.
        file.lock()?;
        let before = file.metadata()?.len();
        let mut bytes = if is_torn(&mut file, before)? { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut bytes, line)?;
        bytes.push(b'\n');
        let written = file.write_all(&bytes).and_then(|()| file.sync_all());
        if let Err(error) = written {
            if let Err(error) = file.set_len(before).and_then(|()| file.sync_all()) {
                tracing::error!(file = self.name, %error, "an incomplete line stays in the record");
            }
            return Err(error);
        }
        if before == 0 { folder.sync() } else { Ok(()) }
    }

    /// The newest lines, oldest first; invalid lines are skipped. A missing record has no lines.
    pub(crate) fn read(&self) -> io::Result<Vec<T>> {
        let none = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let opened = self.home.open().and_then(|home| home.folder("logs")?.open(self.name));
        let (mut file, seen) = match opened {
            Ok(opened) => opened,
            Err(error) if none(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let begin = seen.size.saturating_sub(MAX_READ_BACK_BYTES);
        file.seek(SeekFrom::Start(begin))?;
        let mut bytes = Vec::new();
        file.take(MAX_READ_BACK_BYTES).read_to_end(&mut bytes)?;
        // It may begin within a line.
        let whole = bytes.split(|byte| *byte == b'\n').skip(usize::from(begin > 0));
        Ok(whole.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

/// The last line has no end: the next must not be glued to it.
fn is_torn(file: &mut File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(false) };
    file.seek(SeekFrom::Start(last))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte != *b"\n")
}
