//! Rename and removal of a file directly in a folder of the sandbox, for the rotation of the drop file
//! (`logs/hook-events.ndjson`). A rename does not replace an existing file.

use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

use rustix::io::Errno;

use super::{Dir, FileMeta};

impl Dir {
    /// Renames an entry directly below this folder. An existing entry of the new name stays: then it is refused.
    ///
    /// # Errors
    /// When the old name does not exist, the new one does, or the folder may not be written.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        match renamed(self, from, to) {
            // A file system that cannot promise it is looked at first.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                match FileMeta::from_path(self.handle.as_fd(), Path::new(to)) {
                    Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        Ok(rustix::fs::renameat(&self.handle, from, &self.handle, to)?)
                    }
                    Err(error) => Err(error),
                }
            }
            done => Ok(done?),
        }
    }

    /// Removes the name of a file. A process that has it open continues to use it.
    ///
    /// # Errors
    /// When the name does not exist, it is a folder, or this folder may not be written.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.handle, name, rustix::fs::AtFlags::empty())?)
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn renamed(folder: &Dir, from: &str, to: &str) -> Result<(), Errno> {
    rustix::fs::renameat_with(&folder.handle, from, &folder.handle, to, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn renamed(_: &Dir, _: &str, _: &str) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn rename_never_replaces_files_or_link_targets() {
        let dir = tempfile::tempdir().expect("dir");
        let path = |name: &str| dir.path().join(name);
        let root = Dir::root(dir.path()).expect("root");
        std::fs::write(path("one"), "1").expect("file");
        std::fs::write(path("other"), "2").expect("file");
        symlink(path("other"), path("link")).expect("link");
        for taken in ["other", "link"] {
            let error = root.rename("one", taken).expect_err(taken);
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{taken}");
        }
        root.rename("one", "new").expect("renamed");
        assert_eq!(std::fs::read(path("new")).expect("read"), b"1");
        assert_eq!(root.rename("one", "newer").expect_err("gone").kind(), io::ErrorKind::NotFound);
        root.remove("link").expect("removed");
        assert_eq!(std::fs::read(path("other")).expect("read"), b"2");
        assert!(root.remove("link").is_err() && root.remove("..").is_err());
    }
}
