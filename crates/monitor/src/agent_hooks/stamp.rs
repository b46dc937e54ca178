//! Detection of the terminal and the project that a hook event comes from. It runs in the hook's own process, because
//! the monitor cannot determine them (`contract/event-schema-v1_1.md` §C.3).

use std::path::{Path, PathBuf};

/// Longest name of a terminal or project, characters.
const MAX_NAME_CHARS: usize = 120;
/// Folders looked at on the way up.
const MAX_PARENT_FOLDERS: usize = 64;

/// The terminal by its environment variables, else the process's controlling terminal.
pub(super) fn terminal(env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let non_empty = |name: &str| env(name).filter(|text| !text.trim().is_empty());
    let in_tmux = || Some(pane(&non_empty("TMUX_PANE")?, &non_empty("TMUX").unwrap_or_default()));
    let name =
        non_empty("TERM_SESSION_ID").or_else(in_tmux).or_else(|| non_empty("WT_SESSION")).or_else(controlling)?;
    let folded: String = name.trim().chars().take(MAX_NAME_CHARS).map(folded).collect();
    Some(format!("term_{folded}"))
}

/// Each tmux server counts its panes from zero, so its process is part of the name.
fn pane(pane: &str, tmux: &str) -> String {
    let server = tmux.split(',').nth(1).unwrap_or_default();
    format!("tmux{server}.{}", pane.trim_start_matches('%'))
}

fn folded(c: char) -> char {
    if c.is_ascii_alphanumeric() || "._:-".contains(c) { c } else { '-' }
}

/// `pts-3`, where the system reports it.
fn controlling() -> Option<String> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    of_stat(&stat)
}

/// The fifth field behind the name in brackets is the device of the controlling terminal.
fn of_stat(stat: &str) -> Option<String> {
    let device: u32 = stat.rsplit(')').next()?.split_whitespace().nth(4)?.parse::<i32>().ok()?.cast_unsigned();
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xf_ff00));
    match major {
        0 => None,
        136..=143 => Some(format!("pts-{}", (major - 136) * 256 + minor)),
        _ => Some(format!("tty-{major}-{minor}")),
    }
}

/// `repo_` and the name of the folder that holds `.git`, looked for upwards; without one the folder's own name. Nothing
/// for the root of the file system.
pub(super) fn workspace(cwd: &Path) -> Option<String> {
    let top = top_level(cwd).unwrap_or_else(|| cwd.to_path_buf());
    let name = top.file_name()?.to_string_lossy();
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
    (!name.is_empty()).then(|| format!("repo_{name}"))
}

/// A worktree has a file of that name.
fn top_level(cwd: &Path) -> Option<PathBuf> {
    if !cwd.is_absolute() {
        return None;
    }
    let found = cwd.ancestors().take(MAX_PARENT_FOLDERS).find(|folder| folder.join(".git").symlink_metadata().is_ok());
    found.map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(pairs: &'static [(&'static str, &'static str)]) -> Option<String> {
        terminal(&move |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn c3_terminal_prefers_its_own_name() {
        let all = [("TERM_SESSION_ID", "w0t1p0:AB-12"), ("TMUX_PANE", "%3"), ("WT_SESSION", "6f")];
        assert_eq!(named(Box::leak(Box::new(all))).as_deref(), Some("term_w0t1p0:AB-12"));
        let tmux = [("TMUX_PANE", "%3"), ("TMUX", "/tmp/tmux-1000/default,4711,0"), ("WT_SESSION", "6f")];
        assert_eq!(named(Box::leak(Box::new(tmux))).as_deref(), Some("term_tmux4711.3"));
        assert_eq!(named(&[("WT_SESSION", " 6f/한 ")]).as_deref(), Some("term_6f--"));
        assert_eq!(named(&[("TERM_SESSION_ID", " "), ("WT_SESSION", "x")]).as_deref(), Some("term_x"));
    }

    #[test]
    fn the_controlling_terminal_is_read_from_its_device() {
        let stat = |device: i64| format!("1234 (a (b) c) S 1 1 1 {device} -1 0");
        assert_eq!(of_stat(&stat(34819)).as_deref(), Some("pts-3"));
        assert_eq!(of_stat(&stat(0)), None);
        assert_eq!(of_stat(&stat(1025)).as_deref(), Some("tty-4-1"));
        assert_eq!(of_stat("odd"), None);
    }

    #[test]
    fn c3_project_is_its_top_folder_name() {
        let dir = tempfile::tempdir().expect("dir");
        let repo = dir.path().join("secret-parent/my repo");
        std::fs::create_dir_all(repo.join(".git")).expect("git");
        std::fs::create_dir_all(repo.join("crates/deep")).expect("deep");
        let tree = dir.path().join("tree");
        std::fs::create_dir_all(tree.join("src")).expect("tree");
        std::fs::write(tree.join(".git"), "gitdir: elsewhere").expect("worktree");
        for (cwd, name) in [
            (repo.clone(), Some("repo_my repo")),
            (repo.join("crates/deep"), Some("repo_my repo")),
            (repo.join("not/there"), Some("repo_my repo")),
            (tree.join("src"), Some("repo_tree")),
            (dir.path().join("secret-parent"), Some("repo_secret-parent")),
            (PathBuf::from("/"), None),
            (PathBuf::from("relative/part"), Some("repo_part")),
            (PathBuf::new(), None),
        ] {
            assert_eq!(workspace(&cwd).as_deref(), name, "{}", cwd.display());
        }
    }
}
