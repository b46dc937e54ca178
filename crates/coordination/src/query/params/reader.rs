//! Strict reader of query parameters: every name must be known and every value well-formed.

use super::{QueryPairs, invalid, not_one_of};
use crate::api::AgentPair;
use crate::commas;
use crate::ids::AgentId;
use crate::query::QueryError;

/// Longest text of one value.
const MAX_VALUE: usize = 400;
/// Largest offset of any clock from UTC.
const MAX_OFFSET_MIN: i32 = 18 * 60;
/// Maximum number of values of a list.
const MAX_LIST: usize = 50;

/// The parameters of one query.
pub(super) struct QueryReader<'a> {
    pairs: &'a QueryPairs,
}

impl<'a> QueryReader<'a> {
    pub(super) fn new(pairs: &'a QueryPairs, names: &[&str]) -> Result<Self, QueryError> {
        for (name, value) in pairs {
            if !names.contains(&name.as_str()) {
                let mut error = not_one_of(name, names);
                error.message = format!("{name}: no such parameter; there are {}", names.join(", "));
                return Err(error);
            }
            if value.chars().count() > MAX_VALUE {
                return Err(invalid(name, "longer than 400 characters"));
            }
        }
        Ok(Self { pairs })
    }

    fn values(&self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let pairs = self.pairs;
        pairs.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.trim()).filter(|text| !text.is_empty())
    }

    pub(super) fn text(&self, name: &'a str) -> Result<Option<String>, QueryError> {
        let mut values = self.values(name);
        let first = values.next().map(str::to_owned);
        if values.next().is_some() {
            return Err(invalid(name, "given more than once"));
        }
        Ok(first)
    }

    pub(super) fn agent(&self, name: &'a str) -> Result<Option<AgentId>, QueryError> {
        Ok(self.text(name)?.map(|id| AgentId::from(id.to_lowercase())))
    }

    pub(super) fn list(&self, name: &'a str) -> Result<Vec<String>, QueryError> {
        let mut out: Vec<String> = Vec::new();
        for item in self.values(name).flat_map(commas::split) {
            let item = item.trim();
            if !item.is_empty() && !out.iter().any(|known| known == item) {
                out.push(item.to_owned());
            }
        }
        if out.len() > MAX_LIST { Err(invalid(name, "more than 50 values")) } else { Ok(out) }
    }

    /// Agents, each once.
    pub(super) fn agents(&self, name: &'a str) -> Result<Vec<AgentId>, QueryError> {
        let mut out: Vec<AgentId> = Vec::new();
        for id in self.list(name)?.into_iter().map(|id| AgentId::from(id.to_lowercase())) {
            if !out.contains(&id) {
                out.push(id);
            }
        }
        Ok(out)
    }

    /// Pairs of agents, one a value.
    pub(super) fn pairs(&self, name: &'a str) -> Result<Vec<AgentPair>, QueryError> {
        let mut out: Vec<AgentPair> = Vec::new();
        for value in self.values(name) {
            let pair = value.parse().map_err(|()| invalid(name, "two agents with a comma between"))?;
            if !out.contains(&pair) {
                out.push(pair);
            }
        }
        if out.len() > MAX_LIST { Err(invalid(name, "more than 50 values")) } else { Ok(out) }
    }

    pub(super) fn one_of<T: std::str::FromStr>(
        &self,
        name: &'a str,
        allowed: &[&str],
    ) -> Result<Option<T>, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| not_one_of(name, allowed))
    }

    pub(super) fn any_of<T: std::str::FromStr>(&self, name: &'a str, allowed: &[&str]) -> Result<Vec<T>, QueryError> {
        self.list(name)?.iter().map(|text| text.parse().map_err(|_| not_one_of(name, allowed))).collect()
    }

    pub(super) fn limit(&self, name: &'a str, max: u32) -> Result<Option<u32>, QueryError> {
        self.number(name, 1, max)
    }

    /// A whole number within bounds.
    pub(super) fn number(&self, name: &'a str, min: u32, max: u32) -> Result<Option<u32>, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse::<u32>() {
            Ok(number) if (min..=max).contains(&number) => Ok(Some(number)),
            _ => {
                let mut error = invalid(name, &format!("a whole number from {min} to {max}"));
                error.allowed = vec![format!("{min}..{max}")];
                Err(error)
            }
        }
    }

    /// A place in a transcript.
    pub(super) fn place(&self, name: &'a str) -> Result<Option<u64>, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        // The largest integer that a browser can represent.
        let place = text.parse::<u64>().ok().filter(|place| *place <= (1 << 53));
        place.map(Some).ok_or_else(|| invalid(name, "a place as an answer gave it, a whole number"))
    }

    /// Minutes ahead of UTC.
    pub(super) fn offset(&self, name: &'a str) -> Result<i32, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(0) };
        text.parse::<i32>().ok().filter(|minutes| minutes.abs() <= MAX_OFFSET_MIN).ok_or_else(|| {
            let mut error = invalid(name, "minutes ahead of UTC, a whole number from -1080 to 1080");
            error.allowed = vec!["-1080..1080".to_owned()];
            error
        })
    }

    /// Epoch milliseconds, or an ISO date or date-time.
    pub(super) fn time(&self, name: &'a str) -> Result<Option<i64>, QueryError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse::<i64>().ok().or_else(|| crate::time::parse_iso(&text)) {
            Some(at) if (0..=8_640_000_000_000_000).contains(&at) => Ok(Some(at)),
            _ => {
                let mut error = invalid(name, "epoch milliseconds or an ISO date or time");
                error.allowed = vec!["epoch milliseconds".to_owned(), "ISO 8601".to_owned()];
                Err(error)
            }
        }
    }
}
