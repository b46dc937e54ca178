//! The root: state that outlives every page is created once, then one flat router inside the shell.

mod data_panel;
mod keys;
mod masthead;
mod notices;
mod search;
mod settings;
mod shell;

use leptos::prelude::*;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;
use shell::Shell;

use crate::components::{people, time_ago};
use crate::pages::{EventsPage, HomePage, NotFoundPage, SessionPage, SessionsPage, TasksPage};
use crate::{i18n, live, routes, state, ui};

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    provide_state();
    live::start();

    let base = routes::base();
    view! {
        <Router base=base>
            <Shell>
                <FlatRoutes fallback=|| view! { <NotFoundPage /> }>
                    <Route path=path!("/") view=HomePage />
                    <Route path=path!("/c/:category") view=SessionsPage />
                    <Route path=path!("/all") view=SessionsPage />
                    // One route each, so that opening a thread or task keeps the page and only changes its part.
                    <Route path=path!("/s/:session/:t?/:thread?") view=SessionPage />
                    <Route path=path!("/events") view=EventsPage />
                    <Route path=path!("/tasks/:agent?/:task?") view=TasksPage />
                </FlatRoutes>
            </Shell>
        </Router>
    }
}

/// State, and what components know of it: they get names, words and time, never the state itself.
fn provide_state() {
    state::provide();
    ui::toast::provide_toasts();
    let (hub, clock, connection) = (state::use_hub(), state::use_clock(), state::use_connection());
    i18n::provide_words(state::use_preferences().locale);
    people::provide_people(Memo::new(move |_| hub.agents()).into());
    time_ago::provide_now(clock.coarse(), Memo::new(move |_| connection.fresh()).into());
}
