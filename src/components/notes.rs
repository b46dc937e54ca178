//! Notes and resolved marks: the list and form of a session, the dialog of a message, and the lines below a message.

use coordination::api::{Note, NotePlace, ResolvedMark, SharedContent, SharedRecord};
use coordination::ids::{EventId, ThreadId};
use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;

use super::hidden::{Name, prose_marks};
use super::name_field::NameField;
use super::time_ago::TimeAgo;
use crate::i18n::use_i18n;
use crate::routes::paths;
use crate::state::use_rights;
use crate::ui::badge::Badge;
use crate::ui::more_menu::{MenuAction, MoreMenu};
use crate::ui::segments::{Segment, Segments};
use crate::ui::{Icon, Tone};

/// Longest note that the form takes, in characters.
const MAX_CHARS: usize = coordination::api::MAX_NOTE_CHARS;

/// A record to be written.
#[derive(Clone)]
pub struct NoteWrite {
    /// Id and revision of the record that is changed; a new one without.
    pub changes: Option<(String, u32)>,
    /// The new content.
    pub content: SharedContent,
    /// Called when it is durable.
    pub on_done: Callback<()>,
}

/// What a page does for notes.
#[derive(Clone, Copy)]
pub struct NoteActions {
    /// Writes a record.
    pub write: Callback<NoteWrite>,
    /// Removes a record.
    pub remove: Callback<SharedRecord>,
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
    let count = Memo::new(move |_| records.with(Vec::len));
    let on_thread = RwSignal::new(false);
    let chosen = Memo::new(move |_| {
        let thread_id = thread.get().filter(|_| on_thread.get());
        NotePlace { thread_id, ..place.get() }
    });
    view! {
        <section class="notes">
            <h2>
                {move || words.get().notes().title}
                <small>{move || (count.get() > 0).then(|| count.get().to_string())}</small>
            </h2>
            <NoteList records=records actions=actions with_places=true />
            {move || (count.get() == 0).then(|| view! { <p class="is-dim">{move || words.get().notes().none}</p> })}
            {move || {
                thread.with(Option::is_some).then(|| {
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
            }}
            <NoteForm records=records place=chosen actions=actions />
        </section>
    }
}

/// Notes and marks, oldest first.
#[component]
pub fn NoteList(
    records: Memo<Vec<SharedRecord>>,
    actions: NoteActions,
    /// Says what each of them is about.
    with_places: bool,
) -> impl IntoView {
    let ids = move || records.with(|records| records.iter().map(|record| record.id.clone()).collect::<Vec<_>>());
    let row = move |id: String| {
        let first = records.with_untracked(|records| records.iter().find(|record| record.id == id).cloned())?;
        let record = Memo::new(move |before: Option<&SharedRecord>| {
            let now = records.with(|records| records.iter().find(|record| record.id == id).cloned());
            now.or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
        });
        Some(view! { <NoteRow record=record actions=actions with_place=with_places /> })
    };
    view! {
        <ul class="notes__list">
            <For each=ids key=String::clone children=row />
        </ul>
    }
}

/// One note or mark with its menu. While it is edited, a form replaces the text.
#[component]
fn NoteRow(record: Memo<SharedRecord>, actions: NoteActions, with_place: bool) -> impl IntoView {
    let words = use_i18n();
    let allowed = use_rights().may_categorize();
    let editing = RwSignal::new(false);
    let is_mark = record.with_untracked(|record| matches!(record.content, SharedContent::Resolved(_)));
    let author = move || {
        let name = record.with(|record| record.updated_by.clone());
        name.unwrap_or_else(|| words.get().notes().nobody.to_owned())
    };
    let link = move || {
        let place = record.with(|record| record.content.place().cloned()).filter(|_| with_place)?;
        let thread = place.thread_id?;
        let (href, text): (_, fn(&crate::i18n::messages::NotesMessages) -> &'static str) = match &place.event_id {
            Some(message) => (paths::thread_at(&place.work_session_id, &thread, message), |words| words.to_message),
            None => (paths::thread(&place.work_session_id, &thread), |words| words.to_thread),
        };
        Some(view! {
            <a class="link" href=href>
                {move || text(words.get().notes())}
            </a>
        })
    };
    let text_of = move |word: fn(&crate::i18n::messages::NotesMessages) -> &'static str, offered: bool| {
        Signal::derive(move || if offered { word(words.get().notes()).to_owned() } else { String::new() })
    };
    let remove: fn(&crate::i18n::messages::NotesMessages) -> &'static str =
        if is_mark { |words| words.reopen } else { |words| words.remove };
    let acts = vec![
        MenuAction { text: text_of(|words| words.edit, !is_mark), run: Callback::new(move |()| editing.set(true)) },
        MenuAction {
            text: text_of(remove, true),
            run: Callback::new(move |()| actions.remove.run(record.get_untracked())),
        },
    ];
    let menu_label = Signal::derive(move || (words.get().notes().menu)(&author()));
    let save = Callback::new(move |text: String| {
        let SharedRecord { id, revision, content, .. } = record.get_untracked();
        let SharedContent::Note(note) = content else { return };
        actions.write.run(NoteWrite {
            changes: Some((id, revision)),
            content: SharedContent::Note(Note { text, ..note }),
            on_done: Callback::new(move |()| {
                editing.try_set(false);
            }),
        });
    });
    view! {
        <li class="note" class:is-mark=is_mark data-record=record.with_untracked(|record| record.id.clone())>
            <p class="note__head">
                {is_mark
                    .then(|| {
                        let text = Signal::derive(move || words.get().common.resolved.to_owned());
                        view! { <Badge tone=Tone::Success icon=Icon::Check text=text /> }
                    })}
                <b>{move || view! { <Name text=author() /> }}</b>
                {move || view! { <TimeAgo at=record.with(|record| record.updated_at) /> }}
                {move || {
                    (record.with(|record| record.revision > 1) && !is_mark)
                        .then(|| view! { <span class="is-dim">{move || words.get().notes().edited}</span> })
                }}
                {link}
            </p>
            {move || {
                if editing.get() {
                    let text = record.with_untracked(|record| record.content.text().to_owned());
                    view! { <NoteEdit text=text busy=actions.busy on_save=save on_cancel=Callback::new(move |()| editing.set(false)) /> }
                        .into_any()
                } else {
                    let text = record.with(|record| record.content.text().to_owned());
                    (!text.is_empty())
                        .then(|| view! { <p class="note__text"><bdi>{prose_marks(&text, words)}</bdi></p> })
                        .into_any()
                }
            }}
            {move || allowed.get().then(|| view! { <MoreMenu label=menu_label acts=acts.clone() /> })}
        </li>
    }
}

/// Text of a note being edited.
#[component]
fn NoteEdit(text: String, busy: RwSignal<bool>, on_save: Callback<String>, on_cancel: Callback<()>) -> impl IntoView {
    let words = use_i18n();
    let draft = RwSignal::new(text);
    let save = move || {
        let text = draft.get_untracked().trim().to_owned();
        if !text.is_empty() && !busy.get_untracked() {
            on_save.run(text);
        }
    };
    let press = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !event.is_composing() {
            event.stop_propagation();
            on_cancel.run(());
        }
    };
    view! {
        <form
            class="note-form"
            on:keydown=press
            on:submit=move |event| {
                event.prevent_default();
                save();
            }
        >
            <NoteText draft=draft on_submit=Callback::new(move |()| save()) focused=true />
            <div class="note-form__acts">
                <button type="submit" class="button is-small is-primary" disabled=move || busy.get()>
                    {move || words.get().notes().save_edit}
                </button>
                <button type="button" class="button is-small" on:click=move |_| on_cancel.run(())>
                    {move || words.get().common.cancel}
                </button>
            </div>
        </form>
    }
}

/// Form for a note on a place, or for the mark that the place is resolved, with the text as its reason.
#[component]
pub fn NoteForm(records: Memo<Vec<SharedRecord>>, place: Memo<NotePlace>, actions: NoteActions) -> impl IntoView {
    let words = use_i18n();
    let rights = use_rights();
    let (allowed, user) = (rights.may_categorize(), rights.user());
    let draft = RwSignal::new(String::new());
    let blank = Memo::new(move |_| draft.with(|text| text.trim().is_empty()));
    let resolved = Memo::new(move |_| {
        let here = place.get();
        let marks =
            |record: &SharedRecord| matches!(&record.content, SharedContent::Resolved(mark) if mark.place == here);
        records.with(|records| records.iter().any(marks))
    });
    let write = move |content: SharedContent| {
        let on_done = Callback::new(move |()| {
            draft.try_set(String::new());
        });
        actions.write.run(NoteWrite { changes: None, content, on_done });
    };
    let add = move || {
        let text = draft.get_untracked().trim().to_owned();
        if !text.is_empty() && !actions.busy.get_untracked() {
            write(SharedContent::Note(Note { place: place.get_untracked(), text }));
        }
    };
    let resolve = move |_| {
        let reason = Some(draft.get_untracked().trim().to_owned()).filter(|text| !text.is_empty());
        write(SharedContent::Resolved(ResolvedMark { place: place.get_untracked(), reason }));
    };
    let form = move || {
        view! {
            <form
                class="note-form"
                on:submit=move |event: SubmitEvent| {
                    event.prevent_default();
                    add();
                }
            >
                <NoteText draft=draft on_submit=Callback::new(move |()| add()) focused=false />
                {move || {
                    (!blank.get() && user.with(Option::is_none))
                        .then(|| {
                            view! {
                                <NameField
                                    label=Signal::derive(move || words.get().thread().name_label.to_owned())
                                    hint=Signal::derive(move || words.get().thread().name_hint.to_owned())
                                />
                            }
                        })
                }}
                <div class="note-form__acts">
                    <button
                        type="submit"
                        class="button is-small is-primary"
                        disabled=move || blank.get() || actions.busy.get()
                    >
                        {move || words.get().notes().save}
                    </button>
                    {move || {
                        (!resolved.get())
                            .then(|| {
                                view! {
                                    <button
                                        type="button"
                                        class="button is-small"
                                        disabled=move || actions.busy.get()
                                        on:click=resolve
                                    >
                                        {Icon::Check}
                                        {move || words.get().notes().resolve}
                                    </button>
                                }
                            })
                    }}
                </div>
                <p class="is-dim note-form__who">{move || words.get().notes().shared_note}</p>
            </form>
        }
    };
    move || {
        if allowed.get() {
            form().into_any()
        } else {
            view! { <p class="is-dim">{move || words.get().common.not_allowed}</p> }.into_any()
        }
    }
}

/// Field for the text of a note. Ctrl+Enter submits, but not within a Hangul composition.
#[component]
fn NoteText(draft: RwSignal<String>, on_submit: Callback<()>, focused: bool) -> impl IntoView {
    let words = use_i18n();
    let field = NodeRef::<leptos::html::Textarea>::new();
    Effect::new(move |_| {
        if let (true, Some(field)) = (focused, field.get()) {
            field.focus().unwrap_or_default();
        }
    });
    let press = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !event.is_composing() {
            event.prevent_default();
            on_submit.run(());
        }
    };
    view! {
        <textarea
            node_ref=field
            rows="3"
            maxlength=MAX_CHARS.to_string()
            aria-label=move || words.get().notes().write
            placeholder=move || words.get().notes().hint
            prop:value=move || draft.get()
            on:input=move |event| draft.set(event_target_value(&event))
            on:keydown=press
        />
    }
}

/// Notes and marks of one message, below it.
#[component]
pub fn MessageNotes(records: Memo<Vec<SharedRecord>>, message: EventId, actions: NoteActions) -> impl IntoView {
    let own = Memo::new(move |_| {
        let is_own = |record: &&SharedRecord| {
            record.content.place().is_some_and(|place| place.event_id.as_ref() == Some(&message))
        };
        records.with(|records| records.iter().filter(is_own).cloned().collect::<Vec<_>>())
    });
    let any = Memo::new(move |_| own.with(|own| !own.is_empty()));
    move || {
        any.get().then(
            || view! { <div class="bubble__notes"><NoteList records=own actions=actions with_places=false /></div> },
        )
    }
}
