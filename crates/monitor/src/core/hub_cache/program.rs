//! Identity of the running program: size and checksum of its file. The hub's cache on disk contains the identity of the
//! program that wrote it. Another build does not read it, because it may store or compute values differently.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// The program by its file: the bytes, and metadata that make comparing them unnecessary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProgramIdentity {
    /// Device, inode, and time of the last change in seconds and nanoseconds.
    inode: (u64, u64, i64, i64),
    bytes: u64,
    checksum: u32,
}

impl ProgramIdentity {
    /// The running program; `None` when its file cannot be read.
    pub(super) fn current() -> Option<Self> {
        static CURRENT: OnceLock<Option<ProgramIdentity>> = OnceLock::new();
        *CURRENT.get_or_init(|| Self::read().ok())
    }

    /// True for the running program. Its bytes are read only when its file is another one.
    pub(super) fn is_this(self) -> bool {
        let unchanged = program().and_then(|file| file.metadata()).is_ok_and(|meta| {
            self.inode == (meta.dev(), meta.ino(), meta.ctime(), meta.ctime_nsec()) && self.bytes == meta.len()
        });
        let same = |current: Self| (current.bytes, current.checksum) == (self.bytes, self.checksum);
        unchanged || Self::current().is_some_and(same)
    }

    /// A build with other bytes.
    #[cfg(test)]
    pub(super) fn other_build(self) -> Self {
        Self { inode: (0, 0, 0, 0), checksum: !self.checksum, ..self }
    }

    fn read() -> io::Result<Self> {
        let mut file = program()?;
        let meta = file.metadata()?;
        let mut checksum = crc32fast::Hasher::new();
        let mut piece = vec![0; 1 << 20];
        loop {
            let read = file.read(&mut piece)?;
            if read == 0 {
                break;
            }
            checksum.update(&piece[..read]);
        }
        let inode = (meta.dev(), meta.ino(), meta.ctime(), meta.ctime_nsec());
        Ok(Self { inode, bytes: meta.len(), checksum: checksum.finalize() })
    }
}

/// The file of the running program, even when another one has its name by now.
fn program() -> io::Result<File> {
    let running = Path::new("/proc/self/exe");
    File::open(running).or_else(|_| File::open(std::env::current_exe()?))
}

#[cfg(test)]
mod tests {
    use super::ProgramIdentity;

    #[test]
    fn program_is_recognised_by_metadata_or_bytes() {
        let current = ProgramIdentity::current().expect("this program");
        assert!(current.is_this());
        assert!(ProgramIdentity { inode: (0, 0, 0, 0), ..current }.is_this(), "copied");
        assert!(!current.other_build().is_this());
    }
}
