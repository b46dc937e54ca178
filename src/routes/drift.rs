//! URL query of the drift page: period, and whether tables are shown.

use super::filters::{UrlPairs, UrlQueryWriter, invalid_value, text, value};

/// How far back it reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftSince {
    /// Seven days.
    Week,
    /// Thirty.
    Month,
    /// Ninety.
    Quarter,
}

impl DriftSince {
    /// All, shortest first.
    pub const ALL: [Self; 3] = [Self::Week, Self::Month, Self::Quarter];

    /// Text in the URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Week => "7d",
            Self::Month => "30d",
            Self::Quarter => "90d",
        }
    }

    /// The earliest time it lets through, on a whole minute so that the same link sends the same query for a while.
    pub fn earliest_ms(self, now_ms: i64) -> i64 {
        let days = match self {
            Self::Week => 7,
            Self::Month => 30,
            Self::Quarter => 90,
        };
        (now_ms - days * 86_400_000).div_euclid(60_000) * 60_000
    }
}

impl std::str::FromStr for DriftSince {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|since| since.as_str() == text).ok_or(())
    }
}

/// What of the drift is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DriftView {
    /// Sessions that began since then; all when absent.
    pub since: Option<DriftSince>,
    /// The charts are shown as tables too.
    pub as_table: bool,
}

impl DriftView {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self { since: value(pairs, "since"), as_table: text(pairs, "table").as_deref() == Some("1") }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("since", self.since.map(DriftSince::as_str));
        out.put("table", self.as_table.then_some("1"));
        out.0
    }

    /// Parameters with an invalid value, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        invalid_value::<DriftSince>(pairs, "since").into_iter().collect()
    }
}
