//! Minimal passes over files: a lower bound for the cost of any reader of the same bytes.

use std::fs::File;
use std::hint::black_box;
use std::io::Read as _;
use std::path::PathBuf;
use std::time::Instant;

use coordination::event::parse_lines;

/// The monitor reads its history in blocks of this size, too.
const CHUNK_BYTES: usize = 1 << 20;

/// Parses every line as the monitor does and drops the result, on one thread.
pub fn parse(files: &[PathBuf]) -> Result<(), String> {
    let start = Instant::now();
    let (mut events, mut bad, mut bytes) = (0, 0, 0);
    for file in files {
        let mut offset = 0;
        whole_lines(file, |piece| {
            let (good, errors) = parse_lines(piece, "control", offset);
            offset += piece.len() as u64;
            events += good.len();
            bad += errors.len();
            black_box(good);
        })?;
        bytes += offset;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{}", serde_json::json!({ "events": events, "bad": bad, "bytes": bytes, "seconds": seconds }));
    Ok(())
}

/// Counts the ends of lines.
pub fn lines(files: &[PathBuf]) -> Result<(), String> {
    let start = Instant::now();
    let (mut lines, mut bytes) = (0, 0);
    for file in files {
        whole_lines(file, |piece| {
            lines += memchr::memchr_iter(b'\n', piece).count();
            bytes += piece.len();
        })?;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{}", serde_json::json!({ "lines": lines, "bytes": bytes, "seconds": seconds }));
    Ok(())
}

/// Time of searching each term in all bytes, which are in memory by then: one line of JSON a term.
pub fn find(files: &[PathBuf], terms: &[String]) -> Result<(), String> {
    let mut all = Vec::new();
    for file in files {
        let read = File::open(file).and_then(|mut file| file.read_to_end(&mut all));
        read.map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    }
    for term in terms {
        let start = Instant::now();
        let found = memchr::memmem::find_iter(&all, term.as_bytes()).count();
        let seconds = start.elapsed().as_secs_f64();
        println!("{}", serde_json::json!({ "term": term, "found": found, "bytes": all.len(), "seconds": seconds }));
    }
    Ok(())
}

/// Calls `take` with pieces that end at the end of a line, in order; the last may lack it.
fn whole_lines(path: &PathBuf, mut take: impl FnMut(&[u8])) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let mut file = File::open(path).map_err(wrong)?;
    let mut held = Vec::new();
    let mut piece = vec![0; CHUNK_BYTES];
    loop {
        let read = file.read(&mut piece).map_err(wrong)?;
        if read == 0 {
            break;
        }
        held.extend_from_slice(&piece[..read]);
        if let Some(end) = memchr::memrchr(b'\n', &held) {
            take(&held[..=end]);
            held.drain(..=end);
        }
    }
    if !held.is_empty() {
        take(&held);
    }
    Ok(())
}
