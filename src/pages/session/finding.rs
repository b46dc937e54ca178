//! Search within a thread or a whole session. The monitor returns the matching messages and the user steps through
//! them. A match that is not loaded yet is loaded together with the messages around it.

use std::collections::HashSet;

use coordination::api::ThreadFound;
use coordination::ids::{EventId, SessionId, ThreadId};
use leptos::html;
use leptos::prelude::*;

use super::scroll;
use crate::components::fold::use_folds;
use crate::components::thread::find::FindBar;
use crate::components::thread::flow::StreamItem;
use crate::i18n::use_i18n;
use crate::queries::{FetchOptions, use_fetch};
use crate::source::SourceError;
use crate::ui::Icon;

/// A session, and one of its threads or all of them.
type FindScope = (SessionId, Option<ThreadId>);
type FindState = Option<(FindScope, String)>;

/// What is looked through.
#[derive(Clone, Copy)]
pub(super) struct FindTarget {
    /// The session and thread; `None` while nothing is open.
    pub(super) of: Signal<Option<FindScope>>,
    pub(super) stream: NodeRef<html::Div>,
    pub(super) items: Memo<Vec<StreamItem>>,
    /// Brings a message into view.
    pub(super) on_go: Callback<EventId>,
}

/// Button that opens the search bar, or the bar itself.
#[component]
pub(super) fn FindTool(sought: FindTarget, finding: RwSignal<bool>) -> impl IntoView {
    let words = use_i18n();
    let close = Callback::new(move |()| finding.set(false));
    move || {
        if finding.get() {
            view! { <MessageFinder sought=sought on_close=close /> }.into_any()
        } else {
            view! {
                <button type="button" class="button is-quiet is-small" on:click=move |_| finding.set(true)>
                    {Icon::Search}
                    {move || words.get().thread().find}
                    <kbd>"/"</kbd>
                </button>
            }
            .into_any()
        }
    }
}

/// Search bar with its matches, and the steps between them.
#[component]
fn MessageFinder(sought: FindTarget, on_close: Callback<()>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let question = Memo::new(move |_| sought.of.get().zip(Some(text.get()).filter(|text| !text.trim().is_empty())));
    let options = FetchOptions::refetch_when(|change, question: &FindState| {
        question.as_ref().is_some_and(|((session, _), _)| change.touches_session(session))
    })
    .clear_on_key_change();
    let fetch = use_fetch(
        move || question.get(),
        options,
        |source, question: FindState| async move {
            let ((session, thread), text) = question.ok_or(SourceError::Unsupported)?;
            source.found(&session, thread.as_ref(), &text).await
        },
    );
    let found = Memo::new(move |_| {
        question.with(Option::is_some).then(|| fetch.data.get()).flatten().map(|found| ThreadFound::clone(&found))
    });
    let hits = Memo::new(move |_| {
        found
            .with(|found| found.as_ref().map(|found| found.ids.iter().cloned().collect::<HashSet<_>>()))
            .unwrap_or_default()
    });
    let here = RwSignal::new(None::<EventId>);
    let go = move |id: EventId| {
        here.set(Some(id.clone()));
        sought.on_go.run(id);
    };
    // The newest match is the first one, and the fallback when the current match disappears.
    Effect::new(move |before: Option<Option<String>>| {
        let newest = found.with(|found| found.as_ref().map(|found| found.ids.last().cloned()));
        let text = text.get_untracked();
        let Some(newest) = newest else { return before.flatten() };
        let searched_before = before.flatten().as_ref() == Some(&text);
        let is_known = here.with_untracked(|here| {
            let is_one = |found: &ThreadFound| here.as_ref().is_some_and(|here| found.ids.contains(here));
            found.with_untracked(|found| found.as_ref().is_some_and(is_one))
        });
        match newest {
            Some(newest) if !is_known && !searched_before => go(newest),
            None => here.set(None),
            _ => {}
        }
        Some(text)
    });
    let number = Signal::derive(move || {
        found.with(|found| {
            let found = found.as_ref()?;
            let place = here.with(|here| found.ids.iter().position(|id| Some(id) == here.as_ref()));
            let before = found.total as usize - found.ids.len();
            Some((place.map_or(0, |place| before + place + 1), found.total as usize))
        })
    });
    let step = move |forward: bool| {
        let next = found.with_untracked(|found| {
            let ids = &found.as_ref()?.ids;
            let place = here.with_untracked(|here| ids.iter().position(|id| Some(id) == here.as_ref()));
            let next = match place {
                Some(place) => (place + if forward { 1 } else { ids.len() - 1 }) % ids.len(),
                None => ids.len().checked_sub(1)?,
            };
            ids.get(next).cloned()
        });
        if let Some(next) = next {
            go(next);
        }
    };
    let content = Memo::new(move |_| sought.items.with(|items| (items.len(), items.first().map(|item| item.key()))));
    let folds = use_folds();
    // An unread memo is never computed, and so never notifies.
    let drawn = Signal::derive(move || {
        folds.track();
        content.with(|_| ());
    });
    // After closing, the user continues from the found message.
    let close = Callback::new(move |()| {
        let row = here.get_untracked().and_then(|id| scroll::message(id.as_str()));
        on_close.run(());
        if let Some(row) = row {
            scroll::focus(&row);
        }
    });
    view! {
        <FindBar
            root=sought.stream
            content=drawn
            text=text
            here=here
            hits=hits
            number=number
            on_step=Callback::new(step)
            on_close=close
        />
    }
}
