//! Percent-encoding of one path segment or query value, for links of the page and of alerts.

use std::fmt::Write as _;

/// Encodes one path segment or query value. Characters that read well in a shared link and are safe there
/// (`:`, `@`, `,`) stay as they are.
#[must_use]
pub fn url_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' | b'@' | b',' => {
                out.push(char::from(byte));
            }
            _ => {
                // Writing into a text cannot fail.
                write!(out, "%{byte:02X}").unwrap_or_default();
            }
        }
    }
    out
}
