//! Summaries of all sessions, and totals by category, held in memory and updated with each change. Session lists and
//! `GET /api/v2/home` are computed from them, without a scan of the event history.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::daily_counts::FiledDays;
use super::names::NameTable;
use super::session::Session;
use super::votes::BriefVerdict;
use crate::category::{Category, CategorySource};
use crate::doctor::PAST_BEFORE;
use crate::session::Status;

const HOUR_MS: i64 = 3_600_000;

/// Sub-tags a session shows.
pub(crate) const MAX_TAGS: usize = 5;
const NO_TAG: u16 = u16::MAX;

/// Bit in [`SessionBrief::parties`] of the participants beyond the first 63.
pub(crate) const OTHER_PARTIES: u64 = 1 << 63;

/// One session in brief.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct SessionBrief {
    /// Time of the newest event, in epoch milliseconds.
    pub(crate) last: i64,
    /// Time of the first event, in epoch milliseconds; 0 when no event has a plausible time.
    pub(crate) start: i64,
    /// Numbers in [`Overview::tags`]; [`NO_TAG`] in unused places.
    tags: [u16; MAX_TAGS],
    /// The category in force, override included.
    pub(crate) category: Category,
    /// Its secondary categories, a bit for each by index; never that of `category`.
    secondary: u16,
    /// Who decided, the override aside.
    pub(crate) source: CategorySource,
    /// A person should check it: hardly any evidence supports it, and it was not set by hand.
    pub(crate) doubtful: bool,
    /// The category without the override.
    pub(crate) automatic: Category,
    /// Hardly any evidence supports the automatic category, whatever a person set.
    pub(crate) guess: bool,
    /// Tenths of confidence in it, 0–9.
    pub(crate) tenth: u8,
    /// A person set the category.
    pub(crate) manual: bool,
    /// The newest event ends the session.
    pub(crate) ended: bool,
    /// It is quiet from then on, whatever its events; `i64::MAX` when no time is known.
    quiet_at: i64,
    /// Who takes part: [`Overview::party_bit`] of each participant.
    pub(crate) parties: u64,
    /// The slot has a session with events.
    pub(crate) present: bool,
}

impl SessionBrief {
    const NOTHING: Self = Self {
        last: 0,
        start: 0,
        tags: [NO_TAG; MAX_TAGS],
        category: Category::EngineeringBuild,
        secondary: 0,
        source: CategorySource::Fallback,
        doubtful: false,
        automatic: Category::EngineeringBuild,
        guess: false,
        tenth: 0,
        manual: false,
        ended: false,
        quiet_at: i64::MAX,
        parties: 0,
        present: false,
    };

    /// Status at `now`.
    pub(crate) fn status(&self, now: i64) -> Status {
        Status::resting(self.last, self.ended, Some(self.quiet_at), now)
    }

    /// It has this category: the one in force, or with `secondary` one of the others.
    pub(crate) fn is_in(&self, category: Category, secondary: bool) -> bool {
        self.category == category || (secondary && self.secondary & bit(category) != 0)
    }

    /// Whether it was filed without evidence; `None` when no rule was used, because its events state the category.
    pub(crate) fn filed(&self) -> Option<bool> {
        match self.source {
            CategorySource::Manual | CategorySource::ManualOverride => None,
            source => Some(source == CategorySource::Fallback),
        }
    }

    /// Numbers of its tags in [`Overview::tags`].
    pub(crate) fn tags(&self) -> impl Iterator<Item = u16> + '_ {
        self.tags.iter().copied().filter(|tag| *tag != NO_TAG)
    }
}

/// The bit of the participant of a number.
fn party_bit(number: u16) -> u64 {
    1_u64.checked_shl(u32::from(number)).unwrap_or(OTHER_PARTIES)
}

/// A category as a bit.
fn bit(category: Category) -> u16 {
    1 << category.index()
}

/// Sums over the sessions of one category.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct CategorySum {
    /// Number of sessions.
    pub(crate) sessions: u32,
    /// How many sessions have this newest time. An entry leaves with its last session.
    lasts: BTreeMap<i64, u32>,
    /// Events an hour since 1970 (UTC). An entry leaves when its count is zero.
    hours: BTreeMap<i64, u32>,
}

impl CategorySum {
    /// Newest time of all.
    pub(crate) fn last(&self) -> Option<i64> {
        self.lasts.last_key_value().map(|(last, _)| *last)
    }

    /// Events of each hour from `first` to `last` that has any.
    pub(crate) fn hours(&self, first: i64, last: i64) -> impl Iterator<Item = (i64, u32)> + '_ {
        self.hours.range(first..=last).map(|(hour, count)| (*hour, *count))
    }
}

/// All sessions in brief. Grows with the sessions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Overview {
    /// By slot.
    briefs: Vec<SessionBrief>,
    /// Sub-tags as small numbers. Never shrinks: words of the classifier, and tags that events state.
    pub(crate) tags: NameTable,
    /// Participants as small numbers. Never shrinks.
    party_names: NameTable,
    /// By index of the category.
    sums: [CategorySum; 10],
    /// Dated sessions that the rules filed.
    pub(crate) filed: FiledDays,
}

impl Overview {
    /// By slot; empty slots are not `present`.
    pub(crate) fn briefs(&self) -> &[SessionBrief] {
        &self.briefs
    }

    pub(crate) fn brief(&self, slot: u32) -> SessionBrief {
        self.briefs.get(slot as usize).copied().unwrap_or(SessionBrief::NOTHING)
    }

    /// Bit of a participant in [`SessionBrief::parties`]: its own, or [`OTHER_PARTIES`].
    pub(crate) fn party_bit(&self, id: &str) -> u64 {
        self.party_names.find(id).map_or(OTHER_PARTIES, party_bit)
    }

    /// Name of the participant with a bit of its own, by the place of that bit.
    pub(crate) fn party_name(&self, place: usize) -> &str {
        u16::try_from(place).map_or("", |number| self.party_names.name(number))
    }

    pub(crate) fn sum(&self, category: Category) -> &CategorySum {
        &self.sums[category.index()]
    }

    /// Removes a session from the sums before it changes. Its hours stay in and are returned as the rest, because a
    /// session that lasts for months has thousands of them and a new event changes one.
    pub(crate) fn leave(&mut self, slot: u32, session: &Session) -> Option<Left> {
        let brief = self.leave_counts(slot)?;
        let hours = &session.state.hours;
        Some(Left { category: brief.category, hours: hours.len(), newest: hours.last().map_or(0, |(_, count)| *count) })
    }

    /// Removes a session from the sums but for its hours; none when it is not in them.
    fn leave_counts(&mut self, slot: u32) -> Option<SessionBrief> {
        let brief = self.briefs.get_mut(slot as usize).filter(|brief| brief.present)?;
        brief.present = false;
        if let Some(fallback) = brief.filed().filter(|_| brief.start > 0) {
            self.filed.take(brief.start, fallback);
        }
        let sum = &mut self.sums[brief.category.index()];
        sum.sessions -= 1;
        take(&mut sum.lasts, brief.last, 1);
        Some(*brief)
    }

    /// Removes a session whose events, which were at `times`, are withdrawn. Reads nothing of its state.
    pub(super) fn remove_whole(&mut self, slot: u32, times: impl Iterator<Item = i64>) {
        let Some(brief) = self.leave_counts(slot) else { return };
        let hours: Vec<i64> = times.map(|at| at.div_euclid(HOUR_MS)).collect();
        let sum = &mut self.sums[brief.category.index()].hours;
        hours.chunk_by(i64::eq).for_each(|hour| take(sum, hour[0], super::count(hour.len())));
    }

    /// Removes the rest of a session that has no events any more. `forgotten` is as with [`Overview::enter`].
    pub(crate) fn remove(&mut self, left: Option<Left>, forgotten: Option<Vec<(i64, u32)>>) {
        let Some(left) = left else { return };
        let sum = &mut self.sums[left.category.index()].hours;
        forgotten.unwrap_or_default().into_iter().for_each(|(hour, count)| take(sum, hour, count));
    }

    fn count_hours(
        &mut self,
        left: Option<Left>,
        forgotten: Option<Vec<(i64, u32)>>,
        category: Category,
        hours: &[(i64, u32)],
    ) {
        let mut new = hours;
        if let Some(left) = left {
            let sum = &mut self.sums[left.category.index()].hours;
            if forgotten.is_none() && category == left.category {
                // Of those it had only the newest can have grown.
                let newest = left.hours.checked_sub(1).and_then(|last| hours.get(last));
                newest.into_iter().for_each(|(hour, count)| add(sum, *hour, count.saturating_sub(left.newest)));
                new = hours.get(left.hours..).unwrap_or_default();
            } else {
                let had = forgotten.unwrap_or_else(|| left.at_leave(hours));
                had.into_iter().for_each(|(hour, count)| take(sum, hour, count));
            }
        }
        let sum = &mut self.sums[category.index()].hours;
        new.iter().for_each(|(hour, count)| add(sum, *hour, *count));
    }

    /// Adds a session after it changed. `left` is the result of [`Overview::leave`], `forgotten` the hours it had
    /// when it was rederived since.
    pub(crate) fn enter(
        &mut self,
        slot: u32,
        session: &Session,
        verdict: &BriefVerdict,
        manual: Option<Category>,
        left: Option<Left>,
        forgotten: Option<Vec<(i64, u32)>>,
    ) {
        let mut tags = [NO_TAG; MAX_TAGS];
        for (place, tag) in tags.iter_mut().zip(&verdict.sub_tags) {
            *place = self.tags.number(tag);
        }
        let numbers = session.state.agents.iter().map(|party| self.party_names.number(party.id.as_str()));
        let parties = numbers.fold(0, |all, number| all | party_bit(number));
        let category = manual.unwrap_or(verdict.info.key);
        let others = verdict.info.secondary.iter().filter(|other| **other != category);
        let brief = SessionBrief {
            last: session.state.last,
            start: start(session),
            tags,
            category,
            secondary: others.fold(0, |all, other| all | bit(*other)),
            source: verdict.info.source,
            doubtful: manual.is_none() && verdict.info.is_doubtful(),
            automatic: verdict.info.key,
            guess: verdict.info.is_doubtful(),
            tenth: tenth(verdict.info.confidence),
            manual: manual.is_some(),
            ended: session.state.ended,
            quiet_at: session.state.origins.quiet_at().unwrap_or(i64::MAX),
            parties,
            present: true,
        };
        if let Some(fallback) = brief.filed().filter(|_| brief.start > 0) {
            self.filed.add(brief.start, fallback);
        }
        let sum = &mut self.sums[brief.category.index()];
        sum.sessions += 1;
        *sum.lasts.entry(brief.last).or_default() += 1;
        let place = slot as usize;
        if self.briefs.len() <= place {
            self.briefs.resize(place + 1, SessionBrief::NOTHING);
        }
        self.briefs[place] = brief;
        self.count_hours(left, forgotten, brief.category, &session.state.hours);
    }
}

/// Rest of a removed session in the sums: its hours up to here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    /// Category under which its hours were counted.
    category: Category,
    /// Number of its hours that are still in the sums.
    hours: usize,
    /// Number of events in the newest of these hours.
    newest: u32,
}

impl Left {
    /// The hours at the time of removal, of a session that was folded further since.
    fn at_leave(&self, hours: &[(i64, u32)]) -> Vec<(i64, u32)> {
        let mut had = hours.get(..self.hours).unwrap_or_default().to_vec();
        if let Some((_, count)) = had.last_mut() {
            *count = self.newest;
        }
        had
    }
}

/// When a session began. A clock that was not set is ignored; then the first plausible hour counts.
fn start(session: &Session) -> i64 {
    let state = &session.state;
    let hour = || state.hours.iter().map(|(hour, _)| hour * HOUR_MS).find(|at| *at >= PAST_BEFORE);
    state.start.filter(|at| *at >= PAST_BEFORE).or_else(hour).unwrap_or_default()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9 after the clamp")]
fn tenth(confidence: f64) -> u8 {
    (confidence * 10.0).clamp(0.0, 9.0) as u8
}

fn add(counts: &mut BTreeMap<i64, u32>, key: i64, count: u32) {
    if count > 0 {
        *counts.entry(key).or_default() += count;
    }
}

fn take(counts: &mut BTreeMap<i64, u32>, key: i64, count: u32) {
    if let Some(held) = counts.get_mut(&key) {
        *held = held.saturating_sub(count);
        if *held == 0 {
            counts.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::HOUR_MS;
    use crate::api::ManualOverride;
    use crate::category::Category;
    use crate::event::parse_lines;
    use crate::hub::{Hub, NONE};
    use crate::ids::SessionId;

    const BEGIN: i64 = 1_771_500_000_000;
    const WORDS: [&str; 4] = ["배포 상태를 확인해 주세요", "계약서 법무 검토", "데이터 지표 분석", "음"];

    /// An event of an exchange, with or without its work session: those without move when one with it comes.
    fn line((minutes, session, word, placed): (i64, u8, usize, bool)) -> String {
        let at = BEGIN + minutes * HOUR_MS / 6;
        let place = if placed { format!(r#","workSessionId":"ws_{session}""#) } else { String::new() };
        format!(
            r#"{{"type":"a2a.send","agentId":"eden","ts":{at},"data":{{"fromAgent":"eden","toAgent":"seum","conversationId":"c{session}","message":"{}"{place}}}}}"#,
            WORDS[word]
        )
    }

    fn counted(hub: &Hub) -> Vec<BTreeMap<i64, u32>> {
        let mut sums = vec![BTreeMap::new(); Category::ALL.len()];
        for (_, brief, session) in hub.briefed() {
            for index in &session.events {
                assert_ne!(hub.meta_of(*index).session, NONE);
                *sums[brief.category.index()].entry(hub.at(*index).div_euclid(HOUR_MS)).or_default() += 1;
            }
        }
        sums
    }

    proptest! {
        /// After any arrivals and any overrides, the hours of each category are those of its sessions' events.
        #[test]
        fn hours_are_those_of_the_sessions(
            steps in prop::collection::vec(
                (prop::collection::vec((0_i64..90, 0_u8..3, 0_usize..4, any::<bool>()), 1..6), 0_u8..6), 1..8,
            )
        ) {
            let mut hub = Hub::new();
            for (number, (lines, manual)) in steps.into_iter().enumerate() {
                let text: String = lines.into_iter().map(|it| line(it) + "\n").collect();
                hub.apply(parse_lines(text.as_bytes(), &format!("f{number}"), 0).0);
                if manual < 3 {
                    let collab_category = Category::ALL[usize::from(manual) * 3];
                    let set = ManualOverride { collab_category, updated_at: String::new(), updated_by: None };
                    hub.set_overrides(BTreeMap::from([(SessionId::from(format!("ws_{manual}")), set)]));
                }
                let sums: Vec<_> = Category::ALL.iter().map(|key| hub.sessions.overview.sum(*key).hours.clone()).collect();
                prop_assert_eq!(sums, counted(&hub));
            }
        }
    }
}
