//! Tests of file identity: copies, backups, overwritten archives, reused inodes, NUL bytes.
//!
//! Proves (log): Copies, backups, overwritten archives and reused inodes are recognised by identity and content.

use std::fs;

use super::*;

const OLDER: &str = "coordination-events-2025-12.ndjson";

#[test]
fn copytruncate_refilled_to_old_length_is_exact() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, line(11) + &line(12));
    bench.look();
    // Between two looks: one more line, the copy, the truncation, and as many bytes as before.
    bench.append(LIVE, line(13));
    fs::copy(bench.path(LIVE), bench.path(SIZE)).expect("the copy");
    let stamp = |bench: &TailFixture| fs::File::open(bench.path(LIVE)).and_then(|file| FileStamp::from_file(&file));
    let inode = |bench: &TailFixture| stamp(bench).expect("stamp").identity;
    let before = inode(&bench);
    fs::write(bench.path(LIVE), line(14) + &line(15) + &line(16)).expect("truncated and filled again");
    assert_eq!((inode(&bench), fs::metadata(bench.path(LIVE)).map(|meta| meta.len()).expect("size")), {
        (before, 3 * line(11).len() as u64)
    });
    let status = bench.look();
    assert_eq!(bench.times(), [11, 12, 13, 14, 15, 16]);
    assert_eq!((status.following.rotations, status.following.replaced, status.following.truncated_unread), (1, 0, 0));
    let before = bench.ids();
    bench.restart();
    bench.look();
    assert_eq!(bench.ids(), before);
}

#[test]
fn copy_before_truncation_is_shown_once() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, line(1) + &line(2));
    bench.look();
    fs::copy(bench.path(LIVE), bench.path(MONTH)).expect("the copy");
    assert_eq!(bench.look().following.copies, [MONTH]);
    fs::write(bench.path(LIVE), line(3)).expect("truncated and written to");
    let status = bench.look();
    assert_eq!(bench.times(), [1, 2, 3]);
    assert!(status.following.copies.is_empty(), "the copy is the original now");
    assert_eq!(status.files.len(), 2);
    bench.restart();
    bench.look();
    assert_eq!(bench.times(), [1, 2, 3]);
}

#[test]
fn restored_archive_is_read_at_any_time() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, line(9));
    bench.look();
    let backup = line(1) + &line(2) + &line(3);
    // It arrives in blocks, as a copy over a network does.
    for block in backup.as_bytes().chunks(37) {
        bench.append(OLDER, block);
        bench.look();
    }
    assert_eq!(bench.times(), [9, 1, 2, 3]);
    // A second backup of it, older and shorter, and one of the same size.
    fs::write(bench.path(MONTH), line(1) + &line(2)).expect("a shorter backup");
    fs::write(bench.path(SIZE), &backup).expect("an equal backup");
    assert_eq!(bench.look().following.copies, [MONTH, SIZE]);
    assert_eq!(bench.times(), [9, 1, 2, 3]);
}

#[test]
fn growing_archive_is_original_of_two_equal() {
    let mut bench = TailFixture::new();
    for archive in [MONTH, SIZE] {
        bench.append(archive, line(1) + &line(2));
    }
    assert_eq!(bench.look().following.copies, [SIZE], "made later");
    bench.append(SIZE, line(3));
    assert_eq!(bench.look().following.copies, [MONTH], "the writer flushed into the other one");
    assert_eq!(bench.times(), [1, 2, 3]);
    bench.append(SIZE, line(4));
    bench.append(MONTH, line(3) + &line(4) + &line(5));
    assert_eq!(bench.look().following.copies, [SIZE], "and back again");
    assert_eq!(bench.times(), [1, 2, 3, 4, 5]);
    let before = bench.ids();
    bench.restart();
    bench.look();
    assert_eq!(bench.ids(), before);
}

#[test]
fn live_copy_of_archive_shows_lines_once() {
    let mut bench = TailFixture::new();
    bench.append(MONTH, line(1) + &line(2));
    bench.look();
    bench.append(LIVE, line(1) + &line(2) + &line(3));
    assert_eq!(bench.look().following.copies, [MONTH]);
    assert_eq!(bench.times(), [1, 2, 3]);
    bench.restart();
    bench.look();
    assert_eq!(bench.times(), [1, 2, 3]);
}

#[test]
fn overwritten_file_with_backup_shows_lines_once() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, line(1) + &line(2));
    bench.look();
    // Between two looks: a copytruncate, a backup of the new content, and the second process renames over it.
    bench.rename(LIVE, MONTH);
    fs::copy(bench.path(MONTH), bench.path(OLDER)).expect("the copy");
    fs::write(bench.path(MONTH), line(3)).expect("truncated and written to");
    fs::copy(bench.path(MONTH), bench.path(SIZE)).expect("a backup");
    bench.append(LIVE, line(4));
    bench.rename(LIVE, MONTH);
    bench.look();
    assert_eq!(bench.times().into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([1, 2, 3, 4]));
    assert_eq!(bench.times().len(), 4, "each once");
}

#[test]
fn replaced_archive_is_reported_and_keeps_events() {
    let mut bench = TailFixture::new();
    bench.append(MONTH, line(1) + &line(2));
    bench.append(LIVE, line(3));
    bench.look();
    bench.rename(LIVE, MONTH);
    bench.append(LIVE, line(4));
    let status = bench.look();
    assert_eq!(bench.times(), [1, 2, 3, 4]);
    assert_eq!(status.following.replaced, 1);
    let replaced_names: Vec<&str> = status.following.replaced_files.iter().map(|file| file.file.as_str()).collect();
    assert_eq!((replaced_names, status.following.rotations), (vec![MONTH], 1));
}

#[test]
fn rewritten_archive_is_detected_despite_equal_metadata() {
    let mut bench = TailFixture::new();
    bench.append(MONTH, line(11));
    bench.append(LIVE, line(13));
    bench.look();
    let modified = fs::metadata(bench.path(MONTH)).and_then(|meta| meta.modified()).expect("a time");
    fs::write(bench.path(MONTH), line(12)).expect("other bytes");
    fs::File::options().write(true).open(bench.path(MONTH)).and_then(|file| file.set_modified(modified)).expect("set");
    assert_eq!(bench.look().following.replaced, 1);
    assert_eq!(bench.times(), [11, 13, 12]);
}

#[test]
fn removed_file_is_drained_despite_inode_reuse() {
    let mut bench = TailFixture::new();
    for number in (1..40).step_by(2) {
        bench.append(LIVE, line(number));
        bench.look();
        bench.append(LIVE, line(number + 1));
        fs::remove_file(bench.path(LIVE)).expect("removed");
    }
    bench.look();
    assert_eq!(bench.times(), (1..=40).collect::<Vec<_>>());
}

#[test]
fn nul_bytes_are_counted_and_skipped() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, vec![0; 3 * 1024 * 1024]);
    assert_eq!(bench.look().pending_bytes, 3 * 1024 * 1024);
    bench.append(LIVE, line(1) + &line(2));
    let status = bench.look();
    assert_eq!((bench.times(), bench.bad.len()), (vec![1, 2], 1));
    assert_eq!((status.pending_bytes, status.files[0].bytes), (0, status.files[0].read_to));
    bench.append(MONTH, vec![0; 5000]);
    bench.look();
    bench.append(MONTH, "\n".to_owned() + &line(3));
    bench.look();
    assert_eq!((bench.times(), bench.bad.len()), (vec![1, 2, 3], 2));
}

#[test]
fn record_glued_to_overlong_line_is_read() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, line(1) + "{\"type\":\"x\",\"data\":\"" + &"y".repeat(5 * 1024 * 1024));
    bench.look();
    assert_eq!(bench.times(), [1]);
    bench.append(LIVE, line(2));
    bench.look();
    assert_eq!(bench.times(), [1, 2]);
    assert_eq!(bench.bad.iter().map(|bad| bad.reason.as_str()).collect::<Vec<_>>(), ["tooLong"]);
}

#[test]
fn unfinished_line_reports_size_and_time() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, line(1) + "{\"type\"");
    bench.look();
    bench.append(LIVE, ":");
    bench.append(MONTH, "{");
    let status = bench.look();
    let pending: Vec<_> =
        status.following.pending.iter().map(|line| (line.file.as_str(), line.bytes, line.since)).collect();
    assert_eq!(pending, [(LIVE, 8, 1), (MONTH, 1, 2)]);
    bench.append(LIVE, "\"x\"}\n");
    assert_eq!(bench.look().following.pending.len(), 1);
}

#[test]
fn truncated_unread_bytes_are_reported() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, line(1) + "{\"type\":");
    bench.look();
    fs::write(bench.path(LIVE), "").expect("cut off");
    assert_eq!(bench.look().following.truncated_unread, 8);
}

#[test]
fn new_file_with_same_first_line_is_separate() {
    let mut bench = TailFixture::new();
    bench.append(LIVE, line(1) + &line(2));
    bench.look();
    fs::remove_file(bench.path(LIVE)).expect("removed");
    bench.append(LIVE, line(1) + &line(3));
    bench.look();
    assert_eq!(bench.times(), [1, 2, 1, 3]);
    assert_eq!(bench.ids().iter().collect::<BTreeSet<_>>().len(), 4);
}
