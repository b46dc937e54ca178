//! Queries of the lists of the fleet page: as many pages as the reader wants, from the first on, requested again after each
//! answer about the machines. One request at a time: a change during one is a further request after it.

use std::sync::Arc;

use coordination::api::{
    AgentSummary, FleetAgentsPage, FleetDriftPage, FleetEventsPage, FleetListSource, FleetSessionsPage, FleetSource,
    FleetTasksPage,
};
use futures::future::{AbortHandle, abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;

use super::fleet::FleetQuery;
use super::url::use_stored_query;
use crate::source::{self, SourceError};

/// Parameters of a request.
pub type FleetListQuery = Vec<(String, String)>;

/// An answer with rows of all machines.
pub trait FleetRows: DeserializeOwned + PartialEq + Send + Sync + 'static {
    /// Its route below the API.
    const ROUTE: &'static str;
    /// Parameter that continues the list.
    const CURSOR: &'static str;

    /// Cursor of the next page.
    fn next(&self) -> Option<&str>;

    /// Puts the next page behind. A row that moved between two answers stays where it came first.
    fn append(&mut self, page: Self);

    /// The machines of the answer.
    fn sources(&self) -> &[FleetListSource];

    /// Number of rows.
    fn len(&self) -> usize;
}

macro_rules! fleet_rows {
    ($($page:ty, $route:literal, $cursor:literal, $list:ident, |$row:ident| $key:expr;)*) => {
        $(impl FleetRows for $page {
            const ROUTE: &'static str = $route;
            const CURSOR: &'static str = $cursor;

            fn next(&self) -> Option<&str> {
                self.next.as_deref()
            }

            fn append(&mut self, page: Self) {
                let key = |$row: &_| $key;
                let known: Vec<_> = self.$list.iter().map(key).collect();
                self.$list.extend(page.$list.into_iter().filter(|row| !known.contains(&key(row))));
                self.next = page.next;
            }

            fn sources(&self) -> &[FleetListSource] {
                &self.sources
            }

            fn len(&self) -> usize {
                self.$list.len()
            }
        })*
    };
}

fleet_rows! {
    FleetSessionsPage, "fleet/sessions", "after", sessions,
        |row| { let row: &coordination::api::FleetSession = row; (row.source.clone(), row.session.work_session_id.clone()) };
    FleetEventsPage, "fleet/events", "before", events,
        |row| { let row: &coordination::api::FleetEvent = row; (row.source.clone(), row.event.id.clone()) };
    FleetTasksPage, "fleet/tasks", "after", tasks,
        |row| { let row: &coordination::api::FleetTask = row; (row.source.clone(), row.task.agent_id.clone(), row.task.id.clone()) };
}

macro_rules! fleet_rows_of_one_page {
    ($($page:ty, $route:literal, $list:ident;)*) => {
        $(impl FleetRows for $page {
            const ROUTE: &'static str = $route;
            const CURSOR: &'static str = "";

            fn next(&self) -> Option<&str> {
                None
            }

            fn append(&mut self, page: Self) {
                *self = page;
            }

            fn sources(&self) -> &[FleetListSource] {
                &self.sources
            }

            fn len(&self) -> usize {
                self.$list.len()
            }
        })*
    };
}

fleet_rows_of_one_page! {
    FleetAgentsPage, "fleet/agents", agents;
    FleetDriftPage, "fleet/drift", drifts;
}

/// A list of the fleet page.
pub struct FleetList<P: FleetRows> {
    /// The newest answer to the present query.
    pub answer: RwSignal<Option<Arc<P>>>,
    /// Why the newest request failed.
    pub error: RwSignal<Option<SourceError>>,
    /// Pages that are requested, and those in the answer.
    pages: RwSignal<u32>,
    loaded_pages: RwSignal<u32>,
    stored_pages: super::url::StoredQuery,
    retries: RwSignal<u32>,
}

impl<P: FleetRows> Clone for FleetList<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: FleetRows> Copy for FleetList<P> {}

impl<P: FleetRows> FleetList<P> {
    /// Sends the request again.
    pub fn refetch(self) {
        self.retries.update(|count| *count += 1);
    }

    /// Requests one more page. A second press during the request adds none.
    pub fn more(self) {
        let has_next =
            self.answer.with_untracked(|answer| answer.as_ref().is_some_and(|answer| answer.next().is_some()));
        if has_next && !untrack(|| self.is_loading_more()) {
            let pages = self.pages.get_untracked() + 1;
            self.stored_pages.set(pages as usize);
            self.pages.set(pages);
        }
    }

    /// Whether more rows were requested than there are. Reactive.
    pub fn is_loading_more(self) -> bool {
        self.loaded_pages.get() < self.pages.get() && self.error.with(Option::is_none)
    }
}

/// Rows of a page.
const PAGE_ROWS: usize = 50;

/// Requests the list whenever its query changes, more rows are wanted or an answer about the machines came. Nothing is
/// requested without a query.
pub fn use_fleet_list<P: FleetRows>(fleet: FleetQuery, query: Memo<Option<FleetListQuery>>) -> FleetList<P> {
    let stored_pages = use_stored_query("pages");
    let first_pages = move || stored_pages.get().map_or(1, |pages| pages as u32);
    let list = FleetList {
        answer: RwSignal::new(None),
        error: RwSignal::new(None),
        pages: RwSignal::new(first_pages()),
        loaded_pages: RwSignal::new(0),
        stored_pages,
        retries: RwSignal::new(0),
    };
    let pending = StoredValue::new(None::<AbortHandle>);
    let is_outdated = StoredValue::new(false);
    let abort = move || {
        if let Some(Some(pending)) = pending.try_update_value(Option::take) {
            pending.abort();
        }
    };
    let send = Callback::new(move |()| {
        let Some(query) = query.get_untracked() else { return };
        abort();
        let pages = list.pages.get_untracked();
        let (answer, handle) = abortable(load::<P>(query, pages));
        pending.set_value(Some(handle));
        spawn_local(async move {
            let Ok(answer) = answer.await else { return };
            if pending.try_set_value(None).is_some() {
                return;
            }
            match answer {
                Ok(page) => {
                    list.error.set(None);
                    list.loaded_pages.set(pages);
                    if list.answer.with_untracked(|shown| shown.as_deref() != Some(&page)) {
                        list.answer.set(Some(Arc::new(page)));
                    }
                }
                Err(error) => list.error.set(Some(error)),
            }
            if is_outdated.try_update_value(std::mem::take) == Some(true) {
                list.refetch();
            }
        });
    });
    // Another list.
    Effect::new(move |before: Option<Option<FleetListQuery>>| {
        let now = query.get();
        if before.is_some_and(|before| before != now) {
            list.answer.set(None);
            list.error.set(None);
            list.pages.set(first_pages());
        }
        now
    });
    // Another list, more of it, or a retry: the pending request is of no use.
    Effect::new(move |_| {
        query.track();
        list.pages.track();
        list.retries.track();
        send.run(());
    });
    // A change, after which the pending request may be outdated.
    Effect::new(move |before: Option<u32>| {
        let answers = fleet.answers.get();
        if before.is_some_and(|before| before != answers) {
            match pending.with_value(Option::is_some) {
                true => is_outdated.set_value(true),
                false => send.run(()),
            }
        }
        answers
    });
    on_cleanup(abort);
    list
}

/// Agents of all machines. Requested again when a machine joins or leaves; after a failure with the next answer about the
/// machines.
pub fn use_fleet_agents(fleet: FleetQuery) -> RwSignal<Vec<AgentSummary>> {
    let agents = RwSignal::new(Vec::new());
    let has_failed = RwSignal::new(false);
    let machines = Memo::new(move |_| {
        let name = |source: &FleetSource| source.name.clone();
        fleet.page.with(|page| page.iter().flat_map(|page| &page.sources).map(name).collect::<Vec<_>>())
    });
    let request = Memo::new(move |before: Option<&(Vec<String>, u32)>| {
        let answers = if has_failed.get() { fleet.answers.get() } else { before.map_or(0, |(_, answers)| *answers) };
        (machines.get(), answers)
    });
    Effect::new(move |_| {
        request.track();
        spawn_local(async move {
            let page = source::fleet_rows::<FleetAgentsPage>(FleetAgentsPage::ROUTE, &FleetListQuery::new()).await;
            // Both are gone with the list. A machine that is being read does not list all of its agents.
            let is_whole = page.as_ref().is_ok_and(|page| page.sources.iter().all(|source| !source.starting));
            let _ = has_failed.try_set(!is_whole);
            if let Ok(page) = page {
                let _ = agents.try_set(page.agents.into_iter().map(|row| row.card.agent).collect());
            }
        });
    });
    agents
}

/// The first pages of a list as one answer.
async fn load<P: FleetRows>(query: FleetListQuery, pages: u32) -> Result<P, SourceError> {
    let limit = (!P::CURSOR.is_empty()).then(|| ("limit".to_owned(), PAGE_ROWS.to_string()));
    let query: FleetListQuery = query.into_iter().chain(limit).collect();
    let mut answer: P = source::fleet_rows(P::ROUTE, &query).await?;
    for _ in 1..pages {
        let Some(cursor) = answer.next().map(str::to_owned) else { break };
        let mut query = query.clone();
        query.push((P::CURSOR.to_owned(), cursor));
        answer.append(source::fleet_rows(P::ROUTE, &query).await?);
    }
    Ok(answer)
}
