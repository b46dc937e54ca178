//! Category of texts: `v1` is exactly the existing monitor's scorer (`contract/monitor-api.md` §6), `v2` a linear model
//! trained by `make train`, with the words a person taught on top.
//!
//! Text in, category out. It knows no event and no session: the category of an event is in `coordination_log::event`,
//! that of a session in `coordination::hub`. Start with [`record`] and [`v2`].

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
pub use record::of_texts;
pub use record::{Decision, record};
pub use scan::{Keywords, keywords};
pub use v1::v1_words;
pub use v1::{Vote, fallback, v1_of_keywords, v1_vote_of_keywords};
