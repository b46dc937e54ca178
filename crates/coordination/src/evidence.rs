//! Evidence file: the lines of the log that a work session or a period consists of, with their places and hashes, as
//! NDJSON, or as an HTML page with that text inside. Its last line has the hash of all bytes before it, so that every
//! changed byte is found; held against the log files, missing, added and changed lines are found too.
//!
//! Start at [`EvidenceFile::read`] and [`EvidenceFile::compare`].

mod agents;
mod fault;
mod html;
mod masking;
mod notes;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use self::agents::EvidenceAgent;
pub use self::fault::{EvidenceFault, LinePlace};
pub use self::html::{PAGE_FILE, PAGE_START, PageParts};
use self::masking::masked_line;
pub use self::notes::{EvidenceNote, MessagePlace};
use crate::api::Origin;
use crate::digest::sha256_hex;
use crate::event::parse_lines;
use crate::hub::{Hub, count};
use crate::ids::{SessionId, ThreadId};
use crate::query::retain_found;
use crate::search::index::{Candidates, NoIndex};

/// Value of [`EvidenceHeader::format`].
pub const FORMAT: &str = "task-hub-evidence";
/// The version that this build writes. It also reads 1, which names no agents, and 2, which has no notes.
pub const VERSION: u32 = 3;

/// First line of an evidence file: what it says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceHeader {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`], or an older one.
    pub version: u32,
    /// What the lines are.
    pub scope: EvidenceScope,
    /// Names of the log files; lines name them by their place in this list.
    pub files: Vec<String>,
    /// Number of lines.
    pub lines: u32,
    /// Number of lines with masked texts.
    pub masked: u32,
    /// When it was made, epoch ms.
    pub made_at: i64,
    /// Who made it, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// Program and version that made it.
    pub program: String,
    /// A note of its maker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Agents that the lines name, as the home's roster named them ([`EvidenceFile::name_agents`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<EvidenceAgent>,
    /// Notes and resolved marks about what the file holds, on request ([`EvidenceFile::add_notes`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<EvidenceNote>,
}

impl EvidenceHeader {
    /// The header of a file that is made now, `made_at`; its files and counts come with the lines. A scope without session
    /// and end ends now: later lines would be missing in it.
    #[must_use]
    pub fn new(mut scope: EvidenceScope, made_at: i64, program: String) -> Self {
        if scope.session.is_none() {
            scope.until = scope.until.or(Some(made_at));
        }
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            scope,
            files: Vec::new(),
            lines: 0,
            masked: 0,
            made_at,
            made_by: None,
            program,
            note: None,
            agents: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Which lines of the log an evidence file holds: all that fit each of these.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceScope {
    /// Lines of this work session only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Lines of this thread of the session only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// Lines of events that a search for this text finds, as `GET events?q=`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Lines of events from this time on, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// Lines of events up to this time, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceLine {
    /// Place of its file in [`EvidenceHeader::files`].
    pub file: u32,
    /// Its first byte in the file.
    pub offset: u64,
    /// Its length in bytes, without the line end.
    pub bytes: u64,
    /// SHA-256 of these bytes, as hexadecimal digits; of the original ones where the text is masked.
    pub sha256: String,
    /// The text was masked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// The line. Bytes that are not UTF-8 are U+FFFD.
    pub text: String,
}

/// Last line of an evidence file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EvidenceEnd {
    /// SHA-256 of all bytes before this line.
    sha256: String,
}

/// A whole evidence file.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceFile {
    /// Its first line.
    pub header: EvidenceHeader,
    /// The lines of the log, in order of files and offsets.
    pub lines: Vec<EvidenceLine>,
}

/// A log file, read whole.
#[derive(Debug, Clone, Copy)]
pub struct LogBytes<'a> {
    /// Its name in event ids.
    pub token: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl EvidenceFile {
    /// Collects lines of the log, which `logs` hold. `mask` is given where texts are to be masked.
    ///
    /// # Errors
    /// When an event is not at its place in `logs`: of such a scope no file is made, since it would not be whole.
    pub fn collect(
        events: &[EventPlace],
        logs: &[LogBytes<'_>],
        mut header: EvidenceHeader,
        mask: Option<fn(&str) -> String>,
    ) -> Result<Self, LinePlace> {
        let mut places: BTreeSet<(usize, u64)> = BTreeSet::new();
        for event in events {
            let log = logs.iter().position(|log| log.token == event.token);
            let start = log.and_then(|log| Some((log, event.start_in(logs[log].bytes)?)));
            let name = log.map_or_else(|| event.token.clone(), |log| logs[log].name.to_owned());
            places.insert(start.ok_or(LinePlace { file: name, offset: event.offset })?);
        }
        let mut lines = Vec::new();
        for (log, offset) in places {
            let bytes = line_at(logs[log].bytes, offset);
            let text = String::from_utf8_lossy(bytes);
            let shown = mask.map_or_else(|| text.to_string(), |mask| masked_line(&text, mask));
            lines.push(EvidenceLine {
                file: count(log),
                offset,
                bytes: bytes.len() as u64,
                sha256: sha256_hex(bytes),
                masked: shown != text,
                text: shown,
            });
        }
        if let Some(mask) = mask {
            header.note = header.note.as_deref().map(mask);
        }
        header.files = logs.iter().map(|log| log.name.to_owned()).collect();
        header.lines = count(lines.len());
        header.masked = count(lines.iter().filter(|line| line.masked).count());
        Ok(Self { header, lines })
    }

    /// The bytes of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        push_line(&mut text, &self.header);
        self.lines.iter().for_each(|line| push_line(&mut text, line));
        let end = EvidenceEnd { sha256: sha256_hex(text.as_bytes()) };
        push_line(&mut text, &end);
        text
    }

    /// Reads a file and checks it without the log.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, Vec<EvidenceFault>> {
        let broken = |fault| Err(vec![fault]);
        let Ok(text) = std::str::from_utf8(bytes) else { return broken(EvidenceFault::Changed) };
        let (text, is_page_whole) = match html::data(text) {
            Ok(data) => data.unwrap_or((text, true)),
            Err(fault) => return broken(fault),
        };
        let mut all: Vec<&str> = text.split_inclusive('\n').collect();
        let header = all.first().and_then(|line| serde_json::from_str::<EvidenceHeader>(line).ok());
        let Some(header) = header.filter(|header| header.format == FORMAT) else {
            return broken(EvidenceFault::NotEvidence);
        };
        if !(1..=VERSION).contains(&header.version) {
            return broken(EvidenceFault::UnknownVersion(header.version));
        }
        let end = all.pop().and_then(|line| serde_json::from_str::<EvidenceEnd>(line).ok());
        let Some(end) = end.filter(|_| !all.is_empty()) else { return broken(EvidenceFault::NotEvidence) };
        let body: usize = all.iter().map(|line| line.len()).sum();
        let mut rewritten = String::new();
        push_line(&mut rewritten, &end);
        let mut faults = Vec::new();
        // The last line is compared as a text: it has no hash of its own.
        if sha256_hex(&text.as_bytes()[..body]) != end.sha256 || rewritten != text[body..] {
            faults.push(EvidenceFault::Changed);
        } else if !is_page_whole {
            faults.push(EvidenceFault::ChangedPage);
        }
        let mut lines: Vec<EvidenceLine> = Vec::new();
        for (number, line) in all.iter().enumerate().skip(1) {
            match serde_json::from_str(line) {
                Ok(line) => lines.push(line),
                Err(_) => faults.push(EvidenceFault::BadLine(number + 1)),
            }
        }
        let file = Self { header, lines };
        faults.extend(file.own_faults());
        if faults.is_empty() { Ok(file) } else { Err(faults) }
    }

    fn own_faults(&self) -> Vec<EvidenceFault> {
        let mut faults = Vec::new();
        let found = count(self.lines.len());
        if found != self.header.lines {
            faults.push(EvidenceFault::WrongCount { said: self.header.lines, found });
        }
        let mut before = None;
        for line in &self.lines {
            let place = (line.file, line.offset);
            if before >= Some(place) || self.header.files.get(line.file as usize).is_none() {
                faults.push(EvidenceFault::WrongPlace(self.place(line)));
            }
            before = Some(place);
            // A masked text has another hash than the line, and so has one with bytes that are not UTF-8.
            let is_exact = !line.masked && !line.text.contains('\u{FFFD}');
            if is_exact && (sha256_hex(line.text.as_bytes()) != line.sha256 || line.text.len() as u64 != line.bytes) {
                faults.push(EvidenceFault::WrongHash(self.place(line)));
            }
        }
        faults
    }

    /// Compares it with log files, all that `hub` has read. A file may have another name since: lines
    /// are looked for at their places in all files. Returns all differences.
    #[must_use]
    pub fn compare(&self, hub: &Hub, logs: &[LogBytes<'_>], mask: fn(&str) -> String) -> Vec<EvidenceFault> {
        let mut faults = Vec::new();
        let mut found: BTreeSet<LinePlace> = BTreeSet::new();
        for line in &self.lines {
            let named = self.header.files.get(line.file as usize);
            let is_named = |log: &&LogBytes<'_>| Some(log.name) == named.map(String::as_str);
            let others = logs.iter().filter(|log| !is_named(log));
            let holds = |log: &&LogBytes<'_>| sha256_hex(line_at(log.bytes, line.offset)) == line.sha256;
            let Some(log) = logs.iter().filter(is_named).chain(others).find(holds) else {
                faults.push(EvidenceFault::NotInLog(self.place(line)));
                continue;
            };
            let text = String::from_utf8_lossy(line_at(log.bytes, line.offset));
            let expected = if line.masked { masked_line(&text, mask) } else { text.into_owned() };
            if expected != line.text {
                let fault = if line.masked { EvidenceFault::WrongMask } else { EvidenceFault::WrongHash };
                faults.push(fault(self.place(line)));
            }
            found.insert(LinePlace { file: log.name.to_owned(), offset: line.offset });
        }
        let place = |event: EventPlace| {
            let log = logs.iter().find(|log| log.token == event.token)?;
            Some(LinePlace { file: log.name.to_owned(), offset: event.start_in(log.bytes)? })
        };
        let events = events(hub, &self.header.scope).unwrap_or_default();
        let scope: BTreeSet<LinePlace> = events.into_iter().filter_map(place).collect();
        faults.extend(scope.difference(&found).cloned().map(EvidenceFault::Missing));
        faults.extend(found.difference(&scope).cloned().map(EvidenceFault::OutOfScope));
        faults
    }

    /// Where the log has one of its lines.
    #[must_use]
    pub fn place(&self, line: &EvidenceLine) -> LinePlace {
        let file = self.header.files.get(line.file as usize).cloned().unwrap_or_default();
        LinePlace { file, offset: line.offset }
    }
}

/// An event of the log, by the place of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPlace {
    /// Name of the file in event ids.
    pub token: String,
    /// First byte of the event. Several may be glued together on one line.
    pub offset: u64,
    /// Time of the event, epoch ms.
    pub at: i64,
}

impl EventPlace {
    /// Start of its line in a file, if the event is in it.
    fn start_in(&self, bytes: &[u8]) -> Option<u64> {
        let start = line_start(bytes, self.offset)?;
        let line = [line_at(bytes, start), b"\n"].concat();
        let (events, _) = parse_lines(&line, "", start);
        events.iter().any(|event| event.at == self.at).then_some(start)
    }
}

/// Events of the log in a scope. `None` when the hub does not know the session or thread.
#[must_use]
pub fn events(hub: &Hub, scope: &EvidenceScope) -> Option<Vec<EventPlace>> {
    events_with_index(hub, &NoIndex, scope)
}

/// [`events`] with a search index, so that a search reads only candidate events.
#[must_use]
pub fn events_with_index(hub: &Hub, by: &impl Candidates, scope: &EvidenceScope) -> Option<Vec<EventPlace>> {
    let mut events = match &scope.session {
        Some(session) => hub.session(session)?.events.clone(),
        None => hub.events.timeline.list.clone(),
    };
    if let Some(thread) = &scope.thread {
        let threads = &hub.session(scope.session.as_ref()?)?.state.threads;
        let number = count(threads.iter().position(|known| known.id == *thread)?);
        events.retain(|event| hub.meta_of(*event).thread == number);
    }
    let (since, until) = (scope.since.unwrap_or(i64::MIN), scope.until.unwrap_or(i64::MAX));
    events.retain(|event| (since..=until).contains(&hub.at(*event)) && hub.events.log.origin(*event) == Origin::Log);
    if let Some(text) = &scope.q {
        retain_found(hub, by, text, &mut events);
    }
    let line = |event: &u32| {
        let (token, offset) = hub.events.log.parts(*event);
        EventPlace { token: token.to_owned(), offset: offset.unwrap_or(u64::MAX), at: hub.at(*event) }
    };
    Some(events.iter().map(line).collect())
}

/// First byte of the line in which an event begins; none behind the end.
fn line_start(bytes: &[u8], offset: u64) -> Option<u64> {
    let before = bytes.get(..usize::try_from(offset).ok()?)?;
    Some(before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1) as u64)
}

/// The bytes of a line, without its end.
fn line_at(bytes: &[u8], offset: u64) -> &[u8] {
    let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn push_line(text: &mut String, value: &impl Serialize) {
    // Plain structs of texts and numbers can always be written.
    let line = serde_json::to_string(value).unwrap_or_default();
    // In JSON it occurs in strings only. Without it no text can end the element of a page around it.
    text.push_str(&line.replace('<', "\\u003c"));
    text.push('\n');
}
