//! One item as it comes over the wire or stands in the drop file (`contract/event-schema-v1_1.md` §C.1): a wrapped
//! hook, a bare one, or an event as it stands.

use serde_json::Value;

use super::hook::{Capture, reduce, reduce_named};
use super::{Fault, Input, SchemaEvent, Stamp, What};
use crate::time::parse_iso;

/// The input that an item is. `arrived_at` in epoch milliseconds.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read_item(value: &Value, arrived_at: i64, capture: Capture) -> Result<Input, Vec<Fault>> {
    let fault = |path: &str, code: &str| vec![Fault { path: path.to_owned(), code: code.to_owned() }];
    let Value::Object(fields) = value else { return Err(fault("", "type")) };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(payload) = fields.get("payload").filter(|_| !fields.contains_key("type")) {
        let received_at = match fields.get("received_at") {
            None | Some(Value::Null) => None,
            Some(Value::String(iso)) => Some(parse_iso(iso).ok_or_else(|| fault("received_at", "format"))?),
            Some(_) => return Err(fault("received_at", "type")),
        };
        let stamp = Stamp {
            received_at,
            arrived_at,
            terminal_session_id: text("terminal_session_id"),
            workspace_id: text("workspace_id"),
        };
        return reduce_named(payload, stamp, capture, text("key").filter(|key| is_key(key)).as_deref());
    }
    if fields.contains_key("hook_event_name") {
        return reduce(value, Stamp { arrived_at, ..Stamp::default() }, capture);
    }
    let event: SchemaEvent = serde_json::from_value(value.clone()).map_err(|_| fault("", "format"))?;
    Ok(Input { key: event.id.clone(), at: event.ts, what: What::Event(Box::new(event)) })
}

/// The name of a hook that was reduced before it was sent: it was made of all of it.
fn is_key(text: &str) -> bool {
    text.strip_prefix("evt_").is_some_and(|hex| hex.len() == 26 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
