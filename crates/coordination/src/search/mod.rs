//! What a search means: how texts are made comparable, what a word finds, and the language of a query. Where a hit is
//! looked for and how hits are ranked stands in [`crate::query::search`].

mod class;
mod event;
mod fold;
mod particle;
mod term;

pub use class::{Class, class_of, tokens};
pub use event::{Part, event_rest, event_text};
pub use fold::{Folded, fold, folded};
pub use term::{Plan, Term, has_initials};
