//! Query of `GET recap`: what changed since a moment, from the events since then and, for what is usual, those of the
//! two weeks before. The same events give the same lines.

mod failures;
mod quiet;
mod slow;
mod task_steps;

use std::collections::BTreeSet;
use std::ops::Range;

use super::attention::attention_since;
use super::card::link;
use super::open_sends::OpenSends;
use crate::api::{Attention, Recap, RecapKind, RecapLine, RecapOutcome, RecapQuery, RecapTotal};
use crate::hub::{Hub, NONE, Thread, Tracked, count};

const DAY_MS: i64 = 86_400_000;

/// Lines of each kind that have a place before others may use what is left, in the order of [`RecapKind::ALL`].
const PLACES: [usize; 6] = [3, 2, 1, 2, 1, 1];

/// `GET recap`. Costs the events since the moment, and those of the two weeks before it.
#[must_use]
pub fn recap(hub: &Hub, now: i64, query: &RecapQuery) -> Recap {
    let since = query.since.unwrap_or(now - DAY_MS).min(now);
    let period = RecapPeriod { since, now, events: events_between(hub, since, now) };
    let list = &hub.events.timeline.list[period.events.clone()];
    let slots: BTreeSet<u32> = list.iter().map(|event| hub.meta_of(*event).session).collect();
    let slots: BTreeSet<u32> = slots.into_iter().filter(|slot| *slot != NONE).collect();
    let mut tasks = task_steps::task_steps(hub, list, since);
    let blocked = blocked(hub, &period);
    // What still waits has its line among those.
    let waiting: BTreeSet<u32> = blocked.iter().filter_map(|line| hub.find(line.event_id.as_ref()?)).collect();
    let failures = failures::failures(hub, &period, &slots, list, &waiting);
    let mut all = vec![
        blocked,
        failures,
        tasks.take_decided(),
        tasks.take_resolved(),
        slow::slow(hub, &period, &slots),
        quiet::quiet(hub, &period),
    ];
    let totals = RecapKind::ALL.into_iter().zip(&all);
    let totals = totals.map(|(kind, lines)| RecapTotal { kind, count: lines.iter().map(|line| line.count).sum() });
    Recap {
        since,
        totals: totals.filter(|total| total.count > 0).collect(),
        sessions: count(slots.len()),
        events: count(list.len()),
        lines: chosen(&mut all),
        cursor: hub.cursor(),
        now,
    }
}

/// The period of a recap.
struct RecapPeriod {
    /// It begins just after this moment.
    since: i64,
    /// It ends with this moment.
    now: i64,
    /// Its events, as places in the timeline.
    events: Range<usize>,
}

impl RecapPeriod {
    fn holds(&self, at: i64) -> bool {
        at > self.since && at <= self.now
    }
}

/// Places in the timeline of the events after `since`, up to `until`.
fn events_between(hub: &Hub, since: i64, until: i64) -> Range<usize> {
    let list = &hub.events.timeline.list;
    let end = list.partition_point(|event| hub.at(*event) <= until);
    list.partition_point(|event| hub.at(*event) <= since).min(end)..end
}

/// The lines to show: each kind has its places, and what is left goes to the first kinds that have more.
fn chosen(all: &mut [Vec<RecapLine>]) -> Vec<RecapLine> {
    let mut places: Vec<usize> = all.iter().zip(PLACES).map(|(lines, places)| lines.len().min(places)).collect();
    let mut left = Recap::MAX_LINES - places.iter().sum::<usize>();
    for (lines, places) in all.iter().zip(&mut places) {
        let more = (lines.len() - *places).min(left);
        *places += more;
        left -= more;
    }
    all.iter_mut().zip(places).flat_map(|(lines, places)| lines.drain(..places)).collect()
}

/// Matters of the work list that began to wait in the period, in the order of that list.
fn blocked(hub: &Hub, period: &RecapPeriod) -> Vec<RecapLine> {
    let lines = attention_since(hub, period.now, &OpenSends::new(hub, period.now), period.since);
    lines.into_iter().map(blocked_line).collect()
}

fn blocked_line(attention: Attention) -> RecapLine {
    RecapLine {
        kind: RecapKind::Blocked,
        outcome: None,
        at: attention.since,
        count: 1,
        agent: attention.agent.clone(),
        other: attention.other.clone(),
        title: attention.title.clone(),
        took_ms: None,
        usual_ms: None,
        session_id: attention.session_id.clone(),
        thread_id: attention.thread_id.clone(),
        event_id: attention.event_id.clone(),
        task_id: attention.task_id.clone(),
        attention: Some(Box::new(attention)),
    }
}

/// A line about an event.
fn event_line(hub: &Hub, kind: RecapKind, outcome: Option<RecapOutcome>, event: u32) -> RecapLine {
    let meta = hub.meta_of(event);
    let session = hub.session_at(meta.session);
    let thread = session.filter(|_| meta.thread != NONE).and_then(|it| it.state.threads.get(meta.thread as usize));
    let session_id = session.map(|session| (*session.id).clone());
    RecapLine {
        kind,
        outcome,
        at: hub.at(event),
        count: 1,
        agent: None,
        other: None,
        title: session_id.as_ref().map(|id| link(hub, id).title).unwrap_or_default(),
        took_ms: None,
        usual_ms: None,
        attention: None,
        thread_id: thread.filter(|thread| thread.is_shown()).map(|thread| thread.id.clone()),
        session_id,
        event_id: Some(hub.events.log.id(event)),
        task_id: None,
    }
}

/// Calls `look` with each send of these sessions that was settled, and when.
fn each_settled(hub: &Hub, slots: &BTreeSet<u32>, mut look: impl FnMut(&Tracked, i64)) {
    let sessions = slots.iter().filter_map(|slot| hub.session_at(*slot));
    for session in sessions {
        session.state.read(|state| {
            let sends = state.threads.iter().flat_map(|thread: &Thread| &thread.exchanges.list);
            for send in sends {
                if let Some(at) = send.settled_at() {
                    look(send, at);
                }
            }
        });
    }
}
