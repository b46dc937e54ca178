//! URL query of the search page: search text, and optionally the one type of result to show (sessions, messages, …).

use coordination::api::SearchKind;

use super::filters::{UrlPairs, UrlQueryWriter, invalid_value, text, value};

/// Query of `/search`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilter {
    /// Words, phrases and operators; blank: no search.
    pub q: String,
    /// Only hits of this kind.
    pub within: Option<SearchKind>,
}

impl SearchFilter {
    /// Words among everything.
    pub fn from_text(q: &str) -> Self {
        Self { q: q.trim().to_owned(), within: None }
    }

    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self { q: text(pairs, "q").unwrap_or_default(), within: value(pairs, "in") }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("q", Some(&self.q).filter(|q| !q.is_empty()));
        out.put("in", self.within.map(SearchKind::as_str));
        out.0
    }

    /// Parameters with an invalid value, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        invalid_value::<SearchKind>(pairs, "in").into_iter().collect()
    }
}
