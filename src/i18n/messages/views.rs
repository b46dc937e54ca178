//! Message struct of saved views: one field per text. Each language is a value of it.

/// Messages of saved views.
pub struct SavedViewsMessages {
    pub title: &'static str,
    pub none: &'static str,
    pub stored_here: &'static str,
    pub save: &'static str,
    pub name: &'static str,
    pub save_now: &'static str,
    pub rename: &'static str,
    pub rename_now: &'static str,
    pub saved: fn(&str) -> String,
    pub full: &'static str,
    pub menu: fn(&str) -> String,
    pub to_home: &'static str,
    pub off_home: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub copy: &'static str,
    pub remove: &'static str,
    pub removed: fn(&str) -> String,
    pub shared: fn(&str) -> String,
    pub keep: &'static str,
    pub leave: &'static str,
    pub open: fn(&str) -> String,
    pub also: &'static str,
    pub count_failed: &'static str,
}
