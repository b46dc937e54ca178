//! Search over a log: the query language (`docs/search.md`), text folding, terms, an index of words and initial
//! consonants, and a substring search over short texts.
//!
//! It uses events, but not the state in `coordination`. Ranking, pages, and the searchable texts of sessions, tasks and
//! agents are in `coordination::query`. Start with [`parse`] for queries, [`fold()`] for texts and [`index`].

#![warn(missing_docs)]

mod class;
mod event;
mod fold;
mod grammar;
pub mod index;
mod operators;
mod particle;
mod substring_index;
mod term;
mod when;
mod words;

pub use class::{Class, class_of, tokens};
pub use event::{EventTextPart, event_rest, event_text};
pub use fold::{FoldedText, fold, folded};
pub use grammar::{Clause, MAX_CHARS, MAX_CLAUSES, Sense, parse, to_text, utf16};
pub use operators::{IsValue, Operator, category_names, kind_names, role_names};
pub use substring_index::SubstringIndex;
pub use term::{Term, TermPlan, has_initials, understood};
pub use when::{FORMS, When};
pub use words::WordFilter;
pub use words::{Anchors, places};
