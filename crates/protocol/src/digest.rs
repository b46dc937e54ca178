//! Hexadecimal text of bytes, and of a text's SHA-256 digest.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Bytes as lower-case hexadecimal digits, two per byte.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing into a text cannot fail.
        write!(out, "{byte:02x}").unwrap_or_default();
    }
    out
}

/// The 64 hexadecimal digits of the SHA-256 of bytes.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The first `letters` of the 64 hexadecimal digits of a text's SHA-256.
#[must_use]
pub fn digest_hex(text: &str, letters: usize) -> String {
    let mut out = sha256_hex(text.as_bytes());
    out.truncate(letters);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_writes_two_letters_a_byte() {
        assert_eq!(hex(&[0x00, 0x0a, 0xff, 0x1c]), "000aff1c");
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn digest_hex_is_the_sha256_of_the_text() {
        assert_eq!(digest_hex("abc", 64), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest_hex("abc", 8), "ba7816bf");
    }
}
