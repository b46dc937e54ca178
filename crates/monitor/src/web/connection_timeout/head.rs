//! Incremental scanner of a request head: its size, its end, whether it has both `Content-Length` and
//! `Transfer-Encoding`, and whether a browser requests a page. A request with both headers is refused; the HTTP parser
//! after the scanner would silently drop one of them.

/// Longest header name that is recognised.
const MAX_HEADER_NAME_BYTES: usize = 18;

/// A head half read.
#[derive(Debug, Default)]
pub(super) struct RequestHead {
    /// Number of bytes read.
    pub(super) bytes: usize,
    /// Length of the current line.
    line: usize,
    /// A line that is not empty was read.
    begun: bool,
    /// Beginning of the current line, in small letters.
    name: [u8; MAX_HEADER_NAME_BYTES],
    /// A `Content-Length` header was read.
    has_length: bool,
    /// A `Transfer-Encoding` header was read.
    has_encoding: bool,
    /// A browser requests a page: `Accept` begins with `text/html`.
    navigates: bool,
}

/// Set for a request that has both `Content-Length` and `Transfer-Encoding`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConflictingLength;

impl RequestHead {
    /// Reads on; true when the head is whole.
    pub(super) fn read(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            self.bytes += 1;
            match byte {
                b'\r' => {}
                b'\n' => {
                    let name = &self.name[..self.line.min(MAX_HEADER_NAME_BYTES)];
                    self.has_length |= name.starts_with(b"content-length:");
                    self.navigates |= name.starts_with(b"accept: text/html") || name.starts_with(b"accept:text/html");
                    self.has_encoding |= name.starts_with(b"transfer-encoding:");
                    // Empty lines before a request do not belong to its head (RFC 9112 §2.2).
                    match std::mem::take(&mut self.line) {
                        0 if self.begun => return true,
                        0 => {}
                        _ => self.begun = true,
                    }
                }
                byte => {
                    if let Some(place) = self.name.get_mut(self.line) {
                        *place = byte.to_ascii_lowercase();
                    }
                    self.line += 1;
                }
            }
        }
        false
    }

    /// True once the head shows that a browser navigates; that header comes before cookies.
    pub(super) fn navigates(&self) -> bool {
        self.navigates
    }

    pub(super) fn has_two_lengths(&self) -> bool {
        self.has_length && self.has_encoding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, step: usize) -> (bool, bool) {
        let mut head = RequestHead::default();
        let whole = text.as_bytes().chunks(step).any(|bytes| head.read(bytes));
        (whole, head.has_two_lengths())
    }

    #[test]
    fn head_ends_at_empty_line_in_any_pieces() {
        for step in [1, 3, 1000] {
            assert_eq!(read("GET / HTTP/1.1\r\nHost: a\r\n\r\n", step), (true, false));
            assert_eq!(read("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n", step), (false, false));
            assert_eq!(read("GET / HTTP/1.1\nHost: a\n\n", step), (true, false));
        }
    }

    #[test]
    fn conflicting_lengths_are_found_only_in_head() {
        for step in [1, 7, 1000] {
            assert_eq!(read("A\r\nContent-Length: 1\r\nTRANSFER-encoding: chunked\r\n\r\n", step), (true, true));
            assert_eq!(read("A\r\ntransfer-encoding: chunked\r\ncontent-length:1\r\n\r\n", step), (true, true));
            assert_eq!(read("A\r\nx-content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", step), (true, false));
        }
        assert_eq!(read("A\r\ncontent-length: 9\r\n\r\ntransfer-encoding: chunked\r\n", 1), (true, false));
    }
}
