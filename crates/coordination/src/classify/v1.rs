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
    if let Some(category) = event.collab_category().and_then(|text| text.parse().ok()) {
        let sub_tags = event.list("collabSubTags").into_iter().take(5).map(Cow::Owned).collect();
        let matches = Vec::new();
        return Classified {
            category,
            sub_tags,
            confidence: 1.0,
            source: CategorySource::Manual,
            score: 0.0,
            runner_up: None,
            matches,
        };
    }
    of_keywords(event.keywords(), role)
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
    let scores = found.scores();
    // Stable: ties keep the order of the table.
    let mut ranked = Category::ALL;
    ranked.sort_by_key(|category| std::cmp::Reverse(scores[category.index()]));
    let [first, second, ..] = ranked;
    let (best, next) = (scores[first.index()], scores[second.index()]);
    if best == 0 {
        return Classified {
            category: fallback(role),
            sub_tags: Vec::new(),
            confidence: 0.2,
            source: CategorySource::Fallback,
            score: 0.0,
            runner_up: None,
            matches: Vec::new(),
        };
    }
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

fn fallback(role: Role) -> Category {
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
