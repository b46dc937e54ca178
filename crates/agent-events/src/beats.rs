//! Generator of heartbeat events for coding agents and for connections to the event stream
//! (`contract/event-schema-v1_1.md` §A.5). An agent gets a heartbeat when its state changes (active, idle, silent), and
//! at each interval until it is silent. Heartbeats are never stored on disk.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::event::moment;
use super::state::{ACTIVE_MS, IDLE_MS};
use super::{AgentNow, AgentsChanged, Beat, Kind, SchemaEvent, Severity, Source, VERSION, beat, event_id};
use protocol::time::to_iso;

/// Who makes them.
const PROVIDER: &str = "task-monitor";
/// The monitor as an agent, workspace and terminal, where nothing but the connection is meant.
const MONITOR: (&str, &str, &str) = ("system/monitor", "task-monitor", "stream");

/// An agent at a terminal.
pub type BeatSlot = (String, String);

/// Agents that get heartbeats: those published and not removed. [`AgentsChanged`] holds 64 terminals of each agent. The
/// cost of a call grows with the number of agents that changed or are due.
#[derive(Debug)]
pub struct Beats {
    /// Interval between the heartbeats of an agent whose state does not change, in milliseconds.
    every: i64,
    /// BCP-47 tag that heartbeats carry.
    locale: Option<String>,
    /// Agents with their last state. Shrinks when an agent is removed.
    known: BTreeMap<BeatSlot, TrackedAgent>,
    /// Time of each agent's next heartbeat, in epoch milliseconds, earliest first.
    due: BTreeSet<(i64, BeatSlot)>,
}

#[derive(Debug)]
struct TrackedAgent {
    agent: AgentNow,
    /// State that the last heartbeat reported.
    beat: Beat,
    /// Time of the next heartbeat, in epoch milliseconds; none for a silent agent.
    due: Option<i64>,
}

/// What became of the heartbeats: for each slot its newest, or nothing where the agent is no more there.
pub type BeatsChanged = BTreeMap<BeatSlot, Option<SchemaEvent>>;

impl Beats {
    /// Beats at an interval in milliseconds; `locale` is a BCP-47 tag, or empty.
    #[must_use]
    pub fn new(every: i64, locale: &str) -> Self {
        let locale = (!locale.is_empty()).then(|| locale.to_owned());
        Self { every: every.max(1), locale, known: BTreeMap::new(), due: BTreeSet::new() }
    }

    /// Applies changed agents; `now` in epoch milliseconds. An agent that is silent when it is first published has no
    /// change of state.
    pub fn take(&mut self, agents: &AgentsChanged, now: i64) -> BeatsChanged {
        let mut out = BeatsChanged::new();
        for (id, agents) in &agents.0 {
            let there: BTreeSet<&str> = agents.iter().map(|agent| agent.terminal_session_id.as_str()).collect();
            let slots = self.known.range((id.clone(), String::new())..).map(|(slot, _)| slot);
            let removed: Vec<BeatSlot> =
                slots.take_while(|slot| slot.0 == *id).filter(|slot| !there.contains(&*slot.1)).cloned().collect();
            for slot in removed {
                if let Some(known) = self.known.remove(&slot) {
                    known.due.map(|due| self.due.remove(&(due, slot.clone())));
                    out.insert(slot, None);
                }
            }
            for agent in agents {
                let slot = (id.clone(), agent.terminal_session_id.clone());
                let state = beat(agent.last_at, now);
                let before = self.known.get(&slot).map(|known| known.beat);
                if before.is_none() && state == Beat::Silent {
                    continue;
                }
                let same = before == Some(state);
                self.put(slot.clone(), agent.clone(), state, now, same);
                if !same {
                    out.insert(slot, Some(self.of_agent(agent, state, now)));
                }
            }
        }
        out
    }

    /// What the passing of time makes of them.
    pub fn turn(&mut self, now: i64) -> BeatsChanged {
        let mut out = BeatsChanged::new();
        while let Some((at, slot)) = self.due.first().filter(|(at, _)| *at <= now).cloned() {
            self.due.remove(&(at, slot.clone()));
            let Some(known) = self.known.remove(&slot) else { continue };
            let state = beat(known.agent.last_at, now);
            out.insert(slot.clone(), Some(self.of_agent(&known.agent, state, now)));
            self.put(slot, known.agent, state, now, false);
        }
        out
    }

    /// When [`Self::turn`] has something to do next, in epoch milliseconds.
    #[must_use]
    pub fn due(&self) -> Option<i64> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Notes an agent; `goes_on`: it does not beat now, and its interval continues.
    fn put(&mut self, slot: BeatSlot, agent: AgentNow, state: Beat, now: i64, goes_on: bool) {
        let before = self.known.get(&slot).and_then(|known| known.due);
        if let Some(before) = before {
            self.due.remove(&(before, slot.clone()));
        }
        let interval = before.filter(|_| goes_on).unwrap_or_else(|| now.saturating_add(self.every));
        let due = match state {
            Beat::Active => Some(interval.min(agent.last_at.saturating_add(ACTIVE_MS))),
            Beat::Idle => Some(interval.min(agent.last_at.saturating_add(IDLE_MS))),
            Beat::Silent => None,
        };
        // A moment that has come is not due again at once.
        let due = due.map(|due| due.max(now.saturating_add(1)));
        self.due.extend(due.map(|due| (due, slot.clone())));
        self.known.insert(slot, TrackedAgent { agent, beat: state, due });
    }

    fn of_agent(&self, agent: &AgentNow, state: Beat, now: i64) -> SchemaEvent {
        let place = (&*agent.agent_id, &*agent.workspace_id, &*agent.terminal_session_id);
        let payload = json!({"scope": "agent", "state": state.as_str(), "last_at": to_iso(moment(agent.last_at))});
        heartbeat(place, &payload, self.locale.as_deref(), now)
    }
}

/// The heartbeat of a connection, as a standard event. `stream` identifies the connection.
#[must_use]
pub fn connection_heartbeat(stream: &str, interval_sec: u64, locale: &str, now: i64) -> SchemaEvent {
    let payload = json!({"scope": "connection", "stream": stream, "interval_sec": interval_sec});
    heartbeat(MONITOR, &payload, Some(locale).filter(|locale| !locale.is_empty()), now)
}

fn heartbeat(
    (agent, workspace, terminal): (&str, &str, &str),
    payload: &serde_json::Value,
    locale: Option<&str>,
    now: i64,
) -> SchemaEvent {
    SchemaEvent {
        id: event_id(&json!(["heartbeat", agent, terminal, payload, now])),
        version: VERSION.to_owned(),
        ts: moment(now),
        kind: Kind::Heartbeat,
        source: Source::Synthetic,
        workspace_id: workspace.to_owned(),
        terminal_session_id: terminal.to_owned(),
        run_id: None,
        session_id: None,
        agent_id: agent.to_owned(),
        target_agent_id: None,
        task_id: None,
        severity: Severity::of_kind(&Kind::Heartbeat),
        locale: locale.map(str::to_owned),
        payload: payload.as_object().cloned().unwrap_or_default(),
        raw: Some(serde_json::Map::from_iter([("provider".to_owned(), json!(PROVIDER))])),
        extra: serde_json::Map::new(),
    }
}
