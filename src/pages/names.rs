//! Loader of the display names of Discord users from the monitor's settings. The first page that needs names loads them
//! for the whole browser tab. If the request fails, the next page that needs them tries again.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::people::use_people;
use crate::state::use_hub;

/// Asks for them, once a tab: their names are settings of the monitor. A page of messages begins with it.
pub fn use_names() {
    let (hub, people) = (use_hub(), use_people());
    // Names outlive the page that fetches first.
    Effect::new(move |_| {
        let Some(source) = hub.source.get().filter(|_| !people.knows_users()) else { return };
        people.set_users(Some(Arc::default()));
        spawn_local(async move {
            // Names that could not be loaded are fetched again by the next page.
            people.set_users(source.names().await.ok().map(|names| Arc::new(names.discord_users)));
        });
    });
}
