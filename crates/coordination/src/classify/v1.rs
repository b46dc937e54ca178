//! The `v1` scorer, substring accidents included: `cs` counts in `metrics` (`contract/monitor-api.md` §6, §9).

use super::{Classified, KEYWORDS, scan};
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
        let sub_tags: Vec<_> = event.list("collabSubTags").into_iter().take(5).collect();
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
    let mut haystack = event.event_type.to_lowercase();
    for text in HAYSTACK.into_iter().filter_map(|field| event.text(field)) {
        haystack.push('\n');
        push_lower(&mut haystack, text);
    }
    v1_words(&haystack, role)
}

/// Category of a lower-cased text, for an event of this role.
#[must_use]
pub fn v1_words(haystack: &str, role: Role) -> Classified {
    let found = scan::keywords(haystack);
    let mut scores = [0_u32; 10];
    let mut number = 0;
    for (category, keywords) in KEYWORDS {
        for keyword in keywords {
            scores[category.index()] += if found >> number & 1 == 1 { weight(keyword) } else { 0 };
            number += 1;
        }
    }
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
    let matches: Vec<(String, f64)> = KEYWORDS[first.index()]
        .1
        .iter()
        .filter(|keyword| haystack.contains(**keyword))
        .map(|keyword| ((*keyword).to_owned(), f64::from(weight(keyword))))
        .collect();
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

/// 2 for a keyword longer than four UTF-16 units, else 1.
fn weight(keyword: &str) -> u32 {
    if keyword.encode_utf16().count() > 4 { 2 } else { 1 }
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
        out.extend(text.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        out.push_str(&text.to_lowercase());
    }
}
