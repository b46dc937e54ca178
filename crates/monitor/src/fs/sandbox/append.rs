//! Write operations inside the sandbox: opening a file for appending, creating a folder, and syncing a folder to disk.
//! Only regular files are opened, and no link is followed.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::{Dir, FileMeta, OpenDenied};

impl Dir {
    /// A folder directly below this one, created for this user alone if missing.
    ///
    /// # Errors
    /// When it cannot be created, or the name is taken by something else.
    pub fn made_folder(&self, name: &str) -> io::Result<Self> {
        match rustix::fs::mkdirat(&self.handle, name, Mode::RWXU) {
            Ok(()) => self.sync()?,
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        self.folder(name)
    }

    /// Opens a file directly below this folder for reading and for appending, created for this user alone if missing.
    /// It never waits, whatever kind of file has the name.
    ///
    /// # Errors
    /// When it is no regular file or a link, or may not be written.
    pub fn append(&self, name: &str) -> io::Result<File> {
        match FileMeta::from_path(self.handle.as_fd(), Path::new(name)) {
            // Opening a device can make it do something.
            Ok(seen) => drop(seen.regular()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = rustix::fs::openat(&self.handle, name, flags, Mode::RUSR | Mode::WUSR);
        let handle = opened.map_err(|error| match error {
            rustix::io::Errno::LOOP => io::Error::from(OpenDenied::Link),
            rustix::io::Errno::NXIO => OpenDenied::NotRegular.into(),
            error => error.into(),
        })?;
        FileMeta::from_handle(&handle)?.regular()?;
        Ok(File::from(handle))
    }

    /// Makes changes of this folder durable.
    ///
    /// # Errors
    /// The error of the disk.
    pub fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::fsync(rustix::fs::openat(&self.handle, ".", flags, Mode::empty())?)?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn append_needs_regular_file_and_follows_no_link() {
        let dir = tempfile::tempdir().expect("dir");
        let (home, outside) = (dir.path().join("home"), dir.path().join("outside"));
        std::fs::create_dir_all(&home).expect("home");
        std::fs::create_dir(&outside).expect("outside");
        std::fs::write(outside.join("file"), "theirs").expect("file");
        let root = Dir::root(&home).expect("root");
        let logs = root.made_folder("logs").expect("made");
        for _ in 0..2 {
            logs.append("ours").expect("append").write_all(b"line\n").expect("write");
        }
        assert_eq!(std::fs::read(home.join("logs/ours")).expect("read"), b"line\nline\n");
        let mode = |path: &str| std::fs::metadata(home.join(path)).expect("seen").permissions().mode() & 0o777;
        assert_eq!((mode("logs/ours"), mode("logs")), (0o600, 0o700));
        symlink(outside.join("file"), home.join("logs/link")).expect("link");
        symlink(outside.join("new"), home.join("logs/loose")).expect("link");
        symlink(&outside, home.join("away")).expect("link");
        rustix::fs::mkfifoat(rustix::fs::CWD, home.join("logs/pipe"), Mode::RWXU).expect("pipe");
        for name in ["link", "loose", "pipe"] {
            assert!(OpenDenied::from_io_error(&logs.append(name).expect_err(name)).is_some(), "{name}");
        }
        assert!(OpenDenied::from_io_error(&root.made_folder("away").expect_err("away")).is_some());
        assert_eq!(std::fs::read(outside.join("file")).expect("read"), b"theirs");
        assert!(!outside.join("new").exists());
        // An open folder stays the same folder, whatever takes its name.
        std::fs::rename(home.join("logs"), home.join("old")).expect("rename");
        symlink(&outside, home.join("logs")).expect("link");
        logs.append("file").expect("append").write_all(b"ours").expect("write");
        assert_eq!(std::fs::read(home.join("old/file")).expect("read"), b"ours");
    }
}
