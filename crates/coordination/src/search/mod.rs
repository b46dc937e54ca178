//! What a search means: how texts are made comparable, what a word finds, and the language of a query. Where a hit is
//! looked for and how hits are ranked stands in [`crate::query::search`]; `docs/search.md` tells it to people.

mod class;
mod event;
mod fold;
mod grammar;
pub mod index;
mod operators;
mod particle;
mod sieve;
mod term;
mod when;
mod words;

pub use class::{Class, class_of, tokens};
pub use event::{Part, event_rest, event_text};
pub use fold::{Folded, fold, folded};
pub use grammar::{Clause, MAX_CHARS, MAX_CLAUSES, Sense, parse, to_text, utf16};
pub use operators::{Operator, State, category_names, kind_names, role_names};
pub(crate) use sieve::Sieve;
pub use term::{Plan, Term, has_initials, understood};
pub use when::{FORMS, When};
pub use words::Words;
pub(crate) use words::{Anchors, places};
