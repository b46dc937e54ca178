//! Classifiers of texts by category. `v1` equals the scorer of the original 1.x monitor, which this project replaces
//! (`contract/monitor-api.md` §6). `v2` is a linear model trained by `make train`, with rules that people taught on
//! top.
//!
//! Input is text, output is a category. This crate does not know events or sessions: `coordination_log::event` calls it
//! for an event, `coordination::hub` for a session. Start with [`classify_messages`], which returns a [`Decision`], and
//! [`v2`].

#![warn(missing_docs)]

mod classified;
mod keywords;
mod record;
mod scan;
mod v1;
pub mod v2;

pub use classified::Classified;
pub use keywords::KEYWORDS;
pub use protocol::api::Classifier;
pub use record::{Decision, classify_messages, classify_texts};
pub use scan::{Keywords, keywords};
pub use v1::v1_words;
pub use v1::{Vote, fallback, v1_of_keywords, v1_vote_of_keywords};
