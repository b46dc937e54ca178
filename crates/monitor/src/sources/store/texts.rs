//! Texts from transcripts for the list of stored sessions (`contract/sessions.md` §5): the first and the last message,
//! cleaned and masked, the last few messages as JSON, and the path of the transcript file.

use coordination::roster::Roster;
use coordination::store::{Release, StoredSession, TranscriptLookup};
use coordination::text::preview;
use coordination::transcript::{
    HEAD_LINES, HistoryOptions, MessageRole, TAIL_LINES, TranscriptEntry, conversation_text, history, mask,
    person_text, shown,
};
use serde_json::Value;

use super::transcript::{events, last_events, transcript_file};
use super::transcript_messages::{of_rows, recent};
use crate::home::HomeDir;
use crate::sources::transcript::{Briefs, TranscriptBrief};

/// Characters of a last message; the gateway gives about as many [seen 2026.9.6].
const PREVIEW_CHARS: usize = 240;

/// Looks into the transcripts of a home; an unreadable one gives no text, and the row shows its other names.
#[derive(Debug)]
pub struct TranscriptTexts<'a> {
    home: &'a HomeDir,
    roster: &'a Roster,
    /// Cache of the texts of unchanged files.
    briefs: &'a mut Briefs,
}

impl<'a> TranscriptTexts<'a> {
    /// `briefs` caches the texts of unchanged files.
    pub fn new(home: &'a HomeDir, roster: &'a Roster, briefs: &'a mut Briefs) -> Self {
        Self { home, roster, briefs }
    }

    fn brief(&mut self, session: &StoredSession) -> Option<TranscriptBrief> {
        let file = transcript_file(self.home, self.roster, session).ok()?;
        // Two agents' files may have one name, and one file two names.
        let (device, inode) = file.seen.identity;
        self.briefs.brief_of(&file.folder, &format!("{device}:{inode}:{}", file.name), &file.name).ok()
    }

    /// The first events, or the last, in the agent's database.
    fn entries(&self, session: &StoredSession, first: bool) -> Option<Vec<TranscriptEntry>> {
        let (home, roster, agent, id) = (self.home, self.roster, &session.agent_id, session.entry.session_id()?);
        let read = if first {
            events(home, roster, agent, id, 0, HEAD_LINES)
        } else {
            last_events(home, roster, agent, id, TAIL_LINES)
        };
        Some(of_rows(&read.ok()?).entries)
    }
}

impl TranscriptLookup for TranscriptTexts<'_> {
    fn first(&mut self, session: &StoredSession) -> Option<String> {
        let text = match session.release {
            Release::File => self.brief(session)?.first_text?,
            Release::Database => self
                .entries(session, true)?
                .iter()
                .find_map(|entry| person_text(entry.message()?, false).map(str::to_owned))?,
        };
        readable(&text, MessageRole::User)
    }

    fn last(&mut self, session: &StoredSession) -> Option<String> {
        let text = match session.release {
            Release::File => self.brief(session)?.last.and_then(|(role, text)| readable(&text, role))?,
            // In databases, silent messages are skipped (`contract/sessions.md` §5).
            Release::Database => self.entries(session, false)?.iter().rev().find_map(|entry| {
                let (role, text) = conversation_text(entry.message()?)?;
                readable(text, role)
            })?,
        };
        Some(preview(&text, PREVIEW_CHARS))
    }

    fn messages(&mut self, session: &StoredSession, last: usize) -> Vec<Value> {
        let options = HistoryOptions { limit: Some(last), include_tools: false, keep_silent: false };
        recent(self.home, self.roster, session, last)
            .map(|read| history(&read.entries, &options).messages)
            .unwrap_or_default()
    }

    fn path(&mut self, session: &StoredSession) -> Option<String> {
        let of_file = session.release == Release::File;
        let file = of_file.then(|| transcript_file(self.home, self.roster, session).ok()).flatten()?;
        Some(self.home.display(&file.path))
    }
}

fn readable(text: &str, role: MessageRole) -> Option<String> {
    shown(text, role).map(|text| mask(&text))
}
