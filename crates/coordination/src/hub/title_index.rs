//! Substring index of the folded (NFC, lower case) titles and ids of all sessions. A search scans one buffer with all
//! titles and one with all ids. A hash of the words of a title finds sessions with equal titles.

use super::session::Session;
use crate::search::{SubstringIndex, fold};
use crate::title::words_of;

/// Titles and ids of the sessions that have events, by slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct TitleIndex {
    /// Folded titles that events give.
    pub(crate) titles: SubstringIndex,
    /// Folded session ids.
    pub(crate) ids: SubstringIndex,
    /// By slot: a number for the words of the title; see [`intent_of`].
    intents: Vec<u64>,
}

/// Hash of the words of a folded title, whatever separates them; `None` for a title without words. Titles with other
/// words collide with a chance of one in 2⁶⁴ (FNV-1a), or on purpose.
pub(crate) fn intent_of(folded: &str) -> Option<u64> {
    let words = words_of(folded);
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (!words.is_empty()).then(|| words.bytes().fold(0xcbf2_9ce4_8422_2325, fold).max(1))
}

impl TitleIndex {
    /// Updates a session after it changed.
    pub(super) fn enter(&mut self, slot: u32, session: &Session) {
        let title = session.state.own_title().map(|title| fold(title).text).unwrap_or_default();
        if self.titles.set(slot, &title) {
            let place = slot as usize;
            if self.intents.len() <= place {
                self.intents.resize(place + 1, 0);
            }
            self.intents[place] = intent_of(&title).unwrap_or_default();
        }
        self.ids.set(slot, &fold(session.id.as_str()).text);
    }

    /// Hash of the title that its events give.
    pub(crate) fn intent(&self, slot: u32) -> Option<u64> {
        self.intents.get(slot as usize).copied().filter(|intent| *intent > 0)
    }

    /// Removes a session without events.
    pub(super) fn remove(&mut self, slot: u32) {
        self.titles.set(slot, "");
        self.ids.set(slot, "");
    }
}
