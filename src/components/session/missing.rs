//! Empty state for an unknown session. It distinguishes an unreadable source from a session that is not in the log.

use leptos::prelude::*;

use crate::components::source_empty::SourceEmpty;
use crate::i18n::use_i18n;
use crate::routes::paths;
use crate::state::use_hub;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;

/// Says which of the two it is, and leads on.
#[component]
pub fn SessionMissing() -> impl IntoView {
    let unread = use_hub().unread_source();
    move || match unread.get() {
        Some(source) => view! { <SourceEmpty source=source /> }.into_any(),
        None => view! { <NotInLog /> }.into_any(),
    }
}

#[component]
fn NotInLog() -> impl IntoView {
    let words = use_i18n();
    view! {
        <EmptyState
            icon=Icon::Talk
            title=Signal::derive(move || words.get().thread().session_missing.to_owned())
            text=Signal::derive(move || words.get().thread().session_missing_why.to_owned())
            failed=true
            alone=true
        >
            <a class="button" href=paths::all()>
                {move || words.get().thread().to_all_sessions}
            </a>
        </EmptyState>
    }
}
