//! Tests of pipes, sockets, devices, folders and huge files in place of the files that the monitor reads: logs,
//! configuration, tasks and others. The monitor starts, every route answers, the replaced file is reported, and all
//! other files are still read.
//!
//! Proves (security): Pipes, devices, folders and huge files in place of files are reported and block nothing.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use futures::future::join_all;
use rustix::fs::{CWD, FileType, Mode, makedev, mkfifoat, mknodat};
use serde_json::Value;

use super::files_fixture::{
    ARCHIVE, AUDIT, FilesFixture, HONEST, LESSONS, LOG, OVERRIDES, PART, PATIENCE, SECRET, count, routes, write_home,
};

/// Of one agent, of the home, and of the store. Everything else stays as it is.
const OF_EDEN: [&str; 7] = [
    "workspace-eden/tasks/task_1.md",
    "workspace-eden/CURRENT_TASK.md",
    "workspace-eden/IDENTITY.md",
    "workspace-eden/MILESTONES.md",
    "workspace-eden/task-history/2026-02.md",
    "workspace-eden/.openclaw/plans/plan.json",
    "workspace-eden/face.png",
];
const SHARED: [&str; 6] = ["plans/eden_shared.json", "team-state.json", ARCHIVE, OVERRIDES, AUDIT, LESSONS];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OddFile {
    Pipe,
    Socket,
    Folder,
    /// `/dev/zero` by another name.
    Device,
    /// A gibibyte of nothing.
    Huge,
}

const ALL: [OddFile; 5] = [OddFile::Pipe, OddFile::Socket, OddFile::Folder, OddFile::Device, OddFile::Huge];

impl OddFile {
    /// Puts it in the place of a file; false where that takes a right that is not there.
    fn plant(self, path: &Path) -> bool {
        fs::remove_file(path).expect("remove");
        match self {
            Self::Pipe => mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).expect("mkfifo"),
            Self::Socket => drop(UnixListener::bind(path).expect("socket")),
            Self::Folder => fs::create_dir(path).expect("folder"),
            Self::Device => {
                return mknodat(CWD, path, FileType::CharacterDevice, Mode::RUSR, makedev(1, 5)).is_ok();
            }
            Self::Huge => {
                // A log has no size that is too much: it is read to its end, which takes a slow build its time.
                let log = path.extension().is_some_and(|ending| ending == "ndjson") && !path.ends_with(AUDIT);
                let size = if log { count(32 << 20, 1 << 30) } else { 1 << 30 };
                fs::File::create(path).and_then(|file| file.set_len(size as u64)).expect("sparse");
            }
        }
        true
    }

    fn cause(self) -> &'static str {
        if self == Self::Huge { "too large" } else { "not a regular file" }
    }
}

/// Requests every route; nothing fails, nothing is slow without end, and `seum` is reported. The slowest answer.
async fn ask_all(fixture: &FilesFixture, what: &str) -> (Duration, String) {
    let mut slowest = (Duration::ZERO, String::new());
    for (route, at_once) in routes() {
        let answer = fixture.get(&route).await;
        assert_ne!(answer.status.as_u16(), 500, "{what}: {route}: {}", answer.text());
        assert!(!answer.holds(SECRET), "{what}: {route}");
        if route.contains("/seum/") && at_once {
            assert!(answer.status == 200 && answer.holds(HONEST), "{what}: {route}: {}", answer.text());
        }
        if answer.took > slowest.0 {
            slowest = (answer.took, route);
        }
    }
    slowest
}

/// Waits until `health` lists all these files with the cause.
async fn wait_unreadable(fixture: &FilesFixture, files: &[&str], cause: &str) {
    let lists_file = |health: &Value, file: &str| {
        let list = health["unreadable"].as_array().expect("a list");
        list.iter().any(|entry| entry["path"] == file && entry["cause"] == cause)
    };
    fixture
        .eventually("/api/v2/health", |answer| {
            let health = answer.json();
            files.iter().all(|file| lists_file(&health, file))
        })
        .await;
}

/// Names that `health` lists: a picture is read only on request, the audit log is the store's.
fn listed(files: &[&'static str], odd: OddFile) -> Vec<&'static str> {
    let logs = [ARCHIVE, LOG];
    let listed = |file: &&&str| {
        !file.ends_with("face.png") && **file != AUDIT && !(odd == OddFile::Huge && logs.contains(*file))
    };
    files.iter().filter(listed).copied().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn non_files_are_reported_without_blocking_or_leaking() {
    for odd in ALL {
        let groups: [&[&'static str]; 5] = [&OF_EDEN, &SHARED, &["openclaw.json"], &[PART], &[LOG]];
        for files in groups {
            let what = format!("{odd:?} as {}", files[0]);
            let mut fixture = FilesFixture::new();
            if !files.iter().all(|file| odd.plant(&fixture.path(file))) {
                println!("{what}: this user may make no device; a socket is tested in its place");
                continue;
            }
            let state = fixture.start();
            // Before the first look no agent is known.
            fixture.eventually("/api/agents/seum/info", |answer| answer.status == 200).await;
            let (first, of) = ask_all(&fixture, &what).await;
            if files != [PART] {
                wait_unreadable(&fixture, &listed(files, odd), odd.cause()).await;
            }
            state.ready().await;
            let (then, of_then) = ask_all(&fixture, &what).await;
            println!("{what}: slowest answer {first:?} ({of}) while reading, {then:?} ({of_then}) afterwards");
            assert!(first.max(then) < PATIENCE / 2, "{what}: an answer took {:?}", first.max(then));
            match files[0] {
                PART => {
                    let health = fixture.get("/api/v2/health").await.json();
                    let cause = health["unreadable"][0]["cause"].as_str().expect("a cause").to_owned();
                    assert!(health["source"]["config"] == "invalid" && cause.ends_with(odd.cause()), "{health}");
                }
                LOG if odd == OddFile::Huge => {
                    let long = |health: &Value| health["badLineSamples"][0]["reason"] == "tooLong";
                    fixture.eventually("/api/v2/health", |answer| long(&answer.json())).await;
                }
                LOG => assert_eq!(fixture.get("/api/v2/health").await.json()["source"]["state"], "unreadable"),
                _ => {}
            }
            if files == OF_EDEN {
                for (route, status) in
                    [("current", 503), ("history", 503), ("tasks/task_1", 503), ("tasks", 200), ("plans", 200)]
                {
                    let answer = fixture.get(&format!("/api/agents/eden/{route}")).await;
                    assert_eq!(answer.status, status, "{what}: {route}: {}", answer.text());
                    assert!(answer.text().contains(odd.cause()), "{what}: {route} says why: {}", answer.text());
                }
                let picture = fixture.get("/api/v2/agents/eden/avatar").await;
                assert!(picture.status == 404 && picture.text().contains(odd.cause()), "{what}: {}", picture.text());
            }
            if files == SHARED {
                let record = fixture.get("/api/v2/category-changes").await;
                assert_eq!(record.status, 503, "{what}: {}", record.text());
                assert_ne!(fixture.get("/api/v2/health").await.json()["overrides"]["state"], "ok", "{what}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transient_pipes_do_not_block_and_clear() {
    let mut fixture = FilesFixture::new();
    let state = fixture.start();
    state.ready().await;
    fixture.eventually("/api/v2/tasks/eden/task_1", |answer| answer.holds(HONEST)).await;
    let files: Vec<&'static str> = OF_EDEN.iter().chain(&SHARED).chain(&["openclaw.json", LOG]).copied().collect();
    for file in &files {
        assert!(OddFile::Pipe.plant(&fixture.path(file)));
    }
    wait_unreadable(&fixture, &listed(&files, OddFile::Pipe), "not a regular file").await;
    // Five that wait were once enough to stop all others.
    let many = join_all((0..200).map(|_| fixture.get("/api/agents/eden/current"))).await;
    assert!(many.iter().all(|answer| answer.status == 503));
    let (slowest, route) = ask_all(&fixture, "pipes").await;
    println!("pipes everywhere: slowest answer {slowest:?} ({route})");
    let events = fixture.get("/api/v2/events").await;
    assert!(events.holds(HONEST), "what was read before is still shown: {}", events.text());
    for file in &files {
        fs::remove_file(fixture.path(file)).expect("remove");
    }
    write_home(&fixture.path(""), HONEST);
    fixture.eventually("/api/v2/health", |answer| answer.json()["unreadable"] == serde_json::json!([])).await;
    fixture.eventually("/api/v2/tasks/eden/task_1", |answer| answer.holds(HONEST)).await;
}
