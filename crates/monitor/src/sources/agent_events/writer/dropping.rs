//! Reader of the drop file `logs/hook-events.ndjson`, to which hooks append events that they cannot post to the
//! monitor. The thread that writes the journal runs it, and adds the events to the journal like posted ones. With
//! `rotated_drop_file.rs` it also rotates the drop file: it renames the file, reads it to its end and removes it.

use std::io;

use coordination::schema::read_item_with;

use super::{DropPositions, FilePosition, JournalWriter, SubmittedItem, arrival, defaults};
use crate::sources::agent_events::drop_file::Dropped;
use crate::sources::agent_events::rotated_drop_file::{Removed, RotatedFileState};
use crate::sources::agent_events::{IngestRoute, body};

/// Which of the two files a place is in.
type Where = fn(FilePosition) -> DropPositions;

fn drop_positions(place: FilePosition) -> DropPositions {
    DropPositions { drop: Some(place), rotated: None }
}

fn rotated_positions(place: FilePosition) -> DropPositions {
    DropPositions { drop: None, rotated: Some(place) }
}

impl JournalWriter {
    /// Takes in the next lines of the rotated drop file, and removes it when it is due. True when there may be more;
    /// `None` when the drop file must not be read before the journal was written.
    pub(super) fn read_rotated(&mut self) -> io::Result<Option<bool>> {
        if !self.loaded || !(self.may_write)() {
            self.rotated.close();
            self.dropped.close();
            return Ok(Some(false));
        }
        match self.rotated.look(&self.dropped, self.clock.now_ms())? {
            RotatedFileState::Nothing => Ok(Some(false)),
            RotatedFileState::Ended => {
                let committed = self.commit(vec![(None, rotated_positions(FilePosition::default()))]).is_ok();
                if committed {
                    self.rotated.continue_from(FilePosition::default());
                }
                Ok(Some(committed))
            }
            RotatedFileState::Taken(place) => {
                // The next drop file begins at its beginning, whatever it holds.
                let places = DropPositions { drop: Some(FilePosition::default()), rotated: Some(place.clone()) };
                let committed = self.commit(vec![(None, places)]).is_ok();
                if committed {
                    self.dropped.continue_from(FilePosition::default());
                    self.rotated.continue_from(place);
                }
                Ok(committed.then_some(true))
            }
            RotatedFileState::Lines(lines, more) => Ok(Some(self.take_lines(lines, rotated_positions) && more)),
            RotatedFileState::Idle => self.remove_rotated().map(Some),
        }
    }

    /// Everything in the file was taken in. The journal is checked once more before the file is removed.
    fn remove_rotated(&mut self) -> io::Result<bool> {
        self.look()?;
        if !(self.may_write)() {
            return Ok(false);
        }
        Ok(match self.rotated.remove() {
            Ok(Removed::Yes) => true,
            Ok(Removed::NotYet) => false,
            Ok(Removed::More(lines)) => self.take_lines(lines, rotated_positions),
            Err(error) => {
                // It holds nothing that is not in the journal: it may as well stay until the disk lets it go.
                tracing::warn!(%error, "the rotated drop file cannot be removed");
                false
            }
        })
    }

    /// Takes in the next lines of the drop file. True when there may be more.
    pub(super) fn look_at_drop(&mut self) -> io::Result<bool> {
        if !self.loaded || !(self.may_write)() {
            return Ok(false);
        }
        let (lines, more) = self.dropped.look()?;
        if more {
            return Ok(self.take_lines(lines, drop_positions));
        }
        self.take_lines(lines, drop_positions);
        let now = self.clock.now_ms();
        Ok(self.rotated.rotate(&mut self.dropped, now).unwrap_or_else(|error| {
            // A home without permission to rename: the file stays and is read as before.
            tracing::warn!(%error, "the drop file cannot be rotated");
            false
        }))
    }

    /// True when they are stored.
    fn take_lines(&mut self, lines: Vec<Dropped>, at: Where) -> bool {
        let Some(place) = lines.last().map(|line| line.place.clone()) else { return false };
        let of_line = |dropped: Dropped| {
            let item = self.of_line(dropped.line.as_deref());
            (item, at(dropped.place))
        };
        let items: Vec<_> = lines.into_iter().map(of_line).collect();
        // Unstorable lines stay in the file and are read again.
        let journal = self.commit(items).is_ok();
        if journal {
            let DropPositions { drop, rotated } = at(place);
            drop.into_iter().for_each(|place| self.dropped.continue_from(place));
            rotated.into_iter().for_each(|place| self.rotated.continue_from(place));
        }
        journal
    }

    fn of_line(&self, line: Option<&[u8]>) -> Option<SubmittedItem> {
        let bad = || self.shared.info().bad_dropped_lines += 1;
        match line.map(<[u8]>::trim_ascii) {
            None => {
                bad();
                None
            }
            Some([]) => None,
            Some(line) => Some(match body::value(line) {
                Some(value) => {
                    let arrived_at = arrival(&value, self.clock.now_ms());
                    match read_item_with(&value, &defaults(&self.hooks, arrived_at), self.hooks.capture) {
                        Ok(input) => SubmittedItem::Input(Box::new(input)),
                        Err(faults) => SubmittedItem::Refused { faults, value, route: IngestRoute::DropFile },
                    }
                }
                None => {
                    bad();
                    body::unreadable(line, IngestRoute::DropFile)
                }
            }),
        }
    }
}
