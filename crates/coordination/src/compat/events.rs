//! Queries of `GET /api/events` and `GET /api/events/search` (`contract/monitor-api.md` §4.1, §4.4).

use super::answer::{AnswerNode, V1Answer};
use super::enrich::PendingEvent;
use super::{ByteLimit, V1EventsQuery, V1SearchQuery};
use crate::category::Category;
use crate::event::Event;
use crate::hub::{Hub, V1EventFilter};
use crate::text::Needle;

/// `GET /api/events` (§4.1): the newest `limit`, oldest first. By `v1` or by the classifier in force.
///
/// Costs the events that it shows; with `since` also a look at the columns of the events since then.
#[must_use]
pub fn events(hub: &Hub, by_v1: bool, query: &V1EventsQuery) -> V1Answer {
    let by_v1 = hub.is_by_v1(by_v1);
    let filter = filter(query.role.as_deref(), query.view_category.as_deref());
    let filter = filter.map(|filter| V1EventFilter { since: query.since, types: query.types.clone(), ..filter });
    let found = filter.map(|filter| hub.v1_events(by_v1, &filter, query.limit)).unwrap_or_default();
    let shown = within(hub, query.bound, found.newest.iter().rev());
    let newest = &found.newest[found.newest.len() - shown..];
    let counts = found.categories.iter().map(|(category, count)| (category.as_str(), (*count).into()));
    V1Answer::new(vec![
        ("events", written(hub, by_v1, newest)),
        ("count", shown.into()),
        ("total", hub.event_count().into()),
        ("totalMatched", found.total.into()),
        ("role", query.role.clone().into()),
        ("type", query.types.clone().into()),
        ("viewCategory", query.view_category.clone().into()),
        ("categoryCounts", AnswerNode::Object(counts.collect())),
    ])
}

/// `GET /api/events/search` (§4.4), a plain text search in memory, newest first.
#[must_use]
pub fn search_events(hub: &Hub, by_v1: bool, query: &V1SearchQuery) -> V1Answer {
    let by_v1 = hub.is_by_v1(by_v1);
    let mut hits: Vec<(i64, u32)> = Vec::new();
    if let Some(filter) = filter(query.role.as_deref(), query.view_category.as_deref()) {
        holding(hub, &query.q, |index, _| {
            if hub.v1_fits(by_v1, &filter, index) {
                hits.push((hub.at(index), index));
            }
        });
    }
    hits.sort_unstable_by(|a, b| b.cmp(a));
    let page: Vec<u32> = hits.iter().skip(query.offset).take(query.limit).map(|(_, index)| *index).collect();
    let shown = within(hub, query.bound, page.iter());
    V1Answer::new(vec![
        ("events", written(hub, by_v1, &page[..shown])),
        ("count", shown.into()),
        ("total", hits.len().into()),
        ("offset", query.offset.into()),
        ("limit", query.limit.into()),
        ("query", query.q.clone().into()),
    ])
}

/// How many of these events fit into an answer.
fn within<'a>(hub: &Hub, mut bound: ByteLimit, events: impl Iterator<Item = &'a u32>) -> usize {
    events.take_while(|index| bound.fits(hub.event(**index).raw.len())).count()
}

fn written(hub: &Hub, by_v1: bool, events: &[u32]) -> AnswerNode {
    let event = |index: &u32| AnswerNode::Event(Box::new(PendingEvent::new(hub, by_v1, *index)));
    AnswerNode::Array(events.iter().map(event).collect())
}

/// Calls `look` with the events that have the text in one of the fields the existing search reads, in any case. A blank
/// text is in all. A line that cannot hold it is not parsed.
pub(super) fn holding(hub: &Hub, text: &str, mut look: impl FnMut(u32, &Event)) {
    let Some(wanted) = Needle::new(text) else { return hub.events().scan(look) };
    let kinds: Vec<bool> = hub.indexes.kinds.iter().map(|(_, name)| wanted.is_in(name)).collect();
    let by_kind = |index: u32| kinds.get(usize::from(hub.meta_of(index).kind)).copied().unwrap_or(true);
    // The digest of a shortened id is in no line.
    let is_digest = text.contains('…') || text.trim().chars().all(|c| c.is_ascii_hexdigit());
    let may = |index: u32, line: &str| is_digest || by_kind(index) || wanted.may_be_in_line(line, line.contains('\\'));
    hub.events().sift(0, may, |index, event| {
        let fields = [event.message(), event.reply_preview(), Some(event.from_text()), Some(event.to_text())];
        if wanted.is_in(event.event_type()) || fields.into_iter().flatten().any(|text| wanted.is_in(text)) {
            look(index, event);
        }
    });
}

/// Filter by role and category; `None` when no event can fit.
fn filter(role: Option<&str>, category: Option<&str>) -> Option<V1EventFilter> {
    let role = role.filter(|role| !role.is_empty()).map(str::parse).transpose().ok()?;
    let category = category_filter(category).map(known_category);
    Some(V1EventFilter { role, category: category.map_or(Some(None), |known| known.map(Some))?, ..Default::default() })
}

/// A category by its exact name.
pub(super) fn known_category(name: &str) -> Option<Category> {
    Category::ALL.into_iter().find(|category| category.as_str() == name)
}

/// `all` and blank are no filter.
pub(super) fn category_filter(given: Option<&str>) -> Option<&str> {
    given.map(str::trim).filter(|text| !text.is_empty() && *text != "all")
}
