//! Preview of rule changes: classifies a session repeatedly with different rules. The model's score is computed once.
//! For each set of rules, only texts that may contain a word of a rule are split into words.

use super::{Learnt, Lexicon, ScoreSum, read};
use protocol::api::{ReplaySession, ReplayText};
use protocol::category::Category;

/// A session prepared for repeated classification.
#[derive(Debug, Clone)]
pub struct ClassifierReplay {
    session: ReplaySession,
    /// The model's sum over main messages.
    main: ScoreSum,
    /// The model's sum over other texts.
    other: ScoreSum,
}

/// Result of one evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayOutcome {
    /// The automatic category.
    pub category: Category,
    /// How often such an answer is right, 0–1; `None` without a known word, or when an event states the category.
    pub confidence: Option<f64>,
    /// Taught words that speak for it, with their points.
    pub taught: Vec<(String, f64)>,
}

impl ClassifierReplay {
    /// Reads the texts of a session.
    #[must_use]
    pub fn new(session: ReplaySession) -> Self {
        let (main, other) = (sum(&session.main), sum(&session.other));
        Self { session, main, other }
    }

    /// The session as it was received.
    #[must_use]
    pub fn session(&self) -> &ReplaySession {
        &self.session
    }

    /// Its category with these rules. The hub decides by the same rule.
    #[must_use]
    pub fn outcome(&self, lexicon: &Lexicon) -> ReplayOutcome {
        let ReplaySession { stated, fallback, automatic, .. } = self.session;
        if stated {
            return ReplayOutcome { category: automatic, confidence: None, taught: Vec::new() };
        }
        let parts = [(&self.main, &self.session.main), (&self.other, &self.session.other)];
        let answered = parts.into_iter().find_map(|(sum, texts)| {
            let learnt = rule_matches(lexicon, texts);
            let answer = sum.answer_with(&learnt)?;
            let taught = learnt.words(answer.category.index());
            Some(ReplayOutcome { category: answer.category, confidence: Some(answer.confidence), taught })
        });
        answered.unwrap_or(ReplayOutcome { category: fallback, confidence: None, taught: Vec::new() })
    }
}

fn sum(texts: &[ReplayText]) -> ScoreSum {
    let mut sum = ScoreSum::default();
    texts.iter().for_each(|text| sum.add(&read(text.place, &text.text)));
    sum
}

fn rule_matches(lexicon: &Lexicon, texts: &[ReplayText]) -> Learnt {
    let mut learnt = Learnt::default();
    for ReplayText { place, speaker, text } in texts {
        lexicon.text_features(*place, text, &mut learnt);
        speaker.iter().for_each(|speaker| lexicon.note_speaker(speaker, &mut learnt));
    }
    learnt
}
