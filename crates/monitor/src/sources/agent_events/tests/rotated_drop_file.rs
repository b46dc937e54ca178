//! Tests of the rotated drop file. Each line is read once, while others write to the file and wherever the process
//! ends.
//!
//! Proves (claude-code): Each line of a rotated drop file is read once, wherever the process ends.

use std::collections::BTreeSet;

use super::*;
use crate::fs::durable::faults::{self, DiskFault};
use crate::sources::agent_events::rotated_drop_file::Limits;

const ROTATED_FILE: &str = "logs/hook-events.ndjson.put-away";

/// Puts away whatever was read, and removes it at once.
const EAGER: Limits = Limits { full: 1, quiet_ms: 0 };
/// Puts it away and lets it be.
const SLOW: Limits = Limits { full: 1, quiet_ms: i64::MAX };

fn lines(from: usize, to: usize) -> String {
    (from..to).map(|number| line(&event(&format!("e{number:04}"), "하나"))).collect()
}

fn names(to: usize) -> Vec<String> {
    (0..to).map(|number| format!("e{number:04}")).collect()
}

/// A hook without a time or an id of its own: reading it twice at different times makes two events.
fn timeless(number: usize) -> String {
    line(&json!({
        "session_id": "8c35adc1-0000-4000-8000-000000000001", "cwd": "/repo", "hook_event_name": "Notification",
        "notification_type": "permission_prompt", "message": format!("{number}"),
    }))
}

impl Desk {
    /// Runs until nothing is left to rotate or to remove.
    fn tidied(&mut self) -> IngestInfo {
        (0..4).for_each(|_| self.writer.settle());
        self.info()
    }

    fn limits(mut self, limits: Limits) -> Self {
        self.writer.rotated.limits = limits;
        self
    }
}

impl AgentEventsFixture {
    /// A process begins while nothing is looked at yet.
    fn eager_at(&self, now: i64) -> Desk {
        let mut desk = self.unsettled_at(now).limits(EAGER);
        desk.writer.settle();
        desk
    }
}

#[test]
fn read_drop_file_is_rotated_and_removed() {
    let bench = AgentEventsFixture::new();
    let mut desk = bench.desk().limits(EAGER);
    for round in 0..4 {
        bench.append(DROP, lines(round * 3, round * 3 + 3).as_bytes());
        let info = desk.info();
        assert!(!bench.path(DROP).exists() && !bench.path(ROTATED_FILE).exists(), "round {round}");
        assert_eq!(desk.ids(), names(round * 3 + 3));
        assert_eq!((info.duplicates, info.rejected, info.bad_dropped_lines), (0, 0, 0), "round {round}");
        assert_eq!((info.dropped_bytes, info.dropped_to, info.bad_lines), (None, 0, 0), "round {round}");
    }
    let mut reloaded = bench.desk();
    assert_eq!((reloaded.ids(), reloaded.info().bad_lines), (names(12), 0));
}

#[test]
fn only_old_or_large_files_rotate() {
    let bench = AgentEventsFixture::new();
    let mut desk = bench.desk();
    bench.append(DROP, lines(0, 3).as_bytes());
    desk.writer.settle();
    assert!(bench.path(DROP).exists(), "it may still be looked at");
    let hours_ago =
        |hours: u64| std::time::UNIX_EPOCH + std::time::Duration::from_secs(NOW as u64 / 1000 - hours * 3600);
    let file = fs::File::options().append(true).open(bench.path(DROP)).expect("open");
    file.set_modified(hours_ago(2)).expect("time");
    desk.writer.settle();
    assert!(!bench.path(DROP).exists() && bench.path(ROTATED_FILE).exists(), "nobody wrote to it for hours");
    let text = "x".repeat(1 << 12);
    let large: String = (0..300).map(|number| line(&event(&format!("l{number}"), &text))).collect();
    let bench = AgentEventsFixture::new();
    let mut desk = bench.desk();
    bench.append(DROP, large.as_bytes());
    desk.writer.settle();
    assert!(!bench.path(DROP).exists() && bench.path(ROTATED_FILE).exists());
    // As long as a hook may have it open it stays, also over a restart.
    desk.writer.settle();
    let mut desk = bench.desk();
    desk.writer.settle();
    assert_eq!((desk.ids().len(), size(&bench.path(ROTATED_FILE))), (300, large.len() as u64));
    assert_eq!(desk.info().duplicates, 0);
}

#[test]
fn late_writes_are_read_before_removal() {
    let bench = AgentEventsFixture::new();
    let mut desk = bench.desk().limits(SLOW);
    bench.append(DROP, lines(0, 2).as_bytes());
    let mut early = fs::OpenOptions::new().append(true).open(bench.path(DROP)).expect("a hook opens it");
    desk.writer.settle();
    assert!(bench.path(ROTATED_FILE).exists());
    early.write_all(lines(2, 3).as_bytes()).expect("and writes");
    bench.append(DROP, lines(3, 5).as_bytes());
    desk.writer.settle();
    assert_eq!(desk.ids(), names(5), "both files are followed");
    early.write_all(lines(5, 6).as_bytes()).expect("and writes again");
    // Without a newline, and the writer has ended: it is a line anyway.
    early.write_all(lines(6, 7).trim_end().as_bytes()).expect("torn");
    let mut desk = desk.limits(EAGER);
    let info = desk.tidied();
    assert_eq!(desk.ids(), names(7));
    assert_eq!((info.duplicates, info.rejected, info.bad_dropped_lines), (0, 0, 0));
    assert!(!bench.path(ROTATED_FILE).exists() && !bench.path(DROP).exists());
}

#[test]
fn locked_rotated_file_is_not_removed() {
    let bench = AgentEventsFixture::new();
    let mut desk = bench.desk().limits(SLOW);
    bench.append(DROP, lines(0, 2).as_bytes());
    let mut hook = fs::OpenOptions::new().append(true).open(bench.path(DROP)).expect("open");
    hook.lock().expect("lock");
    desk.writer.settle();
    let mut desk = desk.limits(EAGER);
    desk.writer.settle();
    assert!(bench.path(ROTATED_FILE).exists());
    hook.write_all(lines(2, 3).as_bytes()).expect("written");
    drop(hook);
    desk.writer.settle();
    assert_eq!((desk.ids(), bench.path(ROTATED_FILE).exists()), (names(3), false));
}

#[test]
fn leftover_rotated_file_is_read_once_and_removed() {
    // Killed just after the name was given; after the note of it; with lines in both files; or without any record.
    for recorded in [0, 1, 2] {
        let bench = AgentEventsFixture::new();
        bench.append(DROP, (timeless(0) + &lines(0, 2)).as_bytes());
        let mut desk = bench.unsettled_at(NOW).limits(Limits { full: u64::MAX, quiet_ms: 0 });
        desk.writer.settle();
        if recorded == 0 {
            fs::rename(bench.path(DROP), bench.path(ROTATED_FILE)).expect("put away");
        } else {
            let mut desk = desk.limits(SLOW);
            desk.writer.settle();
            assert!(bench.path(ROTATED_FILE).exists());
            if recorded == 2 {
                bench.append(DROP, lines(2, 3).as_bytes());
                desk.writer.settle();
            }
        }
        bench.append(ROTATED_FILE, lines(10, 11).as_bytes());
        bench.append(DROP, lines(11, 12).as_bytes());
        for hour in 1..4 {
            let mut desk = bench.eager_at(NOW + hour * 3_600_000);
            let info = desk.info();
            let ids: Vec<_> = desk.ids().into_iter().filter(|id| id.starts_with('e') && id.len() == 5).collect();
            let late = if recorded == 2 { &["e0002"][..] } else { &[] };
            let wanted = [&["e0000", "e0001"][..], late, &["e0010", "e0011"]].concat();
            assert_eq!(ids, wanted, "recorded {recorded}");
            assert_eq!((info.duplicates, info.inputs), (0, wanted.len() as u64 + 1), "recorded {recorded}");
            assert!(!bench.path(ROTATED_FILE).exists() && !bench.path(DROP).exists(), "recorded {recorded}");
        }
    }
}

#[test]
fn rotated_file_without_journal_is_read_completely() {
    let bench = AgentEventsFixture::new();
    bench.append(ROTATED_FILE, lines(0, 2).as_bytes());
    bench.append(DROP, lines(2, 3).as_bytes());
    let mut desk = bench.eager_at(NOW);
    assert_eq!((desk.ids(), desk.info().accepted), (names(3), 3));
    assert!(!bench.path(ROTATED_FILE).exists());
    // The journal is removed while a file waits: every line that still exists is read again.
    let mut desk = desk.limits(SLOW);
    bench.append(DROP, lines(3, 5).as_bytes());
    desk.writer.settle();
    fs::remove_file(bench.path(RECORD)).expect("removed");
    desk.writer.settle();
    assert_eq!(desk.ids(), ["e0003", "e0004"]);
}

#[test]
fn identical_later_bytes_are_new_lines() {
    let bench = AgentEventsFixture::new();
    let mut inputs = 0;
    for hour in 0..4 {
        // They have no time of their own: a copy that is read an hour later is another event.
        bench.append(DROP, (0..5).map(timeless).collect::<String>().as_bytes());
        let mut desk = bench.eager_at(NOW + hour * 3_600_000);
        inputs += 5;
        let info = desk.info();
        assert_eq!((info.inputs, info.accepted, info.duplicates), (inputs, 5, 0), "hour {hour}");
    }
}

/// Drops lines, rotates the file on a disk that fails from one call on, and starts a new process there. False when the
/// disk failed too late.
fn survives(fault: DiskFault) -> bool {
    let bench = AgentEventsFixture::new();
    bench.append(DROP, (timeless(0) + &lines(0, 3)).as_bytes());
    let mut desk = bench.unsettled_at(NOW).limits(EAGER);
    let (mut hook, mut wrote): (Option<fs::File>, _) = (None, false);
    let ((), struck) = faults::with_fault(fault, || {
        for _ in 0..12 {
            desk.writer.step();
            match &mut hook {
                None => hook = fs::OpenOptions::new().append(true).open(bench.path(DROP)).ok(),
                Some(hook) if !wrote && bench.path(ROTATED_FILE).exists() => {
                    hook.write_all(lines(3, 4).as_bytes()).expect("written");
                    wrote = true;
                }
                Some(_) => {}
            }
        }
    });
    drop(desk);
    if !wrote {
        bench.append(DROP, lines(3, 4).as_bytes());
    }
    bench.append(DROP, lines(4, 5).as_bytes());
    for hour in 1..3 {
        let mut desk = bench.eager_at(NOW + hour * 3_600_000);
        let ids: Vec<_> = desk.ids().into_iter().filter(|id| id.len() == 5).collect();
        assert_eq!(ids, names(5), "{fault:?}");
        assert_eq!((desk.info().inputs, desk.info().duplicates), (6, 0), "{fault:?}");
        assert!(!bench.path(ROTATED_FILE).exists() && !bench.path(DROP).exists(), "{fault:?}");
    }
    struck
}

#[test]
fn crash_during_rotation_is_resumable() {
    for (lasting, tears) in [(true, false), (true, true), (false, false)] {
        let faults = (0..).map(|after| DiskFault { after, error: 5, lasting, tears });
        let struck = faults.take_while(|fault| survives(*fault)).count();
        assert!(struck >= 10, "{struck}");
    }
}

#[test]
fn hook_lines_during_rotation_arrive_once() {
    let bench = AgentEventsFixture::new();
    let (writers, each) = (4, 300);
    let home = HomeDir::new(bench.dir.path());
    let mut desk = bench.desk().limits(EAGER);
    let running = std::sync::atomic::AtomicUsize::new(writers);
    let (steps, turns) = (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
    let mut rotated = false;
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let (home, running, steps, turns) = (&home, &running, &steps, &turns);
            scope.spawn(move || {
                for number in 0..each {
                    // Not so fast that all of it is there at the first look, nor, where the machine is slow, that it is
                    // never quiet; a turn that came and went between two looks is not waited for.
                    let early = || turns.load(Ordering::SeqCst) < number / 12;
                    while steps.load(Ordering::SeqCst) < if early() { number * 50 } else { number } {
                        std::thread::yield_now();
                    }
                    let item = event(&format!("w{writer}-{number}"), "하나").to_string();
                    crate::claude_code::append(home, item.as_bytes()).expect("appended");
                }
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        while running.load(Ordering::SeqCst) > 0 {
            desk.writer.step();
            steps.fetch_add(1, Ordering::SeqCst);
            let now = bench.path(ROTATED_FILE).exists();
            turns.fetch_add(usize::from(rotated != now), Ordering::SeqCst);
            rotated = now;
        }
    });
    let info = desk.tidied();
    let turns = turns.into_inner();
    let wanted: BTreeSet<_> =
        (0..writers).flat_map(|writer| (0..each).map(move |number| format!("w{writer}-{number}"))).collect();
    assert_eq!(desk.ids().into_iter().collect::<BTreeSet<_>>(), wanted);
    assert_eq!((info.accepted, info.duplicates, info.rejected), ((writers * each) as u64, 0, 0));
    assert!(turns > 20, "it was put away or removed {turns} times");
    assert!(!bench.path(ROTATED_FILE).exists() && !bench.path(DROP).exists());
}

#[test]
fn unlocked_partial_writes_arrive_once() {
    let bench = AgentEventsFixture::new();
    let (writers, each) = (4, 1000);
    let mut desk = bench.desk().limits(SLOW);
    let running = std::sync::atomic::AtomicUsize::new(writers);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let (bench, running) = (&bench, &running);
            scope.spawn(move || {
                for number in 0..each {
                    let line = line(&event(&format!("w{writer}-{number}"), "하나"));
                    bench.append(DROP, line.as_bytes());
                }
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        while running.load(Ordering::SeqCst) > 0 {
            desk.writer.step();
        }
    });
    desk.tidied();
    assert!(bench.path(ROTATED_FILE).exists() && !bench.path(DROP).exists() || size(&bench.path(DROP)) > 0);
    let mut desk = desk.limits(EAGER);
    let info = desk.tidied();
    assert_eq!((desk.ids().len(), info.accepted, info.duplicates), (writers * each, (writers * each) as u64, 0));
    assert!(!bench.path(ROTATED_FILE).exists() && !bench.path(DROP).exists());
}

#[test]
fn foreign_entries_are_ignored_during_rotation() {
    let bench = AgentEventsFixture::new();
    fs::write(bench.path("theirs"), lines(7, 8)).expect("file");
    std::os::unix::fs::symlink(bench.path("theirs"), bench.path(ROTATED_FILE)).expect("link");
    bench.append(DROP, lines(0, 2).as_bytes());
    let mut desk = bench.eager_at(NOW);
    assert_eq!(desk.ids(), names(2), "nothing of what the link points to");
    assert!(bench.path(DROP).exists() && bench.path("theirs").exists());
    assert!(desk.info().last_error.expect("told").cause.contains("put-away: a link"));
    fs::remove_file(bench.path(ROTATED_FILE)).expect("unlinked");
    fs::create_dir(bench.path(ROTATED_FILE)).expect("a folder");
    bench.append(DROP, lines(2, 3).as_bytes());
    desk.writer.settle();
    assert!(bench.path(DROP).exists());
    assert_eq!(desk.ids(), names(3));
    fs::remove_dir(bench.path(ROTATED_FILE)).expect("removed");
    fs::hard_link(bench.path(DROP), bench.path("other-name")).expect("link");
    desk.writer.settle();
    assert!(bench.path(DROP).exists(), "whoever has the other name may write to it");
    fs::remove_file(bench.path("other-name")).expect("removed");
    bench.append(DROP, lines(3, 4).as_bytes());
    desk.writer.settle();
    assert_eq!((bench.path(DROP).exists(), desk.ids()), (false, names(4)));
}

#[test]
fn file_is_not_rotated_without_write_permission() {
    let bench = AgentEventsFixture::new();
    bench.append(DROP, lines(0, 2).as_bytes());
    bench.append(ROTATED_FILE, lines(2, 3).as_bytes());
    bench.may_write.store(false, Ordering::Relaxed);
    let desk = bench.eager_at(NOW);
    assert!(desk.ids().is_empty() && bench.path(DROP).exists() && bench.path(ROTATED_FILE).exists());
    bench.may_write.store(true, Ordering::Relaxed);
    let bench = AgentEventsFixture::new();
    bench.append(DROP, lines(0, 2).as_bytes());
    let mut desk = bench.unsettled_at(NOW).limits(Limits { full: u64::MAX, quiet_ms: 0 });
    desk.writer.settle();
    let mut desk = desk.limits(EAGER);
    let fault = DiskFault { after: 0, error: 13, lasting: true, tears: false };
    let (_, struck) = faults::with_fault(fault, || (0..5).filter(|_| desk.writer.step()).count());
    assert!(struck && bench.path(DROP).exists(), "no name can be changed");
    bench.append(DROP, lines(2, 4).as_bytes());
    let info = desk.tidied();
    assert_eq!((desk.ids(), info.dropped_to, info.last_error), (names(4), size(&bench.path(DROP)), None));
}

#[test]
fn file_replacing_rotated_name_is_read_too() {
    let bench = AgentEventsFixture::new();
    bench.append(DROP, lines(0, 2).as_bytes());
    let mut desk = bench.unsettled_at(NOW).limits(Limits { full: u64::MAX, quiet_ms: 0 });
    desk.writer.settle();
    let mut desk = desk.limits(EAGER);
    let (path, old, next) = (bench.path(DROP), bench.path("logs/old"), lines(3, 5));
    let late = lines(2, 3);
    let act = move || {
        let mut hook = fs::OpenOptions::new().append(true).open(&path).expect("open");
        fs::rename(&path, &old).expect("moved away by others");
        fs::write(&path, next).expect("another file");
        hook.write_all(late.as_bytes()).expect("a line that nobody has read");
    };
    let (_, acted) = faults::meanwhile(0, act, || desk.writer.step());
    assert!(acted);
    let info = desk.tidied();
    assert_eq!((desk.ids(), info.duplicates), (names(5), 0));
    assert!(!bench.path(ROTATED_FILE).exists() && bench.path("logs/old").exists());
}
