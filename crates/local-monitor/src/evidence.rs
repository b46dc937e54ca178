//! Evidence files of opened logs. The monitor holds no bytes of what it read, so the files are given once more.

use std::io::Read as _;

use coordination::api::{ErrorBody, ErrorCode, EvidenceFormat, EvidenceQuery};
use coordination::event::{LIVE_LOG, first_line_hash};
use coordination::evidence::{self, EventPlace, EvidenceFile, EvidenceHeader, EvidenceScope, LogBytes};
use coordination::query::params::FromPairs as _;
use coordination::transcript::mask;

use crate::content::{FileContentKind, FilePlace, home_of, recognise, unread_kind};
use crate::input::{self, Input, MAX_BYTES, OpenInput};
use crate::monitor::{FileReport, LocalMonitor};
use crate::pairs::pairs;
use crate::routes::{LocalAnswer, not_found, refusal};

/// A log: its name in event ids, its name, its bytes.
type LogCopy = (String, String, Vec<u8>);

impl LocalMonitor {
    /// Answers `GET evidence?QUERY` with an evidence file as NDJSON. `inputs` are the files as they were opened.
    #[must_use]
    pub fn evidence(&self, query: &str, inputs: Vec<Input>, now: i64) -> LocalAnswer {
        let text = self.evidence_text(query, inputs, now);
        text.map_or_else(|refused| refused, |body| LocalAnswer { status: 200, body })
    }

    fn evidence_text(&self, query: &str, inputs: Vec<Input>, now: i64) -> Result<String, LocalAnswer> {
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
        let logs = self.log_copies(&events, inputs).map_err(unavailable)?;
        let bytes: Vec<_> = logs.iter().map(|(token, name, bytes)| LogBytes { token, name, bytes }).collect();
        let mask = query.mask.then_some(mask as fn(&str) -> String);
        let file = EvidenceFile::collect(&events, &bytes, header, mask);
        let mut file = file.map_err(|place| unavailable(format!("{place}: the file was changed since it was read")))?;
        file.name_agents(self.hub().roster(), mask);
        Ok(file.to_text())
    }

    /// The logs that hold these events, in the order of their names with the live log last.
    fn log_copies(&self, events: &[EventPlace], inputs: Vec<Input>) -> Result<Vec<LogCopy>, String> {
        let mut budget = MAX_BYTES;
        let mut opened: Vec<OpenInput> = Vec::new();
        for input in inputs.into_iter().filter(|input| unread_kind(&input.path).is_none()) {
            // What could not be read then has no event.
            opened.extend(input::open(input, &mut budget).into_iter().flatten());
        }
        let home = home_of(opened.iter().map(|input| input.path.as_str()));
        opened.retain(|input| recognise(&input.path, home.as_deref(), &input.head) == FilePlace::Log);
        let name_of = |input: &OpenInput| input.path.rsplit('/').next().unwrap_or(&input.path).to_owned();
        opened.sort_by_cached_key(|input| (input.path.ends_with(LIVE_LOG), name_of(input), input.path.clone()));
        let mut logs: Vec<LogCopy> = Vec::new();
        for mut input in opened {
            let hash = first_line_hash(&input.head);
            let name = name_of(&input);
            let is_of =
                |token: &str| token.split('~').next() == Some(&hash) && self.file_of(token).as_ref() == Some(&name);
            let is_new = |token: &str| !logs.iter().any(|(known, ..)| known == token);
            let token = events.iter().map(|event| &event.token).find(|token| is_of(token) && is_new(token)).cloned();
            let Some(token) = token else { continue };
            let mut bytes = std::mem::take(&mut input.head);
            let limit = budget.saturating_sub(bytes.len() as u64);
            let read = input.rest.take(limit).read_to_end(&mut bytes);
            read.map_err(|error| format!("{}: {error}", input.path))?;
            budget = budget.saturating_sub(bytes.len() as u64);
            logs.push((token, name, bytes));
        }
        Ok(logs)
    }
}

/// A file that is not whole would look whole, so none is made.
fn unavailable(cause: String) -> LocalAnswer {
    refusal(503, &ErrorBody::new(ErrorCode::SourceUnavailable, cause))
}
