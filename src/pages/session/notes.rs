//! Notes and resolved marks of the open session: writing, undo, and the dialog for one message.

use std::collections::HashMap;

use coordination::api::{NotePlace, SessionDetail, SharedContent, SharedPut, SharedRecord, SharedRemoval};
use coordination::ids::{EventId, SessionId, ThreadId};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::notes::{
    DraftKey, NoteActions, NoteDrafts, NoteForm, NoteList, NoteWrite, NotesByMessage, SessionNotes,
};
use crate::components::team_views::new_record_id;
use crate::components::thread::MessageNoteContext;
use crate::i18n::{I18n, use_i18n};
use crate::queries::Fetch;
use crate::source::SourceError;
use crate::state::{HubState, Preferences, use_hub, use_preferences, use_rights};
use crate::ui::dialog::Dialog;
use crate::ui::toast::{Toasts, use_toasts};

/// Notes of the open session.
#[derive(Clone, Copy)]
pub(super) struct NoteTools {
    /// All of the session, its threads and messages.
    records: Memo<Vec<SharedRecord>>,
    by_message: Memo<NotesByMessage>,
    actions: NoteActions,
    /// The message whose dialog is open.
    message: RwSignal<Option<NotePlace>>,
    id: Memo<SessionId>,
    /// The person may write notes.
    allowed: Memo<bool>,
}

/// What a write needs. It outlives the page.
#[derive(Clone, Copy)]
struct NoteWriter {
    id: Memo<SessionId>,
    detail: Fetch<SessionDetail>,
    drafts: NoteDrafts,
    hub: HubState,
    preferences: Preferences,
    toasts: Toasts,
    words: I18n,
    busy: RwSignal<bool>,
}

/// Notes of the open session, and how to change them.
pub(super) fn use_notes(id: Memo<SessionId>, detail: Fetch<SessionDetail>) -> NoteTools {
    let busy = RwSignal::new(false);
    let drafts = RwSignal::new(HashMap::new());
    let writer = NoteWriter {
        id,
        detail,
        drafts,
        hub: use_hub(),
        preferences: use_preferences(),
        toasts: use_toasts(),
        words: use_i18n(),
        busy,
    };
    let records = Memo::new(move |_| {
        detail.data.with(|detail| detail.as_ref().map(|detail| detail.shared.clone()).unwrap_or_default())
    });
    let by_message = Memo::new(move |_| {
        let mut by_message = NotesByMessage::new();
        for record in records.get() {
            if let Some(event) = record.content.place().and_then(|place| place.event_id.clone()) {
                by_message.entry(event).or_default().push(record);
            }
        }
        by_message
    });
    let actions = NoteActions {
        write: Callback::new(move |write| writer.write(write)),
        remove: Callback::new(move |record| writer.remove(record)),
        new_id: new_record_id,
        drafts,
        busy,
    };
    NoteTools { records, by_message, actions, message: RwSignal::new(None), id, allowed: use_rights().may_share() }
}

impl NoteTools {
    /// What the messages of a stream need.
    pub(super) fn of_messages(self) -> MessageNoteContext {
        let open = move |(thread_id, event): (Option<ThreadId>, EventId)| {
            let work_session_id = self.id.get_untracked();
            self.message.set(Some(NotePlace { work_session_id, thread_id, event_id: Some(event) }));
        };
        MessageNoteContext {
            records: self.by_message,
            actions: self.actions,
            allowed: self.allowed,
            on_open: Callback::new(open),
        }
    }

    /// The message whose dialog is open, if it is of the open session.
    fn place(self) -> Option<NotePlace> {
        self.message.get().filter(|place| place.work_session_id == self.id.get())
    }
}

impl NoteWriter {
    fn write(self, write: NoteWrite) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let draft = self.drafts.with_untracked(|drafts| drafts.get(&write.draft).cloned());
        let put =
            SharedPut { content: write.content, expected: Some(write.expected), updated_by: self.preferences.author() };
        let under_way = self.toasts.under_way();
        self.busy.set(true);
        spawn_local(async move {
            let _under_way = under_way;
            let answer = source.put_shared(&write.id, &put).await;
            self.busy.try_set(false);
            match answer {
                Ok(_) => {
                    self.refetch();
                    // What was typed while the answer was awaited stays, as the text of another note.
                    self.drafts.try_update(|drafts| {
                        if drafts.get(&write.draft) == draft.as_ref() {
                            drafts.remove(&write.draft);
                        } else if let (Some(held), DraftKey::New(_)) = (drafts.get_mut(&write.draft), &write.draft) {
                            held.id = new_record_id();
                        }
                    });
                    let words = self.words.now().notes();
                    self.toasts.done(match (&put.content, write.expected) {
                        (SharedContent::Resolved(_), _) => words.marked,
                        (_, 0) => words.saved,
                        _ => words.changed,
                    });
                }
                Err(error) => self.failed(&error),
            }
        });
    }

    fn remove(self, record: SharedRecord) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let removal = SharedRemoval { expected: Some(record.revision), updated_by: self.preferences.author() };
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
                            id: record.id.clone(),
                            expected: removed.revision,
                            content: record.content.clone(),
                            draft: DraftKey::Edit(record.id.clone()),
                        });
                    };
                    self.toasts.done_with(text, words.common.undo, back);
                }
                Err(error) => self.failed(&error),
            }
        });
    }

    /// Says why, and fetches what is in force now. What was typed stays in its field.
    fn failed(self, error: &SourceError) {
        let words = self.words.now();
        self.refetch();
        if error.is_conflict() {
            self.toasts.failed(words.notes().conflict);
        } else {
            self.toasts.failed(error.sentence(words));
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
    let place = Memo::new(move |_| NotePlace { work_session_id: tools.id.get(), thread_id: None, event_id: None });
    view! { <SessionNotes records=tools.records place=place thread=thread actions=tools.actions /> }
}

/// Dialog with the notes of one message.
#[component]
pub(super) fn MessageNotesDialog(tools: NoteTools) -> impl IntoView {
    let words = use_i18n();
    let open = Memo::new(move |_| tools.place().is_some());
    // While the dialog closes it keeps showing what it showed.
    let place = Memo::new(move |before: Option<&NotePlace>| {
        let nothing = || NotePlace { work_session_id: tools.id.get_untracked(), thread_id: None, event_id: None };
        tools.place().or_else(|| before.cloned()).unwrap_or_else(nothing)
    });
    let records = Memo::new(move |_| {
        let event = place.with(|place| place.event_id.clone());
        event.and_then(|event| tools.by_message.with(|by_message| by_message.get(&event).cloned())).unwrap_or_default()
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
