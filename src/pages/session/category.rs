//! Category change of the open session, and the query for its earlier changes. A change is shown at once and reverted
//! when the request fails. Undo, where it is possible, is offered in a toast that outlives the page.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use coordination::api::{
    CategoryClear, CategoryHistory, CategoryPatch, CategoryPatched, ExpectedOverride, SessionDetail,
};
use coordination::category::{Category, CategorySource};
use coordination::ids::SessionId;
use futures::lock::Mutex;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::SessionState;
use crate::components::session::{CategoryChoice, Precondition};
use crate::i18n::{I18n, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch};
use crate::source::{DataSource, SourceError};
use crate::state::{ConnectionState, HubState, use_connection, use_hub, use_preferences};
use crate::ui::toast::{Toasts, use_toasts};

/// What the page needs to show and change a category.
#[derive(Clone, Copy)]
pub(super) struct CategoryTools {
    /// The changes so far.
    pub(super) history: Fetch<CategoryHistory>,
    /// Makes a change.
    pub(super) on_change: Callback<CategoryChoice>,
}

/// The tools for the open session.
pub(super) fn use_category_tools(state: SessionState) -> CategoryTools {
    CategoryTools { history: use_category_history(state), on_change: use_category_change(state) }
}

/// Changes the category of the open session.
fn use_category_change(state: SessionState) -> Callback<CategoryChoice> {
    let (connection, preferences) = (use_connection(), use_preferences());
    let changer = CategoryChanger {
        state,
        connection,
        words: use_i18n(),
        toasts: use_toasts(),
        hub: use_hub(),
        turns: Arc::default(),
    };
    Callback::new(move |change: CategoryChoice| {
        // The result is shown on the page, which the dialog would cover. A dialog that is opened again while the answer
        // of the change, or of an undo, is pending stays open.
        state.about.set(false);
        changer.make(&state.id.get_untracked(), change, preferences.author(), true);
    })
}

/// The changes of the open session's category so far; none are requested from a 1.x monitor, which stores none.
fn use_category_history(state: SessionState) -> Fetch<CategoryHistory> {
    let compat = use_connection().compat;
    // Every change made here or elsewhere shows in the override that is in force, which is part of the key.
    let manual = Memo::new(move |_| {
        state.detail.data.with(|detail| detail.as_ref().and_then(|detail| detail.evidence.manual.clone()))
    });
    let options = FetchOptions::refetch_when(|change, _: &(Option<SessionId>, _)| change.everything)
        .keep_data_when(|(a, _), (b, _)| a == b);
    use_fetch(
        move || ((!compat.get()).then(|| state.id.get()), manual.get()),
        options,
        |source, (session, _)| async move {
            match session {
                Some(session) => source.category_history(&session).await,
                None => Err(SourceError::Unsupported),
            }
        },
    )
}

#[derive(Clone)]
struct CategoryChanger {
    state: SessionState,
    connection: ConnectionState,
    words: I18n,
    toasts: Toasts,
    hub: HubState,
    turns: Arc<ChangeQueue>,
}

/// The page's changes go one behind another: a change made while another is on its way is made on the result of that
/// one.
#[derive(Default)]
struct ChangeQueue {
    /// The category in this page's newest answer, and of which session.
    left: Mutex<Option<(SessionId, ExpectedOverride)>>,
    /// How many changes were made.
    made: AtomicU32,
}

impl CategoryChanger {
    /// Makes a change; with `undo` the way back is offered once it is made.
    fn make(&self, session: &SessionId, change: CategoryChoice, by: Option<String>, undo: bool) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let (changer, session) = (self.clone(), session.clone());
        let state = self.state;
        // The user may have left the page before this is undone, and before the answer comes.
        let shown = change.category.or_else(|| {
            let automatic = |detail: &Option<Arc<SessionDetail>>| detail.as_ref().and_then(|it| it.evidence.automatic);
            state.detail.data.try_with_untracked(automatic).flatten()
        });
        if self.is_open(&session) {
            state.pending.try_set(shown);
        }
        let number = self.turns.made.fetch_add(1, Ordering::Relaxed) + 1;
        let under_way = self.toasts.under_way();
        spawn_local(async move {
            let _under_way = under_way;
            let (answer, seen) = changer.ask(&source, &session, &change, by.clone()).await;
            // A newer change has the word.
            if changer.turns.made.load(Ordering::Relaxed) == number {
                state.pending.try_set(None);
            }
            match answer {
                Ok(patched) => {
                    state.detail.data.try_update(|detail| take(detail, &session, &change, &patched));
                    if changer.is_open(&session) {
                        // An answer on its way may be older than the change.
                        state.detail.refetch();
                    }
                    let text = done(changer.words, &change, patched, shown);
                    match changer.way_back(&change, seen).filter(|_| undo) {
                        Some(back) => {
                            let (retry, undo) = (changer.clone(), changer.words.now().thread().undo);
                            let action = move || retry.make(&session, back.clone(), by.clone(), false);
                            changer.toasts.done_with(text, undo, action);
                        }
                        None => changer.toasts.done(text),
                    }
                }
                Err(error) if error.is_conflict() => changer.conflict(&source, session, change, by).await,
                Err(error) => {
                    let words = changer.words.now();
                    let text = format!("{}. {}", words.thread().category_failed, error.sentence(words));
                    changer.toasts.failed(text);
                }
            }
        });
    }

    /// The user still looks at this session.
    fn is_open(&self, session: &SessionId) -> bool {
        self.state.id.try_get_untracked().is_some_and(|id| id == *session)
    }

    /// Sends the change when its turn comes, and returns its precondition.
    async fn ask(
        &self,
        source: &DataSource,
        session: &SessionId,
        change: &CategoryChoice,
        by: Option<String>,
    ) -> (Result<CategoryPatched, SourceError>, Option<ExpectedOverride>) {
        let mut left = self.turns.left.lock().await;
        let seen = match change.precondition {
            Precondition::Seen(seen) => Some(seen),
            Precondition::OwnChange(seen) => {
                Some(left.as_ref().filter(|(of, _)| of == session).map_or(seen, |(_, left)| *left))
            }
            Precondition::Anything => None,
        };
        let answer = ask(source, session, change, seen, by).await;
        let current = if answer.is_ok() { Some(ExpectedOverride(change.category)) } else { seen };
        if let Some(current) = current {
            *left = Some((session.clone(), current));
        }
        (answer, seen)
    }

    /// The change that undoes one whose precondition was the value on the page. A 1.x monitor cannot return to the
    /// automatic category.
    fn way_back(&self, change: &CategoryChoice, seen: Option<ExpectedOverride>) -> Option<CategoryChoice> {
        let ExpectedOverride(before) = seen?;
        (before.is_some() || !self.connection.compat.try_get_untracked().unwrap_or_default()).then_some(
            CategoryChoice {
                category: before,
                reason: None,
                precondition: Precondition::Seen(ExpectedOverride(change.category)),
            },
        )
    }
}

impl CategoryChanger {
    /// Somebody else was first: the toast names them and their category, and the user decides.
    async fn conflict(&self, source: &DataSource, session: SessionId, change: CategoryChoice, by: Option<String>) {
        let words = self.words.now();
        let now = source.session(&session).await.ok();
        let (name, category) = match now.as_ref().map(|now| (&now.evidence.manual, now.session.category.key)) {
            Some((Some(manual), category)) => (manual.updated_by.clone(), Some(category)),
            Some((None, category)) => (None, Some(category)),
            None => (None, None),
        };
        if let Some(now) = now {
            self.state.detail.data.try_update(|detail| {
                if detail.as_ref().is_some_and(|detail| detail.session.work_session_id == session) {
                    *detail = Some(Arc::new(now));
                }
            });
        }
        let name = name.unwrap_or_else(|| words.thread().somebody.to_owned());
        let text = (words.thread().category_conflict)(&name, category.map(words.common.category));
        let anyway = CategoryChoice { precondition: Precondition::Anything, ..change };
        let changer = self.clone();
        let action = move || changer.make(&session, anyway.clone(), by.clone(), false);
        self.toasts.failed_with(text, words.thread().change_anyway, action);
    }
}

async fn ask(
    source: &DataSource,
    session: &SessionId,
    change: &CategoryChoice,
    expected: Option<ExpectedOverride>,
    by: Option<String>,
) -> Result<CategoryPatched, SourceError> {
    match change.category {
        Some(collab_category) => {
            let patch = CategoryPatch { collab_category, updated_by: by, reason: change.reason.clone(), expected };
            source.patch_category(session, &patch).await
        }
        None => {
            let clear = CategoryClear { updated_by: by, reason: change.reason.clone(), expected };
            source.clear_category(session, &clear).await
        }
    }
}

/// What was done, in words.
fn done(words: I18n, change: &CategoryChoice, patched: CategoryPatched, shown: Option<Category>) -> String {
    let words = words.now();
    let in_force = patched.session.map(|card| card.category.key).or(shown);
    match (change.category, in_force) {
        (Some(category), _) => (words.thread().category_saved)((words.common.category)(category)),
        (None, Some(category)) => (words.thread().category_returned)((words.common.category)(category)),
        (None, None) => words.thread().return_automatic.to_owned(),
    }
}

/// Puts the answer into what the page shows, so that nothing flickers until the refetch.
fn take(
    detail: &mut Option<Arc<SessionDetail>>,
    session: &SessionId,
    change: &CategoryChoice,
    patched: &CategoryPatched,
) {
    let Some(detail) = detail.as_mut().filter(|detail| detail.session.work_session_id == *session) else { return };
    let detail = Arc::make_mut(detail);
    detail.evidence.manual.clone_from(&patched.manual);
    match (&patched.session, change.category) {
        (Some(card), _) => detail.session = card.clone(),
        (None, Some(category)) => {
            detail.session.category.key = category;
            detail.session.category.source = CategorySource::ManualOverride;
        }
        (None, None) => {}
    }
}
