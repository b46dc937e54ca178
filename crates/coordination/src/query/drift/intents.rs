//! Consistency check of the classifier: whether sessions with the same words in their titles got the same category.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::super::card::titled;
use super::Dated;
use crate::api::{DividedIntent, IntentMember, Intents};
use crate::category::Category;
use crate::hub::{Hub, count, intent_of};
use crate::search::folded;
use crate::title::{self, TitleSource};

/// Groups of sessions whose titles have the same words. A session without a title of its own belongs to none.
pub(super) fn intents<'a>(hub: &Hub, filed: impl Iterator<Item = &'a Dated<'a>>) -> Intents {
    let mut groups: HashMap<u64, Vec<&Dated<'_>>> = HashMap::new();
    for one in filed {
        // Titles of punctuation alone have no words in common.
        let intent = if one.session.state.own_title().is_some() {
            hub.indexes.titles.intent(one.slot)
        } else {
            let (source, title) = titled(hub, one.session);
            intent_of(&folded(&title)).filter(|_| source < TitleSource::Default)
        };
        intent.into_iter().for_each(|intent| groups.entry(intent).or_default().push(one));
    }
    let mut out = Intents::default();
    let mut divided = Vec::new();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let mut votes = [0_u32; Category::ALL.len()];
        for one in &group {
            votes[one.brief.automatic.index()] += 1;
        }
        // The first of the highest: of equals the first in seed order.
        let most = votes.iter().copied().max().unwrap_or_default();
        let Some(primary) = Category::ALL.into_iter().find(|key| votes[key.index()] == most) else { continue };
        let sessions = count(group.len());
        out.groups += 1;
        out.sessions += sessions;
        out.agreeing += most;
        if most < sessions {
            let words = group.first().map(|one| title::words_of(&titled(hub, one.session).1)).unwrap_or_default();
            divided.push((Reverse(sessions - most), Reverse(sessions), words, group, primary));
        }
    }
    out.divided_total = count(divided.len());
    // The words decide between equals, so that the order of arrival has no effect.
    divided.sort_by(|a, b| (&a.0, &a.1, &a.2).cmp(&(&b.0, &b.1, &b.2)));
    divided.truncate(Intents::MAX_DIVIDED);
    out.divided = divided.into_iter().filter_map(|(.., group, primary)| divided_intent(hub, &group, primary)).collect();
    out
}

/// `group` is newest first.
fn divided_intent(hub: &Hub, group: &[&Dated<'_>], primary: Category) -> Option<DividedIntent> {
    let (title_source, title) = titled(hub, group.first()?.session);
    let agreeing = group.iter().filter(|one| one.brief.automatic == primary).count();
    let mut members: Vec<&Dated<'_>> = group.to_vec();
    members.sort_by_key(|one| one.brief.automatic == primary);
    members.truncate(DividedIntent::MAX_MEMBERS);
    let member = |one: &Dated<'_>| IntentMember {
        work_session_id: one.session.id.as_ref().clone(),
        key: one.brief.automatic,
        fallback: one.fallback == Some(true),
        at: one.brief.start,
    };
    let members = members.into_iter().map(member).collect();
    let (sessions, agreeing) = (count(group.len()), count(agreeing));
    Some(DividedIntent { title, title_source, primary, sessions, agreeing, members })
}
