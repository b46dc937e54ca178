//! Evidence files of opened logs. The monitor holds no bytes of what it read, so the files are given once more.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Read as _};

use coordination::api::{ErrorBody, ErrorCode, EvidenceFormat, EvidenceQuery};
use coordination::event::{LIVE_LOG, first_line_hash};
use coordination::evidence::{self, EventPlace, EvidenceFile, EvidenceHeader, EvidenceScope, LogBytes};
use coordination::query::notes_of;
use coordination::query::params::FromPairs as _;
use coordination::transcript::mask;

use crate::content::{FileContentKind, FilePlace, recognise};
use crate::input::{self, Input, InputFile, OpenInput};
use crate::monitor::{FileReport, LocalMonitor};
use crate::pairs::pairs;
use crate::routes::{LocalAnswer, not_found, refusal};

/// Bytes of opened logs of which one evidence file is made, at most: they are in memory beside what the hub holds of them.
pub const MAX_EVIDENCE_BYTES: u64 = 256 << 20;

/// A log: its name in event ids, its name, its bytes.
type LogCopy = (String, String, Vec<u8>);

impl LocalMonitor {
    /// Answers `GET evidence?QUERY` with an evidence file as NDJSON. `inputs` are the files as they were opened.
    #[must_use]
    pub fn evidence(&self, query: &str, inputs: Vec<Input>, now: i64) -> LocalAnswer {
        self.evidence_within(query, inputs, now, MAX_EVIDENCE_BYTES)
    }

    /// The same of logs of at most so many bytes.
    pub(crate) fn evidence_within(&self, query: &str, inputs: Vec<Input>, now: i64, max_bytes: u64) -> LocalAnswer {
        let text = self.evidence_text(query, inputs, now, max_bytes);
        text.map_or_else(|refused| refused, |body| LocalAnswer { status: 200, body })
    }

    fn evidence_text(&self, query: &str, inputs: Vec<Input>, now: i64, max_bytes: u64) -> Result<String, LocalAnswer> {
        let query = EvidenceQuery::from_pairs(&pairs(query))?;
        if query.format != EvidenceFormat::Ndjson {
            let error = ErrorBody::new(ErrorCode::InvalidValue, "format: opened files are saved as ndjson only");
            return Err(refusal(400, &ErrorBody { field: Some("format".to_owned()), ..error }));
        }
        let EvidenceQuery { session, thread, q, since, until, .. } = query;
        let scope = EvidenceScope { session, thread, q, since, until };
        let header = EvidenceHeader {
            made_by: query.by,
            note: query.note,
            ..EvidenceHeader::new(scope, now, format!("task-hub {}", env!("CARGO_PKG_VERSION")))
        };
        // An evidence file must not look whole where lines were not read.
        let is_unread = |report: &FileReport| report.kind == FileContentKind::Log && report.error.is_some();
        if !self.progress().done || self.reports().iter().any(is_unread) {
            return Err(unavailable("the opened logs are not read to their end".to_owned()));
        }
        let events = evidence::events_with_index(self.hub(), self.index(), &header.scope);
        let events = events.filter(|events| !events.is_empty()).ok_or_else(not_found)?;
        let logs = self.log_copies(&events, inputs, max_bytes)?;
        let bytes: Vec<_> = logs.iter().map(|(token, name, bytes)| LogBytes { token, name, bytes }).collect();
        let mask = query.mask.then_some(mask as fn(&str) -> String);
        let file = EvidenceFile::collect(&events, &bytes, header, mask);
        let mut file = file.map_err(|place| unavailable(format!("{place}: the file was changed since it was read")))?;
        file.name_agents(self.hub().roster(), mask);
        if query.notes {
            let notes = notes_of(self.hub(), file.header.scope.session.as_ref());
            file.add_notes(notes, &bytes, mask);
        }
        Ok(file.to_text())
    }

    /// The logs that hold these events, in the order of their names with the live log last.
    fn log_copies(
        &self,
        events: &[EventPlace],
        inputs: Vec<Input>,
        max_bytes: u64,
    ) -> Result<Vec<LogCopy>, LocalAnswer> {
        let needed: BTreeSet<&str> = events.iter().map(|event| event.token.as_str()).collect();
        // Of logs with one path each has its turn, in the order in which they were read.
        let mut tokens: BTreeMap<&str, VecDeque<Option<&str>>> = BTreeMap::new();
        for (path, token) in self.log_tokens() {
            tokens.entry(path).or_default().push_back(token.as_deref());
        }
        tokens.retain(|_, tokens| tokens.iter().flatten().any(|token| needed.contains(token)));
        let (mut budget, mut left) = (max_bytes, max_bytes);
        let mut opened: Vec<OpenInput> = Vec::new();
        for input in inputs {
            for file in input::open(input, &mut budget, &|path| tokens.contains_key(path)) {
                match file {
                    InputFile::Open(input) => opened.push(input),
                    InputFile::Failed(_, error) if error.kind() == io::ErrorKind::FileTooLarge => {
                        return Err(too_large(max_bytes));
                    }
                    // What could not be read then has no event.
                    InputFile::Failed(..) | InputFile::Waiting(_) | InputFile::Unread(..) => {}
                }
            }
        }
        opened.retain(|input| recognise(&input.path, self.home_folder(), &input.head) == FilePlace::Log);
        opened.sort_by_cached_key(OpenInput::log_order);
        let mut logs: Vec<(bool, String, LogCopy)> = Vec::new();
        for mut input in opened {
            let token = tokens.get_mut(input.path.as_str()).and_then(VecDeque::pop_front).flatten();
            // Another first line: the file was changed since.
            let hash = first_line_hash(&input.head);
            let is_of = |token: &&str| needed.contains(token) && token.split('~').next() == Some(&hash);
            let Some(token) = token.filter(is_of) else { continue };
            let mut bytes = std::mem::take(&mut input.head);
            let limit = left.saturating_sub(bytes.len() as u64);
            let read = input.rest.take(limit + 1).read_to_end(&mut bytes);
            read.map_err(|error| unavailable(format!("{}: {error}", input.path)))?;
            left = left.checked_sub(bytes.len() as u64).ok_or_else(|| too_large(max_bytes))?;
            let name = input.path.rsplit('/').next().unwrap_or(&input.path).to_owned();
            logs.push((input.path.ends_with(LIVE_LOG), input.path, (token.to_owned(), name, bytes)));
        }
        logs.sort_by(|(live, path, (_, name, _)), (other_live, other_path, (_, other_name, _))| {
            (live, name, path).cmp(&(other_live, other_name, other_path))
        });
        Ok(logs.into_iter().map(|(_, _, log)| log).collect())
    }
}

/// The logs do not fit beside what the page holds of them.
fn too_large(max_bytes: u64) -> LocalAnswer {
    let limit = max_bytes >> 20;
    let error = format!("an evidence file is made of at most {limit} MiB of opened logs; these are larger");
    refusal(413, &ErrorBody::new(ErrorCode::TooLarge, error))
}

/// A file that is not whole would look whole, so none is made.
fn unavailable(cause: String) -> LocalAnswer {
    refusal(503, &ErrorBody::new(ErrorCode::SourceUnavailable, cause))
}
