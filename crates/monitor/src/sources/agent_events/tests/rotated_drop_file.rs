//! Tests of the rotation of the drop file `logs/hook-events.ndjson`, to which hooks append events that they cannot
//! post. Each line is read once, even if hooks still write to the renamed file or the monitor crashes at any step.
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

impl TestProcess {
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
    /// Starts a process with the [`EAGER`] limits. It has read the files there are.
    fn eager_at(&self, now: i64) -> TestProcess {
        let mut process = self.unsettled_at(now).limits(EAGER);
        process.writer.settle();
        process
    }
}

#[test]
fn read_drop_file_is_rotated_and_removed() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start().limits(EAGER);
    for round in 0..4 {
        fixture.append(DROP, lines(round * 3, round * 3 + 3).as_bytes());
        let info = process.info();
        assert!(!fixture.path(DROP).exists() && !fixture.path(ROTATED_FILE).exists(), "round {round}");
        assert_eq!(process.ids(), names(round * 3 + 3));
        assert_eq!((info.duplicates, info.rejected, info.bad_dropped_lines), (0, 0, 0), "round {round}");
        assert_eq!((info.dropped_bytes, info.dropped_to, info.bad_lines), (None, 0, 0), "round {round}");
    }
    let mut reloaded = fixture.start();
    assert_eq!((reloaded.ids(), reloaded.info().bad_lines), (names(12), 0));
}

#[test]
fn only_old_or_large_files_rotate() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    fixture.append(DROP, lines(0, 3).as_bytes());
    process.writer.settle();
    assert!(fixture.path(DROP).exists(), "it may still be looked at");
    let hours_ago =
        |hours: u64| std::time::UNIX_EPOCH + std::time::Duration::from_secs(NOW as u64 / 1000 - hours * 3600);
    let file = fs::File::options().append(true).open(fixture.path(DROP)).expect("open");
    file.set_modified(hours_ago(2)).expect("time");
    process.writer.settle();
    assert!(!fixture.path(DROP).exists() && fixture.path(ROTATED_FILE).exists(), "nobody wrote to it for hours");
    let text = "x".repeat(1 << 12);
    let large: String = (0..300).map(|number| line(&event(&format!("l{number}"), &text))).collect();
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    fixture.append(DROP, large.as_bytes());
    process.writer.settle();
    assert!(!fixture.path(DROP).exists() && fixture.path(ROTATED_FILE).exists());
    // As long as a hook may have it open it stays, also over a restart.
    process.writer.settle();
    let mut process = fixture.start();
    process.writer.settle();
    assert_eq!((process.ids().len(), size(&fixture.path(ROTATED_FILE))), (300, large.len() as u64));
    assert_eq!(process.info().duplicates, 0);
}

#[test]
fn late_writes_are_read_before_removal() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start().limits(SLOW);
    fixture.append(DROP, lines(0, 2).as_bytes());
    let mut early = fs::OpenOptions::new().append(true).open(fixture.path(DROP)).expect("a hook opens it");
    process.writer.settle();
    assert!(fixture.path(ROTATED_FILE).exists());
    early.write_all(lines(2, 3).as_bytes()).expect("and writes");
    fixture.append(DROP, lines(3, 5).as_bytes());
    process.writer.settle();
    assert_eq!(process.ids(), names(5), "both files are followed");
    early.write_all(lines(5, 6).as_bytes()).expect("and writes again");
    // Without a newline, and the writer has ended: it is a line anyway.
    early.write_all(lines(6, 7).trim_end().as_bytes()).expect("torn");
    let mut process = process.limits(EAGER);
    let info = process.tidied();
    assert_eq!(process.ids(), names(7));
    assert_eq!((info.duplicates, info.rejected, info.bad_dropped_lines), (0, 0, 0));
    assert!(!fixture.path(ROTATED_FILE).exists() && !fixture.path(DROP).exists());
}

#[test]
fn locked_rotated_file_is_not_removed() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start().limits(SLOW);
    fixture.append(DROP, lines(0, 2).as_bytes());
    let mut hook = fs::OpenOptions::new().append(true).open(fixture.path(DROP)).expect("open");
    hook.lock().expect("lock");
    process.writer.settle();
    let mut process = process.limits(EAGER);
    process.writer.settle();
    assert!(fixture.path(ROTATED_FILE).exists());
    hook.write_all(lines(2, 3).as_bytes()).expect("written");
    drop(hook);
    process.writer.settle();
    assert_eq!((process.ids(), fixture.path(ROTATED_FILE).exists()), (names(3), false));
}

#[test]
fn leftover_rotated_file_is_read_once_and_removed() {
    // Killed just after the name was given; after the note of it; with lines in both files; or without any record.
    for recorded in [0, 1, 2] {
        let fixture = AgentEventsFixture::new();
        fixture.append(DROP, (timeless(0) + &lines(0, 2)).as_bytes());
        let mut process = fixture.unsettled_at(NOW).limits(Limits { full: u64::MAX, quiet_ms: 0 });
        process.writer.settle();
        if recorded == 0 {
            fs::rename(fixture.path(DROP), fixture.path(ROTATED_FILE)).expect("put away");
        } else {
            let mut process = process.limits(SLOW);
            process.writer.settle();
            assert!(fixture.path(ROTATED_FILE).exists());
            if recorded == 2 {
                fixture.append(DROP, lines(2, 3).as_bytes());
                process.writer.settle();
            }
        }
        fixture.append(ROTATED_FILE, lines(10, 11).as_bytes());
        fixture.append(DROP, lines(11, 12).as_bytes());
        for hour in 1..4 {
            let mut process = fixture.eager_at(NOW + hour * 3_600_000);
            let info = process.info();
            let ids: Vec<_> = process.ids().into_iter().filter(|id| id.starts_with('e') && id.len() == 5).collect();
            let late = if recorded == 2 { &["e0002"][..] } else { &[] };
            let wanted = [&["e0000", "e0001"][..], late, &["e0010", "e0011"]].concat();
            assert_eq!(ids, wanted, "recorded {recorded}");
            assert_eq!((info.duplicates, info.inputs), (0, wanted.len() as u64 + 1), "recorded {recorded}");
            assert!(!fixture.path(ROTATED_FILE).exists() && !fixture.path(DROP).exists(), "recorded {recorded}");
        }
    }
}

#[test]
fn rotated_file_without_journal_is_read_completely() {
    let fixture = AgentEventsFixture::new();
    fixture.append(ROTATED_FILE, lines(0, 2).as_bytes());
    fixture.append(DROP, lines(2, 3).as_bytes());
    let mut process = fixture.eager_at(NOW);
    assert_eq!((process.ids(), process.info().accepted), (names(3), 3));
    assert!(!fixture.path(ROTATED_FILE).exists());
    // The journal is removed while a file waits: every line that still exists is read again.
    let mut process = process.limits(SLOW);
    fixture.append(DROP, lines(3, 5).as_bytes());
    process.writer.settle();
    fs::remove_file(fixture.path(RECORD)).expect("removed");
    process.writer.settle();
    assert_eq!(process.ids(), ["e0003", "e0004"]);
}

#[test]
fn identical_later_bytes_are_new_lines() {
    let fixture = AgentEventsFixture::new();
    let mut inputs = 0;
    for hour in 0..4 {
        // They have no time of their own: a copy that is read an hour later is another event.
        fixture.append(DROP, (0..5).map(timeless).collect::<String>().as_bytes());
        let mut process = fixture.eager_at(NOW + hour * 3_600_000);
        inputs += 5;
        let info = process.info();
        assert_eq!((info.inputs, info.accepted, info.duplicates), (inputs, 5, 0), "hour {hour}");
    }
}

/// Drops lines, rotates the file on a disk that fails from one call on, and starts a new process there. False when the
/// disk failed too late.
fn survives(fault: DiskFault) -> bool {
    let fixture = AgentEventsFixture::new();
    fixture.append(DROP, (timeless(0) + &lines(0, 3)).as_bytes());
    let mut process = fixture.unsettled_at(NOW).limits(EAGER);
    let (mut hook, mut wrote): (Option<fs::File>, _) = (None, false);
    let ((), struck) = faults::with_fault(fault, || {
        for _ in 0..12 {
            process.writer.step();
            match &mut hook {
                None => hook = fs::OpenOptions::new().append(true).open(fixture.path(DROP)).ok(),
                Some(hook) if !wrote && fixture.path(ROTATED_FILE).exists() => {
                    hook.write_all(lines(3, 4).as_bytes()).expect("written");
                    wrote = true;
                }
                Some(_) => {}
            }
        }
    });
    drop(process);
    if !wrote {
        fixture.append(DROP, lines(3, 4).as_bytes());
    }
    fixture.append(DROP, lines(4, 5).as_bytes());
    for hour in 1..3 {
        let mut process = fixture.eager_at(NOW + hour * 3_600_000);
        let ids: Vec<_> = process.ids().into_iter().filter(|id| id.len() == 5).collect();
        assert_eq!(ids, names(5), "{fault:?}");
        assert_eq!((process.info().inputs, process.info().duplicates), (6, 0), "{fault:?}");
        assert!(!fixture.path(ROTATED_FILE).exists() && !fixture.path(DROP).exists(), "{fault:?}");
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
    let fixture = AgentEventsFixture::new();
    let (writers, each) = (4, 300);
    let home = HomeDir::new(fixture.dir.path());
    let mut process = fixture.start().limits(EAGER);
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
                    crate::agent_hooks::append(home, item.as_bytes()).expect("appended");
                }
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        while running.load(Ordering::SeqCst) > 0 {
            process.writer.step();
            steps.fetch_add(1, Ordering::SeqCst);
            let now = fixture.path(ROTATED_FILE).exists();
            turns.fetch_add(usize::from(rotated != now), Ordering::SeqCst);
            rotated = now;
        }
    });
    let info = process.tidied();
    let turns = turns.into_inner();
    let wanted: BTreeSet<_> =
        (0..writers).flat_map(|writer| (0..each).map(move |number| format!("w{writer}-{number}"))).collect();
    assert_eq!(process.ids().into_iter().collect::<BTreeSet<_>>(), wanted);
    assert_eq!((info.accepted, info.duplicates, info.rejected), ((writers * each) as u64, 0, 0));
    assert!(turns > 20, "it was put away or removed {turns} times");
    assert!(!fixture.path(ROTATED_FILE).exists() && !fixture.path(DROP).exists());
}

#[test]
fn unlocked_partial_writes_arrive_once() {
    let fixture = AgentEventsFixture::new();
    let (writers, each) = (4, 1000);
    let mut process = fixture.start().limits(SLOW);
    let running = std::sync::atomic::AtomicUsize::new(writers);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let (fixture, running) = (&fixture, &running);
            scope.spawn(move || {
                for number in 0..each {
                    let line = line(&event(&format!("w{writer}-{number}"), "하나"));
                    fixture.append(DROP, line.as_bytes());
                }
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        while running.load(Ordering::SeqCst) > 0 {
            process.writer.step();
        }
    });
    process.tidied();
    assert!(fixture.path(ROTATED_FILE).exists() && !fixture.path(DROP).exists() || size(&fixture.path(DROP)) > 0);
    let mut process = process.limits(EAGER);
    let info = process.tidied();
    assert_eq!((process.ids().len(), info.accepted, info.duplicates), (writers * each, (writers * each) as u64, 0));
    assert!(!fixture.path(ROTATED_FILE).exists() && !fixture.path(DROP).exists());
}

#[test]
fn foreign_entries_are_ignored_during_rotation() {
    let fixture = AgentEventsFixture::new();
    fs::write(fixture.path("theirs"), lines(7, 8)).expect("file");
    std::os::unix::fs::symlink(fixture.path("theirs"), fixture.path(ROTATED_FILE)).expect("link");
    fixture.append(DROP, lines(0, 2).as_bytes());
    let mut process = fixture.eager_at(NOW);
    assert_eq!(process.ids(), names(2), "nothing of what the link points to");
    assert!(fixture.path(DROP).exists() && fixture.path("theirs").exists());
    assert!(process.info().last_error.expect("an error").cause.contains("put-away: a link"));
    fs::remove_file(fixture.path(ROTATED_FILE)).expect("unlinked");
    fs::create_dir(fixture.path(ROTATED_FILE)).expect("a folder");
    fixture.append(DROP, lines(2, 3).as_bytes());
    process.writer.settle();
    assert!(fixture.path(DROP).exists());
    assert_eq!(process.ids(), names(3));
    fs::remove_dir(fixture.path(ROTATED_FILE)).expect("removed");
    fs::hard_link(fixture.path(DROP), fixture.path("other-name")).expect("link");
    process.writer.settle();
    assert!(fixture.path(DROP).exists(), "a program may write to it by the other name");
    fs::remove_file(fixture.path("other-name")).expect("removed");
    fixture.append(DROP, lines(3, 4).as_bytes());
    process.writer.settle();
    assert_eq!((fixture.path(DROP).exists(), process.ids()), (false, names(4)));
}

#[test]
fn file_is_not_rotated_without_write_permission() {
    let fixture = AgentEventsFixture::new();
    fixture.append(DROP, lines(0, 2).as_bytes());
    fixture.append(ROTATED_FILE, lines(2, 3).as_bytes());
    fixture.may_write.store(false, Ordering::Relaxed);
    let process = fixture.eager_at(NOW);
    assert!(process.ids().is_empty() && fixture.path(DROP).exists() && fixture.path(ROTATED_FILE).exists());
    fixture.may_write.store(true, Ordering::Relaxed);
    let fixture = AgentEventsFixture::new();
    fixture.append(DROP, lines(0, 2).as_bytes());
    let mut process = fixture.unsettled_at(NOW).limits(Limits { full: u64::MAX, quiet_ms: 0 });
    process.writer.settle();
    let mut process = process.limits(EAGER);
    let fault = DiskFault { after: 0, error: 13, lasting: true, tears: false };
    let (_, struck) = faults::with_fault(fault, || (0..5).filter(|_| process.writer.step()).count());
    assert!(struck && fixture.path(DROP).exists(), "no name can be changed");
    fixture.append(DROP, lines(2, 4).as_bytes());
    let info = process.tidied();
    assert_eq!((process.ids(), info.dropped_to, info.last_error), (names(4), size(&fixture.path(DROP)), None));
}

#[test]
fn file_replacing_rotated_name_is_read_too() {
    let fixture = AgentEventsFixture::new();
    fixture.append(DROP, lines(0, 2).as_bytes());
    let mut process = fixture.unsettled_at(NOW).limits(Limits { full: u64::MAX, quiet_ms: 0 });
    process.writer.settle();
    let mut process = process.limits(EAGER);
    let (path, old, next) = (fixture.path(DROP), fixture.path("logs/old"), lines(3, 5));
    let late = lines(2, 3);
    let act = move || {
        let mut hook = fs::OpenOptions::new().append(true).open(&path).expect("open");
        fs::rename(&path, &old).expect("moved away by others");
        fs::write(&path, next).expect("another file");
        hook.write_all(late.as_bytes()).expect("a line that nobody has read");
    };
    let (_, acted) = faults::meanwhile(0, act, || process.writer.step());
    assert!(acted);
    let info = process.tidied();
    assert_eq!((process.ids(), info.duplicates), (names(5), 0));
    assert!(!fixture.path(ROTATED_FILE).exists() && fixture.path("logs/old").exists());
}
