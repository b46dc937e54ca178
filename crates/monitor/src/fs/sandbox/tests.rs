//! Tests of the file sandbox with both methods of path resolution: `openat2`, and one path component after the other.
//!
//! Proves (security): Reading below a folder never follows a link out of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, mkfifoat, renameat_with};

use super::*;

const SECRET: &str = "the secret outside";

/// A folder with a secret beside it, opened in both ways.
struct SandboxFixture {
    dir: tempfile::TempDir,
    roots: [Dir; 2],
}

impl SandboxFixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        fs::create_dir_all(dir.path().join("root/inner")).expect("root");
        fs::write(dir.path().join("secret"), SECRET).expect("secret");
        fs::create_dir(dir.path().join("outside")).expect("outside");
        fs::write(dir.path().join("outside/file"), SECRET).expect("secret");
        let root = dir.path().join("root");
        let by = |mode| Dir { mode, ..Dir::root(&root).expect("root") };
        Self { roots: [by(ResolveMode::Kernel), by(ResolveMode::Steps)], dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("root").join(name)
    }

    /// Why a path is not read; both ways agree.
    fn refusal(&self, below: &str) -> String {
        let [one, other] = self.roots.each_ref().map(|root| root.read(below, 64).expect_err(below).to_string());
        assert_eq!(one, other, "{below}");
        one
    }
}

#[test]
fn nested_files_are_read_and_folders_listed() {
    let fixture = SandboxFixture::new();
    fs::write(fixture.path("file"), "above").expect("write");
    fs::write(fixture.path("inner/file"), "below").expect("write");
    for root in &fixture.roots {
        assert_eq!(root.read("file", 5).expect("read"), b"above");
        assert_eq!(root.read("./inner/./file", 64).expect("read"), b"below");
        assert_eq!(root.folder("inner").expect("inner").read("file", 64).expect("read"), b"below");
        assert_eq!(root.names().expect("names"), ["file", "inner"]);
        assert_eq!(root.folder("inner").expect("inner").names().expect("names"), ["file"]);
        let (file, seen) = root.open("inner/file").expect("open");
        let second = root.metadata("inner/file").expect("seen");
        assert_eq!((seen, seen), (second, FileMeta::from_handle(&file).expect("seen")), "by name and by handle alike");
        assert_eq!(root.read("none", 64).expect_err("none").kind(), io::ErrorKind::NotFound);
        assert_eq!(root.read("none/file", 64).expect_err("none").kind(), io::ErrorKind::NotFound);
    }
}

#[test]
fn no_link_is_followed_anywhere() {
    let fixture = SandboxFixture::new();
    fs::write(fixture.path("file"), "plain").expect("write");
    for (link, target) in [
        ("out", "../secret"),
        ("absolute", fixture.dir.path().join("secret").to_str().expect("path")),
        ("within", "file"),
        ("dangling", "nowhere"),
        ("self", "self"),
        ("way", "../outside"),
        ("inner/way", "../../outside"),
        ("magic", "/proc/self/root"),
    ] {
        symlink(target, fixture.path(link)).expect("link");
    }
    for below in ["out", "absolute", "within", "dangling", "self", "way", "way/file", "inner/way/file", "magic/etc"] {
        assert_eq!(fixture.refusal(below), "a link", "{below}");
    }
    for root in &fixture.roots {
        for below in ["way", "inner/way", "magic/etc", "way/none"] {
            assert_eq!(root.folder(below).expect_err(below).to_string(), "a link", "{below}");
        }
        assert_eq!(root.metadata("out").expect("seen").kind(), FileType::Symlink, "it is seen as what it is");
        assert!(root.metadata("way/file").is_err());
    }
}

#[test]
fn escaping_paths_are_refused_by_text() {
    let fixture = SandboxFixture::new();
    fs::write(fixture.path("file"), "plain").expect("write");
    let secret = fixture.dir.path().join("secret");
    for below in
        ["../secret", "inner/../../secret", "inner/../file", "..", "/etc/passwd", secret.to_str().expect("path")]
    {
        assert_eq!(fixture.refusal(below), "leads outside its folder", "{below}");
    }
    // A NUL ends a path for the system: it never gets there.
    assert_eq!(fixture.roots[0].read("file\0", 64).expect_err("NUL").kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn non_regular_file_is_refused_without_waiting() {
    let fixture = SandboxFixture::new();
    mkfifoat(CWD, fixture.path("pipe"), Mode::RUSR | Mode::WUSR).expect("mkfifo");
    let _socket = UnixListener::bind(fixture.path("socket")).expect("socket");
    for below in ["pipe", "socket", "inner", "", "."] {
        assert_eq!(fixture.refusal(below), "not a regular file", "{below}");
    }
    // Only a privileged user can make a device; its refusal is the same line of code.
    if rustix::fs::mknodat(CWD, fixture.path("zero"), FileType::CharacterDevice, Mode::RUSR, rustix::fs::makedev(1, 5))
        .is_ok()
    {
        assert_eq!(fixture.refusal("zero"), "not a regular file");
    }
    for root in &fixture.roots {
        assert_eq!(root.folder("pipe").expect_err("pipe").to_string(), "not a folder");
        assert_eq!(root.read("pipe/file", 64).expect_err("pipe").to_string(), "not a folder");
    }
}

#[test]
fn file_size_limit_is_inclusive() {
    let fixture = SandboxFixture::new();
    fs::write(fixture.path("full"), [b'x'; 64]).expect("write");
    fs::write(fixture.path("more"), [b'x'; 65]).expect("write");
    fs::File::create(fixture.path("sparse")).and_then(|file| file.set_len(1 << 30)).expect("sparse");
    assert!(fixture.roots.iter().all(|root| root.read("full", 64).is_ok()));
    assert_eq!(fixture.refusal("more"), "too large");
    assert_eq!(fixture.refusal("sparse"), "too large");
}

#[test]
fn linked_root_opens_and_handle_stays_stable() {
    let fixture = SandboxFixture::new();
    fs::write(fixture.path("inner/file"), "plain").expect("write");
    let link = fixture.dir.path().join("link");
    symlink("root", &link).expect("link");
    assert_eq!(Dir::root(&link).and_then(|root| root.read("inner/file", 64)).expect("read"), b"plain");
    for root in &fixture.roots {
        let inner = root.folder("inner").expect("inner");
        fs::rename(fixture.path("inner"), fixture.path("moved")).expect("rename");
        symlink("../outside", fixture.path("inner")).expect("link");
        assert_eq!(inner.read("file", 64).expect("read"), b"plain", "whatever its name leads to now");
        assert_eq!(root.read("inner/file", 64).expect_err("link").to_string(), "a link");
        fs::remove_file(fixture.path("inner")).expect("remove");
        fs::rename(fixture.path("moved"), fixture.path("inner")).expect("rename");
    }
    assert!(Dir::root(&fixture.path("none")).is_err_and(|error| error.kind() == io::ErrorKind::NotFound));
}

/// Ends the swapping when the test fails, too.
struct Swapping<'a>(&'a AtomicBool);

impl Drop for Swapping<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[test]
fn swapped_links_never_leak_outside_content() {
    let fixture = SandboxFixture::new();
    fs::write(fixture.path("inner/file"), "plain").expect("write");
    symlink("../../secret", fixture.path("inner/other")).expect("link");
    symlink("../outside", fixture.path("way")).expect("link");
    let (going, swaps) = (AtomicBool::new(true), std::sync::atomic::AtomicUsize::new(0));
    let exchange = |one: &str, other: &str| {
        let exchanged = renameat_with(CWD, fixture.path(one), CWD, fixture.path(other), RenameFlags::EXCHANGE);
        exchanged.expect("exchange");
        swaps.fetch_add(1, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while going.load(Ordering::Relaxed) {
                exchange("inner/file", "inner/other");
                exchange("inner", "way");
                // While the folder is away, the names inside it lead nowhere here.
                exchange("inner", "way");
            }
        });
        let _ends = Swapping(&going);
        for root in &fixture.roots {
            let (mut plain, mut refused) = (0, 0);
            while (plain < 50 || refused < 50) && swaps.load(Ordering::Relaxed) < 5_000_000 {
                match root.read("inner/file", 64) {
                    Ok(bytes) => {
                        assert_eq!(String::from_utf8_lossy(&bytes), "plain");
                        plain += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
            assert!(plain >= 50 && refused >= 50, "{plain} read, {refused} refused");
        }
    });
}
