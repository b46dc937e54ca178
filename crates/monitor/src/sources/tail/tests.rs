//! Tests of the log follower on real files, in a folder with the real name `.openclaw`.
//!
//! Proves (log): The log follower delivers the lines of real files also after rotation, truncation and partial writes.

mod ahead;
mod backups;
mod identity;
mod tail_fixture;

use std::collections::BTreeSet;
use std::fs;

use coordination::api::{SourceState, WatcherMode};

use tail_fixture::{TailFixture, append, line};

use super::listing::FileStamp;
use super::*;
use crate::clock::ServerClock;
use crate::core::hub_cache::CacheHandle;
use crate::core::ingest;
use crate::home::HomeDir;
use crate::inputs::LookReport;

const LIVE: &str = "coordination-events.ndjson";
const MONTH: &str = "coordination-events-2026-01.ndjson";
const SIZE: &str = "coordination-events-2026-02-21T03-14-15-926Z.ndjson";

#[test]
fn truncated_log_is_completed_by_later_bytes() {
    let log: String = (1..=6).map(line).collect::<String>()
        + "{\"type\":\"a2a.response\",\"agentId\":\"seum\",\"ts\":7,\"data\":{\"message\":\"윤슬 ✨ \\ud83d\\ude80 👩‍💻\"}}\n";
    let mut whole = TailFixture::new();
    whole.append(LIVE, &log);
    whole.look();
    assert_eq!(whole.times(), [1, 2, 3, 4, 5, 6, 7]);
    for cut in 0..=log.len() {
        let mut fixture = TailFixture::new();
        fixture.append(LIVE, &log.as_bytes()[..cut]);
        fixture.look();
        assert!(fixture.bad.is_empty(), "cut at {cut}: a torn line is not a bad line");
        fixture.append(LIVE, &log.as_bytes()[cut..]);
        fixture.look();
        assert_eq!(fixture.events, whole.events, "cut at {cut}");
    }
}

#[test]
fn late_lines_in_renamed_file_are_read() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1));
    fixture.look();
    fixture.append(LIVE, line(2));
    fixture.rename(LIVE, MONTH);
    fixture.append(LIVE, line(4));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 4], "the old file is drained before the new one");
    fixture.append(MONTH, line(3));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 4, 3]);
    assert_eq!(fixture.ids().iter().collect::<BTreeSet<_>>().len(), 4);
}

#[test]
fn larger_new_live_file_is_read_from_start() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1));
    fixture.look();
    fixture.rename(LIVE, SIZE);
    fixture.append(LIVE, (2..=9).map(line).collect::<String>());
    fixture.look();
    assert_eq!(fixture.times(), (1..=9).collect::<Vec<_>>());
}

#[test]
fn truncated_or_rewritten_file_restarts_and_keeps_events() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, (1..=3).map(line).collect::<String>());
    fixture.look();
    fs::write(fixture.path(LIVE), line(4)).expect("truncate");
    assert_eq!(fixture.look().following.replaced, 1);
    fs::write(fixture.path(LIVE), (5..=9).map(line).collect::<String>()).expect("rewrite, longer than before");
    assert_eq!(fixture.look().following.replaced, 2);
    assert_eq!(fixture.times(), (1..=9).collect::<Vec<_>>());
    assert_eq!(fixture.ids().iter().collect::<BTreeSet<_>>().len(), 9, "no two events share an id");
}

#[test]
fn partially_truncated_log_duplicates_no_event() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + &line(2) + &line(3));
    fixture.look();
    let left = line(1) + &line(2)[..9];
    fs::write(fixture.path(LIVE), &left).expect("cut back");
    assert_eq!(fixture.look().following.replaced, 1);
    assert_eq!(fixture.times(), [1, 2, 3]);
    // The cut-off line comes back unchanged: it is known. The next line differs, so later lines are new.
    fixture.append(LIVE, &line(2)[9..]);
    fixture.append(LIVE, line(4) + &line(3));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 3, 4, 3]);
    assert_eq!(fixture.ids().iter().collect::<BTreeSet<_>>().len(), 5);
}

#[test]
fn equal_first_lines_do_not_merge_files() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + &line(2));
    fixture.look();
    fixture.rename(LIVE, MONTH);
    fixture.append(LIVE, line(1) + &line(3));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 1, 3]);
    let before = fixture.ids();
    fixture.restart();
    fixture.look();
    assert_eq!(fixture.ids(), before);
}

#[test]
fn event_ids_are_independent_of_file_names() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + &line(2));
    fixture.look();
    let before = fixture.ids();
    fixture.rename(LIVE, MONTH);
    fixture.restart();
    let status = fixture.look();
    assert_eq!(fixture.ids(), before);
    assert_eq!(status.state, SourceState::LogMissing, "an archive alone is not a live log");
    let token = before[0].rsplit_once('-').expect("token").0;
    assert_eq!(status.tokens, [(token.to_owned(), MONTH.to_owned())]);
}

#[test]
fn archives_are_ordered_by_content_before_live() {
    let mut fixture = TailFixture::new();
    // By name the month file would come first; by content it holds the last part of the month.
    fixture.append("coordination-events-2026-02.ndjson", line(20));
    fixture.append("coordination-events-2026-02-17T00-00-00-000Z.ndjson", line(10));
    fixture.append(MONTH, line(1));
    fixture.append(LIVE, line(5));
    fixture.append("coordination-events.ndjson.bak", line(99));
    fixture.append("coordination-events-old.ndjson", line(99));
    let status = fixture.look();
    assert_eq!(fixture.times(), [1, 10, 20, 5]);
    assert_eq!(status.files.len(), 4);
    assert_eq!(status.files[3].name, LIVE);
    assert!(status.files.iter().all(|file| file.bytes == file.read_to));
}

#[test]
fn missing_home_or_log_is_awaited() {
    let dir = tempfile::tempdir().expect("dir");
    let root = dir.path().join(".openclaw");
    let mut follower = Follower::new(HomeDir::new(&root));
    let mut times = Vec::new();
    let mut look = || {
        let mut seen = Vec::new();
        let state = follower.look(0, &mut |block| seen.extend(block.parse().events.iter().map(|event| event.at))).state;
        times.extend(seen);
        state
    };
    assert_eq!(look(), SourceState::HomeMissing);
    fs::create_dir(&root).expect("home");
    assert_eq!(look(), SourceState::LogMissing);
    fs::create_dir(root.join("logs")).expect("logs");
    assert_eq!(look(), SourceState::LogMissing);
    append(&root.join("logs").join(LIVE), line(1).as_bytes());
    assert_eq!(look(), SourceState::Ok);
    fs::rename(root.join("logs"), root.join("away")).expect("away");
    assert_eq!(look(), SourceState::LogMissing);
    fs::rename(root.join("away"), root.join("logs")).expect("back");
    append(&root.join("logs").join(LIVE), line(2).as_bytes());
    assert_eq!(look(), SourceState::Ok);
    assert_eq!(times, [1, 2], "what was read before the absence is not read again");
}

#[test]
fn restored_identical_file_continues_at_its_position() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + &line(2));
    fixture.look();
    fixture.rename(LIVE, "elsewhere");
    fixture.look();
    fs::copy(fixture.path("elsewhere"), fixture.path(LIVE)).expect("restore as a new inode");
    fixture.append(LIVE, line(3));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 3]);
}

#[test]
fn overlong_line_is_counted_and_skipped() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1));
    fixture.append(LIVE, "{\"type\":\"x\",\"data\":\"".to_owned() + &"가".repeat(2_000_000));
    fixture.look();
    fixture.append(LIVE, "\"}\n".to_owned() + &line(2));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2]);
    let reasons: Vec<_> = fixture.bad.iter().map(|bad| (bad.reason.as_str(), bad.offset)).collect();
    assert_eq!(reasons, [("tooLong", line(1).len() as u64)]);
    assert!(fixture.bad[0].sample.chars().count() <= 200);
}

#[test]
fn bad_line_is_reported_with_file_and_offset() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + "not json\n" + &line(2));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2]);
    assert_eq!((fixture.bad[0].file.as_str(), fixture.bad[0].offset), (LIVE, line(1).len() as u64));
}

#[test]
fn pending_and_unread_bytes_are_separate() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1) + "{\"type\":");
    let status = fixture.look();
    assert_eq!((status.pending_bytes, status.lag_bytes), (8, 0));
}

#[test]
fn file_instead_of_folder_is_reported() {
    let dir = tempfile::tempdir().expect("dir");
    let root = dir.path().join(".openclaw");
    fs::write(&root, "not a folder").expect("file");
    let mut follower = Follower::new(HomeDir::new(&root));
    assert_eq!(follower.look(0, &mut |_| {}).state, SourceState::HomeNotFolder);
    fs::remove_file(&root).expect("away");
    fs::create_dir(&root).expect("home");
    fs::write(root.join("logs"), "not a folder").expect("file");
    let status = follower.look(0, &mut |_| {});
    assert_eq!((status.state, status.unreadable[0].cause.as_str()), (SourceState::Unreadable, "not a folder"));
}

#[test]
fn linked_log_is_not_followed() {
    let mut fixture = TailFixture::new();
    let outside = fixture.dir.path().join("secret");
    append(&outside, line(1).as_bytes());
    std::os::unix::fs::symlink(&outside, fixture.path(LIVE)).expect("link");
    let status = fixture.look();
    assert!(fixture.events.is_empty());
    assert_eq!(status.state, SourceState::Unreadable);
    assert_eq!(status.unreadable[0].path, format!("logs/{LIVE}"));
}

#[test]
fn linked_folder_and_pipes_are_reported_without_waiting() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, line(1));
    let logs = fixture.path("");
    let outside = fixture.dir.path().join("outside");
    fs::rename(&logs, &outside).expect("rename");
    std::os::unix::fs::symlink(&outside, logs.with_file_name("logs")).expect("link");
    let status = fixture.look();
    assert_eq!((status.state, fixture.events.len()), (SourceState::Unreadable, 0));
    let first_unreadable = |status: &LogStatus| {
        let entry = status.unreadable.first().expect("an entry");
        (entry.path.clone(), entry.cause.clone())
    };
    assert_eq!(first_unreadable(&status), ("logs".to_owned(), "a link".to_owned()));
    fs::remove_file(logs.with_file_name("logs")).expect("remove");
    fs::rename(&outside, &logs).expect("rename");
    fixture.look();
    assert_eq!(fixture.times(), [1], "the folder itself is followed");
    // Read lines stay, and lines appended after the pipe was removed are read from there.
    fixture.rename(LIVE, "away");
    rustix::fs::mkfifoat(rustix::fs::CWD, fixture.path(LIVE), rustix::fs::Mode::RUSR).expect("mkfifo");
    let status = fixture.look();
    assert_eq!((status.state, first_unreadable(&status).1.as_str()), (SourceState::Unreadable, "not a regular file"));
    fs::remove_file(fixture.path(LIVE)).expect("remove");
    fixture.rename("away", LIVE);
    fixture.append(LIVE, line(2));
    assert_eq!(fixture.look().state, SourceState::Ok);
    assert_eq!(fixture.times(), [1, 2]);
}

fn follow_inside_a_folder_called_openclaw(watched: bool) {
    let fixture = TailFixture::new();
    fixture.append(LIVE, line(1));
    let (sender, inputs) = ingest::channel(CacheHandle::off());
    let home = HomeDir::new(fixture.dir.path().join(".openclaw"));
    let follower = Follower::new(home.clone());
    spawn(home, ServerClock::system(), watched, move || Some(follower), sender, LookReport::default()).expect("spawn");
    let (mut times, mut mode) = (Vec::new(), WatcherMode::Unknown);
    let mut wait = |count: usize| {
        while times.len() < count || mode == WatcherMode::Unknown {
            match inputs.next() {
                ingest::HubInput::Lines(block) => times.extend(block.take().events.iter().map(|event| event.at)),
                ingest::HubInput::Look(blocks, status) => {
                    mode = status.following.watcher;
                    times.extend(blocks.into_iter().flat_map(|block| block.take().events).map(|event| event.at));
                }
                other => panic!("unexpected {other:?}"),
            }
        }
    };
    wait(1);
    fixture.append(LIVE, line(2));
    wait(2);
    fixture.rename(LIVE, MONTH);
    fixture.append(LIVE, line(3));
    wait(3);
    assert_eq!(times, [1, 2, 3]);
    // Without a watcher of the system, polling continues all the same.
    assert!(if watched { mode != WatcherMode::Off } else { mode == WatcherMode::Off }, "{mode:?}");
}

#[test]
fn thread_delivers_appended_lines_below_openclaw_folder() {
    follow_inside_a_folder_called_openclaw(true);
}

#[test]
fn without_a_watcher_everything_is_found_by_looking() {
    follow_inside_a_folder_called_openclaw(false);
}
