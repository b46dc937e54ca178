//! Tests of packed files and tar archives that are broken, cut or whole.
//!
//! Proves (local): A tar archive of a home is read like its files, also packed by gzip. Of one that is cut, what is there is
//! shown, and the cut is named.

use super::*;

#[test]
fn broken_archives_show_what_can_be_unpacked() {
    let whole = gzip(LOG.as_bytes());
    let monitor = opened(&[("log.ndjson.gz", &whole[..whole.len() / 2])]);
    let report = &monitor.reports()[0];
    assert!(report.error.is_some() && report.events > 0, "{report:?}");
    for broken in [b"PK\x03\x04 and no archive".as_slice(), b"\x28\xb5\x2f\xfd".as_slice(), b"\x1f\x8b".as_slice()] {
        let monitor = opened(&[("broken", broken)]);
        assert!(monitor.reports()[0].error.is_some(), "{broken:?}: {:?}", monitor.reports());
    }
}

/// A tar archive, as `tar` writes it: the names of a folder begin with `./`.
pub(super) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut folder = tar::Header::new_gnu();
    folder.set_entry_type(tar::EntryType::Directory);
    folder.set_size(0);
    archive.append_data(&mut folder, "./home/", std::io::empty()).expect("tar");
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, format!("./{path}"), *bytes).expect("tar");
    }
    archive.into_inner().expect("tar")
}

#[test]
fn tar_archive_reads_like_its_files() {
    const LIVE: &str = "home/logs/coordination-events.ndjson";
    let long = format!("home/agents/eden/sessions/{}.jsonl", "long-name-".repeat(20));
    let transcript = b"{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n{\"type\":\"message\"}\n";
    let files = [(LIVE, LOG.as_bytes()), ("home/state.db", b"SQLite"), (&*long, transcript), ("home/a.png", b"png")];
    let archive = tar(&files);
    let whole = events(&[(LIVE, LOG.as_bytes())]);
    for (name, bytes) in [("home.tar", archive.clone()), ("home.tgz", gzip(&archive)), ("home.tar.gz", gzip(&archive))]
    {
        let monitor = opened(&[(name, &bytes)]);
        let reports: Vec<_> = monitor.reports().iter().map(|report| (report.path.as_str(), report.kind)).collect();
        let kind = |path: &str| reports.iter().find(|(other, _)| *other == path).map(|(_, kind)| *kind);
        assert_eq!(monitor.reports().iter().map(|report| report.events).sum::<u64>(), whole, "{name}: {reports:?}");
        assert_eq!(kind(LIVE), Some(FileContentKind::Log), "{reports:?}");
        assert_eq!(kind("home/state.db"), Some(FileContentKind::Database));
        assert_eq!(kind(&long), Some(FileContentKind::Transcript));
        assert_eq!(kind("home/a.png"), None, "a home has many files that are none of the dashboard's");
    }
    for cut in [archive.len() / 2, 600, LOG.len() / 2] {
        let monitor = opened(&[("home.tar", &archive[..cut])]);
        assert!(monitor.reports().iter().any(|report| report.error.is_some()), "{cut}: {:?}", monitor.reports());
    }
    let half = opened(&[("home.tar", &archive[..LOG.len() / 2])]);
    let packed = gzip(&archive);
    let half_packed = opened(&[("home.tgz", &packed[..packed.len() / 3])]);
    for half in [half, half_packed] {
        let log = half.reports().iter().find(|report| report.path == LIVE).expect("the log");
        assert!(log.error.is_some() && (1..whole).contains(&log.events), "{log:?}");
    }
}
