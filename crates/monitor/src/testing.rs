//! Test helper that copies a fixture folder, for the tests of the router and of the session stores.

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
