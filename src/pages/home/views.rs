//! Saved views on the home page, those of this browser and those for everybody, with the current number of items where the monitor can count them.

use coordination::api::{EventsQuery, SearchQuery, SessionsQuery};
use leptos::prelude::*;

use crate::components::hidden::Name;
use crate::components::team_views::use_team_views;
use crate::i18n::{time, use_i18n};
use crate::pages::{events, search, sessions};
use crate::queries::{FetchOptions, use_fetch};
use crate::routes::{SavableList, savable_list, view};
use crate::source::{DataSource, SourceError};
use crate::state::{SavedView, use_clock, use_reading, use_views};

/// Section with the saved views of the home page.
#[component]
pub fn HomeViews() -> impl IntoView {
    let words = use_i18n();
    let views = use_views();
    let team = use_team_views();
    let pinned = Memo::new(move |_| {
        let own = views.all().into_iter().filter(|view| view.home);
        let shared = team.on_home();
        let is_shared =
            |own: &SavedView| shared.iter().any(|(_, view)| (&view.path, &view.name) == (&own.path, &own.name));
        let mut all: Vec<(String, SavedView)> =
            own.filter(|view| !is_shared(view)).map(|view| (view.path.clone(), view)).collect();
        all.extend(shared.into_iter().map(|(id, view)| (id, SavedView::from(view))));
        all
    });
    let any_own = Memo::new(move |_| views.any_on_home());
    view! {
        <section class="home-views" aria-labelledby="home-views">
            <div class="section-head">
                <h2 id="home-views">{move || words.get().views().title}</h2>
                {move || {
                    any_own.get().then(|| {
                        view! { <span class="section-head__more dim">{move || words.get().views().stored_here}</span> }
                    })
                }}
            </div>
            <ul>
                <For each=move || pinned.get() key=|(id, view)| (id.clone(), view.path.clone(), view.name.clone()) let:view>
                    <HomeSavedView saved=view.1 />
                </For>
            </ul>
        </section>
    }
}

/// One saved view with its number of items; a dash, never a zero, when they could not be counted.
#[component]
fn HomeSavedView(saved: SavedView) -> impl IntoView {
    let words = use_i18n();
    let (clock, reading) = (use_clock(), use_reading());
    let path = saved.path.clone();
    let href = view(&saved.path);
    let counted = use_fetch(
        move || path.clone(),
        FetchOptions::refetch_on_any_change(),
        move |source, path| count(source, path, clock.now(), untrack(|| reading.floor())),
    );
    let number = move || {
        let total = counted.data.with(|total| total.as_deref().copied().flatten());
        total.map_or_else(|| "–".to_owned(), |total| time::count(words.locale(), u64::from(total)))
    };
    let failed = move || counted.failure.with(Option::is_some).then(|| words.get().views().count_failed);
    view! {
        <li>
            <a href=href>
                <Name text=saved.name />
                <span class="home-views__count" title=failed>
                    {number}
                </span>
            </a>
        </li>
    }
}

/// Number of items of a view; none where it cannot be counted: only the page knows which messages were read.
async fn count(source: DataSource, path: String, now: i64, floor: Option<i64>) -> Result<Option<u32>, SourceError> {
    match savable_list(&path) {
        Some(SavableList::Sessions(_, filter)) if filter.unread => Ok(None),
        Some(SavableList::Sessions(category, filter)) => {
            let query = sessions::to_query(&(category, filter), now, floor, 1, None);
            let query = SessionsQuery { limit: Some(1), ..query };
            Ok(Some(source.sessions(&query).await?.total))
        }
        Some(SavableList::Events(filter)) if filter.as_tree && filter.session.is_none() => {
            Ok(Some(source.delegations(None, &events::runs_query(&filter, now, 1)).await?.total))
        }
        Some(SavableList::Events(filter)) => {
            let query = EventsQuery { limit: Some(1), ..events::events_query(&filter, now) };
            Ok(Some(source.events(&query).await?.total))
        }
        Some(SavableList::Search(filter)) if !filter.q.is_empty() => {
            let query = SearchQuery { limit: Some(1), ..search::to_query(&filter, now, 1, None) };
            Ok(Some(source.search(&query).await?.total))
        }
        _ => Ok(None),
    }
}
