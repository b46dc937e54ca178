//! Reader and atomic writer of a coding agent's file of hooks. Installing hooks leaves a backup next to the file; removing
//! them deletes backups that are no longer needed. A file that cannot be read or parsed is never written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::command::from;
use super::events::{HookEvent, named};
use super::merge::{self, InstalledHook};

/// Most bytes of settings.
const MAX_SETTINGS_FILE_BYTES: u64 = 8 << 20;
/// Between the file's name and the time in a copy's name.
const COPY_INFIX: &str = ".bak-task-hub-";

/// Result of a change, for people.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    /// Nothing had to be done.
    pub(super) unchanged: bool,
    /// The file held nothing else and was removed.
    pub(super) removed: bool,
    /// The copy of the earlier file.
    pub(super) copy: Option<PathBuf>,
}

/// A file of settings as it was found.
#[derive(Debug)]
pub(super) struct SettingsFile {
    /// The file itself, whatever links lead to it.
    path: PathBuf,
    /// The folder by its configured name: if that is a link, its target is not ours.
    folder: Option<PathBuf>,
    /// Its text; `None` where there is no file.
    text: Option<String>,
}

impl SettingsFile {
    /// Reads it.
    ///
    /// # Errors
    /// One sentence: it is no regular file, too large, no text, a link to nothing or may not be read.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let refused = |what: &dyn std::fmt::Display| format!("cannot read {}: {what}", path.display());
        let folder = path.parent().map(Path::to_path_buf);
        let seen = match path.symlink_metadata() {
            Ok(seen) => seen,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: path.to_path_buf(), folder, text: None });
            }
            Err(error) => return Err(refused(&error)),
        };
        let real = path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if seen.is_symlink() => refused(&"it is a link to a missing file"),
            _ => refused(&error),
        })?;
        let seen = real.metadata().map_err(|error| refused(&error))?;
        if !seen.is_file() || seen.len() > MAX_SETTINGS_FILE_BYTES {
            return Err(refused(&if seen.is_file() { "it is too large" } else { "it is not a regular file" }));
        }
        let text = std::fs::read(&real).map_err(|error| refused(&error))?;
        let text = String::from_utf8(text).map_err(|_| refused(&"it is not UTF-8 text"))?;
        Ok(Self { path: real, folder, text: Some(text) })
    }

    /// The content.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// The file itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts our hooks in.
    ///
    /// # Errors
    /// One sentence; nothing is written then.
    pub(super) fn install(&self, command: &str, events: &[HookEvent], now: &str) -> Result<Done, String> {
        let new = merge::install(self.text(), command, events).map_err(|why| self.refused(&why))?;
        if self.text.as_deref() == Some(new.as_str()) {
            return Ok(Done { unchanged: true, ..Done::default() });
        }
        if self.text.is_none()
            && let Some(folder) = self.path.parent()
        {
            std::fs::create_dir_all(folder).map_err(|error| self.unwritten(&error))?;
        }
        let copy = self.copied(now).map_err(|error| self.unwritten(&error))?;
        if let Err(error) = self.write(&new) {
            // The original is unchanged.
            copy.into_iter().for_each(|copy| drop(std::fs::remove_file(copy)));
            return Err(self.unwritten(&error));
        }
        Ok(Done { copy, ..Done::default() })
    }

    /// Takes our hooks out. No copy is made: the removed part is ours and can be installed again.
    ///
    /// # Errors
    /// One sentence; nothing is written then.
    pub(super) fn uninstall(&self) -> Result<Done, String> {
        let found = merge::ours(self.text()).map_err(|why| self.refused(&why))?;
        if found.is_empty() {
            return Ok(Done { unchanged: true, ..Done::default() });
        }
        let bare = merge::uninstall(self.text()).map_err(|why| self.refused(&why))?;
        let copies = self.copies();
        let command = merge::command_of(&found).unwrap_or_default();
        let events = events_of(&found);
        let made_of = |text: &str| merge::install(text, command, &events).is_ok_and(|made| made == self.text());
        // The earlier content, if nothing else has changed since: so even white space is restored.
        let before =
            copies.iter().find(|(_, text)| merge::ours(text).is_ok_and(|ours| ours.is_empty()) && made_of(text));
        if before.is_none() && made_of("") {
            self.remove().map_err(|error| self.unwritten(&error))?;
            self.remove_equal_copies(&copies, "{}");
            return Ok(Done { removed: true, ..Done::default() });
        }
        let new = before.map_or(bare.as_str(), |(_, text)| text.as_str());
        self.write(new).map_err(|error| self.unwritten(&error))?;
        self.remove_equal_copies(&copies, new);
        Ok(Done::default())
    }

    fn refused(&self, why: &str) -> String {
        format!("{} is left as it is: {why}", self.path.display())
    }

    fn unwritten(&self, error: &io::Error) -> String {
        format!("{} is left as it is: {error}", self.path.display())
    }

    /// A copy of the file under a name with the time; none of a missing file.
    fn copied(&self, now: &str) -> io::Result<Option<PathBuf>> {
        let Some(text) = &self.text else { return Ok(None) };
        let time: String = now.chars().filter(char::is_ascii_alphanumeric).collect();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for number in 0..100 {
            let more = if number == 0 { String::new() } else { format!("-{number}") };
            let copy = self.path.with_file_name(format!("{name}{COPY_INFIX}{time}{more}"));
            match self.made(&copy, text) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => return done.map(|()| Some(copy)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// A new file with the rights of the old one, durable.
    fn made(&self, path: &Path, text: &str) -> io::Result<()> {
        let old = self.text.as_ref().and_then(|_| self.path.metadata().ok());
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let written = (|| {
            if let Some(old) = old {
                file.set_permissions(std::fs::Permissions::from_mode(old.mode() & 0o7777))?;
                let own = file.metadata()?;
                if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
                    std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()))?;
                }
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })();
        if written.is_err() {
            // It is half a file of ours; the error itself is reported.
            drop(std::fs::remove_file(path));
        }
        written
    }

    fn write(&self, text: &str) -> io::Result<()> {
        if self.text.is_some() && self.path.metadata()?.permissions().readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = self.path.with_file_name(format!(".{name}.task-hub-{}", std::process::id()));
        self.made(&beside, text)?;
        let moved = self.unchanged().and_then(|()| std::fs::rename(&beside, &self.path));
        if moved.is_err() {
            drop(std::fs::remove_file(&beside));
        }
        moved?;
        self.sync_folder()
    }

    /// Another program may have written since it was read: the agent itself does.
    fn unchanged(&self) -> io::Result<()> {
        let now = match std::fs::read(&self.path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            Ok(())
        } else {
            Err(io::Error::other("it changed meanwhile; try again"))
        }
    }

    /// The file, and its folder if that holds nothing else.
    fn remove(&self) -> io::Result<()> {
        self.unchanged()?;
        std::fs::remove_file(&self.path)?;
        if let Some(folder) = &self.folder {
            // It is not ours to empty.
            drop(std::fs::remove_dir(folder));
        }
        Ok(())
    }

    fn sync_folder(&self) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()
    }

    /// Copies of ours next to the file, the newest first; an unreadable one is skipped.
    fn copies(&self) -> Vec<(PathBuf, String)> {
        let name = format!("{}{COPY_INFIX}", self.path.file_name().unwrap_or_default().to_string_lossy());
        let Some(Ok(entries)) = self.path.parent().map(std::fs::read_dir) else { return Vec::new() };
        let named = |path: &PathBuf| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&name));
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(named).collect();
        // Reading a pipe of that name would wait for its writer.
        paths.retain(|path| {
            path.symlink_metadata().is_ok_and(|seen| seen.is_file() && seen.len() <= MAX_SETTINGS_FILE_BYTES)
        });
        paths.sort_unstable_by(|a, b| b.cmp(a));
        paths.into_iter().filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?))).collect()
    }

    /// Removes copies that equal the current content, with or without our hooks.
    fn remove_equal_copies(&self, copies: &[(PathBuf, String)], text: &str) {
        for (path, copy) in copies {
            let bare = merge::uninstall(copy);
            // What others left empty is taken out with ours, so it is also held against what an installation makes.
            if copy == text
                || bare.is_ok_and(|bare| bare == text || (text == "{}" && bare.trim() == "{}"))
                || is_made_of(copy, text)
            {
                // A superfluous copy does no harm.
                drop(std::fs::remove_file(path));
            }
        }
        if let Some(folder) = &self.folder
            && !self.path.exists()
        {
            drop(std::fs::remove_dir(folder));
        }
    }
}

/// The events of installed hooks.
fn events_of(found: &[InstalledHook]) -> Vec<HookEvent> {
    found.iter().filter_map(|found| named(from(&found.command), &found.event)).collect()
}

/// Settings are these others with hooks of ours.
fn is_made_of(settings: &str, others: &str) -> bool {
    let Ok(found) = merge::ours(settings) else { return false };
    let events = events_of(&found);
    let made = merge::command_of(&found).map(|command| merge::install(others, command, &events));
    made.is_some_and(|made| made.is_ok_and(|made| made == settings))
}

#[cfg(test)]
mod tests;
