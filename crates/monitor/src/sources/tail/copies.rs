//! Detection of copied log files: `cp` before a truncation, or a restored backup next to the original. A file is a copy
//! if another file begins with all its bytes. Lines of a copy are not passed on again.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::file::LogFile;
use super::fingerprint::equal_bytes;
use super::listing::{FileStamp, ListedLog, LogFileIdentity, UnknownFile, name_of};

/// Known copies.
#[derive(Debug, Default)]
pub(super) struct Copies {
    known: HashMap<LogFileIdentity, Copy>,
}

#[derive(Debug)]
struct Copy {
    name: String,
    stamp: FileStamp,
    /// Serial of the file it repeats, and whether that one was on disk.
    original: (u64, bool),
}

impl Copies {
    /// True for a file that continues in `unknown`, which holds its bytes as far as they were read: they are gone from
    /// disk, or only their beginning is left there, so that it was the copy and `unknown` the original.
    pub(super) fn continues_in(unknown: &UnknownFile, file: &mut LogFile) -> bool {
        if file.present || file.is_unread() {
            return Self::outgrows(unknown, file);
        }
        file.fingerprint.begins_like(&unknown.head) && Self::is_back_in(&unknown.entry, file)
    }

    /// Place of a file that delivered nothing of its own and holds all bytes read of one that is gone from disk, of
    /// several the longest, and the serial of that one.
    pub(super) fn put_back(files: &[LogFile]) -> Option<(usize, u64)> {
        let copies = files.iter().enumerate().filter(|(_, file)| file.present && !file.has_new_lines);
        copies.filter(|(_, copy)| copy.fingerprint.end() > 0).find_map(|(at, copy)| {
            let back = |file: &&LogFile| {
                !file.present
                    && file.fingerprint.begins_like(copy.fingerprint.start_or(&[]))
                    && Self::is_back_in(&copy.entry, file)
            };
            let original = files.iter().filter(back).max_by_key(|file| file.fingerprint.end())?;
            Some((at, original.serial))
        })
    }

    /// True when all bytes read of `file`, which is gone from disk, are in `entry`.
    pub(super) fn is_back_in(entry: &ListedLog, file: &LogFile) -> bool {
        let (size, live) = (entry.stamp.size, entry.is_live());
        // A file that is still held open and has as much continues by itself.
        file.fingerprint.end() > 0
            && size >= file.fingerprint.end()
            && file.held_size() < size.saturating_add(u64::from(live))
            && entry.open().and_then(|other| file.fingerprint.holds(&other)).unwrap_or(false)
    }

    /// True when `unknown` begins with all the bytes that the file has, and has more: which of two equal archives is
    /// the original shows only when one of them grows. The live file is never a copy.
    fn outgrows(unknown: &UnknownFile, file: &mut LogFile) -> bool {
        let (size, live) = (unknown.entry.stamp.size, unknown.entry.is_live());
        let (is_live, read) = (file.present && file.is_live(), file.fingerprint.end());
        let alike = file.is_unread() || file.fingerprint.begins_like(&unknown.head);
        if is_live || !alike {
            return false;
        }
        let Ok(handle) = file.open() else { return false };
        let has = handle.metadata().map_or(0, |meta| meta.len());
        // Without a complete line there is nothing that could be shown twice.
        unknown.first_line_end.is_some_and(|end| has >= end)
            && has >= read
            && has < size.saturating_add(u64::from(live))
            && unknown.entry.open().and_then(|other| equal_bytes(handle, &other, has)).unwrap_or(false)
    }

    /// Serial of a file that begins with all the bytes of `unknown`. The live file is never a copy. Of two equal ones
    /// the earlier is the original; `earlier` and `defer` are of the same look.
    pub(super) fn original(
        unknown: &UnknownFile,
        files: &mut [LogFile],
        earlier: &[UnknownFile],
        defer: &[UnknownFile],
    ) -> Option<u64> {
        let size = unknown.entry.stamp.size;
        // Without a complete line there is nothing that could be shown twice.
        if unknown.entry.is_live() || unknown.first_line.is_none() {
            return None;
        }
        let opened = unknown.entry.open().ok()?;
        let in_files = files.iter_mut().find_map(|file| {
            let alike = file.fingerprint.begins_like(&unknown.head);
            let original = if file.present || file.is_unread() {
                // It may have grown since it was listed, or begun: of a file without a fingerprint nothing was read yet.
                let may_be = alike || file.fingerprint.end() == 0;
                may_be && file.open().and_then(|other| equal_bytes(&opened, other, size)).unwrap_or(false)
            } else {
                // Gone from disk. What is no longer held open is recognised line by line.
                alike && file.held_begins_like(&opened, size)
            };
            original.then_some(file.serial)
        });
        if in_files.is_some() {
            return in_files;
        }
        let same = |other: &&UnknownFile| {
            let known = other.head.len().min(unknown.head.len());
            other.head[..known] == unknown.head[..known]
                && other.entry.open().and_then(|other| equal_bytes(&opened, &other, size)).unwrap_or(false)
        };
        let longer = |other: &&UnknownFile| other.entry.is_live() || other.entry.stamp.size > size;
        earlier
            .iter()
            .filter(|other| other.entry.stamp.size >= size)
            .chain(defer.iter().filter(longer))
            .find(same)
            .map(|other| other.serial)
    }

    /// True when a file that began like `unknown` no longer holds the bytes read of it.
    pub(super) fn raced(unknown: &UnknownFile, files: &mut [LogFile]) -> bool {
        files.iter_mut().filter(|file| file.present && file.fingerprint.begins_like(&unknown.head)).any(|file| {
            let handle = file.open().and_then(std::fs::File::try_clone);
            !handle.and_then(|handle| file.fingerprint.holds(&handle)).unwrap_or(true)
        })
    }

    pub(super) fn note(&mut self, entry: &ListedLog, original: u64, files: &[LogFile]) {
        let present = files.iter().find(|file| file.serial == original).is_none_or(|file| file.present);
        let copy = Copy { name: name_of(&entry.path), stamp: entry.stamp, original: (original, present) };
        self.known.insert(entry.stamp.identity, copy);
    }

    /// Drops entries that are not listed any more.
    pub(super) fn keep_listed(&mut self, unknown_files: &[ListedLog]) {
        self.known.retain(|identity, _| unknown_files.iter().any(|entry| entry.stamp.identity == *identity));
    }

    /// True while neither the copy nor its original changed. Else it must be compared again.
    pub(super) fn is_known(&mut self, entry: &ListedLog, files: &[LogFile]) -> bool {
        let Entry::Occupied(mut known) = self.known.entry(entry.stamp.identity) else { return false };
        let (serial, present) = known.get().original;
        let unchanged = known.get().stamp == entry.stamp
            && files.iter().any(|file| file.serial == serial && file.present == present);
        if unchanged {
            known.get_mut().name = name_of(&entry.path);
        } else {
            known.remove();
        }
        unchanged
    }

    /// Their names, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.known.values().map(|copy| copy.name.clone()).collect();
        names.sort_unstable();
        names
    }
}
