//! The flat list: pages joined as they come, days put between rows. Plain values.

use coordination::api::{EventRow, EventsPage};
use coordination::ids::EventId;

/// What was loaded, newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rows {
    /// The events.
    pub events: Vec<EventRow>,
    /// Mark of the older page.
    pub next: Option<String>,
}

impl Rows {
    /// A first page.
    pub fn from_page(page: &EventsPage) -> Self {
        Self { events: page.events.clone(), next: page.next.clone() }
    }

    /// Puts an older page behind.
    pub fn append(&mut self, page: &EventsPage) {
        let new = page.events.iter().filter(|row| !self.holds(&row.id)).cloned().collect::<Vec<_>>();
        self.events.extend(new);
        self.next.clone_from(&page.next);
    }

    /// Takes in the newest page as it is now. Where it does not meet what was loaded, only it stays: a hole must
    /// never look like silence.
    pub fn refresh(&mut self, page: &EventsPage) {
        let meets = page.events.last().is_none_or(|last| self.holds(&last.id)) || page.next.is_none();
        if !meets {
            *self = Self::from_page(page);
            return;
        }
        let known = |id: &EventId| page.events.iter().any(|row| row.id == *id);
        let older: Vec<EventRow> = self.events.drain(..).filter(|row| !known(&row.id)).collect();
        // A page that is not full holds everything there is; rows it lacks no longer match.
        let keep_older = page.next.is_some();
        self.events.clone_from(&page.events);
        if keep_older {
            self.events.extend(older);
        } else {
            self.next = None;
        }
    }

    fn holds(&self, id: &EventId) -> bool {
        self.events.iter().any(|row| row.id == *id)
    }

    /// Rows with a heading wherever the local day changes.
    pub fn items(&self, day: impl Fn(i64) -> i64) -> Vec<Item> {
        let mut items = Vec::with_capacity(self.events.len() + 8);
        let mut today = None;
        for row in &self.events {
            if row.at > 0 && today != Some(day(row.at)) {
                today = Some(day(row.at));
                items.push(Item::Day(row.at));
            }
            items.push(Item::Row(Box::new(row.clone())));
        }
        items
    }
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A new day.
    Day(i64),
    /// An event.
    Row(Box<EventRow>),
}

impl Item {
    /// Names the line and what may change about it.
    pub fn key(&self, day: impl Fn(i64) -> i64) -> String {
        match self {
            Self::Day(at) => format!("day-{}", day(*at)),
            Self::Row(row) => format!("{}|{}", row.id, row.session_title.as_deref().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use coordination::api::{Cursor, RoleCounts};
    use coordination::category::Category;
    use coordination::role::{Role, SessionType};

    use super::*;

    fn row(id: &str, at: i64) -> EventRow {
        EventRow {
            id: id.into(),
            at,
            event_type: "a2a.send".to_owned(),
            role: Role::ConversationMain,
            from_type: SessionType::Main,
            to_type: SessionType::Main,
            agent_id: "eden".into(),
            from: None,
            human: false,
            to: None,
            session_id: None,
            session_title: None,
            thread_id: None,
            task_id: None,
            task_owner: None,
            category: Category::InfraOps,
            text: String::new(),
            outcome: None,
            missing: None,
        }
    }

    fn page(ids: &[(&str, i64)], next: Option<&str>) -> EventsPage {
        EventsPage {
            events: ids.iter().map(|(id, at)| row(id, *at)).collect(),
            total: 0,
            role_counts: RoleCounts::default(),
            type_counts: Vec::new(),
            next: next.map(ToOwned::to_owned),
            cursor: Cursor::default(),
            now: 0,
        }
    }

    fn ids(rows: &Rows) -> Vec<&str> {
        rows.events.iter().map(|row| row.id.as_str()).collect()
    }

    #[test]
    fn a_newer_page_goes_before_what_was_loaded_and_keeps_the_older_pages() {
        let mut rows = Rows::from_page(&page(&[("d", 4), ("c", 3)], Some("c")));
        rows.append(&page(&[("b", 2), ("a", 1)], Some("a")));
        rows.refresh(&page(&[("e", 5), ("d", 4)], Some("d")));
        assert_eq!(ids(&rows), ["e", "d", "c", "b", "a"]);
        assert_eq!(rows.next.as_deref(), Some("a"));
    }

    #[test]
    fn a_newer_page_that_does_not_meet_the_loaded_ones_replaces_them() {
        let mut rows = Rows::from_page(&page(&[("b", 2), ("a", 1)], None));
        rows.refresh(&page(&[("z", 9), ("y", 8)], Some("y")));
        assert_eq!(ids(&rows), ["z", "y"]);
        assert_eq!(rows.next.as_deref(), Some("y"));
    }

    #[test]
    fn a_page_that_holds_everything_drops_rows_that_no_longer_match() {
        let mut rows = Rows::from_page(&page(&[("b", 2), ("a", 1)], None));
        rows.refresh(&page(&[("b", 2)], None));
        assert_eq!(ids(&rows), ["b"]);
    }

    #[test]
    fn a_heading_stands_where_the_day_changes() {
        let rows = Rows::from_page(&page(&[("c", 250), ("b", 210), ("a", 110)], None));
        let days: Vec<bool> = rows.items(|at| at / 100).iter().map(|item| matches!(item, Item::Day(_))).collect();
        assert_eq!(days, [true, false, false, true, false]);
    }
}
