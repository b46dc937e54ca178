//! Parser of request bodies with coding agents' events: one object or a list of items. An unreadable item does not
//! affect the other items, and only a digest of it is recorded.

use coordination::digest::digest_hex;
use coordination::event::readable;
use coordination::schema::Fault;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{IngestRoute, SubmittedItem};

/// An item's value, mended where its writer cut a text in the middle of a letter.
pub(crate) fn value(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok().or_else(|| serde_json::from_str(&readable(text)).ok())
}

/// Placeholder of an item that is not JSON: the text may be a secret, so its digest identifies it.
pub(crate) fn unreadable(text: &[u8], route: IngestRoute) -> SubmittedItem {
    let faults = vec![Fault { path: String::new(), code: "json".to_owned() }];
    let line = digest_hex(&String::from_utf8_lossy(text), 16);
    SubmittedItem::Refused { faults, value: json!({ "line": line }), route }
}

/// The items of a body, one object or a list of them: each its value, or how it came where it cannot be read, be it nested
/// too deep or with a number that no number holds. None when the body is neither.
pub(crate) fn values(body: &[u8]) -> Option<Vec<Result<Value, Box<RawValue>>>> {
    match serde_json::from_slice(body) {
        Ok(Value::Array(values)) => return Some(values.into_iter().map(Ok).collect()),
        Ok(value @ Value::Object(_)) => return Some(vec![Ok(value)]),
        Ok(_) => return None,
        Err(_) => {}
    }
    let text = readable(body);
    let raw: Vec<&RawValue> = match serde_json::from_str(&text) {
        Ok(raw) => raw,
        Err(_) => vec![serde_json::from_str(&text).ok().filter(|raw: &&RawValue| raw.get().starts_with('{'))?],
    };
    let value = |raw: &RawValue| serde_json::from_str(raw.get()).map_err(|_| raw.to_owned());
    Some(raw.into_iter().map(value).collect())
}
