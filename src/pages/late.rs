//! Lazy-loaded parts (`crate::parts`), mostly pages: placeholder lines until the part is there, retry when it cannot be
//! had. After the first page the other parts are fetched ahead.

use std::pin::Pin;

use futures::FutureExt;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::i18n::use_words;
use crate::parts::{Missing, part};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// The first page has the line to itself for this long.
const AHEAD_MS: u32 = 1_500;

part!(
    talk,
    load_sessions,
    fn sessions_part() -> AnyView {
        super::sessions::SessionsPage().into_any()
    }
);
part!(
    talk,
    load_session,
    fn session_part() -> AnyView {
        super::session::SessionPage().into_any()
    }
);
part!(
    talk,
    load_search,
    fn search_part() -> AnyView {
        super::search::SearchPage().into_any()
    }
);
part!(
    talk,
    load_home_views,
    fn home_views_part() -> AnyView {
        super::home::views::HomeViews().into_any()
    }
);
part!(
    work,
    load_events,
    fn events_part() -> AnyView {
        super::events::EventsPage().into_any()
    }
);
part!(
    work,
    load_flow,
    fn flow_part() -> AnyView {
        super::flow::FlowPage().into_any()
    }
);
part!(
    work,
    load_tasks,
    fn tasks_part() -> AnyView {
        super::tasks::TasksPage().into_any()
    }
);

part!(
    work,
    load_agents,
    fn agents_part() -> AnyView {
        super::agents::AgentsPage().into_any()
    }
);

part!(
    work,
    load_agent,
    fn agent_part() -> AnyView {
        super::agents::AgentPage().into_any()
    }
);

part!(
    work,
    load_audit,
    fn audit_part() -> AnyView {
        super::audit::AuditPage().into_any()
    }
);

part!(
    work,
    load_rules,
    fn rules_part() -> AnyView {
        super::rules::RulesPage().into_any()
    }
);

part!(
    work,
    load_drift,
    fn drift_part() -> AnyView {
        super::drift::DriftPage().into_any()
    }
);

part!(
    talk,
    load_stores,
    fn stores_part() -> AnyView {
        super::stores::StoresPage().into_any()
    }
);

part!(
    talk,
    load_store,
    fn store_part() -> AnyView {
        super::store::StorePage().into_any()
    }
);
part!(
    talk,
    load_archive,
    fn archive_part() -> AnyView {
        super::store::ArchivePage().into_any()
    }
);

/// A part on its way.
pub type Loading<T> = Pin<Box<dyn Future<Output = Result<T, Missing>>>>;

fn sessions() -> Loading<()> {
    Box::pin(async { load_sessions().await.map_err(|_| Missing) })
}

fn session() -> Loading<()> {
    Box::pin(async { load_session().await.map_err(|_| Missing) })
}

fn search() -> Loading<()> {
    Box::pin(async { load_search().await.map_err(|_| Missing) })
}

fn home_views_load() -> Loading<()> {
    Box::pin(async { load_home_views().await.map_err(|_| Missing) })
}

fn events() -> Loading<()> {
    Box::pin(async { load_events().await.map_err(|_| Missing) })
}

fn flow() -> Loading<()> {
    Box::pin(async { load_flow().await.map_err(|_| Missing) })
}

fn tasks() -> Loading<()> {
    Box::pin(async { load_tasks().await.map_err(|_| Missing) })
}

fn agents() -> Loading<()> {
    Box::pin(async { load_agents().await.map_err(|_| Missing) })
}

fn agent() -> Loading<()> {
    Box::pin(async { load_agent().await.map_err(|_| Missing) })
}

fn audit() -> Loading<()> {
    Box::pin(async { load_audit().await.map_err(|_| Missing) })
}

fn rules() -> Loading<()> {
    Box::pin(async { load_rules().await.map_err(|_| Missing) })
}

fn drift() -> Loading<()> {
    Box::pin(async { load_drift().await.map_err(|_| Missing) })
}

fn stores() -> Loading<()> {
    Box::pin(async { load_stores().await.map_err(|_| Missing) })
}

fn store() -> Loading<()> {
    Box::pin(async { load_store().await.map_err(|_| Missing) })
}

fn archive() -> Loading<()> {
    Box::pin(async { load_archive().await.map_err(|_| Missing) })
}

/// Sessions of OpenClaw's own stores.
pub fn stores_page() -> AnyView {
    late(stores, || Box::pin(stores_part()), main_part)
}

/// The history of one of them.
pub fn store_page() -> AnyView {
    late(store, || Box::pin(store_part()), main_part)
}

/// The history of an archived session.
pub fn archive_page() -> AnyView {
    late(archive, || Box::pin(archive_part()), main_part)
}

/// Sessions of a category, or all.
pub fn sessions_page() -> AnyView {
    late(sessions, || Box::pin(sessions_part()), main_part)
}

/// A session and its threads.
pub fn session_page() -> AnyView {
    late(session, || Box::pin(session_part()), main_part)
}

/// What is found everywhere.
pub fn search_page() -> AnyView {
    late(search, || Box::pin(search_part()), main_part)
}

/// The user's views on home.
pub fn home_views() -> AnyView {
    late(home_views_load, || Box::pin(home_views_part()), |content| content)
}

/// Events.
pub fn events_page() -> AnyView {
    late(events, || Box::pin(events_part()), main_part)
}

/// The flow of a session.
pub fn flow_page() -> AnyView {
    late(flow, || Box::pin(flow_part()), main_part)
}

/// Tasks.
pub fn tasks_page() -> AnyView {
    late(tasks, || Box::pin(tasks_part()), main_part)
}

/// Agents.
pub fn agents_page() -> AnyView {
    late(agents, || Box::pin(agents_part()), main_part)
}

/// One agent.
pub fn agent_page() -> AnyView {
    late(agent, || Box::pin(agent_part()), main_part)
}

/// The record of category changes.
pub fn audit_page() -> AnyView {
    late(audit, || Box::pin(audit_part()), main_part)
}

/// What the classifier was taught.
pub fn rules_page() -> AnyView {
    late(rules, || Box::pin(rules_part()), main_part)
}

/// The drift of the automatic filing.
pub fn drift_page() -> AnyView {
    late(drift, || Box::pin(drift_part()), main_part)
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

/// The view of `draw`, once `part` is loaded; until then `frame` holds the placeholder.
pub fn late(
    part: fn() -> Loading<()>,
    draw: impl Fn() -> Loading<AnyView> + Send + 'static,
    frame: fn(AnyView) -> AnyView,
) -> AnyView {
    late_drawn(part, Box::new(draw), frame)
}

/// The same, compiled once and not once a page.
fn late_drawn(
    part: fn() -> Loading<()>,
    draw: Box<dyn Fn() -> Loading<AnyView> + Send>,
    frame: fn(AnyView) -> AnyView,
) -> AnyView {
    // A part that is there answers at once: no placeholder then.
    if let Some(Ok(page)) = draw().now_or_never() {
        return page;
    }
    let words = use_words();
    let stage = RwSignal::new(Stage::Loading);
    let fetch = move || {
        stage.set(Stage::Loading);
        spawn_local(async move {
            let loaded = part().await;
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
    let words = use_words();
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

/// Fetches all pages and then `others` ahead, one after the other. A failure is no matter yet: opening them tries again.
pub fn fetch_ahead(others: &'static [fn() -> Loading<()>]) {
    spawn_local(async move {
        TimeoutFuture::new(AHEAD_MS).await;
        let pages = [
            sessions, session, search, flow, events, tasks, agents, agent, stores, store, archive, audit, drift, rules,
        ];
        for part in pages.iter().chain(others) {
            part().await.unwrap_or_default();
        }
    });
}
