//! State of browser history entries: scroll position, focus and list length. The browser's Back restores these values.
//! The tab's storage holds the newest 300 values, so they outlive a reload.

use leptos::prelude::*;

const STORE_KEY: &str = "task-hub.places";
/// Maximum number of stored values, some three an entry; entries whose values were dropped open at their top.
const MAX_STORED_VALUES: usize = 300;

/// State of this tab's history entries.
#[derive(Clone, Copy)]
pub struct HistoryState(StoredValue<HistoryEntries>);

#[derive(Default)]
struct HistoryEntries {
    /// The entry on screen.
    entry: String,
    /// Entry and kind, and the value; the newest last, at most [`MAX_STORED_VALUES`].
    values: Vec<(String, String)>,
}

impl HistoryState {
    pub(super) fn new() -> Self {
        let stored = storage().and_then(|store| store.get_item(STORE_KEY).ok().flatten()).unwrap_or_default();
        let pair = |line: &str| line.split_once('\t').map(|(key, value)| (key.to_owned(), value.to_owned()));
        Self(StoredValue::new(HistoryEntries {
            values: stored.lines().filter_map(pair).collect(),
            ..HistoryEntries::default()
        }))
    }

    /// The entry on screen.
    pub fn entry(self) -> String {
        self.0.with_value(|inner| inner.entry.clone())
    }

    /// A name for a new entry, later than all before it.
    pub fn new_entry(self) -> String {
        // Names of an earlier life of this tab must not come again, even where the clock was set back.
        format!("{:013}.{:07}", js_sys::Date::now() as u64, (js_sys::Math::random() * 1e7) as u32)
    }

    /// The user is at `entry` now.
    pub fn enter(self, entry: String) {
        self.0.update_value(|inner| inner.entry = entry);
    }

    /// Stores a value of the entry on screen. No value holds a tab or a line break: they are numbers and addresses.
    pub fn store_value(self, what: &str, value: String) {
        self.0.update_value(|inner| {
            let key = inner.key(what);
            inner.values.retain(|(known, _)| *known != key);
            if inner.values.len() == MAX_STORED_VALUES {
                inner.values.remove(0);
            }
            inner.values.push((key, value));
        });
    }

    /// The stored value of the entry on screen.
    pub fn stored_value(self, what: &str) -> Option<String> {
        self.0.with_value(|inner| {
            let key = inner.key(what);
            inner.values.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone())
        })
    }

    /// Writes the values to storage before the page is left.
    pub fn store(self) {
        let lines = self.0.with_value(|inner| {
            inner.values.iter().map(|(key, value)| [key.as_str(), value].join("\t")).collect::<Vec<_>>().join("\n")
        });
        if let Some(store) = storage() {
            store.set_item(STORE_KEY, &lines).unwrap_or_default();
        }
    }
}

impl HistoryEntries {
    fn key(&self, what: &str) -> String {
        [self.entry.as_str(), what].join(" ")
    }
}

fn storage() -> Option<web_sys::Storage> {
    // A browser may forbid storage; places then last as long as the page.
    window().session_storage().ok().flatten()
}

/// The places of this tab.
pub fn use_history_state() -> HistoryState {
    expect_context()
}
