//! Detection of changes that need no event, only the passage of time: a session becomes quiet or archived, and a
//! message that waits for an answer counts as unanswered.

use super::{Changes, FoldState, Hub};

impl Hub {
    /// Sessions and deliveries that differ between `before` and `now`; either may be the later one.
    #[must_use]
    pub fn time_changes(&self, before: i64, now: i64) -> Changes {
        let mut changes = Changes::default();
        for slot in self.sessions.newest.values() {
            let Some(session) = self.session_at(*slot) else { continue };
            let brief = self.sessions.overview.brief(*slot);
            if brief.status(before) != brief.status(now) {
                changes.sessions.insert(*slot);
            }
            if let Some(state) = session.state.open() {
                deliveries(state, *slot, before, now, &mut changes);
            }
        }
        changes
    }
}

fn deliveries(state: &FoldState, slot: u32, before: i64, now: i64, changes: &mut Changes) {
    for pending in state.waiting.iter().filter(|pending| (before <= pending.until) != (now <= pending.until)) {
        changes.sessions.insert(slot);
        let threads = changes.threads.entry(slot).or_default();
        let thread = state.threads[pending.thread as usize].id.clone();
        threads.items.entry(thread).or_default().exchanges.insert(pending.position as usize);
    }
}
