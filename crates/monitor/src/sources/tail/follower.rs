//! Follower of all log files of a home, which reads appended lines. It identifies a file by inode and content, also
//! after the file was rotated, truncated, copied or missing for some time.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use coordination::api::{Following, PendingLine, ReplacedFile, SourceFile, SourceState, Unreadable};
use coordination::event::{LIVE_LOG, file_token, is_log_name};

use super::copies::Copies;
use super::file::LogFile;
use super::listing::{ListedLog, UnknownFile, name_of};
use super::prefix::DeliveredPrefixes;
use super::{LineBlock, LogStatus};
use crate::fs::sandbox::{Dir, FileMeta};
use crate::home::HomeDir;

/// Files kept open. Beyond that only the system's stamp shows whether a file changed.
const MAX_HELD: usize = 64;
/// Files kept open although nothing on disk leads to them; their space is not free until they are let go.
const MAX_HELD_DELETED: usize = 16;
/// Files whose bytes are gone that are still recognised when a copy of them turns up.
const MAX_TRUNCATED_FILES: usize = 64;
/// Replaced files that are listed individually.
const MAX_REPLACED_LISTED: usize = 20;
/// Rounds of one look, when files change under it.
const MAX_ROUNDS: u32 = 3;

/// Reads new lines on each look; owns the read positions. A file is never given up after a time.
#[derive(Debug)]
pub struct Follower {
    home: HomeDir,
    /// The folder of the logs, held open until another one takes its place.
    folder: Option<Arc<Dir>>,
    pub(super) files: Vec<LogFile>,
    copies: Copies,
    /// How often each first line occurred, to number files with equal first lines.
    pub(super) tokens: HashMap<String, u32>,
    /// Lines that no other file delivers again.
    pub(super) delivered: DeliveredPrefixes,
    buffer: Vec<u8>,
    /// Last number given to a file.
    pub(super) serials: u64,
    /// Number of times that the live file was renamed.
    rotations: u64,
    replaced: u64,
    replaced_files: Vec<ReplacedFile>,
    /// Bytes that were removed before they were read.
    truncated_unread: u64,
}

impl Follower {
    /// A follower that has read nothing yet.
    #[must_use]
    pub fn new(home: HomeDir) -> Self {
        Self {
            home,
            folder: None,
            files: Vec::new(),
            copies: Copies::default(),
            tokens: HashMap::new(),
            delivered: DeliveredPrefixes::default(),
            buffer: Vec::new(),
            serials: 0,
            rotations: 0,
            replaced: 0,
            replaced_files: Vec::new(),
            truncated_unread: 0,
        }
    }

    /// Reads all lines completed since the last look, oldest file first. `now` (epoch ms) only dates status notes.
    pub fn look(&mut self, now: i64, sink: &mut dyn FnMut(LineBlock)) -> LogStatus {
        let mut rounds = 0;
        loop {
            rounds += 1;
            let mut unreadable = Vec::new();
            let (state, calm) = match self.list(&mut unreadable) {
                Ok(listed) => {
                    let raced = self.match_listed(listed, now);
                    (None, self.drain(now, &mut unreadable, sink) && !raced)
                }
                Err(error) => {
                    // The files read so far stay known: the folder may come back with them in it.
                    for file in &mut self.files {
                        file.present = false;
                    }
                    self.drain(now, &mut unreadable, sink);
                    let state = self.absence(&error);
                    if state == SourceState::Unreadable {
                        unreadable.push(self.trouble(&self.home.logs(), &error));
                    }
                    (Some(state), true)
                }
            };
            if calm || rounds == MAX_ROUNDS {
                self.let_go();
                let state = state.unwrap_or_else(|| self.state(&unreadable));
                return self.status(state, unreadable);
            }
        }
    }

    /// Opens the log folder without following links. The handle stays while the folder is the same, for listed files.
    fn logs(&mut self) -> io::Result<Arc<Dir>> {
        let opened = self.home.open().and_then(|home| home.folder("logs"));
        let identity = |folder: &Dir| folder.metadata("").map(|seen| seen.identity);
        let held = self.folder.take();
        let opened = opened?;
        let same = match &held {
            Some(held) => identity(held)? == identity(&opened)?,
            None => false,
        };
        let folder = held.filter(|_| same).unwrap_or_else(|| Arc::new(opened));
        self.folder = Some(Arc::clone(&folder));
        Ok(folder)
    }

    pub(super) fn list(&mut self, unreadable: &mut Vec<Unreadable>) -> io::Result<Vec<ListedLog>> {
        let mut listed = Vec::new();
        let folder = self.logs()?;
        for name in folder.names()? {
            if !is_log_name(&name) {
                continue;
            }
            let path = self.home.logs().join(&name);
            // A link, pipe or folder of that name could lead outside the home or never end.
            match folder.metadata(&name).and_then(FileMeta::regular) {
                Ok(seen) => listed.push(ListedLog { folder: Arc::downgrade(&folder), path, stamp: seen.into() }),
                // Renamed between listing and asking: the next look finds it under its new name.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => unreadable.push(self.trouble(&path, &error)),
            }
        }
        Ok(listed)
    }

    /// Recognises rotated logs by inode and content, whatever their names. All others are known ones restored or
    /// copied, or new ones, adopted in the order of their content, the live one last. True when another round is due.
    fn match_listed(&mut self, listed: Vec<ListedLog>, now: i64) -> bool {
        let names: Vec<String> = listed.iter().map(|entry| name_of(&entry.path)).collect();
        let before: Vec<(u64, String)> =
            self.files.iter().filter(|file| file.present).map(|file| (file.serial, file.name())).collect();
        for file in &mut self.files {
            file.present = false;
        }
        let (mut truncated_files, mut unknown_files) = (Vec::new(), Vec::new());
        for entry in listed {
            let of_it = |file: &&mut LogFile| !file.is_truncated && file.entry.stamp.identity == entry.stamp.identity;
            let Some(file) = self.files.iter_mut().find(of_it) else {
                unknown_files.push(entry);
                continue;
            };
            if file.is_still(&entry) {
                self.rotations += u64::from(file.is_live() && !entry.is_live());
                file.set_listed(entry);
            } else {
                truncated_files.push((file.serial, file.tear_off()));
                unknown_files.push(entry);
            }
        }
        self.rejoin();
        self.drop_copies(&mut unknown_files);
        let raced = self.adopt_new(unknown_files);
        let is_absent =
            |serial: u64, files: &[LogFile]| files.iter().any(|file| file.serial == serial && !file.present);
        for (serial, unread) in truncated_files {
            if is_absent(serial, &self.files) {
                self.truncated_unread += unread;
            }
        }
        for (serial, name) in before {
            // Other bytes have its name: truncated, overwritten, or replaced by an archive of a second writer.
            if is_absent(serial, &self.files) && names.contains(&name) {
                self.report_replaced(name, now);
            }
        }
        raced
    }

    /// A backup that was still being written when it was found is complete now: its original continues in it.
    fn rejoin(&mut self) {
        while let Some((copy, original)) = Copies::put_back(&self.files) {
            let copy = self.files.remove(copy);
            if let Some(at) = self.files.iter().position(|file| file.serial == original) {
                self.continue_in(at, copy.entry);
            }
        }
    }

    /// A file of which nothing was read yet may turn out to be a copy that was still being written.
    fn drop_copies(&mut self, unknown_files: &mut Vec<ListedLog>) {
        let unread =
            |file: &LogFile| file.present && file.fingerprint.end() == 0 && !file.is_live() && file.unread_bytes() > 0;
        let (unread, remaining): (Vec<_>, Vec<_>) = std::mem::take(&mut self.files).into_iter().partition(unread);
        self.files = remaining;
        for file in unread {
            let unknown = UnknownFile::peek(file.entry.clone(), file.serial);
            match Copies::original(&unknown, &mut self.files, &[], &[]) {
                None if !Copies::raced(&unknown, &mut self.files) => self.files.push(file),
                _ => unknown_files.push(unknown.entry),
            }
        }
    }

    /// True when files changed meanwhile, so that another round is due.
    fn adopt_new(&mut self, unknown_files: Vec<ListedLog>) -> bool {
        self.copies.keep_listed(&unknown_files);
        let mut waiting: Vec<UnknownFile> = Vec::new();
        for entry in unknown_files {
            if !self.copies.is_known(&entry, &self.files) {
                self.serials += 1;
                waiting.push(UnknownFile::peek(entry, self.serials));
            }
        }
        waiting.sort_by_cached_key(UnknownFile::reading_order);
        while let Some((file, unknown)) = self.next_move(&waiting) {
            self.continue_in(file, waiting.remove(unknown).entry);
        }
        let mut waiting = waiting.into_iter();
        let (mut fresh, mut raced) = (Vec::new(), false);
        while let Some(unknown) = waiting.next() {
            match Copies::original(&unknown, &mut self.files, &fresh, waiting.as_slice()) {
                Some(original) => self.copies.note(&unknown.entry, original, &self.files),
                // Its original was truncated just now: the next round knows.
                None if Copies::raced(&unknown, &mut self.files) => raced = true,
                None => fresh.push(unknown),
            }
        }
        let mut named: Vec<&UnknownFile> = fresh.iter().collect();
        named.sort_by_cached_key(|unknown| unknown.birth_order());
        let mut tokens = HashMap::new();
        for unknown in named {
            if let Some(hash) = &unknown.first_line {
                tokens.insert(unknown.entry.stamp.identity, file_token(&mut self.tokens, hash));
            }
        }
        for unknown in fresh {
            let token = tokens.remove(&unknown.entry.stamp.identity);
            self.files.push(LogFile::new(unknown.entry, unknown.serial, token));
        }
        raced
    }

    /// Index of a file and of the unknown file it continues in, of several the longest.
    fn next_move(&mut self, unknown_files: &[UnknownFile]) -> Option<(usize, usize)> {
        self.files.iter_mut().enumerate().find_map(|(at, file)| {
            let fitting =
                unknown_files.iter().enumerate().rev().filter(|(_, unknown)| Copies::continues_in(unknown, file));
            fitting.max_by_key(|(_, unknown)| unknown.entry.stamp.size).map(|(unknown, _)| (at, unknown))
        })
    }

    /// Moves a file to the new place of its bytes. Other bytes in its old place are another file, equal ones a copy.
    fn continue_in(&mut self, at: usize, entry: ListedLog) {
        let file = &mut self.files[at];
        self.rotations += u64::from(file.is_live() && !entry.is_live());
        self.serials += 1;
        let shorter = file.present.then(|| (file.entry.clone(), file.serial));
        let left = file.take_place(self.serials);
        file.move_to(entry);
        self.files.extend(left);
        if let Some((copy, original)) = shorter {
            self.copies.note(&copy, original, &self.files);
        }
    }

    fn report_replaced(&mut self, file: String, now: i64) {
        self.replaced += 1;
        self.replaced_files.push(ReplacedFile { file, at: now });
        let excess = self.replaced_files.len().saturating_sub(MAX_REPLACED_LISTED);
        self.replaced_files.drain(..excess);
    }

    /// False when files changed while they were read, so that another round is due.
    fn drain(&mut self, now: i64, unreadable: &mut Vec<Unreadable>, sink: &mut dyn FnMut(LineBlock)) -> bool {
        let mut calm = true;
        for index in 0..self.files.len() {
            let file = &mut self.files[index];
            if file.is_truncated || !(file.present || file.is_held()) {
                continue;
            }
            if file.present && file.is_settled() {
                file.idle_looks = file.idle_looks.saturating_add(1);
                continue;
            }
            let before = file.entry.stamp;
            let mut name = |base: &str| file_token(&mut self.tokens, base);
            match file.read(now, &mut self.buffer, &mut self.delivered, &mut name, sink) {
                Ok(true) if file.entry.stamp == before => file.idle_looks = file.idle_looks.saturating_add(1),
                Ok(true) => file.idle_looks = 0,
                Ok(false) if file.present => calm = false,
                // Cut off or overwritten, and then removed.
                Ok(false) => {
                    self.serials += 1;
                    let next = file.take_place(self.serials);
                    self.truncated_unread += file.tear_off();
                    self.files.extend(next);
                    calm = false;
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::Interrupted => calm = false,
                    _ => {
                        let path = file.entry.path.clone();
                        unreadable.push(self.trouble(&path, &error));
                    }
                },
            }
        }
        calm
    }

    /// Closes what exceeds the bounds, the longest idle first; what is still there is opened again when it changes.
    fn let_go(&mut self) {
        for (present, most) in [(true, MAX_HELD), (false, MAX_HELD_DELETED)] {
            let mut held: Vec<&mut LogFile> =
                self.files.iter_mut().filter(|file| file.is_held() && file.present == present).collect();
            held.sort_by_key(|file| (file.is_live(), std::cmp::Reverse(file.idle_looks), file.serial));
            let excess = held.len().saturating_sub(most);
            held.into_iter().take(excess).for_each(LogFile::let_go);
        }
        let truncated_files = self.files.iter().filter(|file| file.is_truncated && file.fingerprint.end() > 0).count();
        let excess = truncated_files.saturating_sub(MAX_TRUNCATED_FILES);
        self.files.iter_mut().filter(|file| file.is_truncated && file.fingerprint.end() > 0).take(excess).for_each(
            |file| {
                file.fingerprint = super::fingerprint::ContentFingerprint::default();
            },
        );
    }

    fn state(&self, unreadable: &[Unreadable]) -> SourceState {
        if unreadable.iter().any(|file| file.path.ends_with(LIVE_LOG)) {
            SourceState::Unreadable
        } else if self.files.iter().any(|file| file.present && file.is_live()) {
            SourceState::Ok
        } else {
            SourceState::LogMissing
        }
    }

    fn absence(&self, error: &io::Error) -> SourceState {
        match (error.kind(), std::fs::metadata(self.home.root())) {
            (_, Err(home)) if home.kind() == io::ErrorKind::NotFound => SourceState::HomeMissing,
            (_, Ok(home)) if !home.is_dir() => SourceState::HomeNotFolder,
            (io::ErrorKind::NotFound, Ok(_)) => SourceState::LogMissing,
            _ => SourceState::Unreadable,
        }
    }

    fn status(&self, state: SourceState, unreadable: Vec<Unreadable>) -> LogStatus {
        let present = || self.files.iter().filter(|file| file.present);
        let pending = || present().filter(|file| file.pending_since.is_some());
        LogStatus {
            state,
            files: present()
                .map(|file| SourceFile { name: file.name(), bytes: file.entry.stamp.size, read_to: file.read_to })
                .collect(),
            tokens: self.files.iter().filter_map(|file| Some((file.token.clone()?, file.name()))).collect(),
            lag_bytes: present().filter(|file| !file.was_read()).map(LogFile::unread_bytes).sum(),
            pending_bytes: pending().map(LogFile::unread_bytes).sum(),
            following: Following {
                pending: pending()
                    .map(|file| PendingLine {
                        file: file.name(),
                        bytes: file.unread_bytes(),
                        since: file.pending_since.unwrap_or_default(),
                    })
                    .collect(),
                rotations: self.rotations,
                replaced: self.replaced,
                replaced_files: self.replaced_files.clone(),
                truncated_unread: self.truncated_unread,
                copies: self.copies.names(),
                ..Following::default()
            },
            unreadable,
        }
    }

    fn trouble(&self, path: &Path, error: &io::Error) -> Unreadable {
        let cause = match error.kind() {
            io::ErrorKind::PermissionDenied => "EACCES".to_owned(),
            io::ErrorKind::NotADirectory => "not a folder".to_owned(),
            _ => error.to_string(),
        };
        Unreadable { path: self.below_home(path), cause }
    }

    fn below_home(&self, path: &Path) -> String {
        path.strip_prefix(self.home.root()).unwrap_or(path).display().to_string()
    }
}
