//! URL query of the search page.

use coordination::api::SearchKind;

use super::filters::{UrlPairs, UrlQueryWriter, strange, text, value};

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

    /// Reads the URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self { q: text(pairs, "q").unwrap_or_default(), within: value(pairs, "in") }
    }

    /// Writes the URL.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("q", Some(&self.q).filter(|q| !q.is_empty()));
        out.put("in", self.within.map(SearchKind::as_str));
        out.0
    }

    /// Values that nobody understands, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        strange::<SearchKind>(pairs, "in").into_iter().collect()
    }
}
