//! Ranking of search hits, and cursors of result pages. Matches in a title or name rank first, then matches in a label,
//! id, tag or participant, then matches in other text. At equal rank, exact words precede variants, and then newer hits
//! precede older ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::api::{SearchKind, SearchPlace};
use crate::hub::{Hub, count};
use crate::ids::{AgentId, TaskId};
use crate::query::QueryError;

/// Sort key of a hit. Two hits have equal keys with a chance of one in 2⁶⁴.
pub(super) type RankKey = (u8, bool, Reverse<i64>, u8, u64, u64);

/// The object of a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HitTarget<'a> {
    /// Number of the event.
    Event(u32),
    /// Slot of the session.
    Session(u32),
    /// Owner and id of the task.
    Task(AgentId, &'a TaskId),
    Agent(AgentId),
    /// Place of the shared record.
    Note(usize),
}

/// A hit with its sort key; its text is made when it is shown.
#[derive(Debug, Clone)]
pub(super) struct RankedHit<'a> {
    pub(super) key: RankKey,
    pub(super) kind: SearchKind,
    /// Best place of a match.
    pub(super) place: SearchPlace,
    /// Time of the object, in epoch milliseconds.
    pub(super) at: Option<i64>,
    pub(super) what: HitTarget<'a>,
}

impl<'a> RankedHit<'a> {
    /// `partly`: some word occurs only without its particle, or in another spelling.
    pub(super) fn new(
        hub: &Hub,
        kind: SearchKind,
        place: SearchPlace,
        partly: bool,
        at: Option<i64>,
        what: HitTarget<'a>,
    ) -> Self {
        let (a, b) = match &what {
            // Of events at one time the last one in its file is the newest.
            HitTarget::Event(index) => {
                let (token, offset) = hub.events().parts(*index);
                (u64::MAX - offset.unwrap_or(u64::MAX), hash(token))
            }
            HitTarget::Session(slot) => (hub.session_at(*slot).map_or(0, |session| hash(session.id.as_str())), 0),
            HitTarget::Task(agent, id) => (hash(id.as_str()), hash(agent.as_str())),
            HitTarget::Agent(id) => (hash(id.as_str()), 0),
            HitTarget::Note(place) => (hub.inputs.shared.at(*place).map_or(0, |record| hash(&record.id)), 0),
        };
        let key = (place as u8, partly, Reverse(at.unwrap_or(i64::MIN)), kind as u8, a, b);
        Self { key, kind, place, at, what }
    }
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

struct Ranked<'a>(RankedHit<'a>);

impl PartialEq for Ranked<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.key == other.0.key
    }
}

impl Eq for Ranked<'_> {}

impl PartialOrd for Ranked<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.key.cmp(&other.0.key)
    }
}

/// The best hits after a mark, and whether there are more. Holds one page only.
pub(super) struct Best<'a> {
    /// Maximum number of hits.
    limit: usize,
    /// Key of the last hit of the page before.
    after: Option<RankKey>,
    /// At most `limit` hits, the worst on top.
    heap: BinaryHeap<Ranked<'a>>,
    /// A further page exists.
    more: bool,
}

impl<'a> Best<'a> {
    pub(super) fn new(limit: usize, after: Option<RankKey>) -> Self {
        Self { limit, after, heap: BinaryHeap::with_capacity(limit + 1), more: false }
    }

    /// Whether a hit that ranks no better than this may still be on the page.
    pub(super) fn may_take(&self, place: SearchPlace, partly: bool, at: i64) -> bool {
        let worst = self.heap.peek().filter(|_| self.heap.len() == self.limit);
        worst.is_none_or(|worst| (place as u8, partly, Reverse(at)) <= (worst.0.key.0, worst.0.key.1, worst.0.key.2))
    }

    /// Notes a hit that is on a later page.
    pub(super) fn pass_over(&mut self) {
        self.more = true;
    }

    pub(super) fn push(&mut self, entry: RankedHit<'a>) {
        if self.after.is_some_and(|after| entry.key <= after) {
            return;
        }
        self.heap.push(Ranked(entry));
        if self.heap.len() > self.limit {
            self.heap.pop();
            self.more = true;
        }
    }

    /// The page, best first.
    pub(super) fn done(self) -> (Vec<RankedHit<'a>>, bool) {
        (self.heap.into_sorted_vec().into_iter().map(|ranked| ranked.0).collect(), self.more)
    }
}

/// Decoded cursor of a result page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SearchCursor {
    /// Number of events in the hub when the first page was made.
    pub(super) until: u32,
    /// Hash of the process run, because event numbers are valid in one run only.
    epoch: u64,
    /// Sort key of the last hit of the page before.
    pub(super) key: RankKey,
}

impl SearchCursor {
    pub(super) fn new(hub: &Hub, until: u32, last: &RankedHit<'_>) -> Self {
        Self { until, epoch: hash(&hub.cursor().epoch), key: last.key }
    }

    pub(super) fn write(&self) -> String {
        let (place, partly, Reverse(at), kind, a, b) = self.key;
        let partly = u8::from(partly);
        format!("{:x}.{:x}.{place}{partly}{kind}.{at}.{a:x}.{b:x}", self.until, self.epoch)
    }

    /// Decodes a mark. For another process run only the place is used: events have other numbers then.
    pub(super) fn read(hub: &Hub, text: &str) -> Result<Self, QueryError> {
        let mark = (|| {
            let mut parts = text.split('.');
            let until = u32::from_str_radix(parts.next()?, 16).ok()?;
            let epoch = u64::from_str_radix(parts.next()?, 16).ok()?;
            let [place, partly, kind] =
                <[u8; 3]>::try_from(parts.next()?.as_bytes()).ok()?.map(|it| it.wrapping_sub(b'0'));
            let at = parts.next()?.parse().ok()?;
            let a = u64::from_str_radix(parts.next()?, 16).ok()?;
            let b = u64::from_str_radix(parts.next()?, 16).ok()?;
            let fits = place < 4 && partly < 2 && kind < 5 && parts.next().is_none();
            fits.then_some(Self { until, epoch, key: (place, partly == 1, Reverse(at), kind, a, b) })
        })();
        let mark = mark.ok_or_else(super::bad_mark)?;
        let same = mark.epoch == hash(&hub.cursor().epoch);
        Ok(if same { mark } else { Self { until: count(hub.events().len()), ..mark } })
    }
}
