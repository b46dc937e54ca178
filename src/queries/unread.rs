//! Numbers of sessions with unread messages, by category. Only the newest sessions, which the live link loads, are
//! counted; `more` says that older ones may be unread.

use coordination::api::SNAPSHOT_SESSIONS;
use coordination::category::Category;
use leptos::prelude::*;

use crate::state::{use_hub, use_reading};

/// Number of sessions with unread messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnreadSessions {
    by_category: [u32; 10],
    /// There may be more than are counted.
    pub more: bool,
}

impl UnreadSessions {
    /// In a category, or in all.
    pub fn count_of(&self, category: Option<Category>) -> u32 {
        category.map_or_else(|| self.by_category.iter().sum(), |category| self.by_category[category.index()])
    }
}

/// Number of sessions with unread messages.
pub fn use_unread_sessions() -> Memo<UnreadSessions> {
    let (hub, reading) = (use_hub(), use_reading());
    Memo::new(move |_| {
        let mut unread = UnreadSessions::default();
        // What is new now says nothing of the past.
        let cards = hub.recent.get().filter(|_| hub.moment.with(Option::is_none));
        let Some(cards) = cards else { return unread };
        for card in cards.iter().filter(|card| reading.of_card(card).any()) {
            unread.by_category[card.category.key.index()] += 1;
        }
        let oldest = cards.last().map(|card| card.last_time);
        // What is older than the first visit has nothing unread.
        unread.more = cards.len() >= SNAPSHOT_SESSIONS && oldest > reading.floor();
        unread
    })
}
