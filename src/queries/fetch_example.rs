//! Example of `use_fetch`, shown in its documentation. It is compiled with the tests and never run.

use coordination::ids::SessionId;
use leptos::prelude::*;

use crate::queries::{FetchOptions, use_fetch};

#[component]
fn SessionTitle(id: Signal<SessionId>) -> impl IntoView {
    let session = use_fetch(
        move || id.get(),
        FetchOptions::refetch_when(|change, id: &SessionId| change.touches_session(id)).clear_on_key_change(),
        |source, id| async move { source.session(&id).await },
    );
    move || match (session.data.get(), session.failure.get()) {
        (Some(detail), _) => detail.session.title.clone().into_any(),
        (None, Some(_)) => view! { <button on:click=move |_| session.refetch()>"Try again"</button> }.into_any(),
        (None, None) => view! { <p>"Loading"</p> }.into_any(),
    }
}
