//! Drawer with the recorded form of an event: JSON line, file and position.

use crate::components::hidden::Name;
use std::sync::Arc;

use coordination::api::{EventDetail, Origin, TranscriptPlace};
use coordination::ids::EventId;
use leptos::prelude::*;

use super::failure::Failure;
use crate::components::copy_button::CopyButton;
use crate::components::json::JsonView;
use crate::components::origin::is_from_transcript;
use crate::i18n::{time, use_i18n};
use crate::queries::{FetchOptions, use_fetch, use_go};
use crate::routes::paths;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::modal::{Modal, use_modal};
use crate::ui::skeleton::Skeleton;

/// Opens and closes an event as recorded by its address.
#[derive(Clone, Copy)]
pub struct RawEvent {
    /// Opens it: a new entry in the history, so that Back closes it.
    pub on_open: Callback<EventId>,
    /// Closes it.
    pub on_close: Callback<()>,
}

/// `open` is the event in the address, `href` the address with another event or none.
pub fn use_raw_event(
    open: Memo<Option<EventId>>,
    href: impl Fn(Option<EventId>) -> String + Send + Sync + 'static,
) -> RawEvent {
    let go = use_go();
    let href = StoredValue::new(href);
    // It was opened on this page, so the entry before this one is the page without it.
    let here = StoredValue::new(false);
    // Going back takes the browser a moment. Whatever is opened in it waits for its end, or that would undo it.
    let going_back = StoredValue::new(false);
    let next = StoredValue::new(None::<EventId>);
    let show = {
        let go = go.clone();
        move |id: EventId| {
            here.set_value(true);
            go.refine(&href.with_value(|href| href(Some(id))));
        }
    };
    let on_open = Callback::new({
        let show = show.clone();
        move |id: EventId| {
            if going_back.get_value() {
                next.set_value(Some(id));
            } else {
                show(id);
            }
        }
    });
    Effect::new(move |_| {
        open.track();
        going_back.set_value(false);
        if let Some(id) = next.try_update_value(Option::take).flatten() {
            show(id);
        }
    });
    let on_close = Callback::new(move |()| {
        let opened_here = here.get_value();
        here.set_value(false);
        // A dialog also fires `close` when Back has closed it already.
        if open.get_untracked().is_none() {
            return;
        }
        match window().history() {
            // The dialog's own `close` event follows the click on its button.
            _ if going_back.get_value() => {}
            Ok(history) if opened_here => going_back.set_value(history.back().is_ok()),
            _ => go.adjust(&href.with_value(|href| href(None))),
        }
    });
    RawEvent { on_open, on_close }
}

/// Drawer with the recorded form of `event`; closed without one.
#[component]
pub fn RawEventDrawer(#[prop(into)] event: Signal<Option<EventId>>, on_close: Callback<()>) -> impl IntoView {
    let words = use_i18n();
    let open = Signal::derive(move || event.with(Option::is_some));
    let Modal { node, on_click } = use_modal(open, on_close);
    view! {
        <dialog
            class="drawer"
            node_ref=node
            aria-label=move || words.get().events().raw_title
            on:close=move |_| on_close.run(())
            on:click=on_click
        >
            <header class="drawer__head">
                <h2>{move || words.get().events().raw_title}</h2>
                <button
                    type="button"
                    class="icon-button"
                    aria-label=move || words.get().common.close
                    on:click=move |_| on_close.run(())
                >
                    {Icon::Close}
                </button>
            </header>
            {move || event.get().map(|event| view! { <RawEventLine event=event /> })}
        </dialog>
    }
}

/// Recorded form of one event, or its state: loading, missing or failed.
#[component]
fn RawEventLine(event: EventId) -> impl IntoView {
    let words = use_i18n();
    // A line never changes once it is written.
    let options = FetchOptions::ignore_live_changes().clear_on_key_change();
    let fetch = use_fetch(move || event.clone(), options, |source, event| async move { source.event(&event).await });
    move || match (fetch.data.get(), fetch.failure.get()) {
        (Some(detail), _) => view! { <Recorded detail=detail /> }.into_any(),
        (None, Some(error)) if error.is_not_found() => {
            let title = Signal::derive(move || words.get().events().raw_missing.to_owned());
            view! { <EmptyState icon=Icon::File title=title failed=true /> }.into_any()
        }
        (None, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (None, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=4 label=label /> }.into_any()
        }
    }
}

/// Type, time, place and JSON of a recorded event.
#[component]
fn Recorded(detail: Arc<EventDetail>) -> impl IntoView {
    let words = use_i18n();
    let text = serde_json::to_string_pretty(&detail.raw).unwrap_or_default();
    let at = detail.event.at;
    let position = detail.file.clone().zip(detail.offset);
    let transcript_only = is_from_transcript(detail.event.origin);
    let hooked = detail.event.origin == Origin::Hooks;
    let place = move || match &position {
        _ if transcript_only => words.get().stores().unrecorded.to_owned(),
        _ if hooked => words.get().stores().hooked_place.to_owned(),
        Some((file, offset)) => (words.get().events().file_at)(file, &time::count(words.locale(), *offset)),
        None => words.get().events().file_unknown.to_owned(),
    };
    let original = line_of(&detail).map(|href| {
        view! {
            <a class="link" href=href>
                {move || words.get().stores().original}
            </a>
        }
    });
    view! {
        <div class="drawer__meta">
            <code class="code-inline"><Name text=detail.event.event_type.clone() /></code>
            <span>
                {move || if at > 0 { time::exact(words.locale(), at) } else { words.get().events().no_time.to_owned() }}
            </span>
            <span>{place}</span>
            {original}
            <CopyButton text=text label=Signal::derive(move || words.get().events().copy_json.to_owned()) />
        </div>
        <div class="drawer__body">
            <JsonView value=detail.raw.clone() />
        </div>
    }
}

/// Where the line of a transcript is read, of which an event was made.
fn line_of(detail: &EventDetail) -> Option<String> {
    let place = detail.raw.get("transcript").filter(|_| is_from_transcript(detail.event.origin))?;
    let place: TranscriptPlace = serde_json::from_value(place.clone()).ok()?;
    paths::transcript(&place)
}
