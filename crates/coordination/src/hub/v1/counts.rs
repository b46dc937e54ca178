//! Event counts by role, type and category for the lists of REST 1.x, updated with each event. A filter by these three
//! fields alone is usually counted without reading events.
//!
//! Each block of 256 events has a summary. With it, a filter by time and the search for the newest matches skip blocks
//! without a match.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use crate::api::Origin;
use crate::category::Category;
use crate::hub::{EventMeta, Hub, Log, NONE, count};
use crate::role::Role;

/// Events in one summary.
const BLOCK_EVENTS: u32 = 256;
const CATEGORIES: usize = 10;

/// Filter of an event list. An empty or absent field is no filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct V1EventFilter {
    /// Inclusive; epoch milliseconds.
    pub(crate) since: Option<i64>,
    /// The role that the event's own line gives.
    pub(crate) role: Option<Role>,
    /// Any of these event types.
    pub(crate) types: Vec<String>,
    /// The event's own category by the counted classifier.
    pub(crate) category: Option<Category>,
}

/// Events that fit.
#[derive(Debug, Default)]
pub(crate) struct V1Match {
    /// Number of events that fit.
    pub(crate) total: usize,
    /// By category, in the order of their first events.
    pub(crate) categories: Vec<(Category, u64)>,
    /// The newest, oldest first.
    pub(crate) newest: Vec<u32>,
}

/// Values shared by events that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct CellKey {
    role: Role,
    kind: u16,
    category: Category,
}

#[derive(Debug, Clone, Copy)]
struct CountCell {
    key: CellKey,
    count: u32,
    /// The one that arrived first; [`NONE`] while it is not known.
    first: u32,
    /// The oldest, and of several at one time the one that arrived first.
    oldest: (i64, u32),
}

/// What some event of a block may have. Withdrawn events stay in it.
#[derive(Debug, Clone, Copy)]
struct BlockSummary {
    /// Combinations of role and category.
    roles: u64,
    /// Numbers of types, modulo 64.
    kinds: u64,
    /// Earliest time, in epoch milliseconds.
    oldest: i64,
    /// Latest time, in epoch milliseconds.
    newest: i64,
}

impl BlockSummary {
    const EMPTY: Self = Self { roles: 0, kinds: 0, oldest: i64::MAX, newest: i64::MIN };
}

/// Counts and summaries by one classifier.
#[derive(Debug, Default)]
pub(super) struct V1Counts {
    /// By cell number.
    cells: Vec<CountCell>,
    /// Cell number by role, type and category.
    numbers: HashMap<CellKey, u32>,
    /// One for each [`BLOCK_EVENTS`] events, in order of arrival.
    blocks: Vec<BlockSummary>,
    /// Cells whose first event was withdrawn.
    stale: BTreeSet<u32>,
    /// Number of events that are not from the log. If there are any, lists are in order of time instead of arrival.
    foreign: u32,
}

/// A filter with numbers for names.
struct NumberedFilter<'a> {
    filter: &'a V1EventFilter,
    kinds: Vec<u16>,
    /// Some types have no number of their own, so the line of such an event decides.
    by_line: bool,
}

impl V1EventFilter {
    fn numbered(&self, hub: &Hub) -> NumberedFilter<'_> {
        let kinds = self.types.iter().filter_map(|name| hub.indexes.kinds.find(name)).collect();
        let by_line = !self.types.is_empty() && hub.indexes.kinds.len() >= usize::from(u16::MAX);
        NumberedFilter { filter: self, kinds, by_line }
    }

    /// Whether an event fits.
    pub(super) fn fits(&self, hub: &Hub, by_v1: bool, index: u32) -> bool {
        self.numbered(hub).fits(hub, by_v1, index)
    }
}

impl NumberedFilter<'_> {
    fn fits(&self, hub: &Hub, by_v1: bool, index: u32) -> bool {
        let meta = hub.meta_of(index);
        self.filter.since.is_none_or(|since| hub.at(index) >= since)
            && self.filter.role.is_none_or(|role| role == meta.own_role())
            && self.fits_kind(hub, index, meta)
            && self.filter.category.is_none_or(|category| category == hub.v1_category(by_v1, index))
            && !hub.events.log.is_withdrawn(index)
    }

    fn fits_kind(&self, hub: &Hub, index: u32, meta: &EventMeta) -> bool {
        self.filter.types.is_empty()
            || self.kinds.contains(&meta.kind)
            || (self.by_line
                && meta.kind == u16::MAX
                && self.filter.types.iter().any(|kind| kind == hub.event(index).event_type()))
    }

    fn fits_cell(&self, key: CellKey) -> bool {
        self.filter.role.is_none_or(|role| role == key.role)
            && (self.filter.types.is_empty() || self.kinds.contains(&key.kind))
            && self.filter.category.is_none_or(|category| category == key.category)
    }

    /// Bits of which a block with a fitting event has one.
    fn summary(&self) -> BlockSummary {
        let roles = Role::ALL.into_iter().filter(|role| self.filter.role.is_none_or(|wanted| wanted == *role));
        let categories = |role: Role| {
            let fitting = Category::ALL.into_iter();
            let fitting = fitting.filter(|key| self.filter.category.is_none_or(|wanted| wanted == *key));
            fitting.fold(0, |bits, category| bits | role_bit(role, category))
        };
        let kinds = if self.filter.types.is_empty() || self.by_line {
            u64::MAX
        } else {
            self.kinds.iter().fold(0, |bits, kind| bits | kind_bit(*kind))
        };
        let since = self.filter.since.unwrap_or(i64::MIN);
        BlockSummary { roles: roles.fold(0, |bits, role| bits | categories(role)), kinds, oldest: since, newest: since }
    }
}

fn role_bit(role: Role, category: Category) -> u64 {
    1 << (role as usize * CATEGORIES + category.index())
}

fn kind_bit(kind: u16) -> u64 {
    1 << (kind % 64)
}

impl V1Counts {
    pub(super) fn new(hub: &Hub, by_v1: bool) -> Self {
        let (mut counts, log) = (Self::default(), &hub.events.log);
        for index in 0..count(log.len()) {
            if !log.is_withdrawn(index) {
                counts.add(index, hub.meta_of(index), hub.v1_category(by_v1, index), log);
            }
        }
        counts
    }

    /// Counts an event that arrived after those before.
    pub(super) fn add(&mut self, index: u32, meta: &EventMeta, category: Category, log: &Log) {
        let (at, role) = (log.at(index), meta.own_role());
        let block = (index / BLOCK_EVENTS) as usize;
        if self.blocks.len() <= block {
            self.blocks.resize(block + 1, BlockSummary::EMPTY);
        }
        let block = &mut self.blocks[block];
        block.roles |= role_bit(role, category);
        block.kinds |= kind_bit(meta.kind);
        block.oldest = block.oldest.min(at);
        block.newest = block.newest.max(at);
        let key = CellKey { role, kind: meta.kind, category };
        let next = count(self.cells.len());
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.cells.push(CountCell { key, count: 0, first: NONE, oldest: (i64::MAX, NONE) });
        }
        let cell = &mut self.cells[number as usize];
        cell.count += 1;
        cell.first = cell.first.min(index);
        cell.oldest = cell.oldest.min((at, index));
        self.foreign += u32::from(log.origin(index) != Origin::Log);
    }

    /// Subtracts an event. The first of its cell is found again by [`V1Counts::find_firsts`].
    pub(super) fn remove(&mut self, index: u32, meta: &EventMeta, category: Category, log: &Log) {
        let key = CellKey { role: meta.own_role(), kind: meta.kind, category };
        let Some(number) = self.numbers.get(&key) else { return };
        let cell = &mut self.cells[*number as usize];
        cell.count -= 1;
        if cell.first == index || cell.oldest.1 == index {
            self.stale.insert(*number);
        }
        self.foreign -= u32::from(log.origin(index) != Origin::Log);
    }

    pub(super) fn is_stale(&self) -> bool {
        !self.stale.is_empty()
    }

    /// Finds the first events of cells that lost theirs.
    pub(super) fn find_firsts(&mut self, hub: &Hub, by_v1: bool) {
        for number in std::mem::take(&mut self.stale) {
            let key = self.cells[number as usize].key;
            let (mut first, mut oldest) = (NONE, (i64::MAX, NONE));
            if self.cells[number as usize].count > 0 {
                let wanted = BlockSummary {
                    roles: role_bit(key.role, key.category),
                    kinds: kind_bit(key.kind),
                    ..NumberedFilter::summary(&V1EventFilter::default().numbered(hub))
                };
                for index in self.fitting_blocks(wanted).flat_map(|block| events_of(hub, block)) {
                    let meta = hub.meta_of(index);
                    if (meta.own_role(), meta.kind) == (key.role, key.kind)
                        && hub.v1_category(by_v1, index) == key.category
                        && !hub.events.log.is_withdrawn(index)
                    {
                        first = first.min(index);
                        oldest = oldest.min((hub.at(index), index));
                    }
                }
            }
            let cell = &mut self.cells[number as usize];
            (cell.first, cell.oldest) = (first, oldest);
        }
    }

    /// Blocks that may hold a fitting event, by number.
    fn fitting_blocks(&self, wanted: BlockSummary) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let fits = move |block: &BlockSummary| {
            block.roles & wanted.roles != 0 && block.kinds & wanted.kinds != 0 && block.newest >= wanted.newest
        };
        self.blocks.iter().enumerate().filter(move |(_, block)| fits(block)).map(|(number, _)| number)
    }

    /// The events that fit, of which the newest `limit` are named.
    pub(super) fn matching(&self, hub: &Hub, by_v1: bool, filter: &V1EventFilter, limit: usize) -> V1Match {
        let filter = filter.numbered(hub);
        let mut found = match filter.filter.since.is_none() && !filter.by_line {
            true => self.count_cells(&filter),
            false => self.count_events(hub, by_v1, &filter),
        };
        let limit = limit.min(found.total);
        found.newest = match self.foreign {
            0 => self.last_arrived(hub, by_v1, &filter, limit),
            _ => self.newest(hub, by_v1, &filter, limit),
        };
        found
    }

    fn count_cells(&self, filter: &NumberedFilter<'_>) -> V1Match {
        let mut sums = CategorySums::default();
        let cells = self.cells.iter().filter(|cell| cell.count > 0 && filter.fits_cell(cell.key));
        for cell in cells {
            let first = if self.foreign == 0 { (0, cell.first) } else { cell.oldest };
            sums.add(cell.key.category, cell.count, first);
        }
        sums.into_match()
    }

    fn count_events(&self, hub: &Hub, by_v1: bool, filter: &NumberedFilter<'_>) -> V1Match {
        let mut sums = CategorySums::default();
        for index in self.fitting_blocks(filter.summary()).flat_map(|block| events_of(hub, block)) {
            if filter.fits(hub, by_v1, index) {
                let at = if self.foreign == 0 { 0 } else { hub.at(index) };
                sums.add(hub.v1_category(by_v1, index), 1, (at, index));
            }
        }
        sums.into_match()
    }

    /// The last in order of arrival.
    fn last_arrived(&self, hub: &Hub, by_v1: bool, filter: &NumberedFilter<'_>, limit: usize) -> Vec<u32> {
        let events = self.fitting_blocks(filter.summary()).rev().flat_map(|block| events_of(hub, block).rev());
        let mut found: Vec<u32> = events.filter(|index| filter.fits(hub, by_v1, *index)).take(limit).collect();
        found.reverse();
        found
    }

    /// The newest in order of time, equals in order of arrival.
    fn newest(&self, hub: &Hub, by_v1: bool, filter: &NumberedFilter<'_>, limit: usize) -> Vec<u32> {
        let mut blocks: Vec<usize> = self.fitting_blocks(filter.summary()).collect();
        blocks.sort_by_key(|block| Reverse(self.blocks[*block].newest));
        let mut found: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
        for block in blocks {
            let full = found.len() >= limit;
            if full && found.peek().is_none_or(|Reverse((at, _))| self.blocks[block].newest < *at) {
                break;
            }
            for index in events_of(hub, block).filter(|index| filter.fits(hub, by_v1, *index)) {
                found.push(Reverse((hub.at(index), index)));
                if found.len() > limit {
                    found.pop();
                }
            }
        }
        let mut found: Vec<(i64, u32)> = found.into_iter().map(|Reverse(place)| place).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, index)| index).collect()
    }
}

fn events_of(hub: &Hub, block: usize) -> std::ops::Range<u32> {
    let first = count(block).saturating_mul(BLOCK_EVENTS);
    first..first.saturating_add(BLOCK_EVENTS).min(count(hub.events.log.len()))
}

/// Sums by category, with the first event of each.
#[derive(Default)]
struct CategorySums(Vec<(Category, u64, (i64, u32))>);

impl CategorySums {
    fn add(&mut self, category: Category, count: u32, first: (i64, u32)) {
        match self.0.iter_mut().find(|(known, ..)| *known == category) {
            Some((_, sum, known)) => {
                *sum += u64::from(count);
                *known = first.min(*known);
            }
            None => self.0.push((category, count.into(), first)),
        }
    }

    fn into_match(mut self) -> V1Match {
        self.0.sort_by_key(|(.., first)| *first);
        let total: u64 = self.0.iter().map(|(_, count, _)| count).sum();
        V1Match {
            total: usize::try_from(total).unwrap_or(usize::MAX),
            categories: self.0.into_iter().map(|(category, count, _)| (category, count)).collect(),
            newest: Vec::new(),
        }
    }
}
