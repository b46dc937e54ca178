//! Search semantics: folding, terms and the query language. Lookup and ranking are in [`crate::query::search`];
//! `docs/search.md` describes it for users.

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
