//! Sanitiser of stored texts (`contract/event-schema-v1_1.md` §C.6). It redacts secrets, shortens machine paths to
//! their relative or last part, and limits the length.

use super::secret::hide;
use message_text::beginning;

/// Units (UTF-16, as the log counts) of a summary.
pub(super) const SUMMARY_UNITS: usize = 200;
/// Of an error.
pub(super) const ERROR_UNITS: usize = 500;
/// Of a message, and of any text that is stored at the full capture level only.
pub(super) const MESSAGE_UNITS: usize = 4_000;
/// Of a label.
pub(super) const LABEL_UNITS: usize = 64;
/// Characters of a code.
const MAX_CODE_CHARS: usize = 64;
/// Beginnings of paths that reveal the machine or its user; others may be a site's own addresses.
const ROOTS: [&str; 21] = [
    "/home/",
    "/Users/",
    "/root/",
    "/tmp/",
    "/var/",
    "/etc/",
    "/opt/",
    "/mnt/",
    "/private/",
    "/usr/",
    "/srv/",
    "/workspace/",
    "/workspaces/",
    "/data/",
    "/media/",
    "/proc/",
    "/run/",
    "/nix/",
    "/Volumes/",
    "/Library/",
    "~/",
];

/// How the texts of one hook are cleaned.
pub(super) struct TextCleaner<'a> {
    /// The folder in which it happened: paths below it are relative to it.
    pub(super) cwd: Option<&'a str>,
    /// Its session: digests of equal texts differ from session to session.
    pub(super) salt: &'a str,
}

impl TextCleaner<'_> {
    /// A text in one line. A secret may be on the line below its name, so it is one line before it is cleaned.
    pub(super) fn line(&self, text: &str, max: usize) -> String {
        let flat = window(text, max).split_whitespace().collect::<Vec<_>>().join(" ");
        cut(&self.clean(&flat, max).split_whitespace().collect::<Vec<_>>().join(" "), max)
    }

    /// A text with its lines.
    pub(super) fn block(&self, text: &str, max: usize) -> String {
        cut(self.clean(text, max).trim(), max)
    }

    /// The name of a file: from the folder on when it is below, else its last part alone.
    pub(super) fn file(&self, path: &str) -> Option<String> {
        let slashed = path.trim().replace('\\', "/");
        if self.cwd.is_some_and(|cwd| cwd.replace('\\', "/").trim_end_matches('/') == slashed.trim_end_matches('/')) {
            // The folder itself is no file of it.
            return None;
        }
        // Below the root is the whole machine.
        let below = self
            .cwd
            .map(|cwd| cwd.replace('\\', "/"))
            .filter(|cwd| cwd.trim_end_matches('/').contains(|c: char| c != '.'))
            .and_then(|cwd| slashed.strip_prefix(cwd.trim_end_matches('/'))?.strip_prefix('/').map(str::to_owned));
        let name = below.unwrap_or_else(|| slashed.clone());
        let own = !name.starts_with(['/', '~']) && !name.contains(':') && !name.split('/').any(|part| part == "..");
        let name = if own { name.as_str() } else { name.trim_end_matches('/').rsplit('/').next().unwrap_or_default() };
        let name = cut(&hide(name.trim_start_matches("./")), SUMMARY_UNITS);
        (!name.is_empty()).then_some(name)
    }

    fn clean(&self, text: &str, max: usize) -> String {
        hide(&self.local(window(text, max)))
    }

    /// The text with its paths relative to the folder, or only by their last part.
    fn local(&self, text: &str) -> String {
        let cwd = self.cwd.map(|cwd| cwd.trim_end_matches(['/', '\\'])).filter(|cwd| cwd.len() > 1);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        let mut open = true;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = &text[at..];
            // Looked for only where a path begins: a text may be one long word of marks.
            let length =
                || rest.find(|c: char| c.is_whitespace() || "\"'`:,;()<>[]{}|".contains(c)).unwrap_or(rest.len());
            let below = open.then(|| cwd.and_then(|cwd| rest.strip_prefix(cwd))).flatten();
            if let Some(below) =
                below.filter(|below| !below.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c)))
            {
                at = text.len() - below.trim_start_matches(['/', '\\']).len();
                if at == text.len() - below.len() {
                    out.push('.');
                }
                open = false;
            } else if let Some(length) = (open && ROOTS.iter().any(|root| rest.starts_with(root))).then(length) {
                out.push_str("…/");
                out.push_str(rest[..length].trim_end_matches('/').rsplit('/').next().unwrap_or_default());
                at += length;
                open = false;
            } else if open && (drive(rest) || share(rest)) {
                let length = rest.find(|c: char| c.is_whitespace() || "\"'`,;()<>|".contains(c)).unwrap_or(rest.len());
                out.push_str("…/");
                out.push_str(rest[2..length].trim_end_matches('\\').rsplit(['\\', '/']).next().unwrap_or_default());
                at += length;
                open = false;
            } else {
                out.push(c);
                at += c.len_utf8();
                open = opens(&out);
            }
        }
        out
    }
}

/// Behind this a path may begin: a mark, the scheme of a file's address, an option of one letter, a line's end as
/// programs print it.
fn opens(before: &str) -> bool {
    let mut last = before.chars().rev();
    let (c, one, two) = (last.next(), last.next(), last.next());
    match c {
        Some('/') => before.ends_with("file://"),
        Some('n' | 'r' | 't') if one == Some('\\') => true,
        Some(c) if c.is_ascii_alphabetic() && one == Some('-') => two.is_none_or(char::is_whitespace),
        Some(c) => !c.is_alphanumeric() && !matches!(c, '.' | '_' | '-' | '~' | '…'),
        None => true,
    }
}

/// `\\server\share\…`. Looks no further than the server's name: a text may be one long word of such beginnings.
fn share(text: &str) -> bool {
    let Some(server) = text.strip_prefix("\\\\").filter(|rest| rest.starts_with(char::is_alphanumeric)) else {
        return false;
    };
    let ends = |c: char| c.is_whitespace() || "\"'`,;()<>|".contains(c);
    let end = server.find(|c: char| c == '\\' || ends(c)).unwrap_or(server.len());
    let below = &server[end..];
    below.starts_with('\\') && below.trim_start_matches('\\').starts_with(|c: char| !ends(c))
}

/// `C:\…`.
fn drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic())
}

/// So much of the beginning that what is hidden in it cannot bring the rest within `max`; never half a word at its end,
/// because half a secret is not known for one.
fn window(text: &str, max: usize) -> &str {
    let bytes = max * 16 + 1_024;
    if text.len() <= bytes {
        return text;
    }
    let text = beginning(text, bytes);
    text.rfind(char::is_whitespace).map_or(text, |blank| &text[..blank])
}

/// A word out of a handful, a state or a reason, and no sentence.
pub(super) fn is_code(text: &str) -> bool {
    (1..=MAX_CODE_CHARS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte))
}

/// At most `max` units, the last of them an ellipsis where something was left out.
pub(super) fn cut(text: &str, max: usize) -> String {
    let mut units = 0;
    let mut fits = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units < max {
            fits = at + c.len_utf8();
        }
        if units > max {
            return format!("{}…", text[..fits].trim_end());
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_file_names_are_relative_to_folder() {
        let words = TextCleaner { cwd: Some("/home/mina/repo"), salt: "" };
        for (path, name) in [
            ("/home/mina/repo/src/main.rs", Some("src/main.rs")),
            ("/home/mina/repository/x.rs", Some("x.rs")),
            ("/etc/passwd", Some("passwd")),
            ("../other/secret.txt", Some("secret.txt")),
            ("~/notes.md", Some("notes.md")),
            ("C:\\Users\\mina\\a.rs", Some("a.rs")),
            ("./src/한글 파일.rs", Some("src/한글 파일.rs")),
            ("src/lib.rs", Some("src/lib.rs")),
            ("/home/mina/repo/", None),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(words.file(path).as_deref(), name, "{path}");
        }
        let words = TextCleaner { cwd: Some("/"), salt: "" };
        assert_eq!(words.file("/home/mina/.ssh/id_rsa").as_deref(), Some("id_rsa"), "the root is no project");
    }

    #[test]
    fn c6_texts_hide_machine_paths() {
        let words = TextCleaner { cwd: Some("/home/mina/repo"), salt: "" };
        for (text, expected) in [
            ("error in /home/mina/repo/src/a.rs:12", "error in src/a.rs:12"),
            ("cd /home/mina/repo && ls", "cd . && ls"),
            ("'/home/mina/.ssh/id_rsa': denied", "'…/id_rsa': denied"),
            ("GET /api/v2/sessions 에서 500", "GET /api/v2/sessions 에서 500"),
            ("C:\\Users\\mina\\x.txt 없음", "…/x.txt 없음"),
            ("a/tmp/b and https://x.org/tmp/y", "a/tmp/b and https://x.org/tmp/y"),
            ("at file:///home/mina/repo/src/a.js:12:3", "at file://src/a.js:12:3"),
            ("at file:///home/mina/other/b.js:1", "at file://…/b.js:1"),
            ("cc -I/home/mina/include -L/usr/lib", "cc -I…/include -L…/lib"),
            ("one\\n/home/mina/x.rs", "one\\n…/x.rs"),
            ("\\\\server\\mina\\x.txt", "…/x.txt"),
            ("/Volumes/mina/x.rs /run/user/1000/bus", "…/x.rs …/bus"),
            ("password:\n  hunter2", "password: [redacted-secret]"),
        ] {
            assert_eq!(words.line(text, SUMMARY_UNITS), expected);
        }
    }

    #[test]
    fn c6_texts_are_cut_by_utf16_units() {
        assert_eq!(cut("한글입니다", 5), "한글입니다");
        assert_eq!(cut("한글입니다.", 5), "한글입니…");
        assert_eq!(cut("🦀🦀🦀", 5), "🦀🦀…");
        assert_eq!(cut("", 5), "");
        let words = TextCleaner { cwd: None, salt: "" };
        assert_eq!(words.line(&"가 ".repeat(10_000), SUMMARY_UNITS).encode_utf16().count(), SUMMARY_UNITS);
        let end = format!("{} ghp_canarycanary", "가".repeat(1_400));
        assert!(!words.line(&end, SUMMARY_UNITS).contains("canary"));
    }
}
