//! A line of the log as an event, for an office view (`contract/event-schema-v1_1.md` §D, reverse).

use serde_json::Value;

use crate::schema::SchemaEvent;

/// What a line becomes, with the number of earlier lines that are equal to it. Nothing: lines of types that no event
/// tells, and lines that were made of events.
#[must_use]
pub fn from_coordination(line: &Value, occurrence: u64) -> Option<SchemaEvent> {
    let _ = (line, occurrence);
    None
}
