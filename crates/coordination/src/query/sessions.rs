//! Query of `GET sessions`: filters, counts and pages over all sessions, newest first or grouped by category.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use super::card::card;
use super::event_filter::EventMatches;
use super::page::{self, ranked};
use super::params::invalid;
use super::session_text::TextQuery;
use super::{QueryError, found};
use crate::api::{SessionCard, SessionsPage, SessionsQuery, SessionsSort, StatusCounts};
use crate::category::Category;
use crate::hub::{Hub, OTHER_PARTIES, Session, SessionBrief, folded_key};
use crate::ids::SessionId;
use crate::search::WordFilter;
use crate::search::index::{Candidates, NoIndex};
use crate::session::Status;
use crate::session_key::SessionKey;
use crate::title::TitleSource;

/// Tags offered as filters.
const MAX_TAGS: usize = 30;

/// `GET sessions`. Filters never change a session's status, times or totals.
///
/// # Errors
/// When the limit or the page mark is not acceptable.
pub fn sessions(hub: &Hub, now: i64, query: &SessionsQuery) -> Result<SessionsPage, QueryError> {
    sessions_with_index(hub, &NoIndex, now, query)
}

/// [`sessions`] with a search index, so that a text query reads only candidate messages.
///
/// # Errors
/// As [`sessions`].
pub fn sessions_with_index(
    hub: &Hub,
    by: &impl Candidates,
    now: i64,
    query: &SessionsQuery,
) -> Result<SessionsPage, QueryError> {
    sessions_after(hub, by, now, query, SessionsCursor::read(hub, query.after.as_deref())?)
}

/// Number of sessions of a page.
pub(super) fn page_rows(query: &SessionsQuery) -> Result<usize, QueryError> {
    page::limit(query.limit, 50, 200)
}

/// [`sessions_with_index`] of the sessions after a place, whatever `query.after` says.
pub(super) fn sessions_after(
    hub: &Hub,
    by: &impl Candidates,
    now: i64,
    query: &SessionsQuery,
    after: Option<SessionsCursor<'_>>,
) -> Result<SessionsPage, QueryError> {
    let limit = page_rows(query)?;
    let matches = Matches::new(hub, by, now, query);
    let mut categories = [0_u32; 10];
    let mut statuses = StatusCounts::default();
    let mut tags = vec![0_u32; hub.sessions.overview.tags.len()];
    let mut total = 0;
    for (slot, brief) in matches.fitting() {
        let (of_category, of_status) = matches.chosen(brief);
        if of_status {
            categories[brief.category.index()] += 1;
            if query.include_secondary {
                let others = Category::ALL.into_iter().filter(|key| *key != brief.category && brief.is_in(*key, true));
                others.for_each(|key| categories[key.index()] += 1);
            }
        }
        if of_category {
            add(&mut statuses, brief.status(now));
        }
        if of_category && of_status {
            debug_assert!(hub.session_at(slot).is_some(), "only sessions with events are present");
            total += 1;
            for tag in brief.tags() {
                if let Some(count) = tags.get_mut(usize::from(tag)) {
                    *count += 1;
                }
            }
        }
    }
    let mut shown = matches.page(after.as_ref(), query.sort, limit + 1);
    let more = shown.len() > limit;
    shown.truncate(limit);
    let named = hub.sessions.overview.tags.iter().zip(&tags).map(|((_, name), count)| (name, *count));
    Ok(SessionsPage {
        sessions: shown.iter().map(|(_, session)| matches.card(session)).collect(),
        total,
        category_counts: Category::ALL.into_iter().map(|key| (key, categories[key.index()])).collect(),
        status_counts: statuses,
        tags: ranked(named, MAX_TAGS),
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

/// The sessions that match a query. Counting reads only the summaries; a session itself is read when a
/// filter needs its words, once, or when it is shown.
struct Matches<'a> {
    hub: &'a Hub,
    now: i64,
    query: &'a SessionsQuery,
    /// By slot: whether everything but category and status matches. Empty when there is no such filter.
    fits: Vec<bool>,
    sought: Option<(WordFilter, EventMatches)>,
}

impl<'a> Matches<'a> {
    fn new(hub: &'a Hub, by: &impl Candidates, now: i64, query: &'a SessionsQuery) -> Self {
        let filter = SessionMatcher::new(hub, by, now, query);
        let briefs = (0..).zip(hub.sessions.overview.briefs());
        let fits = match filter.is_open() {
            true => Vec::new(),
            false => briefs.map(|(slot, brief)| brief.present && filter.fits(slot, brief)).collect(),
        };
        Self { hub, now, query, fits, sought: filter.text.map(|text| (text.words, text.messages)) }
    }

    /// A session's card, with the message that contains the text when the title does not.
    fn card(&self, session: &Session) -> SessionCard {
        let card = card(self.hub, self.now, session);
        // The stand-in title is a code: a page shows its own words in its place.
        let titled = |words: &WordFilter| card.title_source != TitleSource::Default && words.are_in(&card.title);
        let sought = self.sought.as_ref().filter(|(words, _)| !titled(words));
        let newest = |(words, matching_events): &(WordFilter, EventMatches)| {
            found::newest(self.hub, session, words, matching_events)
        };
        SessionCard { found: sought.and_then(newest), ..card }
    }

    /// Slots for which everything but category and status matches.
    fn fitting(&self) -> impl Iterator<Item = (u32, &'a SessionBrief)> + '_ {
        (0..).zip(self.hub.sessions.overview.briefs()).filter(|(slot, brief)| brief.present && self.fits(*slot))
    }

    fn fits(&self, slot: u32) -> bool {
        self.fits.is_empty() || self.fits.get(slot as usize) == Some(&true)
    }

    /// Whether the category, and whether the status match.
    fn chosen(&self, brief: &SessionBrief) -> (bool, bool) {
        (
            self.query.category.is_none_or(|wanted| brief.is_in(wanted, self.query.include_secondary)),
            self.query.status.is_empty() || self.query.status.contains(&brief.status(self.now)),
        )
    }

    /// The first `count` sessions after the mark.
    fn page(
        &self,
        after: Option<&SessionsCursor<'_>>,
        sort: SessionsSort,
        count: usize,
    ) -> Vec<(SessionsCursor<'a>, &'a Session)> {
        let marked = |((last, id), slot): (&'a (Reverse<i64>, Arc<SessionId>), &'a u32)| {
            let brief = self.hub.sessions.overview.brief(*slot);
            let group = if sort == SessionsSort::Category { brief.category.index() } else { 0 };
            (self.fits(*slot) && self.chosen(&brief) == (true, true))
                .then(|| Some((SessionsCursor { group, last: last.0, id: id.as_str() }, self.hub.session_at(*slot)?)))
                .flatten()
        };
        if sort == SessionsSort::Category {
            let mut all: Vec<_> = self.hub.sessions.newest.iter().filter_map(marked).collect();
            // Stable: newest first stays within a category.
            all.sort_by_key(|(mark, _)| mark.group);
            let start = after.map_or(0, |after| all.partition_point(|(mark, _)| mark.key() <= after.key()));
            return all.into_iter().skip(start).take(count).collect();
        }
        if self.fits.is_empty() {
            let from = match after {
                None => Unbounded,
                Some(mark) if mark.group == 0 => Excluded((Reverse(mark.last), Arc::new(SessionId::from(mark.id)))),
                // A mark of the other order lies after everything here.
                Some(_) => return Vec::new(),
            };
            return self.hub.sessions.newest.range((from, Unbounded)).filter_map(marked).take(count).collect();
        }
        // Few of all may fit: the newest of them are chosen without a walk over the others.
        let chosen = self.fitting().filter(|(_, brief)| self.chosen(brief) == (true, true));
        let mut all: Vec<(Reverse<i64>, u32)> = chosen.map(|(slot, brief)| (Reverse(brief.last), slot)).collect();
        let session = |slot: u32| self.hub.session_at(slot);
        let order = |(a, x): &(Reverse<i64>, u32), (b, y): &(Reverse<i64>, u32)| {
            a.cmp(b).then_with(|| session(*x).map(|session| &session.id).cmp(&session(*y).map(|session| &session.id)))
        };
        if let Some(mark) = after {
            all.retain(|(last, slot)| {
                let key = session(*slot).map(|session| (0, *last, session.id.as_str()));
                key.is_some_and(|key| key > mark.key())
            });
        }
        if all.len() > count {
            all.select_nth_unstable_by(count, order);
            all.truncate(count);
        }
        all.sort_unstable_by(order);
        let entry = |(last, slot): (Reverse<i64>, u32)| {
            let session = session(slot)?;
            Some((SessionsCursor { group: 0, last: last.0, id: session.id.as_str() }, session))
        };
        all.into_iter().filter_map(entry).collect()
    }
}

/// Filters except category and status, which also have counts of their own.
struct SessionMatcher<'a> {
    hub: &'a Hub,
    now: i64,
    query: &'a SessionsQuery,
    text: Option<TextQuery>,
    /// Numbers of the tags that are the requested tag, in any case.
    tags: Vec<u16>,
    part: Option<StoredSessionPart>,
}

impl<'a> SessionMatcher<'a> {
    fn new(hub: &'a Hub, by: &impl Candidates, now: i64, query: &'a SessionsQuery) -> Self {
        let text = query.q.as_deref().and_then(|text| TextQuery::new(hub, by, text));
        let wanted = query.tag.as_ref().map(|tag| tag.to_lowercase());
        let tags = hub.sessions.overview.tags.iter().filter(|(_, tag)| Some(tag.to_lowercase()) == wanted);
        let tags = tags.map(|(number, _)| number).collect();
        Self {
            hub,
            now,
            query,
            text,
            tags,
            part: query.session_key.as_deref().map(|key| StoredSessionPart::new(hub, key)),
        }
    }

    /// Whether every session matches.
    fn is_open(&self) -> bool {
        let query = self.query;
        query.since.is_none()
            && query.until.is_none()
            && query.tag.is_none()
            && self.text.is_none()
            && !self.needs_session()
    }

    /// Whether the summary of a session is not enough to decide.
    fn needs_session(&self) -> bool {
        let query = self.query;
        query.agent.is_some()
            || !query.with.is_empty()
            || !query.delivery.is_empty()
            || query.resolved.is_some()
            || self.part.is_some()
    }

    fn fits(&self, slot: u32, brief: &SessionBrief) -> bool {
        let query = self.query;
        query.since.is_none_or(|since| brief.last >= since)
            && (query.tag.is_none() || brief.tags().any(|tag| self.tags.contains(&tag)))
            && query.until.is_none_or(|until| brief.start <= until)
            && self.text.as_ref().is_none_or(|text| text.slots.contains(slot))
            && (!self.needs_session()
                || self.hub.session_at(slot).is_some_and(|session| self.session_fits(slot, session)))
    }

    fn session_fits(&self, slot: u32, session: &Session) -> bool {
        let took_part = |id: &str| {
            let bit = self.hub.sessions.overview.party_bit(id);
            let has_bit = self.hub.sessions.overview.brief(slot).parties & bit != 0;
            // Agents beyond the first ones share a bit.
            has_bit && (bit != OTHER_PARTIES || session.state.read(|state| state.has_agent(id)))
        };
        let has_delivery = |session: &Session| {
            let trouble = session.state.trouble(self.now);
            self.query.delivery.iter().any(|filter| filter.is_in(&trouble))
        };
        self.query.agent.iter().chain(&self.query.with).all(|agent| took_part(agent.as_str()))
            && self.part.as_ref().is_none_or(|part| part.is_in(slot, session))
            && (self.query.delivery.is_empty() || has_delivery(session))
            && self.query.resolved.is_none_or(|wanted| self.hub.inputs.shared.resolved(&session.id).is_some() == wanted)
    }
}

/// The stored session whose work sessions are requested.
struct StoredSessionPart {
    /// Its key as it is written, and its canonical form; folded.
    keys: Vec<String>,
    /// Slots of work sessions in which transcripts assign lines of the log to it.
    filled: BTreeSet<u32>,
}

impl StoredSessionPart {
    fn new(hub: &Hub, written: &str) -> Self {
        let written = written.trim();
        let rules = hub.roster().key_rules();
        let canonical = SessionKey::parse(written).map(|key| key.canonical(&rules));
        let mut keys = vec![folded_key(written).into_owned()];
        keys.extend(canonical.map(|key| folded_key(&key).into_owned()).filter(|key| *key != keys[0]));
        let filled = keys.iter().flat_map(|key| hub.filled_by(key)).collect();
        Self { keys, filled }
    }

    fn is_in(&self, slot: u32, session: &Session) -> bool {
        self.filled.contains(&slot) || session.state.read(|state| self.keys.iter().any(|key| state.keys.holds(key)))
    }
}

/// A place in the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionsCursor<'a> {
    group: usize,
    last: i64,
    id: &'a str,
}

impl<'a> SessionsCursor<'a> {
    /// The place of a session in a list of that order.
    pub(super) fn of_card(card: &'a SessionCard, sort: SessionsSort) -> Self {
        let group = if sort == SessionsSort::Category { card.category.key.index() } else { 0 };
        Self { group, last: card.last_time, id: card.work_session_id.as_str() }
    }

    /// What it has in common with all sessions of its moment: the key of a merged list.
    pub(super) fn group_and_time(self) -> (usize, Reverse<i64>) {
        (self.group, Reverse(self.last))
    }

    /// The place before all sessions of its moment.
    pub(super) fn at_moment(self) -> Self {
        // Sorts before every id.
        Self { id: "", ..self }
    }

    /// The place after all sessions of its moment.
    pub(super) fn after_moment(self) -> Self {
        Self { last: self.last.saturating_sub(1), ..self.at_moment() }
    }

    fn key(&self) -> (usize, std::cmp::Reverse<i64>, &'a str) {
        (self.group, std::cmp::Reverse(self.last), self.id)
    }

    /// Encodes the mark. An id longer than an address can hold is replaced by its hash.
    pub(super) fn write(&self) -> String {
        let Self { group, last, id } = self;
        if is_hashed(id) { format!("{group}.{last}.{}", hashed(id)) } else { format!("{group}.{last}.{id}") }
    }

    pub(super) fn read(hub: &'a Hub, text: Option<&'a str>) -> Result<Option<Self>, QueryError> {
        let Some(text) = text else { return Ok(None) };
        let mut parts = text.splitn(3, '.');
        let mark = (|| {
            let group = parts.next()?.parse().ok().filter(|group| *group < 10)?;
            let last = parts.next()?.parse().ok()?;
            let id = parts.next().filter(|id| !id.is_empty())?;
            let id = if id.starts_with(HASH_PREFIX) { of_hash(hub, last, id) } else { id };
            Some(Self { group, last, id })
        })();
        mark.map(Some).ok_or_else(|| invalid("after", "not a page mark of an earlier answer"))
    }
}

/// Maximum bytes of an id in a mark.
const MAX_ID_BYTES: usize = 120;
/// Prefix of a hash.
const HASH_PREFIX: char = '~';

fn is_hashed(id: &str) -> bool {
    id.len() > MAX_ID_BYTES || id.starts_with(HASH_PREFIX)
}

/// FNV-1a.
fn hashed(id: &str) -> String {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{HASH_PREFIX}{:016x}", id.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
}

/// The long id of a session last active then; if it has moved since, the place before all of that moment: sessions may
/// be shown twice, none is left out.
fn of_hash<'a>(hub: &'a Hub, last: i64, hash: &str) -> &'a str {
    let from = (Reverse(last), Arc::new(SessionId::from("")));
    let of_then = hub.sessions.newest.range(from..).take_while(|((at, _), _)| at.0 == last);
    let mut ids = of_then.map(|((_, id), _)| id.as_str());
    ids.find(|id| is_hashed(id) && hashed(id) == hash).unwrap_or_default()
}
