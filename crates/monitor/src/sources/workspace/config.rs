//! Reader of `openclaw.json` with its `$include` parts (`contract/workspace.md` §1–§2). When a later version cannot be
//! read, the last good one stays in use.

use std::path::{Component, Path, PathBuf};

use coordination::api::{ConfigState, Unreadable};
use coordination::roster::{CONFIG_NAMES, Roster};

use super::file::{ReadError, WorkspaceFileSignature, read_text, signature};
use crate::fs::sandbox::{Dir, OpenDenied};
use crate::home::HomeDir;

/// Configuration file (`contract/workspace.md` §10).
const CONFIG_LIMIT: u64 = 8 << 20;
/// One included part (`contract/workspace.md` §2).
const INCLUDE_LIMIT: u64 = 2 << 20;

/// The configuration in force.
#[derive(Debug, Clone, Default)]
pub struct LoadedConfig {
    /// Agents as configured.
    pub roster: Roster,
    /// State of the file.
    pub state: ConfigState,
    /// Why it could not be read.
    pub problem: Option<Unreadable>,
}

/// Reads the configuration when it changed and keeps the last good one otherwise.
#[derive(Debug)]
pub struct ConfigReader {
    home: HomeDir,
    /// Path that an operator gave; else the usual ones are searched.
    path: Option<PathBuf>,
    /// The paths that were searched last, and the state of each file that was read.
    seen: Option<(Vec<ConfigFilePath>, Vec<ConfigFileState>)>,
    /// Some configuration was read without an error since the start.
    good: bool,
    /// Result of the last look.
    loaded: LoadedConfig,
}

/// A file, by its name in a folder that its parts must stay below.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ConfigFilePath {
    root: PathBuf,
    name: PathBuf,
}

/// A file in a folder, and its state.
#[derive(Debug)]
struct ConfigFileState {
    root: PathBuf,
    below: PathBuf,
    seen: Option<WorkspaceFileSignature>,
}

impl ConfigReader {
    /// A reader of the configuration that belongs to a home.
    #[must_use]
    pub fn new(home: HomeDir) -> Self {
        let path = std::env::var_os("OPENCLAW_CONFIG_PATH").filter(|path| !path.is_empty()).map(PathBuf::from);
        let path = path.filter(|_| !home.is_mirror());
        Self { home, path, seen: None, good: false, loaded: LoadedConfig::default() }
    }

    /// A reader of one particular file.
    #[must_use]
    pub fn of_file(home: HomeDir, path: PathBuf) -> Self {
        Self { path: Some(path), ..Self::new(home) }
    }

    /// The configuration in force now, and whether it differs from the last look.
    pub fn look(&mut self) -> (&LoadedConfig, bool) {
        let places = self.places();
        let unchanged = self
            .seen
            .as_ref()
            .is_some_and(|(before, looks)| *before == places && looks.iter().all(ConfigFileState::holds));
        if !unchanged {
            self.load(places);
        }
        (&self.loaded, !unchanged)
    }

    fn load(&mut self, places: Vec<ConfigFilePath>) {
        let mut looks = Vec::new();
        let mut found = None;
        for place in &places {
            let root = Dir::root(&place.root).map_err(ReadError::from);
            let seen = root.and_then(|root| Ok((signature(&root, &place.name)?, root)));
            let (now, seen) = match seen {
                Ok((now, root)) => (Some(now), Some(Ok(root))),
                Err(ReadError::Missing) => (None, None),
                // An existing file that cannot be read: it must be reported, not skipped.
                Err(ReadError::Unreadable(cause)) => (None, Some(Err(cause))),
            };
            looks.push(ConfigFileState { root: place.root.clone(), below: place.name.clone(), seen: now });
            if let Some(root) = seen {
                found = Some((place, root));
                break;
            }
        }
        match found {
            None => {
                self.loaded = LoadedConfig { state: ConfigState::Missing, ..LoadedConfig::default() };
                self.good = false;
            }
            Some((place, root)) => match root.and_then(|root| parse(&root, place, &mut looks)) {
                Ok(roster) => {
                    self.loaded = LoadedConfig { roster, state: ConfigState::Ok, problem: None };
                    self.good = true;
                }
                Err(cause) => {
                    let path = self.path.clone().unwrap_or_else(|| place.root.join(&place.name));
                    let shown = path
                        .strip_prefix(self.home.root())
                        .map_or_else(|_| self.home.display(&path), |below| below.display().to_string());
                    tracing::warn!(path = %shown, %cause, last_good_used = self.good, "the configuration cannot be used");
                    self.loaded.state = if self.good { ConfigState::Stale } else { ConfigState::Invalid };
                    self.loaded.problem = Some(Unreadable { path: shown, cause });
                }
            },
        }
        self.seen = Some((places, looks));
    }

    /// Where it may be. One that an operator named may be a link, which is resolved here; in the home none is followed.
    fn places(&self) -> Vec<ConfigFilePath> {
        let in_home = |name: &str| ConfigFilePath { root: self.home.root().to_path_buf(), name: PathBuf::from(name) };
        match &self.path {
            None => CONFIG_NAMES.iter().copied().map(in_home).collect(),
            Some(path) => {
                let real = path.canonicalize();
                let real = real.as_ref().unwrap_or(path);
                let root = real.parent().map(Path::to_path_buf).unwrap_or_default();
                vec![ConfigFilePath { root, name: real.file_name().map(PathBuf::from).unwrap_or_default() }]
            }
        }
    }
}

impl ConfigFileState {
    /// True while the file is unchanged.
    fn holds(&self) -> bool {
        let now = Dir::root(&self.root).map_err(ReadError::from).and_then(|root| signature(&root, &self.below));
        now.ok() == self.seen
    }
}

/// Reads one configuration with its parts. Every requested file is noted, so that a change of any is seen later.
fn parse(root: &Dir, place: &ConfigFilePath, looks: &mut Vec<ConfigFileState>) -> Result<Roster, String> {
    let text = read_text(root, &place.name, CONFIG_LIMIT).map_err(|error| error.to_string())?;
    // A part names its own parts relative to itself; the folders of the parts read so far are where they can be.
    let mut bases = vec![PathBuf::new()];
    Roster::parse(&text, &mut |written| {
        let mut outcome = Err(ReadError::Missing);
        for base in bases.iter().rev() {
            let below = below(&place.root, base, Path::new(written));
            outcome = below.clone().and_then(|below| {
                let seen = signature(root, &below).ok();
                looks.push(ConfigFileState { root: place.root.clone(), below: below.clone(), seen });
                read_text(root, &below, INCLUDE_LIMIT)
            });
            if outcome != Err(ReadError::Missing) {
                let folder = below.ok().and_then(|below| below.parent().map(Path::to_path_buf)).unwrap_or_default();
                if !bases.contains(&folder) {
                    bases.push(folder);
                }
                break;
            }
        }
        outcome.map_err(|error| format!("$include {written}: {error}"))
    })
}

/// Where a part is below the root. Steps upwards are taken back by the text alone, which is safe because no link is
/// followed on the way.
fn below(root: &Path, base: &Path, written: &Path) -> Result<PathBuf, ReadError> {
    let inside = |root: &Path| written.strip_prefix(root).ok().filter(|_| written.is_absolute());
    let inside = inside(root).or_else(|| inside(&root.canonicalize().ok()?));
    let (mut reached, written) = inside.map_or_else(|| (base.to_path_buf(), written), |rest| (PathBuf::new(), rest));
    for step in written.components() {
        match step {
            Component::CurDir => {}
            Component::Normal(name) => reached.push(name),
            Component::ParentDir if reached.pop() => {}
            _ => return Err(ReadError::Unreadable(OpenDenied::Outside.to_string())),
        }
    }
    Ok(reached)
}
