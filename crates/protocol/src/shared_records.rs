//! Replay of `task-hub-shared.ndjson`, the file of notes, resolved marks, views for everybody and rules of alerts, and
//! what the next change may be.

use std::collections::BTreeMap;

use crate::api::{MAX_SHARED_RECORDS, SharedContent, SharedLine, SharedRecord};

/// All shared records: the replay of the lines of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharedRecords {
    /// Every id ever used. Grows with the file.
    entries: BTreeMap<String, SharedEntry>,
    /// Number of entries with content.
    in_force: usize,
}

/// The newest state of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SharedEntry {
    revision: u32,
    /// `None` after a removal.
    content: Option<SharedContent>,
    created: (i64, Option<String>),
    updated: (i64, Option<String>),
}

/// Why a change of a shared record is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedRefusal {
    /// Another change came first, or the id or place is taken; an English description of what is in force.
    Conflict(String),
    /// There are [`MAX_SHARED_RECORDS`] records.
    Full,
}

impl SharedRecords {
    /// Applies a line of the file. The newest line of an id holds.
    pub fn apply(&mut self, line: SharedLine) {
        let by = (line.at, line.by);
        let known = self.entries.remove(&line.id);
        let was_in_force = known.as_ref().is_some_and(|entry| entry.content.is_some());
        self.in_force = self.in_force + usize::from(line.content.is_some()) - usize::from(was_in_force);
        let created = known.map_or_else(|| by.clone(), |entry| entry.created);
        let entry = SharedEntry { revision: line.revision, content: line.content, created, updated: by };
        self.entries.insert(line.id, entry);
    }

    /// Revision that a change gives the record `id`; `None` when it says what is in force already, as a repeated request
    /// does. Without `content` the record is removed.
    ///
    /// # Errors
    /// When `expected` is not the revision in force, the record is of another kind, another mark has the same place, or
    /// there is no room.
    pub fn next_revision(
        &self,
        id: &str,
        content: Option<&SharedContent>,
        expected: Option<u32>,
    ) -> Result<Option<u32>, SharedRefusal> {
        let entry = self.entries.get(id);
        let current = entry.and_then(|entry| entry.content.as_ref());
        if current == content {
            return Ok(None);
        }
        let revision = self.revision(id);
        let other_kind = current.zip(content).is_some_and(|(current, content)| current.kind() != content.kind());
        if other_kind || expected.is_some_and(|expected| expected != revision) {
            return Err(SharedRefusal::Conflict(entry.map_or_else(|| "not there".to_owned(), describe)));
        }
        if let Some(SharedContent::Resolved(mark)) = content {
            let same_place = |(other, entry): &(&String, &SharedEntry)| {
                let is_mark = matches!(&entry.content, Some(SharedContent::Resolved(_)));
                *other != id && is_mark && entry.content.as_ref().and_then(SharedContent::place) == Some(&mark.place)
            };
            if let Some((_, other)) = self.entries.iter().find(same_place) {
                return Err(SharedRefusal::Conflict(format!("resolved already, {}", describe(other))));
            }
        }
        if content.is_some() && current.is_none() && self.in_force >= MAX_SHARED_RECORDS {
            return Err(SharedRefusal::Full);
        }
        // Only a foreign line gives such a number.
        revision.checked_add(1).map(Some).ok_or_else(|| SharedRefusal::Conflict("at its last revision".to_owned()))
    }

    /// Whether no id was ever used.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Lines whose replay gives these records, removals included. Who wrote a record first, and when, is not in them.
    #[must_use]
    pub fn lines(&self) -> Vec<SharedLine> {
        let line = |(id, entry): (&String, &SharedEntry)| SharedLine {
            at: entry.updated.0,
            by: entry.updated.1.clone(),
            request_id: "restored".to_owned(),
            id: id.clone(),
            revision: entry.revision,
            content: entry.content.clone(),
        };
        self.entries.iter().map(line).collect()
    }

    /// Revision of an id, removed or not; 0 for one that was never used.
    #[must_use]
    pub fn revision(&self, id: &str) -> u32 {
        self.entries.get(id).map_or(0, |entry| entry.revision)
    }

    /// The record `id`; `None` when it was removed or never written.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<SharedRecord> {
        self.entries.get_key_value(id).and_then(|(id, entry)| record(id, entry))
    }

    /// All records in force, oldest first. Kinds of newer versions are left out.
    #[must_use]
    pub fn all(&self) -> Vec<SharedRecord> {
        let mut records: Vec<SharedRecord> = self.entries.iter().filter_map(|(id, entry)| record(id, entry)).collect();
        records.retain(|record| record.content != SharedContent::Unknown);
        records.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        records
    }
}

fn record(id: &str, entry: &SharedEntry) -> Option<SharedRecord> {
    Some(SharedRecord {
        id: id.to_owned(),
        revision: entry.revision,
        content: entry.content.clone()?,
        created_at: entry.created.0,
        created_by: entry.created.1.clone(),
        updated_at: entry.updated.0,
        updated_by: entry.updated.1.clone(),
    })
}

fn describe(entry: &SharedEntry) -> String {
    let state = if entry.content.is_some() { "at revision" } else { "removed, at revision" };
    let by = entry.updated.1.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
    format!("{state} {}{by}", entry.revision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Note, NotePlace, ResolvedMark};
    use crate::ids::SessionId;

    fn note(text: &str) -> SharedContent {
        let place = NotePlace { work_session_id: SessionId::from("ws_1"), thread_id: None, event_id: None };
        SharedContent::Note(Note { place, text: text.to_owned() })
    }

    fn mark() -> SharedContent {
        let place = NotePlace { work_session_id: SessionId::from("ws_1"), thread_id: None, event_id: None };
        SharedContent::Resolved(ResolvedMark { place, reason: None })
    }

    fn write(records: &mut SharedRecords, id: &str, content: Option<SharedContent>, at: i64) {
        let revision = records.next_revision(id, content.as_ref(), None).unwrap().unwrap();
        let line = SharedLine { at, by: None, request_id: String::new(), id: id.to_owned(), revision, content };
        records.apply(line);
    }

    #[test]
    fn change_needs_the_revision_that_its_author_saw() {
        let mut records = SharedRecords::default();
        assert_eq!(records.next_revision("a", Some(&note("하나")), Some(0)), Ok(Some(1)));
        write(&mut records, "a", Some(note("하나")), 1);
        assert_eq!(records.next_revision("a", Some(&note("하나")), Some(0)), Ok(None), "a repeated request");
        let late = records.next_revision("a", Some(&note("둘")), Some(0));
        assert_eq!(late, Err(SharedRefusal::Conflict("at revision 1".to_owned())));
        write(&mut records, "a", None, 2);
        assert_eq!(records.get("a"), None);
        let lost = records.next_revision("a", Some(&note("둘")), Some(1));
        assert_eq!(lost, Err(SharedRefusal::Conflict("removed, at revision 2".to_owned())));
        write(&mut records, "a", Some(note("둘")), 3);
        let restored = records.get("a").unwrap();
        assert_eq!((restored.revision, restored.created_at, restored.updated_at), (3, 1, 3));
    }

    #[test]
    fn place_has_one_resolved_mark() {
        let mut records = SharedRecords::default();
        write(&mut records, "a", Some(mark()), 1);
        assert!(matches!(records.next_revision("b", Some(&mark()), Some(0)), Err(SharedRefusal::Conflict(_))));
        assert!(matches!(records.next_revision("a", Some(&note("x")), None), Err(SharedRefusal::Conflict(_))));
        write(&mut records, "a", None, 2);
        assert_eq!(records.next_revision("b", Some(&mark()), Some(0)), Ok(Some(1)));
    }

    #[test]
    fn line_of_a_newer_version_keeps_its_id_and_is_not_listed() {
        let mut records = SharedRecords::default();
        let line = r#"{"at":1,"id":"a","revision":4,"content":{"kind":"poll","text":"?"}}"#;
        records.apply(serde_json::from_str(line).unwrap());
        assert_eq!((records.all().len(), records.revision("a")), (0, 4));
        assert!(matches!(records.next_revision("a", Some(&note("x")), None), Err(SharedRefusal::Conflict(_))));
    }

    #[test]
    fn restored_lines_give_the_same_records() {
        let mut records = SharedRecords::default();
        write(&mut records, "a", Some(note("하나")), 1);
        write(&mut records, "b", Some(mark()), 2);
        write(&mut records, "b", None, 3);
        let mut restored = SharedRecords::default();
        records.lines().into_iter().for_each(|line| restored.apply(line));
        assert_eq!((restored.all(), restored.revision("b")), (records.all(), 2));
    }

    #[test]
    fn last_revision_of_a_foreign_line_is_refused() {
        let mut records = SharedRecords::default();
        records.apply(serde_json::from_str(r#"{"at":1,"id":"a","revision":4294967295}"#).unwrap());
        assert!(matches!(records.next_revision("a", Some(&note("x")), None), Err(SharedRefusal::Conflict(_))));
    }
}
