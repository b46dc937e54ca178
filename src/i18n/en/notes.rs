//! English texts of notes and resolved marks.

use crate::i18n::messages::NotesMessages;

pub(in crate::i18n) static NOTES: NotesMessages = NotesMessages {
    title: "Notes",
    none: "No notes yet.",
    shared_note: "Everybody who sees this home sees them.",
    write: "Write a note",
    hint: "What others should know",
    place: "Note on",
    on_session: "Whole session",
    on_thread: "This thread",
    to_message: "Go to the message",
    to_thread: "Go to the thread",
    save: "Add note",
    resolve: "Mark as resolved",
    reopen: "Reopen",
    edit: "Edit",
    save_edit: "Save",
    edited: "edited",
    remove: "Remove",
    menu: |name| format!("Menu of the note by {name}"),
    nobody: "No name",
    saved: "Note added",
    marked: "Marked as resolved",
    reopened: "Reopened",
    removed: "Note removed",
    failed: "Could not be saved",
    conflict: "Somebody else changed it meanwhile. Look at the new text, then save again.",
    message_title: "Notes on this message",
    of_message: "Note",
};
