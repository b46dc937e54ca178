//! The `v1` scorer, substring accidents included: `cs` counts in `metrics` (`contract/monitor-api.md` §6, §9).

use std::borrow::Cow;

use super::{Classified, Keywords, scan};
use crate::category::{Category, CategorySource};
use crate::event::{Event, Field};
use crate::role::Role;

/// Fields of the haystack, in order, after the event type.
const HAYSTACK: [Field; 10] = [
    Field::Label,
    Field::Message,
    Field::ReplyPreview,
    Field::Description,
    Field::Summary,
    Field::Reason,
    Field::Title,
    Field::TaskId,
    Field::WorkSessionId,
    Field::CollabIntent,
];

/// Category of one event, exactly as the existing monitor decides it.
#[must_use]
pub fn v1(event: &Event, role: Role) -> Classified {
    if let Some(category) = stated(event) {
        let sub_tags = event.list("collabSubTags").into_iter().take(5).map(Cow::Owned).collect();
        return Classified {
            category,
            sub_tags,
            confidence: 1.0,
            source: CategorySource::Manual,
            score: 0.0,
            runner_up: None,
            matches: Vec::new(),
        };
    }
    of_keywords(event.keywords(), role)
}

/// What [`v1`] decides, without its words: for answers that look at every event of a log.
pub(crate) fn v1_vote(event: &Event, role: Role) -> Vote {
    if let Some(category) = stated(event) {
        return Vote { category, source: CategorySource::Manual, score: 0 };
    }
    match Ranking::of(event.keywords()) {
        Some(ranking) => Vote { category: ranking.first, source: CategorySource::Rule, score: ranking.best },
        None => Vote { category: fallback(role), source: CategorySource::Fallback, score: 0 },
    }
}

/// A [`Classified`] in short.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vote {
    pub(crate) category: Category,
    pub(crate) source: CategorySource,
    pub(crate) score: u32,
}

fn stated(event: &Event) -> Option<Category> {
    event.collab_category().and_then(|text| text.parse().ok())
}

/// The two heaviest categories; equals in the order of the table.
struct Ranking {
    first: Category,
    best: u32,
    second: Category,
    next: u32,
}

impl Ranking {
    /// Nothing when no keyword was found.
    fn of(found: Keywords) -> Option<Self> {
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

/// The keywords in an event's texts, for [`v1`] to weigh: the texts are read once, when the line is.
pub(crate) fn keywords(event: &Event) -> Keywords {
    let mut haystack = event.event_type().to_lowercase();
    haystack.reserve(event.raw.len());
    for text in HAYSTACK.into_iter().filter_map(|field| event.text(field)) {
        haystack.push('\n');
        push_lower(&mut haystack, text);
    }
    scan::keywords(&haystack)
}

/// Category of a lower-cased text, for an event of this role.
#[must_use]
pub fn v1_words(haystack: &str, role: Role) -> Classified {
    of_keywords(scan::keywords(haystack), role)
}

fn of_keywords(found: Keywords, role: Role) -> Classified {
    let Some(Ranking { first, best, second, next }) = Ranking::of(found) else {
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

/// A guess where nothing tells.
pub(crate) fn fallback(role: Role) -> Category {
    match role {
        Role::OrchestrationTask => Category::PlanningDecision,
        Role::SystemObservability => Category::InfraOps,
        Role::ConversationMain | Role::DelegationSubagent => Category::EngineeringBuild,
    }
}

/// Hangul and ASCII, nearly everything there is, need no Unicode case tables.
fn push_lower(out: &mut String, text: &str) {
    if text.chars().all(|c| c.is_ascii() || matches!(c, '\u{ac00}'..='\u{d7a3}')) {
        let start = out.len();
        out.push_str(text);
        if let Some(added) = out.get_mut(start..) {
            added.make_ascii_lowercase();
        }
    } else {
        out.push_str(&text.to_lowercase());
    }
}
