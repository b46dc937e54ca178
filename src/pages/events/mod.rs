//! Events page: all events, newest first, or the tree of all delegated runs. For one session, it shows the session's
//! tree and events. Charts of the log's quality are above the list of system events of all sessions.

mod bad_lines;
mod filters;
mod list;
mod newness;
mod of_all;
mod of_session;
mod people;
mod quality;

use std::sync::Arc;

use bad_lines::BadLines;
use coordination::api::{EventsPage as Answer, EventsQuery};
use coordination::ids::EventId;
use coordination::role::Role;
use filters::{EventFilterBar, RoleTabs};
use leptos::prelude::*;
use list::EventList;
use newness::NewEvents;
use of_all::{AllRuns, EventViewSwitch};

pub(super) use of_all::runs_query;
use of_session::SessionPart;
use quality::LogQuality;

use super::raw_event::{RawEventDrawer, use_raw_event};
use super::unknown_filter::UnknownFilter;
use crate::components::event::list::{EventListItem, Rows};
use crate::components::views::SharedView;
use crate::i18n::{time, use_i18n};
use crate::pages::names::use_names;
use crate::queries::{Fetch, FetchOptions, use_fetch, use_page_title, use_pairs, use_stored_query};
use crate::routes::{Day, EventsFilter, paths};
use crate::state::use_clock;

/// Rows that Back brings back at most.
const MAX_STORED_ROWS: usize = 5_000;

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct EventsState {
    /// The address, without the open event.
    filter: Memo<EventsFilter>,
    open: Memo<Option<EventId>>,
    fetch: Fetch<(EventsFilter, Answer)>,
    /// Rows and the filter they answer.
    rows: RwSignal<(Option<EventsFilter>, Rows)>,
    /// The lines that are made of them.
    items: Memo<Vec<EventListItem>>,
    more: RwSignal<bool>,
    /// As many rows Back brings back.
    wanted: RwSignal<usize>,
}

impl EventsState {
    /// Rows that Back wants are still to come. Reactive.
    fn behind(self) -> bool {
        self.wanted.get() > self.rows.with(|(_, rows)| if rows.next.is_some() { rows.events.len() } else { usize::MAX })
    }
}

/// The page of `/events`.
#[component]
pub fn EventListPage() -> impl IntoView {
    use_names();
    let words = use_i18n();
    use_page_title(move || words.get().events().title.to_owned());
    let state = use_events_state();
    let pairs = use_pairs();
    let session = Memo::new(move |_| state.filter.get().session);
    let as_tree = Memo::new(move |_| state.filter.with(|filter| filter.as_tree && filter.session.is_none()));
    // Log quality belongs to the monitor's status: next to the events, and of the whole log.
    let of_system = Memo::new(move |_| {
        state.filter.with(|filter| filter.role == Some(Role::SystemObservability) && filter.session.is_none())
            && !as_tree.get()
    });
    let raw =
        use_raw_event(state.open, move |open| paths::events(&EventsFilter { open, ..state.filter.get_untracked() }));
    let on_raw = raw.on_open;
    view! {
        <main id="main" class="events-main" tabindex="-1">
            {move || session.get().map(|session| view! { <SessionPart session=session state=state on_raw=on_raw /> })}
            <div class="events-page" class:is-of-session=move || session.get().is_some()>
                {move || {
                    session
                        .get()
                        .is_none()
                        .then(|| {
                            view! {
                                <header class="list-head">
                                    <h1>{move || words.get().events().title}</h1>
                                    <p>{move || words.get().events().subtitle}</p>
                                </header>
                            }
                        })
                }}
                <EventViewSwitch state=state />
                {move || {
                    (!as_tree.get())
                        .then(|| {
                            view! {
                                <RoleTabs filter=state.filter answer=state.fetch.data />
                                <EventFilterBar filter=state.filter answer=state.fetch.data />
                            }
                        })
                }}
                <SharedView path=Signal::derive(move || paths::events(&state.filter.get())) />
                <UnknownFilter
                    unknown=Signal::derive(move || EventsFilter::unknown(&pairs.get()))
                    without=Signal::derive(move || paths::events(&state.filter.get()))
                />
                {move || {
                    if of_system.get() {
                        view! { <LogQuality state=state /> }.into_any()
                    } else if session.get().is_none() {
                        view! { <BadLines /> }.into_any()
                    } else {
                        ().into_any()
                    }
                }}
                {move || {
                    if as_tree.get() {
                        view! { <AllRuns state=state on_raw=on_raw /> }.into_any()
                    } else {
                        view! { <NewEvents state=state /> <EventList state=state on_raw=on_raw /> }.into_any()
                    }
                }}
            </div>
            <RawEventDrawer event=state.open on_close=raw.on_close />
        </main>
    }
}

/// When a day of the address begins or ends.
fn day(day: &Option<Day>, edge: fn(&str) -> Option<i64>) -> Option<i64> {
    day.as_ref().and_then(|day| edge(day.as_str()))
}

/// From when on a filter looks.
fn since(filter: &EventsFilter, now: i64) -> Option<i64> {
    filter.since.map(|since| since.earliest_ms(now)).max(day(&filter.first, time::day_begins))
}

/// Up to when.
fn until(filter: &EventsFilter) -> Option<i64> {
    day(&filter.last, time::day_ends)
}

/// The query that the server is asked for a filter.
pub(super) fn events_query(filter: &EventsFilter, now: i64) -> EventsQuery {
    EventsQuery {
        role: filter.role.into_iter().collect(),
        types: filter.types.clone(),
        agents: filter.agents.clone(),
        from: filter.from.clone(),
        to: filter.to.clone(),
        pairs: filter.pairs.clone(),
        delivery: filter.delivery.clone(),
        origin: filter.origin,
        session: filter.session.clone(),
        task: filter.task.clone(),
        since: since(filter, now),
        until: until(filter),
        q: filter.q.clone(),
        ..EventsQuery::default()
    }
}

fn use_events_state() -> EventsState {
    let clock = use_clock();
    let pairs = use_pairs();
    let address = Memo::new(move |_| pairs.with(|pairs| EventsFilter::from_pairs(pairs)));
    let filter = Memo::new(move |_| EventsFilter { open: None, ..address.get() });
    let open = Memo::new(move |_| address.get().open);
    let options = FetchOptions::refetch_when(|change, _: &EventsFilter| change.everything || change.events > 0)
        .keep_data_when(|a, b| a.session == b.session);
    let rows = RwSignal::new((None, Rows::default()));
    let wanted = RwSignal::new(0);
    let stored_rows = use_stored_query("rows");
    let fetch = use_fetch(
        move || filter.with(EventsFilter::list_filter),
        options,
        move |source, filter: EventsFilter| {
            let fresh = rows.with_untracked(|(of, _)| of.as_ref() != Some(&filter));
            let limit = stored_rows.get().filter(|_| fresh).map(first_page);
            if fresh {
                wanted.set(stored_rows.get().unwrap_or_default().min(MAX_STORED_ROWS));
            }
            let query = EventsQuery { limit, ..events_query(&filter, clock.now()) };
            async move { source.events(&query).await.map(|page| (filter, page)) }
        },
    );
    let items = Memo::new(move |_| {
        let (grouped, unfolded) = filter.with(|filter| (!filter.apart, filter.unfolded.clone()));
        rows.with(|(_, rows)| rows.items(time::local_day, grouped, &unfolded))
    });
    // Folds a series of answers into one list.
    Effect::new(move |_| {
        let Some(answer) = fetch.data.get() else { return };
        let (filter, page) = answer.as_ref();
        list::keep_focus(items);
        rows.update(|(of, rows)| {
            if of.as_ref() == Some(filter) {
                rows.refresh(page);
            } else {
                *of = Some(filter.clone());
                *rows = Rows::from_page(page);
            }
        });
    });
    // How far the user had gone down, for Back to each address.
    Effect::new(move |_| {
        filter.track();
        let count = rows.with(|(_, rows)| rows.events.len());
        if count > 0 {
            stored_rows.set(count.max(wanted.get_untracked()));
        }
    });
    EventsState { filter, open, fetch, rows, items, more: RwSignal::new(false), wanted }
}

/// Rows of the first page when Back restores this many: as many as an answer may hold.
fn first_page(stored_rows: usize) -> u32 {
    stored_rows.clamp(100, 500) as u32
}

/// The newest answer, for counts.
type AnswerData = RwSignal<Option<Arc<(EventsFilter, Answer)>>>;
