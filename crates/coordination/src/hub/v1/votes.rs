//! Category votes of the `v1` classifier, one per event: the category that the event itself names, else the one that
//! its keywords indicate. An event with neither gets the default category of its role (such as `conversation.main`). A
//! vote takes two bytes and is computed on first request.

use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use crate::category::{Category, CategorySource};
use crate::classify::{Vote, fallback};
use crate::event::Event;
use crate::hub::Hub;
use crate::role::Role;

/// By event number. Grows with the log.
#[derive(Debug, Default)]
pub(super) struct V1Votes(Vec<AtomicU16>);

/// Not found yet.
const UNKNOWN: u16 = 0;
/// No keyword: the role decides.
const SILENT: u16 = 1;
const BY_RULE: u16 = 2;
const BY_HAND: u16 = 3;
/// The score is above source and category. A text has far fewer keywords than would exceed its bits.
const SCORE_SHIFT: u32 = 6;

fn encode(event: &Event) -> u16 {
    // The role has an effect on a fallback only.
    let Vote { category, source, score } = crate::event::category::v1_vote(event, Role::ConversationMain);
    let category = u16::try_from(category.index()).unwrap_or_default() << 2;
    let score = u16::try_from(score << SCORE_SHIFT).unwrap_or(u16::MAX << SCORE_SHIFT);
    match source {
        CategorySource::Manual | CategorySource::ManualOverride => BY_HAND | category,
        CategorySource::Rule | CategorySource::Heuristic => BY_RULE | category | score,
        CategorySource::Fallback | CategorySource::Unknown => SILENT,
    }
}

fn decode(vote: u16, role: Role) -> Vote {
    let category = Category::ALL[usize::from(vote >> 2 & 0xf)];
    match vote & 3 {
        BY_RULE => Vote { category, source: CategorySource::Rule, score: u32::from(vote >> SCORE_SHIFT) },
        BY_HAND => Vote { category, source: CategorySource::Manual, score: 0 },
        _ => Vote { category: fallback(role), source: CategorySource::Fallback, score: 0 },
    }
}

impl V1Votes {
    pub(super) fn with_len(len: usize) -> Self {
        let mut votes = Self::default();
        votes.grow(len);
        votes
    }

    /// Makes room for the events of a log of this length.
    pub(super) fn grow(&mut self, len: usize) {
        self.0.resize_with(len.max(self.0.len()), || AtomicU16::new(UNKNOWN));
    }

    /// Finds the votes of these events that are not known, reading the log in its order.
    pub(super) fn fill(&self, hub: &Hub, events: impl Iterator<Item = u32>) {
        let mut unknown: Vec<u32> = events.filter(|index| self.0[*index as usize].load(Relaxed) == UNKNOWN).collect();
        unknown.sort_unstable();
        hub.events.log.visit(unknown, |index, event| self.0[index as usize].store(encode(event), Relaxed));
    }

    pub(super) fn vote(&self, hub: &Hub, index: u32) -> Vote {
        let slot = &self.0[index as usize];
        let known = match slot.load(Relaxed) {
            UNKNOWN => {
                let found = encode(hub.event(index));
                slot.store(found, Relaxed);
                found
            }
            known => known,
        };
        decode(known, hub.meta_of(index).own_role())
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};
    use crate::event::category::v1_vote;
    use crate::event::parse_lines;
    use crate::role::Role;

    #[test]
    fn stored_vote_equals_direct_vote() {
        let line = |data: &str| format!("{{\"type\":\"a2a.send\",\"ts\":1,\"data\":{{{data}}}}}\n");
        let texts = [
            "\"message\":\"docker 배포 서버 코드 구현 fix refactor\"",
            "\"message\":\"음\"",
            "\"collabCategory\":\"legal_compliance\"",
            "",
        ];
        let text: String = texts.into_iter().map(line).collect();
        for event in parse_lines(text.as_bytes(), "f", 0).0 {
            for role in Role::ALL {
                let (direct, stored) = (v1_vote(&event, role), decode(encode(&event), role));
                assert_eq!(
                    (stored.category, stored.source, stored.score),
                    (direct.category, direct.source, direct.score),
                    "{}",
                    event.raw
                );
            }
        }
    }
}
