//! Files of the demo home inside the program: packed together by `build.rs`, unpacked when they are first needed.

use std::sync::LazyLock;

include!(concat!(env!("OUT_DIR"), "/demo_files.rs"));

static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/demo_files.br"));

static TEXTS: LazyLock<String> = LazyLock::new(|| {
    let mut texts = Vec::new();
    // Only a fault of the build could make this fail, and a test compares every file.
    let unpacked = brotli_decompressor::BrotliDecompress(&mut &PACKED[..], &mut texts);
    debug_assert!(unpacked.is_ok(), "the embedded files cannot be unpacked");
    String::from_utf8(texts).unwrap_or_default()
});

static DEMO_FILES: LazyLock<DemoFiles> = LazyLock::new(|| {
    let mut rest = TEXTS.as_str();
    let mut table = |names: &[(&'static str, usize)]| {
        let mut files = Vec::with_capacity(names.len());
        for (name, bytes) in names {
            let (text, after) = rest.split_at_checked(*bytes).unwrap_or_default();
            files.push((*name, text));
            rest = after;
        }
        files
    };
    DemoFiles { everything: table(FILES), added: table(ADDED), team: table(TEAM) }
});

/// A file: its path and its text.
pub(super) type DemoFile = (&'static str, &'static str);

struct DemoFiles {
    everything: Vec<DemoFile>,
    added: Vec<DemoFile>,
    team: Vec<DemoFile>,
}

/// Files of the fixture `everything`, by their paths below the home.
pub(super) fn everything() -> &'static [DemoFile] {
    &DEMO_FILES.everything
}

/// Files of the fixture `demo`: stored OpenClaw sessions.
pub(super) fn added() -> &'static [DemoFile] {
    &DEMO_FILES.added
}

/// Hooks of a Claude Code team, one a line; the monitor takes them from the drop file when it starts.
pub(super) fn team() -> &'static str {
    DEMO_FILES.team.first().map_or("", |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_files_are_fixtures() {
        let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        for (folder, files) in [("everything", everything()), ("demo", added())] {
            assert!(files.len() > 5, "{folder}");
            for (below, text) in files {
                let file = fixtures.join(folder).join(below);
                assert_eq!(*text, std::fs::read_to_string(&file).expect("fixture"), "{}", file.display());
            }
        }
        assert_eq!(team(), std::fs::read_to_string(fixtures.join("claude-code/team.ndjson")).expect("fixture"));
    }
}
