//! State of the fleet page that its parts share: the query of the machines, the filter in the address, and the agents of
//! each machine. A list has agents of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use coordination::api::{AgentSummary, FleetLink, FleetListSource, FleetPage, FleetSource, FleetSourceState};
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::components::machine::provide_machine;
use crate::components::people::provide_people;
use crate::queries::{Edit, FleetList, FleetQuery, FleetRows, use_edit, use_fleet, use_pairs};
use crate::routes::{FleetFilter, FleetTab};

/// Agents of each machine, by its name. Two machines may have agents of the same id.
type AgentsByMachine = Arc<BTreeMap<String, Vec<AgentSummary>>>;

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub(super) struct FleetState {
    pub(super) query: FleetQuery,
    pub(super) filter: Memo<FleetFilter>,
    /// Changes the filter, and so the address.
    pub(super) edit: Callback<Edit<FleetFilter>>,
    /// The tab on screen.
    pub(super) tab: Memo<FleetTab>,
    people: MachinePeople,
}

/// Agents of each machine that rows name.
#[derive(Clone, Copy)]
pub(super) struct MachinePeople(Memo<AgentsByMachine>);

impl MachinePeople {
    /// The agents that a list names.
    pub(super) fn of_list<P: FleetRows>(list: FleetList<P>) -> Self {
        Self(Memo::new(move |_| {
            list.answer.with(|answer| {
                let sources = answer.iter().flat_map(|answer| answer.sources());
                let agents = |source: &FleetListSource| (source.source.clone(), source.agents.clone());
                Arc::new(sources.map(agents).collect())
            })
        }))
    }

    /// Names the machine for what is drawn below the current owner: its links, and the names of its agents.
    pub(super) fn provide_row(self, machine: &str) {
        provide_machine(machine);
        let name = machine.to_owned();
        provide_people(Signal::derive(move || self.0.with(|all| all.get(&name).cloned().unwrap_or_default())));
    }
}

impl FleetState {
    pub(super) fn new() -> Self {
        let query = use_fleet();
        let pairs = use_pairs();
        let filter = Memo::new(move |_| pairs.with(|pairs| FleetFilter::from_pairs(pairs)));
        let path = use_location().pathname;
        let address = move |filter: &FleetFilter| filter.address(&path.get_untracked());
        let edit = use_edit(move || filter.get_untracked(), address);
        let agents = Memo::new(move |_| {
            query.page.with(|page| {
                let sources = page.iter().flat_map(|page| &page.sources);
                Arc::new(sources.map(|source| (source.name.clone(), source.agents.clone())).collect())
            })
        });
        let tab = Memo::new(move |_| path.with(|path| FleetTab::from_path(path)));
        Self { query, filter, edit, tab, people: MachinePeople(agents) }
    }

    /// A slice of the answer that re-renders only what changed; the default before the first answer.
    pub(super) fn slice<T: PartialEq + Default + Send + Sync + 'static>(
        self,
        pick: impl Fn(&FleetPage) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        Memo::new(move |_| self.query.page.with(|page| page.as_ref().map(|page| pick(page)).unwrap_or_default()))
    }

    /// The rows of a list that belong to a machine which is shown.
    pub(super) fn rows<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        pick: impl Fn(&FleetPage) -> &[T] + Send + Sync + 'static,
        machine: fn(&T) -> &str,
    ) -> Memo<Vec<T>> {
        Memo::new(move |_| {
            self.filter.with(|filter| {
                self.query.page.with(|page| {
                    let rows = page.iter().flat_map(|page| pick(page));
                    rows.filter(|row| filter.shows(machine(row))).cloned().collect()
                })
            })
        })
    }

    /// Whether the state of all shown machines is known and current. Reactive.
    pub(super) fn is_sure(self) -> bool {
        let is_current = self
            .query
            .page
            .with(|page| self.filter.with(|filter| page.as_ref().is_some_and(|page| is_current(page, filter))));
        is_current && !self.query.is_old()
    }

    /// Names the machine for what is drawn below the current owner: its links, and the names of its agents.
    pub(super) fn provide_row(self, machine: &str) {
        self.people.provide_row(machine);
    }

    /// Whether there is a machine of this name; `None` before the first answer. Reactive.
    pub(super) fn knows(self, host: &str) -> Option<bool> {
        self.query.page.with(|page| {
            let page = page.as_ref()?;
            let mut names = page.sources.iter().map(|source| &source.name).chain(&page.pending);
            Some(names.any(|name| name == host))
        })
    }
}

/// Whether all that a machine sent is on the page.
pub(super) fn is_live(source: &FleetSource) -> bool {
    source.state == FleetSourceState::Live && !source.starting
}

/// Whether nothing of the shown machines is missing.
fn is_current(page: &FleetPage, filter: &FleetFilter) -> bool {
    let mut sources = page.sources.iter().filter(|source| filter.shows(&source.name));
    let mut unshown = page.pending.iter().chain(&page.beyond_limit);
    page.link == FleetLink::Connected && sources.all(is_live) && !unshown.any(|name| filter.shows(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_current_when_nothing_of_its_machines_is_missing() {
        let source = |name: &str| FleetSource { name: name.to_owned(), ..FleetSource::default() };
        let page =
            FleetPage { link: FleetLink::Connected, sources: vec![source("a"), source("b")], ..FleetPage::default() };
        let (all, one) = (FleetFilter::default(), FleetFilter { host: Some("a".to_owned()), ..FleetFilter::default() });
        assert!(is_current(&page, &all) && is_current(&page, &one));
        let changes: [fn(&mut FleetPage); 4] = [
            |page| page.sources[1].starting = true,
            |page| page.sources[1].state = FleetSourceState::Silent,
            |page| page.pending = vec!["c".to_owned()],
            |page| page.beyond_limit = vec!["d".to_owned()],
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut page = page.clone();
            change(&mut page);
            assert!(!is_current(&page, &all) && is_current(&page, &one), "{number}");
        }
        assert!(!is_current(&FleetPage { link: FleetLink::Lost, ..page }, &one));
    }
}
