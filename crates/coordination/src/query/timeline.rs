//! Query of `GET sessions/{id}/timeline`: a page of a session's messages, the marks between them (retries, ends,
//! missing answers), and the starts and ends of delegated runs, all in time order.

use std::collections::HashMap;

use super::QueryError;
use super::page::{self, EventMark, before, through};
use super::thread::{DEFAULT_LIMIT, MAX_LIMIT, exchange, mark, message};
use crate::api::{RunStep, ThreadQuery, Timeline, TimelineItem, TimelineMark, TimelineMessage, TimelineRun};
use crate::hub::{FoldState, Hub, NONE, Run, order};
use crate::ids::SessionId;

/// `GET sessions/{id}/timeline`. The limit counts items.
///
/// # Errors
/// When the limit or a page mark is not acceptable.
pub fn timeline(
    hub: &Hub,
    now: i64,
    session_id: &SessionId,
    query: &ThreadQuery,
) -> Result<Option<Timeline>, QueryError> {
    let limit = page::limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let older_than = EventMark::read("before", query.before.as_ref())?;
    let newer_than = EventMark::read("after", query.after.as_ref())?;
    let Some(session) = hub.session(session_id) else { return Ok(None) };
    let shown = TimelineContext { hub, state: &session.state, runs: steps(&session.state.runs.list) };
    let list = &session.events;
    let around = query.around.as_ref().and_then(|id| hub.find(&id.as_str().into()));
    let (mut from, mut to) = if let Some(mark) = older_than {
        let end = before(hub, list, &mark);
        (shown.back(list, end, limit), end)
    } else if let Some(mark) = newer_than {
        let start = through(hub, list, &mark);
        (start, shown.forth(list, start, limit))
    } else if let Some(index) = around {
        let at = list.partition_point(|other| order(hub.events(), *other, index).is_lt());
        (shown.back(list, at, limit / 2), shown.forth(list, at, limit - limit / 2))
    } else {
        (shown.back(list, list.len(), limit), list.len())
    };
    // An event that nothing shows belongs to no page.
    while from < to && !shown.holds(list[from]) {
        from += 1;
    }
    while to > from && !shown.holds(list[to - 1]) {
        to -= 1;
    }
    let page = list.get(from..to).unwrap_or_default();
    let place = |index: &u32| EventMark::encode(hub, *index);
    let any = |part: &[u32]| part.iter().any(|index| shown.holds(*index));
    Ok(Some(Timeline {
        session_id: session_id.clone(),
        items: page.iter().filter_map(|index| shown.item(*index, now)).collect(),
        previous_page: page.first().filter(|_| any(&list[..from])).map(place),
        next_page: page.last().filter(|_| any(&list[to..])).map(place),
        cursor: hub.cursor(),
        now,
    }))
}

/// The steps of all runs, by event.
fn steps(runs: &[Run]) -> HashMap<u32, (usize, RunStep)> {
    let mut steps = HashMap::new();
    for (position, run) in runs.iter().enumerate() {
        if !run.orphan && run.is_known() {
            steps.insert(run.events[0], (position, RunStep::Started));
        }
        // One event may do both only for an orphan, whose start is not in the log.
        if let Some(end) = run.ended_by {
            steps.entry(end).or_insert((position, RunStep::Ended));
        }
    }
    steps
}

/// The data that a timeline reads of a session.
struct TimelineContext<'a> {
    hub: &'a Hub,
    state: &'a FoldState,
    runs: HashMap<u32, (usize, RunStep)>,
}

impl TimelineContext<'_> {
    fn item(&self, index: u32, now: i64) -> Option<TimelineItem> {
        if let Some((position, step)) = self.runs.get(&index) {
            return Some(TimelineItem::Run(Box::new(self.run(index, &self.state.runs.list[*position], *step))));
        }
        let thread = self.state.threads.get(self.hub.meta_of(index).thread as usize)?;
        let events = self.hub.events();
        if thread.messages.binary_search_by(|other| order(events, *other, index)).is_ok() {
            let sends = &thread.exchanges.list;
            let send = sends.binary_search_by(|tracked| order(events, tracked.event, index)).ok();
            return Some(TimelineItem::Message(Box::new(TimelineMessage {
                thread: thread.id.clone(),
                message: message(self.hub, index),
                exchange: send.map(|position| exchange(self.hub, now, &sends[position])),
            })));
        }
        let position = thread.marks.binary_search_by(|(other, _)| order(events, *other, index)).ok()?;
        let mark = mark(self.hub, index, thread.marks[position].1);
        Some(TimelineItem::Mark(Box::new(TimelineMark { thread: thread.id.clone(), mark })))
    }

    fn run(&self, index: u32, run: &Run, step: RunStep) -> TimelineRun {
        let shown = |index: u32| self.hub.event(index).display_text().unwrap_or_default();
        TimelineRun {
            id: self.hub.id(index),
            at: self.hub.at(index),
            step,
            run: self.hub.id(run.events[0]),
            from: run.from.clone(),
            to: run.to.clone(),
            label: run.label.clone(),
            text: match step {
                RunStep::Started => shown(index),
                _ => run.error.clone().or_else(|| run.result.map(shown)).unwrap_or_default(),
            },
            state: run.state,
            start_time: run.started_at,
            origin: self.hub.event(index).origin(),
        }
    }

    fn holds(&self, index: u32) -> bool {
        if self.runs.contains_key(&index) {
            return true;
        }
        let number = self.hub.meta_of(index).thread;
        let Some(thread) = self.state.threads.get(number as usize).filter(|_| number != NONE) else { return false };
        let events = self.hub.events();
        thread.messages.binary_search_by(|other| order(events, *other, index)).is_ok()
            || thread.marks.binary_search_by(|(other, _)| order(events, *other, index)).is_ok()
    }

    /// Start of the `limit` items before `end`.
    fn back(&self, list: &[u32], end: usize, limit: usize) -> usize {
        let places = (0..end).rev().filter(|at| self.holds(list[*at]));
        places.take(limit).last().unwrap_or(end)
    }

    /// End of the `limit` items from `start` on.
    fn forth(&self, list: &[u32], start: usize, limit: usize) -> usize {
        let places = (start..list.len()).filter(|at| self.holds(list[*at]));
        places.take(limit).last().map_or(start, |at| at + 1)
    }
}
