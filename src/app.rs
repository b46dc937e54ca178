//! Root component of the dashboard. It provides the app-wide state, starts the live link to the monitor, and routes
//! addresses to pages inside the shell.

mod announce;
mod data_panel;
mod keys;
mod landmark;
mod language;
mod masthead;
mod notices;
mod offline;
mod scroll_restoration;
mod search;
mod shell;
mod tools;

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::{PossibleRouteMatch, path};
use scroll_restoration::ScrollRestoration;
use shell::Shell;

use crate::components::{people, time_ago};
use crate::{i18n, live, pages, queries, routes, state, ui};

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    provide_state();
    live::start();
    let scroll_restoration = ScrollRestoration::start();

    pages::fetch_ahead(&[tools::load, data_panel::load]);
    offline::install_later();

    let base = routes::base();
    view! {
        <Router base=base>
            <Shell scroll_restoration=scroll_restoration>
                <FlatRoutes fallback=pages::not_found_page>
                    <Route path=pattern(path!("/")) view=page(pages::home_page) />
                    <Route path=pattern(path!("/c/:category")) view=page(pages::sessions_page) />
                    <Route path=pattern(path!("/all")) view=page(pages::sessions_page) />
                    <Route path=pattern(path!("/s/:session/flow")) view=page(pages::flow_page) />
                    // Optional segments, not routes of their own: opening a thread or a task then keeps the page. `:t` is the fixed
                    // word `t` (one thread follows) or `whole` (all threads in one stream).
                    <Route path=pattern(path!("/s/:session/:t?/:thread?")) view=page(pages::session_page) />
                    <Route path=pattern(path!("/search")) view=page(pages::search_page) />
                    <Route path=pattern(path!("/events")) view=page(pages::events_page) />
                    <Route path=pattern(path!("/tasks/:agent?/:task?")) view=page(pages::tasks_page) />
                    <Route path=pattern(path!("/audit")) view=page(pages::audit_page) />
                    <Route path=pattern(path!("/rules")) view=page(pages::rules_page) />
                    <Route path=pattern(path!("/drift")) view=page(pages::drift_page) />
                    <Route path=pattern(path!("/agents")) view=page(pages::agents_page) />
                    <Route path=pattern(path!("/agents/:agent")) view=page(pages::agent_page) />
                    // Sessions that OpenClaw stores. Work sessions are at `/all` and `/c/:category`.
                    <Route path=pattern(path!("/sessions")) view=page(pages::stores_page) />
                    <Route path=pattern(path!("/sessions/archive/:agent/:session")) view=page(pages::archive_page) />
                    <Route path=pattern(path!("/sessions/:key")) view=page(pages::store_page) />
                </FlatRoutes>
            </Shell>
        </Router>
    }
}

/// All patterns as one type, so that the router is compiled once and not once a route.
fn pattern(path: impl PossibleRouteMatch + Send + Sync + 'static) -> Arc<dyn PossibleRouteMatch + Send + Sync> {
    Arc::new(path)
}

/// All pages as one type, for the same reason.
fn page(view: fn() -> AnyView) -> fn() -> AnyView {
    view
}

/// App-wide state, and the contexts derived from it: locale, agent names and time. Components read these contexts, and
/// the state itself only where the contexts do not suffice.
fn provide_state() {
    state::provide();
    ui::toast::provide_toasts();
    queries::provide_keys();
    let (hub, clock, connection) = (state::use_hub(), state::use_clock(), state::use_connection());
    i18n::provide_i18n(state::use_preferences().locale);
    people::provide_people(Memo::new(move |_| hub.agents()).into());
    time_ago::provide_now(clock.coarse(), Memo::new(move |_| connection.fresh()).into());
}
