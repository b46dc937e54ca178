//! Index for searches in the session list: words of titles, words of the other texts that the list shows, and session
//! ids. Hashes of the words of titles find sessions with equal titles.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::session::{FoldState, Session};
use super::votes::BriefVerdict;
use crate::ids::SessionId;
use crate::search::index::{IndexMatches, Set, WordIndex};
use crate::search::{SubstringIndex, Term, TermPlan, folded};
use crate::title::words_of;

/// Texts of the sessions that have events, by slot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct TitleIndex {
    /// Words of the folded titles that events give.
    titles: WordIndex,
    /// Words of [`crate::hub::session::FoldState::list_lines`].
    lines: WordIndex,
    /// Folded session ids.
    pub(crate) ids: SubstringIndex,
    /// Slots of the sessions without a title of their own.
    pub(crate) untitled: BTreeSet<u32>,
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

/// What a session is found by, folded.
pub(crate) struct TitleTexts {
    /// The title that its events give.
    title: Option<String>,
    /// As [`FoldState::list_lines`].
    lines: String,
    id: String,
}

impl TitleTexts {
    /// `verdict` is the newest one.
    pub(super) fn new(id: &SessionId, state: &FoldState, verdict: &BriefVerdict) -> Self {
        let title = state.own_title().map(folded);
        Self { title, lines: state.list_lines(verdict), id: folded(id.as_str()) }
    }
}

impl TitleIndex {
    /// Updates a session after it changed.
    pub(super) fn enter(&mut self, slot: u32, texts: &TitleTexts) {
        let title = texts.title.as_deref().unwrap_or_default();
        if self.titles.set(slot, title) {
            let place = slot as usize;
            if self.intents.len() <= place {
                self.intents.resize(place + 1, 0);
            }
            self.intents[place] = intent_of(title).unwrap_or_default();
        }
        match texts.title {
            Some(_) => self.untitled.remove(&slot),
            None => self.untitled.insert(slot),
        };
        self.lines.set(slot, &texts.lines);
        self.ids.set(slot, &texts.id);
    }

    /// Slots below `bound` of the sessions whose own title contains a term. `session` returns a present session.
    pub(crate) fn titled<'a>(&self, term: &Term, bound: u32, session: impl Fn(u32) -> Option<&'a Session>) -> Set {
        let in_title = |session: &Session| own_title(session).is_some_and(|title| term.matches(&title).is_some());
        verified(&self.titles, &term.plan(), bound, session, in_title)
    }

    /// The same for titles that contain a term letter for letter.
    pub(crate) fn titled_whole<'a>(
        &self,
        term: &Term,
        bound: u32,
        session: impl Fn(u32) -> Option<&'a Session>,
    ) -> Set {
        let in_title = |session: &Session| own_title(session).is_some_and(|title| term.contains_whole(&title));
        verified(&self.titles, &term.whole(), bound, session, in_title)
    }

    /// Slots below `bound` of the sessions that show a term in some line of lists besides the own title.
    pub(crate) fn listed<'a>(&self, term: &Term, bound: u32, session: impl Fn(u32) -> Option<&'a Session>) -> Set {
        let in_line = |session: &Session| {
            let lines = session.state.read(|state| state.list_lines(&state.votes.brief_verdict()));
            lines.lines().any(|line| term.matches(line).is_some())
        };
        verified(&self.lines, &term.plan(), bound, session, in_line)
    }

    /// Hash of the title that its events give.
    pub(crate) fn intent(&self, slot: u32) -> Option<u64> {
        self.intents.get(slot as usize).copied().filter(|intent| *intent > 0)
    }

    /// Removes a session without events.
    pub(super) fn remove(&mut self, slot: u32) {
        self.titles.set(slot, "");
        self.lines.set(slot, "");
        self.untitled.remove(&slot);
        self.ids.set(slot, "");
    }
}

fn own_title(session: &Session) -> Option<String> {
    session.state.read(|state| state.own_title().map(folded))
}

/// Slots that fit a plan; those that may fit it are read.
fn verified<'a>(
    index: &WordIndex,
    plan: &TermPlan,
    bound: u32,
    session: impl Fn(u32) -> Option<&'a Session>,
    holds: impl Fn(&Session) -> bool,
) -> Set {
    let IndexMatches { mut sure, maybe } = index.find(plan, bound);
    maybe.iter().filter(|slot| session(*slot).is_some_and(&holds)).for_each(|slot| sure.insert(slot));
    sure
}
