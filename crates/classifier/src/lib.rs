//! Classifiers of texts by category. `v1` equals the existing monitor's scorer (`contract/monitor-api.md` §6). `v2` is
//! a linear model trained by `make train`, with rules that people taught on top.
//!
//! Input is text, output is a category. This crate knows no events or sessions: `coordination_log::event` categorises
//! an event, `coordination::hub` a session. Start with [`record`] and [`v2`].

#![warn(missing_docs)]

mod keywords;
mod record;
mod scan;
mod v1;
pub mod v2;

pub use keywords::KEYWORDS;
pub use record::of_texts;
pub use record::{Decision, record};
pub use scan::{Keywords, keywords};
pub use v1::v1_words;
pub use v1::{Vote, fallback, v1_of_keywords, v1_vote_of_keywords};

use std::borrow::Cow;

pub use protocol::api::Classifier;
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
    /// Who decided.
    pub source: CategorySource,
    /// Weight of the winner.
    pub score: f64,
    /// The second best category and its weight; absent when nothing else matched.
    pub runner_up: Option<(Category, f64)>,
    /// Words of the winner that matched, with their weight, in keyword order.
    pub matches: Vec<(Cow<'static, str>, f64)>,
}
