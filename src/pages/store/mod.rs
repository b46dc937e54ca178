//! Page of a stored or archived OpenClaw session: facts and messages. A failed read is never shown as an empty history.

mod archive;
mod earlier;
mod head;
mod held;
mod history;
mod parts;
mod state;
mod talks;
mod turn;

use std::sync::Arc;

pub use archive::ArchivePage;
use coordination::api::{StoreRow, TranscriptState};
use earlier::Earlier;
use head::{StoreHead, StoreRowMemo};
use history::StoreHistoryList;
use leptos::prelude::*;
use state::{HistorySource, StorePageState, use_store};
use talks::StoreConversations;

use super::failure::Failure;
use super::speak::{SpeakDialog, provide_speak};
use super::stores::OldMonitor;
use crate::components::people::use_people;
use crate::components::stored::{key_name, store_title};
use crate::i18n::messages::StoresMessages;
use crate::i18n::use_i18n;
use crate::queries::{
    Fetch, FetchOptions, poll_while_visible, use_fetch, use_go, use_page_title, use_pairs, use_segment,
};
use crate::routes::{StoreView, StoresFilter, paths};
use crate::source::SourceError;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// The page of `/sessions/:key`.
#[component]
pub fn StorePage() -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let segment = use_segment("key");
    let pairs = use_pairs();
    let view = Memo::new(move |_| pairs.with(|pairs| StoreView::from_pairs(pairs)));
    let state = use_store(Memo::new(move |_| HistorySource::Key(segment.get())), view);
    let row_fetch = use_row(segment);
    let row: StoreRowMemo =
        Memo::new(move |_| row_fetch.data.with(|row| row.as_ref().and_then(|row| Option::clone(row)).map(Arc::new)));
    // The key as the store has it, where it is known.
    let key = Memo::new(move |_| row.with(|row| row.as_ref().map_or_else(|| segment.get(), |row| row.key.clone())));
    let speak = provide_speak();
    let title = Memo::new(move |_| {
        let title = row.with(|row| row.as_ref().map(|row| store_title(row, words.get())));
        title.unwrap_or_else(|| key_name(&segment.get(), people))
    });
    use_page_title(move || title.get());
    redirect_to_archive(state, row_fetch);
    view! {
        <main id="main" class="store-page" tabindex="-1">
            <Crumb />
            <StoreHead key=key row=row title=title />
            <StoreConversations key=key />
            <Earlier state=state key=key row=row />
            <StoreTranscript state=state />
            <SpeakDialog tools=speak />
        </main>
    }
}

/// Asks for the session's row in the list; none where no store lists it.
fn use_row(key: Memo<String>) -> Fetch<Option<StoreRow>> {
    let options = FetchOptions::refetch_on_any_change().clear_on_key_change();
    let row = use_fetch(move || key.get(), options, |source, key: String| async move { source.store(&key).await });
    poll_while_visible(row);
    row
}

/// A link to a transcript that its key does not lead to any more is redirected to the archived one.
fn redirect_to_archive(state: StorePageState, row: Fetch<Option<StoreRow>>) {
    let go = use_go();
    let elsewhere = Memo::new(move |_| {
        let StoreView { at, of, tools, .. } = state.view.get();
        let session = of?;
        let missing = state.newest.failure.with(|error| error.as_ref().is_some_and(SourceError::is_not_found));
        let given_up = state.is_lost() && !state.is_seeking() && state.older_error.with(Option::is_none);
        if !missing && !given_up && at.is_some() {
            return None;
        }
        // Which session it leads to now has to be known.
        let current = row
            .data
            .with(|row| row.as_ref().map(|row| row.as_ref().as_ref().and_then(|row| row.session_id.clone())))?;
        let view = StoreView { at, tools, ..StoreView::default() };
        (current.as_ref() != Some(&session))
            .then(|| paths::archive_as(&state.whose.with(HistorySource::agent), &session, &view))
    });
    // The browser keeps the scroll position.
    Effect::new(move |_| {
        if let Some(address) = elsewhere.get() {
            go.adjust(&address);
        }
    });
}

/// Link back to the list of stored sessions.
#[component]
fn Crumb() -> impl IntoView {
    let words = use_i18n();
    view! {
        <p class="store-page__crumb">
            <a class="link" href=paths::stores(&StoresFilter::default())>
                {Icon::ChevronLeft}
                {move || words.get().stores().back}
            </a>
        </p>
    }
}

/// Messages of the transcript, or the reason why there are none.
#[component]
fn StoreTranscript(state: StorePageState) -> impl IntoView {
    let words = use_i18n();
    let fetch = state.newest;
    let status = Memo::new(move |_| fetch.data.with(|answer| answer.as_ref().map(|answer| answer.1.status)));
    let any = Memo::new(move |_| state.turns.with(|turns| !turns.is_empty()));
    let more = Memo::new(move |_| state.held.with(|(_, held)| held.earlier.is_some()));
    let again = Callback::new(move |()| fetch.refetch());
    move || match (status.get(), fetch.failure.get()) {
        // Of a page on which nothing is to be read there may be one before that holds something.
        (Some(TranscriptState::Ok), _) if any.get() || more.get() => {
            view! { <StoreHistoryList state=state /> }.into_any()
        }
        (Some(TranscriptState::Ok | TranscriptState::Empty), _) => {
            view! { <StoreTranscriptEmpty notice=|words| words.silent icon=Icon::Talk /> }.into_any()
        }
        (Some(TranscriptState::Missing), _) => {
            view! { <StoreTranscriptEmpty notice=|words| words.missing icon=Icon::File /> }.into_any()
        }
        (Some(TranscriptState::Error), _) => {
            view! { <StoreTranscriptEmpty notice=|words| words.unread icon=Icon::Warn on_retry=again /> }.into_any()
        }
        (_, Some(SourceError::Unsupported)) => view! { <OldMonitor /> }.into_any(),
        (_, Some(error)) if error.is_not_found() => {
            let archive = state.whose.with_untracked(|whose| matches!(whose, HistorySource::Archive(..)));
            let texts: fn(&StoresMessages) -> _ =
                if archive { |words| words.archive_unknown } else { |words| words.unknown };
            view! { <StoreTranscriptEmpty notice=texts icon=Icon::Search on_retry=again /> }.into_any()
        }
        (_, Some(error)) => view! { <Failure error=error on_retry=again /> }.into_any(),
        (None, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=6 label=label /> }.into_any()
        }
    }
}

/// Empty state of a transcript, with a retry button when a retry may help.
#[component]
fn StoreTranscriptEmpty(
    notice: fn(&StoresMessages) -> (&'static str, &'static str),
    icon: Icon,
    #[prop(optional)] on_retry: Option<Callback<()>>,
) -> impl IntoView {
    let words = use_i18n();
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
            title=Signal::derive(move || notice(words.get().stores()).0.to_owned())
            text=Signal::derive(move || notice(words.get().stores()).1.to_owned())
        >
            {retry}
        </EmptyState>
    }
}
