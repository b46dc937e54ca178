//! Fuzz target of the line reader. No input causes a panic. Each complete line that is not blank becomes an event or an
//! error. A file that is read in two parts, cut at a line break, gives the same result as the whole file.
#![no_main]

use coordination::event::read_lines;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = read_lines(bytes, "file", 0);
    let blank = |line: &[u8]| line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).iter().all(u8::is_ascii_whitespace);
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes[..complete].split_inclusive(|byte| *byte == b'\n').filter(|line| !blank(line)).count();
    assert!(whole.events.len() + whole.errors.len() >= lines, "each line is an event or counted as bad");
    let middle = bytes[..complete / 2].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (first, rest) = bytes.split_at(middle);
    let mut pieces = read_lines(first, "file", 0);
    let rest = read_lines(rest, "file", middle as u64);
    pieces.events.extend(rest.events);
    pieces.errors.extend(rest.errors);
    assert_eq!(pieces.events, whole.events);
    assert_eq!(pieces.errors, whole.errors);
});
