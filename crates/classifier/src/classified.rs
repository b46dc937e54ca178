//! Answer of a classifier for one text: category, sub-tags, confidence, and the words that matched.

use std::borrow::Cow;

use protocol::category::{Category, CategorySource};

/// The classifier's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Classified {
    /// The category.
    pub category: Category,
    /// At most five when stated by hand, else at most three words that matched.
    pub sub_tags: Vec<Cow<'static, str>>,
    /// 0–1, two decimals.
    pub confidence: f64,
    /// How the category was decided.
    pub source: CategorySource,
    /// Score of the winning category.
    pub score: f64,
    /// The second best category and its weight; absent when nothing else matched.
    pub runner_up: Option<(Category, f64)>,
    /// Words of the winner that matched, with their weight, in keyword order.
    pub matches: Vec<(Cow<'static, str>, f64)>,
}
