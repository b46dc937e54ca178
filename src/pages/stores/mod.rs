//! List of the sessions in OpenClaw's own stores, with kind, model, tokens and last message. The filters are in the
//! URL. Stores that were not read in full are shown above the list, so that a failed read never looks like an empty
//! list.

mod archived;
mod listed;
mod places;
mod row;
mod rows;
mod tools;

use archived::ArchivedTranscripts;
use coordination::api::{StoreList, StoreQuery};
use coordination::store::PlaceState;
use leptos::prelude::*;
use places::Places;
use rows::StoreRows;
use tools::StoreFilterBar;

use super::failure::Failure;
use super::unknown_filter::UnknownFilter;
use crate::i18n::messages::StoresMessages;
use crate::i18n::{time, use_i18n};
use crate::queries::{
    Fetch, FetchOptions, StoredQuery, poll_while_visible, refetch_after_changes, use_fetch, use_page_title, use_pairs,
    use_stored_query,
};
use crate::routes::{Since, StoresFilter, paths};
use crate::source::SourceError;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// Rows to request, each time the user wants more.
const ROW_LIMITS: [u32; 4] = [200, 1_000, 5_000, 10_000];

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct StoresState {
    filter: Memo<StoresFilter>,
    fetch: Fetch<StoreList>,
    /// Which of the steps.
    step: RwSignal<usize>,
    stored_step: StoredQuery,
}

/// The query of a filter.
fn to_query(filter: &StoresFilter, step: usize) -> StoreQuery {
    let minutes = |since: Since| match since {
        Since::Hour => 60,
        Since::SixHours => 360,
        Since::Day => 1_440,
        Since::Week => 10_080,
    };
    StoreQuery {
        kinds: filter.kinds.clone(),
        agent: filter.agent.clone(),
        active_minutes: filter.since.map(minutes),
        search: filter.q.clone(),
        limit: ROW_LIMITS.get(step).or(ROW_LIMITS.last()).copied(),
        archived: filter.archived,
        include_derived_titles: true,
        include_last_message: true,
        ..StoreQuery::default()
    }
}

/// The page of `/sessions`.
#[component]
pub fn StoresPage() -> impl IntoView {
    let words = use_i18n();
    let pairs = use_pairs();
    let filter = Memo::new(move |_| pairs.with(|pairs| StoresFilter::from_pairs(pairs)));
    let stored_step = use_stored_query("rows");
    let step = RwSignal::new(stored_step.get().unwrap_or_default());
    Effect::new(move |_| {
        filter.track();
        step.set(stored_step.get().unwrap_or_default());
    });
    let key = move || to_query(&filter.get(), step.get());
    // An answer reads two ends of every transcript that it names: changes are collected before the next request.
    let options = FetchOptions::ignore_live_changes();
    let fetch = use_fetch(key, options, |source, query: StoreQuery| async move { source.stores(&query).await });
    poll_while_visible(fetch);
    refetch_after_changes(fetch);
    let state = StoresState { filter, fetch, step, stored_step };
    use_page_title(move || words.get().stores().title.to_owned());
    let known = Memo::new(move |_| fetch.data.with(Option::is_some));
    let total = Memo::new(move |_| fetch.data.with(|list| list.as_ref().map(|list| list.total_count)));
    let count = move || {
        let locale = words.locale();
        total.get().map(|n| format!(" · {}", (words.get().stores().count)(&time::count(locale, n as u64))))
    };
    view! {
        <main id="main" class="stores-page" tabindex="-1">
            <header class="list-head">
                <h1>{move || words.get().stores().title}</h1>
                <p role="status">
                    {move || words.get().stores().subtitle}
                    {count}
                </p>
            </header>
            <UnknownFilter
                unknown=Signal::derive(move || StoresFilter::unknown(&pairs.get()))
                without=Signal::derive(move || paths::stores(&filter.get()))
            />
            {move || match (known.get(), fetch.failure.get()) {
                (true, _) => view! {
                    <StoreFilterBar state=state />
                    <Places state=state />
                    <StoreListBody state=state />
                    <ArchivedTranscripts state=state />
                }
                .into_any(),
                (false, Some(SourceError::Unsupported)) => view! { <OldMonitor /> }.into_any(),
                (false, Some(error)) => {
                    view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
                }
                (false, None) => {
                    let label = Signal::derive(move || words.get().common.loading.to_owned());
                    view! { <Skeleton rows=8 label=label /> }.into_any()
                }
            }}
        </main>
    }
}

/// Empty state for a monitor that does not read stores.
#[component]
pub(super) fn OldMonitor() -> impl IntoView {
    let words = use_i18n();
    view! {
        <EmptyState
            icon=Icon::Archive
            title=Signal::derive(move || words.get().stores().old_monitor.0.to_owned())
            text=Signal::derive(move || words.get().stores().old_monitor.1.to_owned())
        />
    }
}

/// Stored sessions with a button for more, or an empty state.
#[component]
fn StoreListBody(state: StoresState) -> impl IntoView {
    let words = use_i18n();
    let any =
        Memo::new(move |_| state.fetch.data.with(|list| list.as_ref().is_some_and(|list| !list.sessions.is_empty())));
    let part = Memo::new(move |_| {
        state.fetch.data.with(|list| {
            let list = list.as_ref().filter(|list| list.has_more)?;
            Some((list.count as u64, list.total_count as u64))
        })
    });
    let more = move |_| {
        // A second press is the same wish. It is never disabled: lists are refetched at any moment, and a press during
        // a request would be lost.
        let wanted = ROW_LIMITS.get(state.step.get_untracked()).map_or(0, |rows| *rows as usize);
        if state.fetch.data.with_untracked(|list| list.as_ref().is_none_or(|list| list.count < wanted)) {
            return;
        }
        state.step.update(|step| *step = (*step + 1).min(ROW_LIMITS.len() - 1));
        state.stored_step.set(state.step.get_untracked());
    };
    view! {
        {move || any.get().then(|| view! { <StoreRows state=state /> })}
        {move || (!any.get()).then(|| view! { <StoresEmpty state=state /> })}
        {move || {
            part.get().map(|(here, all)| {
                let count_text = move || {
                    let locale = words.locale();
                    (words.get().stores().here_of)(&time::count(locale, here), &time::count(locale, all))
                };
                let last = move || state.step.get() + 1 >= ROW_LIMITS.len();
                view! {
                    <p class="task-more" role="status">
                        {count_text} " "
                        {move || (!last()).then(|| view! {
                            <button type="button" class="link" on:click=more>
                                {move || words.get().common.more}
                            </button>
                        })}
                    </p>
                }
            })
        }}
    }
}

/// Empty state of the list: filters, unreadable stores, or no sessions.
#[component]
fn StoresEmpty(state: StoresState) -> impl IntoView {
    let words = use_i18n();
    let filtered = Memo::new(move |_| !state.filter.with(StoresFilter::is_empty));
    let unread = Memo::new(move |_| {
        state.fetch.data.with(|list| {
            let places = list.iter().flat_map(|list| &list.places);
            places.into_iter().any(|place| !matches!(place.standing, PlaceState::Read | PlaceState::Partial { .. }))
        })
    });
    let texts = move || -> fn(&StoresMessages) -> (&'static str, &'static str) {
        match (filtered.get(), unread.get(), state.filter.with(|filter| filter.archived)) {
            (_, true, _) => |words| words.none_read,
            (true, ..) => |words| words.none_match,
            (_, _, true) => |words| words.empty_archived,
            _ => |words| words.empty,
        }
    };
    view! {
        <EmptyState
            icon=Icon::Archive
            title=Signal::derive(move || texts()(words.get().stores()).0.to_owned())
            text=Signal::derive(move || texts()(words.get().stores()).1.to_owned())
        >
            {move || {
                filtered.get().then(|| view! {
                    <a class="button" href=paths::stores(&StoresFilter::default())>
                        {move || words.get().common.clear_filters}
                    </a>
                })
            }}
        </EmptyState>
    }
}
