//! Finding in the whole open thread: the monitor tells which messages hold the text, the reader goes from one to the
//! next, and each is brought into view with the part of the thread around it.

use coordination::api::ThreadFound;
use coordination::ids::EventId;
use leptos::prelude::*;

use super::scroll;
use super::thread_state::{Jump, Key, ThreadState};
use crate::components::thread::find::FindBar;
use crate::hooks::{FetchOptions, use_fetch};
use crate::source::ApiError;

type Question = Option<(Key, String)>;

/// The bar and what it does.
#[component]
pub(super) fn Finding(thread: ThreadState, on_close: Callback<()>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let question = Memo::new(move |_| thread.key.get().zip(Some(text.get()).filter(|text| !text.trim().is_empty())));
    let options = FetchOptions {
        touches: Box::new(|change, question: &Question| {
            question.as_ref().is_some_and(|((session, _), _)| change.touches_session(session))
        }),
        same_subject: Box::new(|a, b| a == b),
    };
    let fetch = use_fetch(
        move || question.get(),
        options,
        |source, question: Question| async move {
            let ((session, thread), text) = question.ok_or(ApiError::Unsupported)?;
            source.thread_found(&session, &thread, &text).await
        },
    );
    let found = Memo::new(move |_| {
        question.with(Option::is_some).then(|| fetch.data.get()).flatten().map(|found| ThreadFound::clone(&found))
    });
    let here = RwSignal::new(None::<EventId>);
    let go = move |id: EventId| {
        here.set(Some(id.clone()));
        thread.go(Jump::To(id));
    };
    // The newest match is where one begins, and where one is put when the one before is none any more.
    Effect::new(move |before: Option<Option<String>>| {
        let newest = found.with(|found| found.as_ref().map(|found| found.ids.last().cloned()));
        let text = text.get_untracked();
        let Some(newest) = newest else { return before.flatten() };
        let asked_before = before.flatten().as_ref() == Some(&text);
        let is_known = here.with_untracked(|here| {
            let is_one = |found: &ThreadFound| here.as_ref().is_some_and(|here| found.ids.contains(here));
            found.with_untracked(|found| found.as_ref().is_some_and(is_one))
        });
        match newest {
            Some(newest) if !is_known && !asked_before => go(newest),
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
    let content = Memo::new(move |_| thread.items.with(|items| (items.len(), items.first().map(|item| item.key()))));
    // A memo that nobody reads is never worked out, and so never tells.
    let drawn = Signal::derive(move || content.with(|_| ()));
    // Closed, the reader goes on from what was found.
    let close = Callback::new(move |()| {
        let row = here.get_untracked().and_then(|id| scroll::message(id.as_str()));
        on_close.run(());
        if let Some(row) = row {
            scroll::focus(&row);
        }
    });
    view! {
        <FindBar
            root=thread.stream
            content=drawn
            text=text
            here=here
            number=number
            on_step=Callback::new(step)
            on_close=close
        />
    }
}
