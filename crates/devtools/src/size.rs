//! Size report of the first load (page, JavaScript, wasm, styles) and of the parts and style sheets loaded later, raw
//! and in brotli. It prints the change since the record in `bench/size.json`, and the goal for the first load. No size
//! makes it fail.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bench::MAX_FIRST_LOAD_BYTES;
use serde_json::{Map, Value, json};

use crate::bundle::{self, brotli};
use crate::{shell, tree};

/// One file of the first load.
struct LoadedFile {
    name: String,
    raw: u64,
    packed: u64,
}

/// `make` prints this after each bundle; `--record` makes it the new base line.
pub fn run(record: bool) -> Result<()> {
    let dist = bundle::dist();
    let (first, later) = (first_load(&dist)?, later(&dist)?);
    let before = recorded();
    let mut all = Map::new();
    for (title, parts, goal) in [
        ("first load", &first, format!("   (goal: at most {MAX_FIRST_LOAD_BYTES})")),
        ("fetched later", &later, String::new()),
    ] {
        println!("{title:<28} {:>10} {:>10} {:>10}", "raw", "brotli", "change");
        let mut line = |name: &str, raw: u64, packed: u64, end: &str| {
            let old = before.get(name).and_then(Value::as_u64);
            println!("{name:<28} {raw:>10} {packed:>10} {:>10}{end}", change(old, packed));
            all.insert(name.to_owned(), json!(packed));
        };
        for part in parts {
            line(&part.name, part.raw, part.packed, "");
        }
        let (raw, packed) = total(parts);
        line(if goal.is_empty() { "total later" } else { "total" }, raw, packed, &goal);
    }
    if record {
        std::fs::write(record_file(), format!("{}\n", serde_json::to_string_pretty(&all)?))?;
        shell::say("recorded in bench/size.json");
    }
    Ok(())
}

/// Raw and packed bytes of all parts.
fn total(parts: &[LoadedFile]) -> (u64, u64) {
    parts.iter().fold((0, 0), |(raw, packed), part| (raw + part.raw, packed + part.packed))
}

/// The page and every script, style and wasm file it names, directly or through its scripts.
fn first_load(dist: &Path) -> Result<Vec<LoadedFile>> {
    let html = std::fs::read_to_string(dist.join("index.html"))
        .with_context(|| format!("no bundle in {}: run `make bundle`", dist.display()))?;
    let mut parts = vec![part("index.html", html.as_bytes())?];
    for file in tree::files_below(dist, &[])? {
        let name = file.strip_prefix(dist)?.to_string_lossy().into_owned();
        if is_code(&name) && html.contains(&name) {
            parts.push(part_of(&file, &name)?);
        }
    }
    if !parts.iter().any(|part| part.name.ends_with(".wasm")) {
        bail!("the page names no wasm file");
    }
    Ok(parts)
}

/// The parts and style sheets that no first load asks for: a script of the page names them.
fn later(dist: &Path) -> Result<Vec<LoadedFile>> {
    let html = std::fs::read_to_string(dist.join("index.html"))?;
    let mut parts = Vec::new();
    for file in tree::files_below(dist, &[])? {
        let name = file.strip_prefix(dist)?.to_string_lossy().into_owned();
        if [".wasm", ".css"].iter().any(|ending| name.ends_with(ending)) && !html.contains(&name) {
            parts.push(part_of(&file, &name)?);
        }
    }
    Ok(parts)
}

fn is_code(name: &str) -> bool {
    [".wasm", ".js", ".css"].iter().any(|ending| name.ends_with(ending))
}

/// A file of the bundle; packed it already lies beside itself, unless it is too small to be worth it.
fn part_of(file: &Path, name: &str) -> Result<LoadedFile> {
    let packed = PathBuf::from(format!("{}.br", file.display()));
    match (std::fs::metadata(file), std::fs::metadata(packed)) {
        (Ok(raw), Ok(packed)) => Ok(LoadedFile { name: stable(name), raw: raw.len(), packed: packed.len() }),
        _ => part(&stable(name), &std::fs::read(file)?),
    }
}

fn part(name: &str, bytes: &[u8]) -> Result<LoadedFile> {
    let packed = brotli(bytes)?;
    Ok(LoadedFile { name: name.to_owned(), raw: bytes.len() as u64, packed: packed.len() as u64 })
}

/// The name without its hash, so that two builds can be compared.
fn stable(name: &str) -> String {
    let short = name.rsplit('/').next().unwrap_or(name);
    let is_hash = |part: &str| part.len() >= 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> =
        short.split('-').filter(|part| !is_hash(part.split(['.', '_']).next().unwrap_or(part))).collect();
    let ending = short.rsplit('.').next().unwrap_or_default();
    let stem = parts.join("-");
    if stem.ends_with(ending) { stem } else { format!("{stem}.{ending}") }
}

fn record_file() -> PathBuf {
    tree::root().join("bench/size.json")
}

fn recorded() -> Map<String, Value> {
    let text = std::fs::read_to_string(record_file()).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn change(old: Option<u64>, new: u64) -> String {
    match old {
        None | Some(0) => "new".to_owned(),
        Some(old) => format!("{:+.1} %", (new as f64 - old as f64) * 100.0 / old as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::{change, stable};

    #[test]
    fn names_are_compared_without_their_hash() {
        assert_eq!(stable("task-hub-0f3c9a1b22d4e6f8_bg.wasm"), "task-hub.wasm");
        assert_eq!(stable("task-hub-0f3c9a1b22d4e6f8.js"), "task-hub.js");
        assert_eq!(stable("base-0f3c9a1b22d4e6f8.css"), "base.css");
        assert_eq!(stable("fonts/pretendard-1.3.9/pretendard.css"), "pretendard.css");
    }

    #[test]
    fn change_is_percent_of_recorded_size() {
        assert_eq!(change(Some(200), 206), "+3.0 %");
        assert_eq!(change(None, 206), "new");
    }
}
