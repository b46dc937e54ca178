//! Tests of the reader of session stores, in files and in databases, with their shared helpers. Results from recorded
//! OpenClaw state folders are compared with the answers of their gateways. Small generated folders cover further cases.
//!
//! Proves (transcripts): Each session, spawn and message in the real homes of OpenClaw 2026.2.26 and 2026.9.6 is found.
//! Counts equal an independent reading of the files. Lists, previews and histories equal what the gateways answered.
//! The home of a stopped gateway is left unchanged.

mod approvals;
mod eras;
mod homes;
mod odd;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coordination::roster::Roster;
use coordination::store::{StorePlace, StoreSnapshot};
use rusqlite::Connection;

use super::*;
use crate::sources::workspace::ConfigReader;
use crate::testing::copy_all;

fn fixture(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(below)
}

/// A copy of a fixture.
fn copy(below: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("dir");
    let root = dir.path().join(".openclaw");
    copy_all(&fixture(below), &root);
    (dir, root)
}

fn empty() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("dir");
    let root = dir.path().join(".openclaw");
    fs::create_dir_all(&root).expect("folder");
    (dir, root)
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, text).expect("write");
}

fn roster(root: &Path) -> Roster {
    ConfigReader::new(HomeDir::new(root)).look().0.roster.clone()
}

fn configured(text: &str) -> Roster {
    Roster::parse(text, &mut |_| Err("none".to_owned())).expect("a good configuration")
}

fn look(root: &Path) -> Arc<StoreSnapshot> {
    StoreReader::new(HomeDir::new(root)).look(&roster(root)).expect("the first look tells")
}

fn keys(all: &StoreSnapshot) -> Vec<&str> {
    all.sessions.iter().map(|session| session.key.as_str()).collect()
}

fn place_at<'a>(all: &'a StoreSnapshot, path: &str) -> &'a StorePlace {
    let found = all.places.iter().find(|place| place.path == path);
    found.unwrap_or_else(|| panic!("no {path} in {:?}", all.places))
}

/// Every file below a folder with its size and time of change.
fn listing(root: &Path) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(root).expect("folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            all.extend(listing(&path));
        } else {
            let meta = path.symlink_metadata().expect("meta");
            all.insert(path, (meta.len(), meta.modified().expect("time")));
        }
    }
    all
}

/// A small database of an agent, with journal mode WAL as the program has it.
fn database(root: &Path, agent: &str, schema: &str) -> Connection {
    let path = root.join(format!("agents/{agent}/agent/openclaw-agent.sqlite"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    let open = Connection::open(path).expect("a database");
    open.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).expect("WAL");
    open.execute_batch(schema).expect("a schema");
    open
}
