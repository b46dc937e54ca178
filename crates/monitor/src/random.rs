//! Generator of random identifiers and secrets, from the operating system's random source.

use coordination::digest::hex;

/// `N` random bytes as hexadecimal text.
pub(crate) fn random_hex<const N: usize>() -> String {
    let mut bytes = [0_u8; N];
    if getrandom::fill(&mut bytes).is_err() {
        // Without a source of randomness the process must not hand out guessable session secrets.
        std::process::abort();
    }
    hex(&bytes)
}
