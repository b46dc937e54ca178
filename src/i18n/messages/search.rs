//! Message struct of the search page: one field per text. Each language is a value of it.

use coordination::api::{SearchKind, SearchPlace};

/// Messages of the search over everything.
pub struct SearchMessages {
    pub title: &'static str,
    pub title_of: fn(q: &str) -> String,
    pub field: &'static str,
    pub hint: &'static str,
    pub offers: &'static str,
    // Kinds.
    pub kinds: &'static str,
    pub all: &'static str,
    pub kind: fn(SearchKind) -> &'static str,
    /// What one hit of the kind is called.
    pub one: fn(SearchKind) -> &'static str,
    pub place: fn(SearchPlace) -> Option<&'static str>,
    pub results: &'static str,
    pub total: fn(&str) -> String,
    pub searching: &'static str,
    pub load_more: fn(u32) -> String,
    pub new_hits: fn(u32) -> String,
    pub person: &'static str,
    // How the query was understood.
    pub understood: &'static str,
    pub drop_clause: fn(&str) -> String,
    pub not: fn(&str) -> String,
    /// An operator in words; unknown ones are shown as written.
    pub operator: fn(&str) -> Option<&'static str>,
    /// The name one types for an operator in this language.
    pub typed: fn(&str) -> Option<&'static str>,
    pub operator_why: fn(&str) -> &'static str,
    /// A fixed value of an operator in words.
    pub value: fn(operator: &str, value: &str) -> Option<&'static str>,
    // Facets.
    pub narrow: &'static str,
    pub categories: &'static str,
    pub agents: &'static str,
    pub types: &'static str,
    pub sessions: &'static str,
    // Nothing.
    pub help: &'static str,
    pub help_text: &'static str,
    /// Examples: what is typed, and what it finds.
    pub examples: [(&'static str, &'static str); 6],
    pub operators: &'static str,
    pub none: fn(&str) -> String,
    pub none_text: &'static str,
    pub none_here: fn(kind: &str, total: u32) -> String,
    pub without: fn(&str) -> String,
    pub in_all: &'static str,
    // What was wrong.
    pub wrong_quote: &'static str,
    pub wrong_minus: &'static str,
    pub wrong_operator: fn(&str) -> String,
    pub wrong_value: fn(operator: &str, value: &str) -> String,
    pub wrong_empty: fn(operator: &str) -> String,
    pub wrong_nothing: &'static str,
    pub wrong_long: &'static str,
    pub wrong_many: &'static str,
    pub wrong_other: &'static str,
    pub allowed: &'static str,
    pub unsupported: &'static str,
    pub unsupported_text: &'static str,
}
