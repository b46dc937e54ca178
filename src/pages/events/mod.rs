//! Events as they stand in the log, newest first; of one session also what it handed to sub-agents.

mod bad_lines;
mod filters;
mod newness;
mod of_all;
mod of_session;

use std::sync::Arc;

use bad_lines::BadLines;
use coordination::api::{EventsPage as Answer, EventsQuery};
use coordination::ids::EventId;
use filters::{Filters, RoleTabs};
use leptos::prelude::*;
use leptos::task::spawn_local;
use newness::NewEvents;
use of_all::{AllRuns, Views};
use of_session::SessionPart;

use super::failure::Failure;
use super::raw_event::{RawEventDrawer, use_raw_event};
use super::unknown_filter::UnknownFilter;
use crate::components::event::EventRowView;
use crate::components::event::list::{Item, Rows};
use crate::components::source_empty::SourceEmpty;
use crate::hooks::{Fetch, FetchOptions, use_fetch, use_kept, use_page_title, use_pairs};
use crate::i18n::{time, use_words};
use crate::pages::names::use_names;
use crate::routes::{EventsFilter, paths};
use crate::state::{use_clock, use_hub};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::roving::{Start, use_roving};
use crate::ui::skeleton::Skeleton;
use crate::ui::toast::use_toasts;

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct EventsState {
    /// The address, without the open event.
    filter: Memo<EventsFilter>,
    open: Memo<Option<EventId>>,
    fetch: Fetch<(EventsFilter, Answer)>,
    /// Rows and the filter they answer.
    rows: RwSignal<(Option<EventsFilter>, Rows)>,
    more: RwSignal<bool>,
}

/// The page.
#[component]
pub fn EventsPage() -> impl IntoView {
    use_names();
    let words = use_words();
    use_page_title(move || words.get().events().title.to_owned());
    let state = use_events_state();
    let pairs = use_pairs();
    let session = Memo::new(move |_| state.filter.get().session);
    let as_tree = Memo::new(move |_| state.filter.with(|filter| filter.as_tree && filter.session.is_none()));
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
                <Views state=state />
                {move || {
                    (!as_tree.get())
                        .then(|| {
                            view! {
                                <RoleTabs filter=state.filter answer=state.fetch.data />
                                <Filters filter=state.filter answer=state.fetch.data />
                            }
                        })
                }}
                <UnknownFilter
                    unknown=Signal::derive(move || EventsFilter::unknown(&pairs.get()))
                    without=Signal::derive(move || paths::events(&state.filter.get()))
                />
                {move || session.get().is_none().then(|| view! { <BadLines /> })}
                {move || {
                    if as_tree.get() {
                        view! { <AllRuns state=state on_raw=on_raw /> }.into_any()
                    } else {
                        view! { <NewEvents state=state /> <List state=state on_raw=on_raw /> }.into_any()
                    }
                }}
            </div>
            <RawEventDrawer event=state.open on_close=raw.on_close />
        </main>
    }
}

/// The question behind a filter.
fn query(filter: &EventsFilter, now: i64) -> EventsQuery {
    EventsQuery {
        role: filter.role.into_iter().collect(),
        types: filter.event_type.iter().cloned().collect(),
        agent: filter.agent.clone(),
        session: filter.session.clone(),
        task: filter.task.clone(),
        since: filter.since.map(|since| since.earliest_ms(now)),
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
    let options = FetchOptions {
        touches: Box::new(|change, _: &EventsFilter| change.everything || change.events > 0),
        same_subject: Box::new(|a, b| a.session == b.session),
    };
    let rows = RwSignal::new((None, Rows::default()));
    let kept = use_kept("rows");
    let fetch = use_fetch(
        move || filter.with(EventsFilter::asked),
        options,
        move |source, filter: EventsFilter| {
            let fresh = rows.with_untracked(|(of, _)| of.as_ref() != Some(&filter));
            let limit = kept.get().filter(|_| fresh).map(first_page);
            let query = EventsQuery { limit, ..query(&filter, clock.now()) };
            async move { source.events(&query).await.map(|page| (filter, page)) }
        },
    );
    // Folds a series of answers into one list.
    Effect::new(move |_| {
        let Some(answer) = fetch.data.get() else { return };
        let (filter, page) = answer.as_ref();
        rows.update(|(of, rows)| {
            if of.as_ref() == Some(filter) {
                rows.refresh(page);
            } else {
                *of = Some(filter.clone());
                *rows = Rows::from_page(page);
            }
        });
    });
    // How far the reader had gone down, for Back.
    Effect::new(move |_| {
        let count = rows.with(|(_, rows)| rows.events.len());
        if count > 0 {
            kept.set(count);
        }
    });
    EventsState { filter, open, fetch, rows, more: RwSignal::new(false) }
}

/// Rows of the first page that bring back so many: as many as an answer may hold.
fn first_page(kept: usize) -> u32 {
    kept.clamp(100, 500) as u32
}

fn use_load_more(state: EventsState) -> impl Fn() + Copy + Send + Sync + 'static {
    let (hub, clock, words, toasts) = (use_hub(), use_clock(), use_words(), use_toasts());
    move || {
        let mark = state.rows.with_untracked(|(_, rows)| rows.next.clone());
        let (Some(source), Some(mark)) = (hub.source.get_untracked(), mark) else { return };
        if state.more.get_untracked() {
            return;
        }
        state.more.set(true);
        let filter = state.filter.get_untracked().asked();
        let query = EventsQuery { before: Some(mark), ..query(&filter, clock.now()) };
        spawn_local(async move {
            let answer = source.events(&query).await;
            // The page may be gone, or the filter another one.
            if state.filter.try_get_untracked().map(|now| now.asked()) != Some(filter) {
                state.more.try_set(false);
                return;
            }
            state.more.set(false);
            match answer {
                Ok(page) => state.rows.update(|(_, rows)| rows.append(&page)),
                Err(_) => toasts.failed(words.now().events().load_failed),
            }
        });
    }
}

/// The rows, or why there are none.
#[component]
fn List(state: EventsState, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_words();
    let load_more = use_load_more(state);
    let known = Memo::new(move |_| state.rows.with(|(of, _)| of.is_some()) && state.fetch.data.with(Option::is_some));
    let empty = Memo::new(move |_| state.rows.with(|(_, rows)| rows.events.is_empty()));
    let next = Memo::new(move |_| state.rows.with(|(_, rows)| rows.next.is_some()));
    let fetch = state.fetch;
    let list = NodeRef::new();
    use_roving(list, Start::First);
    move || match (known.get(), fetch.failure.get()) {
        (true, _) if empty.get() => view! { <Nothing filter=state.filter /> }.into_any(),
        (true, _) => view! {
            <div class="events-list" node_ref=list role="region" aria-label=move || words.get().events().list>
                <Items state=state on_raw=on_raw />
            </div>
            {move || {
                next.get()
                    .then(|| {
                        view! {
                            <div class="events-more">
                                <button
                                    type="button"
                                    class="button"
                                    disabled=move || state.more.get()
                                    on:click=move |_| load_more()
                                >
                                    {move || {
                                        let words = &words.get().common;
                                        if state.more.get() { words.loading } else { words.more }
                                    }}
                                </button>
                            </div>
                        }
                    })
            }}
        }
        .into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.again()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=8 label=label /> }.into_any()
        }
    }
}

#[component]
fn Items(state: EventsState, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_words();
    let items = Memo::new(move |_| state.rows.with(|(_, rows)| rows.items(time::local_day)));
    let in_session = Memo::new(move |_| state.filter.with(|filter| filter.session.is_some()));
    view! {
        <For each=move || items.get() key=|item| item.key(time::local_day) let:item>
            {match item {
                Item::Day(at) => {
                    view! { <h2 class="events-day">{move || time::day(words.locale(), at)}</h2> }.into_any()
                }
                Item::Row(row) => {
                    let id = row.id.clone();
                    let open = Signal::derive(move || state.open.with(|open| open.as_ref() == Some(&id)));
                    view! { <EventRowView row=*row on_raw=on_raw open=open in_session=in_session.get_untracked() /> }
                        .into_any()
                }
            }}
        </For>
    }
}

/// No events: because they could not be read, or because there are none.
#[component]
fn Nothing(filter: Memo<EventsFilter>) -> impl IntoView {
    let unread = use_hub().unread_source();
    move || match unread.get() {
        Some(source) => view! { <SourceEmpty source=source /> }.into_any(),
        None => view! { <NoEvents filter=filter /> }.into_any(),
    }
}

/// No events at all, or none that match.
#[component]
fn NoEvents(filter: Memo<EventsFilter>) -> impl IntoView {
    let words = use_words();
    let filtered = Memo::new(move |_| filter.with(|f| !EventsFilter { session: None, ..f.clone() }.is_empty()));
    let text = move |some: fn(&crate::i18n::messages::Events) -> &'static str,
                     none: fn(&crate::i18n::messages::Events) -> &'static str| {
        Signal::derive(move || {
            let words = words.get().events();
            if filtered.get() { some(words) } else { none(words) }.to_owned()
        })
    };
    let cleared = move || paths::events(&EventsFilter { session: filter.get().session, ..EventsFilter::default() });
    view! {
        <EmptyState
            icon=Icon::Event
            title=text(|words| words.none_match, |words| words.empty)
            text=text(|words| words.none_match_why, |words| words.empty_why)
        >
            {move || {
                filtered
                    .get()
                    .then(|| {
                        view! {
                            <a class="button" href=cleared>
                                {move || words.get().common.clear_filters}
                            </a>
                        }
                    })
            }}
        </EmptyState>
    }
}

/// The newest answer, for counts.
type AnswerData = RwSignal<Option<Arc<(EventsFilter, Answer)>>>;
