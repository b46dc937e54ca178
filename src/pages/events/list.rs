//! Flat event list. A burst (similar events in a row) is one line that can be unfolded. Only rows near the viewport are
//! rendered. Without rows the list shows the reason.

use std::collections::HashMap;
use std::sync::Arc;

use coordination::ids::EventId;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::{EventsState, events_query};
use crate::components::event::list::{BurstLine, EventListItem, EventRun};
use crate::components::event::{BurstRow, EventRowView};
use crate::components::origin::{OriginNote, OriginShare};
use crate::components::source_empty::SourceEmpty;
use crate::i18n::{time, use_i18n};
use crate::pages::failure::Failure;
use crate::queries::use_go;
use crate::routes::{EventsFilter, paths};
use crate::state::{use_clock, use_hub};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::keyed::Keyed;
use crate::ui::roving::{Start, use_roving};
use crate::ui::selectors::{EVENT, EVENTS_LIST_ROW};
use crate::ui::skeleton::Skeleton;
use crate::ui::stretch::Stretch;
use crate::ui::toast::use_toasts;

/// Rows of a further page where one burst fills it, or where Back wants many.
const LARGE_PAGE_ROWS: u32 = 500;

fn use_load_more(state: EventsState) -> impl Fn() + Copy + Send + Sync + 'static {
    let (hub, clock, words, toasts) = (use_hub(), use_clock(), use_i18n(), use_toasts());
    move || {
        let mark = state.rows.with_untracked(|(_, rows)| rows.next.clone());
        let (Some(source), Some(mark)) = (hub.source.get_untracked(), mark) else { return };
        if state.more.get_untracked() {
            return;
        }
        state.more.set(true);
        let filter = state.filter.get_untracked().list_filter();
        let in_burst = state.items.with_untracked(|items| {
            items
                .iter()
                .rev()
                .take(LARGE_PAGE_ROWS as usize)
                .any(|item| matches!(item, EventListItem::Burst(burst) if burst.open_ended))
        });
        let limit = Some(LARGE_PAGE_ROWS).filter(|_| in_burst || untrack(|| state.behind()));
        let query = coordination::api::EventsQuery { before: Some(mark), limit, ..events_query(&filter, clock.now()) };
        spawn_local(async move {
            let answer = source.events(&query).await;
            // The page may be gone, or the filter another one.
            if state.filter.try_get_untracked().map(|now| now.list_filter()) != Some(filter) {
                state.more.try_set(false);
                return;
            }
            state.more.set(false);
            match answer {
                Ok(page) => {
                    keep_focus(state.items);
                    state.rows.update(|(_, rows)| rows.append(&page));
                }
                Err(_) => {
                    state.wanted.set(0);
                    toasts.failed(words.now().events().load_failed);
                }
            }
        });
    }
}

/// Called before rows change: the row with the focus may become part of a burst, whose line then has it.
pub(super) fn keep_focus(items: Memo<Vec<EventListItem>>) {
    let row = document().active_element().and_then(|focused| focused.closest(EVENTS_LIST_ROW).ok().flatten());
    let Some(name) = row.and_then(|row| row.get_attribute(EVENT)) else { return };
    request_animation_frame(move || {
        let lost = document().active_element().is_none_or(|focused| focused.tag_name() == "BODY");
        let Some(true) = items.try_with_untracked(|_| lost) else { return };
        let of_burst = items.with_untracked(|items| {
            let mut bursts =
                items.iter().filter_map(|item| if let EventListItem::Burst(burst) = item { Some(burst) } else { None });
            bursts.find(|burst| burst.ids.iter().any(|id| id.as_str() == name)).map(|burst| burst.name())
        });
        if let Some(row) = drawn(&name).or_else(|| drawn(&of_burst?)) {
            row.focus().unwrap_or_default();
        }
    });
}

/// The row of this name, when it is on the page.
fn drawn(name: &str) -> Option<web_sys::HtmlElement> {
    let rows = document().query_selector_all(EVENTS_LIST_ROW).ok()?;
    let rows = (0..rows.length()).filter_map(|at| rows.item(at)?.dyn_into::<web_sys::HtmlElement>().ok());
    rows.into_iter().find(|row| row.get_attribute(EVENT).as_deref() == Some(name))
}

/// Events with a button for more, or the reason why there are none: loading, a failure, or an empty list.
#[component]
pub(super) fn EventList(state: EventsState, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_i18n();
    let load_more = use_load_more(state);
    let known = Memo::new(move |_| state.rows.with(|(of, _)| of.is_some()) && state.fetch.data.with(Option::is_some));
    let empty = Memo::new(move |_| state.rows.with(|(_, rows)| rows.events.is_empty()));
    let next = Memo::new(move |_| state.rows.with(|(_, rows)| rows.next.is_some()));
    let origin_share = Memo::new(move |_| {
        state.rows.with(|(_, rows)| OriginShare::from_origins(rows.events.iter().map(|row| row.origin)))
    });
    // As many rows as there were when the page was left: pages are requested one after the other.
    let behind = Memo::new(move |_| state.rows.with(|(of, _)| of.is_some()) && state.behind());
    Effect::new(move |_| {
        if behind.get() && !state.more.get() {
            load_more();
        }
    });
    let fetch = state.fetch;
    let list = NodeRef::new();
    use_roving(list, Start::First);
    let further = move || {
        if behind.get() {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            return view! { <Skeleton rows=3 label=label /> }.into_any();
        }
        let label = move || {
            let words = &words.get().common;
            if state.more.get() { words.loading } else { words.more }
        };
        view! {
            <div class="events-more">
                <button type="button" class="button" disabled=move || state.more.get() on:click=move |_| load_more()>
                    {label}
                </button>
            </div>
        }
        .into_any()
    };
    move || match (known.get(), fetch.failure.get()) {
        (true, _) if empty.get() => view! { <EventsEmpty filter=state.filter /> }.into_any(),
        (true, _) => view! {
            <OriginNote share=origin_share />
            <div class="events-list" node_ref=list role="region" aria-label=move || words.get().events().list>
                <EventRunList state=state origin_share=origin_share on_raw=on_raw />
            </div>
            {move || next.get().then(further)}
        }
        .into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=8 label=label /> }.into_any()
        }
    }
}

/// What rows need.
#[derive(Clone, Copy)]
struct EventRowContext {
    open: Memo<Option<EventId>>,
    bursts: Memo<HashMap<String, Arc<BurstLine>>>,
    origin_share: Memo<OriginShare>,
    on_raw: Callback<EventId>,
    on_turn: Callback<Vec<EventId>>,
    in_session: bool,
}

/// Runs of rows. Each run is drawn while it is near the viewport.
#[component]
fn EventRunList(state: EventsState, origin_share: Memo<OriginShare>, on_raw: Callback<EventId>) -> impl IntoView {
    let go = use_go();
    let runs = Memo::new(move |_| {
        let runs = state.items.with(|items| crate::components::event::list::runs(items.clone()));
        runs.into_iter().map(|run| (run.key.clone(), Arc::new(run))).collect::<Vec<_>>()
    });
    let by_key = Memo::new(move |_| runs.with(|runs| runs.iter().cloned().collect::<HashMap<_, _>>()));
    let bursts = Memo::new(move |_| {
        state.items.with(|items| {
            let bursts =
                items.iter().filter_map(|item| if let EventListItem::Burst(burst) = item { Some(burst) } else { None });
            bursts.map(|burst| (burst.name(), burst.clone())).collect::<HashMap<_, _>>()
        })
    });
    let on_turn = Callback::new(move |ids: Vec<EventId>| {
        go.refine(&paths::events(&state.filter.get_untracked().turn_burst(&ids)));
    });
    let in_session = state.filter.with_untracked(|filter| filter.session.is_some());
    let draw = EventRowContext { open: state.open, bursts, origin_share, on_raw, on_turn, in_session };
    let keys = Signal::derive(move || runs.with(|runs| runs.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>()));
    let run = move |key: String| {
        let run = Memo::new(move |before: Option<&Option<Arc<EventRun>>>| {
            by_key.with(|runs| runs.get(&key).cloned()).or_else(|| before.cloned().flatten())
        });
        view! { <RunOf run=run draw=draw /> }.into_any()
    };
    view! { <Keyed each=keys key=String::clone draw=Box::new(run) /> }
}

/// One run of rows, below a heading when a day begins with it.
#[component]
fn RunOf(run: Memo<Option<Arc<EventRun>>>, draw: EventRowContext) -> impl IntoView {
    let words = use_i18n();
    let day = Memo::new(move |_| run.with(|run| run.as_ref().and_then(|run| run.day)));
    let items = Signal::derive(move || run.with(|run| run.as_ref().map(|run| run.items.clone()).unwrap_or_default()));
    let rows = move || {
        view! { <Keyed each=items key=EventListItem::key draw=Box::new(move |item| line(item, draw)) /> }.into_any()
    };
    view! {
        <div>
            {move || day.get().map(|at| view! { <h2 class="events-day">{move || time::day(words.locale(), at)}</h2> })}
            <Stretch draw=Box::new(rows) items=false />
        </div>
    }
}

fn line(item: EventListItem, draw: EventRowContext) -> AnyView {
    let EventRowContext { open, bursts, origin_share, on_raw, on_turn, in_session } = draw;
    match item {
        EventListItem::Day(_) => ().into_any(),
        EventListItem::Burst(first) => {
            let name = first.name();
            let burst = Memo::new(move |before: Option<&Arc<BurstLine>>| {
                let now = bursts.with(|bursts| bursts.get(&name).cloned());
                now.unwrap_or_else(|| before.cloned().unwrap_or_else(|| first.clone()))
            });
            view! { <BurstRow burst=burst on_turn=on_turn in_session=in_session origin_share=origin_share /> }
                .into_any()
        }
        EventListItem::Row { row, within } => {
            let id = row.id.clone();
            let open = Signal::derive(move || open.with(|open| open.as_ref() == Some(&id)));
            view! {
                <EventRowView
                    row=(*row).clone()
                    on_raw=on_raw
                    open=open
                    in_session=in_session
                    within=within
                    origin_share=origin_share
                />
            }
            .into_any()
        }
    }
}

/// Empty state of the list: an unreadable source, or no events.
#[component]
fn EventsEmpty(filter: Memo<EventsFilter>) -> impl IntoView {
    let unread = use_hub().unread_source();
    move || match unread.get() {
        Some(source) => view! { <SourceEmpty source=source /> }.into_any(),
        None => view! { <NoEvents filter=filter /> }.into_any(),
    }
}

/// Empty state without events, or without events that match the filters.
#[component]
fn NoEvents(filter: Memo<EventsFilter>) -> impl IntoView {
    let words = use_i18n();
    let filtered = Memo::new(move |_| filter.with(|f| !EventsFilter { session: None, ..f.clone() }.is_empty()));
    let text = move |some: fn(&crate::i18n::messages::EventsMessages) -> &'static str,
                     none: fn(&crate::i18n::messages::EventsMessages) -> &'static str| {
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
