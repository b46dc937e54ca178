//! Tests of the override store and the file of classifier rules when a link, pipe or huge file has the name of one of
//! their files. Nothing is read or written through them, no call blocks, and the cause is reported.
//!
//! Proves (security): Links, pipes and huge files under the names of the override store are never read or written
//! through.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, mkfifoat};

use super::*;

const LESSONS: &str = "task-hub-classifier.json";
const STAGED: &str = ".work-session-category-overrides.json.tmp";
const ASIDE: &str = "work-session-category-overrides.json.corrupt-2026-01-01T00-00-00-000Z";

/// A home, and beside it the targets of links.
struct Planted {
    dir: tempfile::TempDir,
}

impl Planted {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        fs::create_dir(dir.path().join("home")).expect("home");
        Self { dir }
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    /// A link of this name to a file outside that holds `bytes`.
    fn link(&self, name: &str, bytes: &str) {
        fs::write(self.outside(), bytes).expect("outside");
        symlink(self.outside(), self.home().join(name)).expect("link");
    }

    fn pipe(&self, name: &str) {
        mkfifoat(CWD, self.home().join(name), Mode::RUSR | Mode::WUSR).expect("mkfifo");
    }

    fn huge(&self, name: &str) {
        fs::File::create(self.home().join(name)).and_then(|file| file.set_len(1 << 30)).expect("sparse");
    }

    /// A change is refused and the cause is this.
    fn refuses(&self, cause: &str) {
        let mut writer = override_writer(&self.home());
        let refused = writer.commit(&change_request("ws_1", Some(Category::InfraOps), "r1")).expect_err("refused");
        assert!(matches!(&refused, WriteError::NotCommitted { disk_full: false, .. }), "{refused}");
        assert!(refused.to_string().contains(cause), "{refused}");
    }
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_symlink())
}

#[test]
fn linked_overrides_are_neither_read_nor_written() {
    let planted = Planted::new();
    let foreign = r#"{"ws_secret":{"collabCategory":"infra_ops"}}"#;
    planted.link(FILE, foreign);
    let writer = override_writer(&planted.home());
    assert_eq!(writer.entries, std::collections::BTreeMap::new());
    let info = writer.info().clone();
    assert_eq!((info.state, info.cause.as_deref()), (StoreState::Damaged, Some("a link")));
    drop(writer);
    planted.refuses("a link");
    assert_eq!(fs::read_to_string(planted.outside()).expect("outside"), foreign);
    assert!(is_link(&planted.home().join(FILE)), "nor is it replaced");
}

#[test]
fn linked_audit_log_is_not_used() {
    let planted = Planted::new();
    planted.link(AUDIT, "of others\n");
    planted.refuses("a link");
    assert_eq!(fs::read_to_string(planted.outside()).expect("outside"), "of others\n");
    assert!(
        append_log::read::<LastChanges>(&planted.home().join(AUDIT)).is_err_and(|error| error.to_string() == "a link")
    );
    fs::remove_file(planted.outside()).expect("remove");
    planted.refuses("a link");
    assert!(!planted.outside().exists(), "a link that leads nowhere begins no file there");
    assert!(!planted.home().join(FILE).exists(), "without its line no change is made");
}

#[test]
fn link_replacing_audit_log_is_not_followed() {
    let planted = Planted::new();
    let mut writer = override_writer(&planted.home());
    writer.commit(&change_request("ws_1", Some(Category::InfraOps), "r1")).expect("change");
    // The very log, elsewhere: only that it is reached through a link is wrong with it.
    fs::rename(planted.home().join(AUDIT), planted.outside()).expect("move");
    symlink(planted.outside(), planted.home().join(AUDIT)).expect("link");
    let before = fs::read(planted.outside()).expect("outside");
    writer.commit(&change_request("ws_1", None, "r2")).expect_err("refused");
    assert_eq!(fs::read(planted.outside()).expect("outside"), before);
}

#[test]
fn link_at_staging_path_is_removed() {
    let planted = Planted::new();
    planted.link(STAGED, "of others");
    override_writer(&planted.home()).commit(&change_request("ws_1", Some(Category::InfraOps), "r1")).expect("change");
    assert_eq!(fs::read_to_string(planted.outside()).expect("outside"), "of others");
    assert!(fs::read_to_string(planted.home().join(FILE)).expect("file").contains("ws_1"));
}

#[test]
fn linked_rules_file_is_refused() {
    let planted = Planted::new();
    planted.link(LESSONS, r#"{"words":[]}"#);
    let writer = override_writer(&planted.home());
    let rule_trouble = writer.taught.lock().expect("taught").trouble.clone();
    assert_eq!(rule_trouble.as_deref(), Some("a link"));
}

#[test]
fn pipes_and_huge_files_are_reported_without_blocking() {
    for name in [FILE, AUDIT, LESSONS] {
        let planted = Planted::new();
        planted.pipe(name);
        let writer = override_writer(&planted.home());
        let (info, taught) = (writer.info().clone(), writer.taught.lock().expect("taught").trouble.clone());
        let causes = [info.cause, info.last_error.map(|error| error.cause), taught].into_iter().flatten();
        assert!(causes.into_iter().any(|cause| cause.contains("not a regular file")), "{name}");
        drop(writer);
        if name != LESSONS {
            planted.refuses("not a regular file");
        }
        fs::remove_file(planted.home().join(name)).expect("remove");
        planted.huge(name);
        if name != LESSONS {
            planted.refuses("too large");
        }
        assert_eq!(fs::metadata(planted.home().join(name)).expect("it stays").len(), 1 << 30);
    }
}

#[test]
fn pipe_among_damaged_copies_does_not_block() {
    let planted = Planted::new();
    planted.pipe(ASIDE);
    fs::write(planted.home().join(FILE), "{").expect("damage");
    assert!(override_writer(&planted.home()).info().kept_aside.is_some());
}

#[test]
fn replaced_home_starts_without_old_overrides() {
    let planted = Planted::new();
    let mut writer = override_writer(&planted.home());
    writer.commit(&change_request("ws_1", Some(Category::InfraOps), "r1")).expect("change");
    fs::rename(planted.home().join(FILE), planted.outside()).expect("move");
    symlink(planted.outside(), planted.home().join(FILE)).expect("link");
    writer.refresh();
    assert_eq!(writer.info().state, StoreState::Damaged);
    fs::rename(planted.home(), planted.dir.path().join("old")).expect("away");
    writer.refresh();
    fs::create_dir(planted.home()).expect("a new home");
    writer.refresh();
    writer.refresh();
    assert!(!planted.home().join(FILE).exists(), "nobody decided anything here");
    assert_eq!(writer.entries, std::collections::BTreeMap::new());
    assert_eq!(writer.info().state, StoreState::Ok);
}

#[test]
fn next_writer_removes_leftover_temporary_file() {
    let planted = Planted::new();
    fs::write(planted.home().join(STAGED), "{").expect("a rest");
    let writer = override_writer(&planted.home());
    assert!(!planted.home().join(STAGED).exists());
    fs::write(planted.home().join(STAGED), "{").expect("being written");
    let reader = override_writer(&planted.home());
    assert!(planted.home().join(STAGED).exists(), "the writer's own");
    drop((writer, reader));
}
