//! Index of the events `unblock.failed` and `continuation.backoff`: agent, task and shortened reason of each failure.
//! The work list of the home page finds the failures of the last day in it, without reading log lines.

use serde::{Deserialize, Serialize};

use super::Log;
use super::event_meta::Posting;
use super::hash_map::FastHashMap;
use super::number_set::NumberSet;
use crate::event::{Event, Field};
use crate::ids::{AgentId, TaskId};
use crate::text;

/// Characters of a reason that are stored.
pub(crate) const DETAIL_CHARS: usize = 160;

/// A failed effort, from its event.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Alarm {
    /// `unblock.failed`: every helper was asked without success; else `continuation.backoff`: a prompt was postponed.
    pub(crate) in_vain: bool,
    /// The agent whose effort failed.
    pub(crate) agent: AgentId,
    /// The task that the event names.
    pub(crate) task: Option<TaskId>,
    /// Failures in a row by its own count.
    pub(crate) in_a_row: u32,
    /// Its reason, cut to [`DETAIL_CHARS`].
    pub(crate) reason: Box<str>,
}

impl Alarm {
    pub(crate) fn event_type(&self) -> &'static str {
        if self.in_vain { "unblock.failed" } else { "continuation.backoff" }
    }
}

/// All of them, in the one order of events. They are a small part of the log.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Alarms {
    order: Posting,
    by_event: FastHashMap<u32, Alarm>,
}

impl Alarms {
    /// Notes an event, if it is an alarm.
    pub(super) fn note(&mut self, index: u32, event: &Event) {
        let in_vain = match event.event_type() {
            "unblock.failed" => true,
            "continuation.backoff" => false,
            _ => return,
        };
        self.order.push(index);
        let alarm = Alarm {
            in_vain,
            agent: event.agent_id(),
            task: event.task_id(),
            in_a_row: event.count(Field::ConsecutiveFailures).unwrap_or(0),
            reason: text::preview(event.text(Field::Reason).unwrap_or_default(), DETAIL_CHARS).into(),
        };
        self.by_event.insert(index, alarm);
    }

    /// Sorts the noted events.
    pub(super) fn settle(&mut self, events: &Log) {
        self.order.settle(events);
    }

    /// Removes a withdrawn event.
    pub(super) fn withdraw(&mut self, index: u32, events: &Log) {
        if self.by_event.remove(&index).is_some() {
            self.order.remove(events, index);
        }
    }

    /// Removes withdrawn events.
    pub(super) fn withdraw_all(&mut self, withdrawn: &NumberSet) {
        self.order.remove_all(|index| withdrawn.contains(index));
        self.by_event.retain(|index, _| !withdrawn.contains(*index));
    }

    /// Newest first, each with its event.
    pub(crate) fn newest(&self) -> impl Iterator<Item = (u32, &Alarm)> {
        self.order.list.iter().rev().filter_map(|index| Some((*index, self.by_event.get(index)?)))
    }
}
