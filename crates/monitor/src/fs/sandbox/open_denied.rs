//! Error type for paths that the sandbox refuses to read. Its messages are short and fixed: lists of unreadable files
//! contain them, and the page translates them.

use std::io;

/// Why an existing path may not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenDenied {
    /// A symbolic link, or something behind one.
    #[error("a link")]
    Link,
    /// A path that leads upwards or begins elsewhere.
    #[error("leads outside its folder")]
    Outside,
    /// A pipe, a socket, a device or a folder.
    #[error("not a regular file")]
    NotRegular,
    /// Something else where a folder is looked for.
    #[error("not a folder")]
    NotFolder,
    /// More bytes than such a file may hold.
    #[error("too large")]
    TooLarge,
}

impl OpenDenied {
    /// The refusal inside an error, if it is one.
    #[must_use]
    pub fn from_io_error(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<OpenDenied> for io::Error {
    fn from(refusal: OpenDenied) -> Self {
        Self::other(refusal)
    }
}
