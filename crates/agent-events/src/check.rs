//! Validator of schema events (`contract/event-schema-v1_1.md` §A.1–§A.3, §A.6). It turns a JSON value into an event,
//! or into a list of faults: one for each faulty field, at most 100. An event of another major version has only the
//! fault `unsupported_version`.

mod form;
mod needs;

use serde_json::{Map, Value};

use self::form::{FieldFormat, depth_over, name_of, size_of};
use super::event::moment;
use super::{Fault, Kind, SchemaEvent, Severity, Source, VERSION};

/// Most letters of an id (§A.1).
const MAX_ID_LETTERS: usize = 128;
/// Most letters of a name that is no id: a workspace, a terminal, a run, a task.
const NAME_LETTERS: usize = 256;
/// Most letters of either part of `team/agent` (§C.3).
const PART_LETTERS: usize = 64;
/// Most bytes of a payload, of unknown fields, and of the provenance, as canonical JSON.
const PAYLOAD_BYTES: usize = 64 * 1024;
const RAW_BYTES: usize = 16 * 1024;
/// Deepest nesting inside an event; later recursion over it is safe.
const MAX_DEPTH: usize = 32;
/// Most faults reported of one input: more than an event has fields, fewer than a list of thirty thousand wrong names.
const MAX_FAULTS: usize = 100;

/// What the server fills in where an input is silent (§A.1, §A.6).
#[derive(Debug, Clone, Copy)]
pub struct Defaults<'a> {
    /// Workspace of an input that names none.
    pub workspace_id: &'a str,
    /// Terminal of an input that names none.
    pub terminal_session_id: &'a str,
    /// The server's locale, a BCP-47 tag; empty: none.
    pub locale: &'a str,
    /// When the input arrived, in epoch milliseconds.
    pub arrived_at: i64,
}

/// Reads one event. Unknown fields are stored, unknown types of a 1.x version too (§A.2, §A.6); a missing version with
/// the shape of the first document is 1.0 and is converted to 1.1.
///
/// # Errors
/// All faults (the first hundred), in the order of the fields in §A.1 and then of §A.3: `type` (another JSON type),
/// `required`, `format`, `length`, `enum`, `offset` (a time that is not UTC), `depth`. Of another major version nothing is
/// judged but that: `unsupported_version`.
pub fn check(value: &Value, defaults: &Defaults<'_>) -> Result<SchemaEvent, Vec<Fault>> {
    let Value::Object(fields) = value else { return Err(vec![fault("", "type")]) };
    let mut faults = Faults::default();
    let version = version_of(fields, &mut faults)?;
    let mut reader = SchemaFieldReader { fields, faults };
    let event = reader.event(version, defaults);
    needs::of_kind(&event, &mut reader.faults);
    if reader.faults.list.is_empty() { Ok(event) } else { Err(reader.faults.list) }
}

/// Makes a fault.
fn fault(path: &str, code: &str) -> Fault {
    Fault { path: path.to_owned(), code: code.to_owned() }
}

/// Faults in the order in which they were found, the first of each place.
#[derive(Default)]
struct Faults {
    list: Vec<Fault>,
}

impl Faults {
    fn add(&mut self, path: &str, code: &str) {
        if self.list.len() < MAX_FAULTS && !self.has(path) {
            self.list.push(fault(path, code));
        }
    }

    fn has(&self, path: &str) -> bool {
        self.list.iter().any(|fault| fault.path == path)
    }
}

/// Which 1.x an input is of (§A.6).
enum SchemaVersion {
    /// The version that the event states.
    Declared(String),
    /// 1.0, by its word or by its shape.
    First,
}

fn version_of(fields: &Map<String, Value>, faults: &mut Faults) -> Result<SchemaVersion, Vec<Fault>> {
    let declared = match fields.get("version") {
        None | Some(Value::Null) => {
            // The shape of the first document: an id, a time and a type.
            if ["id", "ts", "type"].iter().any(|name| !fields.get(*name).is_some_and(Value::is_string)) {
                faults.add("version", "required");
            }
            return Ok(SchemaVersion::First);
        }
        Some(Value::String(declared)) => declared,
        Some(_) => {
            faults.add("version", "type");
            return Ok(SchemaVersion::Declared(VERSION.to_owned()));
        }
    };
    let number = |part: &str| part.len() <= 4 && part.parse::<u16>().is_ok() && !part.starts_with('+');
    match declared.split_once('.') {
        Some((major, minor)) if number(major) && number(minor) => {
            if major != "1" {
                return Err(vec![fault("version", "unsupported_version")]);
            }
            Ok(if minor == "0" { SchemaVersion::First } else { SchemaVersion::Declared(declared.clone()) })
        }
        _ => {
            faults.add("version", "format");
            Ok(SchemaVersion::Declared(VERSION.to_owned()))
        }
    }
}

/// The fields of an input, and their faults.
struct SchemaFieldReader<'a> {
    fields: &'a Map<String, Value>,
    faults: Faults,
}

impl SchemaFieldReader<'_> {
    /// The event, with defaults in place of invalid fields.
    fn event(&mut self, version: SchemaVersion, defaults: &Defaults<'_>) -> SchemaEvent {
        let id = self.required("id", form::id);
        let ts = self.time();
        let kind = Kind::of(&self.required("type", form::word));
        let source = self.source();
        let workspace_id = self.name("workspace_id").unwrap_or_else(|| defaults.workspace_id.to_owned());
        let terminal = self.name("terminal_session_id").unwrap_or_else(|| defaults.terminal_session_id.to_owned());
        let mut run_id = self.name("run_id");
        let session_id = self.name("session_id");
        let agent_id = self.required("agent_id", form::agent);
        let target_agent_id = self.optional("target_agent_id", form::agent);
        let task_id = self.name("task_id");
        let severity = self.severity().unwrap_or_else(|| Severity::of_kind(&kind));
        let default = (!defaults.locale.is_empty()).then(|| defaults.locale.to_owned());
        let locale = self.optional("locale", form::locale).or(default);
        let payload = self.object("payload", PAYLOAD_BYTES).unwrap_or_default();
        let raw = self.object("raw", RAW_BYTES);
        let version = match version {
            SchemaVersion::Declared(version) => version,
            SchemaVersion::First => {
                run_id = run_id.or_else(|| Some(form::run_of(session_id.as_deref().unwrap_or(&terminal))));
                VERSION.to_owned()
            }
        };
        let (terminal_session_id, extra) = (terminal, self.extra());
        SchemaEvent {
            id,
            version,
            ts,
            kind,
            source,
            workspace_id,
            terminal_session_id,
            run_id,
            session_id,
            agent_id,
            target_agent_id,
            task_id,
            severity,
            locale,
            payload,
            raw,
            extra,
        }
    }

    /// A field; absent and `null` are equal (§A.1).
    fn present(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn optional(&mut self, name: &str, form: FieldFormat) -> Option<String> {
        let text = match self.present(name)? {
            Value::String(text) => text,
            _ => {
                self.faults.add(name, "type");
                return None;
            }
        };
        match form(text) {
            None => Some(text.clone()),
            Some(code) => {
                self.faults.add(name, code);
                None
            }
        }
    }

    fn required(&mut self, name: &str, form: FieldFormat) -> String {
        if self.present(name).is_none() {
            self.faults.add(name, "required");
        }
        self.optional(name, form).unwrap_or_default()
    }

    fn name(&mut self, name: &str) -> Option<String> {
        self.optional(name, name_of)
    }

    fn time(&mut self) -> i64 {
        let text = self.required("ts", form::time);
        moment(protocol::time::parse_iso(&text).unwrap_or_default())
    }

    fn source(&mut self) -> Source {
        let source = Source::of(&self.required("source", form::any));
        if !source.is_known() {
            // A missing one is already reported.
            self.faults.add("source", "enum");
        }
        source
    }

    fn severity(&mut self) -> Option<Severity> {
        let severity = Severity::of(&self.optional("severity", form::any)?);
        if !severity.is_known() {
            self.faults.add("severity", "enum");
        }
        Some(severity)
    }

    fn object(&mut self, name: &str, bytes: usize) -> Option<Map<String, Value>> {
        let value = self.present(name)?;
        let code = match value {
            Value::Object(_) if depth_over(value, MAX_DEPTH) => "depth",
            Value::Object(_) if size_of(value) > bytes => "length",
            Value::Object(fields) => return Some(fields.clone()),
            _ => "type",
        };
        self.faults.add(name, code);
        None
    }

    /// Unknown fields (§A.6). One fault for all of them, because no single one exceeds the limit.
    fn extra(&mut self) -> Map<String, Value> {
        let unknown = self.fields.iter().filter(|(name, _)| !form::FIELDS.contains(&name.as_str()));
        let extra: Map<String, Value> = unknown.map(|(name, value)| (name.clone(), value.clone())).collect();
        let extra = Value::Object(extra);
        if depth_over(&extra, MAX_DEPTH) {
            self.faults.add("", "depth");
        } else if size_of(&extra) > PAYLOAD_BYTES {
            self.faults.add("", "length");
        } else if let Value::Object(extra) = extra {
            return extra;
        }
        Map::new()
    }
}
