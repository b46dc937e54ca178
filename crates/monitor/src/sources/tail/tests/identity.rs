//! Tests of file identity: copies, backups, overwritten archives, reused inodes, NUL bytes.
//!
//! Proves (log): Copies, backups, overwritten archives and reused inodes are recognised by identity and content.

use std::fs;

use super::*;

const OLDER: &str = "coordination-events-2025-12.ndjson";

#[test]
fn copytruncate_refilled_to_old_length_is_exact() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(11) + &line(12));
    fixture.look();
    // Between two looks: one more line, the copy, the truncation, and as many bytes as before.
    fixture.append(LIVE, line(13));
    fs::copy(fixture.path(LIVE), fixture.path(SIZE)).expect("the copy");
    let stamp = |fixture: &TailFixture| fs::File::open(fixture.path(LIVE)).and_then(|file| FileStamp::from_file(&file));
    let inode = |fixture: &TailFixture| stamp(fixture).expect("stamp").identity;
    let before = inode(&fixture);
    fs::write(fixture.path(LIVE), line(14) + &line(15) + &line(16)).expect("truncated and filled again");
    assert_eq!((inode(&fixture), fs::metadata(fixture.path(LIVE)).map(|meta| meta.len()).expect("size")), {
        (before, 3 * line(11).len() as u64)
    });
    let status = fixture.look();
    assert_eq!(fixture.times(), [11, 12, 13, 14, 15, 16]);
    assert_eq!((status.following.rotations, status.following.replaced, status.following.truncated_unread), (1, 0, 0));
    let before = fixture.ids();
    fixture.restart();
    fixture.look();
    assert_eq!(fixture.ids(), before);
}

#[test]
fn copy_before_truncation_is_shown_once() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + &line(2));
    fixture.look();
    fs::copy(fixture.path(LIVE), fixture.path(MONTH)).expect("the copy");
    assert_eq!(fixture.look().following.copies, [MONTH]);
    fs::write(fixture.path(LIVE), line(3)).expect("truncated and written to");
    let status = fixture.look();
    assert_eq!(fixture.times(), [1, 2, 3]);
    assert!(status.following.copies.is_empty(), "the copy is the original now");
    assert_eq!(status.files.len(), 2);
    fixture.restart();
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 3]);
}

#[test]
fn restored_archive_is_read_at_any_time() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(9));
    fixture.look();
    let backup = line(1) + &line(2) + &line(3);
    // It arrives in blocks, as a copy over a network does.
    for block in backup.as_bytes().chunks(37) {
        fixture.append(OLDER, block);
        fixture.look();
    }
    assert_eq!(fixture.times(), [9, 1, 2, 3]);
    // A second backup of it, older and shorter, and one of the same size.
    fs::write(fixture.path(MONTH), line(1) + &line(2)).expect("a shorter backup");
    fs::write(fixture.path(SIZE), &backup).expect("an equal backup");
    assert_eq!(fixture.look().following.copies, [MONTH, SIZE]);
    assert_eq!(fixture.times(), [9, 1, 2, 3]);
}

#[test]
fn growing_archive_is_original_of_two_equal() {
    let mut fixture = TailFixture::new();
    for archive in [MONTH, SIZE] {
        fixture.append(archive, line(1) + &line(2));
    }
    assert_eq!(fixture.look().following.copies, [SIZE], "made later");
    fixture.append(SIZE, line(3));
    assert_eq!(fixture.look().following.copies, [MONTH], "the writer flushed into the other one");
    assert_eq!(fixture.times(), [1, 2, 3]);
    fixture.append(SIZE, line(4));
    fixture.append(MONTH, line(3) + &line(4) + &line(5));
    assert_eq!(fixture.look().following.copies, [SIZE], "and back again");
    assert_eq!(fixture.times(), [1, 2, 3, 4, 5]);
    let before = fixture.ids();
    fixture.restart();
    fixture.look();
    assert_eq!(fixture.ids(), before);
}

#[test]
fn live_copy_of_archive_shows_lines_once() {
    let mut fixture = TailFixture::new();
    fixture.append(MONTH, line(1) + &line(2));
    fixture.look();
    fixture.append(LIVE, line(1) + &line(2) + &line(3));
    assert_eq!(fixture.look().following.copies, [MONTH]);
    assert_eq!(fixture.times(), [1, 2, 3]);
    fixture.restart();
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 3]);
}

#[test]
fn overwritten_file_with_backup_shows_lines_once() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + &line(2));
    fixture.look();
    // Between two looks: a copytruncate, a backup of the new content, and the second process renames over it.
    fixture.rename(LIVE, MONTH);
    fs::copy(fixture.path(MONTH), fixture.path(OLDER)).expect("the copy");
    fs::write(fixture.path(MONTH), line(3)).expect("truncated and written to");
    fs::copy(fixture.path(MONTH), fixture.path(SIZE)).expect("a backup");
    fixture.append(LIVE, line(4));
    fixture.rename(LIVE, MONTH);
    fixture.look();
    assert_eq!(fixture.times().into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([1, 2, 3, 4]));
    assert_eq!(fixture.times().len(), 4, "each once");
}

#[test]
fn replaced_archive_is_reported_and_keeps_events() {
    let mut fixture = TailFixture::new();
    fixture.append(MONTH, line(1) + &line(2));
    fixture.append(LIVE, line(3));
    fixture.look();
    fixture.rename(LIVE, MONTH);
    fixture.append(LIVE, line(4));
    let status = fixture.look();
    assert_eq!(fixture.times(), [1, 2, 3, 4]);
    assert_eq!(status.following.replaced, 1);
    let replaced_names: Vec<&str> = status.following.replaced_files.iter().map(|file| file.file.as_str()).collect();
    assert_eq!((replaced_names, status.following.rotations), (vec![MONTH], 1));
}

#[test]
fn rewritten_archive_is_detected_despite_equal_metadata() {
    let mut fixture = TailFixture::new();
    fixture.append(MONTH, line(11));
    fixture.append(LIVE, line(13));
    fixture.look();
    let modified = fs::metadata(fixture.path(MONTH)).and_then(|meta| meta.modified()).expect("a time");
    fs::write(fixture.path(MONTH), line(12)).expect("other bytes");
    fs::File::options()
        .write(true)
        .open(fixture.path(MONTH))
        .and_then(|file| file.set_modified(modified))
        .expect("set");
    assert_eq!(fixture.look().following.replaced, 1);
    assert_eq!(fixture.times(), [11, 13, 12]);
}

#[test]
fn removed_file_is_drained_despite_inode_reuse() {
    let mut fixture = TailFixture::new();
    for number in (1..40).step_by(2) {
        fixture.append(LIVE, line(number));
        fixture.look();
        fixture.append(LIVE, line(number + 1));
        fs::remove_file(fixture.path(LIVE)).expect("removed");
    }
    fixture.look();
    assert_eq!(fixture.times(), (1..=40).collect::<Vec<_>>());
}

#[test]
fn nul_bytes_are_counted_and_skipped() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, vec![0; 3 * 1024 * 1024]);
    assert_eq!(fixture.look().pending_bytes, 3 * 1024 * 1024);
    fixture.append(LIVE, line(1) + &line(2));
    let status = fixture.look();
    assert_eq!((fixture.times(), fixture.bad.len()), (vec![1, 2], 1));
    assert_eq!((status.pending_bytes, status.files[0].bytes), (0, status.files[0].read_to));
    fixture.append(MONTH, vec![0; 5000]);
    fixture.look();
    fixture.append(MONTH, "\n".to_owned() + &line(3));
    fixture.look();
    assert_eq!((fixture.times(), fixture.bad.len()), (vec![1, 2, 3], 2));
}

#[test]
fn record_glued_to_overlong_line_is_read() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + "{\"type\":\"x\",\"data\":\"" + &"y".repeat(5 * 1024 * 1024));
    fixture.look();
    assert_eq!(fixture.times(), [1]);
    fixture.append(LIVE, line(2));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2]);
    assert_eq!(fixture.bad.iter().map(|bad| bad.reason.as_str()).collect::<Vec<_>>(), ["tooLong"]);
}

#[test]
fn unfinished_line_reports_size_and_time() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + "{\"type\"");
    fixture.look();
    fixture.append(LIVE, ":");
    fixture.append(MONTH, "{");
    let status = fixture.look();
    let pending: Vec<_> =
        status.following.pending.iter().map(|line| (line.file.as_str(), line.bytes, line.since)).collect();
    assert_eq!(pending, [(LIVE, 8, 1), (MONTH, 1, 2)]);
    fixture.append(LIVE, "\"x\"}\n");
    assert_eq!(fixture.look().following.pending.len(), 1);
}

#[test]
fn truncated_unread_bytes_are_reported() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + "{\"type\":");
    fixture.look();
    fs::write(fixture.path(LIVE), "").expect("cut off");
    assert_eq!(fixture.look().following.truncated_unread, 8);
}

#[test]
fn new_file_with_same_first_line_is_separate() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + &line(2));
    fixture.look();
    fs::remove_file(fixture.path(LIVE)).expect("removed");
    fixture.append(LIVE, line(1) + &line(3));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 1, 3]);
    assert_eq!(fixture.ids().iter().collect::<BTreeSet<_>>().len(), 4);
}
