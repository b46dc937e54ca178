//! Test of displayed texts and titles over the fixture logs ("stories"): none is raw machine text.
//!
//! Proves (text): No story shows raw machine text or uses it as a title.

use std::path::{Path, PathBuf};

use coordination::event::derive_role;
use coordination::event::parse_lines;
use coordination::roster::Roster;
use coordination::title;

fn logs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            logs(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "ndjson") {
            found.push(path);
        }
    }
}

#[test]
fn story_texts_and_titles_are_never_raw() {
    let mut files = Vec::new();
    logs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures")), &mut files);
    assert!(files.len() >= 10, "the stories are there: {files:?}");
    let mut titles = 0;
    for file in files {
        let bytes = std::fs::read(&file).expect("a readable log");
        for event in parse_lines(&bytes, "t", 0).0 {
            let role = derive_role(&event, &Roster::default()).role;
            let shown = event.display_text().unwrap_or_default();
            assert!(!shown.starts_with("[outcome]") && !shown.contains("[[reply_to"), "{}: {shown}", file.display());
            assert!(!shown.starts_with("[Human Intervention]"), "{}: {shown}", file.display());
            if let Some((_, title)) = title::of_event(&event, role, None) {
                titles += 1;
                let raw = ["task_", "ws_", "<@", "[outcome]", "[SYSTEM", "**", "[["];
                assert!(!raw.iter().any(|raw| title.contains(raw)), "{}: {title}", file.display());
                assert!(title.encode_utf16().count() <= 60, "{}: {title}", file.display());
            }
        }
    }
    assert!(titles > 50, "only {titles} titles");
}
