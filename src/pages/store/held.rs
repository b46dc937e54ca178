//! Loaded part of a stored session's history: the newest page, which is refreshed, and older pages before it. Plain
//! values, without browser code.

use coordination::api::StoreHistory;
use coordination::transcript::reading::{Turn, turns};
use serde_json::Value;

/// An unbroken piece of a history, up to its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct HistoryWindow {
    messages: Vec<Value>,
    places: Vec<u64>,
    ids: Vec<Option<String>>,
    /// Where it begins, when there are earlier messages.
    pub(super) earlier: Option<u64>,
    /// How many pages precede the newest one.
    pub(super) pages: u32,
}

impl HistoryWindow {
    /// One page.
    pub(super) fn from_page(page: &StoreHistory) -> Self {
        let mut ids = page.ids.clone();
        ids.resize(page.messages.len(), None);
        let (messages, places) = (page.messages.clone(), page.places.clone());
        Self { messages, places, ids, earlier: page.earlier, pages: 0 }
    }

    /// Takes in the newest page as it is now. Where it does not meet what was read, only it stays: a hole must never
    /// look like silence.
    pub(super) fn refresh(&mut self, page: &StoreHistory) {
        let begins = page.places.first().copied().filter(|_| page.earlier.is_some());
        let meets = begins.filter(|begins| self.places.last().is_some_and(|last| last >= begins));
        let Some(begins) = meets else {
            *self = Self::from_page(page);
            return;
        };
        let unchanged = self.places.iter().take_while(|place| **place < begins).count();
        if unchanged == 0 {
            *self = Self::from_page(page);
            return;
        }
        let newest = Self::from_page(page);
        self.messages.truncate(unchanged);
        self.places.truncate(unchanged);
        self.ids.truncate(unchanged);
        self.messages.extend(newest.messages);
        self.places.extend(newest.places);
        self.ids.extend(newest.ids);
    }

    /// Prepends the page; `begin` is where the window began when the page was requested.
    pub(super) fn put_before(&mut self, begin: u64, page: &StoreHistory) {
        if self.earlier != Some(begin) {
            return;
        }
        let mut older = Self::from_page(page);
        // The same place twice would never end.
        self.earlier = older.earlier.filter(|earlier| *earlier < begin);
        self.pages += 1;
        older.messages.append(&mut self.messages);
        older.places.append(&mut self.places);
        older.ids.append(&mut self.ids);
        (self.messages, self.places, self.ids) = (older.messages, older.places, older.ids);
    }

    /// As people read it.
    pub(super) fn turns(&self) -> Vec<Turn> {
        turns(&self.messages, &self.places, &self.ids)
    }

    /// The line of this name is among them.
    pub(super) fn holds(&self, id: &str) -> bool {
        self.ids.iter().flatten().any(|own| own == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page(places: &[u64], earlier: Option<u64>) -> StoreHistory {
        StoreHistory {
            messages: places.iter().map(|place| json!({ "role": "user", "content": place.to_string() })).collect(),
            places: places.to_vec(),
            ids: places.iter().map(|place| Some(format!("e{place}"))).collect(),
            earlier,
            ..StoreHistory::default()
        }
    }

    fn numbers(held: &HistoryWindow) -> Vec<u64> {
        assert_eq!(held.messages.len(), held.places.len());
        assert_eq!(held.ids.len(), held.places.len());
        held.turns().iter().map(|turn| turn.place).collect()
    }

    #[test]
    fn older_page_prepends_newer_page_appends() {
        let mut held = HistoryWindow::from_page(&page(&[5, 6, 7], Some(5)));
        held.put_before(5, &page(&[2, 3], Some(2)));
        assert_eq!((numbers(&held), held.earlier, held.pages), (vec![2, 3, 5, 6, 7], Some(2), 1));
        held.refresh(&page(&[6, 7, 8], Some(6)));
        assert_eq!((numbers(&held), held.earlier, held.pages), (vec![2, 3, 5, 6, 7, 8], Some(2), 1));
        held.put_before(2, &page(&[], None));
        assert_eq!((held.earlier, held.pages), (None, 2), "nothing precedes it");
        assert!(held.holds("e3") && !held.holds("e4"));
    }

    #[test]
    fn disjoint_page_replaces_window() {
        let mut held = HistoryWindow::from_page(&page(&[5, 6, 7], Some(5)));
        held.put_before(5, &page(&[2, 3], None));
        held.refresh(&page(&[20, 21], Some(20)));
        assert_eq!((numbers(&held), held.pages), (vec![20, 21], 0), "the gap is unknown");
        held.refresh(&page(&[1], None));
        assert_eq!(numbers(&held), [1], "another transcript, from its beginning");
    }

    /// A page that points to its own beginning ends the paging.
    #[test]
    fn page_for_other_start_is_dropped() {
        let mut held = HistoryWindow::from_page(&page(&[5], Some(5)));
        held.put_before(4, &page(&[1], None));
        assert_eq!(numbers(&held), [5]);
        held.put_before(5, &page(&[], Some(5)));
        assert_eq!(held.earlier, None);
    }
}
