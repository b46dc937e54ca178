//! Type `Fleet`: mirrors the homes of a fleet and starts a monitor for each. Any number of processes can do so, each with a
//! folder of its own; none writes to the streams.

mod follow;
mod limit;
mod member;
#[cfg(test)]
mod of_monitors;
mod removed;
mod source;
mod view;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use async_nats::HeaderMap;
use coordination::api::{FleetLink, FleetPage, FleetRetention};

use super::is_source_id;
use super::mirror::{Mirror, MirrorState};
use super::saved::{MirrorFolder, SavedFleet, SavedSource};
use super::streams::{Topic, topic};
use crate::app::{AppState, HubMemory};
use crate::config::{AlertSettings, FleetSettings, HostLink, Settings};
use crate::home::HomeDir;
use crate::inputs::WrittenInputs;

pub(super) use follow::spawn;
pub(super) use limit::BeyondLimit;
pub(crate) use member::FleetMember;
use removed::RemovedSources;
use source::{SourceMirror, comes_again};
pub(crate) use view::FleetView;

/// The fleet as this process has it. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Fleet(Arc<FleetShared>);

struct FleetShared {
    /// What the monitors of the mirrors start from.
    settings: Settings,
    fleet: FleetSettings,
    folder: MirrorFolder,
    /// Held while mirrors are written: for the task that reads the streams.
    state: Mutex<AggregateState>,
    /// What requests are answered from.
    view: RwLock<Arc<FleetView>>,
    /// The connection, for commands.
    client: Mutex<Option<async_nats::Client>>,
    /// How far the mirrors are written.
    written: WrittenInputs,
    /// Of the hubs of all machines.
    memory: HubMemory,
}

#[derive(Default)]
struct AggregateState {
    link: FleetLink,
    cause: Option<String>,
    /// Messages of the stream of logs that are not read yet.
    behind: u64,
    /// As of the last look at the servers.
    retention: Option<FleetRetention>,
    log_created: String,
    log_sequence: u64,
    /// There is something new to save.
    unsaved: bool,
    sources: BTreeMap<String, SourceMirror>,
    /// Machines that are not mirrored because there are too many.
    beyond_limit: BeyondLimit,
    removed: RemovedSources,
    /// The newest message of every subject came once: no machine is unknown.
    is_listed: bool,
    /// [`Self::log_sequence`] at the last look at the servers.
    polled_sequence: u64,
    /// Up to here the stream of logs has nothing more to read, as the servers said.
    passed_sequence: u64,
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
            log_created: saved.log_created,
            log_sequence: saved.log_sequence,
            beyond_limit: saved.beyond_limit,
            ..AggregateState::default()
        };
        for (id, SavedSource { mirror, name, hello, hello_at }) in saved.sources {
            let (mirror, is_whole) = Mirror::open(&folder.mirror(&id), mirror)?;
            if !is_whole {
                tracing::warn!(id, "fleet: a mirror is not as it was saved; what is missing is read again");
                state.log_sequence = 0;
            }
            state.sources.insert(id, SourceMirror { name, hello, hello_at, ..SourceMirror::new(mirror) });
        }
        state.make_room();
        let shared = FleetShared {
            settings: settings.clone(),
            fleet: fleet.clone(),
            folder,
            state: Mutex::new(state),
            view: RwLock::default(),
            client: Mutex::default(),
            written: WrittenInputs::default(),
            memory: HubMemory::default(),
        };
        let fleet = Self(Arc::new(shared));
        spawn(&fleet);
        Ok(fleet)
    }

    /// Name of the fleet.
    pub(crate) fn name(&self) -> &str {
        &self.0.fleet.name
    }

    /// The fleet as of the last message or second.
    pub(crate) fn view(&self) -> Arc<FleetView> {
        Arc::clone(&self.0.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The machine of this name.
    pub(crate) fn member(&self, name: &str) -> Option<FleetMember> {
        self.view().members.iter().find(|member| member.info.name == name).cloned()
    }

    /// Makes the view that requests are answered from.
    fn refresh_view(&self) {
        let now = self.0.settings.clock.now_ms();
        let state = self.state();
        let is_read = state.link == FleetLink::Connected && state.behind == 0;
        state.sources.values().for_each(|source| source.show_requests(now));
        let members = state.sources.iter().filter_map(|(id, source)| source.member(self, id, (now, is_read)));
        let mut members: Vec<FleetMember> = members.collect();
        members.sort_by(|one, other| one.info.name.cmp(&other.info.name));
        let pending = state.sources.iter().filter_map(|(id, source)| source.pending_name(id)).collect();
        let beyond_limit = state.beyond_limit.names();
        let (link, cause, behind, retention) = (state.link, state.cause.clone(), state.behind, state.retention);
        drop(state);
        let view = FleetView { link, cause, behind, retention, members, pending, beyond_limit, digest: 0 };
        let view = FleetView { digest: view.digest(now), ..view };
        *self.0.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
    }

    /// Saves how far the mirrors are. It blocks.
    pub(crate) fn save(&self) {
        let mut state = self.state();
        if !state.unsaved {
            return;
        }
        let synced = state.sources.values_mut().try_for_each(|source| source.mirror.sync());
        let saved_source = |source: &SourceMirror| SavedSource {
            mirror: source.mirror.state().clone(),
            name: source.name.clone(),
            hello: source.hello.clone(),
            hello_at: source.hello_at,
        };
        let saved = SavedFleet {
            log_created: state.log_created.clone(),
            log_sequence: state.log_sequence,
            sources: state.sources.iter().map(|(id, source)| (id.clone(), saved_source(source))).collect(),
            beyond_limit: state.beyond_limit.clone(),
            ..SavedFleet::default()
        };
        match synced.and_then(|()| self.0.folder.save(&saved)) {
            Ok(()) => {
                state.unsaved = false;
                state.sources.values_mut().for_each(|source| source.mirror.prune());
            }
            Err(error) => tracing::warn!(%error, "fleet: the state of the mirrors cannot be saved"),
        }
    }

    /// Ends the streams of all machines, and saves.
    pub(crate) fn close(&self) {
        for member in &self.view().members {
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
    fn apply(
        &self,
        subject: &str,
        (headers, payload): (&HeaderMap, &[u8]),
        (sequence, published_at): (u64, i64),
    ) -> anyhow::Result<()> {
        let Some((id, topic)) = topic(&self.0.fleet.name, subject).filter(|(id, _)| is_source_id(id)) else {
            return Ok(());
        };
        // After a start the newest message of each subject comes again, however old it is.
        let at = self.0.settings.clock.now_ms().min(published_at);
        if let Some(removal) = removed::removal(topic, payload) {
            return self.remove(id, &removal);
        }
        let mut state = self.state();
        if topic == Topic::Log && state.removed.covers(id, &state.log_created, sequence) {
            return Ok(());
        }
        state.unsaved = true;
        if !state.sources.contains_key(id) {
            if state.sources.len() >= FleetPage::MAX_SOURCES {
                state.beyond_limit.note(id, topic, payload);
                return Ok(());
            }
            let (mirror, _) = Mirror::open(&self.0.folder.mirror(id), MirrorState::default())?;
            state.sources.insert(id.to_owned(), SourceMirror::new(mirror));
        }
        let Some(source) = state.sources.get_mut(id) else { return Ok(()) };
        match source.take(topic, subject, (headers, payload), at) {
            Err(error) if comes_again(&error) => Err(error.into()),
            Err(error) => {
                // One machine's message stops no other machine.
                tracing::warn!(%error, subject, "fleet: a message cannot be applied");
                source.mirror.refuse();
                Ok(())
            }
            Ok(()) => {
                if topic == Topic::Hello {
                    source.show_requests(self.0.settings.clock.now_ms());
                }
                Ok(())
            }
        }
    }

    /// Starts the monitors of machines that said hello; whether there were any. It blocks.
    fn start_monitors(&self) -> bool {
        let mut is_any_new = false;
        let mut state = self.state();
        let mut taken: Vec<String> = state.sources.values().filter_map(|source| source.name.clone()).collect();
        for (id, source) in &mut state.sources {
            let Some(hello) = source.hello.as_ref().filter(|_| source.app.is_none()) else { continue };
            let name = source.name.clone().unwrap_or_else(|| free_name(&hello.name, id, &taken));
            let settings = self.member_settings(&name, source.mirror.home().to_path_buf());
            match AppState::start_mirror(settings, &self.0.written, &self.0.memory) {
                Ok(app) => {
                    tracing::info!(name, id, "fleet: a machine");
                    taken.push(name.clone());
                    (source.name, source.app) = (Some(name), Some(app));
                    is_any_new = true;
                }
                Err(error) => tracing::warn!(%error, id, "fleet: the monitor of a mirror does not start"),
            }
        }
        is_any_new
    }

    /// Settings of the monitor of a mirror: it answers below a path of its own. Its routes write nothing but last visits of
    /// readers here: everything else goes to the machine.
    fn member_settings(&self, name: &str, home: PathBuf) -> Settings {
        let base = &self.0.settings;
        Settings {
            home: HomeDir::mirror(home),
            base_path: format!("{}@{name}/", base.base_path),
            host_link: Some(HostLink { label: self.0.fleet.name.clone(), url: base.base_path.clone() }),
            gateway: None,
            alerts: AlertSettings::default(),
            fleet: None,
            is_read_only: false,
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
