//! Reader of an agent's avatar from its workspace (`contract/workspace.md` §2). The image is checked by name and
//! content. Its size is limited, and no link is followed.
//!
//! Proves (work): No picture is served through a symbolic link or from outside the workspace.

use std::path::Path;

use super::file::ReadError;
use crate::fs::sandbox::Dir;

/// A picture may be this large.
pub(super) const PICTURE_LIMIT: u64 = 2 << 20;

/// Endings of pictures and their media types.
const KINDS: [(&str, &str); 9] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("svg", "image/svg+xml"),
    ("bmp", "image/bmp"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
];

/// Reads the picture at `written`, a path below `folder`; its media type and its bytes.
///
/// # Errors
/// When it is missing, no picture, too large, or reached through a link or from outside.
pub fn read_picture(folder: &Dir, written: &str) -> Result<(&'static str, Vec<u8>), ReadError> {
    let refused = |why: &str| ReadError::Unreadable(why.to_owned());
    let name = Path::new(written.trim());
    let ending = name.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let kind = KINDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending)).map(|(_, kind)| *kind);
    let kind = kind.ok_or_else(|| refused("not a picture by its name"))?;
    let bytes = folder.read(name, PICTURE_LIMIT)?;
    if is_picture(kind, &bytes) { Ok((kind, bytes)) } else { Err(refused("not a picture by its content")) }
}

/// Whether a media type is one of a picture that is served.
pub fn is_picture_type(kind: &str) -> bool {
    KINDS.iter().any(|(_, known)| *known == kind)
}

/// It begins as files of its kind do, so that no other file is served under a picture's name.
fn is_picture(kind: &str, bytes: &[u8]) -> bool {
    let starts = |mark: &[u8]| bytes.starts_with(mark);
    match kind {
        "image/png" => starts(b"\x89PNG\r\n\x1a\n"),
        "image/jpeg" => starts(b"\xff\xd8\xff"),
        "image/gif" => starts(b"GIF87a") || starts(b"GIF89a"),
        "image/webp" => starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        "image/bmp" => starts(b"BM"),
        "image/tiff" => starts(b"II*\0") || starts(b"MM\0*"),
        "image/svg+xml" => {
            let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(1024)).unwrap_or_default()).to_lowercase();
            let text = text.trim_start_matches('\u{feff}').trim_start().to_owned();
            text.starts_with("<svg") || (text.starts_with("<?xml") || text.starts_with("<!")) && text.contains("<svg")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    fn read(folder: &Path, name: &str) -> Result<(&'static str, Vec<u8>), ReadError> {
        read_picture(&Dir::root(folder).expect("folder"), name)
    }

    fn refusal(folder: &Path, name: &str) -> String {
        read(folder, name).expect_err(name).to_string()
    }

    #[test]
    fn only_pictures_below_workspace_are_read() {
        let dir = tempfile::tempdir().expect("dir");
        let folder = dir.path().join("workspace");
        fs::create_dir_all(folder.join("avatars")).expect("folder");
        fs::write(folder.join("avatars/a.PNG"), PNG).expect("png");
        fs::write(folder.join("a.svg"), "<?xml version=\"1.0\"?>\n<svg></svg>").expect("svg");
        fs::write(folder.join("MEMORY.md"), "secret").expect("text");
        fs::write(folder.join("secret.png"), "secret").expect("text");
        fs::write(dir.path().join("outside.png"), PNG).expect("outside");
        assert_eq!(read(&folder, "./avatars/a.PNG").expect("png"), ("image/png", PNG.to_vec()));
        assert_eq!(read(&folder, "a.svg").expect("svg").0, "image/svg+xml");
        assert_eq!(refusal(&folder, "MEMORY.md"), "not a picture by its name");
        assert_eq!(refusal(&folder, "secret.png"), "not a picture by its content");
        assert_eq!(refusal(&folder, "../outside.png"), "leads outside its folder");
        assert_eq!(refusal(&folder, "avatars/../../outside.png"), "leads outside its folder");
        assert_eq!(
            refusal(&folder, dir.path().join("outside.png").to_str().expect("path")),
            "leads outside its folder"
        );
        assert_eq!(refusal(&folder, "none.png"), "missing");
        fs::create_dir(folder.join("folder.png")).expect("folder");
        assert_eq!(refusal(&folder, "folder.png"), "not a regular file");
    }

    #[test]
    fn links_within_workspace_are_not_followed() {
        let dir = tempfile::tempdir().expect("dir");
        let folder = dir.path().join("workspace");
        fs::create_dir_all(folder.join("real")).expect("folder");
        fs::write(folder.join("real/a.png"), PNG).expect("png");
        std::os::unix::fs::symlink(folder.join("real/a.png"), folder.join("link.png")).expect("link");
        std::os::unix::fs::symlink(folder.join("real"), folder.join("way")).expect("link");
        assert_eq!(refusal(&folder, "link.png"), "a link");
        assert_eq!(refusal(&folder, "way/a.png"), "a link");
    }

    #[test]
    fn picture_size_limit_is_inclusive() {
        let dir = tempfile::tempdir().expect("dir");
        let mut bytes = PNG.to_vec();
        bytes.resize(usize::try_from(PICTURE_LIMIT).expect("size"), 0);
        fs::write(dir.path().join("a.png"), &bytes).expect("png");
        assert!(read(dir.path(), "a.png").is_ok());
        bytes.push(0);
        fs::write(dir.path().join("a.png"), &bytes).expect("png");
        assert_eq!(refusal(dir.path(), "a.png"), "too large");
    }
}
