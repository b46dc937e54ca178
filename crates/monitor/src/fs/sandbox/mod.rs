//! Sandbox for files below one folder. Files are opened from the folder's handle and never through a symbolic link.
//! Checks use the opened file, so no other file can take its place between check and read.

mod append;
mod file_meta;
mod moves;
mod open_denied;
mod resolve;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

pub use file_meta::FileMeta;
pub use open_denied::OpenDenied;

use resolve::{HANDLE, ResolveMode};

/// A folder held open. It stays the folder that was opened, whatever takes its path later.
#[derive(Debug)]
pub struct Dir {
    handle: OwnedFd,
    mode: ResolveMode,
}

impl Dir {
    /// Opens a folder that an operator named. Its own path may lead through links, which are resolved here once;
    /// everything below it may not.
    ///
    /// # Errors
    /// When there is none, it is no folder, or it may not be opened.
    pub fn root(path: &Path) -> io::Result<Self> {
        // An empty path is how `parent` writes the current folder.
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let handle = rustix::fs::open(path, HANDLE | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { handle, mode: ResolveMode::usual() })
    }

    /// A folder below this one.
    ///
    /// # Errors
    /// When it is missing, no folder, behind a link or not below this one.
    pub fn folder(&self, below: impl AsRef<Path>) -> io::Result<Self> {
        let steps = steps(below.as_ref())?;
        let opened = self.mode.open(self.handle.as_fd(), &steps, HANDLE | OFlags::DIRECTORY);
        match opened {
            Ok(handle) => Ok(Self { handle, mode: self.mode }),
            Err(error) => Err(self.why(&steps, error)),
        }
    }

    /// Metadata of a path below this folder, without opening it; a link is not followed.
    ///
    /// # Errors
    /// When it is missing, behind a link or not below this folder.
    pub fn metadata(&self, below: impl AsRef<Path>) -> io::Result<FileMeta> {
        let steps = steps(below.as_ref())?;
        match steps.split_last() {
            None => FileMeta::from_handle(&self.handle),
            Some((name, [])) => FileMeta::from_path(self.handle.as_fd(), name),
            Some((name, way)) => {
                let folder = self.folder(way.iter().collect::<PathBuf>())?;
                FileMeta::from_path(folder.handle.as_fd(), name)
            }
        }
    }

    /// Opens a regular file below this folder for reading; returns its metadata too. It never waits, whatever kind of
    /// file is there.
    ///
    /// # Errors
    /// When it is missing, no regular file, a link or behind one, not below this folder, or may not be read.
    pub fn open(&self, below: impl AsRef<Path>) -> io::Result<(File, FileMeta)> {
        let steps = steps(below.as_ref())?;
        let Some((name, way)) = steps.split_last() else { return Err(OpenDenied::NotRegular.into()) };
        let inner;
        let folder = if way.is_empty() {
            self
        } else {
            inner = self.folder(way.iter().collect::<PathBuf>())?;
            &inner
        };
        // Opening a device can make it do something, so only a regular file is opened at all. The check of the opened
        // file below decides.
        FileMeta::from_path(folder.handle.as_fd(), name)?.regular()?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = folder.mode.open(folder.handle.as_fd(), std::slice::from_ref(name), flags);
        let handle = opened.map_err(|error| match error.raw_os_error() {
            Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => OpenDenied::Link.into(),
            // A socket.
            Some(code) if code == rustix::io::Errno::NXIO.raw_os_error() => OpenDenied::NotRegular.into(),
            _ => error,
        })?;
        let meta = FileMeta::from_handle(&handle)?.regular()?;
        Ok((File::from(handle), meta))
    }

    /// All bytes of a regular file below this folder, if they are at most `limit`.
    ///
    /// # Errors
    /// As [`Dir::open`], and when the file is larger.
    pub fn read(&self, below: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
        let (file, meta) = self.open(below)?;
        bounded(&file, &meta, limit)
    }

    /// Names in this folder, sorted. Names that are not UTF-8 are skipped.
    ///
    /// # Errors
    /// When the folder may not be listed.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let listing = rustix::fs::openat(&self.handle, ".", flags, Mode::empty())?;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::new(listing)? {
            if let Ok(name) = entry?.file_name().to_str()
                && name != "."
                && name != ".."
            {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Why a folder could not be opened, in one word where that is known: systems report a link in its place in the
    /// same way as a file.
    fn why(&self, steps: &[PathBuf], error: io::Error) -> io::Error {
        use rustix::io::Errno;
        let raw = error.raw_os_error();
        if ![Errno::NOTDIR, Errno::LOOP].iter().any(|code| Some(code.raw_os_error()) == raw) {
            return error;
        }
        for end in 1..=steps.len() {
            let (way, name) = (&steps[..end - 1], &steps[end - 1]);
            let folder = self.mode.open(self.handle.as_fd(), way, HANDLE | OFlags::DIRECTORY);
            let Ok(meta) = folder.and_then(|folder| FileMeta::from_path(folder.as_fd(), name)) else { break };
            match meta.kind() {
                FileType::Directory => {}
                FileType::Symlink => return OpenDenied::Link.into(),
                _ => return OpenDenied::NotFolder.into(),
            }
        }
        // It was swapped between the two looks.
        if raw == Some(Errno::LOOP.raw_os_error()) { OpenDenied::Link.into() } else { OpenDenied::NotFolder.into() }
    }
}

/// All bytes of an opened file, if they are at most `limit`; a file that grows meanwhile cannot give more.
///
/// # Errors
/// When there are more, or they cannot be read.
pub fn bounded(file: &File, meta: &FileMeta, limit: u64) -> io::Result<Vec<u8>> {
    if meta.size > limit {
        return Err(OpenDenied::TooLarge.into());
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(OpenDenied::TooLarge.into()) } else { Ok(bytes) }
}

/// The plain names a path consists of. Nothing that could lead upwards or elsewhere is among them.
fn steps(below: &Path) -> io::Result<Vec<PathBuf>> {
    let named = below.components().filter(|step| *step != Component::CurDir);
    named
        .map(|step| match step {
            Component::Normal(name) => Ok(PathBuf::from(name)),
            _ => Err(OpenDenied::Outside.into()),
        })
        .collect()
}
