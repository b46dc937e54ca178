//! One session of OpenClaw's own stores: what is known of it, and what was said in it. What could not be read is never
//! shown as nothing said.

mod head;
mod held;
mod history;
mod parts;
mod state;
mod talks;
mod turn;

use coordination::api::TranscriptState;
use head::Head;
use history::History;
use leptos::prelude::*;
use state::{StoreState, use_store};
use talks::Talks;

use super::failure::Failure;
use super::speak::{SpeakDialog, provide_speak};
use super::stores::OldMonitor;
use crate::components::people::use_people;
use crate::components::stored::{key_name, store_title};
use crate::hooks::{use_page_title, use_pairs, use_segment};
use crate::i18n::messages::Stores;
use crate::i18n::use_words;
use crate::routes::{StoreView, StoresFilter, paths};
use crate::source::ApiError;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// The page of `/sessions/:key`.
#[component]
pub fn StorePage() -> impl IntoView {
    let words = use_words();
    let people = use_people();
    let key = use_segment("key");
    let pairs = use_pairs();
    let view = Memo::new(move |_| pairs.with(|pairs| StoreView::from_pairs(pairs)));
    let state = use_store(key, view);
    let speak = provide_speak();
    let title = Memo::new(move |_| {
        let told = state.row.data.with(|row| {
            let row = row.as_ref().and_then(|row| row.as_ref().as_ref());
            row.map(|row| store_title(row, words.get()))
        });
        told.unwrap_or_else(|| key_name(&key.get(), people))
    });
    use_page_title(move || title.get());
    view! {
        <main id="main" class="store-page" tabindex="-1">
            <p class="store-page__crumb">
                <a class="link" href=paths::stores(&StoresFilter::default())>
                    {Icon::ChevronLeft}
                    {move || words.get().stores().back}
                </a>
            </p>
            <Head state=state title=title />
            <Talks state=state />
            <Record state=state />
            <SpeakDialog tools=speak />
        </main>
    }
}

/// The history, or why there is none to show.
#[component]
fn Record(state: StoreState) -> impl IntoView {
    let words = use_words();
    let fetch = state.newest;
    let standing = Memo::new(move |_| fetch.data.with(|answer| answer.as_ref().map(|answer| answer.1.status)));
    let any = Memo::new(move |_| state.turns.with(|turns| !turns.is_empty()));
    let more = Memo::new(move |_| state.held.with(|(_, held)| held.earlier.is_some()));
    let again = Callback::new(move |()| fetch.again());
    move || match (standing.get(), fetch.failure.get()) {
        // Of a page on which nothing is to be read there may be one before that holds something.
        (Some(TranscriptState::Ok), _) if any.get() || more.get() => view! { <History state=state /> }.into_any(),
        (Some(TranscriptState::Ok | TranscriptState::Empty), _) => {
            view! { <Nothing told=|words| words.silent icon=Icon::Talk /> }.into_any()
        }
        (Some(TranscriptState::Missing), _) => {
            view! { <Nothing told=|words| words.missing icon=Icon::File /> }.into_any()
        }
        (Some(TranscriptState::Error), _) => {
            view! { <Nothing told=|words| words.unread icon=Icon::Warn on_retry=again /> }.into_any()
        }
        (_, Some(ApiError::Unsupported)) => view! { <OldMonitor /> }.into_any(),
        (_, Some(error)) if error.is_not_found() => {
            view! { <Nothing told=|words| words.unknown icon=Icon::Search on_retry=again /> }.into_any()
        }
        (_, Some(error)) => view! { <Failure error=error on_retry=again /> }.into_any(),
        (None, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=6 label=label /> }.into_any()
        }
    }
}

/// Why there is nothing, in words, and another try where that may help.
#[component]
fn Nothing(
    told: fn(&Stores) -> (&'static str, &'static str),
    icon: Icon,
    #[prop(optional)] on_retry: Option<Callback<()>>,
) -> impl IntoView {
    let words = use_words();
    let retry = on_retry.map(|on_retry| {
        view! {
            <button type="button" class="button" on:click=move |_| on_retry.run(())>
                {Icon::Retry}
                {move || words.get().common.retry}
            </button>
        }
    });
    view! {
        <EmptyState
            icon=icon
            failed=on_retry.is_some()
            title=Signal::derive(move || told(words.get().stores()).0.to_owned())
            text=Signal::derive(move || told(words.get().stores()).1.to_owned())
        >
            {retry}
        </EmptyState>
    }
}
