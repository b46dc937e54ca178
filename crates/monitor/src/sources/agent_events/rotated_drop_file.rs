//! Rotation of the drop file `logs/hook-events.ndjson`, to which hooks append events that they cannot post. The monitor
//! cannot truncate the file while hooks append to it. Instead it renames the file to `hook-events.ndjson.put-away`,
//! reads it to its end and removes it.
//!
//! The file is renamed when 1 MiB of it has been read, or when it has been read to its end and nothing was written for
//! an hour. The renamed file is removed when the journal holds all its lines and nothing was written to it for a
//! minute.

use std::fs::File;
use std::io;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::drop_file::{DropFile, Dropped, next_lines, torn_line};
use super::lines::FilePosition;
use crate::fs::durable;
use crate::fs::sandbox::{Dir, FileMeta};
use crate::home::HomeDir;

/// Bytes that were taken in of a file that is worth it.
const ROTATE_ABOVE_BYTES: u64 = 1 << 20;
/// A smaller one without a write for so long is rotated as well, milliseconds: other programs may read it.
const ROTATE_AFTER_MS: i64 = 3_600_000;
/// The rotated file counts as idle after so long without a write, milliseconds. A hook opens it for one line and lives
/// for some seconds.
const QUIET_MS: i64 = 60_000;
/// After a failed rename in a folder the next try waits so long, milliseconds.
const RETRY_AFTER_MS: i64 = 60_000;

/// Result of a look.
#[derive(Debug)]
pub(super) enum RotatedFileState {
    /// There is no such file, and the journal has none.
    Nothing,
    /// The file is gone, and the journal has to record that.
    Ended,
    /// It is the drop file that was followed until now: the journal has to record that before another one is read.
    Taken(FilePosition),
    /// The next lines of it, and whether there may be more at once.
    Lines(Vec<Dropped>, bool),
    /// There was no write for long: it may be removed.
    Idle,
}

/// How an attempt to remove it ended.
#[derive(Debug)]
pub(super) enum Removed {
    /// It is removed; a write at the last moment comes with the next look.
    Yes,
    /// A hook still writes to it.
    NotYet,
    /// It holds lines that have to be taken in first.
    More(Vec<Dropped>),
}

/// The rotated file, as far as it was taken in.
///
/// The monitor can restart after any step, because the journal records the read positions. A position belongs to the
/// file whose content matches its digest. After the removal, the journal records position zero (no rotated file
/// exists); only then can the next rotation follow.
#[derive(Debug)]
pub(super) struct RotatedDropFile {
    home: HomeDir,
    /// Position up to which lines are in the journal.
    place: FilePosition,
    /// The open file, and its device and inode.
    open: Option<(File, (u64, u64))>,
    /// The folder was searched for a rotated file.
    looked: bool,
    /// Its name was removed or given to another file; it is read to its end.
    nameless: bool,
    /// State at the last look, and since when it is unchanged, in epoch milliseconds.
    unchanged: Option<(FileMeta, i64)>,
    /// Time at which rotation failed, in epoch milliseconds.
    refused_at: Option<i64>,
    pub(super) limits: Limits,
}

/// The limits of rotation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Bytes from which the drop file is rotated.
    pub(super) full: u64,
    /// Milliseconds without a write after which the rotated file is removed.
    pub(super) quiet_ms: i64,
}

impl RotatedDropFile {
    pub(super) fn new(home: HomeDir) -> Self {
        Self {
            home,
            place: FilePosition::default(),
            open: None,
            looked: false,
            nameless: false,
            unchanged: None,
            refused_at: None,
            limits: Limits { full: ROTATE_ABOVE_BYTES, quiet_ms: QUIET_MS },
        }
    }

    /// Continues from here.
    pub(super) fn continue_from(&mut self, place: FilePosition) {
        self.place = place;
    }

    /// Another writer of this home may change the file from now on.
    pub(super) fn close(&mut self) {
        self.open = None;
        self.looked = false;
        self.nameless = false;
        self.unchanged = None;
    }

    /// Looks for the file and into it. `dropped` is the drop file, of which it may be the one that was followed.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub(super) fn look(&mut self, dropped: &DropFile, now: i64) -> io::Result<RotatedFileState> {
        if !self.looked {
            self.open = match self.logs().and_then(|logs| logs.open(HomeDir::ROTATED_HOOK_EVENTS)) {
                Ok((file, seen)) => Some((file, seen.identity)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            self.looked = true;
            self.nameless = false;
            self.unchanged = None;
            if let Some((file, _)) = &self.open {
                let seen = FileMeta::from_handle(file)?;
                let ours = self.place.to > 0 && self.place.is_in(file, seen.size)?;
                if !ours {
                    // The process ended, or the record was refused, between the new name and the note of it.
                    let taken = dropped.closed_position().cloned();
                    let taken = taken.filter(|place| place.is_in(file, seen.size).unwrap_or(false));
                    if let Some(place) = taken {
                        // Looked for again until the record has it.
                        self.looked = false;
                        return Ok(RotatedFileState::Taken(place));
                    }
                    self.place = FilePosition::default();
                }
            }
        }
        let Some((file, _)) = &self.open else {
            return Ok(if self.place.to > 0 { RotatedFileState::Ended } else { RotatedFileState::Nothing });
        };
        let seen = FileMeta::from_handle(file)?;
        if !self.place.is_in(file, seen.size)? {
            self.place = FilePosition::default();
        }
        let (lines, stopped) = next_lines(file, self.place.to)?;
        if !lines.is_empty() {
            return Ok(RotatedFileState::Lines(lines, stopped.more));
        }
        if self.nameless {
            // A process that still has it open is not one of our hooks: those check that their file has its name.
            let torn = torn_line(file, self.place.to)?;
            if let Some(line) = torn {
                return Ok(RotatedFileState::Lines(vec![line], false));
            }
            self.close();
            return Ok(RotatedFileState::Ended);
        }
        let since = match self.unchanged {
            // A clock that was set back must not make it wait for long.
            Some((before, since)) if before == seen => since.min(now),
            _ => now,
        };
        self.unchanged = Some((seen, since));
        Ok(if now - since >= self.limits.quiet_ms {
            RotatedFileState::Idle
        } else {
            RotatedFileState::Lines(Vec::new(), false)
        })
    }

    /// Removes the file if everything in it is taken in, while no hook writes to it. Its name must still lead to this
    /// file.
    ///
    /// # Errors
    /// The error of the disk.
    pub(super) fn remove(&mut self) -> io::Result<Removed> {
        let Some((file, identity)) = &self.open else { return Ok(Removed::NotYet) };
        // On a file system without locks hooks check afterwards whether their line went into a removed file.
        let locked = rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive);
        if let Err(Errno::WOULDBLOCK | Errno::INTR) = locked {
            return Ok(Removed::NotYet);
        }
        let done = remove(&self.home, file, *identity, self.place.to);
        match &done {
            Ok(Removed::Yes) => self.nameless = true,
            _ => {
                let given_back = rustix::fs::flock(file, FlockOperation::Unlock);
                if done.is_err() || given_back.is_err() {
                    // Not at once again.
                    self.unchanged = None;
                }
            }
        }
        done
    }

    /// Renames the drop file if that is due. Its unread lines are read under the new name. True when there may be such
    /// a file now.
    ///
    /// # Errors
    /// When the folder may not be written.
    pub(super) fn rotate(&mut self, dropped: &mut DropFile, now: i64) -> io::Result<bool> {
        let none = self.looked && self.open.is_none() && self.place.to == 0;
        let waits = self.refused_at.is_some_and(|at| (0..RETRY_AFTER_MS).contains(&(now - at)));
        if !none || waits {
            return Ok(false);
        }
        let Some(identity) = dropped.rotatable_identity(self.limits.full, (now - ROTATE_AFTER_MS) / 1000) else {
            return Ok(false);
        };
        let logs = self.logs()?;
        match durable::with_failpoint(|| logs.rename(HomeDir::HOOK_EVENTS, HomeDir::ROTATED_HOOK_EVENTS)) {
            Ok(()) => {}
            // Another process renamed or removed one of the two names first.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.close();
                return Ok(true);
            }
            Err(error) => {
                self.refused_at = Some(now);
                return Err(error);
            }
        }
        // The followed file continues as the rotated one. Another one may have taken its place at the last moment:
        // then the followed one is read to its end, and the other from its beginning.
        if logs.metadata(HomeDir::ROTATED_HOOK_EVENTS).is_ok_and(|seen| seen.identity == identity) {
            dropped.close();
        }
        self.close();
        Ok(true)
    }

    fn logs(&self) -> io::Result<Dir> {
        self.home.open().and_then(|home| home.folder("logs"))
    }
}

fn remove(home: &HomeDir, file: &File, identity: (u64, u64), taken_to: u64) -> io::Result<Removed> {
    let (mut lines, _) = next_lines(file, taken_to)?;
    if lines.is_empty() {
        // A line that was begun and not ended in all that time.
        lines.extend(torn_line(file, taken_to)?);
    }
    if !lines.is_empty() {
        return Ok(Removed::More(lines));
    }
    let logs = home.open()?.folder("logs")?;
    match logs.metadata(HomeDir::ROTATED_HOOK_EVENTS) {
        Ok(seen) if seen.identity == identity => {}
        // It was moved or removed by others; the file of its name is read from its beginning.
        Ok(_) => return Ok(Removed::Yes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Removed::Yes),
        Err(error) => return Err(error),
    }
    // The record's own name must be as durable as its lines are before it is the only one that holds them.
    durable::with_failpoint(|| logs.sync())?;
    durable::with_failpoint(|| logs.remove(HomeDir::ROTATED_HOOK_EVENTS))?;
    Ok(Removed::Yes)
}
