//! `GET sessions`: filters, counts and pages over all sessions, newest first or grouped by category.

use std::collections::HashMap;

use super::QueryError;
use super::card::{card, category_key, status};
use super::page::{self, ranked};
use super::params::invalid;
use crate::api::{SessionsPage, SessionsQuery, SessionsSort, StatusCounts};
use crate::category::Category;
use crate::hub::{Hub, Session, count};
use crate::session::Status;

/// Tags offered as filters.
const MAX_TAGS: usize = 30;

/// `GET sessions`. Filters never change a session's status, times or totals (design §3.4).
///
/// # Errors
/// When the limit or the page mark is not acceptable.
pub fn sessions(hub: &Hub, now: i64, query: &SessionsQuery) -> Result<SessionsPage, QueryError> {
    let limit = page::limit(query.limit, 50, 200)?;
    let after = Mark::read(query)?;
    let filter = Filter::new(hub, query);
    let mut categories = [0_u32; 10];
    let mut statuses = StatusCounts::default();
    let mut tags: HashMap<&str, u32> = HashMap::new();
    let mut matches: Vec<(Mark<'_>, &Session)> = Vec::new();
    for session in hub.sessions() {
        if !filter.fits(session) {
            continue;
        }
        let (category, status) = (category_key(hub, session), status(session, now));
        let of_category = query.category.is_none_or(|wanted| wanted == category);
        let of_status = query.status.is_empty() || query.status.contains(&status);
        if of_status {
            categories[category.index()] += 1;
        }
        if of_category {
            add(&mut statuses, status);
        }
        if of_category && of_status {
            for tag in tags_of(session) {
                *tags.entry(tag).or_default() += 1;
            }
            let group = if query.sort == SessionsSort::Category { category.index() } else { 0 };
            matches.push((Mark { group, last: session.state.last, id: session.id.as_str() }, session));
        }
    }
    if query.sort == SessionsSort::Category {
        // Stable: newest first stays within a category.
        matches.sort_by_key(|(mark, _)| mark.group);
    }
    let start = after.map_or(0, |after| matches.partition_point(|(mark, _)| mark.key() <= after.key()));
    let shown = &matches[start..matches.len().min(start + limit)];
    let more = start + shown.len() < matches.len();
    #[allow(clippy::iter_over_hash_type, reason = "`ranked` puts them in order")]
    let tags = ranked(tags.into_iter(), MAX_TAGS);
    Ok(SessionsPage {
        sessions: shown.iter().map(|(_, session)| card(hub, now, session)).collect(),
        total: count(matches.len()),
        category_counts: Category::ALL.into_iter().map(|key| (key, categories[key.index()])).collect(),
        status_counts: statuses,
        tags,
        next: shown.last().filter(|_| more).map(|(mark, _)| mark.write()),
        cursor: hub.cursor(),
        now,
    })
}

pub(super) fn add(counts: &mut StatusCounts, status: Status) {
    match status {
        Status::Active => counts.active += 1,
        Status::Quiet => counts.quiet += 1,
        Status::Archived => counts.archived += 1,
    }
}

fn tags_of(session: &Session) -> impl Iterator<Item = &str> {
    session.state.verdict.iter().flat_map(|verdict| verdict.sub_tags.iter().map(String::as_str))
}

/// Everything but category and status, which also have counts of their own.
struct Filter<'a> {
    hub: &'a Hub,
    query: &'a SessionsQuery,
    text: Option<String>,
    /// Ids of the agents whose display name holds the text.
    named: Vec<&'a str>,
}

impl<'a> Filter<'a> {
    fn new(hub: &'a Hub, query: &'a SessionsQuery) -> Self {
        let text = query.q.as_deref().map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty());
        let named = hub
            .roster()
            .agents
            .iter()
            .filter(|agent| match (&text, &agent.name) {
                (Some(text), Some(name)) => name.to_lowercase().contains(text),
                _ => false,
            })
            .map(|agent| agent.id.as_str())
            .collect();
        Self { hub, query, text, named }
    }

    fn fits(&self, session: &Session) -> bool {
        let query = self.query;
        let took_part = |id: &str| session.state.agents.iter().any(|(agent, _)| agent.as_str() == id);
        query.since.is_none_or(|since| session.state.last >= since)
            && query.agent.as_ref().is_none_or(|agent| took_part(agent.as_str()))
            && query.tag.as_ref().is_none_or(|tag| {
                let tag = tag.to_lowercase();
                tags_of(session).any(|known| known.to_lowercase() == tag)
            })
            && self.text.as_ref().is_none_or(|text| {
                session.state.search.contains(text)
                    || session.id.as_str().eq_ignore_ascii_case(text)
                    || self.named.iter().any(|id| took_part(id))
                    || (session.state.title.is_none() && self.task_title_holds(session, text))
            })
    }

    fn task_title_holds(&self, session: &Session, text: &str) -> bool {
        super::card::titled(self.hub, session).1.to_lowercase().contains(text)
    }
}

/// A place in the list.
#[derive(Debug, Clone, Copy)]
struct Mark<'a> {
    group: usize,
    last: i64,
    id: &'a str,
}

impl<'a> Mark<'a> {
    fn key(&self) -> (usize, std::cmp::Reverse<i64>, &'a str) {
        (self.group, std::cmp::Reverse(self.last), self.id)
    }

    fn write(&self) -> String {
        format!("{}.{}.{}", self.group, self.last, self.id)
    }

    fn read(query: &'a SessionsQuery) -> Result<Option<Self>, QueryError> {
        let Some(text) = &query.after else { return Ok(None) };
        let mut parts = text.splitn(3, '.');
        let mark = (|| {
            let group = parts.next()?.parse().ok().filter(|group| *group < 10)?;
            let last = parts.next()?.parse().ok()?;
            Some(Self { group, last, id: parts.next().filter(|id| !id.is_empty())? })
        })();
        mark.map(Some).ok_or_else(|| invalid("after", "not a page mark of an earlier answer"))
    }
}
