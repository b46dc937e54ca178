//! URL query of the audit page, which lists category changes: user, text, old and new category, and period. The type of
//! a calendar day in a URL (`Day`) is also here.

use coordination::api::ExpectedOverride;

use super::filters::{UrlPairs, UrlQueryWriter, text, value};

/// A category or `automatic`, as the URL writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverrideSide(pub ExpectedOverride);

impl std::str::FromStr for OverrideSide {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        ExpectedOverride::try_from(text.to_owned()).map(Self).map_err(|_| ())
    }
}

/// A day of the calendar, `2026-02-21`; the page decides in which time zone it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day(String);

impl Day {
    /// As the URL and a date field write it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Day {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let day = text.len() == 10 && coordination::time::parse_iso(text).is_some();
        if day { Ok(Self(text.to_owned())) } else { Err(()) }
    }
}

/// Filters of the record of changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangesFilter {
    /// Made under this name.
    pub who: Option<String>,
    /// Text in the session's title or id.
    pub q: Option<String>,
    /// What was in force before.
    pub from: Option<OverrideSide>,
    /// What was in force after.
    pub to: Option<OverrideSide>,
    /// The first day.
    pub since: Option<Day>,
    /// The last day.
    pub until: Option<Day>,
}

impl ChangesFilter {
    /// Changes of one session.
    pub fn of_session(session: &coordination::ids::SessionId) -> Self {
        Self { q: Some(session.to_string()), ..Self::default() }
    }

    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self {
            who: text(pairs, "who"),
            q: text(pairs, "q"),
            from: value(pairs, "from"),
            to: value(pairs, "to"),
            since: value(pairs, "since"),
            until: value(pairs, "until"),
        }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("who", self.who.as_ref());
        out.put("from", self.from.map(|side| String::from(side.0)));
        out.put("to", self.to.map(|side| String::from(side.0)));
        out.put("since", self.since.as_ref().map(Day::as_str));
        out.put("until", self.until.as_ref().map(Day::as_str));
        out.put("q", self.q.as_ref());
        out.0
    }

    /// Parameters with an invalid value, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        use super::filters::invalid_value;
        let sides = ["from", "to"].map(|key| invalid_value::<OverrideSide>(pairs, key));
        let days = ["since", "until"].map(|key| invalid_value::<Day>(pairs, key));
        sides.into_iter().chain(days).flatten().collect()
    }

    /// True when nothing narrows the list.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
