//! Index of the hub for REST 1.x (the API of the original monitor): event counts ([`counts`]), sessions by the 1.x
//! rules ([`groups`]), and event categories of the `v1` classifier ([`votes`]). [`enrichment`] caches the category
//! fields of recently requested events.
//!
//! Each part of the index is built by the first request that needs it, and updated by later events. Without 1.x
//! clients, nothing is built. It is discarded when the main agents in the configuration or the chosen classifier
//! change, because roles or categories of old events then change too.

mod counts;
mod enrichment;
mod groups;
mod recent_cache;
mod votes;

pub(crate) use counts::{V1EventFilter, V1Match};
pub(crate) use enrichment::{Enrichment, EnrichmentCache, EnrichmentKey, EventRole};
pub(crate) use groups::{V1Group, V1GroupKey, V1Groups};

use std::sync::{Arc, OnceLock};

use counts::V1Counts;
use votes::V1Votes;

use super::{Hub, V1Grouping};
use crate::category::{Category, CategorySource};
use crate::classify::Vote;

/// The parts that were requested so far.
#[derive(Debug, Default)]
pub(crate) struct V1Index {
    groups: OnceLock<V1Groups>,
    /// Counts by the categories of the classifier in force, unless that is `v1`.
    by_hub: OnceLock<V1Counts>,
    /// Counts by the categories of `v1`.
    by_v1: OnceLock<V1Counts>,
    /// Votes of `v1` by event number, computed on request.
    votes: OnceLock<V1Votes>,
    enrichments: Arc<EnrichmentCache>,
}

/// A copy begins empty and makes its parts on request.
impl Clone for V1Index {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Hub {
    /// Number of changes of anything that a 1.x answer depends on, besides the time.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Notes a change of an input.
    pub(super) fn note_revision(&mut self) {
        self.revision += 1;
    }

    /// Discards the index, because roles or categories are derived again.
    pub(super) fn discard_v1(&mut self) {
        self.indexes.v1 = V1Index::default();
    }

    /// What is kept of enriched events.
    pub(crate) fn v1_enrichments(&self) -> &Arc<EnrichmentCache> {
        &self.indexes.v1.enrichments
    }

    /// The sessions of REST 1.x.
    pub(crate) fn v1_groups(&self) -> &V1Groups {
        self.indexes.v1.groups.get_or_init(|| V1Groups::new(self))
    }

    /// The events that fit, by the categories of `v1` or of the classifier in force.
    pub(crate) fn v1_events(&self, by_v1: bool, filter: &V1EventFilter, limit: usize) -> V1Match {
        self.v1_counts(by_v1).matching(self, by_v1, filter, limit)
    }

    /// Whether an event fits.
    pub(crate) fn v1_fits(&self, by_v1: bool, filter: &V1EventFilter, index: u32) -> bool {
        filter.fits(self, by_v1, index)
    }

    fn v1_counts(&self, by_v1: bool) -> &V1Counts {
        let part = if by_v1 { &self.indexes.v1.by_v1 } else { &self.indexes.v1.by_hub };
        part.get_or_init(|| {
            if by_v1 {
                self.v1_votes().fill(self, 0..super::count(self.events.log.len()));
            }
            V1Counts::new(self, by_v1)
        })
    }

    fn v1_votes(&self) -> &V1Votes {
        self.indexes.v1.votes.get_or_init(|| V1Votes::with_len(self.events.log.len()))
    }

    /// The vote of `v1` on an event. Its text is read at most once.
    pub(crate) fn v1_vote(&self, index: u32) -> Vote {
        self.v1_votes().vote(self, index)
    }

    /// Category of an event by itself.
    pub(crate) fn v1_category(&self, by_v1: bool, index: u32) -> Category {
        if by_v1 { self.v1_vote(index).category } else { self.meta_of(index).category }
    }

    /// Role and session types of an event by its own line.
    pub(crate) fn v1_role(&self, index: u32) -> EventRole {
        let meta = self.meta_of(index);
        EventRole { role: meta.own_role(), from_type: meta.from_type, to_type: meta.to_type }
    }

    /// The events of a group in order of time, equals in order of arrival.
    pub(crate) fn v1_members(&self, group: &V1Group) -> Vec<u32> {
        let mut members: Vec<u32> = match &group.key {
            V1GroupKey::Session(slot) => self.v1_session_members(*slot).collect(),
            V1GroupKey::Conversation(id) => self.sessions.assigner.unassigned(id).to_vec(),
        };
        members.sort_by_key(|index| (self.at(*index), *index));
        members
    }

    fn v1_session_members(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let events = self.sessions.table.slots.get(slot as usize).map(|session| session.events.as_slice());
        let names_it = |index: &u32| self.meta_of(*index).flags.grouping() == V1Grouping::Session;
        events.unwrap_or_default().iter().copied().filter(names_it)
    }

    /// Category of a group by the votes of `v1`, and the event that gives its tags.
    pub(crate) fn v1_verdict(&self, group: &V1Group) -> (Category, Option<u32>) {
        *group.verdict.get_or_init(|| self.v1_verdict_of(&self.v1_members(group)))
    }

    /// The same for some events, in order: stated by hand, else the votes of main messages, else other votes, else the
    /// first guess, which has no tags (`contract/monitor-api.md` D5).
    pub(crate) fn v1_verdict_of(&self, members: &[u32]) -> (Category, Option<u32>) {
        self.v1_votes().fill(self, members.iter().copied());
        let votes: Vec<(u32, Vote)> = members.iter().map(|index| (*index, self.v1_vote(*index))).collect();
        if let Some((index, vote)) = votes.iter().find(|(_, vote)| vote.source == CategorySource::Manual) {
            return (vote.category, Some(*index));
        }
        for only_talk in [true, false] {
            let counted = |(index, vote): &&(u32, Vote)| {
                vote.source == CategorySource::Rule
                    && (!only_talk || self.meta_of(*index).own_role() == crate::role::Role::ConversationMain)
            };
            let mut weights = [0_u32; 10];
            votes.iter().filter(counted).for_each(|(_, vote)| weights[vote.category.index()] += vote.score);
            let heaviest = weights.into_iter().max().unwrap_or(0);
            let winner = Category::ALL.into_iter().find(|category| weights[category.index()] >= heaviest);
            if let (true, Some(winner)) = (heaviest > 0, winner) {
                let mut own = votes.iter().filter(counted).filter(|(_, vote)| vote.category == winner);
                // A rule's vote always has words.
                return (winner, own.next().map(|(index, _)| *index));
            }
        }
        (votes.first().map_or(Category::EngineeringBuild, |(_, vote)| vote.category), None)
    }

    /// Subtracts an event that is about to be withdrawn. Its line is still in the log.
    pub(super) fn withdraw_from_v1(&mut self, index: u32) {
        let (log, meta) = (&self.events.log, &self.events.meta[index as usize]);
        let v1 = &mut self.indexes.v1;
        if let Some(groups) = v1.groups.get_mut() {
            groups.mark(index, meta, log);
        }
        if let Some(counts) = v1.by_hub.get_mut() {
            counts.remove(index, meta, meta.category, log);
        }
        if v1.by_v1.get().is_some() {
            let category = self.v1_vote(index).category;
            let (log, meta) = (&self.events.log, &self.events.meta[index as usize]);
            if let Some(counts) = self.indexes.v1.by_v1.get_mut() {
                counts.remove(index, meta, category, log);
            }
        }
    }

    /// Adds the events from `first` on, which are in their sessions and classified, and updates what withdrawn events
    /// left.
    pub(super) fn update_v1(&mut self, first: usize) {
        let news = super::count(first)..super::count(self.events.log.len());
        let v1 = &mut self.indexes.v1;
        let (log, meta) = (&self.events.log, &self.events.meta);
        if let Some(votes) = v1.votes.get_mut() {
            votes.grow(log.len());
        }
        if let Some(groups) = v1.groups.get_mut() {
            for index in news.clone() {
                groups.add(index, &meta[index as usize], log);
            }
            let marked = groups.take_marked();
            let members = |key: &V1GroupKey| match key {
                V1GroupKey::Session(slot) => {
                    let events = self.sessions.table.slots[*slot as usize].events.iter();
                    let names_it = |index: &&u32| meta[**index as usize].flags.grouping() == V1Grouping::Session;
                    events.filter(names_it).copied().collect()
                }
                V1GroupKey::Conversation(id) => self.sessions.assigner.unassigned(id).to_vec(),
            };
            for number in marked {
                groups.recount(number, members, meta, log);
            }
        }
        if let Some(counts) = v1.by_hub.get_mut() {
            for index in news.clone() {
                let fact = &meta[index as usize];
                counts.add(index, fact, fact.category, log);
            }
        }
        if v1.by_v1.get().is_some() {
            let categories: Vec<Category> = news.clone().map(|index| self.v1_vote(index).category).collect();
            if let Some(counts) = self.indexes.v1.by_v1.get_mut() {
                for (index, category) in news.zip(categories) {
                    counts.add(index, &self.events.meta[index as usize], category, &self.events.log);
                }
            }
        }
        // What was the first of its kind may be withdrawn.
        for by_v1 in [false, true] {
            let v1 = &mut self.indexes.v1;
            let part = if by_v1 { &mut v1.by_v1 } else { &mut v1.by_hub };
            if !part.get().is_some_and(V1Counts::is_stale) {
                continue;
            }
            let Some(mut counts) = part.take() else { continue };
            counts.find_firsts(self, by_v1);
            *(if by_v1 { &mut self.indexes.v1.by_v1 } else { &mut self.indexes.v1.by_hub }) = counts.into();
        }
    }
}
