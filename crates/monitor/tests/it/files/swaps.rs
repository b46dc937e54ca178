//! Tests of files and folders that are swapped with links to secrets while the monitor reads them.
//!
//! Proves (security): Files that are swapped with links to secrets while they are read leak nothing.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use task_monitor::sources::tail::Follower;
use task_monitor::sources::workspace::WorkspaceReader;

use super::files_fixture::{
    ARCHIVE, AUDIT, FilesFixture, HONEST, LESSONS, LOG, OVERRIDES, PART, SECRET, count, holds, routes,
};

/// Swapped entries: files, and the folders around them.
const TARGETS: [&str; 24] = [
    "workspace-eden/tasks/task_1.md",
    "workspace-eden/CURRENT_TASK.md",
    "workspace-eden/IDENTITY.md",
    "workspace-eden/MILESTONES.md",
    "workspace-eden/task-history/2026-02.md",
    "workspace-eden/.openclaw/plans/plan.json",
    "workspace-eden/face.png",
    "plans/eden_shared.json",
    "team-state.json",
    "agents/eden/sessions/sessions.json",
    "agents/eden/sessions/5f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10.jsonl",
    "openclaw.json",
    PART,
    LOG,
    ARCHIVE,
    "workspace-eden/tasks",
    "workspace-eden/task-history",
    "workspace-eden/.openclaw",
    "workspace-eden",
    "agents/eden/sessions",
    "agents",
    "plans",
    "parts",
    "logs",
];
/// These are swapped in one step only: a moment without the file means that somebody removed it, and then the
/// overrides in force are written again.
const OF_STORE: [&str; 3] = [OVERRIDES, AUDIT, LESSONS];

/// The other thing, beside the home so that no name in it changes.
fn sibling_path(fixture: &FilesFixture, target: &str) -> PathBuf {
    fixture.dir.path().join(format!("swap-{}", target.replace('/', "-")))
}

/// The target and the link change places in one step, and back.
fn exchange(fixture: &FilesFixture, target: &str) {
    for _ in 0..2 {
        let (one, other) = (fixture.path(target), sibling_path(fixture, target));
        renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).expect("exchange");
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// The target goes away, a link takes its place, and back: the moment between looking and opening.
fn replace(fixture: &FilesFixture, target: &str) {
    let (one, aside, link) = (fixture.path(target), fixture.dir.path().join("away"), fixture.dir.path().join("link"));
    fs::rename(&one, &aside).expect("away");
    symlink(fixture.outside(target), &one).expect("link");
    std::thread::sleep(Duration::from_micros(50));
    fs::rename(&one, &link).expect("link away");
    fs::rename(&aside, &one).expect("back");
    fs::remove_file(&link).expect("remove");
}

/// Every file below a folder with its bytes.
fn tree(folder: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("list") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            tree(&path, into);
        } else {
            into.insert(path.clone(), fs::read(&path).expect("read"));
        }
    }
}

/// Ends the threads when the test fails, too.
struct Going<'a>(&'a AtomicBool);

impl Drop for Going<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Findings of the readers, by reader.
#[derive(Default)]
struct SwapFindings(std::sync::Mutex<BTreeMap<String, usize>>);

impl SwapFindings {
    fn note(&self, who: &str, bytes: &[u8]) {
        assert!(!holds(bytes, SECRET), "{who} tells what is outside: {}", String::from_utf8_lossy(bytes));
        let honest = usize::from(holds(bytes, HONEST));
        *self.0.lock().expect("found").entry(who.to_owned()).or_default() += honest;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn swapped_files_and_folders_never_leak() {
    let mut fixture = FilesFixture::new();
    let (wanted, rounds) = (count(400, 10_000), count(3, 40));
    let mut before = BTreeMap::new();
    tree(&fixture.outside(""), &mut before);
    for target in TARGETS.iter().chain(&OF_STORE) {
        symlink(fixture.outside(target), sibling_path(&fixture, target)).expect("link");
    }
    let state = fixture.start();
    state.ready().await;
    fixture.eventually("/api/v2/tasks", |answer| answer.holds(HONEST)).await;
    let (going, swaps, found) = (AtomicBool::new(true), AtomicUsize::new(0), SwapFindings::default());
    let fixture = &fixture;
    let asking = async {
        let mut round = 0;
        while round < rounds || swaps.load(Ordering::Relaxed) < wanted {
            for (route, _) in routes() {
                let answer = fixture.get(&route).await;
                found.note(&route, &answer.body);
                assert_ne!(answer.status.as_u16(), 500, "{route}: {}", answer.text());
            }
            round += 1;
        }
        round
    };
    let full_rounds = std::thread::scope(|scope| {
        let ends = Going(&going);
        scope.spawn(|| {
            let _ends = Going(&going);
            while going.load(Ordering::Relaxed) {
                for target in TARGETS {
                    exchange(fixture, target);
                    replace(fixture, target);
                    swaps.fetch_add(2, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_micros(200));
                }
                OF_STORE.iter().for_each(|target| exchange(fixture, target));
                swaps.fetch_add(OF_STORE.len(), Ordering::Relaxed);
            }
        });
        scope.spawn(|| {
            while going.load(Ordering::Relaxed) {
                let update = WorkspaceReader::new(fixture.home()).look();
                found.note("reader", format!("{update:?}").as_bytes());
            }
        });
        scope.spawn(|| {
            while going.load(Ordering::Relaxed) {
                let mut output = String::new();
                Follower::new(fixture.home()).look(0, &mut |block| output.push_str(&format!("{:?}", block.parse())));
                found.note("follower", output.as_bytes());
            }
        });
        let full_rounds = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(asking));
        drop(ends);
        full_rounds
    });
    let swaps = swaps.load(Ordering::Relaxed);
    println!(
        "{swaps} swaps, every route asked {full_rounds} times; honest answers: {:?}",
        found.0.lock().expect("found")
    );
    assert!(swaps >= wanted);
    for (route, at_once) in routes() {
        let honest = found.0.lock().expect("found").get(&route).copied().unwrap_or_default();
        assert!(!at_once || honest > 0, "{route} never returned the real file, so that a refusal proves nothing");
    }
    for who in ["reader", "follower"] {
        assert!(found.0.lock().expect("found").get(who).is_some_and(|honest| *honest > 0), "{who} never read anything");
    }
    let mut after = BTreeMap::new();
    tree(&fixture.outside(""), &mut after);
    assert!(before == after, "nothing outside was written");
    fixture.eventually("/api/v2/health", |answer| answer.json()["unreadable"] == serde_json::json!([])).await;
}
