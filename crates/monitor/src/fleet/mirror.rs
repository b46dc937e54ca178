//! Type `Mirror`: the home of another machine as a folder here. Everything that reads a home reads it like any other.
//!
//! Each log is one file, named after its generation, with a hard link for its name in the home. So a log that is
//! renamed there is renamed here, and never copied. The state of a mirror is saved now and then; batches that came after it
//! come again, and writing them to the same places changes nothing.

mod extent;
mod holes;
mod retired;

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use coordination::digest::sha256_hex;
use serde::{Deserialize, Serialize};

use holes::{LogHoles, first_time};
use retired::RetiredLogs;

use super::batch::{FIRST_LINK, LogBatch};
use super::inventory::{is_file_path, is_log_path};
use super::messages::Layout;
use crate::fs::durable;

/// Generation of a log that has no whole line yet.
pub(super) const EMPTY: &str = "empty";
/// Logs of one source, with those that no layout names yet.
const MAX_LOGS: usize = 5_000;
/// Name of a file that takes the place of another one. No generation has a dot in its name.
const STAGED: &str = "staged.file";
/// Removed generations whose late batches are recognised.
const MAX_REMOVED: usize = 100;

/// State of a mirror that is saved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MirrorState {
    logs: BTreeMap<String, MirroredLog>,
    layout: Layout,
    /// Parts that no message has any more.
    holes: LogHoles,
    /// Logs that layouts no longer name and whose bytes are here.
    retired: RetiredLogs,
    /// Generations whose bytes are no longer here, the last one last.
    removed: VecDeque<String>,
    /// Messages that were refused.
    pub(super) refused: u64,
}

/// A log here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct MirroredLog {
    /// Where it ends, in bytes of what is published.
    at: u64,
    /// Published bytes that are missing here: the place of a byte in the file is so much smaller.
    missing: u64,
    /// Link of the chain at its end.
    link: String,
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BatchOutcome {
    /// Its bytes are in the log now.
    Appended,
    /// They were there already, or belong to a log that the home no longer has.
    Repeated,
    /// They do not continue what is here; nothing was written.
    Refused,
}

/// A mirrored home.
#[derive(Debug)]
pub(super) struct Mirror {
    /// The home.
    home: PathBuf,
    /// Folder of the logs by generation.
    generations: PathBuf,
    state: MirrorState,
    /// Files with bytes that are not surely on the disk.
    unsynced: BTreeMap<String, File>,
    /// Files of logs that the home no longer has. They are removed once a state without them is saved.
    removable: Vec<PathBuf>,
}

impl Mirror {
    /// The mirror in a folder, as it was saved; and whether all that was saved is there, or the stream has to be read again.
    pub(super) fn open(folder: &Path, mut state: MirrorState) -> io::Result<(Self, bool)> {
        let (home, generations) = (folder.join(".openclaw"), folder.join("generations"));
        if state == MirrorState::default() {
            // Files that no layout names would stay for ever.
            absent_is_fine(std::fs::remove_dir_all(folder))?;
        }
        std::fs::create_dir_all(home.join("logs"))?;
        std::fs::create_dir_all(&generations)?;
        let saved = state.logs.len();
        state.logs.retain(|generation, log| {
            let length = durable::entry_at(&generations.join(generation)).map_or(0, |(_, length)| length);
            length >= log.at.saturating_sub(log.missing)
        });
        let is_whole = state.logs.len() == saved;
        for entry in std::fs::read_dir(&generations)? {
            let entry = entry?;
            if !entry.file_name().to_str().is_some_and(|name| state.logs.contains_key(name)) {
                std::fs::remove_file(entry.path())?;
            }
        }
        let mirror = Self { home, generations, state, unsynced: BTreeMap::new(), removable: Vec::new() };
        mirror.restore_names()?;
        Ok((mirror, is_whole))
    }

    /// Makes the names of logs those of the saved state. A stop may have left others, which no later layout removes, or which
    /// a reader would take for copies once their logs are written again.
    fn restore_names(&self) -> io::Result<()> {
        let saved = |path: &String| self.state.layout.logs.get(path);
        for folder in ["", "logs/"] {
            for entry in std::fs::read_dir(self.home.join(folder))? {
                let path = format!("{folder}{}", entry?.file_name().to_string_lossy());
                let is_saved = |name: &String| name == EMPTY || self.state.logs.contains_key(name);
                if is_log_path(&path) && !saved(&path).is_some_and(is_saved) {
                    std::fs::remove_file(self.home.join(&path))?;
                }
            }
        }
        self.name_logs(&self.state.layout)
    }

    /// Gives the logs that are here the names of a layout.
    fn name_logs(&self, layout: &Layout) -> io::Result<()> {
        for (path, generation) in &layout.logs {
            if generation == EMPTY {
                self.empty(path)?;
            } else if self.state.logs.contains_key(generation) {
                self.link(generation, path)?;
            }
        }
        Ok(())
    }

    /// Folder of the home.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    pub(super) fn state(&self) -> &MirrorState {
        &self.state
    }

    /// Counts a message that was refused before it came here.
    pub(super) fn refuse(&mut self) {
        self.state.refused += 1;
    }

    /// Writes a batch where the log ends. A batch that begins further on leaves a hole: what is between is nowhere any more,
    /// because a stream gives its messages in order. One that begins before the end is held against what is here, because a
    /// publisher whose messages have expired begins again.
    pub(super) fn apply(&mut self, generation: &str, batch: &LogBatch) -> io::Result<BatchOutcome> {
        let place = &batch.place;
        let is_new = !self.state.logs.contains_key(generation);
        let is_full = is_new && self.state.logs.len() >= MAX_LOGS;
        if !is_generation(generation) || generation == EMPTY || !is_log_path(&place.path) || is_full {
            self.refuse();
            return Ok(BatchOutcome::Refused);
        }
        // Batches and layouts come by two streams.
        if is_new && place.from > 0 && self.state.removed.iter().any(|removed| removed == generation) {
            return Ok(BatchOutcome::Repeated);
        }
        // Its publisher sends it from the beginning again: then nothing has to be missing.
        if place.from == 0 && self.state.logs.get(generation).is_some_and(|log| log.missing > 0) {
            self.state.holes.remove(generation);
            self.state.logs.remove(generation);
            self.unsynced.remove(generation);
        }
        let before = self.state.logs.get(generation).cloned();
        let mut log = before.clone().unwrap_or(MirroredLog { at: 0, missing: 0, link: FIRST_LINK.to_owned() });
        let mut new = batch.bytes.as_slice();
        let is_next = place.from == log.at && log.link == place.before;
        if place.from > log.at {
            self.state.holes.add(generation, (log.at, place.from), first_time(&batch.bytes));
            log.missing += place.from - log.at;
        } else if !is_next {
            let known = usize::try_from(log.at.min(place.to) - place.from).unwrap_or(usize::MAX);
            let (same, rest) = new.split_at(known.min(new.len()));
            if same.is_empty() || !self.holds(generation, place.from.checked_sub(log.missing), same)? {
                self.refuse();
                return Ok(BatchOutcome::Refused);
            }
            new = rest;
        }
        if place.to >= log.at {
            log.link.clone_from(&place.after);
        }
        if new.is_empty() {
            self.state.logs.insert(generation.to_owned(), log);
            return Ok(BatchOutcome::Repeated);
        }
        let file = match self.unsynced.remove(generation) {
            Some(file) => file,
            None => {
                let path = self.writable(generation);
                OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?
            }
        };
        let end = place.to - new.len() as u64 - log.missing;
        // What a stopped process wrote behind the saved state is written again.
        if before.is_none() {
            file.set_len(end)?;
        }
        file.write_all_at(new, end)?;
        log.at = place.to;
        self.state.logs.insert(generation.to_owned(), log);
        if before.is_some() {
            self.unsynced.insert(generation.to_owned(), file);
            return Ok(BatchOutcome::Appended);
        }
        // From now on it is written by its name in the home.
        file.sync_data()?;
        let named = self.state.layout.logs.iter().filter(|(_, named)| *named == generation);
        for path in named.map(|(path, _)| path.clone()).collect::<Vec<_>>() {
            self.link(generation, &path)?;
        }
        Ok(BatchOutcome::Appended)
    }

    /// Whether the log has these bytes at a place of its file.
    fn holds(&self, generation: &str, at: Option<u64>, bytes: &[u8]) -> io::Result<bool> {
        let Some(at) = at else { return Ok(false) };
        let mut here = vec![0; bytes.len()];
        match File::open(self.generations.join(generation))?.read_exact_at(&mut here, at) {
            Ok(()) => Ok(here == bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The path to write a log by. Readers of the home are only notified of writes by a name in the home.
    fn writable(&self, generation: &str) -> PathBuf {
        let named = self.state.layout.logs.iter().find(|(_, named)| *named == generation);
        let path = named.map(|(path, _)| self.home.join(path)).filter(|path| self.is_linked(generation, path));
        path.unwrap_or_else(|| self.generations.join(generation))
    }

    fn is_linked(&self, generation: &str, path: &Path) -> bool {
        let one = durable::entry_at(&self.generations.join(generation));
        one.and_then(|one| Ok(one.0 == durable::entry_at(path)?.0)).unwrap_or(false)
    }

    /// Makes the names of the home those of the layout. A log of which no batch came yet gets its name with the first one.
    pub(super) fn arrange(&mut self, layout: Layout) -> io::Result<()> {
        let is_known = layout.logs.iter().all(|(path, generation)| is_log_path(path) && is_generation(generation));
        if !is_known || !layout.files.keys().all(|path| is_file_path(path)) {
            self.refuse();
            return Ok(());
        }
        // Files that are open for writing were opened by names that may move.
        self.sync()?;
        // First the names that move, then those that are free.
        self.name_logs(&layout)?;
        let before = &self.state.layout;
        let logs = before.logs.keys().filter(|path| !layout.logs.contains_key(*path));
        for path in logs.chain(before.files.keys().filter(|path| !layout.files.contains_key(*path))) {
            absent_is_fine(std::fs::remove_file(self.home.join(path)))?;
        }
        // One that was never named may be named by the next layout.
        let named = |generation: &String| layout.logs.values().any(|named| named == generation);
        let is_gone = |generation: &&String| *generation != EMPTY && !named(generation);
        let unnamed: Vec<String> = before.logs.values().filter(is_gone).cloned().collect();
        unnamed.into_iter().for_each(|generation| self.state.retired.add(generation));
        self.state.retired.retain(|generation| !named(generation));
        for generation in self.state.retired.take_excess(&self.state.logs) {
            self.state.logs.remove(&generation);
            self.unsynced.remove(&generation);
            self.state.holes.remove(&generation);
            self.removable.push(self.generations.join(&generation));
            self.state.removed.push_back(generation);
        }
        self.state.removed.retain(|generation| !named(generation));
        while self.state.removed.len() > MAX_REMOVED {
            self.state.removed.pop_front();
        }
        self.state.layout = layout;
        Ok(())
    }

    /// Gives a log a name, instead of the one that has it. A reader sees the one or the other.
    fn link(&self, generation: &str, path: &str) -> io::Result<()> {
        let (from, to) = (self.generations.join(generation), self.home.join(path));
        if self.is_linked(generation, &to) {
            return Ok(());
        }
        let staged = self.generations.join(format!("{generation}.link"));
        absent_is_fine(std::fs::remove_file(&staged))?;
        std::fs::hard_link(&from, &staged)?;
        std::fs::rename(&staged, &to)
    }

    /// Puts a log without a line in place of one with lines.
    fn empty(&self, path: &str) -> io::Result<()> {
        let target = self.home.join(path);
        if durable::entry_at(&target).is_ok_and(|(_, length)| length == 0) {
            return Ok(());
        }
        let staged = self.generations.join(STAGED);
        std::fs::write(&staged, [])?;
        std::fs::rename(&staged, &target)
    }

    /// Replaces a file. It counts as part of the home from the next layout on, which names it.
    pub(super) fn replace(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        if !is_file_path(path) {
            self.refuse();
            return Ok(());
        }
        let target = self.home.join(path);
        let digest = sha256_hex(bytes);
        // After a start the newest version of each file comes again, and after a power loss the one here may be empty.
        let is_known = self.state.layout.files.get(path) == Some(&digest);
        if is_known && std::fs::read(&target).is_ok_and(|here| here == bytes) {
            return Ok(());
        }
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let staged = self.generations.join(STAGED);
        std::fs::write(&staged, bytes)?;
        std::fs::rename(&staged, &target)?;
        self.state.layout.files.insert(path.to_owned(), digest);
        Ok(())
    }

    /// Removes a file that its home no longer has.
    pub(super) fn remove(&mut self, path: &str) -> io::Result<()> {
        if !is_file_path(path) {
            self.refuse();
            return Ok(());
        }
        self.state.layout.files.remove(path);
        absent_is_fine(std::fs::remove_file(self.home.join(path)))
    }

    /// Makes sure that the bytes are on the disk before a state that says so is saved.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        while let Some((generation, file)) = self.unsynced.pop_first() {
            if let Err(error) = file.sync_data() {
                self.unsynced.insert(generation, file);
                return Err(error);
            }
        }
        for folder in [self.home.join("logs"), self.generations.clone()] {
            durable::sync_folder(&folder.join(STAGED))?;
        }
        Ok(())
    }

    /// Removes what the saved state no longer has.
    pub(super) fn prune(&mut self) {
        for path in std::mem::take(&mut self.removable) {
            if let Err(error) = absent_is_fine(std::fs::remove_file(&path)) {
                tracing::warn!(%error, path = %path.display(), "fleet: a log that is gone cannot be removed");
            }
        }
    }
}

/// Whether a word of a subject can be a generation, and so the name of a file.
fn is_generation(word: &str) -> bool {
    !word.is_empty() && word.len() <= 40 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn absent_is_fine(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

#[cfg(test)]
mod tests;
