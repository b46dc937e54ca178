//! The category of one event. `v1` is exactly the existing monitor's scorer (`contract/monitor-api.md` §6), `v2` ours.
//! Aggregation over a session is the hub's work.

mod keywords;
mod record;
mod scan;
mod v1;
pub mod v2;

pub use keywords::KEYWORDS;
pub use record::{Decision, record};
pub(crate) use scan::Keywords;
pub(crate) use v1::{Vote, fallback, keywords, v1_vote};
pub use v1::{v1, v1_words};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::category::{Category, CategorySource};
use crate::event::{Event, Field};
use crate::role::Role;

/// The classifier's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Classified {
    /// The category.
    pub category: Category,
    /// At most five when stated by hand, else at most three words that matched.
    pub sub_tags: Vec<Cow<'static, str>>,
    /// 0–1, two decimals.
    pub confidence: f64,
    /// Who decided.
    pub source: CategorySource,
    /// Weight of the winner.
    pub score: f64,
    /// The second best category and its weight; absent when nothing else matched.
    pub runner_up: Option<(Category, f64)>,
    /// Words of the winner that matched, with their weight, in keyword order.
    pub matches: Vec<(Cow<'static, str>, f64)>,
}

/// Which classifier decides where nobody stated a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Classifier {
    /// Exactly the existing monitor's.
    V1,
    /// The trained one.
    #[default]
    V2,
}

impl Classifier {
    /// Version told with an answer.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => v2::VERSION,
        }
    }
}

/// A category that was written into the event by hand. Enriched events carry what some classifier decided in the same
/// field, together with a source that only classifiers write.
pub(crate) fn stated(event: &Event) -> Option<Category> {
    let by_machine = matches!(event.text(Field::CategorySource), Some("rule" | "heuristic" | "fallback"));
    event.collab_category().filter(|_| !by_machine)?.parse().ok()
}

/// One event by `v2`, its label and its text together, in the form of [`v1`].
#[must_use]
pub fn v2_classified(event: &Event, role: Role) -> Classified {
    if stated(event).is_some() {
        return v1(event, role);
    }
    let place = v2::Place::of_type(event.event_type());
    let label = event.label().map(|label| (v2::Place::Label, label));
    let texts: Vec<_> = label.into_iter().chain(event.telling_text().map(|text| (place, text))).collect();
    let found = record::of_texts(&texts, role);
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
pub(crate) fn v2_event(event: &Event, role: Role) -> Category {
    event.alone().unwrap_or_else(|| fallback(role))
}

/// What of it does not depend on its role; nothing when it says nothing that is known.
pub(crate) fn v2_alone(event: &Event) -> Option<Category> {
    let mut sum = v2::Sum::default();
    sum.add(&event.heard().reading);
    event.label().into_iter().for_each(|label| sum.add(&v2::read(v2::Place::Label, label)));
    stated(event).or_else(|| sum.best())
}

/// The category of an event as the dashboard uses it: what a 1.x monitor already decided is taken as it stands
/// (the client classifies only where there is no answer), anything else goes through [`v1`].
#[must_use]
pub fn event(event: &Event, role: Role) -> Classified {
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
    // The score is not in the answer; the confidence formula gives it back closely enough to weigh votes.
    let score = if source == CategorySource::Fallback { 0.0 } else { ((confidence - 0.5) / 0.13).max(1.0).round() };
    let sub_tags: Vec<Cow<'static, str>> = event.list("collabSubTags").into_iter().map(Cow::Owned).collect();
    let matches = sub_tags.iter().map(|tag| (tag.clone(), 1.0)).collect();
    Some(Classified { category, sub_tags, confidence, source, score, runner_up: None, matches })
}
