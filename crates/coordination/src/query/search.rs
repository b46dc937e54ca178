//! Query of `GET search`: sessions, tasks, agents, messages and other events that match, ranked, with exact counts
//! (`docs/search.md`). The search index selects candidates among indexed events; events not yet indexed are scanned.

mod ask;
mod entities;
mod events;
mod facets;
mod filters;
mod hit;
mod notes;
mod rank;
mod tasks;
mod wait_states;

use self::ask::SearchContext;
use self::facets::Facets;
use self::rank::{Best, RankedHit, SearchCursor};
use super::page;
use super::{QueryError, params};
use crate::api::{SearchClause, SearchCounts, SearchKind, SearchPage, SearchQuery};
use crate::hub::{Hub, count};
use crate::search::index::Candidates;
use crate::search::{self, Clause, Sense};

/// Default and maximum number of hits of a page.
const DEFAULT_LIMIT: u32 = 30;
const MAX_LIMIT: u32 = 100;
/// Bytes of the hits of a page; the first is included however long its names are.
const MAX_BYTES: usize = 48 * 1024;

/// `GET search`.
///
/// # Errors
/// When the query cannot be understood, the limit or the page mark is not acceptable.
pub fn search(hub: &Hub, index: &impl Candidates, now: i64, query: &SearchQuery) -> Result<SearchPage, QueryError> {
    let clauses = search::parse(&query.q)?;
    let limit = page::limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let mark = query.after.as_deref().map(|text| SearchCursor::read(hub, text)).transpose()?;
    // A later page reflects the log of the first one: newer events are for the next search.
    let known = count(hub.events().len());
    let until = mark.as_ref().map_or(known, |mark| mark.until.min(known));
    let ask = SearchContext::new(hub, now, query.offset_min, until, &clauses);
    let mut found = SearchResults::new(hub, query, limit, mark.as_ref());
    // Hits with a title come first: where a page is full of them, no event has to be parsed.
    entities::look(&ask, &mut found);
    notes::look(&ask, &mut found);
    events::look(&ask, index, &mut found);
    let wanted = SearchKind::ALL.into_iter().filter(|kind| found.wants(*kind));
    let total = wanted.map(|kind| found.counts.of(kind)).sum();
    let (entries, mut more) = found.best.done();
    let (mut hits, mut last, mut bytes) = (Vec::new(), None, 0);
    for entry in &entries {
        let hit = hit::hit(&ask, entry);
        bytes += serde_json::to_string(&hit).map_or(0, |text| text.len());
        if bytes > MAX_BYTES && !hits.is_empty() {
            more = true;
            break;
        }
        hits.push(hit);
        last = Some(entry);
    }
    let next = last.filter(|_| more).map(|last| SearchCursor::new(hub, until, last).write());
    Ok(SearchPage {
        hits,
        total,
        counts: found.counts,
        facets: found.facets.into_facets(),
        clauses: clauses.iter().map(|clause| clause_row(&query.q, clause)).collect(),
        next,
        cursor: hub.cursor(),
        now,
    })
}

/// Results of a search so far.
struct SearchResults<'a> {
    counts: SearchCounts,
    facets: Facets<'a>,
    best: Best<'a>,
    within: &'a [SearchKind],
}

impl<'a> SearchResults<'a> {
    fn new(hub: &'a Hub, query: &'a SearchQuery, limit: usize, mark: Option<&SearchCursor>) -> Self {
        Self {
            counts: SearchCounts::default(),
            facets: Facets::new(hub),
            best: Best::new(limit, mark.map(|mark| mark.key)),
            within: &query.within,
        }
    }

    fn wants(&self, kind: SearchKind) -> bool {
        self.within.is_empty() || self.within.contains(&kind)
    }

    /// Counts a hit; false when its kind was not requested.
    fn count(&mut self, kind: SearchKind) -> bool {
        *self.counts.of_mut(kind) += 1;
        self.wants(kind)
    }

    fn push(&mut self, entry: RankedHit<'a>) {
        self.best.push(entry);
    }
}

/// A part of the query as it was understood.
fn clause_row(q: &str, clause: &Clause) -> SearchClause {
    let (name, value) = match &clause.sense {
        Sense::Word(_) => ("text", search::understood(&clause.value)),
        Sense::Phrase(_) => ("phrase", clause.value.clone()),
        Sense::Role(role) => ("role", role.as_str().to_owned()),
        Sense::Is(state) => ("is", state.names().first().copied().unwrap_or_default().to_owned()),
        Sense::Category(operator, category) => (operator.as_str(), category.as_str().to_owned()),
        Sense::In(kind) => ("in", kind.as_str().to_owned()),
        Sense::Name(operator, _) | Sense::When(operator, _) => (operator.as_str(), clause.value.clone()),
    };
    SearchClause { name: name.to_owned(), value, not: clause.not, range: search::utf16(q, &clause.range) }
}

fn bad_mark() -> QueryError {
    params::invalid("after", "not a page mark of an earlier answer")
}
