//! Classification of a label and messages by classifier `v1` or `v2`, with the reasons for the result: decisive words
//! and their weights, confidence, and the second best category.

use serde::{Deserialize, Serialize};

use super::v2::{self, ScoreSum, TextZone};
use super::{Classified, Classifier, fallback, v1_words};
use protocol::category::{Category, CategorySource};
use protocol::role::Role;

/// A classifier's decision for a record, with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// The one primary category.
    pub category: Category,
    /// Others with notable weight, heaviest first.
    #[serde(default)]
    pub secondary: Vec<Category>,
    /// Useful words, at most five.
    pub sub_tags: Vec<String>,
    /// 0–1, two decimals.
    pub confidence: f64,
    /// `rule`, or `fallback` when nothing was found.
    pub source: CategorySource,
    /// The second best category and how far it is behind; absent when nothing was found.
    pub runner_up: Option<(Category, f64)>,
    /// Words with their weight for the category, heaviest first, at most eight.
    pub matches: Vec<(String, f64)>,
    /// `v1` or `v2`.
    pub version: String,
}

/// Classifies a label and messages; each message is its event type and text. Speakers are not evidence.
#[must_use]
pub fn classify_messages(classifier: Classifier, label: Option<&str>, messages: &[(&str, &str)]) -> Decision {
    match classifier {
        Classifier::V1 => {
            let mut haystack = messages.first().map_or("", |(kind, _)| *kind).to_owned();
            for text in label.into_iter().chain(messages.iter().map(|(_, text)| *text)) {
                haystack.push('\n');
                haystack.push_str(text);
            }
            of_v1(v1_words(&haystack.to_lowercase(), Role::ConversationMain))
        }
        Classifier::V2 => classify_texts(&texts(label, messages), Role::ConversationMain),
    }
}

fn texts<'a>(label: Option<&'a str>, messages: &[(&str, &'a str)]) -> Vec<(TextZone, &'a str)> {
    let label = label.map(|label| (TextZone::Label, label));
    label.into_iter().chain(messages.iter().map(|(kind, text)| (TextZone::of_type(kind), *text))).collect()
}

/// Classifies texts by `v2`. Without a known word, the category is a guess by role.
#[must_use]
pub fn classify_texts(texts: &[(TextZone, &str)], role: Role) -> Decision {
    let mut sum = ScoreSum::default();
    for (place, text) in texts {
        sum.add(&v2::read(*place, text));
    }
    let version = v2::VERSION.to_owned();
    let Some(answer) = sum.answer() else {
        let category = fallback(role);
        let (secondary, sub_tags, matches) = (Vec::new(), Vec::new(), Vec::new());
        let source = CategorySource::Fallback;
        return Decision { category, secondary, sub_tags, confidence: 0.2, source, runner_up: None, matches, version };
    };
    let evidence = sum.evidence(answer.category, texts.iter().copied());
    Decision {
        category: answer.category,
        secondary: answer.secondary,
        sub_tags: evidence.sub_tags,
        confidence: answer.confidence,
        source: CategorySource::Rule,
        runner_up: Some(answer.runner_up),
        matches: evidence.matches,
        version,
    }
}

fn of_v1(found: Classified) -> Decision {
    Decision {
        category: found.category,
        secondary: Vec::new(),
        sub_tags: found.sub_tags.into_iter().map(std::borrow::Cow::into_owned).collect(),
        confidence: found.confidence,
        source: found.source,
        runner_up: found.runner_up.map(|(category, weight)| (category, found.score - weight)),
        matches: found.matches.into_iter().map(|(word, weight)| (word.into_owned(), weight)).collect(),
        version: "v1".to_owned(),
    }
}
