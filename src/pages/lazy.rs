//! Lazily loaded pages, split into the wasm chunks `talk` and `work` (`crate::lazy_chunks`). Placeholder lines are
//! shown until the chunk is loaded. A button retries a failed load. Shortly after the start, the remaining chunks are
//! preloaded.

use std::pin::Pin;

use futures::FutureExt;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::i18n::use_i18n;
use crate::lazy_chunks::{ChunkLoadError, lazy_chunk};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// The first page has the line to itself for this long.
const AHEAD_MS: u32 = 1_500;

/// A chunk on its way.
pub type Loading<T> = Pin<Box<dyn Future<Output = Result<T, ChunkLoadError>>>>;

/// `chunk page = path::to::Component;` makes `fn page() -> AnyView`, which draws the component of a chunk, and adds the
/// page to `PAGES`, in the order in which they are loaded ahead. Paths begin at `crate::pages`. The chunk's functions
/// are in a module named like the page: the split mark is made of the page's name in the line.
macro_rules! lazy_pages {
    ($($(#[$doc:meta])* $chunk:ident $page:ident = $($component:ident)::+;)*) => {
        $(
            mod $page {
                use leptos::prelude::{AnyView, IntoAny};

                use crate::lazy_chunks::{ChunkLoadError, lazy_chunk};

                lazy_chunk!(
                    $chunk,
                    load_chunk,
                    pub(super) fn $page() -> AnyView {
                        crate::pages::$($component)::+().into_any()
                    }
                );

                pub(super) fn load() -> super::Loading<()> {
                    Box::pin(async { load_chunk().await.map_err(|_| ChunkLoadError) })
                }
            }

            $(#[$doc])*
            pub fn $page() -> AnyView {
                lazy_page($page::load, || Box::pin($page::$page()), main_part)
            }
        )*

        const PAGES: &[fn() -> Loading<()>] = &[$($page::load),*];
    };
}

lazy_pages! {
    /// Sessions of a category, or all.
    talk sessions_page = sessions::SessionListPage;
    /// A session and its threads.
    talk session_page = session::SessionPage;
    /// What is found everywhere.
    talk search_page = search::SearchResultsPage;
    /// The flow of a session.
    work flow_page = flow::FlowPage;
    /// Events.
    work events_page = events::EventListPage;
    /// Tasks.
    work tasks_page = tasks::TaskListPage;
    /// Agents.
    work agents_page = agents::AgentListPage;
    /// One agent.
    work agent_page = agents::AgentPage;
    /// Sessions of OpenClaw's own stores.
    talk stores_page = stores::StoresPage;
    /// The history of one of them.
    talk store_page = store::StorePage;
    /// The history of an archived session.
    talk archive_page = store::ArchivePage;
    /// The record of category changes.
    work audit_page = audit::AuditPage;
    /// The drift of the automatic filing.
    work drift_page = drift::DriftPage;
    /// What the classifier was taught.
    work rules_page = rules::RulesPage;
}

lazy_chunk!(
    talk,
    load_home_views,
    fn home_views_part() -> AnyView {
        super::home::views::HomeViews().into_any()
    }
);

/// The reader's views on home: part of a page.
pub fn home_views() -> AnyView {
    let load = || -> Loading<()> { Box::pin(async { load_home_views().await.map_err(|_| ChunkLoadError) }) };
    lazy_page(load, || Box::pin(home_views_part()), |content| content)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Loading,
    There,
    Failed,
}

/// Where a page's own main part will be.
fn main_part(content: AnyView) -> AnyView {
    view! {
        <main id="main" class="page" tabindex="-1">
            {content}
        </main>
    }
    .into_any()
}

/// What `draw` gives, once `load` is done; until then `frame` holds the placeholder.
pub fn lazy_page(
    load: fn() -> Loading<()>,
    draw: impl Fn() -> Loading<AnyView> + Send + 'static,
    frame: fn(AnyView) -> AnyView,
) -> AnyView {
    lazy_page_boxed(load, Box::new(draw), frame)
}

/// The same, compiled once and not once a page.
fn lazy_page_boxed(
    load: fn() -> Loading<()>,
    draw: Box<dyn Fn() -> Loading<AnyView> + Send>,
    frame: fn(AnyView) -> AnyView,
) -> AnyView {
    // A chunk that is loaded answers at once: no placeholder then.
    if let Some(Ok(page)) = draw().now_or_never() {
        return page;
    }
    let words = use_i18n();
    let stage = RwSignal::new(Stage::Loading);
    let fetch = move || {
        stage.set(Stage::Loading);
        spawn_local(async move {
            let loaded = load().await;
            stage.try_set(if loaded.is_ok() { Stage::There } else { Stage::Failed });
        });
    };
    fetch();
    // Pages look at the address and the state, which belong to the owner of this very route.
    let owner = Owner::current();
    (move || match stage.get() {
        Stage::There => {
            let page = || untrack(|| draw().now_or_never()).and_then(Result::ok);
            owner.as_ref().map_or_else(page, |owner| owner.with(page)).into_any()
        }
        Stage::Loading => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            frame(view! { <Skeleton rows=7 label=label /> }.into_any())
        }
        Stage::Failed => frame(view! { <Unloaded on_retry=Callback::new(move |()| fetch()) /> }.into_any()),
    })
    .into_any()
}

/// Why there is no page: no connection, or a newer dashboard has taken this one's place.
#[component]
fn Unloaded(on_retry: Callback<()>) -> impl IntoView {
    let words = use_i18n();
    let reload = move |_| window().location().reload().unwrap_or_default();
    view! {
        <EmptyState
            icon=Icon::Warn
            title=Signal::derive(move || words.get().common.load_failed.to_owned())
            text=Signal::derive(move || words.get().common.part_missing.to_owned())
            failed=true
        >
            <button type="button" class="button is-primary" on:click=move |_| on_retry.run(())>
                {Icon::Retry}
                {move || words.get().common.retry}
            </button>
            <button type="button" class="button" on:click=reload>
                {move || words.get().common.reload}
            </button>
        </EmptyState>
    }
}

/// Loads all pages and then `others` ahead, one after the other. A failure does not matter yet: opening one loads it
/// again.
pub fn fetch_ahead(others: &'static [fn() -> Loading<()>]) {
    spawn_local(async move {
        TimeoutFuture::new(AHEAD_MS).await;
        for load in PAGES.iter().chain(others) {
            load().await.unwrap_or_default();
        }
    });
}
