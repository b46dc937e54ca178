//! Checks of manifests and lock files: crates inherit the workspace's lints and have no forbidden dependency, and npm
//! lock files name no host.

use super::{File, PURE};

/// What no crate of [`PURE`] may depend on.
const IMPURE: [&str; 7] = ["tokio", "axum", "leptos", "web-sys", "wasm-bindgen", "notify", "task-monitor"];
/// What the server may not depend on.
const OF_THE_PAGE: [&str; 4] = ["leptos", "web-sys", "wasm-bindgen", "task-hub"];

pub(super) fn check(file: &File) -> Vec<String> {
    let mut found = Vec::new();
    let package = file.path.strip_prefix("crates/").and_then(|path| path.strip_suffix("/Cargo.toml"));
    let banned: &[&str] = match package {
        Some("monitor") => &OF_THE_PAGE,
        Some(name) if PURE.contains(&name) => &IMPURE,
        _ => &[],
    };
    for (number, line) in file.text.lines().enumerate() {
        let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
        if banned.contains(&name) {
            found.push(file.error(number, &format!("must not depend on `{name}`")));
        }
    }
    if file.path.ends_with("package-lock.json") {
        // A folder of this repository is a package of `file:`.
        let is_hosted = |line: &str| {
            line.trim_start().strip_prefix("\"resolved\":").is_some_and(|from| !from.trim_start().starts_with("\"../"))
        };
        let hosted = file.text.lines().position(is_hosted);
        found.extend(hosted.map(|number| file.error(number, "a lock file must not say where packages came from")));
    }
    found
}

/// Every crate inherits the workspace's lints; the app package has its own table and says why.
pub(super) fn crates_inherit_lints(files: &[File]) -> Vec<String> {
    let manifests = files.iter().filter(|file| file.path.starts_with("crates/") && file.path.ends_with("/Cargo.toml"));
    let bad = manifests.filter(|file| !file.text.contains("[lints]\nworkspace = true"));
    let mut found: Vec<String> = bad.map(|file| file.error(0, "must say `[lints] workspace = true`")).collect();
    let app = files.iter().find(|file| file.path == "Cargo.toml");
    if !app.is_some_and(|app| app.text.contains("[lints.rust]\nunsafe_code = \"forbid\"")) {
        found.push("Cargo.toml:1: the app package must forbid unsafe code".to_owned());
    }
    found
}
