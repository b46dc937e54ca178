//! Application of new classifier rules, which people teach, to all sessions. All texts are searched for the words of
//! the rules only. Scores that do not depend on rules are reused, so no session is rebuilt from its events.

use std::collections::BTreeMap;

use super::session::Session;
use super::votes::{RuleSums, SessionVerdict};
use super::{Changes, Hub, TitleTexts, read_titles};
use crate::api::Taught;
use crate::classify::Classifier;
use crate::classify::v2::Lexicon;

/// The classifier in force, and the rules that people taught it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClassifierConfig {
    pub(crate) classifier: Classifier,
    pub(crate) lexicon: Lexicon,
}

/// Rules about to be applied, with their sums for each session.
#[derive(Debug)]
pub struct RulesUpdate {
    /// The rules as people set them.
    taught: Taught,
    /// The same rules, compiled.
    lexicon: Lexicon,
    /// Matches of the rules by slot of the session.
    sums: Vec<(u32, RuleSums)>,
    /// Number of events that the sums cover.
    event_count: usize,
}

impl Hub {
    /// Verdict of a classifier on a session, whichever is in force.
    pub(crate) fn verdict_by(&self, session: &Session, classifier: Classifier) -> SessionVerdict {
        if classifier == self.inputs.classifier.classifier {
            return session.state.votes.verdict();
        }
        let classifier = ClassifierConfig { classifier, lexicon: Lexicon::new(&self.inputs.rules) };
        let mut votes = session.votes_by(&self.events.log, &self.events.meta, &classifier);
        if votes.is_silent() {
            votes.read_titles(&self.inputs.tasks.titles(&self.inputs.workspace, session), &classifier.lexicon);
        }
        votes.verdict()
    }

    /// The rules in force.
    #[must_use]
    pub fn taught(&self) -> &Taught {
        &self.inputs.rules
    }

    /// Evaluates new rules against all sessions: the long part, which changes nothing
    /// yet. Reads every text once.
    #[must_use]
    pub fn evaluate_rules(&self, taught: Taught) -> RulesUpdate {
        let lexicon = Lexicon::new(&taught);
        // In the order of the log, so that no packed line is read twice; the order of messages has no effect.
        let mut sums: BTreeMap<u32, RuleSums> =
            self.sessions.newest.values().map(|slot| (*slot, RuleSums::default())).collect();
        self.events.log.scan(|index, event| {
            let meta = self.meta_of(index);
            if let Some(sums) = sums.get_mut(&meta.session) {
                sums.note(event, meta.role, &lexicon);
            }
        });
        let sums = sums.into_iter().collect();
        RulesUpdate { taught, lexicon, sums, event_count: self.events.log.len() }
    }

    /// Puts evaluated rules in force. Costs the sessions. Events since [`Hub::evaluate_rules`] are evaluated here; the
    /// caller makes sure that there are none.
    pub fn apply_rules(&mut self, teaching: RulesUpdate) -> Changes {
        let RulesUpdate { taught, lexicon, sums, event_count } = teaching;
        if taught == self.inputs.rules {
            return Changes::default();
        }
        if event_count != self.events.log.len() {
            let reevaluated = self.evaluate_rules(taught);
            return self.apply_rules(reevaluated);
        }
        self.note_revision();
        self.inputs.rules = taught;
        self.inputs.classifier.lexicon = lexicon;
        self.sessions.table.slots.iter_mut().for_each(Session::mark_rules_changed);
        let mut changes = Changes { everything: true, ..Changes::default() };
        for (slot, sums) in sums {
            let session = &mut self.sessions.table.slots[slot as usize];
            let taught = session.state.votes.apply_rules(sums);
            if read_titles(session, &self.inputs.tasks, &self.inputs.workspace, &self.inputs.classifier) || taught {
                let manual = self.inputs.overrides.get(&session.id).map(|manual| manual.collab_category);
                let left = self.sessions.overview.leave(slot, session);
                let verdict = session.state.finish(&self.events.log);
                self.indexes.titles.enter(slot, &TitleTexts::new(&session.id, &session.state, &verdict));
                self.sessions.overview.enter(slot, session, &verdict, manual, left, None);
                changes.sessions.insert(slot);
            }
            self.sessions.table.note_change(slot, &self.indexes.people);
        }
        changes
    }
}
