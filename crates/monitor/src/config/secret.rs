//! Types for the two secrets that authorise writes. [`Secret`] is the write token, stored only as a digest.
//! [`PageSession`] is the session of the monitor's own page; its text is stored, because it is sent in a cookie.
//! Digests are compared in constant time. Debug output shows neither secret.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::random::random_hex;

/// A token below this many bytes can be guessed (at least 128 bits).
pub const SHORTEST_TOKEN: usize = 16;

/// A secret that cannot show itself: nothing but its digest and length are kept. It has no equality of its own, so
/// that no comparison but [`Secret::matches`] compiles.
#[derive(Clone)]
pub struct Secret {
    digest: [u8; 32],
    bytes: usize,
}

impl Secret {
    /// The secret that a text is, without the white space around it. Blank text is no secret.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self { digest: Sha256::digest(text).into(), bytes: text.len() })
    }

    /// Whether this was given, in the same time whatever was given: both digests are equally long.
    #[must_use]
    pub fn matches(&self, given: &[u8]) -> bool {
        let given: [u8; 32] = Sha256::digest(given).into();
        given.ct_eq(&self.digest).into()
    }

    /// Whether it has fewer than [`SHORTEST_TOKEN`] bytes.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.bytes < SHORTEST_TOKEN
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The session of our own page: new with every run, handed out in a cookie and nowhere else.
pub(crate) struct PageSession {
    text: String,
    secret: Secret,
}

impl PageSession {
    /// 128 random bits.
    pub(crate) fn fresh() -> Self {
        let text = random_hex::<16>();
        let secret = Secret { digest: Sha256::digest(&text).into(), bytes: text.len() };
        Self { text, secret }
    }

    /// Value of the cookie; for `Set-Cookie` only.
    pub(crate) fn for_cookie(&self) -> &str {
        &self.text
    }

    /// Whether this was given.
    pub(crate) fn matches(&self, given: &[u8]) -> bool {
        self.secret.matches(given)
    }
}

impl std::fmt::Debug for PageSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PageSession(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_answers_and_does_not_show_itself() {
        let secret = Secret::new("  s3cret ").expect("secret");
        assert!(secret.matches(b"s3cret") && secret.is_short());
        for wrong in [&b"s3cre"[..], b"s3crets", b"S3CRET", b"", b" s3cret "] {
            assert!(!secret.matches(wrong), "{wrong:?}");
        }
        assert_eq!(format!("{secret:?} {:#?}", PageSession::fresh()), "Secret(…) PageSession(…)");
        assert!(Secret::new("   ").is_none());
        assert!(!Secret::new("0123456789abcdef").expect("secret").is_short());
    }

    #[test]
    fn every_run_has_a_session_of_its_own() {
        let (one, other) = (PageSession::fresh(), PageSession::fresh());
        assert!(one.matches(one.for_cookie().as_bytes()) && !one.matches(other.for_cookie().as_bytes()));
        let length = one.for_cookie().len();
        assert_eq!(length, 32, "128 bits in hexadecimal digits");
    }

    /// Text has equality, a secret has none: a method of a reference is only found where the value's own is missing.
    #[test]
    fn nothing_compares_or_prints_a_secret_by_itself() {
        trait FormatsOpenly {
            fn is_open(&self) -> bool {
                true
            }
        }
        trait Shut {
            fn is_open(&self) -> bool {
                false
            }
        }
        struct Compared<T>(std::marker::PhantomData<T>);
        struct Printed<T>(std::marker::PhantomData<T>);
        impl<T: PartialEq> FormatsOpenly for Compared<T> {}
        impl<T> Shut for &Compared<T> {}
        impl<T: std::fmt::Display> FormatsOpenly for Printed<T> {}
        impl<T> Shut for &Printed<T> {}
        fn compared<T>() -> Compared<T> {
            Compared(std::marker::PhantomData)
        }
        fn printed<T>() -> Printed<T> {
            Printed(std::marker::PhantomData)
        }
        assert!(compared::<String>().is_open() && printed::<String>().is_open(), "the probe can see it");
        assert!(!(&compared::<Secret>()).is_open() && !(&compared::<PageSession>()).is_open());
        assert!(!(&printed::<Secret>()).is_open() && !(&printed::<PageSession>()).is_open());
    }
}
