//! Test helpers: copies of fixture folders, for the tests of the router and of the session stores, and a stand-in for
//! OpenClaw's gateway.

pub(crate) mod gateway;

use std::fs;
use std::path::Path;

/// A copy of a folder: databases are never opened in their original place.
pub(crate) fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folder");
    for entry in fs::read_dir(from).expect("a fixture") {
        let entry = entry.expect("entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("copy");
        }
    }
}
