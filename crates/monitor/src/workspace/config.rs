//! `openclaw.json`: found, read with its `$include` parts, and kept when a later version cannot be read
//! (`contract/workspace.md` §1–§2).

use std::path::{Path, PathBuf};

use coordination::api::{ConfigState, Unreadable};
use coordination::roster::Roster;

use super::file::{ReadError, Signature, read_text, signature};
use crate::home::Home;

/// Configuration file (`contract/workspace.md` §10).
const CONFIG_LIMIT: u64 = 8 << 20;
/// One included part (`contract/workspace.md` §2).
const INCLUDE_LIMIT: u64 = 2 << 20;
const NAMES: [&str; 4] = ["openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json"];

/// The configuration in force.
#[derive(Debug, Clone, Default)]
pub struct LoadedConfig {
    /// Agents as configured.
    pub roster: Roster,
    /// How the file stands.
    pub state: ConfigState,
    /// Why it could not be read.
    pub problem: Option<Unreadable>,
}

/// Reads the configuration when it changed and keeps the last good one otherwise.
#[derive(Debug)]
pub struct ConfigReader {
    home: Home,
    path: Option<PathBuf>,
    seen: Option<Vec<(PathBuf, Option<Signature>)>>,
    good: bool,
    loaded: LoadedConfig,
}

impl ConfigReader {
    /// A reader of the configuration that belongs to a home.
    #[must_use]
    pub fn new(home: Home) -> Self {
        let path = std::env::var_os("OPENCLAW_CONFIG_PATH").filter(|path| !path.is_empty()).map(PathBuf::from);
        Self { home, path, seen: None, good: false, loaded: LoadedConfig::default() }
    }

    /// A reader of one particular file.
    #[must_use]
    pub fn of_file(home: Home, path: PathBuf) -> Self {
        Self { path: Some(path), ..Self::new(home) }
    }

    /// The configuration in force now, and whether it differs from the last look.
    pub fn look(&mut self) -> (&LoadedConfig, bool) {
        let unchanged =
            self.seen.as_ref().is_some_and(|seen| seen.iter().all(|(path, before)| signature(path).ok() == *before));
        if !unchanged {
            self.load();
        }
        (&self.loaded, !unchanged)
    }

    fn load(&mut self) {
        let mut seen = Vec::new();
        let mut found = None;
        for path in self.candidates() {
            let now = signature(&path).ok();
            seen.push((path.clone(), now));
            // A file that is there but unreadable also counts as found: it must be reported, not passed over.
            if now.is_some() || path.symlink_metadata().is_ok() {
                found = Some(path);
                break;
            }
        }
        match found {
            None => {
                self.loaded = LoadedConfig { state: ConfigState::Missing, ..LoadedConfig::default() };
                self.good = false;
            }
            Some(path) => match parse(&path, &mut seen) {
                Ok(roster) => {
                    self.loaded = LoadedConfig { roster, state: ConfigState::Ok, problem: None };
                    self.good = true;
                }
                Err(cause) => {
                    let shown = path
                        .strip_prefix(self.home.root())
                        .map_or_else(|_| self.home.display(&path), |below| below.display().to_string());
                    tracing::warn!(path = %shown, %cause, kept = self.good, "the configuration cannot be used");
                    self.loaded.state = if self.good { ConfigState::Stale } else { ConfigState::Invalid };
                    self.loaded.problem = Some(Unreadable { path: shown, cause });
                }
            },
        }
        self.seen = Some(seen);
    }

    fn candidates(&self) -> Vec<PathBuf> {
        match &self.path {
            Some(path) => vec![path.clone()],
            None => NAMES.iter().map(|name| self.home.root().join(name)).collect(),
        }
    }
}

/// Reads one configuration with its parts. Every file asked for is noted, so that a change of any is seen later.
fn parse(path: &Path, seen: &mut Vec<(PathBuf, Option<Signature>)>) -> Result<Roster, String> {
    let root = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let text = read_text(&root, path, CONFIG_LIMIT).map_err(|error| error.to_string())?;
    // A part names its own parts relative to itself; the folders of the parts read so far are where they can be.
    let mut bases = vec![root.clone()];
    Roster::parse(&text, &mut |written| {
        let mut outcome = Err(ReadError::Missing);
        for base in bases.iter().rev() {
            let part = base.join(written);
            seen.push((part.clone(), signature(&part).ok()));
            outcome = read_text(&root, &part, INCLUDE_LIMIT);
            if outcome != Err(ReadError::Missing) {
                let folder = part.parent().map_or_else(|| root.clone(), Path::to_path_buf);
                if !bases.contains(&folder) {
                    bases.push(folder);
                }
                break;
            }
        }
        outcome.map_err(|error| format!("$include {written}: {error}"))
    })
}
