//! Redaction of private network addresses.

use core::net::{Ipv4Addr, Ipv6Addr};

const ADDRESS: &str = "[redacted-address]";
/// Bytes of the shortest, `fe80::`.
const MIN_ADDRESS_BYTES: usize = 6;
/// Bytes of the longest.
const MAX_ADDRESS_BYTES: usize = 48;
/// Beginnings of addresses of pages.
const PAGES: [&str; 4] = ["http://", "https://", "ws://", "wss://"];

/// The text without addresses inside a network that are words of their own; those of pages
/// [`mask`](transcripts::transcript::mask) hides as a whole.
pub(super) fn addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut before) = (text, "");
    while !rest.is_empty() {
        // Not the whole run: it may be as long as the text, and each colon in it is a new beginning.
        let of_one = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':');
        let length = rest.bytes().take(MAX_ADDRESS_BYTES).take_while(of_one).count();
        let own = || before.chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'));
        let of_page = || PAGES.iter().any(|scheme| before.trim_end_matches('[').ends_with(scheme));
        let run = rest.get(..length).filter(|run| run.len() >= MIN_ADDRESS_BYTES);
        let found = run.and_then(inner).filter(|_| own() && !of_page());
        out.push_str(if found.is_some() { ADDRESS } else { "" });
        let passed = found.unwrap_or(0);
        // Behind a colon, one may begin after all: `host:10.0.0.1`.
        let step = || rest[..length].find(':').map_or(length, |colon| colon + 1);
        let more = found.unwrap_or_else(|| step().max(rest.chars().next().map_or(1, char::len_utf8)));
        out.push_str(&rest[passed..more]);
        before = &text[..text.len() - rest.len() + more];
        rest = &rest[more..];
    }
    out
}

/// How long the address is with which a run of digits and their marks begins, where it is one inside a network.
fn inner(run: &str) -> Option<usize> {
    let four = run.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(run.len());
    let four = run[..four].trim_end_matches('.');
    if let Ok(address) = four.parse::<Ipv4Addr>() {
        let shared = matches!(address.octets(), [100, 64..=127, ..]);
        return (address.is_private() || address.is_link_local() || shared).then_some(four.len());
    }
    let six = run.trim_end_matches(['.', ':']);
    let address = six.parse::<Ipv6Addr>().ok()?;
    (address.is_unique_local() || address.is_unicast_link_local()).then_some(six.len())
}

#[cfg(test)]
mod tests {
    use super::super::hide;

    #[test]
    fn c6_private_addresses_are_hidden() {
        for (text, expected) in [
            ("connect ECONNREFUSED 10.0.0.5:5432", "connect ECONNREFUSED [redacted-address]:5432"),
            ("ssh app@192.168.10.12.", "ssh app@[redacted-address]."),
            ("host:10.0.0.5,db:172.16.0.1", "host:[redacted-address],db:[redacted-address]"),
            ("at fd12:3456::1, fe80::1", "at [redacted-address], [redacted-address]"),
            ("redis://10.0.0.5:6379 http://10.0.0.5/x", "redis://[redacted-address]:6379 [redacted-internal-url]"),
            (
                "1.10.0.0.5 v10.0.0.1 8.8.8.8 a::b std::fmt 12:30:00",
                "1.10.0.0.5 v10.0.0.1 8.8.8.8 a::b std::fmt 12:30:00",
            ),
        ] {
            assert_eq!(hide(text), expected);
            assert_eq!(hide(expected), expected);
        }
    }
}
