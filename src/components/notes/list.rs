//! List of notes and resolved marks: each with its author, time, text and menu.

use coordination::api::{NotePlace, SharedContent, SharedRecord};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::form::NoteEdit;
use super::{DraftKey, NoteActions, NoteDraft};
use crate::components::hidden::{Name, prose_marks};
use crate::components::time_ago::TimeAgo;
use crate::i18n::messages::NotesMessages;
use crate::i18n::use_i18n;
use crate::routes::paths;
use crate::state::use_rights;
use crate::ui::badge::Badge;
use crate::ui::live_rows::LiveRows;
use crate::ui::more_menu::{MenuAction, MoreMenu};
use crate::ui::{Icon, Tone};

/// Notes and marks, oldest first. One that is being edited stays, though somebody removed it meanwhile.
#[component]
pub fn NoteList(
    records: Memo<Vec<SharedRecord>>,
    actions: NoteActions,
    /// Says what each of them is about.
    with_places: bool,
) -> impl IntoView {
    let words = use_i18n();
    let shown = StoredValue::new(Vec::<SharedRecord>::new());
    let each = move || {
        let mut all = records.get();
        let is_draft = |id: &String| actions.drafts.with(|drafts| drafts.contains_key(&DraftKey::Edit(id.clone())));
        let is_left = |old: &SharedRecord| !all.iter().any(|record| record.id == old.id) && is_draft(&old.id);
        let orphans: Vec<SharedRecord> = shown.get_value().into_iter().filter(is_left).collect();
        all.extend(orphans);
        shown.set_value(all.clone());
        all
    };
    let row = move |record| view! { <NoteRow record=record actions=actions with_place=with_places /> }.into_any();
    view! {
        <ul class="notes__list" aria-label=move || words.get().notes().title>
            <LiveRows each=each key=|record| record.id.clone() draw=row />
        </ul>
    }
}

/// One note or mark with its menu. While it is edited, a form replaces the text.
#[component]
fn NoteRow(record: Memo<SharedRecord>, actions: NoteActions, with_place: bool) -> impl IntoView {
    let words = use_i18n();
    let allowed = use_rights().may_share();
    let node = NodeRef::<html::Li>::new();
    let key = DraftKey::Edit(record.with_untracked(|record| record.id.clone()));
    let of_draft = key.clone();
    let editing = Memo::new(move |_| actions.drafts.with(|drafts| drafts.contains_key(&of_draft)));
    let is_mark = record.with_untracked(|record| matches!(record.content, SharedContent::Resolved(_)));
    let author = move || record.with(|record| record.updated_by.clone());
    let shown_author = move || author().unwrap_or_else(|| words.get().notes().nobody.to_owned());
    let text_of = move |word: fn(&NotesMessages) -> &'static str, offered: bool| {
        Signal::derive(move || if offered { word(words.get().notes()).to_owned() } else { String::new() })
    };
    let edit = move || {
        let base = record.get_untracked();
        let draft = NoteDraft { text: base.content.text().to_owned(), id: base.id.clone(), base: Some(base) };
        actions.drafts.update(|drafts| drop(drafts.insert(DraftKey::Edit(draft.id.clone()), draft)));
    };
    let remove: fn(&NotesMessages) -> &'static str = if is_mark { |words| words.reopen } else { |words| words.remove };
    let acts = vec![
        MenuAction { text: text_of(|words| words.edit, !is_mark), run: Callback::new(move |()| edit()) },
        MenuAction {
            text: text_of(remove, true),
            run: Callback::new(move |()| actions.remove.run(record.get_untracked())),
        },
    ];
    let menu_label = Signal::derive(move || {
        let notes = words.get().notes();
        author().map_or_else(
            || notes.menu_of_nobody.to_owned(),
            |name| (notes.menu)(&coordination::text::hidden::marked(&name)),
        )
    });
    // The form had the focus.
    Effect::new(move |was: Option<bool>| {
        let now = editing.get();
        if was == Some(true) && !now {
            focus_soon(move || node.try_get_untracked().flatten()?.query_selector("summary").ok().flatten());
        }
        now
    });
    on_cleanup(|| focus_soon(|| document().query_selector("section.notes textarea").ok().flatten()));
    view! {
        <li
            class="note"
            class:is-mark=is_mark
            node_ref=node
            data-record=record.with_untracked(|record| record.id.clone())
        >
            <p class="note__head">
                {is_mark
                    .then(|| {
                        let text = Signal::derive(move || words.get().common.resolved.to_owned());
                        view! { <Badge tone=Tone::Success icon=Icon::Check text=text /> }
                    })}
                <b>{move || view! { <Name text=shown_author() /> }}</b>
                {move || view! { <TimeAgo at=record.with(|record| record.updated_at) /> }}
                {move || {
                    (record.with(|record| record.revision > 1) && !is_mark)
                        .then(|| view! { <span class="is-dim">{move || words.get().notes().edited}</span> })
                }}
                {move || with_place.then(|| view! { <NoteLink place=record.with(|record| record.content.place().cloned()) /> })}
            </p>
            {move || {
                if editing.get() {
                    view! { <NoteEdit record=record draft=key.clone() actions=actions /> }.into_any()
                } else {
                    let text = record.with(|record| record.content.text().to_owned());
                    (!text.is_empty())
                        .then(|| view! { <p class="note__text"><bdi>{prose_marks(&text, words)}</bdi></p> })
                        .into_any()
                }
            }}
            {move || {
                (allowed.get() && !editing.get()).then(|| view! { <MoreMenu label=menu_label acts=acts.clone() /> })
            }}
        </li>
    }
}

/// Gives an element the focus after the next frame, if nothing has it by then.
fn focus_soon(element: impl Fn() -> Option<web_sys::Element> + 'static) {
    request_animation_frame(move || {
        let lost = document().active_element().is_none_or(|here| here.tag_name() == "BODY");
        let found = lost.then(&element).flatten().and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(found) = found {
            found.focus().unwrap_or_default();
        }
    });
}

/// Link to the thread or message of a note; nothing for a whole session.
#[component]
fn NoteLink(place: Option<NotePlace>) -> impl IntoView {
    let words = use_i18n();
    let place = place?;
    let thread = place.thread_id?;
    let is_message = place.event_id.is_some();
    let href = paths::place(&place.work_session_id, Some(&thread), place.event_id.as_ref());
    let text = move || {
        let words = words.get().notes();
        if is_message { words.to_message } else { words.to_thread }
    };
    Some(view! {
        <a class="link" href=href>
            {text}
        </a>
    })
}
