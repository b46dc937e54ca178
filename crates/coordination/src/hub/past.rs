//! Hub of a past moment: a copy of the present hub, from which exactly the events are withdrawn that were not known then,
//! so that every query answers as it would have at that moment.
//!
//! [`PastHub::prepare`] reads the present hub, and [`PastHub::settle`] does the rest without it. Going to a moment costs
//! the events between it and the moment before, or a copy of the present hub where that is cheaper. A copy shares lines
//! and states of sessions with the present hub.
//!
//! Not known of the past, and left out: task files, approvals, and the states of terminals. Settings, such as the roster
//! and the rules of the classifier, are those of the present.

use std::collections::{BTreeMap, BTreeSet};

use super::inputs::Inputs;
use super::number_set::NumberSet;
use super::{Hub, SharedIndex};
use crate::api::{KnownBy, ManualOverride, Origin, PastMoment, SourceInfo};
use crate::event::{Event, origin_of};
use crate::ids::{EventId, SessionId};
use crate::merge::TranscriptExchanges;
use crate::workspace::{AgentWorkspace, Workspace};

/// Most events that a copy is fed because they came after it was made. Then a new copy is made.
const MAX_LATER: usize = 4 * 1024;
/// Most events and empty slots that moves may leave behind in a copy.
const MAX_LEFT_BEHIND: usize = 16 * 1024;
/// Most events that are brought back one by one in a short history, because a new copy costs less.
const MIN_RESTORED: usize = 512;
/// In a longer history they are this part of it.
const RESTORED_DIVISOR: usize = 64;
/// States of sessions that are packed at once.
const STATES_AT_ONCE: usize = 256;

/// Hub of a past moment, which can be moved to another moment.
#[derive(Debug, Default)]
pub struct PastHub {
    hub: Hub,
    /// Number of events of the present hub when it was copied. Up to there, both hubs count events alike.
    copied: usize,
    /// Number of slots of sessions then.
    copied_slots: u32,
    /// Numbers in `hub` of events that the present hub got later. Emptied by a new copy.
    later: BTreeMap<u32, u32>,
    /// Events known at the moment, as the present hub counts them, without those of transcripts.
    known: NumberSet,
    /// What [`PastHub::settle`] has to do.
    pending: Option<PendingMove>,
}

/// What a hub has to change for another moment.
#[derive(Debug)]
struct PendingMove {
    at: i64,
    /// Events to withdraw, as the past hub counts them.
    withdrawn: NumberSet,
    /// Events to bring back, likewise.
    restored: Vec<u32>,
    /// Events that the past hub does not have, by their numbers in the present hub.
    fed: Vec<(u32, Event)>,
    inputs: OtherInputs,
}

/// Inputs of a past hub that are not events of the log.
#[derive(Debug)]
struct OtherInputs {
    overrides: BTreeMap<SessionId, ManualOverride>,
    talk: TranscriptExchanges,
    shared: SharedIndex,
    workspace: Workspace,
    source: SourceInfo,
}

impl PastHub {
    /// The hub as of the moment of the last [`PastHub::prepare`], once [`PastHub::settle`] was called.
    #[must_use]
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Begins to move to a moment. `overrides` are the manual categories that were in force then. Costs a copy of the
    /// present hub at most. [`PastHub::settle`] has to follow.
    pub fn prepare(&mut self, present: &Hub, moment: PastMoment, overrides: BTreeMap<SessionId, ManualOverride>) {
        let times = known_times(present, moment.known_by);
        let known =
            NumberSet::from_numbers((0..).zip(times).filter(|(_, at)| *at <= moment.at).map(|(event, _)| event));
        if self.needs_copy(present, &known) {
            self.copy(present);
        }
        let (mut restored, mut unknown) = (Vec::new(), Vec::new());
        for event in known.without(&self.known).iter() {
            match self.own(event) {
                Some(own) => restored.push(own),
                None => unknown.push(event),
            }
        }
        let mut fed = Vec::with_capacity(unknown.len());
        present.events.log.visit(unknown, |number, event| fed.push((number, event.clone())));
        let left = self.known.without(&known);
        let withdrawn = NumberSet::from_numbers(left.iter().filter_map(|event| self.own(event)));
        let inputs = OtherInputs::at(present, moment.at, overrides);
        self.hub.cursor = present.cursor.clone();
        self.known = known;
        self.pending = Some(PendingMove { at: moment.at, withdrawn, restored, fed, inputs });
    }

    /// Completes the move, without the present hub.
    pub fn settle(&mut self) {
        let Some(PendingMove { at, mut withdrawn, restored, fed, inputs }) = self.pending.take() else { return };
        // Until the end, an error leaves a hub that is to be copied again.
        let copied = std::mem::take(&mut self.copied);
        let hub = &mut self.hub;
        let mut affected: Vec<u32> = withdrawn.iter().chain(restored.iter().copied()).collect();
        for event in hub.inputs.transcripts.remove_after(at, &hub.events.log) {
            withdrawn.insert(event);
        }
        hub.withdraw_events(&withdrawn);
        hub.restore_events(restored);
        let ids: Vec<(u32, EventId)> = fed.iter().map(|(number, event)| (*number, event.id())).collect();
        drop(hub.insert(fed.into_iter().map(|(_, event)| event).collect(), &BTreeSet::new(), false));
        for (number, own) in ids.iter().filter_map(|(number, id)| Some((*number, hub.find(id)?))) {
            self.later.insert(number, own);
            affected.push(own);
        }
        inputs.set(hub, &affected);
        while let Some(states) = hub.take_encoded_states(STATES_AT_ONCE) {
            hub.put_packed_states(states.pack());
        }
        drop(hub.evict_rehydrated());
        self.copied = copied;
    }

    /// Whether a new copy costs less than the way to these events, or is needed for another reason.
    fn needs_copy(&self, present: &Hub, known: &NumberSet) -> bool {
        let added = known.without(&self.known);
        let later = added.iter().filter(|event| *event as usize >= self.copied).count();
        let own = self.hub.events.log.len();
        let left_behind = own.saturating_sub(self.copied) + self.hub.slots().saturating_sub(self.copied_slots) as usize;
        self.pending.is_some()
            || self.copied == 0
            || self.copied > present.events.log.len()
            || !has_settings_of(&self.hub, present)
            || added.len() > MIN_RESTORED + self.copied / RESTORED_DIVISOR
            || self.later.len() + later > MAX_LATER
            || left_behind > MAX_LEFT_BEHIND
    }

    /// Begins again with a copy of the present hub.
    fn copy(&mut self, present: &Hub) {
        self.hub = copy_of(present);
        self.copied = present.events.log.len();
        self.copied_slots = present.slots();
        self.later.clear();
        let is_known = |origin: Origin| origin != Origin::Transcript;
        let stretches = present.events.log.file_stretches().filter(|(file, _)| is_known(origin_of(file)));
        let all = stretches.flat_map(|(_, events)| events);
        self.known = NumberSet::from_numbers(all.filter(|event| !present.events.log.is_withdrawn(*event)));
    }

    /// The number in the past hub of an event of the present one, when it has the event.
    fn own(&self, event: u32) -> Option<u32> {
        if (event as usize) < self.copied { Some(event) } else { self.later.get(&event).copied() }
    }
}

/// A copy without what is not known of the past.
fn copy_of(present: &Hub) -> Hub {
    let Hub { events, indexes, sessions, inputs, cursor, revision } = present;
    let (roster, classifier, rules) = (inputs.roster.clone(), inputs.classifier.clone(), inputs.rules.clone());
    let mut hub = Hub {
        events: events.clone(),
        indexes: indexes.clone(),
        sessions: sessions.clone(),
        inputs: Inputs {
            roster,
            classifier,
            rules,
            overrides: inputs.overrides.clone(),
            workspace: inputs.workspace.clone(),
            tasks: inputs.tasks.clone(),
            transcripts: inputs.transcripts.clone(),
            shared: inputs.shared.clone(),
            ..Inputs::default()
        },
        cursor: cursor.clone(),
        revision: *revision,
    };
    hub.sessions.table.detach();
    hub
}

/// Whether what decides roles and categories is the same in both.
fn has_settings_of(past: &Hub, present: &Hub) -> bool {
    let (past, present) = (&past.inputs, &present.inputs);
    past.roster == present.roster
        && past.classifier.classifier == present.classifier.classifier
        && past.rules == present.rules
}

/// The moment from which each event is known; the greatest number for withdrawn ones, and for those of transcripts, which
/// are merged again from the exchanges that were known.
fn known_times(present: &Hub, known_by: KnownBy) -> Vec<i64> {
    let log = &present.events.log;
    // The newest time in the lines of the log so far.
    let mut clock = 0;
    let mut times = Vec::with_capacity(log.len());
    for (file, events) in log.file_stretches() {
        let origin = origin_of(file);
        for event in events {
            let at = log.at(event);
            let time = match origin {
                Origin::Transcript => i64::MAX,
                _ if log.is_withdrawn(event) => i64::MAX,
                Origin::Log => {
                    clock = clock.max(at);
                    if known_by == KnownBy::Arrival || at <= 0 { clock } else { at }
                }
                Origin::Hooks | Origin::Unknown => at,
            };
            times.push(time);
        }
    }
    times
}

impl OtherInputs {
    fn at(present: &Hub, at: i64, overrides: BTreeMap<SessionId, ManualOverride>) -> Self {
        let agents = present.inputs.workspace.agents.iter();
        // The agents. No earlier versions of their files exist.
        let folder = |agent: &AgentWorkspace| AgentWorkspace { agent_id: agent.agent_id.clone(), ..Default::default() };
        Self {
            overrides,
            talk: present.inputs.transcripts.talk_until(at),
            shared: present.inputs.shared.unchanged_since(at),
            workspace: Workspace { agents: agents.map(folder).collect() },
            source: present.inputs.source.clone(),
        }
    }

    /// `affected` are the events of the log that came or left.
    fn set(self, hub: &mut Hub, affected: &[u32]) {
        hub.set_transcripts(self.talk);
        hub.note_affected(affected);
        while hub.sync_next_pair().is_some() {}
        drop(hub.set_overrides(self.overrides));
        drop(hub.set_shared_records(self.shared));
        if hub.inputs.workspace != self.workspace {
            drop(hub.set_workspace(self.workspace));
        }
        let newest = hub.events.timeline.list.last().map(|event| hub.events.log.at(*event)).filter(|at| *at > 0);
        hub.set_source(SourceInfo { newest_event: newest, third_newest_event: None, ..self.source });
    }
}
