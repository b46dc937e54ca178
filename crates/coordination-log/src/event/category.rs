//! Category of one event, independent of its session, by either classifier. `v1` decides exactly as the 1.x monitor
//! does (`contract/monitor-api.md` §6); `v2` is the trained classifier.

use std::borrow::Cow;

use super::{Event, Field};
use classifier::{Classified, Keywords, Vote, classify_texts, fallback, v1_of_keywords, v1_vote_of_keywords, v2};
use hangul::syllable::is_syllable;
use protocol::category::{Category, CategorySource};
use protocol::role::Role;

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

/// Category of one event, exactly as the original 1.x monitor decides it.
#[must_use]
pub fn v1(event: &Event, role: Role) -> Classified {
    if let Some(category) = written(event) {
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
    v1_of_keywords(event.keywords(), role)
}

/// What [`v1`] decides, without its words: for answers that look at every event of a log.
#[must_use]
pub fn v1_vote(event: &Event, role: Role) -> Vote {
    if let Some(category) = written(event) {
        return Vote { category, source: CategorySource::Manual, score: 0 };
    }
    v1_vote_of_keywords(event.keywords(), role)
}

/// The category in the event, written by a person or a classifier.
fn written(event: &Event) -> Option<Category> {
    event.collab_category().and_then(|text| text.parse().ok())
}

/// The keywords in an event's texts, for [`v1`] to weigh.
pub(super) fn keywords(event: &Event) -> Keywords {
    let mut haystack = event.event_type().to_lowercase();
    haystack.reserve(event.raw.len());
    for text in HAYSTACK.into_iter().filter_map(|field| event.text(field)) {
        haystack.push('\n');
        push_lower(&mut haystack, text);
    }
    classifier::keywords(&haystack)
}

/// Hangul and ASCII need no Unicode case tables, and are nearly everything.
fn push_lower(out: &mut String, text: &str) {
    if text.chars().all(|c| c.is_ascii() || is_syllable(c)) {
        let start = out.len();
        out.push_str(text);
        if let Some(added) = out.get_mut(start..) {
            added.make_ascii_lowercase();
        }
    } else {
        out.push_str(&text.to_lowercase());
    }
}

/// A category that was written into the event by hand. Enriched events carry what some classifier decided in the same
/// field, together with a source that only classifiers write.
#[must_use]
pub fn stated(event: &Event) -> Option<Category> {
    let by_machine = matches!(event.text(Field::CategorySource), Some("rule" | "heuristic" | "fallback"));
    event.collab_category().filter(|_| !by_machine)?.parse().ok()
}

/// One event by `v2`, its label and its text together, in the form of [`v1`].
#[must_use]
pub fn v2_classified(event: &Event, role: Role) -> Classified {
    if stated(event).is_some() {
        return v1(event, role);
    }
    let place = v2::TextZone::of_type(event.event_type());
    let label = event.label().map(|label| (v2::TextZone::Label, label));
    let texts: Vec<_> = label.into_iter().chain(event.subject_text().map(|text| (place, text))).collect();
    let found = classify_texts(&texts, role);
    Classified {
        category: found.category,
        sub_tags: found.sub_tags.into_iter().map(Cow::Owned).collect(),
        confidence: found.confidence,
        source: found.source,
        score: 0.0,
        runner_up: found.runner_up,
        matches: found.matches.into_iter().map(|(word, weight)| (Cow::Owned(word), weight)).collect(),
    }
}

/// The category of one event by `v2`, its label and its text together.
#[must_use]
pub fn v2_or_fallback(event: &Event, role: Role) -> Category {
    event.own_category().unwrap_or_else(|| fallback(role))
}

/// The part of [`v2_or_fallback`] that does not depend on the role; `None` without a known word.
pub(super) fn v2_alone(event: &Event) -> Option<Category> {
    let mut sum = v2::ScoreSum::default();
    sum.add(&event.features().reading);
    event.label().into_iter().for_each(|label| sum.add(&v2::read(v2::TextZone::Label, label)));
    stated(event).or_else(|| sum.best())
}

/// The category of an event as the dashboard uses it: the decision of a 1.x monitor is taken as it is
/// (the client classifies only where there is no answer), anything else goes through [`v1`].
#[must_use]
pub fn decided_or_v1(event: &Event, role: Role) -> Classified {
    decided(event).unwrap_or_else(|| v1(event, role))
}

/// The answer of a monitor that enriched this event: a valid category together with a source that only a
/// classifier writes. The mere category without such a source is a statement by hand, which [`v1`] honours.
fn decided(event: &Event) -> Option<Classified> {
    let source = match event.text(Field::CategorySource)? {
        "rule" => CategorySource::Rule,
        "heuristic" => CategorySource::Heuristic,
        "fallback" => CategorySource::Fallback,
        _ => return None,
    };
    let category = event.collab_category()?.parse().ok()?;
    let confidence = event.number(Field::CategoryConfidence).unwrap_or(0.0).clamp(0.0, 1.0);
    // The score is not in the answer; the inverted confidence formula is close enough for weighing votes.
    let score = if source == CategorySource::Fallback { 0.0 } else { ((confidence - 0.5) / 0.13).max(1.0).round() };
    let sub_tags: Vec<Cow<'static, str>> = event.list("collabSubTags").into_iter().map(Cow::Owned).collect();
    let matches = sub_tags.iter().map(|tag| (tag.clone(), 1.0)).collect();
    Some(Classified { category, sub_tags, confidence, source, score, runner_up: None, matches })
}
