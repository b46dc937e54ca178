//! Reader of all transcripts of a home, with its read positions and the exchanges between agents that it found. One
//! call reads at most about 64 MiB of files and 40,000 database rows, and returns whether there is more.

mod positions;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use coordination::api::{TranscriptReading, Unreadable};
use coordination::ids::AgentId;
use coordination::merge::TranscriptExchanges;
use coordination::roster::Roster;
use coordination::store::{PlaceState, StoreSnapshot, TranscriptKeys, TranscriptName, transcript_scan};
use coordination::transcript::FoundTranscript;
use coordination::transcript::exchanges::ExchangeScan;

use super::TranscriptUpdate;
use super::jobs::JobFiles;
use crate::fs::sandbox::{Dir, FileMeta};
use crate::home::HomeDir;
use crate::sources::store::{self, DatabaseState, TranscriptHead};
use crate::sources::transcript::{Follow, FollowLook, transcripts};
use crate::sources::workspace::ReadError;

/// A database that changed within this time is looked at again.
const UNSETTLED: Duration = Duration::from_secs(2);
/// Rows of one reading.
const MAX_ROWS_PER_LOOK: usize = 4_000;
/// Bytes, and rows, that one look reads before it reports.
const MAX_BYTES_PER_LOOK: u64 = 64 << 20;
const LOOK_ROWS: usize = 40_000;

/// Read positions in all transcripts, and the exchanges found in them.
#[derive(Debug, Default)]
pub struct TranscriptReader {
    /// Shrinks when a transcript is gone.
    slots: BTreeMap<TranscriptName, TranscriptSlot>,
    /// Databases of agents, with their transcripts.
    databases: BTreeMap<AgentId, TranscriptDatabase>,
    /// Requests under way, from OpenClaw's job files.
    jobs: JobFiles,
    /// Content of the stores at the last look.
    held: Option<Arc<StoreSnapshot>>,
    /// Agent and session key by name of the transcript.
    keys: TranscriptKeys,
    /// How much was read and how much is left.
    pub(super) reading: TranscriptReading,
    /// Files of the last look that cannot be read.
    unreadable: Vec<Unreadable>,
    /// Number of looks that found a change.
    revision: u64,
    /// Some look has returned a result.
    reported: bool,
    /// Some look has read everything there was.
    complete: bool,
}

#[derive(Debug)]
struct TranscriptDatabase {
    /// None when it is to be read at the next look whatever its state is then.
    state: Option<DatabaseState>,
    heads: Vec<TranscriptHead>,
}

/// One transcript.
#[derive(Debug)]
struct TranscriptSlot {
    from: ReadPosition,
    scan: ExchangeScan,
    key: Option<String>,
    /// Its key, where it is known, leads to another one.
    archived: bool,
    bad: usize,
}

#[derive(Debug)]
enum ReadPosition {
    Rows {
        /// `seq` of the next row.
        next: i64,
    },
    File {
        follow: Follow,
        /// As it was when all of it was read.
        seen: Option<FileMeta>,
    },
}

/// Current location of a transcript.
enum TranscriptSource {
    Rows {
        last: i64,
        /// Its key leads to it, not to a newer one.
        current: bool,
    },
    File {
        folder: usize,
        found: FoundTranscript,
    },
}

impl TranscriptReader {
    /// Has not looked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at every transcript and reads what is new, within bounds: the second value says that there is more. The
    /// first one is nothing when all is as it was.
    pub fn look(
        &mut self,
        home: &HomeDir,
        roster: &Roster,
        held: &Arc<StoreSnapshot>,
    ) -> (Option<TranscriptUpdate>, bool) {
        let before = (self.reading.clone(), std::mem::take(&mut self.unreadable));
        let mut other = self.note_held(held);
        let stores = other.stores;
        let agents = store::agents(home, roster).unwrap_or_else(|error| {
            self.report_unreadable("agents", error);
            roster.agents.iter().map(|agent| agent.id.clone()).collect()
        });
        let mut sources: BTreeMap<TranscriptName, (TranscriptSource, Option<String>)> = BTreeMap::new();
        for agent in &agents {
            self.note_database(home, roster, agent, &mut sources);
        }
        let folders = store::folders(home, roster, &agents);
        let mut blind: Vec<AgentId> = Vec::new();
        let mut open: Vec<(String, Dir)> = Vec::new();
        for folder in folders {
            let found = folder.open.and_then(|dir| Ok((transcripts(&dir)?, dir)));
            match found {
                Ok((found, dir)) => {
                    self.note_files(&folder.agent, open.len(), found, &mut sources);
                    open.push((folder.path, dir));
                }
                Err(ReadError::Missing) => {}
                Err(error) => {
                    self.report_unreadable(&folder.path, error);
                    blind.push(folder.agent);
                }
            }
        }
        // A transcript that cannot be listed now is not removed.
        let slots_before = self.slots.len();
        self.slots.retain(|name, _| sources.contains_key(name) || blind.contains(&name.0));
        other.talk |= self.slots.len() != slots_before;
        let (news, more) = self.read(home, roster, sources, &open);
        other.talk |= news;
        other.talk |= self.jobs.look(home, &mut self.unreadable);
        self.count();
        let read = self.reading.bytes != before.0.bytes || self.reading.rows != before.0.rows;
        let completed = !more && !self.complete;
        self.complete |= completed;
        if stores || read || other.talk {
            self.revision += 1;
        } else if self.reported && !completed && self.unreadable == before.1 && self.reading == before.0 {
            return (None, more);
        }
        self.reported = true;
        let talk = other.talk.then(|| {
            TranscriptExchanges::from_scans(self.slots.values().map(|slot| &slot.scan), held, &self.jobs.jobs())
        });
        let update = TranscriptUpdate {
            talk,
            complete: self.complete,
            revision: self.revision,
            stores: coordination::store::places(held),
            requests: held.person_requests(),
            reading: self.reading.clone(),
            unreadable: self.unreadable(held),
        };
        (Some(update), more)
    }

    /// Reads what is new; whether any of it may matter to exchanges, and whether there is more.
    fn read(
        &mut self,
        home: &HomeDir,
        roster: &Roster,
        sources: BTreeMap<TranscriptName, (TranscriptSource, Option<String>)>,
        open: &[(String, Dir)],
    ) -> (bool, bool) {
        let (mut news, mut more, mut bytes) = (false, false, MAX_BYTES_PER_LOOK);
        let mut rows: BTreeMap<AgentId, Vec<(String, i64)>> = BTreeMap::new();
        for (name, (transcript_source, key)) in sources {
            news |= self.prepare_slot(&name, &transcript_source, key);
            let Some(slot) = self.slots.get_mut(&name) else { continue };
            match (&mut slot.from, transcript_source) {
                (ReadPosition::Rows { next }, TranscriptSource::Rows { last, .. }) if *next <= last => {
                    rows.entry(name.0).or_default().push((name.1, *next));
                }
                (ReadPosition::File { follow, seen, .. }, TranscriptSource::File { folder, found }) => {
                    let (path, dir) = &open[folder];
                    let now = match dir.metadata(&found.name).and_then(FileMeta::regular) {
                        Ok(now) if *seen == Some(now) => continue,
                        Ok(now) => now,
                        Err(error) => {
                            let error = ReadError::from(error);
                            report_unreadable(&mut self.unreadable, &format!("{path}{}", found.name), error);
                            continue;
                        }
                    };
                    if bytes == 0 {
                        more = true;
                        continue;
                    }
                    let fresh = slot.scan.emptied();
                    let scan = RefCell::new(&mut slot.scan);
                    let (from, before) = (follow.read_to(), scan.borrow().news());
                    let mut restarted = false;
                    let done = follow.look(
                        dir,
                        &found.name,
                        bytes,
                        |look| {
                            restarted = look == FollowLook::Restarted;
                            if restarted {
                                **scan.borrow_mut() = fresh.clone();
                            }
                        },
                        |entry| scan.borrow_mut().push(entry),
                    );
                    let read = if restarted { follow.read_to() } else { follow.read_to().saturating_sub(from) };
                    self.reading.bytes += read;
                    bytes = bytes.saturating_sub(read);
                    slot.bad = follow.bad();
                    news |= slot.scan.news() != before || (restarted && from > 0);
                    match done {
                        Ok(true) => *seen = Some(now),
                        Ok(false) => more = true,
                        Err(error) => {
                            let error = ReadError::from(error);
                            report_unreadable(&mut self.unreadable, &format!("{path}{}", found.name), error);
                        }
                    }
                }
                _ => {}
            }
        }
        let mut left = LOOK_ROWS;
        for (agent, mut wanted) in rows {
            while !wanted.is_empty() {
                if left == 0 {
                    more = true;
                    break;
                }
                let most = MAX_ROWS_PER_LOOK.min(left);
                match store::rows(home, roster, &agent, &wanted, most) {
                    Ok(found) => {
                        let read: usize = found.iter().map(|(_, lines)| lines.len()).sum();
                        left = left.saturating_sub(read.max(1));
                        news |= self.take_rows(&agent, found, &mut wanted, read >= most);
                    }
                    Err(error) => {
                        self.report_unreadable(&database_path(&agent), error);
                        // An unread part is read again, whatever the state of the file is then.
                        if let Some(known) = self.databases.get_mut(&agent) {
                            known.state = None;
                        }
                        break;
                    }
                }
            }
        }
        (news, more)
    }

    /// Takes in rows of several sessions, and removes finished ones from `wanted`: when the reading was full, its last
    /// session may have more.
    fn take_rows(
        &mut self,
        agent: &AgentId,
        found: Vec<(String, Vec<store::EventLine>)>,
        wanted: &mut Vec<(String, i64)>,
        full: bool,
    ) -> bool {
        let (mut news, came_to) = (false, found.len());
        let mut rest = wanted.split_off(came_to.min(wanted.len()));
        for (at, (session_id, lines)) in found.into_iter().enumerate() {
            let Some(slot) = self.slots.get_mut(&(agent.clone(), session_id.clone())) else { continue };
            let ReadPosition::Rows { next } = &mut slot.from else { continue };
            let last = lines.last().map(|line| line.seq.saturating_add(1));
            *next = last.unwrap_or(*next);
            let is_unfinished = full && at + 1 == came_to && last.is_some();
            let from = *next;
            let bytes: usize = lines.iter().filter_map(|line| line.json.as_ref().ok()).map(String::len).sum();
            self.reading.rows += lines.len() as u64;
            self.reading.bytes += bytes as u64;
            let entries = store::entries_of(&lines);
            slot.bad += entries.bad;
            let before = slot.scan.news();
            entries.entries.iter().for_each(|entry| slot.scan.push(entry));
            news |= slot.scan.news() != before;
            if is_unfinished {
                rest.insert(0, (session_id, from));
            }
        }
        *wanted = rest;
        news
    }

    /// A slot for a transcript; a new one where it is another kind of place now, or another session's. Whether something
    /// that was known is void.
    fn prepare_slot(
        &mut self,
        name: &TranscriptName,
        transcript_source: &TranscriptSource,
        key: Option<String>,
    ) -> bool {
        let archive = match transcript_source {
            TranscriptSource::Rows { current, .. } => !current,
            TranscriptSource::File { found, .. } => found.reason.is_some(),
        };
        if let Some(slot) = self.slots.get(name) {
            let same = match (&slot.from, transcript_source) {
                (ReadPosition::Rows { next }, TranscriptSource::Rows { last, .. }) => *next <= last.saturating_add(1),
                (ReadPosition::File { .. }, TranscriptSource::File { .. }) => true,
                _ => false,
            };
            if same && slot.key == key && slot.archived == archive {
                return false;
            }
        }
        let scan = transcript_scan(name, key.as_deref(), archive);
        let from = match transcript_source {
            TranscriptSource::Rows { .. } => ReadPosition::Rows { next: 0 },
            TranscriptSource::File { .. } => ReadPosition::File { follow: Follow::default(), seen: None },
        };
        self.slots.insert(name.clone(), TranscriptSlot { from, scan, key, archived: archive, bad: 0 }).is_some()
    }

    /// Everything that could not be read: stores, transcripts and jobs.
    fn unreadable(&self, held: &StoreSnapshot) -> Vec<Unreadable> {
        let mut all = self.unreadable.clone();
        for place in &held.places {
            let cause = match &place.state {
                PlaceState::Unreadable { cause } | PlaceState::Stale { cause } => cause.clone(),
                PlaceState::Unsupported { version } => format!("version {version} is not known"),
                PlaceState::Read | PlaceState::Partial { .. } => continue,
            };
            if !all.iter().any(|known| known.path == place.path) {
                all.push(Unreadable { path: place.path.clone(), cause });
            }
        }
        all
    }

    fn count(&mut self) {
        self.reading.transcripts = self.slots.len() as u64;
        self.reading.bad_lines = self.slots.values().map(|slot| slot.bad as u64).sum();
        self.reading.remembered = self.slots.values().map(|slot| slot.scan.remembered() as u64).sum();
    }

    fn report_unreadable(&mut self, path: &str, error: ReadError) {
        report_unreadable(&mut self.unreadable, path, error);
    }
}

/// Path for people.
fn database_path(agent: &AgentId) -> String {
    format!("agents/{agent}/agent/openclaw-agent.sqlite")
}

fn report_unreadable(unreadable: &mut Vec<Unreadable>, path: &str, error: ReadError) {
    if let ReadError::Unreadable(cause) = error {
        unreadable.push(Unreadable { path: path.to_owned(), cause });
    }
}
