//! Lazily loaded pages, split into two wasm chunks (`crate::lazy_chunks`): `talk`, with all pages of an evidence page,
//! and `work`, which is left out of one. Placeholder lines are shown until the chunk is loaded. A button retries a failed
//! load. Shortly after the start, the remaining chunks are preloaded.

use std::pin::Pin;

use coordination::api::SourceInfo;
use coordination::ids::AgentId;
use futures::FutureExt;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::files_offer::FilesOffer;
use crate::components::hooks_offer::{HooksOffers, HooksOffersProps};
use crate::components::recap::{RecapPanel, RecapPanelProps};
use crate::components::wait_tree::{WaitTree, WaitTreeProps};
use crate::i18n::use_i18n;
use crate::lazy_chunks::{ChunkLoadError, lazy_chunk};
use crate::queries::use_page_title;
use crate::routes::{is_evidence_page, paths};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// Delay before the other chunks are preloaded, so that the first page has the connection to itself.
const PRELOAD_DELAY_MS: u32 = 1_500;

/// Future of a chunk that is being loaded.
pub type Loading<T> = Pin<Box<dyn Future<Output = Result<T, ChunkLoadError>>>>;

/// `page: path::to::Component in chunk;` makes `pub fn page() -> AnyView`, which loads the wasm chunk and draws the
/// component. Paths begin at `crate::pages`. It also adds the page to `PAGES`, in the order in which they are preloaded.
/// The chunk's functions are in a module named like the page: the split mark is made of the page's name in the line.
macro_rules! lazy_pages {
    ($($(#[$doc:meta])* $page:ident: $($component:ident)::+ in $chunk:ident;)*) => {
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
                if is_left_out(stringify!($chunk)) {
                    return main_part(view! { <NotInEvidence /> }.into_any());
                }
                lazy_page($page::load, || Box::pin($page::$page()), main_part)
            }
        )*

        const PAGES: &[(&str, fn() -> Loading<()>)] = &[$((stringify!($chunk), $page::load)),*];
    };
}

lazy_pages! {
    /// Sessions of a category, or all.
    session_list_page: sessions::SessionListPage in talk;
    /// A session and its threads.
    session_page: session::SessionPage in talk;
    /// Search results of all kinds.
    search_page: search::SearchResultsPage in talk;
    /// The flow of a session.
    flow_page: flow::FlowPage in talk;
    /// Events.
    events_page: events::EventListPage in talk;
    /// The machines of a fleet, and their sessions.
    fleet_page: fleet::FleetDashboard in work;
    /// Events, tasks, agents and drift of a fleet.
    fleet_work_page: fleet::FleetWorkPage in work;
    /// A permission request, to answer it.
    permission_page: permission::PermissionPage in work;
    /// Tasks.
    tasks_page: tasks::TaskListPage in work;
    /// Agents.
    agents_page: agents::AgentListPage in work;
    /// One agent.
    agent_page: agents::AgentPage in work;
    /// Session list of OpenClaw's stores.
    stored_sessions_page: stores::StoresPage in work;
    /// History of a stored session.
    stored_session_page: store::StorePage in work;
    /// History of an archived session.
    archived_session_page: store::ArchivePage in work;
    /// Audit log of category changes.
    audit_page: audit::AuditPage in work;
    /// Drift of the automatic categories.
    drift_page: drift::DriftPage in work;
    /// Rules of alerts.
    alert_rules_page: alert_rules::AlertRulesPage in work;
    /// Classifier rules that people taught.
    rules_page: rules::RulesPage in work;
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

lazy_chunk!(
    talk,
    load_recap,
    fn recap_part(since: i64) -> AnyView {
        RecapPanel(RecapPanelProps { since }).into_any()
    }
);

/// What changed since a moment, on home: part of a page.
pub fn recap(since: i64) -> AnyView {
    let load = || -> Loading<()> { Box::pin(async { load_recap().await.map_err(|_| ChunkLoadError) }) };
    lazy_page(load, move || Box::pin(recap_part(since)), |content| content)
}

lazy_chunk!(
    talk,
    load_hooks_offer,
    fn hooks_offer_part(source: SourceInfo) -> AnyView {
        HooksOffers(HooksOffersProps { source }).into_any()
    }
);

/// The offer to install hooks on home: part of a page.
pub fn hooks_offer(source: SourceInfo) -> AnyView {
    let load = || -> Loading<()> { Box::pin(async { load_hooks_offer().await.map_err(|_| ChunkLoadError) }) };
    lazy_page(load, move || Box::pin(hooks_offer_part(source.clone())), |content| content)
}

lazy_chunk!(
    local,
    load_files_offer,
    fn files_offer_part() -> AnyView {
        FilesOffer().into_any()
    }
);

/// The offer to open files on home: part of a page.
pub fn files_offer() -> AnyView {
    let load = || -> Loading<()> { Box::pin(async { load_files_offer().await.map_err(|_| ChunkLoadError) }) };
    lazy_page(load, || Box::pin(files_offer_part()), |content| content)
}

lazy_chunk!(
    talk,
    load_wait_tree,
    fn wait_tree_part(agent: AgentId) -> AnyView {
        WaitTree(WaitTreeProps { agent }).into_any()
    }
);

/// The tree of agents that wait for one: part of a page.
pub fn wait_tree(agent: AgentId) -> AnyView {
    let load = || -> Loading<()> { Box::pin(async { load_wait_tree().await.map_err(|_| ChunkLoadError) }) };
    lazy_page(load, move || Box::pin(wait_tree_part(agent.clone())), |content| content)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Loading,
    Loaded,
    Failed,
}

/// The chunk whose pages an evidence page does not have (`web/evidence_page.rs`).
const LEFT_OUT: &str = "work";

fn is_left_out(chunk: &str) -> bool {
    chunk == LEFT_OUT && is_evidence_page()
}

/// Shown in place of a page that an evidence page does not have.
#[component]
fn NotInEvidence() -> impl IntoView {
    let words = use_i18n();
    use_page_title(move || words.get().common.not_in_evidence.to_owned());
    view! {
        <EmptyState
            icon=Icon::File
            title=Signal::derive(move || words.get().common.not_in_evidence.to_owned())
            text=Signal::derive(move || words.get().common.not_in_evidence_text.to_owned())
            alone=true
        >
            <a class="button is-primary" href=paths::home()>
                {move || words.get().common.to_home}
            </a>
        </EmptyState>
    }
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

/// View that `draw` returns once `load` is done. Until then, `frame` holds the placeholder.
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
            stage.try_set(if loaded.is_ok() { Stage::Loaded } else { Stage::Failed });
        });
    };
    fetch();
    // Pages look at the address and the state, which belong to the owner of this very route.
    let owner = Owner::current();
    (move || match stage.get() {
        Stage::Loaded => {
            let page = || untrack(|| draw().now_or_never()).and_then(Result::ok);
            owner.as_ref().map_or_else(page, |owner| owner.with(page)).into_any()
        }
        Stage::Loading => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            frame(view! { <Skeleton rows=7 label=label /> }.into_any())
        }
        Stage::Failed => frame(view! { <ChunkLoadFailed on_retry=Callback::new(move |()| fetch()) /> }.into_any()),
    })
    .into_any()
}

/// Error shown in place of a page: there is no connection, or a newer dashboard replaced this one.
#[component]
fn ChunkLoadFailed(on_retry: Callback<()>) -> impl IntoView {
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

/// Preloads the chunks of all pages and then `others`, one after the other. Failures are ignored: opening a page loads
/// its chunk again.
pub fn preload_chunks(others: &'static [fn() -> Loading<()>]) {
    spawn_local(async move {
        TimeoutFuture::new(PRELOAD_DELAY_MS).await;
        let pages = PAGES.iter().filter(|(chunk, _)| !is_left_out(chunk)).map(|(_, load)| load);
        for load in pages.chain(others) {
            load().await.unwrap_or_default();
        }
    });
}
