//! Search query, prepared for fast matching against texts and events of the hub: required and excluded terms as bit
//! sets, and the query's operators as one filter.

use super::filters::OperatorFilter;
use crate::hub::Hub;
use crate::search::{Clause, Term, fold};

/// A query compiled for a hub at a time.
pub(super) struct SearchContext<'a> {
    pub(super) hub: &'a Hub,
    /// In epoch milliseconds.
    pub(super) now: i64,
    /// Events from this number on are ignored, so that the pages of one search agree.
    pub(super) until: u32,
    /// Search terms; each has a bit in a [`Mask`].
    pub(super) terms: Vec<&'a Term>,
    /// Terms that a hit must contain.
    pub(super) need: Mask,
    /// Terms that a hit must not contain.
    pub(super) forbid: Mask,
    /// The operators of the query.
    pub(super) narrow: OperatorFilter<'a>,
}

/// Bit set of terms. A query has at most 32 parts.
pub(super) type Mask = u32;

/// The terms that occur in a text, and those that occur letter for letter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TermMatches {
    pub(super) any: Mask,
    pub(super) whole: Mask,
}

impl<'a> SearchContext<'a> {
    pub(super) fn new(hub: &'a Hub, now: i64, offset_min: i32, until: u32, clauses: &'a [Clause]) -> Self {
        let (mut terms, mut need, mut forbid) = (Vec::new(), 0, 0);
        for clause in clauses {
            let Some(term) = clause.term() else { continue };
            let bit = 1 << terms.len();
            if clause.not {
                forbid |= bit
            } else {
                need |= bit
            }
            terms.push(term);
        }
        let narrow = OperatorFilter::new(hub, now, offset_min, until, clauses);
        Self { hub, now, until, terms, need, forbid, narrow }
    }

    /// The terms that occur in a text.
    pub(super) fn mask(&self, text: &str) -> Mask {
        if self.terms.is_empty() { 0 } else { self.bits(&fold(text).text, |_| false) }
    }

    /// The terms that occur in a text letter for letter.
    pub(super) fn whole(&self, text: &str) -> Mask {
        if self.terms.is_empty() { 0 } else { self.bits(&fold(text).text, Term::is_loose) }
    }

    /// Whether a term that occurs in this folded text occurs letter for letter, as far as that matters.
    pub(super) fn is_whole(&self, term: &Term, folded: &str) -> bool {
        !term.is_loose() || term.contains_whole(folded)
    }

    /// Both, for a folded text.
    pub(super) fn seen(&self, folded: &str) -> TermMatches {
        TermMatches { any: self.bits(folded, |_| false), whole: self.bits(folded, Term::is_loose) }
    }

    /// The terms that occur in a folded text; `strict` ones only letter for letter.
    fn bits(&self, folded: &str, strict: impl Fn(&Term) -> bool) -> Mask {
        let holds =
            |term: &Term| if strict(term) { term.contains_whole(folded) } else { term.matches(folded).is_some() };
        (0..).zip(&self.terms).fold(0, |mask, (bit, term)| mask | u32::from(holds(term)) << bit)
    }

    /// Whether a text with these terms is a hit.
    pub(super) fn fits(&self, mask: Mask) -> bool {
        self.holds_all(mask) && mask & self.forbid == 0
    }

    /// Whether all required terms occur.
    pub(super) fn holds_all(&self, mask: Mask) -> bool {
        mask & self.need == self.need
    }

    /// Whether the query has operators only.
    pub(super) fn is_bare(&self) -> bool {
        self.need == 0
    }

    /// Whether some term can occur in a text other than letter for letter.
    pub(super) fn can_be_partly(&self) -> bool {
        (0..).zip(&self.terms).any(|(bit, term): (u32, _)| self.need >> bit & 1 == 1 && term.is_loose())
    }
}
