//! One home with the lines of several homes, in the order of their times: what one monitor would have of a fleet.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use bench::home::logs;
use memchr::memmem;

/// Lines of all logs of a home; each is an event.
pub fn lines_of(home: &Path) -> Result<u64> {
    let (files, _) = logs(home)?;
    let count = |file: &PathBuf| Ok(memchr::memchr_iter(b'\n', &std::fs::read(file)?).count() as u64);
    files.iter().map(count).sum()
}

/// Writes a home that has the lines of all, and the configuration of the first.
pub fn merge_homes(homes: &[PathBuf], target: &Path) -> Result<()> {
    let first = homes.first().context("no home to merge")?;
    std::fs::create_dir_all(target.join("logs"))?;
    std::fs::copy(first.join("openclaw.json"), target.join("openclaw.json")).context("a home has no configuration")?;
    let mut readers = homes.iter().map(|home| LogLines::open(home)).collect::<Result<Vec<_>>>()?;
    let mut merged = BufWriter::new(File::create(target.join("logs/coordination-events.ndjson"))?);
    while let Some(next) = readers.iter_mut().filter(|reader| reader.time.is_some()).min_by_key(|reader| reader.time) {
        merged.write_all(&next.line)?;
        next.advance()?;
    }
    Ok(merged.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?)
}

/// Lines of a home's logs, oldest first.
struct LogLines {
    /// Files that are still to be read, the next one last.
    files: Vec<PathBuf>,
    reader: BufReader<File>,
    line: Vec<u8>,
    /// Time of the line; `None` at the end.
    time: Option<u64>,
}

impl LogLines {
    fn open(home: &Path) -> Result<Self> {
        let mut files = logs(home)?.0;
        files.reverse();
        let file = files.pop().context("a home without a log")?;
        let reader = BufReader::new(File::open(file)?);
        let mut lines = Self { files, reader, line: Vec::new(), time: None };
        lines.advance()?;
        Ok(lines)
    }

    fn advance(&mut self) -> Result<()> {
        loop {
            self.line.clear();
            if self.reader.read_until(b'\n', &mut self.line)? > 0 {
                // A line without a time comes at once.
                self.time = Some(time_of(&self.line).unwrap_or_default());
                return Ok(());
            }
            let Some(file) = self.files.pop() else {
                self.time = None;
                return Ok(());
            };
            self.reader = BufReader::new(File::open(file)?);
        }
    }
}

/// Value of the first member `ts`.
fn time_of(line: &[u8]) -> Option<u64> {
    const TIME: &[u8] = b"\"ts\":";
    let digits = &line[memmem::find(line, TIME)? + TIME.len()..];
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_home_has_all_lines_in_order() {
        let folder = std::env::temp_dir().join(format!("bench-merged-{}", std::process::id()));
        let homes = ["a", "b"].map(|name| folder.join(name));
        for (home, lines) in homes.iter().zip(["{\"ts\":1}\n{\"ts\":4}\n", "{\"ts\":2}\n{\"ts\":3}\n"]) {
            std::fs::create_dir_all(home.join("logs")).expect("folder");
            std::fs::write(home.join("openclaw.json"), "{}").expect("written");
            std::fs::write(home.join("logs/coordination-events.ndjson"), lines).expect("written");
        }
        std::fs::write(homes[0].join("logs/coordination-events-2025-11.ndjson"), "{\"ts\":0}\n").expect("written");
        let target = folder.join("one");
        merge_homes(&homes, &target).expect("merged");
        let merged = std::fs::read_to_string(target.join("logs/coordination-events.ndjson")).expect("a log");
        assert_eq!(merged, (0..5).map(|ts| format!("{{\"ts\":{ts}}}\n")).collect::<String>());
        assert_eq!(lines_of(&target).expect("lines"), 5);
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
