//! The category of a session or thread out of its events' votes (design §3.5): explicit in an event, then rule votes
//! of main talk, then other rule votes, then fallback. The manual override is applied by the query.

use std::borrow::Cow;

use super::facts::push_tight;
use super::overview::MAX_TAGS;
use crate::api::{CategoryEvidence, CategoryInfo};
use crate::category::{Category, CategorySource};
use crate::classify::Classified;
use crate::role::Role;

/// Share of the winner's weight from which another category is named beside it.
const SECONDARY_SHARE: f64 = 0.4;
/// Words of evidence shown.
const MAX_WORDS: usize = 8;
/// Scorer version of these votes.
pub(crate) const VERSION: &str = "v1";

type Word = Cow<'static, str>;

/// All votes. Only grows; emptied when the session is derived anew.
#[derive(Debug, Clone, Default)]
pub(crate) struct Votes {
    explicit: Option<Box<(Category, Vec<Word>)>>,
    main: Vec<Tally>,
    other: Vec<Tally>,
    fallback_main: [u32; 10],
    fallback_other: [u32; 10],
}

#[derive(Debug, Clone)]
struct Tally {
    category: Category,
    weight: f64,
    words: Vec<(Word, f64)>,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) info: CategoryInfo,
    pub(crate) sub_tags: Vec<String>,
    pub(crate) evidence: CategoryEvidence,
}

impl Votes {
    pub(crate) fn add(&mut self, classified: &Classified, role: Role) {
        let main = role == Role::ConversationMain;
        match classified.source {
            CategorySource::Manual | CategorySource::ManualOverride => {
                self.explicit = Some(Box::new((classified.category, classified.sub_tags.clone())));
            }
            CategorySource::Rule | CategorySource::Heuristic => {
                let tallies = if main { &mut self.main } else { &mut self.other };
                add_rule(tallies, classified);
            }
            CategorySource::Fallback | CategorySource::Unknown => {
                let counts = if main { &mut self.fallback_main } else { &mut self.fallback_other };
                counts[classified.category.index()] += 1;
            }
        }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        if let Some((category, tags)) = self.explicit.as_deref() {
            return Verdict {
                info: info(*category, Vec::new(), CategorySource::Manual, 1.0),
                sub_tags: tags.iter().take(MAX_TAGS).map(|tag| tag.clone().into_owned()).collect(),
                evidence: CategoryEvidence { automatic: Some(*category), ..CategoryEvidence::default() },
            };
        }
        match [&self.main, &self.other].into_iter().find(|tallies| !tallies.is_empty()) {
            Some(tallies) => by_rule(tallies),
            None => self.by_fallback(),
        }
    }

    fn by_fallback(&self) -> Verdict {
        let counts =
            if self.fallback_main.iter().any(|count| *count > 0) { &self.fallback_main } else { &self.fallback_other };
        // `max_by_key` takes the last of equals; seed order wants the first.
        let winner = Category::ALL.into_iter().rev().max_by_key(|category| counts[category.index()]);
        let category = winner.unwrap_or(Category::EngineeringBuild);
        Verdict {
            info: info(category, Vec::new(), CategorySource::Fallback, 0.2),
            sub_tags: Vec::new(),
            evidence: CategoryEvidence { automatic: Some(category), ..CategoryEvidence::default() },
        }
    }
}

fn add_rule(tallies: &mut Vec<Tally>, classified: &Classified) {
    let at = tallies.iter().position(|tally| tally.category == classified.category).unwrap_or_else(|| {
        push_tight(tallies, Tally { category: classified.category, weight: 0.0, words: Vec::new() });
        tallies.len() - 1
    });
    let tally = &mut tallies[at];
    tally.weight += classified.score;
    for (word, weight) in &classified.matches {
        match tally.words.iter_mut().find(|(known, _)| known == word) {
            Some((_, sum)) => *sum += weight,
            None => push_tight(&mut tally.words, (word.clone(), *weight)),
        }
    }
}

fn by_rule(tallies: &[Tally]) -> Verdict {
    let mut ranked: Vec<&Tally> = tallies.iter().collect();
    ranked.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.category.cmp(&b.category)));
    let winner = ranked[0];
    let second = ranked.get(1).map(|tally| (tally.category, tally.weight));
    let secondary = ranked[1..]
        .iter()
        .filter(|tally| tally.weight >= winner.weight * SECONDARY_SHARE)
        .map(|tally| tally.category)
        .collect();
    let margin = (winner.weight - second.map_or(0.0, |(_, weight)| weight)) / winner.weight.max(1.0);
    // Half of the certainty comes from how much was found, half from how clearly it leads.
    let mass = winner.weight / (winner.weight + 3.0);
    let confidence = ((0.5 + 0.45 * mass * (0.5 + 0.5 * margin)).min(0.95) * 100.0).round() / 100.0;
    let mut words = winner.words.clone();
    words.sort_by(|a, b| b.1.total_cmp(&a.1));
    Verdict {
        info: info(winner.category, secondary, CategorySource::Rule, confidence),
        sub_tags: words.iter().take(MAX_TAGS).map(|(word, _)| word.clone().into_owned()).collect(),
        evidence: CategoryEvidence {
            matches: words.into_iter().take(MAX_WORDS).map(|(word, weight)| (word.into_owned(), weight)).collect(),
            runner_up: second.map(|(category, weight)| (category, winner.weight - weight)),
            manual: None,
            automatic: Some(winner.category),
        },
    }
}

fn info(key: Category, secondary: Vec<Category>, source: CategorySource, confidence: f64) -> CategoryInfo {
    CategoryInfo { key, secondary, source, confidence, version: VERSION.to_owned() }
}
