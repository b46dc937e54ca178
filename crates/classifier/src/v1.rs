//! The `v1` classifier: the category whose matched keywords have the greatest total weight wins. Keywords match inside
//! words too (`cs` in `metrics`), as in the original 1.x monitor (`contract/monitor-api.md` §6, §9).

use super::{Classified, Keywords, scan};
use protocol::category::{Category, CategorySource};
use protocol::role::Role;

/// A [`Classified`] in short.
#[derive(Debug, Clone, Copy)]
pub struct Vote {
    /// The category.
    pub category: Category,
    /// How the category was decided.
    pub source: CategorySource,
    /// Score of the winning category.
    pub score: u32,
}

/// The two heaviest categories; equals in the order of the table.
struct Ranking {
    first: Category,
    best: u32,
    second: Category,
    next: u32,
}

impl Ranking {
    /// `None` when no keyword was found.
    fn from_keywords(found: Keywords) -> Option<Self> {
        let scores = found.scores();
        let heaviest = |passed: Option<Category>| {
            let others = Category::ALL.into_iter().rev().filter(|category| Some(*category) != passed);
            // `max_by_key` takes the last of equals, hence the reversed order.
            others.max_by_key(|category| scores[category.index()])
        };
        let first = heaviest(None).filter(|first| scores[first.index()] > 0)?;
        let second = heaviest(Some(first))?;
        Some(Self { first, best: scores[first.index()], second, next: scores[second.index()] })
    }
}

/// Category of a lower-cased text, for an event of this role.
#[must_use]
pub fn v1_words(haystack: &str, role: Role) -> Classified {
    v1_of_keywords(scan::keywords(haystack), role)
}

/// The same where the keywords were found before.
#[must_use]
pub fn v1_of_keywords(found: Keywords, role: Role) -> Classified {
    let Some(Ranking { first, best, second, next }) = Ranking::from_keywords(found) else {
        return Classified {
            category: fallback(role),
            sub_tags: Vec::new(),
            confidence: 0.2,
            source: CategorySource::Fallback,
            score: 0.0,
            runner_up: None,
            matches: Vec::new(),
        };
    };
    let matches = found.of_category(first);
    let confidence = (0.5 + 0.08 * f64::from(best) + 0.05 * f64::from(best - next)).min(0.95);
    Classified {
        category: first,
        sub_tags: matches.iter().take(3).map(|(word, _)| word.clone()).collect(),
        confidence: (confidence * 100.0).round() / 100.0,
        source: CategorySource::Rule,
        score: f64::from(best),
        runner_up: (next > 0).then(|| (second, f64::from(next))),
        matches,
    }
}

/// What [`v1_of_keywords`] decides, without its words: for answers that look at every event of a log.
#[must_use]
pub fn v1_vote_of_keywords(found: Keywords, role: Role) -> Vote {
    match Ranking::from_keywords(found) {
        Some(ranking) => Vote { category: ranking.first, source: CategorySource::Rule, score: ranking.best },
        None => Vote { category: fallback(role), source: CategorySource::Fallback, score: 0 },
    }
}

/// A guess where nothing tells.
#[must_use]
pub fn fallback(role: Role) -> Category {
    match role {
        Role::OrchestrationTask => Category::PlanningDecision,
        Role::SystemObservability => Category::InfraOps,
        Role::ConversationMain | Role::DelegationSubagent => Category::EngineeringBuild,
    }
}
