//! Parser of query parameters of REST 1.x (`contract/monitor-api.md` §2). It refuses unknown statuses and roles and
//! invalid times, as D15 and D17 in §11 of that document require. A count that is zero or no number means the default.

use std::str::FromStr;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use coordination::time::parse_iso;

use super::answer::V1Error;

/// Most entries one answer may hold (D15).
pub(super) const MAX_LIMIT: usize = 1000;

/// Every `name=value` pair in order; a name may repeat.
#[derive(Debug, Clone, Default)]
pub(super) struct V1QueryPairs(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for V1QueryPairs {
    type Rejection = V1Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, V1Error> {
        let pairs = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        pairs.map(|Query(pairs)| Self(pairs)).map_err(|_| V1Error::value("query", ["name=value pairs"]))
    }
}

impl V1QueryPairs {
    /// The first value of a name, as given.
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value that is not blank, trimmed.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.first(name).map(str::trim).filter(|text| !text.is_empty())
    }

    /// Repeated and comma-separated values together, trimmed, blanks dropped.
    pub(super) fn csv(&self, name: &str) -> Vec<String> {
        self.0
            .iter()
            .filter(|(key, _)| key == name)
            .flat_map(|(_, value)| value.split(','))
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// A list of known words. One wrong word is a 400: ignoring it would switch the filter off and show what was
    /// to be left out (D17).
    pub(super) fn words<T: FromStr + Copy>(
        &self,
        name: &'static str,
        all: &[T],
        word: fn(T) -> &'static str,
    ) -> Result<Vec<T>, V1Error> {
        self.csv(name)
            .iter()
            .map(|item| item.parse().map_err(|_| V1Error::value(name, all.iter().map(|value| word(*value)))))
            .collect()
    }

    /// A count: zero or no number means the default, less than one means one; never more than [`MAX_LIMIT`].
    pub(super) fn limit(&self, default: usize) -> usize {
        self.number("limit").unwrap_or(default).min(MAX_LIMIT)
    }

    /// How many to pass over.
    pub(super) fn offset(&self) -> usize {
        self.number("offset").unwrap_or(0)
    }

    /// Whether `v1` gives the categories, as the original 1.x monitor's answers have them, whatever is configured.
    pub(super) fn by_v1(&self) -> Result<bool, V1Error> {
        match self.text("classifier") {
            None => Ok(false),
            Some("v1") => Ok(true),
            Some(_) => Err(V1Error::value("classifier", ["v1"])),
        }
    }

    fn number(&self, name: &str) -> Option<usize> {
        let number: f64 = self.first(name)?.trim().parse().ok()?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "float to int casts saturate")]
        (number != 0.0 && !number.is_nan()).then_some(number.max(1.0) as usize)
    }

    /// An ISO time, inclusive. Anything else is a 400, not an empty answer (D15).
    pub(super) fn since(&self) -> Result<Option<i64>, V1Error> {
        match self.text("since") {
            None => Ok(None),
            Some(text) => parse_iso(text).map(Some).ok_or_else(|| V1Error::value("since", ["ISO-8601 time"])),
        }
    }
}
