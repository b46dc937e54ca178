//! Page of a session: thread list on the left, messages in the middle, details on the right (on a phone one at a time).
//! The middle shows one thread, or the timeline with the messages of all threads.

mod about;
mod body;
mod category;
mod compare;
mod evidence;
mod finding;
mod keys;
mod looked_for;
mod notes;
mod paging;
mod passed;
mod scroll;
mod scroll_anchor;
mod tail;
mod thread;
mod thread_patches;
mod thread_state;
mod timeline;
mod timeline_state;

use std::sync::Arc;

use compare::{CompareDialog, compared_session, comparing};
use coordination::api::SessionDetail;
use coordination::category::Category;
use coordination::ids::{SessionId, ThreadId};
use leptos::prelude::*;
use thread::ThreadColumns;

use self::about::SessionAbout;
use self::category::use_category_tools;
use self::notes::{MessageNotesDialog, NoteTools, use_notes};
use super::failure::Failure;
use super::speak::{SpeakButton, SpeakDialog, SpeakTarget, provide_speak};
use crate::components::session::{SessionHead, SessionMissing, SessionTab, session_title};
use crate::i18n::use_i18n;
use crate::pages::names::use_names;
use crate::queries::{
    Fetch, FetchOptions, Shortcut, use_fetch, use_go, use_key, use_page_title, use_pairs, use_segment,
};
use crate::routes::{EventsFilter, WHOLE, paths};
use crate::source::SourceError;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// Below this width a session shows either its list or a thread, never both.
const ONE_COLUMN: &str = "(max-width: 640px)";

/// Between two requests for the details of a session while its messages follow each other. The messages themselves come with
/// the live frames.
const DETAIL_PACE_MS: u32 = 500;

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct SessionState {
    id: Memo<SessionId>,
    thread: Memo<Option<ThreadId>>,
    /// All threads in one stream are open.
    whole: Memo<bool>,
    detail: Fetch<SessionDetail>,
    /// A category on its way to the monitor.
    pending: RwSignal<Option<Category>>,
    /// On a phone: what is known about the session is shown.
    about: RwSignal<bool>,
    /// The comparison with another session is shown.
    compare: RwSignal<bool>,
    /// The words behind the category are marked in the messages.
    evidence_shown: RwSignal<bool>,
    notes: NoteTools,
}

/// The page of `/s/:session` and `/s/:session/t/:thread`.
#[component]
pub fn SessionPage() -> impl IntoView {
    use_names();
    let words = use_i18n();
    let (session, thread) = (use_segment("session"), use_segment("thread"));
    let id = Memo::new(move |_| SessionId::from(session.get()));
    let thread = Memo::new(move |_| Some(ThreadId::from(thread.get())).filter(|thread| !thread.as_str().is_empty()));
    let part = use_segment("view");
    let whole = Memo::new(move |_| thread.with(Option::is_none) && part.with(|part| part == WHOLE));
    let options =
        FetchOptions::refetch_when(|change, id: &SessionId| change.touches_session(id) || change.touches_tasks())
            .clear_on_key_change()
            .at_pace(DETAIL_PACE_MS);
    let detail = use_fetch(move || id.get(), options, |source, id| async move { source.session(&id).await });
    let state = SessionState {
        id,
        thread,
        whole,
        detail,
        pending: RwSignal::new(None),
        about: RwSignal::new(false),
        compare: RwSignal::new(false),
        evidence_shown: RwSignal::new(false),
        notes: use_notes(id, detail),
    };
    let detail_missing = move || detail.failure.with(|error| error.as_ref().is_some_and(SourceError::is_not_found));
    use_page_title(move || {
        detail.data.with(|detail| match detail {
            Some(detail) => session_title(&detail.session.title, detail.session.title_source, words),
            None if detail_missing() => words.get().thread().session_missing.to_owned(),
            None => words.get().thread().tab_talk.to_owned(),
        })
    });
    let speak = provide_speak();
    open_newest(state);
    use_session_keys(state);

    let known = Memo::new(move |_| detail.data.with(Option::is_some));
    let body = move || match (known.get(), detail.failure.get()) {
        (true, _) => view! { <SessionPageContent state=state /> }.into_any(),
        (false, Some(error)) if error.is_not_found() => view! { <SessionMissing /> }.into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| detail.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=7 label=label /> }.into_any()
        }
    };
    view! {
        <main
            id="main"
            class="session-page"
            class:has-thread=move || thread.get().is_some() || whole.get()
            class:is-bare=move || !known.get()
            tabindex="-1"
        >
            {body}
            <SpeakDialog tools=speak />
            <MessageNotesDialog tools=state.notes />
        </main>
    }
}

/// On a wide screen a session opens with its newest thread; the address then names it.
fn open_newest(state: SessionState) {
    let (go, pairs) = (use_go(), use_pairs());
    // The address belongs to the browser.
    Effect::new(move |_| {
        if state.thread.get().is_some() || state.whole.get() {
            return;
        }
        let narrow = window().match_media(ONE_COLUMN).ok().flatten().is_some_and(|query| query.matches());
        let newest = state.detail.data.with(|detail| {
            let detail = detail.as_ref().filter(|detail| detail.session.work_session_id == state.id.get_untracked())?;
            detail.threads.first().map(|thread| thread.thread_id.clone())
        });
        if let (false, Some(newest)) = (narrow, newest) {
            // Of what the address says, only the comparison is about the session and not about a thread.
            let other = pairs.with_untracked(|pairs| compared_session(pairs));
            go.adjust(&comparing(&paths::thread(&state.id.get_untracked(), &newest), &[], other.as_ref()));
        }
    });
}

/// The newer and the older session, and the category where its panel is not on screen.
fn use_session_keys(state: SessionState) {
    let go = use_go();
    for (key, newer) in [(Shortcut::NewerSession, true), (Shortcut::OlderSession, false)] {
        let go = go.clone();
        use_key(key, move || {
            let link = state.detail.data.with_untracked(|detail| {
                let neighbours = &detail.as_ref()?.neighbours;
                if newer { neighbours.newer.clone() } else { neighbours.older.clone() }
            });
            link.map(|link| go.to(&paths::session(&link.work_session_id))).is_some()
        });
    }
    use_key(Shortcut::Category, move || {
        let known = state.detail.data.with_untracked(Option::is_some);
        if known {
            state.about.set(true);
        }
        known
    });
}

/// Header and columns of a known session. Without threads, an empty state replaces the columns.
#[component]
fn SessionPageContent(state: SessionState) -> impl IntoView {
    let words = use_i18n();
    let last = StoredValue::new(None::<Arc<SessionDetail>>);
    // The parts outlive a change of address by a moment; they then keep showing what they showed.
    let detail: Signal<Option<Arc<SessionDetail>>> = Signal::derive(move || {
        if let Some(detail) = state.detail.data.get() {
            last.set_value(Some(detail));
        }
        last.get_value()
    });
    let Some(first) = detail.get_untracked() else { return ().into_any() };
    let detail: Signal<Arc<SessionDetail>> = Signal::derive(move || detail.get().unwrap_or_else(|| first.clone()));
    let empty = Memo::new(move |_| detail.with(|detail| detail.threads.is_empty()) && state.thread.get().is_none());
    let tools = use_category_tools(state);
    let on_about = Callback::new(move |()| state.about.set(true));
    let target = Memo::new(move |_| {
        detail.with(|detail| {
            let session = &detail.session;
            SpeakTarget::of_session(&session.work_session_id, session.synthetic, &session.participants, None)
        })
    });
    let act = ViewFn::from(move || view! { <SpeakButton target=target word=|words| words.act /> });
    view! {
        <SessionHead detail=detail pending=state.pending tab=SessionTab::Talk on_about=on_about act=act />
        {move || {
            if empty.get() {
                view! {
                    <EmptyState
                        icon=Icon::Talk
                        title=Signal::derive(move || words.get().thread().no_threads.to_owned())
                        text=Signal::derive(move || words.get().thread().no_threads_why.to_owned())
                    >
                        <a class="button" href=move || paths::events(&EventsFilter::of_session(&state.id.get()))>
                            {move || words.get().thread().to_events}
                        </a>
                    </EmptyState>
                    <div class="context-pane is-alone">
                        <SessionAbout state=state detail=detail tools=tools />
                    </div>
                }
                    .into_any()
            } else {
                view! { <ThreadColumns state=state detail=detail tools=tools /> }.into_any()
            }
        }}
        <CompareDialog state=state detail=detail />
    }
    .into_any()
}
