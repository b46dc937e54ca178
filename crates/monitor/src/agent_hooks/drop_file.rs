//! Writer of the drop file `logs/hook-events.ndjson` of a home (`contract/event-schema-v1_1.md` §C.1). It holds hook
//! events that could not be posted to a monitor, one per line. The monitor follows the file like the log.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use crate::fs::sandbox::{Dir, FileMeta};
use crate::home::HomeDir;

/// The file's name below [`HomeDir::logs`].
pub const DROP_FILE: &str = "hook-events.ndjson";
/// A file that nobody reads stops growing here, bytes: a forgotten hook must not fill a disk.
const MAX_DROP_FILE_BYTES: u64 = 256 << 20;
/// How often the file may be rotated while it is opened here.
const MAX_OPEN_ATTEMPTS: usize = 8;
/// Milliseconds in which others may finish their lines.
const MAX_LOCK_ATTEMPTS: usize = 200;

/// Appends one item durably and in one write: lines of concurrent writers come before or after it.
///
/// The monitor may rotate the file (`crate::sources::agent_events::rotated_drop_file`) after it is opened here. It
/// removes it under the lock, so checking the name under the lock is enough; without the lock one checks afterwards.
///
/// # Errors
/// When there is no home, the file is no regular file of its own, it holds as much as it may, or the disk refuses.
pub(crate) fn append(home: &HomeDir, item: &[u8]) -> io::Result<()> {
    let logs = home.open()?.made_folder("logs")?;
    for _ in 0..MAX_OPEN_ATTEMPTS {
        if appended(&logs, item)? {
            return Ok(());
        }
    }
    Err(io::Error::other(format!("{DROP_FILE} is another file whenever it is opened")))
}

/// False when the file was rotated meanwhile, so that nobody may read what is written to it.
fn appended(logs: &Dir, item: &[u8]) -> io::Result<bool> {
    let file = logs.append(DROP_FILE)?;
    let length = file.metadata()?.len();
    if length.saturating_add(item.len() as u64) > MAX_DROP_FILE_BYTES {
        return Err(io::Error::other(format!(
            "{DROP_FILE} holds {} MiB, and no monitor reads it",
            MAX_DROP_FILE_BYTES >> 20
        )));
    }
    let mut line = Vec::with_capacity(item.len() + 2);
    let alone = is_alone(&file);
    if !has_its_name(logs, &file)? {
        return Ok(false);
    }
    // What another one is writing just now looks torn as well.
    if alone && is_torn(&file)? {
        line.push(b'\n');
    }
    line.extend_from_slice(item);
    line.push(b'\n');
    // A write past the limit of a shell (`ulimit -f`) ends the process by a signal, which the agent would notice.
    if getrlimit(Resource::Fsize).current.is_some_and(|most| length.saturating_add(line.len() as u64) > most) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    written(&file, &line)?;
    if alone {
        rustix::fs::flock(&file, FlockOperation::Unlock)?;
    } else if file.metadata()?.nlink() == 0 {
        return Ok(false);
    }
    file.sync_data()?;
    Ok(true)
}

fn has_its_name(logs: &Dir, file: &File) -> io::Result<bool> {
    match logs.metadata(DROP_FILE) {
        Ok(seen) => Ok(seen.identity == FileMeta::from_handle(file)?.identity),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether no other process writes until the lock is released. A lock that is held for long is not waited for.
fn is_alone(file: &File) -> bool {
    for _ in 0..MAX_LOCK_ATTEMPTS {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return true,
            Err(Errno::WOULDBLOCK | Errno::INTR) => std::thread::sleep(Duration::from_millis(1)),
            // A file system without locks.
            Err(_) => return false,
        }
    }
    false
}

/// One call of the system: two processes that append never share a line. A disk that takes only a part of it leaves a
/// torn line, which the next one does not continue.
fn written(mut file: &File, line: &[u8]) -> io::Result<()> {
    loop {
        match file.write(line) {
            Ok(taken) if taken == line.len() => return Ok(()),
            Ok(taken) => {
                return Err(io::Error::new(
                    io::ErrorKind::WriteZero,
                    format!("{taken} of {} bytes could be written", line.len()),
                ));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether the last line has no end, as a full disk or a power cut leaves it.
fn is_torn(file: &File) -> io::Result<bool> {
    let Some(last) = file.metadata()?.len().checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    Ok(file.read_at(&mut byte, last)? == 1 && byte != [b'\n'])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn lines_are_appended_for_this_user_alone() {
        let dir = tempfile::tempdir().expect("dir");
        let home = HomeDir::new(dir.path());
        append(&home, b"{\"a\":1}").expect("append");
        append(&home, b"{\"b\":2}").expect("append");
        let path = home.logs().join(DROP_FILE);
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "{\"a\":1}\n{\"b\":2}\n");
        assert_eq!(std::fs::metadata(&path).expect("seen").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn torn_line_is_not_continued() {
        let dir = tempfile::tempdir().expect("dir");
        let home = HomeDir::new(dir.path());
        std::fs::create_dir(home.logs()).expect("logs");
        std::fs::write(home.logs().join(DROP_FILE), "{\"a\":1}\n{\"half").expect("torn");
        append(&home, b"{\"b\":2}").expect("append");
        let text = std::fs::read_to_string(home.logs().join(DROP_FILE)).expect("read");
        assert_eq!(text, "{\"a\":1}\n{\"half\n{\"b\":2}\n");
    }

    #[test]
    fn line_waiting_during_rotation_enters_next_file() {
        for removed in [false, true] {
            let dir = tempfile::tempdir().expect("dir");
            let home = HomeDir::new(dir.path());
            append(&home, b"{\"a\":1}").expect("append");
            let (path, rotated_path) = (home.logs().join(DROP_FILE), home.logs().join(HomeDir::ROTATED_HOOK_EVENTS));
            let held = File::open(&path).expect("open");
            rustix::fs::flock(&held, FlockOperation::LockExclusive).expect("lock");
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| append(&home, b"{\"b\":2}"));
                // It has opened the file by then; if not, it finds the next one at once.
                std::thread::sleep(Duration::from_millis(50));
                std::fs::rename(&path, &rotated_path).expect("put away");
                if removed {
                    std::fs::remove_file(&rotated_path).expect("removed");
                }
                drop(held);
                waiting.join().expect("no panic").expect("append");
            });
            assert_eq!(std::fs::read_to_string(&path).expect("read"), "{\"b\":2}\n", "removed: {removed}");
        }
    }

    #[test]
    fn unlocked_line_in_removed_file_is_rewritten() {
        let dir = tempfile::tempdir().expect("dir");
        let home = HomeDir::new(dir.path());
        append(&home, b"{\"a\":1}").expect("append");
        let path = home.logs().join(DROP_FILE);
        let logs = home.open().and_then(|root| root.folder("logs")).expect("logs");
        let file = logs.append(DROP_FILE).expect("open");
        assert!(has_its_name(&logs, &file).expect("seen"));
        std::fs::remove_file(&path).expect("removed");
        assert!(!has_its_name(&logs, &file).expect("seen"));
        std::fs::write(&path, "").expect("another one");
        assert!(!has_its_name(&logs, &file).expect("seen"));
        // While another process holds the lock all the time, the line is written anyway.
        let held = File::open(&path).expect("open");
        rustix::fs::flock(&held, FlockOperation::LockExclusive).expect("lock");
        append(&home, b"{\"b\":2}").expect("append");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "{\"b\":2}\n");
    }

    #[test]
    fn links_absent_homes_and_full_files_are_refused() {
        let dir = tempfile::tempdir().expect("dir");
        let absent = HomeDir::new(dir.path().join("absent"));
        assert!(append(&absent, b"{}").is_err());
        assert!(!absent.root().exists());

        let home = HomeDir::new(dir.path().join("home"));
        std::fs::create_dir_all(home.logs()).expect("logs");
        let outside = dir.path().join("outside");
        std::fs::write(&outside, "theirs").expect("file");
        symlink(&outside, home.logs().join(DROP_FILE)).expect("link");
        assert!(append(&home, b"{}").is_err());
        assert_eq!(std::fs::read(&outside).expect("read"), b"theirs");

        std::fs::remove_file(home.logs().join(DROP_FILE)).expect("remove");
        File::create(home.logs().join(DROP_FILE)).and_then(|file| file.set_len(MAX_DROP_FILE_BYTES - 1)).expect("full");
        let error = append(&home, b"{}").expect_err("full").to_string();
        assert!(error.contains("no monitor reads it"), "{error}");
    }
}
