//! Tests of OpenClaw's session stores in states that are hard to read: half-written, damaged, behind a symbolic link,
//! with a write-ahead log next to the database, or changed between two reads.
//!
//! Proves (transcripts): Half-written and damaged stores, links, and changes between two reads are reported and do no
//! harm.

use std::cell::{Cell, RefCell};
use std::os::unix::fs::symlink;

use super::*;

const NODES: &str = "CREATE TABLE session_nodes (session_key TEXT, entry_json TEXT);
    INSERT INTO session_nodes VALUES ('agent:eden:main', '{\"updatedAt\": 1}');";
const STORE: &str = r#"{"agent:eden:main": {"sessionId": "s1", "updatedAt": 1}}"#;

fn insert(open: &Connection, key: &str) {
    open.execute("INSERT INTO session_nodes VALUES (?1, '{\"updatedAt\": 2}')", [key]).expect("insert");
}

#[test]
fn rows_only_in_wal_are_shown() {
    let (_dir, root) = empty();
    let live = database(&root, "eden", "PRAGMA wal_autocheckpoint = 0; PRAGMA page_size = 4096;");
    live.execute_batch(NODES).expect("tables");
    live.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("checkpoint");
    insert(&live, "agent:eden:in-the-log");
    let path = root.join("agents/eden/agent/openclaw-agent.sqlite");
    let blind = Connection::open_with_flags(
        format!("file:{}?immutable=1", path.display()),
        rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI,
    );
    let count =
        |open: &Connection| open.query_row("SELECT count(*) FROM session_nodes", [], |row| row.get::<_, i64>(0));
    assert_eq!(count(&blind.expect("open")), Ok(1), "read as if it could not change, it would be missed");

    let mut reader = StoreReader::new(HomeDir::new(&root)).settled();
    let first = reader.look(&Roster::default()).expect("an update");
    assert_eq!(keys(&first), ["agent:eden:in-the-log", "agent:eden:main"]);
    assert!(reader.look(&Roster::default()).is_none(), "nothing happened");
    insert(&live, "agent:eden:later");
    assert_eq!(
        reader.look(&Roster::default()).expect("an update").sessions.len(),
        3,
        "a change of the log is a change"
    );
    // The writer continues undisturbed, and cleans up its files.
    insert(&live, "agent:eden:last");
    drop(live);
    assert!(!root.join("agents/eden/agent/openclaw-agent.sqlite-wal").exists());
    let before = listing(&root);
    assert_eq!(reader.look(&Roster::default()).expect("an update").sessions.len(), 4);
    assert_eq!(listing(&root), before, "stopped, it is left as it is");
}

#[test]
fn unchanged_store_is_not_reread() {
    let (_dir, root) = copy("openclaw-2026.9/dot-openclaw");
    let roster = roster(&root);
    let mut reader = StoreReader::new(HomeDir::new(&root)).settled();
    assert!(reader.look(&roster).is_some());
    assert_eq!(reader.reads(), 6, "five agents and the shared database");
    assert!(reader.look(&roster).is_none());
    assert_eq!(reader.reads(), 6);
    let open = Connection::open(root.join("agents/eden/agent/openclaw-agent.sqlite")).expect("open");
    open.execute("UPDATE session_nodes SET archived_at = 5 WHERE session_key = 'agent:eden:main'", []).expect("write");
    drop(open);
    let now = reader.look(&roster).expect("an update");
    assert_eq!(reader.reads(), 7, "only what changed");
    let eden = now.sessions.iter().find(|session| session.key.as_str() == "agent:eden:main").expect("there");
    assert_eq!(eden.entry.archived_at(), Some(5));
    // Just changed, a store is read again until times can be trusted.
    let mut careful = StoreReader::new(HomeDir::new(&root));
    careful.look(&roster);
    let first = careful.reads();
    assert!(careful.look(&roster).is_none() && careful.reads() > first);
}

#[test]
fn half_written_store_is_read_again() {
    let (_dir, root) = empty();
    let path = root.join("agents/eden/sessions/sessions.json");
    write(&path, "");
    let folder = HomeDir::new(&root).open().expect("home").folder("agents/eden/sessions").expect("folder");
    let pauses = Cell::new(0);
    let parse = |text: &str| read_file_store(text, &KeyRules::default()).map(|(sessions, _)| sessions.len());
    // The writer continues while the reader waits: first half of it, then all.
    let grown = file::read(&folder, "sessions.json", &parse, &|_| {
        pauses.set(pauses.get() + 1);
        write(&path, if pauses.get() == 1 { &STORE[..20] } else { STORE });
    });
    assert_eq!((grown, pauses.get()), (Ok(1), 2));
    write(&path, "");
    let failed = file::read(&folder, "sessions.json", &parse, &|_| pauses.set(pauses.get() + 1));
    assert_eq!((failed, pauses.get()), (Err(ReadError::Unreadable("empty".to_owned())), 4), "three tries");
}

/// Some systems show neither name for a moment while a file is renamed over another.
#[test]
fn only_a_file_that_was_there_is_retried_while_missing() {
    let (_dir, root) = empty();
    let path = root.join("agents/eden/sessions/sessions.json");
    write(&path, &STORE[..20]);
    let folder = HomeDir::new(&root).open().expect("home").folder("agents/eden/sessions").expect("folder");
    let pauses = Cell::new(0);
    let parse = |text: &str| read_file_store(text, &KeyRules::default()).map(|(sessions, _)| sessions.len());
    let renamed = file::read(&folder, "sessions.json", &parse, &|_| {
        pauses.set(pauses.get() + 1);
        if pauses.get() == 1 { fs::remove_file(&path).expect("remove") } else { write(&path, STORE) }
    });
    assert_eq!((renamed, pauses.get()), (Ok(1), 2), "half of it, then nothing, then all");
    fs::remove_file(&path).expect("remove");
    let absent = file::read(&folder, "sessions.json", &parse, &|_| pauses.set(pauses.get() + 1));
    assert_eq!((absent, pauses.get()), (Err(ReadError::Missing), 2), "no wait for a store that does not exist");
}

#[test]
fn unreadable_store_keeps_last_good_state() {
    let (_dir, root) = empty();
    let (file, base) = (root.join("agents/eden/sessions/sessions.json"), "agents/seum/agent/openclaw-agent.sqlite");
    write(&file, STORE);
    drop(database(&root, "seum", &NODES.replace("eden", "seum")));
    let mut reader = StoreReader::new(HomeDir::new(&root));
    assert_eq!(reader.look(&Roster::default()).expect("an update").sessions.len(), 2);
    let whole = fs::read(root.join(base)).expect("read");
    write(&file, &STORE[..30]);
    fs::write(root.join(base), [b"no database at all".as_slice(), &whole[18..]].concat()).expect("write");
    let stale = reader.look(&Roster::default()).expect("an update");
    assert_eq!(keys(&stale), ["agent:eden:main", "agent:seum:main"], "what was read is still there");
    assert!(
        matches!(&place_at(&stale, "agents/eden/sessions/sessions.json").state, PlaceState::Stale { cause } if cause.starts_with("not JSON"))
    );
    assert_eq!(place_at(&stale, base).state, PlaceState::Stale { cause: "not a database".to_owned() });
    // A reader that never saw them whole does not call them empty.
    let fresh = StoreReader::new(HomeDir::new(&root)).look(&Roster::default()).expect("an update");
    assert!(fresh.sessions.is_empty());
    assert!(matches!(place_at(&fresh, "agents/eden/sessions/sessions.json").state, PlaceState::Unreadable { .. }));
    assert!(matches!(place_at(&fresh, base).state, PlaceState::Unreadable { .. }));
    write(&file, STORE);
    fs::write(root.join(base), whole).expect("write");
    let healed = reader.look(&Roster::default()).expect("an update");
    assert!(healed.places.iter().all(|place| place.state == PlaceState::Read));
    fs::remove_file(&file).expect("remove");
    assert_eq!(keys(&reader.look(&Roster::default()).expect("an update")), ["agent:seum:main"], "gone is gone");
}

#[test]
fn no_link_below_the_home_is_followed() {
    let (dir, root) = empty();
    let other = dir.path().join("other");
    drop(database(&other, "eden", NODES));
    write(&other.join("agents/eden/sessions/sessions.json"), STORE);
    let refused = |all: &StoreSnapshot, path: &str| {
        assert!(all.sessions.is_empty(), "{path}");
        assert_eq!(place_at(all, path).state, PlaceState::Unreadable { cause: "a link".to_owned() }, "{path}");
    };
    let base = "agents/eden/agent/openclaw-agent.sqlite";
    // The folder of the agent, then that of the database, then the file itself, then a file beside it.
    fs::create_dir_all(root.join("agents")).expect("folder");
    symlink(other.join("agents/eden"), root.join("agents/eden")).expect("link");
    refused(&look(&root), base);
    refused(&look(&root), "agents/eden/sessions/sessions.json");
    fs::remove_file(root.join("agents/eden")).expect("remove");
    fs::create_dir_all(root.join("agents/eden")).expect("folder");
    symlink(other.join("agents/eden/agent"), root.join("agents/eden/agent")).expect("link");
    refused(&look(&root), base);
    fs::remove_file(root.join("agents/eden/agent")).expect("remove");
    fs::create_dir_all(root.join("agents/eden/agent")).expect("folder");
    symlink(other.join(base), root.join(base)).expect("link");
    refused(&look(&root), base);
    fs::remove_file(root.join(base)).expect("remove");
    fs::copy(other.join(base), root.join(base)).expect("copy");
    for end in ["-wal", "-shm", "-journal"] {
        let beside = root.join(format!("{base}{end}"));
        symlink(dir.path().join("victim"), &beside).expect("link");
        refused(&look(&root), base);
        assert!(!dir.path().join("victim").exists(), "nothing is made behind it");
        fs::remove_file(beside).expect("remove");
    }
    assert_eq!(keys(&look(&root)), ["agent:eden:main"]);
    // The home's own path may lead through links.
    symlink(&root, dir.path().join("by-link")).expect("link");
    assert_eq!(keys(&look(&dir.path().join("by-link"))), ["agent:eden:main"]);
}

#[test]
fn special_characters_in_path_are_not_options() {
    let dir = tempfile::tempdir().expect("dir");
    let root = dir.path().join("한글 ?mode=rwc&x=%41#y");
    fs::create_dir_all(&root).expect("folder");
    drop(database(&root, "eden", NODES));
    let before = listing(dir.path());
    assert_eq!(keys(&look(&root)), ["agent:eden:main"]);
    assert_eq!(listing(dir.path()), before);
}

#[test]
fn undecodable_events_are_reported_individually() {
    let (_dir, root) = empty();
    let open = database(&root, "eden", "CREATE TABLE transcript_events (session_id, seq, event_json, event_zstd);");
    let bomb = zstd::encode_all(vec![b' '; 5 << 20].as_slice(), 1).expect("packed");
    let fine = zstd::encode_all(b"{\"a\":1}".as_slice(), 1).expect("packed");
    for (seq, packed) in [Some(fine), Some(bomb), Some(b"rubbish".to_vec()), None].into_iter().enumerate() {
        let seq = i64::try_from(seq).expect("small");
        open.execute("INSERT INTO transcript_events VALUES ('s1', ?1, NULL, ?2)", rusqlite::params![seq, packed])
            .expect("insert");
    }
    drop(open);
    let lines = events(&HomeDir::new(&root), &Roster::default(), &AgentId::from("eden"), "s1", 0, 9).expect("read");
    let results: Vec<_> = lines.iter().map(|line| line.json.as_deref().map_err(String::as_str)).collect();
    assert_eq!(results, [Ok("{\"a\":1}"), Err("too large"), Err("damaged"), Err("neither text nor packed")]);
}

#[test]
fn rollback_journal_in_progress_is_awaited() {
    let (_dir, root) = empty();
    let open = database(&root, "eden", NODES);
    open.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).expect("no log");
    open.execute_batch("BEGIN EXCLUSIVE").expect("begin");
    insert(&open, "agent:eden:half");
    let mut reader = StoreReader::new(HomeDir::new(&root)).settled();
    let now = reader.look(&Roster::default()).expect("an update");
    let base = "agents/eden/agent/openclaw-agent.sqlite";
    assert_eq!(place_at(&now, base).state, PlaceState::Unreadable { cause: "locked".to_owned() });
    open.execute_batch("COMMIT").expect("commit");
    assert_eq!(reader.look(&Roster::default()).expect("an update").sessions.len(), 2);
}

#[test]
fn five_thousand_sessions_are_read_once() {
    let (_dir, root) = empty();
    let entries: serde_json::Map<String, serde_json::Value> = (0..5_000)
        .map(|number| {
            (format!("agent:eden:explicit:{number}"), serde_json::json!({"sessionId": "s", "updatedAt": number}))
        })
        .collect();
    write(&root.join("agents/eden/sessions/sessions.json"), &serde_json::Value::Object(entries).to_string());
    let mut reader = StoreReader::new(HomeDir::new(&root)).settled();
    assert_eq!(reader.look(&Roster::default()).expect("an update").sessions.len(), 5_000);
    for _ in 0..3 {
        assert!(reader.look(&Roster::default()).is_none());
    }
    assert_eq!(reader.reads(), 1);
}

#[test]
fn wal_left_by_crash_is_read_unchanged() {
    let (_dir, root) = empty();
    let live = database(&root, "eden", "PRAGMA wal_autocheckpoint = 0;");
    live.execute_batch(NODES).expect("tables");
    let (_other, left) = empty();
    let base = "agents/eden/agent/openclaw-agent.sqlite";
    fs::create_dir_all(left.join(base).parent().expect("a folder")).expect("folders");
    for end in ["", "-wal"] {
        fs::copy(root.join(format!("{base}{end}")), left.join(format!("{base}{end}"))).expect("copy");
    }
    let bytes = |end: &str| fs::read(left.join(format!("{base}{end}"))).expect("read");
    let before = (bytes(""), bytes("-wal"));
    assert_eq!(keys(&look(&left)), ["agent:eden:main"], "all of it is still in the log");
    assert_eq!((bytes(""), bytes("-wal")), before, "nobody has written it into the file");
}

/// A first reading takes an idle database for immutable: it sees neither a log that appears nor a page that is replaced.
#[test]
fn database_written_while_read_is_read_again() {
    for mode in ["WAL", "DELETE"] {
        let (_dir, root) = empty();
        let made = database(&root, "eden", NODES);
        made.query_row(&format!("PRAGMA journal_mode = {mode}"), [], |_| Ok(())).expect("mode");
        drop(made);
        let folder = root.join("agents/eden/agent");
        let opened = HomeDir::new(&root).open().expect("home").folder("agents/eden/agent").expect("folder");
        let idle = sqlite::SqliteFile::new(opened, folder.clone(), "openclaw-agent.sqlite");
        let writer = RefCell::new(None);
        let counted = idle.read(&|open| {
            let count = open.query_row("SELECT count(*) FROM session_nodes", [], |row| row.get::<_, i64>(0));
            if writer.borrow().is_none() {
                let other = Connection::open(folder.join("openclaw-agent.sqlite")).expect("open");
                insert(&other, &"k".repeat(100_000));
                // Closed, it would move the log into the file.
                writer.replace(Some(other));
            }
            count
        });
        assert_eq!(counted, Ok(2), "{mode}");
    }
}
