//! Words that an operator taught, on all sessions at once. What the model made of the texts stands beside them, so that
//! only the taught words are looked for, and nothing is folded anew.

use std::collections::BTreeMap;

use super::session::{Judge, Session};
use super::votes::{Lessons, Verdict};
use super::{Changes, Hub, read_titles};
use crate::api::Taught;
use crate::classify::Classifier;
use crate::classify::v2::Lexicon;

/// Words about to be taught, and what the sessions say of them.
#[derive(Debug)]
pub struct Teaching {
    taught: Taught,
    lexicon: Lexicon,
    lessons: Vec<(u32, Lessons)>,
    /// Events there were.
    known: usize,
}

impl Hub {
    /// What a classifier says of a session, whichever is in force.
    pub(crate) fn verdict_by(&self, session: &Session, classifier: Classifier) -> Verdict {
        if classifier == self.judge.classifier {
            return session.state.votes.verdict();
        }
        let judge = Judge { classifier, lexicon: Lexicon::new(&self.taught) };
        let mut votes = session.votes_by(&self.events, &self.facts, &judge);
        if votes.is_silent() {
            votes.read_titles(&self.tasks.titles(&self.workspace, session), &judge.lexicon);
        }
        votes.verdict()
    }

    /// What an operator taught the classifier.
    #[must_use]
    pub fn taught(&self) -> &Taught {
        &self.taught
    }

    /// What the sessions say of words that are about to be taught: the long part of teaching, which changes nothing
    /// yet. Costs one look at every text.
    #[must_use]
    pub fn lessons(&self, taught: Taught) -> Teaching {
        let lexicon = Lexicon::new(&taught);
        // In the order of the log, so that no packed line is read twice; the order of messages does not show.
        let mut lessons: BTreeMap<u32, Lessons> =
            self.newest.values().map(|slot| (*slot, Lessons::default())).collect();
        self.events.scan(|index, event| {
            let fact = self.fact(index);
            if let Some(lessons) = lessons.get_mut(&fact.session) {
                lessons.note(event, fact.role, &lexicon);
            }
        });
        let lessons = lessons.into_iter().collect();
        Teaching { taught, lexicon, lessons, known: self.events.len() }
    }

    /// Teaches. Costs the sessions. What came since [`Hub::lessons`] is looked at here; the caller sees to it that
    /// nothing does.
    pub fn teach(&mut self, teaching: Teaching) -> Changes {
        let Teaching { taught, lexicon, lessons, known } = teaching;
        if taught == self.taught {
            return Changes::default();
        }
        if known != self.events.len() {
            let again = self.lessons(taught);
            return self.teach(again);
        }
        self.taught = taught;
        self.judge.lexicon = lexicon;
        self.sessions.slots.iter_mut().for_each(Session::taught_anew);
        let mut changes = Changes { everything: true, ..Changes::default() };
        for (slot, lessons) in lessons {
            let session = &mut self.sessions.slots[slot as usize];
            let taught = session.state.votes.teach(lessons);
            if read_titles(session, &self.tasks, &self.workspace, &self.events, &self.judge) || taught {
                let manual = self.overrides.get(&session.id).map(|manual| manual.collab_category);
                let left = self.overview.leave(slot, session);
                session.state.finish(&self.events);
                self.overview.enter(slot, session, manual, left, None);
                changes.sessions.insert(slot);
            }
        }
        changes
    }
}
