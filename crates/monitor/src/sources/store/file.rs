//! Reader of OpenClaw's session store files, which OpenClaw always rewrites as a whole. Such a file may be empty or
//! incomplete for a moment, so reading is retried before the file counts as damaged (`contract/sessions.md` §2.1: three
//! tries, 50 ms).

use std::time::Duration;

use crate::fs::sandbox::{Dir, OpenDenied};
use crate::sources::workspace::{ReadError, read_text};

/// A store is at most this large: its writer turns it over at 10 MiB.
const MAX_STORE_BYTES: u64 = 64 << 20;
const MAX_READ_ATTEMPTS: u32 = 3;
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// Reads and parses a file; a failure to parse is tried again.
pub(super) fn read<T>(
    folder: &Dir,
    name: &str,
    parse: &dyn Fn(&str) -> Result<T, String>,
    pause: &dyn Fn(Duration),
) -> Result<T, ReadError> {
    let mut failed = ReadError::Missing;
    for attempt in 1..=MAX_READ_ATTEMPTS {
        match read_text(folder, name, MAX_STORE_BYTES) {
            Ok(text) => match parse(&text) {
                Ok(value) => return Ok(value),
                Err(cause) => failed = ReadError::Unreadable(cause),
            },
            // Between the two names of a rename on some systems; a link or a pipe stays one.
            Err(ReadError::Missing) if attempt > 1 => {}
            Err(ReadError::Unreadable(cause)) if cause != OpenDenied::TooLarge.to_string() => {
                return Err(ReadError::Unreadable(cause));
            }
            Err(error) => return Err(error),
        }
        if attempt < MAX_READ_ATTEMPTS {
            pause(RETRY_PAUSE);
        }
    }
    Err(failed)
}
