//! Read-only access to OpenClaw's SQLite databases (`contract/sessions.md` §2.2, "Reading safely").
//!
//! SQLite opens files by path, so [`crate::fs::sandbox`] cannot prevent a symbolic link from leading to another file.
//! Instead, the database and its companion files are checked first. SQLite then refuses links in the path. On systems
//! with `/proc/self/fd`, the file that SQLite opened must be the checked one.
//!
//! This module never opens a database file directly: closing it would release SQLite's locks.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::fs::sandbox::{Dir, FileMeta, OpenDenied};
use crate::sources::workspace::ReadError;

/// How long another writer is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// No text or blob of a store is larger (`contract/sessions.md` §2.2: 4 MiB an event; archives are one blob).
const MAX_VALUE_BYTES: i32 = 64 << 20;
/// The reported cause while another process holds the database.
pub(super) const LOCKED: &str = "locked";
/// Steps of SQLite's machine between two looks at the budget.
const PROGRESS_STEPS: i32 = 100_000;
/// Such looks that one reading may take: some minutes of work, which no honest store needs.
const MAX_PROGRESS_CALLS: u32 = 40_000;

/// A database file, by its name in an open folder.
#[derive(Debug)]
pub(super) struct SqliteFile {
    folder: Dir,
    /// The folder's path, without links.
    path: PathBuf,
    name: String,
}

/// State of a database without reading it: the file itself and its write-ahead log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DatabaseSignature {
    main: FileMeta,
    wal: Option<FileMeta>,
}

impl DatabaseSignature {
    /// The files it is of.
    pub(super) fn files(&self) -> impl Iterator<Item = FileMeta> {
        std::iter::once(self.main).chain(self.wal)
    }
}

impl SqliteFile {
    /// A database in a folder, whose path is given without links.
    pub(super) fn new(folder: Dir, path: PathBuf, name: &str) -> Self {
        Self { folder, path, name: name.to_owned() }
    }

    /// The current state of the file and its log.
    pub(super) fn signature(&self) -> Result<DatabaseSignature, ReadError> {
        let main = self.folder.metadata(&self.name)?.regular()?;
        Ok(DatabaseSignature { main, wal: self.sibling_meta("-wal")? })
    }

    /// Reads by one connection. `read` may be called twice: when a write-ahead log appeared during the first time, what
    /// was read then is thrown away.
    pub(super) fn read<T>(&self, read: &dyn Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, ReadError> {
        let before = self.signature()?;
        ensure_not_empty(&before)?;
        self.sibling_meta("-shm")?;
        if self.is_checkpointed(&before)? {
            let outcome = self.connect(&before, true).and_then(|open| read(&open).map_err(|error| cause(&error)));
            let after = self.signature()?;
            // As it was all the time: only then was there nothing to miss.
            if self.is_checkpointed(&after)? && after.main == before.main {
                return outcome;
            }
        }
        let open = self.connect(&before, false)?;
        // One reading transaction: all questions see one moment.
        open.execute_batch("BEGIN DEFERRED").map_err(|error| cause(&error))?;
        let content = read(&open).map_err(|error| cause(&error))?;
        ensure_not_empty(&self.signature()?)?;
        Ok(content)
    }

    /// Both journals are empty: everything is in the database file itself.
    fn is_checkpointed(&self, seen: &DatabaseSignature) -> Result<bool, ReadError> {
        let empty = |file: Option<FileMeta>| file.is_none_or(|file| file.size == 0);
        Ok(empty(self.sibling_meta("-journal")?) && empty(seen.wal))
    }

    fn connect(&self, seen: &DatabaseSignature, immutable: bool) -> Result<Connection, ReadError> {
        let options = if immutable { "?mode=ro&immutable=1" } else { "?mode=ro" };
        let uri = format!("file:{}{options}", escaped(&self.path.join(&self.name)));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let mut open = Connection::open_with_flags(uri, flags).map_err(|error| cause(&error))?;
        if !holds(seen.main.identity) {
            return Err(ReadError::from(io::Error::from(OpenDenied::Outside)));
        }
        open.busy_timeout(BUSY_TIMEOUT).map_err(|error| cause(&error))?;
        // The author of the file may have written anything into its schema.
        open.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(|error| cause(&error))?;
        open.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(|error| cause(&error))?;
        open.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES).map_err(|error| cause(&error))?;
        let mut looks = 0;
        open.progress_handler(
            PROGRESS_STEPS,
            Some(move || {
                looks += 1;
                looks > MAX_PROGRESS_CALLS
            }),
        )
        .map_err(|error| cause(&error))?;
        Ok(open)
    }

    /// A file beside the database: none, or a regular one.
    fn sibling_meta(&self, end: &str) -> Result<Option<FileMeta>, ReadError> {
        match self.folder.metadata(format!("{}{end}", self.name)) {
            Ok(seen) => Ok(Some(seen.regular()?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// SQLite takes a file of no bytes for a database without tables. It is one that somebody cut off, or that is being written.
fn ensure_not_empty(seen: &DatabaseSignature) -> Result<(), ReadError> {
    if seen.main.size == 0 && seen.wal.as_ref().is_none_or(|wal| wal.size == 0) {
        return Err(ReadError::Unreadable("the file is empty".to_owned()));
    }
    Ok(())
}

/// True when this process holds this file open, or the system does not show open files.
fn holds(identity: (u64, u64)) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(held) = std::fs::read_dir("/proc/self/fd") else { return true };
    // Looking at a handle by its name here opens nothing.
    held.flatten()
        .filter_map(|entry| std::fs::metadata(entry.path()).ok())
        .any(|file| (file.dev(), file.ino()) == identity)
}

/// Columns of a real table; none when there is no such table, or something else under its name.
pub(super) fn columns(open: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let real = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1 AND sql LIKE 'CREATE TABLE%'";
    if open.query_row(real, [table], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(Vec::new());
    }
    let mut statement = open.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    names.collect()
}

/// What to select: each wanted column by its name, or nothing in its place.
pub(super) fn selection(wanted: &[&str], present: &[String]) -> String {
    let column =
        |name: &&str| if present.iter().any(|own| own == name) { format!("\"{name}\"") } else { "NULL".to_owned() };
    wanted.iter().map(column).collect::<Vec<_>>().join(", ")
}

/// A path inside a URI.
fn escaped(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut uri = String::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Why a database could not be read, in a word, without any of its content.
fn cause(error: &rusqlite::Error) -> ReadError {
    use rusqlite::ErrorCode as Code;
    let word = match error.sqlite_error_code() {
        Some(Code::NotADatabase) => "not a database".to_owned(),
        Some(Code::DatabaseCorrupt) => "damaged".to_owned(),
        Some(Code::DatabaseBusy | Code::DatabaseLocked) => LOCKED.to_owned(),
        Some(Code::ReadOnly) => "its folder may not be written to and its log is not there".to_owned(),
        Some(Code::PermissionDenied) => "EACCES".to_owned(),
        Some(Code::OperationInterrupted) => "too much work".to_owned(),
        Some(Code::TooBig) => OpenDenied::TooLarge.to_string(),
        Some(Code::CannotOpen) => "cannot be opened".to_owned(),
        Some(code) => format!("{code:?}"),
        None => "a value of another type".to_owned(),
    };
    ReadError::Unreadable(word)
}
