//! Test oracle of `GET /api/events` and `GET /api/events/search` (`contract/monitor-api.md` §4.1, §4.4): expected
//! answers, computed from all events without an index.

use serde_json::{Map, Value, json};

use super::enrich::enriched;
use super::{ScratchCategories, ScratchLog, fits};
use coordination::category::Category;
use coordination::compat::{V1EventsQuery, V1SearchQuery};
use coordination::event::Event;
use coordination::event::{DerivedRole, derive_role};
use coordination::roster::Roster;
use coordination::text::Needle;

/// An event that matches.
struct ScratchHit {
    number: u32,
    at: i64,
    derived: DerivedRole,
    category: Category,
    /// Whether the classifier in force gave its category, and not `v1`.
    by_hub: bool,
    /// Bytes of its line.
    bytes: usize,
}

impl ScratchHit {
    fn written(&self, events: &(impl ScratchLog + ?Sized)) -> Value {
        enriched(events.event(self.number), self.derived, self.by_hub.then_some(self.category))
    }
}

/// `GET /api/events` (§4.1). `events` in log order; the answer holds the newest `limit`, oldest first.
pub(crate) fn events(
    events: &(impl ScratchLog + ?Sized),
    roster: &Roster,
    categories: Option<&dyn ScratchCategories>,
    query: &V1EventsQuery,
) -> Value {
    let (mut total, mut has_synthetic) = (0_usize, false);
    let filter =
        ScratchFilter { roster, categories, role: query.role.as_deref(), category: query.view_category.as_deref() };
    let mut hits: Vec<ScratchHit> = Vec::new();
    events.each(&mut |number, event| {
        total += 1;
        has_synthetic |= !event.origin().is_log();
        if query.since.is_none_or(|since| event.at >= since)
            && (query.types.is_empty() || query.types.iter().any(|kind| kind == event.event_type()))
        {
            hits.extend(filter.hit(number, event));
        }
    });
    if has_synthetic {
        // Events from transcripts are not in the order of the log.
        hits.sort_by_key(|hit| hit.at);
    }
    let mut bound = query.bound.0;
    let newest = hits.iter().rev().take(query.limit).take_while(|hit| fits(&mut bound, hit.bytes)).count();
    let from = hits.len() - newest;
    let shown: Vec<Value> = hits.iter().skip(from).map(|hit| hit.written(events)).collect();
    json!({
        "count": shown.len(),
        "events": shown,
        "total": total,
        "totalMatched": hits.len(),
        "role": query.role,
        "type": query.types,
        "viewCategory": query.view_category,
        "categoryCounts": category_counts(hits.iter().map(|hit| hit.category)),
    })
    .in_order(["events", "count", "total", "totalMatched", "role", "type", "viewCategory", "categoryCounts"])
}

/// `GET /api/events/search` (§4.4), a plain text search in memory, newest first.
pub(crate) fn search_events(
    events: &(impl ScratchLog + ?Sized),
    roster: &Roster,
    categories: Option<&dyn ScratchCategories>,
    query: &V1SearchQuery,
) -> Value {
    let wanted = Needle::new(&query.q);
    let filter =
        ScratchFilter { roster, categories, role: query.role.as_deref(), category: query.view_category.as_deref() };
    let mut hits: Vec<ScratchHit> = Vec::new();
    events.each(&mut |number, event| {
        if holds(event, wanted.as_ref()) {
            hits.extend(filter.hit(number, event));
        }
    });
    hits.reverse();
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.at));
    let mut bound = query.bound.0;
    let page = hits.iter().skip(query.offset).take(query.limit).take_while(|hit| fits(&mut bound, hit.bytes));
    let shown: Vec<Value> = page.map(|hit| hit.written(events)).collect();
    json!({
        "count": shown.len(),
        "events": shown,
        "total": hits.len(),
        "offset": query.offset,
        "limit": query.limit,
        "query": query.q,
    })
    .in_order(["events", "count", "total", "offset", "limit", "query"])
}

/// Whether the text is in one of the fields the existing search reads, in any case. A blank text is in all.
pub(super) fn holds(event: &Event, wanted: Option<&Needle>) -> bool {
    let Some(wanted) = wanted else { return true };
    let fields = [event.message(), event.reply_preview(), Some(event.from_text()), Some(event.to_text())];
    wanted.is_in(event.event_type())
        || (wanted.may_be_in_line(&event.raw, event.has_escapes())
            && fields.into_iter().flatten().any(|text| wanted.is_in(text)))
}

/// Filter by role and category, independent of texts.
struct ScratchFilter<'a> {
    roster: &'a Roster,
    categories: Option<&'a dyn ScratchCategories>,
    role: Option<&'a str>,
    category: Option<&'a str>,
}

impl ScratchFilter<'_> {
    fn hit(&self, number: u32, event: &Event) -> Option<ScratchHit> {
        let derived = derive_role(event, self.roster);
        if self.role.is_some_and(|role| !role.is_empty() && role != derived.role.as_str()) {
            return None;
        }
        let by_v1 = || coordination::event::category::v1_vote(event, derived.role).category;
        let category = self.categories.map_or_else(by_v1, |categories| categories.event(number, event));
        let fits = category_filter(self.category).is_none_or(|wanted| wanted == category.as_str());
        fits.then_some(ScratchHit {
            number,
            at: event.at,
            derived,
            category,
            by_hub: self.categories.is_some(),
            bytes: event.raw.len(),
        })
    }
}

/// `all` and blank are no filter.
pub(super) fn category_filter(given: Option<&str>) -> Option<&str> {
    given.map(str::trim).filter(|text| !text.is_empty() && *text != "all")
}

/// Only categories that occur, in first-seen order.
pub(super) fn category_counts(categories: impl Iterator<Item = Category>) -> Value {
    let mut counts: Vec<(Category, u64)> = Vec::new();
    for category in categories {
        match counts.iter_mut().find(|(key, _)| *key == category) {
            Some((_, count)) => *count += 1,
            None => counts.push((category, 1)),
        }
    }
    counts
        .into_iter()
        .map(|(category, count)| (category.as_str().to_owned(), Value::from(count)))
        .collect::<Map<_, _>>()
        .into()
}

/// Puts the keys of an object into the contract's order.
pub(super) trait KeyOrder {
    fn in_order<const N: usize>(self, keys: [&str; N]) -> Value;
}

impl KeyOrder for Value {
    fn in_order<const N: usize>(mut self, keys: [&str; N]) -> Self {
        let mut ordered = Map::new();
        for key in keys {
            if let Some(value) = self.get_mut(key) {
                ordered.insert(key.to_owned(), value.take());
            }
        }
        Self::Object(ordered)
    }
}
