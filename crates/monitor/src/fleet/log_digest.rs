//! Type `LogDigest`: the SHA-256 of all bytes of a log so far.

use coordination::digest::hex;
use sha2::{Digest as _, Sha256};

/// A digest that grows with its log.
#[derive(Debug, Clone, Default)]
pub(super) struct LogDigest(Sha256);

impl LogDigest {
    /// Hexadecimal digits of a digest.
    pub(super) const LETTERS: usize = 64;

    /// Appends bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of the bytes so far.
    pub(super) fn hex(&self) -> String {
        hex(&self.0.clone().finalize())
    }
}
