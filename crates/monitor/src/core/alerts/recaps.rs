//! Recaps of the alerts thread: what changed since the one before, sent at the times of day that the configuration file
//! names. `coordination::alerts` says when one is due.

use coordination::alerts::{DueRecap, OutboxLine, RecapDigest, RecapSchedule, RecapStep};
use coordination::api::AlertRecapInfo;

use super::engine::{AlertEngine, routes};

impl AlertEngine {
    /// Recaps to be made now. A schedule that is new begins, one that was removed ends.
    pub(super) fn due_recaps(&mut self, now: i64) -> Vec<(RecapSchedule, DueRecap)> {
        let Some(outbox) = self.outbox() else { return Vec::new() };
        let recaps = &self.settings().recaps;
        let is_gone = |name: &&String| !recaps.iter().any(|recap| recap.name == **name);
        let gone = outbox.recaps.keys().filter(is_gone);
        let mut lines: Vec<OutboxLine> = gone.map(|name| OutboxLine::RecapEnded { recap: name.clone() }).collect();
        let mut due = Vec::new();
        for recap in recaps {
            match recap.step(outbox.recaps.get(&recap.name), now) {
                RecapStep::Wait => {}
                RecapStep::Mark(mark) => lines.push(OutboxLine::RecapMarked { recap: recap.name.clone(), mark }),
                RecapStep::Due(it) => due.push((recap.clone(), it)),
            }
        }
        if lines.is_empty() || self.write(lines) { due } else { Vec::new() }
    }

    /// Puts the messages of a due recap into the outbox; whether that could be written. Without any it is settled, too.
    pub(super) fn send_recap(&mut self, recap: &RecapSchedule, due: i64, digest: &RecapDigest) -> bool {
        let Some(outbox) = self.outbox() else { return false };
        let routes = routes(self.settings(), outbox);
        let messages = recap.messages(due, digest, &routes, outbox.next_id());
        tracing::info!(recap = recap.name, changes = digest.count(), messages = messages.len(), "a recap was due");
        self.write(vec![OutboxLine::Recap { recap: recap.name.clone(), due, at: digest.until, messages }])
    }

    /// The recaps of the configuration file for the page.
    pub(super) fn recap_infos(&self, now: i64) -> Vec<AlertRecapInfo> {
        let settings = self.settings();
        let all = settings.sinks.iter().map(|sink| &sink.name);
        let info = |recap: &RecapSchedule| AlertRecapInfo {
            name: recap.name.clone(),
            at: recap.times(),
            days: recap.day_names(),
            sinks: all.clone().filter(|name| recap.sinks.is_empty() || recap.sinks.contains(name)).cloned().collect(),
            empty: recap.sends_empty,
            next_at: recap.next_due(now),
            until: self
                .outbox()
                .and_then(|outbox| outbox.recaps.get(&recap.name))
                .filter(|mark| mark.covered)
                .map(|mark| mark.until),
        };
        settings.recaps.iter().map(info).collect()
    }
}
