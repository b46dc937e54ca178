//! List of coding agents' events for API clients, in the order of their last change. Filters are agent, type, run and
//! terminal.
//!
//! Each change has a revision number. A client passes the last revision that it has seen, and gets the later changes:
//! new events, corrected events, and the ids of events that no longer hold (for example a guess that a later hook
//! revoked).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use coordination::api::SchemaRun;
use coordination::schema::{BeatSlot, BeatsChanged, Changed, SchemaEvent};

/// A change as readers get it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EventChange {
    /// An event as it reads now, as JSON.
    Put(Arc<str>),
    /// The id of one that was withdrawn.
    Removed(Arc<str>),
}

/// Filter of events; a withdrawal passes every filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct EventFilter {
    /// Of or to one of these agents.
    pub(crate) agents: Vec<String>,
    /// Of one of these types.
    pub(crate) kinds: Vec<String>,
    /// Of one of these runs.
    pub(crate) runs: Vec<String>,
    /// At one of these terminals.
    pub(crate) terminals: Vec<String>,
}

/// Changes behind a place.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct EventChangePage {
    /// Oldest change first, each with its revision.
    pub(crate) changes: Vec<(u64, EventChange)>,
    /// The revision that this page reaches.
    pub(crate) to: u64,
    /// There are changes after this page.
    pub(crate) more: bool,
    /// Runs of the events among the changes, terminal by terminal.
    pub(crate) runs: Vec<SchemaRun>,
}

/// A published event with the fields that filters look at. The names are shared: there are few of each.
#[derive(Debug)]
struct PublishedEvent {
    kind: Arc<str>,
    agent: Arc<str>,
    target: Option<Arc<str>>,
    run: Option<Arc<str>>,
    terminal: Arc<str>,
    text: Arc<str>,
}

impl PublishedEvent {
    fn from_event(event: &SchemaEvent, names: &mut HashSet<Arc<str>>) -> Option<Self> {
        let mut name = |name: &str| match names.get(name) {
            Some(known) => Arc::clone(known),
            None => {
                let new: Arc<str> = name.into();
                names.insert(Arc::clone(&new));
                new
            }
        };
        Some(Self {
            kind: name(event.kind.as_str()),
            agent: name(&event.agent_id),
            target: event.target_agent_id.as_deref().map(&mut name),
            run: event.run_id.as_deref().map(&mut name),
            terminal: name(&event.terminal_session_id),
            text: serde_json::to_string(event).ok()?.into(),
        })
    }

    fn is_wanted(&self, wanted: &EventFilter) -> bool {
        let named = |id: &str| wanted.agents.iter().any(|agent| agent.eq_ignore_ascii_case(id));
        let by_agent = wanted.agents.is_empty() || named(&self.agent) || self.target.as_deref().is_some_and(named);
        let among = |all: &[String], one: Option<&str>| all.is_empty() || all.iter().any(|name| Some(&**name) == one);
        by_agent
            && among(&wanted.kinds, Some(&self.kind))
            && among(&wanted.runs, self.run.as_deref())
            && among(&wanted.terminals, Some(&self.terminal))
    }
}

/// Every current event, and the ids of those that were withdrawn since the start.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The newest revision.
    revision: u64,
    /// By the revision of the last change; none for one that was withdrawn. Grows with the events and, by an id each,
    /// with withdrawals.
    changes: BTreeMap<u64, (Arc<str>, Option<PublishedEvent>)>,
    /// The revision of each id.
    places: HashMap<Arc<str>, u64>,
    /// Number of current events.
    live_events: usize,
    /// The newest heartbeat of each agent at each terminal: those before it are dropped and not withdrawn.
    beats: BTreeMap<BeatSlot, Arc<str>>,
    /// Names that cards share. Grows with the runs, agents and terminals.
    names: HashSet<Arc<str>>,
}

impl Board {
    /// Takes changes in. True when anything changed; an equal event changes nothing.
    pub(crate) fn apply(&mut self, changed: &Changed) -> bool {
        let before = self.revision;
        for event in &changed.put {
            let Some(card) = PublishedEvent::from_event(event, &mut self.names) else { continue };
            let existing = self.places.get(event.id.as_str()).and_then(|at| self.changes.get(at));
            if existing.is_none_or(|(_, old)| old.as_ref().is_none_or(|old| old.text != card.text)) {
                self.put(&event.id, Some(card));
            }
        }
        for id in &changed.removed {
            let existing = self.places.get(id.as_str()).and_then(|at| self.changes.get(at));
            if existing.is_some_and(|(_, card)| card.is_some()) {
                self.put(id, None);
            }
        }
        changed.evicted.iter().for_each(|id| self.drop_unseen(id));
        self.revision > before
    }

    /// Holds an event no longer, without withdrawing it.
    fn drop_unseen(&mut self, id: &str) {
        if let Some(at) = self.places.remove(id) {
            let card = self.changes.remove(&at).and_then(|(_, card)| card);
            self.live_events -= usize::from(card.is_some());
        }
    }

    /// Takes heartbeats in. True when there are any.
    pub(crate) fn beat(&mut self, changed: &BeatsChanged) -> bool {
        let before = self.revision;
        for (slot, event) in changed {
            if let Some(old) = self.beats.remove(slot) {
                self.drop_unseen(&old);
            }
            if let Some(event) = event
                && let Some(card) = PublishedEvent::from_event(event, &mut self.names)
            {
                self.put(&event.id, Some(card));
                self.beats.insert(slot.clone(), event.id.as_str().into());
            }
        }
        self.revision > before
    }

    fn put(&mut self, id: &str, card: Option<PublishedEvent>) {
        self.revision += 1;
        self.live_events += usize::from(card.is_some());
        let id: Arc<str> = match self.places.remove_entry(id) {
            Some((id, at)) => {
                let before = self.changes.remove(&at);
                self.live_events -= usize::from(before.is_some_and(|(_, card)| card.is_some()));
                id
            }
            None => id.into(),
        };
        self.changes.insert(self.revision, (Arc::clone(&id), card));
        self.places.insert(id, self.revision);
    }

    /// The newest revision.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Current events, without heartbeats, which follow from no input.
    pub(crate) fn len(&self) -> usize {
        self.live_events - self.beats.len()
    }

    /// Their ids.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        let is_event = |card: &Option<PublishedEvent>| card.as_ref().is_some_and(|card| &*card.kind != "heartbeat");
        self.changes.values().filter(move |(_, card)| is_event(card)).map(|(id, _)| &**id)
    }

    /// JSON of a current event.
    pub(crate) fn text_of(&self, id: &str) -> Option<Arc<str>> {
        let (_, event) = self.changes.get(self.places.get(id)?)?;
        event.as_ref().map(|event| Arc::clone(&event.text))
    }

    /// JSON of the events that changed last, newest first.
    pub(crate) fn newest_texts(&self, most: usize) -> impl Iterator<Item = &str> {
        self.changes.values().rev().take(most).filter_map(|(_, event)| event.as_ref().map(|event| &*event.text))
    }

    /// JSON of the events that changed after a revision, in that order.
    pub(crate) fn texts_since(&self, after: u64) -> Vec<Arc<str>> {
        let changes = self.changes.range(after.saturating_add(1)..);
        changes.filter_map(|(_, (_, event))| event.as_ref().map(|event| Arc::clone(&event.text))).collect()
    }

    /// Changes after a revision, at most `most`. A reader without a revision gets no withdrawals.
    pub(crate) fn since(&self, after: Option<u64>, wanted: &EventFilter, most: usize) -> EventChangePage {
        let mut page = EventChangePage { to: self.revision, ..EventChangePage::default() };
        let mut runs: BTreeMap<(&str, Option<&str>), Vec<String>> = BTreeMap::new();
        for (&revision, (id, card)) in self.changes.range(after.unwrap_or(0).saturating_add(1)..) {
            let change = match card {
                Some(card) if card.is_wanted(wanted) => EventChange::Put(Arc::clone(&card.text)),
                None if after.is_some() => EventChange::Removed(Arc::clone(id)),
                _ => continue,
            };
            if page.changes.len() == most {
                page.more = true;
                page.to = page.changes.last().map_or(0, |(revision, _)| *revision);
                break;
            }
            if let Some(card) = card {
                runs.entry((&card.terminal, card.run.as_deref())).or_default().push(id.to_string());
            }
            page.changes.push((revision, change));
        }
        let run = |((terminal, run), events): ((&str, Option<&str>), _)| SchemaRun {
            terminal_session_id: terminal.to_owned(),
            run_id: run.map(str::to_owned),
            events,
        };
        page.runs = runs.into_iter().map(run).collect();
        page
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn event(id: &str, agent: &str, summary: &str) -> SchemaEvent {
        serde_json::from_value(json!({
            "id": id, "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": "task_progress", "source": "sdk",
            "workspace_id": "repo_x", "terminal_session_id": "t", "agent_id": agent, "task_id": "1",
            "severity": "info", "payload": {"summary": summary},
        }))
        .expect("an event")
    }

    fn put(events: &[SchemaEvent]) -> Changed {
        Changed { put: events.to_vec(), ..Changed::default() }
    }

    fn describe(page: &EventChangePage) -> Vec<String> {
        let one = |(_, change): &(u64, EventChange)| match change {
            EventChange::Put(text) => {
                let value: Value = serde_json::from_str(text).expect("JSON");
                format!("{} {}", value["id"].as_str().expect("id"), value["payload"]["summary"].as_str().expect("text"))
            }
            EventChange::Removed(id) => format!("-{id}"),
        };
        page.changes.iter().map(one).collect()
    }

    #[test]
    fn reader_gets_each_change_exactly_once() {
        let mut board = Board::default();
        let all = EventFilter::default();
        assert!(board.apply(&put(&[event("a", "x/1", "eins"), event("b", "x/2", "zwei"), event("c", "x/1", "drei")])));
        let first = board.since(None, &all, 2);
        assert_eq!((describe(&first), first.to, first.more), (vec!["a eins".into(), "b zwei".into()], 2, true));
        assert!(!board.apply(&put(&[event("a", "x/1", "eins")])), "the same again is no change");
        assert!(board.apply(&Changed { removed: vec!["b".to_owned()], ..put(&[event("a", "x/1", "anders")]) }));
        let second = board.since(Some(first.to), &all, 10);
        assert_eq!(describe(&second), ["c drei", "a anders", "-b"]);
        assert!(board.since(Some(second.to), &all, 10).changes.is_empty());
        assert_eq!(
            describe(&board.since(None, &all, 10)),
            ["c drei", "a anders"],
            "a new reader has nothing to forget"
        );
        assert!(!board.apply(&Changed { removed: vec!["b".to_owned(), "never".to_owned()], ..Changed::default() }));
        assert!(board.apply(&put(&[event("b", "x/2", "wieder")])));
        assert_eq!(describe(&board.since(Some(second.to), &all, 10)), ["b wieder"]);
        assert_eq!(board.len(), 3);
    }

    #[test]
    fn filter_skips_events_and_advances_revision() {
        let mut board = Board::default();
        board.apply(&put(&[event("a", "x/1", "1"), event("b", "x/2", "2"), event("c", "X/1", "3")]));
        let wanted = |agent: &str, kind: &str| EventFilter {
            agents: Some(agent.to_owned()).filter(|it| !it.is_empty()).into_iter().collect(),
            kinds: Some(kind.to_owned()).filter(|it| !it.is_empty()).into_iter().collect(),
            ..EventFilter::default()
        };
        let page = board.since(None, &wanted("x/1", "task_progress"), 10);
        assert_eq!((describe(&page), page.to, page.more), (vec!["a 1".into(), "c 3".into()], 3, false));
        assert_eq!(
            board.since(None, &wanted("", "tool_failed"), 10),
            EventChangePage { to: 3, ..EventChangePage::default() }
        );
        let page = board.since(None, &wanted("x/1", ""), 1);
        assert_eq!((page.to, page.more), (1, true));
        assert_eq!(describe(&board.since(Some(page.to), &wanted("x/1", ""), 1)), ["c 3"]);
    }
    #[test]
    fn runs_and_terminals_are_filters() {
        let mut board = Board::default();
        let run_event = |id: &str, run: Option<&str>, terminal: &str| SchemaEvent {
            run_id: run.map(str::to_owned),
            terminal_session_id: terminal.to_owned(),
            ..event(id, "x/1", id)
        };
        board.apply(&put(&[
            run_event("a", Some("r1"), "t1"),
            run_event("b", Some("r2"), "t1"),
            run_event("c", Some("r1"), "t2"),
            run_event("d", None, "t1"),
        ]));
        let seen = |runs: &[&str], terminals: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            describe(&board.since(
                None,
                &EventFilter { runs: owned(runs), terminals: owned(terminals), ..EventFilter::default() },
                10,
            ))
        };
        assert_eq!(seen(&["r1"], &[]), ["a a", "c c"]);
        assert_eq!(seen(&["r1", "r2"], &["t1"]), ["a a", "b b"]);
        assert_eq!(seen(&[], &["t1"]), ["a a", "b b", "d d"]);
    }

    #[test]
    fn newest_heartbeat_replaces_the_previous() {
        let mut board = Board::default();
        board.apply(&put(&[event("a", "x/1", "eins")]));
        let slot = || ("x/1".to_owned(), "t".to_owned());
        let beat = |id: &str| SchemaEvent { kind: coordination::schema::Kind::Heartbeat, ..event(id, "x/1", id) };
        for id in ["h1", "h2", "h3"] {
            assert!(board.beat(&BeatsChanged::from([(slot(), Some(beat(id)))])));
        }
        assert_eq!(describe(&board.since(None, &EventFilter::default(), 10)), ["a eins", "h3 h3"]);
        assert_eq!((board.len(), board.ids().collect::<Vec<_>>()), (1, vec!["a"]), "no event of the record");
        assert!(!board.beat(&BeatsChanged::from([(slot(), None)])), "a dropped one is no news");
        assert_eq!(
            (describe(&board.since(None, &EventFilter::default(), 10)), board.len()),
            (vec!["a eins".to_owned()], 1)
        );
        assert_eq!(board.changes.len(), 1, "nothing of them stays");
    }
}
