//! Builder of events that report rejected inputs (`contract/event-schema-v1_1.md` §A.2, §A.3), with a rate limit.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::event::moment;
use super::{Defaults, Fault, Kind, SchemaEvent, Severity, Source, VERSION, canonical, check, event_id};
use protocol::digest::digest_hex;

/// Faults that one event lists; the rest are counted in it.
const MAX_REPORTED_FAULTS: usize = 50;
/// Sources that are counted separately; a flood of names is one source.
const MAX_SOURCES: usize = 64;
/// What a source may do once in this time.
const REPORT_INTERVAL_MS: i64 = 1000;
/// Agent of the event when the input names none.
const UNKNOWN_AGENT: &str = "system/schema";

/// The `schema_error` in place of a rejected input. It quotes nothing of it but its id, if that is one: what was not
/// understood may be anything. The same input with the same faults from the same source has the same id.
#[must_use]
pub fn schema_error(faults: &[Fault], rejected: &Value, source: &str, arrived_at: i64) -> SchemaEvent {
    let hash = digest_hex(&canonical(rejected), 64);
    let errors: Vec<Value> =
        faults.iter().take(MAX_REPORTED_FAULTS).map(|fault| json!({"path": fault.path, "code": fault.code})).collect();
    let id = event_id(&json!(["schema_error", source, hash, errors]));
    let whole = |name: &str| valid_field(rejected, name);
    let mut payload = Map::new();
    payload.insert("errors".to_owned(), Value::Array(errors));
    if faults.len() > MAX_REPORTED_FAULTS {
        payload.insert("more".to_owned(), json!(faults.len() - MAX_REPORTED_FAULTS));
    }
    if let Some(id) = whole("id") {
        payload.insert("rejected_id".to_owned(), json!(id));
    }
    let mut raw = Map::new();
    raw.insert("provider".to_owned(), json!(source));
    raw.insert("hash".to_owned(), json!(hash));
    SchemaEvent {
        id,
        version: VERSION.to_owned(),
        ts: moment(arrived_at),
        kind: Kind::SchemaError,
        source: Source::Synthetic,
        workspace_id: whole("workspace_id").unwrap_or_else(|| "unknown".to_owned()),
        terminal_session_id: whole("terminal_session_id").unwrap_or_else(|| "unknown".to_owned()),
        run_id: None,
        session_id: whole("session_id"),
        agent_id: whole("agent_id").unwrap_or_else(|| UNKNOWN_AGENT.to_owned()),
        target_agent_id: None,
        task_id: None,
        severity: Severity::Error,
        locale: None,
        payload,
        raw: Some(raw),
        extra: Map::new(),
    }
}

/// A field of the rejected input that is valid by itself: judged by the check, in an event that is valid
/// otherwise.
fn valid_field(rejected: &Value, name: &str) -> Option<String> {
    let text = rejected.get(name)?.as_str()?;
    let mut probe = json!({
        "id": "probe", "version": VERSION, "ts": "2026-01-01T00:00:00Z", "type": "agent_started", "source": "sdk",
        "agent_id": UNKNOWN_AGENT,
    });
    probe[name] = json!(text);
    let defaults = Defaults { workspace_id: "-", terminal_session_id: "-", locale: "", arrived_at: 0 };
    check(&probe, &defaults).is_ok().then(|| text.to_owned())
}

/// How many rejected inputs of each source become an event: one a second. The others are counted (§A.3).
#[derive(Debug, Clone, Default)]
pub struct ErrorRate {
    sources: BTreeMap<String, Rate>,
    left_out: u64,
}

#[derive(Debug, Clone, Copy)]
struct Rate {
    last: i64,
    left_out: u64,
}

impl ErrorRate {
    /// Whether an error of this source at this moment (epoch milliseconds) becomes an event.
    pub fn take(&mut self, source: &str, now: i64) -> bool {
        let known = self.sources.contains_key(source) || self.sources.len() < MAX_SOURCES;
        let rate = match self.sources.entry(if known { source } else { "" }.to_owned()) {
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(Rate { last: now, left_out: 0 });
                return true;
            }
            std::collections::btree_map::Entry::Occupied(rate) => rate.into_mut(),
        };
        // A clock that was set back says nothing about how long ago that was.
        if now < rate.last || now.saturating_sub(rate.last) >= REPORT_INTERVAL_MS {
            rate.last = now;
            return true;
        }
        rate.left_out += 1;
        self.left_out += 1;
        false
    }

    /// How many errors of a source became no event.
    #[must_use]
    pub fn left_out_of(&self, source: &str) -> u64 {
        self.sources.get(source).map_or(0, |rate| rate.left_out)
    }

    /// How many of all sources.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}
