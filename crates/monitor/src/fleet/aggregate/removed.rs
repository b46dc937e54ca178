//! Removal of a machine from the fleet that is shown: its mirror, its monitor and what is saved of it.

use std::collections::BTreeMap;

use coordination::api::FleetPage;

use super::Fleet;
use super::source::comes_again;
use crate::fleet::messages::{Hello, Removal};
use crate::fleet::streams::Topic;

/// Machines that were removed while this process ran, by id. Lines that were on their way must not make them again.
#[derive(Debug, Default)]
pub(super) struct RemovedSources(BTreeMap<String, Removal>);

impl RemovedSources {
    fn add(&mut self, id: &str, removal: &Removal) {
        self.0.insert(id.to_owned(), removal.clone());
        if self.0.len() > FleetPage::MAX_SOURCES
            && let Some(oldest) = self.0.iter().min_by_key(|(_, it)| it.log_sequence).map(|(id, _)| id.clone())
        {
            self.0.remove(&oldest);
        }
    }

    /// Whether a message of the stream of logs is from before the removal of its machine.
    pub(super) fn covers(&self, id: &str, log_created: &str, sequence: u64) -> bool {
        self.0.get(id).is_some_and(|removal| removal.covers(log_created, sequence))
    }
}

/// The removal that a message is about.
pub(super) fn removal(topic: Topic, payload: &[u8]) -> Option<Removal> {
    if topic == Topic::Hello { Hello::read(payload)?.removed } else { None }
}

impl Fleet {
    /// Removes a machine. The message comes again after each start, so that what could not be removed is tried again.
    ///
    /// # Errors
    /// When this machine cannot write now, or the stream of logs must be read again from the removal on.
    pub(super) fn remove(&self, id: &str, removal: &Removal) -> anyhow::Result<()> {
        let mut state = self.state();
        state.removed.add(id, removal);
        state.beyond_limit.remove(id);
        let source = state.sources.remove(id);
        state.unsaved |= source.is_some();
        // Lines that the machine published after its removal may have come first, and into the mirror that goes now.
        let is_ahead =
            source.is_some() && state.log_created == removal.log_created && state.log_sequence > removal.log_sequence;
        if is_ahead {
            state.log_sequence = removal.log_sequence;
        }
        let reads_again = state.make_room() || is_ahead;
        drop(state);
        if let Some(source) = source {
            let name = source.name.unwrap_or_default();
            tracing::info!(name, id, "fleet: a machine is removed");
            self.refresh_view();
            // First a saved state that does not name it.
            self.save();
            if let Some(app) = source.app {
                app.close();
                app.remove_cache();
            }
        }
        match self.0.folder.remove_mirror(id) {
            Err(error) if comes_again(&error) => return Err(error.into()),
            Err(error) => tracing::warn!(%error, id, "fleet: the mirror of a removed machine cannot be removed"),
            Ok(()) => {}
        }
        anyhow::ensure!(!reads_again, "the streams are read again after the removal of a machine");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use async_nats::HeaderMap;

    use super::*;
    use crate::app::AppState;
    use crate::config::Settings;
    use crate::home::HomeDir;

    const ONE: &str = "11111111111111111111111111111111";
    const TWO: &str = "22222222222222222222222222222222";

    fn fleet_of_one(folder: &Path) -> Fleet {
        let own = AppState::start(Settings::for_home(HomeDir::new(folder.join(".openclaw")))).expect("started");
        let info = coordination::api::FleetSource { id: ONE.to_owned(), ..Default::default() };
        Fleet::of_monitors(&folder.join("mirrors"), vec![(info, own)])
    }

    fn say(fleet: &Fleet, id: &str, hello: &Hello) {
        let (subject, payload) = (format!("th.v1.studio.{id}.hello"), hello.payload().expect("JSON"));
        fleet.apply(&subject, (&HeaderMap::new(), &payload), (1, 0)).expect("applied");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn removed_machine_leaves_no_mirror_and_others_stay() {
        let folder = tempfile::tempdir().expect("folder");
        let fleet = fleet_of_one(folder.path());
        let hello = |name: &str| Hello { name: name.to_owned(), ..Hello::default() };
        let names = || fleet.view().members.iter().map(|member| member.info.name.clone()).collect::<Vec<_>>();
        let show = || {
            tokio::task::block_in_place(|| fleet.start_monitors());
            fleet.refresh_view();
        };
        say(&fleet, ONE, &hello("one"));
        say(&fleet, TWO, &hello("two"));
        show();
        assert_eq!(names(), ["one", "two"]);
        let (app, mirror) = (fleet.member("one").expect("one").app, fleet.0.folder.mirror(ONE));
        assert!(mirror.is_dir());
        let removal = Removal { log_created: String::new(), log_sequence: 7 };
        let removed = Hello { removed: Some(removal), ..hello("one") };
        tokio::task::block_in_place(|| say(&fleet, ONE, &removed));
        assert_eq!(names(), ["two"]);
        assert!(!mirror.exists() && *app.closing().borrow(), "its pages end");
        let saved: Vec<String> = fleet.0.folder.load().sources.into_keys().collect();
        assert_eq!(saved, [TWO]);
        let late = format!("th.v1.studio.{ONE}.log.a");
        fleet.apply(&late, (&HeaderMap::new(), b""), (7, 0)).expect("dropped");
        assert!(!mirror.exists(), "a line that was on its way");
        say(&fleet, ONE, &removed);
        say(&fleet, ONE, &hello("one"));
        show();
        assert_eq!(names(), ["one", "two"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn lines_that_overtook_a_removal_are_read_again() {
        let folder = tempfile::tempdir().expect("folder");
        let fleet = fleet_of_one(folder.path());
        say(&fleet, ONE, &Hello { name: "one".to_owned(), ..Hello::default() });
        fleet.state().log_created = "monday".to_owned();
        fleet.state().log_sequence = 9;
        let removal = Removal { log_created: "monday".to_owned(), log_sequence: 7 };
        let remove = || tokio::task::block_in_place(|| fleet.remove(ONE, &removal));
        assert!(remove().is_err(), "the stream is read again");
        assert_eq!(fleet.state().log_sequence, 7);
        fleet.state().log_sequence = 9;
        assert!(remove().is_ok() && fleet.state().log_sequence == 9, "once is enough");
    }

    #[test]
    fn lines_from_before_a_removal_are_dropped() {
        let mut removed = RemovedSources::default();
        let removal = |log_sequence| Removal { log_created: "monday".to_owned(), log_sequence };
        removed.add("a", &removal(7));
        assert!(removed.covers("a", "monday", 7) && !removed.covers("a", "monday", 8));
        assert!(!removed.covers("b", "monday", 7) && !removed.covers("a", "tuesday", 7));
        for number in 0..FleetPage::MAX_SOURCES as u64 {
            removed.add(&format!("{number}"), &removal(8 + number));
        }
        assert_eq!(removed.0.len(), FleetPage::MAX_SOURCES);
        assert!(!removed.covers("a", "monday", 7), "the oldest is dropped");
    }
}
