//! Message struct of notes and resolved marks: one field per text. Each language is a value of it.

/// Messages of notes and resolved marks.
pub struct NotesMessages {
    pub title: &'static str,
    pub none: &'static str,
    pub shared_note: &'static str,
    pub write: &'static str,
    pub hint: &'static str,
    pub place: &'static str,
    pub on_session: &'static str,
    pub on_thread: &'static str,
    pub to_message: &'static str,
    pub to_thread: &'static str,
    pub save: &'static str,
    pub resolve: &'static str,
    pub reopen: &'static str,
    pub edit: &'static str,
    pub save_edit: &'static str,
    pub edited: &'static str,
    pub remove: &'static str,
    /// Menu of a note, by its author.
    pub menu: fn(&str) -> String,
    pub nobody: &'static str,
    pub saved: &'static str,
    pub marked: &'static str,
    pub reopened: &'static str,
    pub removed: &'static str,
    pub failed: &'static str,
    pub conflict: &'static str,
    pub message_title: &'static str,
    pub of_message: &'static str,
}
