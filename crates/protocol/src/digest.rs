//! SHA-256 digests as text.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of a text in hexadecimal letters, cut to the first `letters` of its 64.
#[must_use]
pub fn digest_hex(text: &str, letters: usize) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing into a text cannot fail.
        write!(out, "{byte:02x}").unwrap_or_default();
    }
    out.truncate(letters);
    out
}
