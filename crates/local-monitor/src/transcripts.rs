//! Transcripts among the files: whose each one is, and which of them are read. Stores and folders of sessions decide as
//! they do in a monitor's home ([`StoreLayout`], [`TranscriptKeys`]).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use coordination::api::PlaceState;
use coordination::ids::AgentId;
use coordination::merge::{Job, is_job_name, read_job};
use coordination::roster::Roster;
use coordination::session_key::KeyRules;
use coordination::store::{
    JOBS_FOLDER, Release, StoreFile, StoreFolder, StoreKind, StoreLayout, StorePlace, StoreSnapshot, StoredSession,
    TranscriptKeys, TranscriptName, read_file_store, read_runs, transcript_scan,
};
use coordination::transcript::exchanges::ExchangeScan;
use coordination::transcript::{BlockReader, FoundTranscript, MAX_LINE_BYTES, lines};
use coordination::workspace::valid_agent_id;
use serde::{Deserialize, Serialize};

use crate::content::agent_above_sessions;
use crate::input::{OpenInput, WaitingInput};

/// What became of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum TranscriptUse {
    /// It is read.
    #[serde(rename_all = "camelCase")]
    Read {
        /// Whose it is.
        agent: AgentId,
        /// The agent is not named by a home.
        is_assumed: bool,
    },
    /// Another file of the same session is read.
    Superseded {
        /// Path of the other file.
        by: String,
    },
    /// A monitor reads none like it: a backup, a checkpoint, or a file outside the folders of sessions.
    Copy,
}

/// A transcript among the files.
#[derive(Debug)]
pub(crate) struct TranscriptInput {
    pub(crate) bytes: TranscriptBytes,
    /// Folder and name in the home; those that it would have, where it was opened without its home.
    place: (PathBuf, String),
    /// Where it is in a home is not known.
    is_assumed: bool,
}

/// Its bytes, now or later.
pub(crate) enum TranscriptBytes {
    Open(OpenInput),
    Waiting(WaitingInput),
}

impl std::fmt::Debug for TranscriptBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.path())
    }
}

impl TranscriptBytes {
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Open(input) => &input.path,
            Self::Waiting(input) => input.path(),
        }
    }

    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Open(input) => input.size,
            Self::Waiting(input) => input.size,
        }
    }
}

impl TranscriptInput {
    /// A file of a home, or one that was opened without its home. `home` is the folder of the home.
    pub(crate) fn new(mut bytes: TranscriptBytes, home: Option<&str>) -> Self {
        if let Some(below) = home.and_then(|home| bytes.path().strip_prefix(home)) {
            let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
            let place = (PathBuf::from(folder), name.to_owned());
            return Self { bytes, place, is_assumed: false };
        }
        let waiting_head = match &mut bytes {
            TranscriptBytes::Open(_) => Vec::new(),
            TranscriptBytes::Waiting(input) => input.head(),
        };
        let head = match &bytes {
            TranscriptBytes::Open(input) => &input.head,
            TranscriptBytes::Waiting(_) => &waiting_head,
        };
        let place = place_alone(bytes.path(), head);
        Self { bytes, place, is_assumed: true }
    }
}

/// Folder and name that a transcript without its home would have: its agent is that of its workspace, else that of its
/// folder, else the default agent.
fn place_alone(path: &str, head: &[u8]) -> (PathBuf, String) {
    let read = lines(head, 0);
    let header = read.entries.iter().find(|entry| entry.header().is_some());
    let workspace = header.and_then(|header| header.text("cwd")).and_then(|cwd| cwd.rsplit(['/', '\\']).next());
    let of_workspace = workspace.and_then(|folder| folder.strip_prefix("workspace-"));
    let name = path.rsplit('/').next().unwrap_or(path);
    let of_workspace = of_workspace.filter(|agent| valid_agent_id(agent));
    let agent = of_workspace.or_else(|| agent_above_sessions(&path[..path.len() - name.len()]));
    let folder = agent.map_or_else(|| "sessions".to_owned(), |agent| format!("agents/{agent}/sessions"));
    let session_id = || {
        let id = header.and_then(|header| header.id.clone());
        id.unwrap_or_else(|| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned())
    };
    let name = match FoundTranscript::from_name(name) {
        Some(_) => name.to_owned(),
        None => format!("{}.jsonl", as_session_id(&session_id())),
    };
    (PathBuf::from(folder), name)
}

/// A text as the id of a session, in which every other character is a dash.
fn as_session_id(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let id: String =
        text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()).chars().map(plain).take(100).collect();
    if id.is_empty() { "transcript".to_owned() } else { id }
}

/// A transcript that is read, or is to be read.
#[derive(Debug)]
pub(crate) struct ScannedTranscript {
    pub(crate) name: TranscriptName,
    pub(crate) scan: ExchangeScan,
    blocks: BlockReader,
    /// An unfinished line.
    pending: Vec<u8>,
    /// Number of lines that are entries.
    entries: u64,
    /// Positions are those of the file: what is added to it can be read on.
    pub(crate) is_plain: bool,
}

impl ScannedTranscript {
    fn new(name: TranscriptName, key: Option<&str>, is_archive: bool) -> Self {
        let scan = transcript_scan(&name, key, is_archive);
        let blocks = BlockReader::default();
        Self { name, scan, blocks, pending: Vec::new(), entries: 0, is_plain: false }
    }

    /// Takes the next piece of the file.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.pending.extend_from_slice(piece);
        if let Some(end) = self.pending.iter().rposition(|byte| *byte == b'\n') {
            let rest = self.pending.split_off(end + 1);
            let block = std::mem::replace(&mut self.pending, rest);
            let (scan, entries) = (&mut self.scan, &mut self.entries);
            self.blocks.take(&block, |entry| {
                *entries += 1;
                scan.push(entry);
            });
        }
        if self.pending.len() > MAX_LINE_BYTES || (self.blocks.is_skipping() && !self.pending.is_empty()) {
            self.blocks.skip(&std::mem::take(&mut self.pending));
        }
    }

    pub(crate) fn bad_lines(&self) -> u64 {
        self.blocks.bad() as u64
    }

    /// Bytes after the last complete line.
    pub(crate) fn torn_bytes(&self) -> u64 {
        self.pending.len() as u64
    }

    /// Whether there are lines, and none of them is an entry.
    pub(crate) fn is_foreign(&self) -> bool {
        self.entries == 0 && self.blocks.bad() > 0
    }
}

/// What is to be read, in this order, what is not, and what the stores hold.
#[derive(Debug, Default)]
pub(crate) struct TranscriptPlan {
    pub(crate) reads: Vec<(TranscriptInput, ScannedTranscript)>,
    pub(crate) others: Vec<(TranscriptInput, TranscriptUse)>,
    pub(crate) stores: StoreSnapshot,
    pub(crate) jobs: Vec<Job>,
    /// Stores that cannot be read: path in the home, and why.
    pub(crate) faults: Vec<(String, String)>,
}

impl TranscriptPlan {
    /// Decides about transcripts. `texts` are the files of the home by their paths in it.
    pub(crate) fn new(files: Vec<TranscriptInput>, texts: &BTreeMap<String, String>, roster: &Roster) -> Self {
        let layout = StoreLayout::new(roster, &folder_of);
        let folders = files.iter().filter_map(|file| agent_of(&file.place.0));
        let mut listed: Vec<AgentId> =
            folders.chain(texts.keys().filter_map(|path| agent_of(Path::new(path)))).collect();
        listed.sort();
        let agents = StoreLayout::agents(roster, listed);
        let mut plan = Self::default();
        plan.read_stores(&layout.sources(&agents), texts, roster);
        let is_job =
            |path: &str| path.rsplit_once('/').is_some_and(|(folder, name)| folder == JOBS_FOLDER && is_job_name(name));
        plan.jobs = texts.iter().filter(|(path, _)| is_job(path)).filter_map(|(_, text)| read_job(text)).collect();
        plan.choose(files, &layout.transcript_folders(&agents));
        plan
    }

    fn read_stores(&mut self, sources: &[StoreFile], texts: &BTreeMap<String, String>, roster: &Roster) {
        let mut found: Vec<StoredSession> = Vec::new();
        for source in sources {
            let StoreFolder::Home(folder) = &source.place else { continue };
            let path = path_text(&folder.join(&source.name));
            let Some(text) = texts.get(&path) else { continue };
            let rules = KeyRules { default_agent: source.agent.to_string(), ..roster.key_rules() };
            let (sessions, state) = match source.kind {
                StoreKind::File => match read_file_store(text, &rules) {
                    Ok((sessions, odd)) if odd.is_empty() => (sessions, Ok(PlaceState::Read)),
                    Ok((sessions, odd)) => (sessions, Ok(PlaceState::Partial { odd: odd.len() })),
                    Err(cause) => (Vec::new(), Err(cause)),
                },
                StoreKind::Runs => match read_runs(text) {
                    Ok(runs) => {
                        self.stores.spawns.extend(runs);
                        (Vec::new(), Ok(PlaceState::Read))
                    }
                    Err(cause) => (Vec::new(), Err(cause)),
                },
                StoreKind::Database | StoreKind::Shared => continue,
            };
            let state = state.unwrap_or_else(|cause| {
                self.faults.push((path.clone(), cause.clone()));
                PlaceState::Unreadable { cause }
            });
            let agent_id = source.exclusive.then(|| source.agent.clone());
            let place = StorePlace { path, agent_id, release: Release::File, state, sessions: sessions.len() };
            self.stores.places.push(place);
            found.extend(sessions);
        }
        self.stores.sessions = StoreSnapshot::once(found);
    }

    /// One file of each session: of files that go before no other the largest, then the first by its path.
    fn choose(&mut self, files: Vec<TranscriptInput>, folders: &[(AgentId, StoreFolder)]) {
        let keys = TranscriptKeys::from_snapshot(&self.stores);
        let mut by_folder: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            by_folder.entry(file.place.0.clone()).or_default().push(at);
        }
        let mut names: Vec<Option<TranscriptName>> = vec![None; files.len()];
        let mut chosen: BTreeMap<TranscriptName, (FoundTranscript, usize, Option<String>)> = BTreeMap::new();
        for (agent, folder) in folders {
            let StoreFolder::Home(folder) = folder else { continue };
            let mut here = by_folder.remove(folder).unwrap_or_default();
            let order = |file: &TranscriptInput| {
                (file.place.1.clone(), Reverse(file.bytes.size()), file.bytes.path().to_owned())
            };
            here.sort_by_cached_key(|at| order(&files[*at]));
            for at in here {
                let Some(found) = FoundTranscript::from_name(&files[at].place.1) else { continue };
                let Some((name, key)) = keys.of_file(agent, &found) else { continue };
                names[at] = Some(name.clone());
                if chosen.get(&name).is_none_or(|(other, ..)| found.goes_before(other)) {
                    chosen.insert(name, (found, at, key));
                }
            }
        }
        let path_of = |name: &TranscriptName| chosen.get(name).map(|(_, at, _)| files[*at].bytes.path().to_owned());
        let superseded: Vec<Option<String>> = names.iter().map(|name| path_of(name.as_ref()?)).collect();
        let mut files: Vec<Option<TranscriptInput>> = files.into_iter().map(Some).collect();
        for (name, (found, at, key)) in chosen {
            let slot = ScannedTranscript::new(name, key.as_deref(), found.reason.is_some());
            self.reads.extend(files[at].take().map(|file| (file, slot)));
        }
        for (file, by) in files.into_iter().zip(superseded) {
            let reason = by.map_or(TranscriptUse::Copy, |by| TranscriptUse::Superseded { by });
            self.others.extend(file.map(|file| (file, reason)));
        }
    }
}

impl TranscriptInput {
    /// What it says of itself once it is read as the transcript of this name.
    pub(crate) fn read_as(&self, name: &TranscriptName) -> TranscriptUse {
        TranscriptUse::Read { agent: name.0.clone(), is_assumed: self.is_assumed }
    }
}

/// The agent in a path below `agents`.
fn agent_of(path: &Path) -> Option<AgentId> {
    let mut parts = path.iter().filter_map(|part| part.to_str());
    let agent = parts.next().filter(|first| *first == "agents").and_then(|_| parts.next())?;
    Some(AgentId::from(agent))
}

/// The folder that a path of the configuration means. An absolute path leads to the home of the machine that the files are
/// from.
fn folder_of(text: &str) -> StoreFolder {
    let below = match text.rsplit_once(".openclaw") {
        Some((_, below)) if below.is_empty() || below.starts_with('/') => below.trim_start_matches('/'),
        _ => text,
    };
    let mut folder = PathBuf::new();
    for step in Path::new(below).components() {
        match step {
            Component::Normal(name) if name != "~" => folder.push(name),
            Component::CurDir => {}
            _ => return StoreFolder::Named(PathBuf::from(text)),
        }
    }
    StoreFolder::Home(folder)
}

fn path_text(path: &Path) -> String {
    path.iter().filter_map(|part| part.to_str()).collect::<Vec<_>>().join("/")
}
