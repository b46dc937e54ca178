//! Parser and writer of an item: one input from a coding agent, in a request to the monitor or in a line of the drop
//! file (`contract/event-schema-v1_1.md` §C.1). An item is a bare hook, an event, or a hook in a wrapper with its time
//! and terminal. Hooks write the drop file, `logs/hook-events.ndjson`, when they cannot post.

use serde_json::{Map, Value};

use super::hook::{Capture, reduce, reduce_named, reduce_published};
use super::{AgentProgram, Defaults, Fault, HookStamp, InputKind, SchemaInput, check};
use protocol::time::{parse_iso, to_iso};

/// What an event has that names neither (§A.1).
const NO_WORKSPACE: &str = "repo_unknown";
const NO_TERMINAL: &str = "term_unknown";
/// The server's locale where nothing else is set (§A.1).
const DEFAULT_LOCALE: &str = "ko-KR";
/// Characters of a name that is stamped on a hook.
const MAX_NAME_CHARS: usize = 128;

/// The input that an item is. `arrived_at` in epoch milliseconds.
///
/// # Errors
/// Everything that is wrong with it, with the path from the item's own top.
pub fn read_item(value: &Value, arrived_at: i64, capture: Capture) -> Result<SchemaInput, Vec<Fault>> {
    let defaults =
        Defaults { workspace_id: NO_WORKSPACE, terminal_session_id: NO_TERMINAL, locale: DEFAULT_LOCALE, arrived_at };
    read_item_with(value, &defaults, capture)
}

/// The same with what the server fills in where an event is silent.
///
/// # Errors
/// Everything that is wrong with it, with the path from the item's own top.
pub fn read_item_with(value: &Value, defaults: &Defaults<'_>, capture: Capture) -> Result<SchemaInput, Vec<Fault>> {
    let Value::Object(fields) = value else { return Err(vec![fault("", "type")]) };
    let arrived_at = defaults.arrived_at;
    if fields.contains_key("hook_event_name") {
        let bare = reduce(value, HookStamp { arrived_at, ..HookStamp::default() }, capture);
        return bare.map_err(|faults| faults.into_iter().map(unwrapped).collect());
    }
    if fields.contains_key("version") || fields.contains_key("type") {
        return read_event(value, defaults, capture);
    }
    match fields.get("payload") {
        Some(payload) => wrapped(fields, payload, arrived_at, capture),
        // Neither a hook nor an event nor a wrapper.
        None => Err(vec![fault("", "shape")]),
    }
}

/// The input that an event of schema 1.1 or 1.0 is: its texts go by the same rules as hooks (§C.6).
///
/// # Errors
/// Everything that is wrong with it.
pub fn read_event(value: &Value, defaults: &Defaults<'_>, capture: Capture) -> Result<SchemaInput, Vec<Fault>> {
    let event = reduce_published(check(value, defaults)?, capture);
    Ok(SchemaInput { key: event.id.clone(), at: event.ts, what: InputKind::Event(Box::new(event)) })
}

/// A hook in its wrapper. One that was reduced before it was sent brings its `key` with it, which was made of all of
/// it.
fn wrapped(
    fields: &Map<String, Value>,
    payload: &Value,
    arrived_at: i64,
    capture: Capture,
) -> Result<SchemaInput, Vec<Fault>> {
    let mut faults = Vec::new();
    let received_at = match fields.get("received_at") {
        None | Some(Value::Null) => None,
        Some(Value::String(iso)) => {
            let at = parse_iso(iso);
            if at.is_none() {
                faults.push(fault("received_at", "format"));
            }
            at
        }
        Some(_) => {
            faults.push(fault("received_at", "type"));
            None
        }
    };
    let mut name = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if text.chars().count() <= MAX_NAME_CHARS => Some(text.clone()),
        Some(other) => {
            faults.push(fault(name, if other.is_string() { "length" } else { "type" }));
            None
        }
    };
    let (terminal_session_id, workspace_id) = (name("terminal_session_id"), name("workspace_id"));
    let program = name("program").map(|name| AgentProgram::from_provider(&name).ok_or(name)).transpose();
    let program = program.map(Option::unwrap_or_default).unwrap_or_else(|_| {
        faults.push(fault("program", "enum"));
        AgentProgram::default()
    });
    let key = fields.get("key").and_then(Value::as_str).filter(|key| is_key(key));
    let stamp = HookStamp { program, received_at, arrived_at, terminal_session_id, workspace_id };
    match reduce_named(payload, stamp, capture, key) {
        Ok(input) if faults.is_empty() => Ok(input),
        Ok(_) => Err(faults),
        Err(more) => Err(faults.into_iter().chain(more).collect()),
    }
}

/// The item of an input, for senders that reduce a hook before they send or store it. Read again it is the
/// same input, under the same key; only its arrival time is new.
#[must_use]
pub fn write_item(input: &SchemaInput) -> Value {
    match &input.what {
        InputKind::Event(event) => serde_json::to_value(event).unwrap_or_default(),
        InputKind::Hook { payload, stamp } => {
            let mut item = Map::new();
            let program = (!stamp.program.is_default()).then(|| stamp.program.provider().to_owned());
            let stamped = [
                ("program", program),
                ("received_at", stamp.received_at.map(to_iso)),
                ("terminal_session_id", stamp.terminal_session_id.clone()),
                ("workspace_id", stamp.workspace_id.clone()),
                ("key", Some(input.key.clone())),
            ];
            item.extend(stamped.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?)))));
            item.insert("payload".to_owned(), Value::Object(payload.clone()));
            Value::Object(item)
        }
    }
}

fn fault(path: &str, code: &str) -> Fault {
    Fault { path: path.to_owned(), code: code.to_owned() }
}

/// A bare hook has no wrapper around its fields.
fn unwrapped(fault: Fault) -> Fault {
    let path = fault.path.strip_prefix("payload.").map(str::to_owned);
    Fault { path: path.unwrap_or(fault.path), code: fault.code }
}

/// `evt_` and 26 hexadecimal letters.
fn is_key(text: &str) -> bool {
    text.strip_prefix("evt_").is_some_and(|hex| hex.len() == 26 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
