//! Search page: one field, its parsed query, and the results, best first. The whole query is in the URL. New results
//! wait behind a button, so that the visible results keep their order.

mod chips;
mod facets;
mod field;
pub(super) mod hit;
mod nothing;
mod offers;
mod results;
mod saved;
mod values;
mod written;
mod wrong;

use coordination::api::{ErrorBody, SearchHit, SearchKind, SearchPage as Page, SearchQuery};
use leptos::prelude::*;

use self::chips::Clauses;
use self::facets::FacetPanel;
use self::field::SearchCombobox;
use self::results::SearchBody;
use self::saved::SaveSearch;
use self::wrong::Wrong;
use super::unknown_filter::UnknownFilter;
use crate::components::views::{SavedViews, SharedView};
use crate::i18n::{time, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch, use_page_title, use_pairs, use_stored_query};
use crate::routes::{SearchFilter, paths};
use crate::source::SourceError;
use crate::state::use_clock;

/// Hits of a page.
const PAGE_HITS: u32 = 30;
/// Maximum number of hits in one request, so that a live answer covers the screen.
const MAX_PAGE_HITS: u32 = 100;

/// Result of a query.
enum SearchOutcome {
    /// No query.
    Blank,
    /// The query cannot be read; where and why.
    Refused(ErrorBody),
    Page(Page),
}

/// A query and its result: while the next one is pending, the result of the last is shown.
type SearchAnswer = (SearchFilter, SearchOutcome);

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct SearchState {
    filter: Memo<SearchFilter>,
    fetch: Fetch<SearchAnswer>,
    /// Hits on screen, in the order they were first shown.
    shown: RwSignal<Vec<SearchHit>>,
    /// Their query, and how many hits there were.
    of: RwSignal<Option<(SearchFilter, u32)>>,
    /// Hits that came since and wait behind the pill.
    news: RwSignal<u32>,
    next: RwSignal<Option<String>>,
    more_busy: RwSignal<bool>,
}

impl SearchState {
    /// Reads the newest page of hits; none before the first answer. Reactive.
    fn page<T>(self, look: impl FnOnce(&SearchFilter, &Page) -> T) -> Option<T> {
        self.fetch.data.with(|answer| match &**answer.as_ref()? {
            (filter, SearchOutcome::Page(page)) => Some(look(filter, page)),
            _ => None,
        })
    }

    /// The shown result belongs to another query than the one in the address. Reactive.
    fn behind(self) -> bool {
        let filter = self.filter.get();
        self.fetch.data.with(|answer| answer.as_ref().is_some_and(|answer| answer.0 != filter))
    }

    /// Shows a page as it is.
    fn show(self, filter: &SearchFilter, page: &Page) {
        self.news.set(0);
        self.next.set(page.next.clone());
        self.of.set(Some((filter.clone(), page.total)));
        self.shown.set(page.hits.clone());
    }
}

/// A hit's name among the others.
pub(super) fn name(hit: &SearchHit) -> String {
    let id = match hit.kind {
        SearchKind::Sessions => hit.session_id.as_ref().map(ToString::to_string),
        SearchKind::Messages | SearchKind::Events => hit.event_id.as_ref().map(ToString::to_string),
        SearchKind::Tasks => {
            let owner = hit.from.as_ref().map(ToString::to_string).unwrap_or_default();
            hit.task_id.as_ref().map(|task| format!("{owner} {task}"))
        }
        SearchKind::Agents => hit.from.as_ref().map(ToString::to_string),
        SearchKind::Notes => hit.record_id.clone(),
    };
    format!("{} {}", hit.kind.as_str(), id.unwrap_or_default())
}

/// The query of an address.
pub(super) fn to_query(filter: &SearchFilter, now: i64, limit: u32, after: Option<String>) -> SearchQuery {
    SearchQuery {
        q: filter.q.clone(),
        within: filter.within.into_iter().collect(),
        limit: Some(limit),
        after,
        offset_min: time::offset_east(now),
    }
}

/// The page of `/search`.
#[component]
pub fn SearchResultsPage() -> impl IntoView {
    let words = use_i18n();
    let pairs = use_pairs();
    let filter = Memo::new(move |_| pairs.with(|pairs| SearchFilter::from_pairs(pairs)));
    use_page_title(move || {
        let words = words.get().search();
        let q = filter.with(|filter| coordination::text::hidden::marked(&filter.q).into_owned());
        if q.is_empty() { words.title.to_owned() } else { (words.title_of)(&q) }
    });
    let search = use_search(filter);
    let address = Signal::derive(move || paths::search(&filter.get()));
    view! {
        <main id="main" class="page search-page" tabindex="-1">
            <h1 class="visually-hidden">{move || words.get().search().title}</h1>
            <div class="search-head">
                <SearchCombobox search=search />
                <SavedViews path=address />
                <SaveSearch search=search />
            </div>
            <Wrong search=search />
            <Clauses search=search />
            <SharedView path=address />
            <UnknownFilter
                unknown=Signal::derive(move || SearchFilter::unknown(&pairs.get()))
                without=address
            />
            <SearchBody search=search />
            <FacetPanel search=search />
        </main>
    }
}

fn use_search(filter: Memo<SearchFilter>) -> SearchState {
    let clock = use_clock();
    let stored = use_stored_query("hits");
    let shown = RwSignal::new(Vec::<SearchHit>::new());
    let shown_query = RwSignal::new(None::<(SearchFilter, u32)>);
    // How far the user had gone down, for Back.
    Effect::new(move |_| {
        let count = shown.with(Vec::len);
        if count > 0 {
            stored.set(count);
        }
    });
    let fetch = use_fetch(
        move || filter.get(),
        FetchOptions::refetch_on_any_change(),
        move |source, filter: SearchFilter| {
            let same = shown_query.with_untracked(|query| query.as_ref().is_some_and(|(shown, _)| *shown == filter));
            let rows = if same { shown.with_untracked(Vec::len) } else { stored.get().unwrap_or_default() };
            let limit = (rows as u32).div_ceil(PAGE_HITS).max(1) * PAGE_HITS;
            let query = to_query(&filter, clock.now(), limit.min(MAX_PAGE_HITS), None);
            async move {
                if filter.q.is_empty() {
                    return Ok((filter, SearchOutcome::Blank));
                }
                match source.search(&query).await {
                    Ok(page) => Ok((filter, SearchOutcome::Page(page))),
                    Err(SourceError::Api { status: 400, body }) if body.field.as_deref() == Some("q") => {
                        Ok((filter, SearchOutcome::Refused(body)))
                    }
                    Err(error) => Err(error),
                }
            }
        },
    );
    let search = SearchState {
        filter,
        fetch,
        shown,
        of: shown_query,
        news: RwSignal::new(0),
        next: RwSignal::new(None),
        more_busy: RwSignal::new(false),
    };
    keep_still(search);
    search
}

/// Another query replaces the hits; a newer answer to the same one updates them in place.
fn keep_still(search: SearchState) {
    Effect::new(move |_| {
        let Some(answer) = search.fetch.data.get() else { return };
        let (filter, SearchOutcome::Page(page)) = &*answer else {
            search.of.set(None);
            search.shown.set(Vec::new());
            return;
        };
        let before = search.of.get_untracked().filter(|(of, _)| of == filter);
        let Some((_, total)) = before else {
            search.show(filter, page);
            return;
        };
        let shown = search.shown.get_untracked();
        search.news.set(news(&shown, total, page));
        let newest = |hit: &SearchHit| page.hits.iter().find(|other| name(other) == name(hit)).unwrap_or(hit).clone();
        let updated: Vec<SearchHit> = shown.iter().map(newest).collect();
        if updated != shown {
            search.shown.set(updated);
        }
    });
}

/// How many hits a newer answer has that are not on screen and are newer than all that are.
fn news(shown: &[SearchHit], total: u32, page: &Page) -> u32 {
    let newest = shown.iter().filter_map(|hit| hit.at).max();
    let fresh = |hit: &&SearchHit| hit.at > newest && shown.iter().all(|other| name(other) != name(hit));
    let fresh = page.hits.iter().filter(fresh).count() as u32;
    page.total.saturating_sub(total).max(fresh)
}
