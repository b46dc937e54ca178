//! What makes a hook itself (`contract/event-schema-v1_1.md` §A.4), made of the whole payload, before anything of it is
//! left out.

use serde_json::{Map, Value, json};

use crate::schema::{canonical, digest_hex, event_id};

/// Who sends these hooks.
pub(super) const PROVIDER: &str = "claude_code";
/// Milliseconds of a bucket.
const BUCKET_MS: i64 = 2_000;
/// Letters of a hash.
const HASH_LETTERS: usize = 26;

/// The names of one hook.
pub(super) struct Fingerprint {
    /// The key of the input: with the call's id, or else with the moment's bucket.
    pub(super) key: String,
    /// The same without a moment: neighbouring buckets of one hash are one hook.
    pub(super) hash: String,
}

/// The bucket of a moment.
pub(super) fn bucket(at: i64) -> i64 {
    at.div_euclid(BUCKET_MS)
}

/// The fingerprint of a whole payload received at `at`.
pub(super) fn fingerprint(payload: &Map<String, Value>, at: i64) -> Fingerprint {
    let of = |name: &str| payload.get(name).cloned().unwrap_or(Value::Null);
    let call = payload.get("tool_use_id").filter(|id| id.is_string());
    let subject = call.cloned().unwrap_or_else(|| of("tool_name"));
    let moment = if call.is_some() { Value::Null } else { json!(bucket(at)) };
    let whole = Value::Object(payload.clone());
    let parts = |moment: Value| {
        json!([PROVIDER, of("hook_event_name"), of("session_id"), of("agent_id"), subject, moment, whole])
    };
    Fingerprint { key: event_id(&parts(moment)), hash: digest_hex(&canonical(&parts(Value::Null)), HASH_LETTERS) }
}
