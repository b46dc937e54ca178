//! All log files of a home, followed by identity through rotation, truncation and absence.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use coordination::api::{SourceFile, SourceState, Unreadable};

use super::file::{LogFile, Stamp, first_event_time};
use super::{Chunk, Standing};
use crate::home::Home;

const STEM: &str = "coordination-events";
const LIVE: &str = "coordination-events.ndjson";
/// Looks without change after which a file that is no longer the live one is closed. The writer's last lines may
/// arrive after the rename (`contract/events.md` §1.2).
const HOLD_LOOKS: u32 = 60;

/// Reads what is new on each look; owns the read positions.
#[derive(Debug)]
pub struct Follower {
    home: Home,
    files: Vec<LogFile>,
    /// How often each first line was met, to tell files with equal first lines apart.
    tokens: HashMap<String, u32>,
    buffer: Vec<u8>,
    replaced: u64,
}

struct Listed {
    path: PathBuf,
    stamp: Stamp,
}

impl Follower {
    /// A follower that has read nothing yet.
    #[must_use]
    pub fn new(home: Home) -> Self {
        Self { home, files: Vec::new(), tokens: HashMap::new(), buffer: Vec::new(), replaced: 0 }
    }

    /// Reads everything that became complete since the last look, oldest file first.
    pub fn look(&mut self, sink: &mut dyn FnMut(Chunk)) -> Standing {
        let mut unreadable = Vec::new();
        let listed = match self.list(&mut unreadable) {
            Ok(listed) => listed,
            Err(error) => {
                // The files read so far stay known: the folder may come back with them in it.
                for file in &mut self.files {
                    file.present = false;
                }
                self.drain(&mut unreadable, sink);
                let state = self.absence(&error);
                if state == SourceState::Unreadable {
                    unreadable.push(self.trouble(&self.home.logs(), &error));
                }
                return self.standing(state, unreadable);
            }
        };
        self.meet(listed);
        self.drain(&mut unreadable, sink);
        let live_there = self.files.iter().any(|file| file.present && file.name() == LIVE);
        let state = if unreadable.iter().any(|file| file.path.ends_with(LIVE)) {
            SourceState::Unreadable
        } else if live_there {
            SourceState::Ok
        } else {
            SourceState::LogMissing
        };
        self.standing(state, unreadable)
    }

    fn list(&self, unreadable: &mut Vec<Unreadable>) -> io::Result<Vec<Listed>> {
        let mut listed = Vec::new();
        for entry in std::fs::read_dir(self.home.logs())? {
            let entry = entry?;
            let name = entry.file_name();
            if !is_log_name(&name.to_string_lossy()) {
                continue;
            }
            let path = entry.path();
            match std::fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_file() => listed.push(Listed { stamp: Stamp::of(&meta), path }),
                // A link, pipe or folder of that name could lead outside the home or never end.
                Ok(_) => {
                    unreadable.push(Unreadable { path: self.below_home(&path), cause: "not a regular file".to_owned() })
                }
                // Renamed between listing and asking: the next look finds it under its new name.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => unreadable.push(self.trouble(&path, &error)),
            }
        }
        Ok(listed)
    }

    /// Recognises files by identity, takes up new ones in the order of their content, the live one last.
    fn meet(&mut self, listed: Vec<Listed>) {
        for file in &mut self.files {
            file.present = false;
        }
        let mut strangers = Vec::new();
        for entry in listed {
            match self.files.iter_mut().find(|file| file.stamp.identity == entry.stamp.identity) {
                Some(file) => {
                    file.present = true;
                    file.path = entry.path;
                    file.stamp = entry.stamp;
                }
                None => strangers.push(entry),
            }
        }
        strangers.sort_by_cached_key(|entry| {
            let live = entry.path.ends_with(LIVE);
            (live, first_event_time(&entry.path).unwrap_or(i64::MAX), entry.stamp.modified, entry.path.clone())
        });
        for entry in strangers {
            if !self.adopt(&entry) {
                self.files.push(LogFile::new(entry.path, entry.stamp));
            }
        }
    }

    /// A file that went away and came back with the same bytes (restored, moved across file systems) goes on where
    /// it was read to.
    fn adopt(&mut self, entry: &Listed) -> bool {
        let Ok(handle) = std::fs::File::open(&entry.path) else { return false };
        let known = self.files.iter_mut().find(|file| {
            !file.present && file.read_to > 0 && entry.stamp.size >= file.read_to && file.matches(&handle)
        });
        let Some(file) = known else { return false };
        file.let_go();
        file.path.clone_from(&entry.path);
        file.stamp = entry.stamp;
        file.present = true;
        true
    }

    fn drain(&mut self, unreadable: &mut Vec<Unreadable>, sink: &mut dyn FnMut(Chunk)) {
        for index in 0..self.files.len() {
            let file = &mut self.files[index];
            if !file.present && !file.is_held() {
                continue;
            }
            if file.is_settled() && file.present {
                file.idle_looks = file.idle_looks.saturating_add(1);
                if file.idle_looks > HOLD_LOOKS && file.name() != LIVE {
                    file.let_go();
                }
                continue;
            }
            let result = read_file(file, &mut self.buffer, &mut self.tokens, &mut self.replaced, sink);
            let path = file.path.clone();
            if let Err(error) = result
                && !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::Interrupted)
            {
                let trouble = self.trouble(&path, &error);
                unreadable.push(trouble);
            }
        }
    }

    fn absence(&self, error: &io::Error) -> SourceState {
        match (error.kind(), std::fs::metadata(self.home.root())) {
            (_, Err(home)) if home.kind() == io::ErrorKind::NotFound => SourceState::HomeMissing,
            (io::ErrorKind::NotFound, Ok(_)) => SourceState::LogMissing,
            _ => SourceState::Unreadable,
        }
    }

    fn standing(&self, state: SourceState, unreadable: Vec<Unreadable>) -> Standing {
        let present = || self.files.iter().filter(|file| file.present);
        Standing {
            state,
            files: present()
                .map(|file| SourceFile { name: file.name(), bytes: file.stamp.size, read_to: file.read_to })
                .collect(),
            tokens: self.files.iter().filter_map(|file| Some((file.token.clone()?, file.name()))).collect(),
            lag_bytes: present().filter(|file| !file.is_settled()).map(LogFile::behind).sum(),
            pending_bytes: present().filter(|file| file.is_settled()).map(LogFile::behind).sum(),
            replaced: self.replaced,
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

fn read_file(
    file: &mut LogFile,
    buffer: &mut Vec<u8>,
    tokens: &mut HashMap<String, u32>,
    replaced: &mut u64,
    sink: &mut dyn FnMut(Chunk),
) -> io::Result<()> {
    let live = file.name() == LIVE;
    let handle = file.open(live)?;
    let size = handle.metadata()?.len();
    if size < file.read_to || !file.matches(&handle) {
        file.start_over();
        *replaced += 1;
    }
    let before = file.read_to;
    let mut name = |base: &str| {
        let count = tokens.entry(base.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 { base.to_owned() } else { format!("{base}~{count}") }
    };
    file.read(&handle, buffer, &mut name, sink)?;
    if file.read_to > before {
        file.idle_looks = 0;
    } else if !file.present {
        file.idle_looks = file.idle_looks.saturating_add(1);
        if file.idle_looks > HOLD_LOOKS {
            file.let_go();
        }
    }
    Ok(())
}

/// `coordination-events.ndjson` and its archives (`contract/events.md` §1.2).
pub(super) fn is_log_name(name: &str) -> bool {
    let Some(middle) = name.strip_prefix(STEM).and_then(|rest| rest.strip_suffix(".ndjson")) else { return false };
    let Some(stamp) = middle.strip_prefix('-') else { return middle.is_empty() };
    let pattern: String = stamp.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(pattern.as_str(), "0000-00" | "0000-00-00T00-00-00-000Z")
}
