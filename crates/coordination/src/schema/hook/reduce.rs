//! What is kept of a hook (`contract/event-schema-v1_1.md` §C.6).

use serde_json::{Map, Value};

use super::Capture;
use super::fingerprint::fingerprint;
use crate::schema::{Fault, Input, Stamp, What};

/// The input that a payload is: named by all of it, holding no more than the capture level allows.
///
/// # Errors
/// What it lacks to be a hook at all.
pub fn reduce(payload: &Value, stamp: Stamp, capture: Capture) -> Result<Input, Vec<Fault>> {
    let fault = |path: &str, code: &str| Fault { path: path.to_owned(), code: code.to_owned() };
    let Value::Object(fields) = payload else { return Err(vec![fault("payload", "type")]) };
    let mut kept = Map::new();
    let mut faults = Vec::new();
    for name in ["hook_event_name", "session_id"] {
        match fields.get(name) {
            Some(Value::String(text)) if !text.is_empty() => {
                kept.insert(name.to_owned(), Value::String(text.clone()));
            }
            Some(Value::String(_)) | None => faults.push(fault(&format!("payload.{name}"), "required")),
            Some(_) => faults.push(fault(&format!("payload.{name}"), "type")),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let _ = capture;
    let at = stamp.received_at.unwrap_or(stamp.arrived_at);
    let print = fingerprint(fields, at);
    kept.insert("hash".to_owned(), Value::String(print.hash));
    Ok(Input { key: print.key, at, what: What::Hook { payload: kept, stamp } })
}
