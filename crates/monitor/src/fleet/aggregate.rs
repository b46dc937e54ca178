//! Type `Fleet`: mirrors the homes of a fleet and starts a monitor for each. Any number of processes can do so, each with a
//! folder of its own; none writes to the streams.

mod follow;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use coordination::api::{FleetLink, FleetSource, FleetSourceState};

use super::batch::LogBatch;
use super::commands::{self, CommandFault, CommandReply, FleetCommand};
use super::inventory::MAX_FILE_BYTES;
use super::messages::{Hello, Layout};
use super::mirror::{Mirror, MirrorState};
use super::publish::FILE_PATH;
use super::saved::{MirrorFolder, SavedFleet};
use super::streams::{SourceSubjects, Topic, topic};
use super::{batch, is_source_id};
use crate::app::AppState;
use crate::config::{AlertSettings, FleetSettings, HostLink, Settings};
use crate::home::HomeDir;

pub(super) use follow::spawn;

/// A second publisher is named for so long after it was seen.
const CONFLICT_SHOWN_MS: i64 = 3_600_000;

/// What a hello says is published has come here after so long, if the stream has it.
const SETTLED_AFTER: Duration = Duration::from_secs(5);

/// The fleet as this process has it. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Fleet(Arc<FleetShared>);

struct FleetShared {
    /// What the monitors of the mirrors start from.
    settings: Settings,
    fleet: FleetSettings,
    folder: MirrorFolder,
    state: Mutex<AggregateState>,
}

struct AggregateState {
    link: FleetLink,
    cause: Option<String>,
    /// Messages of the stream of logs that are not read yet.
    behind: u64,
    /// The connection, for commands.
    client: Option<async_nats::Client>,
    log_created: String,
    log_sequence: u64,
    /// There is something new to save.
    unsaved: bool,
    sources: BTreeMap<String, SourceMirror>,
}

/// A source here.
struct SourceMirror {
    mirror: Mirror,
    /// Name in addresses, once it has said hello.
    name: Option<String>,
    hello: Option<Hello>,
    /// When that was, by the clock of the servers, and not after this monitor's own.
    hello_at: Option<i64>,
    /// When it came here.
    arrived: Option<Instant>,
    conflict_at: Option<i64>,
    app: Option<AppState>,
}

/// A machine of the fleet and the monitor of its mirror.
#[derive(Clone)]
pub(crate) struct FleetMember {
    /// Id of the source.
    pub(crate) id: String,
    /// What is known of it, without what its monitor says.
    pub(crate) info: FleetSource,
    /// The monitor of its mirror.
    pub(crate) app: AppState,
    fleet: Fleet,
}

impl FleetMember {
    /// Has the machine's own monitor carry out a command.
    ///
    /// # Errors
    /// When there is no answer; see [`CommandFault`].
    pub(crate) async fn run(&self, command: &FleetCommand) -> Result<CommandReply, CommandFault> {
        let client = self.fleet.state().client.clone().ok_or(CommandFault::Unreachable)?;
        let subject = SourceSubjects::new(self.fleet.name(), &self.id).commands();
        commands::send(&client, &subject, command).await
    }
}

impl Fleet {
    /// Starts reading the streams of the fleet in the settings.
    ///
    /// # Errors
    /// When the folder of the mirrors cannot be used.
    pub(crate) fn start(settings: &Settings, fleet: &FleetSettings) -> anyhow::Result<Self> {
        let Some(path) = fleet.mirror.clone() else {
            anyhow::bail!(
                "neither XDG_CACHE_HOME nor HOME is a path: set fleet.mirror to a folder for the mirrored homes"
            );
        };
        let opened = MirrorFolder::hold(path.clone());
        let folder = opened.map_err(|error| anyhow::anyhow!("cannot use the folder {}: {error}", path.display()))?;
        let saved = folder.load();
        let mut state = AggregateState {
            link: FleetLink::Connecting,
            cause: None,
            behind: 0,
            client: None,
            log_created: saved.log_created,
            log_sequence: saved.log_sequence,
            unsaved: false,
            sources: BTreeMap::new(),
        };
        for (source, mirror) in saved.mirrors {
            match Mirror::open(&folder.mirror(&source), mirror) {
                Ok(mirror) => drop(state.sources.insert(source, SourceMirror::new(mirror))),
                Err(error) => {
                    tracing::warn!(%error, source, "fleet: a mirror is not as it was saved and is filled again");
                    folder.clear(&source)?;
                    state.log_sequence = 0;
                }
            }
        }
        let shared = FleetShared { settings: settings.clone(), fleet: fleet.clone(), folder, state: Mutex::new(state) };
        let fleet = Self(Arc::new(shared));
        spawn(&fleet);
        Ok(fleet)
    }

    /// Name of the fleet.
    pub(crate) fn name(&self) -> &str {
        &self.0.fleet.name
    }

    /// Whether the streams can be read, why not, and how many messages are not read yet.
    pub(crate) fn link(&self) -> (FleetLink, Option<String>, u64) {
        let state = self.state();
        (state.link, state.cause.clone(), state.behind)
    }

    /// Machines that said hello, by name.
    pub(crate) fn members(&self) -> Vec<FleetMember> {
        let now = self.0.settings.clock.now_ms();
        let state = self.state();
        let is_read = state.link == FleetLink::Connected && state.behind == 0;
        let mut members: Vec<FleetMember> =
            state.sources.iter().filter_map(|(id, source)| source.member(self, id, (now, is_read))).collect();
        members.sort_by(|one, other| one.info.name.cmp(&other.info.name));
        members
    }

    /// The machine of this name.
    pub(crate) fn member(&self, name: &str) -> Option<FleetMember> {
        let now = self.0.settings.clock.now_ms();
        let state = self.state();
        let is_read = state.link == FleetLink::Connected && state.behind == 0;
        let (id, source) = state.sources.iter().find(|(_, source)| source.name.as_deref() == Some(name))?;
        source.member(self, id, (now, is_read))
    }

    /// Saves how far the mirrors are. It blocks.
    pub(crate) fn save(&self) {
        let mut state = self.state();
        if !std::mem::take(&mut state.unsaved) {
            return;
        }
        let mut saved = SavedFleet {
            log_created: state.log_created.clone(),
            log_sequence: state.log_sequence,
            ..SavedFleet::default()
        };
        let mut outcome = Ok(());
        for (id, source) in &mut state.sources {
            outcome = outcome.and_then(|()| source.mirror.sync());
            saved.mirrors.insert(id.clone(), source.mirror.state().clone());
        }
        if let Err(error) = outcome.and_then(|()| self.0.folder.save(&saved)) {
            tracing::warn!(%error, "fleet: the state of the mirrors cannot be saved");
        }
    }

    /// Ends the streams of all machines, and saves.
    pub(crate) fn close(&self) {
        for member in self.members() {
            member.app.close();
            member.app.save_cache();
        }
        self.save();
    }

    fn state(&self) -> MutexGuard<'_, AggregateState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies a message. A damaged one is counted and changes nothing.
    ///
    /// # Errors
    /// When a mirror cannot be written: the message must come again.
    fn apply(&self, subject: &str, (headers, payload): (&HeaderMap, &[u8]), published_at: i64) -> anyhow::Result<()> {
        let Some((id, topic)) = topic(&self.0.fleet.name, subject).filter(|(id, _)| is_source_id(id)) else {
            return Ok(());
        };
        // After a start the newest message of each subject comes again, however old it is.
        let at = self.0.settings.clock.now_ms().min(published_at);
        let mut state = self.state();
        state.unsaved = true;
        if !state.sources.contains_key(id) {
            let mirror = Mirror::open(&self.0.folder.mirror(id), MirrorState::default())?;
            state.sources.insert(id.to_owned(), SourceMirror::new(mirror));
        }
        let Some(source) = state.sources.get_mut(id) else { return Ok(()) };
        let mirror = &mut source.mirror;
        match topic {
            Topic::Log => match LogBatch::read(headers, payload) {
                Ok(batch) => {
                    let generation = subject.rsplit('.').next().unwrap_or_default();
                    mirror.apply(generation, &batch)?;
                }
                Err(fault) => {
                    tracing::warn!(%fault, subject, "fleet: a batch is refused");
                    mirror.refuse();
                }
            },
            Topic::File => {
                let limit = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
                let path = headers.get(FILE_PATH).map(|path| path.as_str().to_owned());
                match path.zip(batch::unpacked(payload, limit)) {
                    Some((path, bytes)) => mirror.replace(&path, &bytes)?,
                    None => mirror.refuse(),
                }
            }
            Topic::Layout => match Layout::read(payload) {
                Some(layout) => mirror.arrange(layout)?,
                None => mirror.refuse(),
            },
            Topic::Hello => match Hello::read(payload) {
                Some(hello) => {
                    (source.hello, source.hello_at, source.arrived) = (Some(hello), Some(at), Some(Instant::now()));
                }
                None => mirror.refuse(),
            },
            Topic::Conflict => source.conflict_at = Some(at),
        }
        Ok(())
    }

    /// Starts the monitors of machines that said hello. It blocks.
    fn start_monitors(&self) {
        let mut state = self.state();
        let mut taken: Vec<String> = state.sources.values().filter_map(|source| source.name.clone()).collect();
        for (id, source) in &mut state.sources {
            let Some(hello) = source.hello.as_ref().filter(|_| source.app.is_none()) else { continue };
            let name = free_name(&hello.name, id, &taken);
            match AppState::start(self.member_settings(&name, source.mirror.home().to_path_buf())) {
                Ok(app) => {
                    tracing::info!(name, id, "fleet: a machine");
                    taken.push(name.clone());
                    (source.name, source.app) = (Some(name), Some(app));
                }
                Err(error) => tracing::warn!(%error, id, "fleet: the monitor of a mirror does not start"),
            }
        }
    }

    /// Settings of the monitor of a mirror: it answers below a path of its own. Its routes write nothing:
    /// what is written goes to the machine.
    fn member_settings(&self, name: &str, home: PathBuf) -> Settings {
        let base = &self.0.settings;
        Settings {
            home: HomeDir::new(home),
            base_path: format!("{}@{name}/", base.base_path),
            host_link: Some(HostLink { label: self.0.fleet.name.clone(), url: base.base_path.clone() }),
            gateway: None,
            alerts: AlertSettings::default(),
            fleet: None,
            is_mirror: false,
            ..base.clone()
        }
    }
}

/// A name that no other machine has.
fn free_name(wanted: &str, id: &str, taken: &[String]) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_plain = !wanted.is_empty() && wanted.len() <= 40 && wanted.bytes().all(plain);
    let wanted = if is_plain { wanted } else { "machine" };
    let is_free = |name: &String| !taken.contains(name);
    let with_id = |letters: usize| format!("{wanted}-{}", &id[..letters.min(id.len())]);
    Some(wanted.to_owned()).filter(is_free).or_else(|| Some(with_id(6)).filter(is_free)).unwrap_or_else(|| with_id(32))
}

impl SourceMirror {
    fn new(mirror: Mirror) -> Self {
        Self { mirror, name: None, hello: None, hello_at: None, arrived: None, conflict_at: None, app: None }
    }

    fn member(&self, fleet: &Fleet, id: &str, (now, is_read): (i64, bool)) -> Option<FleetMember> {
        let (hello, name, app) = (self.hello.as_ref()?, self.name.as_ref()?, self.app.as_ref()?);
        let state = self.mirror.state();
        let mut info = FleetSource {
            id: id.to_owned(),
            name: name.clone(),
            last_seen: self.hello_at,
            clock_ahead_ms: self.hello_at.map_or(0, |hello_at| hello.at - hello_at),
            version: hello.version.clone(),
            text: hello.text.clone(),
            bytes: self.mirror.bytes(),
            bytes_behind: hello.unpublished,
            holes: state.holes.clone(),
            skipped: hello.skipped.clone(),
            refused: state.refused,
            ..FleetSource::default()
        };
        let lacking = self.mirror.lacking(&hello.logs);
        if is_read && self.arrived.is_some_and(|arrived| arrived.elapsed() > SETTLED_AFTER) {
            // The stream is read to its end and did not have it.
            info.holes.extend(lacking);
        } else {
            info.bytes_behind += lacking.iter().map(|hole| hole.to - hole.from).sum::<u64>();
        }
        info.state = self.state_of(&info, now);
        Some(FleetMember { id: id.to_owned(), info, app: app.clone(), fleet: fleet.clone() })
    }

    fn state_of(&self, info: &FleetSource, now: i64) -> FleetSourceState {
        let is_recent = |at: i64| now - at < CONFLICT_SHOWN_MS;
        let is_silent = self.hello_at.is_none_or(|hello_at| now - hello_at > FleetSource::SILENT_AFTER_MS);
        if self.conflict_at.is_some_and(is_recent) {
            FleetSourceState::Conflict
        } else if self.hello.as_ref().is_some_and(|hello| hello.stopped) {
            FleetSourceState::Stopped
        } else if is_silent {
            FleetSourceState::Silent
        } else if info.bytes_behind > 0 {
            FleetSourceState::Behind
        } else if !info.holes.is_empty() || info.refused > 0 {
            FleetSourceState::Incomplete
        } else {
            FleetSourceState::Live
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_the_same_name_have_a_part_of_their_id_behind_it() {
        let id = "0123456789abcdef0123456789abcdef";
        let taken = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(free_name("seum-mac", id, &[]), "seum-mac");
        assert_eq!(free_name("seum-mac", id, &taken(&["seum-mac"])), "seum-mac-012345");
        assert_eq!(free_name("seum-mac", id, &taken(&["seum-mac", "seum-mac-012345"])), format!("seum-mac-{id}"));
        assert_eq!(free_name("../x", id, &[]), "machine");
    }
}
