//! Message struct of the page of category changes: one field per text. Each language is a value of it.

/// Messages of the record of category changes.
pub struct RecordMessages {
    pub title: &'static str,
    pub subtitle: &'static str,
    pub count: fn(u32) -> String,
    pub find: &'static str,
    pub anyone: &'static str,
    pub from: &'static str,
    pub to: &'static str,
    pub since: &'static str,
    pub until: &'static str,
    pub export: fn(format: &str) -> String,
    pub saved: fn(usize) -> String,
    pub save_failed: &'static str,
    /// Heads of the table that is taken along.
    pub columns: [&'static str; 10],
    pub event_missing: &'static str,
    pub here_of: fn(here: usize, all: usize) -> String,
    pub bad_lines: fn(u64) -> String,
    /// Title and reason.
    pub empty: (&'static str, &'static str),
    pub none_match: (&'static str, &'static str),
    pub unreadable: &'static str,
    pub unreadable_why: &'static str,
    pub unsupported: &'static str,
    pub unsupported_why: &'static str,
    /// The way here from other pages.
    pub open: &'static str,
    pub open_all: &'static str,
}
