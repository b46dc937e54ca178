//! Selection of the entries on the active branch of a transcript (`contract/sessions.md` §3): from the last entry back
//! over its parents. If the parent ids are missing or invalid, all entries are selected.

use std::collections::HashMap;

use super::{EntryKind, TranscriptEntry};

/// Indices of the entries on the active branch, in order: those the last one leads back to. Where names are missing,
/// or lead nowhere, the branch is unknown, and all entries are in file order. The header is on no branch.
#[must_use]
pub fn active(entries: &[TranscriptEntry]) -> Vec<usize> {
    let talk = || entries.iter().enumerate().filter(|(_, entry)| entry.kind != EntryKind::Session);
    walk(entries).unwrap_or_else(|| talk().map(|(at, _)| at).collect())
}

fn walk(entries: &[TranscriptEntry]) -> Option<Vec<usize>> {
    let mut places = HashMap::new();
    let (mut first, mut last) = (None, None);
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.kind != EntryKind::Session) {
        places.insert(entry.id.as_deref()?, at);
        first = first.or(Some(at));
        last = Some(at);
    }
    let mut way = Vec::new();
    let mut next = last;
    while let Some(at) = next {
        way.push(at);
        // A line cannot follow one that comes after it: names that lead in a circle are no tree.
        next = match entries[at].parent_id.as_deref() {
            Some(parent) => Some(*places.get(parent).filter(|above| **above < at)?),
            // One that follows nothing although others precede it: lines without parents are no tree either.
            None if Some(at) != first => return None,
            None => None,
        };
    }
    way.reverse();
    Some(way)
}
