//! Notes and resolved marks: the panel of a session, the lines below a message, and drafts. What is typed is held by the
//! page ([`NoteDrafts`]), so that no redraw, dialog or other thread loses it.

mod form;
mod list;

use std::collections::HashMap;

use coordination::api::{NotePlace, SharedContent, SharedRecord};
use coordination::ids::{EventId, ThreadId};
use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::state::{use_hub, use_rights};
use crate::ui::segments::{Segment, Segments};

pub use form::NoteForm;
pub use list::NoteList;

/// What a draft is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DraftKey {
    /// A new note on a place.
    New(NotePlace),
    /// A change of the record with this id.
    Edit(String),
}

/// Text that is not saved yet.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteDraft {
    /// The text as typed.
    pub text: String,
    /// Id of the record. A repeated attempt writes the same one.
    pub id: String,
    /// The record as it was when its change began; none for a new note.
    pub base: Option<SharedRecord>,
}

/// Drafts of the page.
pub type NoteDrafts = RwSignal<HashMap<DraftKey, NoteDraft>>;

/// A record to be written.
#[derive(Clone)]
pub struct NoteWrite {
    /// Id of the record.
    pub id: String,
    /// The revision that the author saw; 0 for a new record.
    pub expected: u32,
    /// The new content.
    pub content: SharedContent,
    /// The draft that it is made of, which ends when the record is durable.
    pub draft: DraftKey,
}

/// What a page does for notes.
#[derive(Clone, Copy)]
pub struct NoteActions {
    /// Writes a record.
    pub write: Callback<NoteWrite>,
    /// Removes a record.
    pub remove: Callback<SharedRecord>,
    /// Makes the id of a new record.
    pub new_id: fn() -> String,
    /// What is typed.
    pub drafts: NoteDrafts,
    /// A write is on its way.
    pub busy: RwSignal<bool>,
}

/// Panel of a session: its mark, all notes, and a form.
#[component]
pub fn SessionNotes(
    records: Memo<Vec<SharedRecord>>,
    /// The session.
    place: Memo<NotePlace>,
    /// The open thread.
    thread: Memo<Option<ThreadId>>,
    actions: NoteActions,
) -> impl IntoView {
    let words = use_i18n();
    let known = use_rights().known();
    let count = Memo::new(move |_| records.with(Vec::len));
    let on_thread = RwSignal::new(false);
    let chosen = Memo::new(move |_| {
        let thread_id = thread.get().filter(|_| on_thread.get());
        NotePlace { thread_id, ..place.get() }
    });
    let any_thread = Memo::new(move |_| thread.with(Option::is_some));
    let allowed = use_rights().may_share();
    let places = move || {
        (any_thread.get() && allowed.get()).then(|| {
            let choice = |value: bool| Segment {
                value,
                view: ViewFn::from(move || {
                    let words = words.get().notes();
                    if value { words.on_thread } else { words.on_session }
                }),
            };
            view! {
                <Segments
                    label=Signal::derive(move || words.get().notes().place.to_owned())
                    choices=vec![choice(false), choice(true)]
                    value=on_thread
                    on_pick=Callback::new(move |picked| on_thread.set(picked))
                />
            }
        })
    };
    let hub = use_hub();
    // A monitor that knows no notes knows no rights either. Most files that are opened hold none.
    let is_shown = Memo::new(move |_| known.get() && (count.get() > 0 || !hub.shows_files()));
    move || {
        is_shown.get().then(|| {
            view! {
                <section class="notes">
                    <h2>
                        {move || words.get().notes().title}
                        <small>{move || (count.get() > 0).then(|| count.get().to_string())}</small>
                    </h2>
                    <NoteList records=records actions=actions with_places=true />
                    {move || {
                        (count.get() == 0).then(|| view! { <p class="is-dim">{move || words.get().notes().none}</p> })
                    }}
                    {places}
                    <NoteForm records=records place=chosen actions=actions />
                </section>
            }
        })
    }
}

/// Notes and marks of each message.
pub type NotesByMessage = HashMap<EventId, Vec<SharedRecord>>;

/// Notes and marks of one message, below it.
#[component]
pub fn MessageNotes(records: Memo<NotesByMessage>, message: EventId, actions: NoteActions) -> impl IntoView {
    let id = message.clone();
    let any = Memo::new(move |_| records.with(|records| records.contains_key(&id)));
    move || {
        any.get().then(|| {
            let message = message.clone();
            let own = Memo::new(move |_| records.with(|records| records.get(&message).cloned().unwrap_or_default()));
            view! {
                <div class="bubble__notes">
                    <NoteList records=own actions=actions with_places=false />
                </div>
            }
        })
    }
}
