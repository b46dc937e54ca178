//! Detection of changes that need no event, only the passage of time: a session becomes quiet or archived, and a
//! message that waits for an answer counts as unanswered.

use super::{Changes, Hub, Session};
use crate::session::Status;

impl Hub {
    /// Sessions and deliveries that differ between `before` and `now`; either may be the later one.
    #[must_use]
    pub fn time_changes(&self, before: i64, now: i64) -> Changes {
        let mut changes = Changes::default();
        for slot in self.sessions.newest.values() {
            let Some(session) = self.session_at(*slot) else { continue };
            let state = &session.state;
            let status = |at| Status::resting(state.last, state.ended, state.origins.quiet_at(), at);
            if status(before) != status(now) {
                changes.sessions.insert(*slot);
            }
            deliveries(session, *slot, before, now, &mut changes);
        }
        changes
    }
}

fn deliveries(session: &Session, slot: u32, before: i64, now: i64, changes: &mut Changes) {
    for thread in session.state.unsettled_threads() {
        for position in &thread.exchanges.open {
            let tracked = &thread.exchanges.list[*position];
            let state = |at| tracked.state_at(at);
            if state(before) != state(now) {
                changes.sessions.insert(slot);
                let threads = changes.threads.entry(slot).or_default();
                threads.items.entry(thread.id.clone()).or_default().exchanges.insert(*position);
            }
        }
    }
}
