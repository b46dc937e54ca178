//! Decompression of zstd-compressed archives (`contract/sessions.md` §7). The unpacked size is limited to 256 MiB; the
//! size in the frame header is not trusted.

use std::fs::File;
use std::io::{self, Read as _};

use crate::fs::sandbox::OpenDenied;

/// Bytes that an archive may hold, unpacked.
pub const UNPACKED_LIMIT: u64 = 256 << 20;
/// A frame may need a window of at most 128 MiB, as the library's own tool has it.
const WINDOW_LOG_MAX: u32 = 27;

/// All bytes of an archive.
pub(super) fn unpack(file: File) -> io::Result<Vec<u8>> {
    within(file, UNPACKED_LIMIT)
}

pub(super) fn within(packed: impl io::Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut decoder = zstd::stream::read::Decoder::new(packed)?;
    decoder.window_log_max(WINDOW_LOG_MAX)?;
    let mut bytes = Vec::new();
    decoder.take(limit + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        // A transcript has a header at least: this is what is left of one.
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        length if length > limit => Err(OpenDenied::TooLarge.into()),
        _ => Ok(bytes),
    }
}
