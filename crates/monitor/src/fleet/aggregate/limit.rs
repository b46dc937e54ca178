//! Type `BeyondLimit`: machines of a fleet that are not mirrored because there are too many. They are named on the page.

use std::collections::BTreeMap;

use coordination::api::FleetPage;
use serde::{Deserialize, Serialize};

use super::AggregateState;
use crate::fleet::messages::Hello;
use crate::fleet::streams::Topic;

/// Machines that are named. Ids cost nothing, so a publisher could make any number of them.
const MAX_NAMED: usize = 1_000;

/// Their names by id; blank where none is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::fleet) struct BeyondLimit(BTreeMap<String, String>);

impl BeyondLimit {
    /// Notes that a message of this machine was not applied.
    pub(super) fn note(&mut self, id: &str, topic: Topic, payload: &[u8]) {
        let hello = if topic == Topic::Hello { Hello::read(payload) } else { None };
        let name = hello.map(|hello| hello.name);
        if let Some(known) = self.0.get_mut(id) {
            *known = name.unwrap_or_else(|| std::mem::take(known));
            return;
        }
        let limit = FleetPage::MAX_SOURCES;
        match self.0.len() {
            MAX_NAMED => return,
            count if count + 1 == MAX_NAMED => {
                tracing::warn!("fleet: {MAX_NAMED} machines beyond the limit of {limit}; further ones are not named");
            }
            _ => {
                let name = name.as_deref().unwrap_or_default();
                tracing::warn!(name, id, "fleet: a machine is not shown: this process shows {limit} at most");
            }
        }
        self.0.insert(id.to_owned(), name.unwrap_or_default());
    }

    /// Forgets a machine that was removed from the fleet.
    pub(super) fn remove(&mut self, id: &str) {
        self.0.remove(id);
    }

    /// Names, or ids of machines that gave none.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |(id, name): (&String, &String)| if name.is_empty() { id.clone() } else { name.clone() };
        let mut names: Vec<String> = self.0.iter().map(name).collect();
        names.sort();
        names
    }
}

impl AggregateState {
    /// Takes machines beyond the limit where there is room for them: the streams are read again from the beginning, because
    /// what these machines sent was skipped. Whether that is so.
    pub(super) fn make_room(&mut self) -> bool {
        if self.beyond_limit.0.is_empty() || self.sources.len() >= FleetPage::MAX_SOURCES {
            return false;
        }
        self.beyond_limit.0.clear();
        (self.log_sequence, self.unsaved) = (0, true);
        true
    }
}

#[cfg(test)]
mod tests {
    use async_nats::HeaderMap;
    use coordination::api::FleetSource;

    use super::super::Fleet;
    use super::*;
    use crate::app::AppState;
    use crate::config::Settings;
    use crate::fleet::messages::Removal;
    use crate::home::HomeDir;

    #[test]
    fn machines_beyond_the_limit_are_named_up_to_a_bound() {
        let mut beyond = BeyondLimit::default();
        let hello = Hello { name: "zeta".to_owned(), ..Hello::default() }.payload().expect("JSON");
        beyond.note("1", Topic::Log, b"");
        beyond.note("2", Topic::Hello, &hello);
        assert_eq!(beyond.names(), ["1", "zeta"]);
        beyond.note("1", Topic::Hello, &hello);
        beyond.note("1", Topic::Log, b"");
        assert_eq!(beyond.names(), ["zeta", "zeta"], "its hello names it");
        beyond.remove("1");
        assert_eq!(beyond.names(), ["zeta"]);
        (0..2 * MAX_NAMED).for_each(|number| beyond.note(&format!("x{number}"), Topic::Log, b""));
        assert_eq!(beyond.names().len(), MAX_NAMED);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn removal_makes_room_for_a_machine_beyond_the_limit() {
        let folder = tempfile::tempdir().expect("folder");
        let own = AppState::start(Settings::for_home(HomeDir::new(folder.path().join(".openclaw")))).expect("started");
        let fleet = Fleet::of_monitors(&folder.path().join("mirrors"), vec![(FleetSource::default(), own)]);
        let say = |id: &str, hello: &Hello| {
            let (subject, payload) = (format!("th.v1.studio.{id}.hello"), hello.payload().expect("JSON"));
            fleet.apply(&subject, (&HeaderMap::new(), &payload), (1, 0))
        };
        let id = |number: usize| format!("{number:032x}");
        for number in 0..=FleetPage::MAX_SOURCES {
            let hello = Hello { name: format!("m{number}"), ..Hello::default() };
            say(&id(number), &hello).expect("applied");
        }
        fleet.refresh_view();
        let last = format!("m{}", FleetPage::MAX_SOURCES);
        assert_eq!(fleet.view().beyond_limit, [last.as_str()]);
        assert_eq!(fleet.view().pending.len(), FleetPage::MAX_SOURCES);
        fleet.state().log_sequence = 9;
        tokio::task::block_in_place(|| fleet.save());
        assert_eq!(fleet.0.folder.load().beyond_limit.names(), [last.as_str()], "a restart knows what it skipped");
        let removal = Removal { log_created: String::new(), log_sequence: 7 };
        let removed = Hello { removed: Some(removal), ..Hello::default() };
        let again = tokio::task::block_in_place(|| say(&id(3), &removed));
        assert!(again.is_err() && fleet.state().log_sequence == 0, "the streams are read again");
        assert!(fleet.view().beyond_limit.is_empty());
        let again = tokio::task::block_in_place(|| say(&id(3), &removed));
        assert!(again.is_ok(), "once");
        say(&id(FleetPage::MAX_SOURCES), &Hello { name: last, ..Hello::default() }).expect("applied");
        assert_eq!(fleet.state().sources.len(), FleetPage::MAX_SOURCES);
    }
}
