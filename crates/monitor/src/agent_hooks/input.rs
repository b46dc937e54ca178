//! Reader of the hook input on standard input: one JSON object. It stops when the object is complete, because some
//! versions of Claude Code leave the pipe open. It also stops after a time limit. An incomplete object is then closed
//! after its last complete member.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use memchr::memchr2;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Most bytes of one event; of a longer one only the beginning is taken.
const MAX_INPUT_BYTES: usize = 64 << 20;
/// So long may the writer pause, and so long may all of it take.
const READ_IDLE_TIMEOUT: Duration = Duration::from_millis(500);
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of one read: as much as a pipe holds.
const READ_CHUNK_BYTES: usize = 64 << 10;

/// The input of a hook.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HookInput {
    /// Nothing but white space.
    Nothing,
    /// One whole value.
    Whole(Vec<u8>),
    /// The beginning of a value: it was truncated, or is longer than the limit.
    Part(Vec<u8>),
}

impl HookInput {
    /// The text, where the beginning of an object is closed behind its last whole member; nothing of less than that.
    pub(super) fn mended(self) -> Option<Vec<u8>> {
        match self {
            Self::Nothing => None,
            Self::Whole(text) => Some(text),
            Self::Part(mut text) => {
                let mut scan = JsonScan::default();
                scan.over(&text);
                text.truncate(scan.member?);
                text.push(b'}');
                Some(text)
            }
        }
    }
}

/// Reads one value.
///
/// # Errors
/// An error of the system while reading.
pub(super) fn read(input: impl AsFd) -> io::Result<HookInput> {
    let (start, mut last_read) = (Instant::now(), Instant::now());
    let (mut text, mut scan) = (Vec::new(), JsonScan::default());
    let mut piece = vec![0; READ_CHUNK_BYTES];
    while text.len() < MAX_INPUT_BYTES {
        let left =
            READ_IDLE_TIMEOUT.saturating_sub(last_read.elapsed()).min(READ_TIMEOUT.saturating_sub(start.elapsed()));
        if !ready(&input, left)? {
            break;
        }
        match rustix::io::read(&input, &mut piece) {
            Ok(0) => break,
            Ok(filled) => {
                text.extend_from_slice(&piece[..filled]);
                last_read = Instant::now();
            }
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Err(error) => return Err(error.into()),
        }
        scan.over(&text);
        if let Some(end) = scan.end {
            text.truncate(end);
            return Ok(HookInput::Whole(text));
        }
    }
    Ok(if text.iter().all(u8::is_ascii_whitespace) { HookInput::Nothing } else { HookInput::Part(text) })
}

/// Whether there is something to read, or the end, within that time.
fn ready(input: &impl AsFd, left: Duration) -> io::Result<bool> {
    if left.is_zero() {
        return Ok(false);
    }
    let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
    let wait = Timespec { tv_sec: i64::try_from(left.as_secs()).unwrap_or_default(), ..wait };
    match poll(&mut [PollFd::new(input, PollFlags::IN)], Some(&wait)) {
        Ok(found) => Ok(found > 0),
        // The wait continues, with the rest of the time.
        Err(Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Finds the end of a JSON text without interpreting it.
#[derive(Debug, Default)]
struct JsonScan {
    at: usize,
    depth: usize,
    inside: bool,
    escaped: bool,
    object: bool,
    /// Behind the last whole member of the outermost object.
    member: Option<usize>,
    end: Option<usize>,
}

impl JsonScan {
    /// Continues at its position; `text` is the text of the last call and more.
    fn over(&mut self, text: &[u8]) {
        while self.end.is_none()
            && let Some(&byte) = text.get(self.at)
        {
            if self.inside && !self.escaped {
                // An output of megabytes is one text: nothing in it matters but its end.
                let far = memchr2(b'"', b'\\', text.get(self.at..).unwrap_or_default());
                let Some(far) = far else {
                    self.at = text.len();
                    break;
                };
                self.escaped = text.get(self.at + far) == Some(&b'\\');
                self.inside = self.escaped;
                self.at += far + 1;
                continue;
            }
            self.at += 1;
            if self.escaped {
                self.escaped = false;
                continue;
            }
            match byte {
                b'"' => self.inside = true,
                b'{' | b'[' => {
                    self.object |= self.depth == 0 && byte == b'{';
                    self.depth += 1;
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.end = (self.depth == 0).then_some(self.at);
                }
                b',' if self.depth == 1 && self.object => self.member = Some(self.at - 1),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// The input read from a pipe into which these pieces were written; `open` leaves the pipe open.
    fn given(pieces: &[&[u8]], open: bool) -> (HookInput, Duration) {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let pieces: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.to_vec()).collect();
        let writing = std::thread::spawn(move || {
            for piece in pieces {
                // The reader may have finished and closed the pipe.
                writer.write_all(&piece).ok();
            }
            open.then_some(writer)
        });
        let start = Instant::now();
        let given = read(&reader).expect("read");
        let took = start.elapsed();
        drop(reader);
        drop(writing.join().expect("written"));
        (given, took)
    }

    fn whole(text: &str) -> HookInput {
        HookInput::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn value_is_complete_at_its_last_bracket() {
        for text in [r#"{}"#, r#"{"a":"}\"]","b":[{"c":"\\"}]}"#, "[1,{\"a\":2}]", "{\"한\":\"글\"}"] {
            assert_eq!(given(&[text.as_bytes()], false).0, whole(text), "{text}");
            for cut in 1..text.len() {
                let (a, b) = text.as_bytes().split_at(cut);
                assert_eq!(given(&[a, b], false).0, whole(text), "{text} cut at {cut}");
            }
        }
        assert_eq!(given(&[b" \n{\"a\":1}\nmore"], false).0, whole(" \n{\"a\":1}"));
    }

    #[test]
    fn open_pipe_is_not_awaited_after_complete_value() {
        let (given, took) = given(&[b"{\"a\":", b"1}"], true);
        assert_eq!(given, whole("{\"a\":1}"));
        assert!(took < READ_IDLE_TIMEOUT, "{took:?}: its end was waited for");
    }

    #[test]
    fn empty_and_partial_input_differ_after_timeout() {
        assert_eq!(given(&[], false).0, HookInput::Nothing);
        assert_eq!(given(&[b" \n "], true).0, HookInput::Nothing);
        assert_eq!(given(&[b"{\"a\":1,\"b\":\"x"], true).0, HookInput::Part(b"{\"a\":1,\"b\":\"x".to_vec()));
        assert_eq!(given(&[b"nonsense"], false).0, HookInput::Part(b"nonsense".to_vec()));
    }

    #[test]
    fn truncated_input_keeps_complete_members() {
        let mended = |text: &str| HookInput::Part(text.as_bytes().to_vec()).mended();
        assert_eq!(mended(r#"{"a":{"x":1,"y":2},"b":[1,2],"c":"cut, here"#).as_deref(), {
            Some(&br#"{"a":{"x":1,"y":2},"b":[1,2]}"#[..])
        });
        for none in ["", "{", "{\"a\":1", "[1,2,3", "nonsense, more", "\"a\",\"b\""] {
            assert_eq!(mended(none), None, "{none}");
        }
    }
}
