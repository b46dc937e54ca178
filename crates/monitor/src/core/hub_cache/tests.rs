//! Tests of the hub's cache on disk, over the fixture homes (stories). A hub loaded from the cache gives the same
//! answers as a hub that has read the whole log. A cache file that is damaged, outdated or of another home is not used.
//!
//! Proves (log): A start from the cache gives the answers of a fresh read, for every story and after any part of its
//! log. A cache that is cut, changed, of another home or of other log files is ignored, and the log is read.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coordination::api::{DelegationsQuery, EventsQuery, SearchQuery, SessionsQuery, TasksQuery, ThreadQuery};
use coordination::query;
use coordination::search::index::Candidates as _;

use super::file::CacheError;
use super::{LoadError, load, path};
use crate::app::AppState;
use crate::config::{CacheSettings, Settings};
use crate::core::live::{HubMemory, packing};
use crate::home::HomeDir;
use crate::sources::tail::ResumeError;
use crate::testing::copy_all;

const NOW: i64 = 1_772_000_000_000;
const LIVE: &str = "coordination-events.ndjson";

/// A home and a folder for its cache.
struct CacheFixture {
    dir: tempfile::TempDir,
}

impl CacheFixture {
    /// A copy of a story without its log.
    fn new(story: &str) -> (Self, Vec<(String, Vec<u8>)>) {
        let dir = tempfile::tempdir().expect("dir");
        copy_all(&stories().join(story), &dir.path().join(".openclaw"));
        let fixture = Self { dir };
        let mut logs: Vec<_> =
            fs::read_dir(fixture.logs()).expect("logs").map(|file| file.expect("file").path()).collect();
        logs.retain(|file| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("coordination-events"))
        });
        logs.sort();
        let taken = logs.into_iter().map(|file| {
            let bytes = fs::read(&file).expect("log");
            fs::remove_file(&file).expect("remove");
            (file.file_name().expect("name").to_string_lossy().into_owned(), bytes)
        });
        let taken = taken.collect();
        (fixture, taken)
    }

    /// A home with so many short messages.
    fn with_lines(lines: u32) -> Self {
        let dir = tempfile::tempdir().expect("dir");
        fs::create_dir_all(dir.path().join(".openclaw/logs")).expect("logs");
        let fixture = Self { dir };
        fixture.append(LIVE, (0..lines).map(line).collect::<String>());
        fixture
    }

    fn home(&self) -> HomeDir {
        HomeDir::new(self.dir.path().join(".openclaw"))
    }

    fn logs(&self) -> PathBuf {
        self.home().logs()
    }

    fn cache(&self) -> CacheSettings {
        let folder = self.dir.path().join("cache");
        CacheSettings { min_new_bytes: 0, interval: Duration::from_millis(20), ..CacheSettings::in_folder(folder) }
    }

    fn file(&self) -> PathBuf {
        path(&self.cache(), &self.home())
    }

    fn append(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = fs::OpenOptions::new().append(true).create(true).open(self.logs().join(name));
        file.expect("log").write_all(text.as_ref()).expect("append");
    }

    fn start(&self, cached: bool) -> AppState {
        let settings = Settings { cache: cached.then(|| self.cache()), ..Settings::for_home(self.home()) };
        let state = AppState::start(settings).expect("start");
        wait("the log is read", || state.is_ready());
        state
    }

    /// Runs a monitor until all of its log is saved.
    fn save(&self) -> Vec<u8> {
        let state = self.start(true);
        let all_indexed = || state.live().index_info().events == state.hub().events().len() as u64;
        wait("the log is indexed", all_indexed);
        state.save_cache();
        let bytes: u64 = state.status().log_status.files.iter().map(|file| file.read_to).sum();
        drop(state);
        let (saved, covered) = load(&self.file(), &self.home(), packing(&HubMemory::default())).expect("saved");
        assert_eq!(covered, bytes);
        let events = u32::try_from(saved.hub.events().len()).expect("a count");
        assert_eq!(saved.index.covered(), events, "all that was saved is indexed");
        fs::read(self.file()).expect("saved")
    }

    /// A start from the cache, or without it because of a bad file, answers like one that reads everything.
    fn assert_same_answers(&self, what: &str) {
        let (fresh, cached) = (self.start(false), self.start(true));
        let (mut expected, mut actual) = (Vec::new(), Vec::new());
        // Transcripts and hooks follow the log.
        let end = Instant::now() + Duration::from_secs(60);
        while expected.is_empty() || (expected != actual && Instant::now() < end) {
            std::thread::sleep(Duration::from_millis(20));
            (expected, actual) = (answers(&fresh), answers(&cached));
        }
        for (number, (expected, actual)) in expected.iter().zip(&actual).enumerate() {
            let at = expected.bytes().zip(actual.bytes()).position(|(one, other)| one != other).unwrap_or_default();
            let around = |text: &str| String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(200)..]).into_owned();
            assert!(expected == actual, "{what}: answer {number}:\n{:.600}\n{:.600}", around(expected), around(actual));
        }
    }

    fn loaded(&self) -> Result<u64, LoadError> {
        load(&self.file(), &self.home(), packing(&HubMemory::default())).map(|(_, covered)| covered)
    }
}

fn stories() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn line(number: u32) -> String {
    let (at, session) = (NOW - 1_000_000 + i64::from(number), number / 5);
    let data =
        format!(r#"{{"fromAgent":"eden","toAgent":"seum","message":"배포 {number}","workSessionId":"ws_{session}"}}"#);
    format!("{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":{at},\"data\":{data}}}\n")
}

fn wait(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What pages show, without what names the run of the process.
fn answers(state: &AppState) -> Vec<String> {
    let mut out = Vec::new();
    {
        let hub = state.hub();
        let mut add = |value: serde_json::Result<String>| out.push(value.expect("JSON"));
        add(serde_json::to_string(&query::home(&hub, NOW)));
        let events = query::events(&hub, NOW, &EventsQuery { limit: Some(500), ..Default::default() }).expect("events");
        add(serde_json::to_string(&events));
        let all = SessionsQuery { limit: Some(200), ..Default::default() };
        let cards = query::sessions(&hub, NOW, &all).expect("sessions");
        for card in &cards.sessions {
            let id = &card.work_session_id;
            let session = query::session(&hub, NOW, id).expect("session");
            for thread in &session.threads {
                let page = query::thread_page(&hub, NOW, id, &thread.thread_id, &ThreadQuery::default());
                add(serde_json::to_string(&page.expect("thread")));
            }
            add(serde_json::to_string(&query::flow(&hub, NOW, id)));
            let runs = query::delegations(&hub, NOW, id, &DelegationsQuery::default());
            add(serde_json::to_string(&runs.expect("runs")));
            add(serde_json::to_string(&session));
        }
        add(serde_json::to_string(&cards));
        add(serde_json::to_string(&query::tasks(&hub, NOW, &TasksQuery::default()).expect("tasks")));
        for q in ["배포", "ㅂㅍ", "a2a", "workSession", "없는말"] {
            let search_query = SearchQuery { q: q.to_owned(), ..SearchQuery::default() };
            let mut found = query::search(&hub, &*state.live().index(), NOW, &search_query).expect("search");
            // It names the run of the process, too.
            found.next = None;
            add(serde_json::to_string(&found));
        }
    }
    let health = state.health();
    let findings = (health.bad_lines, health.bad_line_samples, health.check, health.events, health.sessions);
    out.push(serde_json::to_string(&findings).expect("JSON"));
    out.iter_mut().for_each(remove_cursors);
    out
}

/// Cursors name the run of the process and what it published.
fn remove_cursors(text: &mut String) {
    const CURSOR: &str = r#""cursor":{"#;
    while let Some(start) = text.find(CURSOR) {
        let end = text[start..].find('}').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
}

#[test]
fn start_from_cache_answers_like_fresh_read() {
    let all = fs::read_dir(stories()).expect("fixtures").map(|story| story.expect("story").path());
    let mut names: Vec<PathBuf> = all.filter(|story| story.join("logs").is_dir()).collect();
    names.sort();
    assert!(names.len() >= 8, "the stories are there");
    for (number, story) in names.iter().enumerate() {
        let name = story.file_name().expect("name").to_string_lossy();
        let (fixture, logs) = CacheFixture::new(&name);
        // A part of the last file is new, of some stories in the middle of a line.
        let Some(((last, bytes), before)) = logs.split_last() else { continue };
        let first_line = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let (known, new) = bytes.split_at(first_line.max(bytes.len() * (number % 3 + 1) / 4));
        before.iter().for_each(|(name, bytes)| fixture.append(name, bytes));
        fixture.append(last, known);
        fixture.save();
        fixture.append(last, new);
        assert!(fixture.loaded().is_ok(), "{name}");
        fixture.assert_same_answers(&name);
    }
}

#[test]
fn damaged_cache_is_ignored() {
    let fixture = CacheFixture::with_lines(60);
    let whole = fixture.save();
    let is_damaged = |bytes: &[u8], what: &str| {
        fs::write(fixture.file(), bytes).expect("write");
        let loaded = fixture.loaded();
        let refused = matches!(loaded, Err(LoadError::Cache(CacheError::Damaged | CacheError::OtherFormat)));
        assert!(refused, "{what}: {loaded:?}");
    };
    for end in (0..whole.len()).step_by(4096).chain([1, 47, 48, whole.len() - 1]) {
        is_damaged(&whole[..end], &format!("cut at {end}"));
    }
    for at in (0..whole.len()).step_by(whole.len() / 400) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        is_damaged(&flipped, &format!("a bit of byte {at} flipped"));
    }
    fixture.assert_same_answers("with a damaged cache");
}

/// What a process that is killed while it saves may leave: a part of the new file beside the old one, the old one alone,
/// the new one, and on a disk that lost its order, a part of the new one in its place.
#[test]
fn killed_save_leaves_old_or_no_cache() {
    let fixture = CacheFixture::with_lines(20);
    let old = fixture.save();
    let covered = fixture.loaded().expect("saved");
    fixture.append(LIVE, line(20));
    let new = fixture.save();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..1_000 {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let part = &new[..usize::try_from(seed).unwrap_or(usize::MAX) % new.len()];
        let in_place = round % 4 == 3;
        fs::write(fixture.file().with_extension("tmp"), part).expect("write");
        fs::write(fixture.file(), if in_place { part } else { &old }).expect("write");
        match fixture.loaded() {
            Ok(loaded) => assert!(!in_place && loaded == covered, "round {round}"),
            Err(error) => assert!(in_place, "round {round}: {error}"),
        }
    }
    fs::write(fixture.file(), &old).expect("write");
    fixture.assert_same_answers("an old cache and a longer log");
    assert!(fixture.save().len() > old.len() && !fixture.file().with_extension("tmp").exists());
}

#[test]
fn changed_log_files_are_recognised() {
    let archive = "coordination-events-2026-02.ndjson";
    let fixture = CacheFixture::with_lines(40);
    fixture.save();
    fs::rename(fixture.logs().join(LIVE), fixture.logs().join(archive)).expect("rename");
    fixture.append(LIVE, line(40));
    assert!(fixture.loaded().is_ok(), "a rotated log is the same log");
    fixture.assert_same_answers("rotated");

    fixture.save();
    let saved = fs::read(fixture.logs().join(archive)).expect("archive");
    fs::write(fixture.logs().join(archive), &saved[..saved.len() / 2]).expect("truncate");
    assert!(matches!(fixture.loaded(), Err(LoadError::Log(ResumeError::Changed))), "truncated");
    fixture.assert_same_answers("truncated");

    fixture.save();
    fs::remove_file(fixture.logs().join(archive)).expect("remove");
    assert!(matches!(fixture.loaded(), Err(LoadError::Log(ResumeError::Missing))), "removed");
    fixture.assert_same_answers("removed");

    fixture.save();
    let text = fs::read_to_string(fixture.logs().join(LIVE)).expect("log");
    fs::write(fixture.logs().join(LIVE), text.replace("eden", "ruda")).expect("overwrite");
    assert!(matches!(fixture.loaded(), Err(LoadError::Log(ResumeError::Changed))), "overwritten in place");
    fixture.assert_same_answers("overwritten");

    fixture.save();
    fs::copy(fixture.logs().join(LIVE), fixture.logs().join(archive)).expect("copy");
    assert!(fixture.loaded().is_ok(), "a copy beside it changes nothing");
    fixture.assert_same_answers("copied");
}

#[test]
fn cache_of_another_home_is_ignored() {
    let (one, other) = (CacheFixture::with_lines(10), CacheFixture::with_lines(10));
    let saved = one.save();
    other.save();
    fs::write(other.file(), saved).expect("write");
    assert!(matches!(other.loaded(), Err(LoadError::Cache(CacheError::OtherHome))));
    other.assert_same_answers("a cache of another home");
}

#[test]
fn deleted_cache_is_written_again() {
    let fixture = CacheFixture::with_lines(10);
    let state = fixture.start(true);
    wait("the first save", || fixture.file().exists());
    fs::remove_dir_all(fixture.dir.path().join("cache")).expect("remove");
    wait("the next save", || fixture.file().exists());
    fixture.append(LIVE, line(10));
    wait("a save of the new line", || {
        fixture.loaded().is_ok_and(|covered| covered == fs::metadata(fixture.logs().join(LIVE)).expect("log").len())
    });
    drop(state);
    fixture.assert_same_answers("after it was deleted");
}

#[test]
fn removed_cache_is_not_written_again() {
    let fixture = CacheFixture::with_lines(10);
    let state = fixture.start(true);
    wait("the first save", || fixture.file().exists());
    state.remove_cache();
    assert!(!fixture.file().exists());
    fixture.append(LIVE, line(10));
    wait("the new line", || state.hub().event_count() == 11);
    state.save_cache();
    assert!(!fixture.file().exists());
}
