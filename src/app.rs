//! Root component of the dashboard. It provides the app-wide state, starts the live link to the monitor, and routes
//! addresses to pages inside the shell. On the page of a fleet it shows the fleet page, without a live link.

mod alerts;
mod announce;
mod data_panel;
mod files;
mod fleet;
mod keys;
mod landmark;
mod language;
mod masthead;
mod notices;
mod offline;
mod past;
mod scroll_restoration;
mod search;
mod shell;
mod tools;

use std::sync::Arc;

use fleet::{FleetShell, FleetShellProps};
use leptos::prelude::*;
use leptos::tachys::prelude::IntoMaybeErased;
use leptos_router::components::{FlatRoutes, Router};
use leptos_router::{NestedRoute, PossibleRouteMatch, path};
use scroll_restoration::ScrollRestoration;
use shell::Shell;

use crate::components::{people, time_ago};
use crate::{i18n, live, pages, queries, routes, source, state, ui};

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    provide_state();
    let is_fleet = source::fleet_name().is_some();
    if !is_fleet {
        past::follow();
        live::start();
    }
    let scroll_restoration = ScrollRestoration::start();
    if !is_fleet {
        pages::preload_chunks(&[tools::load, data_panel::load]);
        offline::install_later();
    }
    // One router for both, drawn below it.
    let content = move || match is_fleet {
        true => FleetShell(FleetShellProps { scroll_restoration }).into_any(),
        false => monitor_pages(scroll_restoration),
    };
    view! { <Router base=routes::base()>{content()}</Router> }
}

/// Pages of one monitor, inside the shell.
fn monitor_pages(scroll_restoration: ScrollRestoration) -> AnyView {
    let hub = state::use_hub();
    let is_past = Memo::new(move |_| hub.moment.with(Option::is_some));
    // Built again for the past and for the present: nothing that a page holds of one is shown in the other.
    let pages = move || {
        let _is_past = is_past.get();
        view! { <PageRoutes /> }
    };
    view! { <Shell scroll_restoration=scroll_restoration>{pages}</Shell> }.into_any()
}

/// The page of the address.
#[component]
fn PageRoutes() -> impl IntoView {
    view! {
        <FlatRoutes fallback=pages::not_found_page>
            // Every page but home is loaded on demand: `lazy_pages!` in `pages/lazy.rs` names its component and wasm chunk.
            <PageRoute path=path!("/") view=pages::home_page />
            <PageRoute path=path!("/c/:category") view=pages::session_list_page />
            <PageRoute path=path!("/all") view=pages::session_list_page />
            <PageRoute path=path!("/s/:session/flow") view=pages::flow_page />
            // Optional segments, not routes of their own: opening a thread or a task then keeps the page. `:view` is
            // `t` (one thread follows) or `whole` (all threads in one stream).
            <PageRoute path=path!("/s/:session/:view?/:thread?") view=pages::session_page />
            <PageRoute path=path!("/search") view=pages::search_page />
            <PageRoute path=path!("/permission/:id") view=pages::permission_page />
            <PageRoute path=path!("/events") view=pages::events_page />
            <PageRoute path=path!("/tasks/:agent?/:task?") view=pages::tasks_page />
            <PageRoute path=path!("/audit") view=pages::audit_page />
            <PageRoute path=path!("/rules") view=pages::rules_page />
            <PageRoute path=path!("/alerts") view=pages::alert_rules_page />
            <PageRoute path=path!("/drift") view=pages::drift_page />
            <PageRoute path=path!("/agents") view=pages::agents_page />
            <PageRoute path=path!("/agents/:agent") view=pages::agent_page />
            <PageRoute path=path!("/sessions") view=pages::stored_sessions_page />
            <PageRoute path=path!("/sessions/archive/:agent/:session") view=pages::archived_session_page />
            <PageRoute path=path!("/sessions/:key") view=pages::stored_session_page />
        </FlatRoutes>
    }
}

type PathPattern = Arc<dyn PossibleRouteMatch + Send + Sync>;

/// The router's `Route` for a page. All routes have one type, so that the router is compiled once and not once a route.
#[component(transparent)]
fn PageRoute(
    path: impl PossibleRouteMatch + Send + Sync + 'static,
    view: fn() -> AnyView,
) -> <NestedRoute<PathPattern, (), (), fn() -> AnyView> as IntoMaybeErased>::Output {
    let path: PathPattern = Arc::new(path);
    NestedRoute::new(path, view).into_maybe_erased()
}

/// App-wide state, and the contexts derived from it: locale, agent names and time. Components read these contexts, and
/// the state itself only where the contexts do not suffice.
fn provide_state() {
    state::provide();
    ui::toast::provide_toasts();
    queries::provide_keys();
    queries::provide_title_count();
    let (hub, clock, connection) = (state::use_hub(), state::use_clock(), state::use_connection());
    i18n::provide_i18n(state::use_preferences().locale);
    people::provide_people(Memo::new(move |_| hub.agents()).into());
    time_ago::provide_now(clock.coarse(), Memo::new(move |_| connection.fresh()).into());
}
