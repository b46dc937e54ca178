//! The normalised events as readers get them: in the order in which they last changed, so that a reader who has some of
//! them gets what is new, what reads differently by now and what was withdrawn, and nothing twice.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use coordination::schema::{Changed, SchemaEvent};

/// A change as it is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Told {
    /// An event as it reads now, as JSON.
    Put(Arc<str>),
    /// The id of one that was withdrawn.
    Gone(Arc<str>),
}

/// What is wanted of the events; a withdrawal is told to everybody.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Wanted {
    /// Of or to one of these agents.
    pub(crate) agents: Vec<String>,
    /// Of one of these types.
    pub(crate) kinds: Vec<String>,
}

/// Changes behind a place.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Page {
    /// Oldest change first, each with its revision.
    pub(crate) changes: Vec<(u64, Told)>,
    /// Up to which revision this tells.
    pub(crate) to: u64,
    /// There are more behind it.
    pub(crate) more: bool,
}

#[derive(Debug)]
struct Card {
    kind: Box<str>,
    agent: Box<str>,
    target: Option<Box<str>>,
    text: Arc<str>,
}

impl Card {
    fn of(event: &SchemaEvent) -> Option<Self> {
        Some(Self {
            kind: event.kind.as_str().into(),
            agent: event.agent_id.as_str().into(),
            target: event.target_agent_id.as_deref().map(Into::into),
            text: serde_json::to_string(event).ok()?.into(),
        })
    }

    fn is_wanted(&self, wanted: &Wanted) -> bool {
        let named = |id: &str| wanted.agents.iter().any(|agent| agent.eq_ignore_ascii_case(id));
        let by_agent = wanted.agents.is_empty() || named(&self.agent) || self.target.as_deref().is_some_and(named);
        by_agent && (wanted.kinds.is_empty() || wanted.kinds.iter().any(|kind| **kind == *self.kind))
    }
}

/// Every event that stands, and the ids of those that were withdrawn since the start.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The newest revision.
    revision: u64,
    /// By the revision of the last change; none for one that was withdrawn. Grows with the events and, by an id each,
    /// with withdrawals.
    changes: BTreeMap<u64, (Arc<str>, Option<Card>)>,
    /// Where an id stands there.
    places: HashMap<Arc<str>, u64>,
    /// Events that stand.
    standing: usize,
}

impl Board {
    /// Takes changes in. True when there are any: the same event again is none.
    pub(crate) fn apply(&mut self, changed: &Changed) -> bool {
        let before = self.revision;
        for event in &changed.put {
            let Some(card) = Card::of(event) else { continue };
            let standing = self.places.get(event.id.as_str()).and_then(|at| self.changes.get(at));
            if standing.is_none_or(|(_, old)| old.as_ref().is_none_or(|old| old.text != card.text)) {
                self.put(&event.id, Some(card));
            }
        }
        for id in &changed.gone {
            let standing = self.places.get(id.as_str()).and_then(|at| self.changes.get(at));
            if standing.is_some_and(|(_, card)| card.is_some()) {
                self.put(id, None);
            }
        }
        self.revision > before
    }

    fn put(&mut self, id: &str, card: Option<Card>) {
        self.revision += 1;
        self.standing += usize::from(card.is_some());
        let id: Arc<str> = match self.places.remove_entry(id) {
            Some((id, at)) => {
                let before = self.changes.remove(&at);
                self.standing -= usize::from(before.is_some_and(|(_, card)| card.is_some()));
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

    /// Events that stand.
    pub(crate) fn len(&self) -> usize {
        self.standing
    }

    /// Their ids.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.changes.values().filter(|(_, card)| card.is_some()).map(|(id, _)| &**id)
    }

    /// Changes behind a revision, at most so many. Who has nothing yet is not told what is no more.
    pub(crate) fn since(&self, after: Option<u64>, wanted: &Wanted, most: usize) -> Page {
        let mut page = Page { to: self.revision, ..Page::default() };
        for (&revision, (id, card)) in self.changes.range(after.unwrap_or(0).saturating_add(1)..) {
            let told = match card {
                Some(card) if card.is_wanted(wanted) => Told::Put(Arc::clone(&card.text)),
                None if after.is_some() => Told::Gone(Arc::clone(id)),
                _ => continue,
            };
            if page.changes.len() == most {
                page.more = true;
                page.to = page.changes.last().map_or(0, |(revision, _)| *revision);
                break;
            }
            page.changes.push((revision, told));
        }
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
        Changed { put: events.to_vec(), gone: Vec::new() }
    }

    fn told(page: &Page) -> Vec<String> {
        let one = |(_, told): &(u64, Told)| match told {
            Told::Put(text) => {
                let value: Value = serde_json::from_str(text).expect("JSON");
                format!("{} {}", value["id"].as_str().expect("id"), value["payload"]["summary"].as_str().expect("text"))
            }
            Told::Gone(id) => format!("-{id}"),
        };
        page.changes.iter().map(one).collect()
    }

    #[test]
    fn a_reader_gets_what_is_new_what_reads_differently_and_what_is_gone_and_nothing_twice() {
        let mut board = Board::default();
        let all = Wanted::default();
        assert!(board.apply(&put(&[event("a", "x/1", "eins"), event("b", "x/2", "zwei"), event("c", "x/1", "drei")])));
        let first = board.since(None, &all, 2);
        assert_eq!((told(&first), first.to, first.more), (vec!["a eins".into(), "b zwei".into()], 2, true));
        assert!(!board.apply(&put(&[event("a", "x/1", "eins")])), "the same again is no change");
        assert!(board.apply(&Changed { put: vec![event("a", "x/1", "anders")], gone: vec!["b".to_owned()] }));
        let second = board.since(Some(first.to), &all, 10);
        assert_eq!(told(&second), ["c drei", "a anders", "-b"]);
        assert!(board.since(Some(second.to), &all, 10).changes.is_empty());
        assert_eq!(told(&board.since(None, &all, 10)), ["c drei", "a anders"], "a new reader has nothing to forget");
        assert!(!board.apply(&Changed { put: Vec::new(), gone: vec!["b".to_owned(), "never".to_owned()] }));
        assert!(board.apply(&put(&[event("b", "x/2", "wieder")])));
        assert_eq!(told(&board.since(Some(second.to), &all, 10)), ["b wieder"]);
        assert_eq!(board.len(), 3);
    }

    #[test]
    fn a_filter_passes_over_others_and_the_place_goes_on() {
        let mut board = Board::default();
        board.apply(&put(&[event("a", "x/1", "1"), event("b", "x/2", "2"), event("c", "X/1", "3")]));
        let wanted = |agent: &str, kind: &str| Wanted {
            agents: Some(agent.to_owned()).filter(|it| !it.is_empty()).into_iter().collect(),
            kinds: Some(kind.to_owned()).filter(|it| !it.is_empty()).into_iter().collect(),
        };
        let page = board.since(None, &wanted("x/1", "task_progress"), 10);
        assert_eq!((told(&page), page.to, page.more), (vec!["a 1".into(), "c 3".into()], 3, false));
        assert_eq!(board.since(None, &wanted("", "tool_failed"), 10), Page { to: 3, ..Page::default() });
        let page = board.since(None, &wanted("x/1", ""), 1);
        assert_eq!((page.to, page.more), (1, true));
        assert_eq!(told(&board.since(Some(page.to), &wanted("x/1", ""), 1)), ["c 3"]);
    }
}
