//! Notes and resolved marks of an evidence file, on request. They are no lines of the log: nothing but the hash of the
//! whole file protects them.

use serde::{Deserialize, Serialize};

use super::{EvidenceFile, LogBytes, line_start};
use crate::api::{NotePlace, SharedContent, SharedLine, SharedRecord};
use crate::event::first_line_hash;
use crate::hub::count;
use crate::ids::EventId;

/// A note or resolved mark, as the home had it when the file was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceNote {
    /// What the home has of it.
    pub record: SharedRecord,
    /// Where the message is that it is about; absent for a whole session or thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessagePlace>,
}

/// Where an event is in the files of an evidence file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessagePlace {
    /// Place of its file in [`EvidenceHeader::files`](super::EvidenceHeader::files).
    pub file: u32,
    /// Its first byte in the file.
    pub offset: u64,
}

impl EvidenceFile {
    /// Puts those notes and marks into the header that are about what the file holds: its session, a thread of it, and
    /// messages among its lines. `logs` are those of which the file was made; `mask` is given where texts are masked.
    pub fn add_notes(&mut self, records: Vec<SharedRecord>, logs: &[LogBytes<'_>], mask: Option<fn(&str) -> String>) {
        for mut record in records {
            let Some(place) = record.content.place() else { continue };
            let message = place.event_id.as_ref().map(|event| self.message_place(event, logs));
            let is_held = match message {
                Some(message) => message.is_some(),
                None => self.holds(place),
            };
            if is_held {
                if let Some(mask) = mask {
                    mask_record(&mut record, mask);
                }
                self.header.notes.push(EvidenceNote { record, message: message.flatten() });
            }
        }
    }

    /// Whether a session or thread is what the file is about.
    fn holds(&self, place: &NotePlace) -> bool {
        let scope = &self.header.scope;
        scope.session.as_ref() == Some(&place.work_session_id)
            && (scope.thread.is_none() || scope.thread == place.thread_id)
    }

    /// Where an event of the home is in the file; none when its line is not in it. In `logs` a file may have another name
    /// than in ids of events.
    fn message_place(&self, event: &EventId, logs: &[LogBytes<'_>]) -> Option<MessagePlace> {
        let (token, offset) = event.parts();
        let (offset, hash) = (offset?, token.split('~').next()?);
        let named = logs.iter().position(|log| log.token == token);
        // Lines name their files by these places; several files may have one name.
        let file = named.or_else(|| logs.iter().position(|log| first_line_hash(log.bytes) == hash))?;
        let (start, file) = (line_start(logs[file].bytes, offset)?, count(file));
        let is_held = self.lines.iter().any(|line| (line.file, line.offset) == (file, start));
        is_held.then_some(MessagePlace { file, offset })
    }
}

impl EvidenceNote {
    /// Lines of shared records whose replay gives the note. `token_of` gives the name that a file of the evidence has in
    /// ids of events. None for what is neither a note nor a mark.
    #[must_use]
    pub fn to_lines<'a>(&self, token_of: impl Fn(u32) -> Option<&'a str>) -> Vec<SharedLine> {
        let record = &self.record;
        let event_id = self.message.and_then(|message| {
            token_of(message.file).map(|token| EventId::from(format!("{token}-{}", message.offset)))
        });
        let mut content = record.content.clone();
        match &mut content {
            SharedContent::Note(note) => note.place.event_id = event_id,
            SharedContent::Resolved(mark) => mark.place.event_id = event_id,
            SharedContent::View(_) | SharedContent::Rule(_) | SharedContent::Unknown => return Vec::new(),
        }
        let line = |at: i64, by: &Option<String>| SharedLine {
            at,
            by: by.clone(),
            request_id: "evidence".to_owned(),
            id: record.id.clone(),
            revision: record.revision,
            content: Some(content.clone()),
        };
        // The first line of a record says who wrote it.
        vec![line(record.created_at, &record.created_by), line(record.updated_at, &record.updated_by)]
    }
}

fn mask_record(record: &mut SharedRecord, mask: fn(&str) -> String) {
    match &mut record.content {
        SharedContent::Note(note) => note.text = mask(&note.text),
        SharedContent::Resolved(mark) => mark.reason = mark.reason.as_deref().map(mask),
        SharedContent::View(_) | SharedContent::Rule(_) | SharedContent::Unknown => {}
    }
    for by in [&mut record.created_by, &mut record.updated_by] {
        *by = by.as_deref().map(mask);
    }
}
