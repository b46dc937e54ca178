//! Tests of the log follower when somebody restores a backup over the live log file. Every line is delivered once,
//! however the backup is written and whenever the follower polls.
//!
//! Proves (log): A restored backup of the live file delivers every line once, however its bytes are written.

use std::fs;
use std::io::Write as _;

use super::*;

/// How the bytes of a backup come to be the live file.
#[derive(Debug, Clone, Copy)]
enum BackupForm {
    /// Removed, then written as a new file, in blocks.
    Removed,
    /// Written over in place, in blocks.
    InPlace,
    /// Written over in place without a truncation first, then cut to its length.
    InPlaceFromTheStart,
    /// Written beside it and renamed over it.
    Renamed,
    /// Removed; the writer begins a new log; the backup is written over that in place.
    OverANewLog,
    /// Removed; the writer begins a new log; the backup is renamed over that.
    RenamedOverANewLog,
    /// A folder, a FIFO or a link takes its place for a while.
    AfterAFolder,
    AfterAFifo,
    AfterALink,
    /// The whole folder is moved away, and one with only the backup takes its place.
    AfterTheFolderOfTheLogs,
}

const FORMS: [BackupForm; 10] = [
    BackupForm::Removed,
    BackupForm::InPlace,
    BackupForm::InPlaceFromTheStart,
    BackupForm::Renamed,
    BackupForm::OverANewLog,
    BackupForm::RenamedOverANewLog,
    BackupForm::AfterAFolder,
    BackupForm::AfterAFifo,
    BackupForm::AfterALink,
    BackupForm::AfterTheFolderOfTheLogs,
];

/// Bytes written at a time, as a copy over a network does.
const PIECE: usize = 501;

/// Puts a backup back; `pause` is called wherever a follower may look. Returns the lines written meanwhile.
fn put_back(
    fixture: &mut TailFixture,
    form: BackupForm,
    backup: &[u8],
    begun: i64,
    pause: &mut dyn FnMut(&mut TailFixture),
) -> Vec<i64> {
    let live = fixture.path(LIVE);
    let write = |fixture: &mut TailFixture, pause: &mut dyn FnMut(&mut TailFixture)| {
        fs::write(&live, "").expect("truncated or created");
        for block in backup.chunks(PIECE) {
            pause(fixture);
            append(&live, block);
        }
    };
    let mut written = Vec::new();
    match form {
        BackupForm::Removed => {
            fs::remove_file(&live).expect("removed");
            pause(fixture);
            write(fixture, pause);
        }
        BackupForm::InPlace => write(fixture, pause),
        BackupForm::InPlaceFromTheStart => {
            let mut file = fs::File::options().write(true).open(&live).expect("open");
            // No look in between: old lines behind new ones would be lines of their own.
            file.write_all(backup).expect("written");
            file.set_len(backup.len() as u64).expect("cut");
        }
        BackupForm::Renamed => {
            fs::write(fixture.path("backup"), backup).expect("written");
            pause(fixture);
            fixture.rename("backup", LIVE);
        }
        BackupForm::OverANewLog | BackupForm::RenamedOverANewLog => {
            fs::remove_file(&live).expect("removed");
            pause(fixture);
            fixture.append(LIVE, line(begun));
            fixture.look();
            written.push(begun);
            if matches!(form, BackupForm::OverANewLog) {
                write(fixture, pause);
            } else {
                fs::write(fixture.path("backup"), backup).expect("written");
                fixture.rename("backup", LIVE);
            }
        }
        BackupForm::AfterAFolder | BackupForm::AfterAFifo | BackupForm::AfterALink => {
            fs::remove_file(&live).expect("removed");
            match form {
                BackupForm::AfterAFolder => fs::create_dir(&live).expect("a folder"),
                BackupForm::AfterAFifo => {
                    rustix::fs::mkfifoat(rustix::fs::CWD, &live, rustix::fs::Mode::RUSR).expect("a FIFO");
                }
                _ => std::os::unix::fs::symlink("/dev/null", &live).expect("a link"),
            }
            pause(fixture);
            if live.is_dir() { fs::remove_dir(&live) } else { fs::remove_file(&live) }.expect("removed");
            write(fixture, pause);
        }
        BackupForm::AfterTheFolderOfTheLogs => {
            let logs = fixture.path("");
            fs::rename(&logs, fixture.dir.path().join(format!("away-{begun}"))).expect("moved");
            pause(fixture);
            fs::create_dir(&logs).expect("a folder");
            pause(fixture);
            write(fixture, pause);
        }
    }
    pause(fixture);
    written
}

fn sorted(fixture: &TailFixture) -> Vec<i64> {
    let mut times = fixture.times();
    times.sort_unstable();
    times
}

/// Lines of the whole log, and of the older copy.
const LINES: i64 = 120;
const OLDER: i64 = 80;

fn log(lines: std::ops::RangeInclusive<i64>) -> String {
    lines.map(line).collect()
}

#[test]
fn restored_backup_delivers_nothing_twice() {
    let (whole, older) = (log(1..=LINES), log(1..=OLDER));
    // Another line follows before the follower looks: still a copy as far as it goes.
    let continued = older.clone() + &line(900);
    for (backup, of_its_own) in [(&whole, None), (&older, None), (&continued, Some(900))] {
        for form in FORMS {
            for looks in [0, 1, 3] {
                let mut fixture = TailFixture::new();
                fixture.append(LIVE, &whole);
                fixture.look();
                let (mut calls, mut expected) = (0_u32, (1..=LINES).collect::<Vec<_>>());
                let written = put_back(&mut fixture, form, backup.as_bytes(), 1000, &mut |fixture| {
                    calls += 1;
                    if looks > 0 && calls.is_multiple_of(looks) {
                        fixture.look();
                    }
                });
                fixture.look();
                expected.extend(of_its_own.into_iter().chain(written));
                let case = format!("{form:?}, {} bytes, looking every {looks}", backup.len());
                assert_eq!(sorted(&fixture), expected, "{case}");
                // The writer continues, and the whole log is put back over that.
                fixture.append(LIVE, line(2000));
                fixture.look();
                expected.push(2000);
                assert_eq!(sorted(&fixture), expected, "{case}, and goes on");
                let written = put_back(&mut fixture, form, whole.as_bytes(), 3000, &mut |fixture| drop(fixture.look()));
                fixture.append(LIVE, line(4000));
                fixture.look();
                expected.extend(written.into_iter().chain([4000]));
                assert_eq!(sorted(&fixture), expected, "{case}, and once more");
                assert_eq!(fixture.ids().iter().collect::<BTreeSet<_>>().len(), expected.len(), "{case}: one id each");
            }
        }
    }
}

#[test]
fn ids_survive_restart_after_full_restore() {
    for form in FORMS {
        let mut fixture = TailFixture::new();
        fixture.append(LIVE, log(1..=LINES));
        fixture.look();
        let whole = log(1..=LINES);
        put_back(&mut fixture, form, whole.as_bytes(), 1000, &mut |fixture| drop(fixture.look()));
        fixture.append(LIVE, line(2000));
        fixture.look();
        let ids = |fixture: &TailFixture| -> BTreeSet<String> { fixture.ids().into_iter().collect() };
        let before = ids(&fixture);
        fixture.restart();
        fixture.look();
        assert!(ids(&fixture).is_subset(&before), "{form:?}");
        assert_eq!(fixture.times().len(), usize::try_from(LINES).expect("small") + 1);
    }
}

#[test]
fn shared_beginnings_are_shown_once_after_restart() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, log(1..=9));
    fixture.look();
    fixture.rename(LIVE, MONTH);
    fixture.append(LIVE, log(1..=5) + &log(20..=22));
    fixture.look();
    let expected: Vec<i64> = (1..=9).chain(20..=22).collect();
    assert_eq!(sorted(&fixture), expected);
    fixture.restart();
    fixture.look();
    assert_eq!(sorted(&fixture), expected);
}

#[test]
fn diverging_archive_of_removed_file_loses_nothing() {
    let mut fixture = TailFixture::new();
    fixture.append(LIVE, log(1..=LINES));
    fixture.look();
    fs::remove_file(fixture.path(LIVE)).expect("removed");
    fixture.append(MONTH, log(1..=OLDER) + &line(900));
    fixture.look();
    assert_eq!(sorted(&fixture), (1..=LINES).chain([900]).collect::<Vec<_>>());
}

#[test]
fn repeated_line_counts_twice_despite_backup() {
    let mut fixture = TailFixture::new();
    let repeated = line(1) + &line(2) + &line(2) + &line(1);
    fixture.append(LIVE, &repeated);
    fixture.look();
    fixture.append(LIVE, line(2));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 2, 1, 2]);
    put_back(&mut fixture, BackupForm::InPlace, repeated.as_bytes(), 0, &mut |fixture| drop(fixture.look()));
    fixture.append(LIVE, line(2) + &line(2));
    fixture.look();
    assert_eq!(fixture.times(), [1, 2, 2, 1, 2, 2], "the fifth line is the one that was there, the sixth is new");
}

#[test]
fn backup_counts_bad_and_overlong_lines_once() {
    let mut fixture = TailFixture::new();
    let long = "{\"type\":\"x\",\"data\":\"".to_owned() + &"y".repeat(5 * 1024 * 1024) + &line(3);
    let log = line(1) + "not json\n" + &long + &line(4);
    fixture.append(LIVE, &log);
    fixture.look();
    assert_eq!((fixture.times(), fixture.bad.len()), (vec![1, 3, 4], 2));
    for form in [BackupForm::Renamed, BackupForm::OverANewLog] {
        // Few blocks: each look reads all bytes.
        let mut calls = 0_u32;
        put_back(&mut fixture, form, log.as_bytes(), 9, &mut |fixture| {
            calls += 1;
            if calls.is_multiple_of(5000) {
                fixture.look();
            }
        });
        fixture.look();
    }
    assert_eq!((fixture.times(), fixture.bad.len()), (vec![1, 3, 4, 9], 2));
}

/// Numbers of all lines on disk.
fn on_disk(fixture: &TailFixture) -> BTreeSet<i64> {
    let files = fs::read_dir(fixture.path("")).expect("the folder").map(|entry| entry.expect("an entry").path());
    let logs = files.filter(|path| path.extension().is_some_and(|kind| kind == "ndjson"));
    let lines = logs.flat_map(|path| {
        let text = fs::read_to_string(path).expect("text");
        text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")).collect::<Vec<_>>()
    });
    lines.filter_map(|line| line["ts"].as_i64()).collect()
}

#[test]
fn random_backups_put_back_deliver_each_line_once() {
    for seed in 1..=60_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut below = |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % bound as u64).expect("small")
        };
        let mut fixture = TailFixture::new();
        let (mut number, mut steps) = (0, Vec::new());
        let mut backups: Vec<Vec<u8>> = Vec::new();
        let mut written = BTreeSet::new();
        for _ in 0..40 {
            match below(10) {
                // A file begins with more than one line: a single equal one is no evidence of a copy.
                0..=3 => {
                    for _ in 0..2 + below(3) {
                        number += 1;
                        written.insert(number);
                        fixture.append(LIVE, line(number));
                    }
                    steps.push(format!("to {number}"));
                }
                4 | 5 => {
                    if let Ok(bytes) = fs::read(fixture.path(LIVE)) {
                        steps.push(format!("backup {} of {} bytes", backups.len(), bytes.len()));
                        backups.push(bytes);
                    }
                }
                6 | 7 if !backups.is_empty() && fixture.path(LIVE).exists() => {
                    fixture.look();
                    let (form, backup, often) = (FORMS[below(FORMS.len())], below(backups.len()), 1 + below(4));
                    steps.push(format!("{form:?} {backup}"));
                    let (backup, mut calls) = (backups[backup].clone(), 0_usize);
                    let begun = 1000 + 10 * number;
                    number += 1;
                    written.extend(put_back(&mut fixture, form, &backup, begun, &mut |fixture| {
                        calls += 1;
                        if calls.is_multiple_of(often) {
                            fixture.look();
                        }
                    }));
                }
                8 if fixture.path(LIVE).exists() => {
                    fixture.look();
                    steps.push("rotate".to_owned());
                    fixture.rename(LIVE, [MONTH, SIZE][below(2)]);
                }
                _ if !backups.is_empty() => {
                    fixture.look();
                    let backup = below(backups.len());
                    steps.push(format!("archive {backup}"));
                    fs::write(fixture.path("coordination-events-2025-12.ndjson"), &backups[backup]).expect("written");
                }
                _ => {}
            }
            if below(3) == 0 {
                fixture.look();
            }
        }
        fixture.look();
        assert_eq!(sorted(&fixture), written.into_iter().collect::<Vec<_>>(), "seed {seed}: {}", steps.join(", "));
        fixture.restart();
        fixture.look();
        let expected: Vec<i64> = on_disk(&fixture).into_iter().collect();
        assert_eq!(sorted(&fixture), expected, "seed {seed}, restarted: {}", steps.join(", "));
    }
}
