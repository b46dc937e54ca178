//! Result of an index lookup: events that certainly match, and events that may match and must be scanned. Only indexed
//! events are considered; the caller scans newer ones.

use super::Set;

/// Every covered event that is in neither set does not hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexMatches {
    /// Events that contain the term.
    pub sure: Set,
    /// These may hold it. None of them is sure.
    pub maybe: Set,
}

impl IndexMatches {
    /// All events below the bound, for sure.
    #[must_use]
    pub fn all(bound: u32) -> Self {
        Self { sure: Set::all(bound), maybe: Set::none(bound) }
    }

    /// What may hold it at all.
    #[must_use]
    pub fn possible(&self) -> Set {
        let mut all = self.sure.clone();
        all.or(&self.maybe);
        all
    }

    /// What holds both.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        let mut maybe = self.possible();
        maybe.and(&other.possible());
        self.sure.and(&other.sure);
        maybe.without(&self.sure);
        Self { sure: self.sure, maybe }
    }

    /// What holds either.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.sure.or(&other.sure);
        self.maybe.or(&other.maybe);
        self.maybe.without(&self.sure);
        self
    }

    /// What does not hold it.
    #[must_use]
    pub fn opposite(self) -> Self {
        let mut sure = Set::all(self.sure.bound());
        sure.without(&self.sure);
        sure.without(&self.maybe);
        Self { sure, maybe: self.maybe }
    }

    /// A superset of the matches: nothing is sure any more.
    #[must_use]
    pub fn unsure(self) -> Self {
        Self { sure: Set::none(self.sure.bound()), maybe: self.possible() }
    }
}
