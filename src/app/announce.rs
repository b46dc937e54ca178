//! Announcement text for screen readers: the number of new messages since the previous announcement. It changes at most
//! once every ten seconds. The masthead's live region renders it.

use std::collections::BTreeMap;

use coordination::api::SessionCard;
use coordination::ids::SessionId;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::state::use_hub;

/// Shortest time between two announcements of new messages.
const ANNOUNCE_INTERVAL_MS: u32 = 10_000;

/// Messages of each session known.
type MessageCounts = BTreeMap<SessionId, u32>;

/// The announcement of new messages; empty when nothing is new since the page was opened.
pub(super) fn use_new_talk() -> Signal<String> {
    let (hub, words) = (use_hub(), use_i18n());
    let waiting = StoredValue::new(0_u32);
    let resting = StoredValue::new(false);
    let announced = RwSignal::new(0_u32);
    // The announcements are delayed; the data is not.
    Effect::new(move |known: Option<MessageCounts>| {
        let Some(recent) = hub.recent.get() else { return known.unwrap_or_default() };
        let known = known.filter(|known| !known.is_empty());
        let new = known.as_ref().map_or(0, |known| new_messages(known, &recent));
        if new > 0 {
            waiting.update_value(|waiting| *waiting += new);
            announce_waiting(waiting, resting, announced);
        }
        // Sessions that fall out of the newest keep their count, so that their return is no news.
        let mut counts = known.unwrap_or_default();
        counts.extend(counts_of(&recent));
        counts
    });
    Signal::derive(move || match announced.get() {
        0 => String::new(),
        count => (words.get().shell.new_messages)(count),
    })
}

fn announce_waiting(waiting: StoredValue<u32>, resting: StoredValue<bool>, announced: RwSignal<u32>) {
    if resting.get_value() || waiting.get_value() == 0 {
        return;
    }
    announced.set(waiting.get_value());
    waiting.set_value(0);
    resting.set_value(true);
    // The page lives as long as the program.
    Timeout::new(ANNOUNCE_INTERVAL_MS, move || {
        resting.set_value(false);
        announce_waiting(waiting, resting, announced);
    })
    .forget();
}

fn counts_of(cards: &[SessionCard]) -> MessageCounts {
    let mut counts = MessageCounts::new();
    // `collect` would bring a sort into the first load.
    counts.extend(cards.iter().map(|card| (card.work_session_id.clone(), card.message_count)));
    counts
}

/// How many messages came since `known`.
fn new_messages(known: &MessageCounts, cards: &[SessionCard]) -> u32 {
    let new = cards.iter().map(|card| match known.get(&card.work_session_id) {
        Some(before) => card.message_count.saturating_sub(*before),
        // The list holds the newest sessions: a session that enters it has at least one new message.
        None => card.message_count.min(1),
    });
    new.sum()
}
