//! Type `SourceMirror`: one machine of a fleet as an aggregator has it, and how messages about it are applied.

use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use coordination::api::{FleetSource, FleetSourceState};
use coordination::roster::Roster;

use super::{Fleet, FleetMember};
use crate::app::AppState;
use crate::fleet::batch::{self, LogBatch};
use crate::fleet::inventory::{self, CONFIG, MAX_FILE_BYTES};
use crate::fleet::messages::{Hello, Layout};
use crate::fleet::mirror::Mirror;
use crate::fleet::publish::FILE_PATH;
use crate::fleet::streams::Topic;

/// A second publisher is named for so long after it was seen.
const CONFLICT_SHOWN_MS: i64 = 3_600_000;
/// What a hello says is published has come here after so long, if the stream has it.
const SETTLED_AFTER: Duration = Duration::from_secs(5);

/// A source here.
pub(super) struct SourceMirror {
    pub(super) mirror: Mirror,
    /// Name in addresses, once it has said hello.
    pub(super) name: Option<String>,
    pub(super) hello: Option<Hello>,
    /// When that was, by the clock of the servers, and not after this monitor's own.
    pub(super) hello_at: Option<i64>,
    /// When it came here.
    pub(super) arrived: Option<Instant>,
    pub(super) conflict_at: Option<i64>,
    pub(super) app: Option<AppState>,
}

impl SourceMirror {
    pub(super) fn new(mirror: Mirror) -> Self {
        Self { mirror, name: None, hello: None, hello_at: None, arrived: None, conflict_at: None, app: None }
    }

    /// Applies a message about this source.
    pub(super) fn take(
        &mut self,
        topic: Topic,
        subject: &str,
        (headers, payload): (&HeaderMap, &[u8]),
        at: i64,
    ) -> std::io::Result<()> {
        let mirror = &mut self.mirror;
        match topic {
            Topic::Log => match LogBatch::read(headers, payload) {
                Ok(batch) => {
                    let generation = subject.rsplit('.').next().unwrap_or_default();
                    mirror.apply(generation, &batch)?;
                }
                Err(fault) => {
                    tracing::warn!(%fault, subject, "fleet: a batch is refused");
                    mirror.refuse();
                }
            },
            Topic::File => {
                let limit = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
                match headers.get(FILE_PATH).map(|path| path.as_str().to_owned()) {
                    Some(path) if payload.is_empty() => mirror.remove(&path)?,
                    Some(path) => match batch::unpacked(payload, limit).and_then(|bytes| inside_mirror(&path, bytes)) {
                        Some(bytes) => mirror.replace(&path, &bytes)?,
                        None => mirror.refuse(),
                    },
                    None => mirror.refuse(),
                }
            }
            Topic::Layout => match Layout::read(payload) {
                Some(layout) => mirror.arrange(layout)?,
                None => mirror.refuse(),
            },
            Topic::Hello => match Hello::read(payload) {
                Some(hello) => {
                    (self.hello, self.hello_at, self.arrived) = (Some(hello), Some(at), Some(Instant::now()));
                }
                None => mirror.refuse(),
            },
            Topic::Conflict => self.conflict_at = Some(at),
        }
        Ok(())
    }

    /// Name of a machine whose monitor does not run yet; its id where it gave none.
    pub(super) fn pending_name(&self, id: &str) -> Option<String> {
        let hello_name = || self.hello.as_ref().map(|hello| hello.name.clone());
        let name = || self.name.clone().or_else(hello_name).filter(|name| !name.is_empty());
        self.app.is_none().then(|| name().unwrap_or_else(|| id.to_owned()))
    }

    pub(super) fn member(&self, fleet: &Fleet, id: &str, (now, is_read): (i64, bool)) -> Option<FleetMember> {
        let (hello, name, app) = (self.hello.as_ref()?, self.name.as_ref()?, self.app.as_ref()?);
        let state = self.mirror.state();
        let mut info = FleetSource {
            id: id.to_owned(),
            name: name.clone(),
            last_seen: self.hello_at,
            clock_ahead_ms: self.hello_at.map_or(0, |hello_at| hello.at.saturating_sub(hello_at)),
            version: hello.version.clone(),
            text: hello.text.clone(),
            bytes: self.mirror.bytes(),
            // What came since the hello was unpublished then.
            bytes_behind: hello.unpublished.saturating_sub(self.mirror.beyond(&hello.logs)),
            holes: self.mirror.holes(),
            skipped: hello.skipped.clone(),
            refused: state.refused,
            ..FleetSource::default()
        };
        let lacking = self.mirror.lacking(&hello.logs);
        if is_read && self.arrived.is_some_and(|arrived| arrived.elapsed() > SETTLED_AFTER) {
            // The stream is read to its end and did not have it.
            info.holes.extend(lacking);
        } else {
            let bytes = lacking.iter().map(|hole| hole.to - hole.from);
            info.bytes_behind = bytes.fold(info.bytes_behind, u64::saturating_add);
        }
        info.state = self.state_of(&info, now);
        Some(FleetMember { id: id.to_owned(), info, app: app.clone(), has_reads: hello.reads, fleet: fleet.clone() })
    }

    /// Shows the permission requests of the last hello that can be answered now.
    pub(super) fn show_requests(&self, now: i64) {
        let (Some(hello), Some(app)) = (&self.hello, &self.app) else { return };
        let Some(hello_at) = self.hello_at.filter(|at| now.saturating_sub(*at) <= FleetSource::SILENT_AFTER_MS) else {
            return app.permissions().shown().show(Vec::new());
        };
        // By the clock of the machine.
        let now = now.saturating_add(hello.at.saturating_sub(hello_at));
        app.permissions().shown().show(hello.open_requests(now));
    }

    fn state_of(&self, info: &FleetSource, now: i64) -> FleetSourceState {
        let is_recent = |at: i64| now.saturating_sub(at) < CONFLICT_SHOWN_MS;
        let is_silent =
            self.hello_at.is_none_or(|hello_at| now.saturating_sub(hello_at) > FleetSource::SILENT_AFTER_MS);
        if self.conflict_at.is_some_and(is_recent) {
            FleetSourceState::Conflict
        } else if self.hello.as_ref().is_some_and(|hello| hello.stopped) {
            FleetSourceState::Stopped
        } else if is_silent {
            FleetSourceState::Silent
        } else if info.bytes_behind > 0 {
            FleetSourceState::Behind
        } else if !info.holes.is_empty() || info.refused > 0 {
            FleetSourceState::Incomplete
        } else {
            FleetSourceState::Live
        }
    }
}

/// A file as it is written here. A configuration is made again from its agents, so that it names no folder outside the mirror.
fn inside_mirror(path: &str, bytes: Vec<u8>) -> Option<Vec<u8>> {
    if path != CONFIG {
        return Some(bytes);
    }
    let text = String::from_utf8(bytes).ok()?;
    let roster = Roster::parse(&text, &mut |path| Err(format!("{path} is not included"))).ok()?;
    Some(inventory::published_config(&roster, true).to_string().into_bytes())
}

/// Whether a message has to come again: this machine cannot write now, whatever the message is.
pub(super) fn comes_again(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    let kinds =
        [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::ReadOnlyFilesystem, ErrorKind::Interrupted];
    // EIO, ENFILE and EMFILE have no kind.
    kinds.contains(&error.kind()) || matches!(error.raw_os_error(), Some(5 | 23 | 24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_of_a_machine_names_nothing_outside_its_mirror() {
        let text = br#"{"session":{"store":"/etc"},"agents":{"list":[{"id":"eden","workspace":"/etc","identity":{"avatar":"/etc/a.png"}},{"id":"seum","workspace":"~/x","agentDir":"/etc"}]}}"#;
        let written = String::from_utf8(inside_mirror(CONFIG, text.to_vec()).expect("a configuration")).expect("UTF-8");
        assert!(written.contains("workspace-eden") && written.contains("workspace-seum"), "{written}");
        assert!(!written.contains("/etc") && !written.contains('~'), "{written}");
        assert_eq!(inside_mirror(CONFIG, b"{".to_vec()), None);
        assert_eq!(inside_mirror("team-state.json", b"{".to_vec()).as_deref(), Some(b"{".as_slice()));
    }
}
