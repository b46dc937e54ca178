//! Notes and resolved marks of the open session: writing, undo, and the dialog for one message.

use coordination::api::{NotePlace, SessionDetail, SharedContent, SharedPut, SharedRecord, SharedRemoval};
use coordination::ids::{EventId, SessionId, ThreadId};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::notes::{NoteActions, NoteForm, NoteList, NoteWrite, SessionNotes};
use crate::components::team_views::new_record_id;
use crate::components::thread::MessageNoteContext;
use crate::i18n::{I18n, use_i18n};
use crate::queries::Fetch;
use crate::source::SourceError;
use crate::state::{HubState, Preferences, use_hub, use_preferences};
use crate::ui::dialog::Dialog;
use crate::ui::toast::{Toasts, use_toasts};

/// Notes of the open session.
#[derive(Clone, Copy)]
pub(super) struct NoteTools {
    /// All of the session, its threads and messages.
    records: Memo<Vec<SharedRecord>>,
    actions: NoteActions,
    /// The message whose dialog is open.
    message: RwSignal<Option<(Option<ThreadId>, EventId)>>,
    id: Memo<SessionId>,
}

/// What a write needs. It outlives the page.
#[derive(Clone, Copy)]
struct NoteWriter {
    id: Memo<SessionId>,
    detail: Fetch<SessionDetail>,
    hub: HubState,
    preferences: Preferences,
    toasts: Toasts,
    words: I18n,
    busy: RwSignal<bool>,
}

/// Notes of the open session, and how to change them.
pub(super) fn use_notes(id: Memo<SessionId>, detail: Fetch<SessionDetail>) -> NoteTools {
    let busy = RwSignal::new(false);
    let writer = NoteWriter {
        id,
        detail,
        hub: use_hub(),
        preferences: use_preferences(),
        toasts: use_toasts(),
        words: use_i18n(),
        busy,
    };
    let records = Memo::new(move |_| {
        detail.data.with(|detail| detail.as_ref().map(|detail| detail.shared.clone()).unwrap_or_default())
    });
    let actions = NoteActions {
        write: Callback::new(move |write| writer.write(write)),
        remove: Callback::new(move |record| writer.remove(record)),
        busy,
    };
    NoteTools { records, actions, message: RwSignal::new(None), id }
}

impl NoteTools {
    /// What the messages of a stream need.
    pub(super) fn of_messages(self) -> MessageNoteContext {
        MessageNoteContext {
            records: self.records,
            actions: self.actions,
            on_open: Callback::new(move |message| self.message.set(Some(message))),
        }
    }

    fn place(self) -> NotePlace {
        NotePlace { work_session_id: self.id.get(), thread_id: None, event_id: None }
    }
}

impl NoteWriter {
    fn author(self) -> Option<String> {
        let name = self.preferences.name.get_untracked();
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    }

    fn write(self, write: NoteWrite) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let (id, expected) = write.changes.unwrap_or_else(|| (new_record_id(), 0));
        let is_mark = matches!(write.content, SharedContent::Resolved(_));
        let put = SharedPut { content: write.content, expected: Some(expected), updated_by: self.author() };
        let under_way = self.toasts.under_way();
        self.busy.set(true);
        spawn_local(async move {
            let _under_way = under_way;
            let answer = source.put_shared(&id, &put).await;
            self.busy.try_set(false);
            match answer {
                Ok(_) => {
                    self.refetch();
                    write.on_done.try_run(());
                    let words = self.words.now().notes();
                    self.toasts.done(if is_mark { words.marked } else { words.saved });
                }
                Err(error) => self.failed(&error),
            }
        });
    }

    fn remove(self, record: SharedRecord) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let removal = SharedRemoval { expected: Some(record.revision), updated_by: self.author() };
        let under_way = self.toasts.under_way();
        spawn_local(async move {
            let _under_way = under_way;
            match source.remove_shared(&record.id, &removal).await {
                Ok(removed) => {
                    self.refetch();
                    let words = self.words.now();
                    let is_mark = matches!(record.content, SharedContent::Resolved(_));
                    let text = if is_mark { words.notes().reopened } else { words.notes().removed };
                    let back = move || {
                        self.write(NoteWrite {
                            changes: Some((record.id.clone(), removed.revision)),
                            content: record.content.clone(),
                            on_done: Callback::new(|()| {}),
                        });
                    };
                    self.toasts.done_with(text, words.common.undo, back);
                }
                Err(error) => self.failed(&error),
            }
        });
    }

    /// Shows what is in force now. What was typed stays in its field.
    fn failed(self, error: &SourceError) {
        let words = self.words.now();
        if error.is_conflict() {
            self.refetch();
            self.toasts.failed(words.notes().conflict);
        } else {
            self.toasts.failed(format!("{}. {}", words.notes().failed, error.sentence(words)));
        }
    }

    fn refetch(self) {
        // The user may have left the page.
        if self.id.try_get_untracked().is_some() {
            self.detail.refetch();
        }
    }
}

/// Panel of the session's notes.
#[component]
pub(super) fn NotesPanel(tools: NoteTools, thread: Memo<Option<ThreadId>>) -> impl IntoView {
    let place = Memo::new(move |_| tools.place());
    view! { <SessionNotes records=tools.records place=place thread=thread actions=tools.actions /> }
}

/// Dialog with the notes of one message.
#[component]
pub(super) fn MessageNotesDialog(tools: NoteTools) -> impl IntoView {
    let words = use_i18n();
    let open = Memo::new(move |_| tools.message.with(Option::is_some));
    let place = Memo::new(move |_| {
        let (thread_id, event_id) = tools.message.get().map_or((None, None), |(thread, event)| (thread, Some(event)));
        NotePlace { thread_id, event_id, ..tools.place() }
    });
    let records = Memo::new(move |_| {
        let message = tools.message.with(|message| message.as_ref().map(|(_, event)| event.clone()));
        let is_own = |record: &&SharedRecord| {
            record.content.place().is_some_and(|place| place.event_id.is_some() && place.event_id == message)
        };
        tools.records.with(|records| records.iter().filter(is_own).cloned().collect::<Vec<_>>())
    });
    view! {
        <Dialog
            open=open
            on_close=Callback::new(move |()| tools.message.set(None))
            title=Signal::derive(move || words.get().notes().message_title.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            <div class="notes">
                <NoteList records=records actions=tools.actions with_places=false />
                <NoteForm records=records place=place actions=tools.actions />
            </div>
        </Dialog>
    }
}
