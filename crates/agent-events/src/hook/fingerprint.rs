//! Fingerprint of a coding agent's hook, by which a duplicate is recognised (`contract/event-schema-v1_1.md` §A.4). It is
//! a SHA-256 hash of the whole payload as received. For a hook without a tool call id, the hash also covers the time of
//! receipt, rounded down to two seconds.

use serde_json::{Map, Value};

use crate::{AgentProgram, canonical};
use protocol::digest::digest_hex;

/// Milliseconds of a bucket.
const BUCKET_MS: i64 = 2_000;
/// Letters of a name.
const HASH_LETTERS: usize = 26;

/// The names of one hook.
pub(super) struct HookFingerprint {
    /// The key of the input: with the call's id, or else with the moment's bucket.
    pub(super) key: String,
    /// The same without a moment: neighbouring buckets of one hash are one hook.
    pub(super) hash: String,
}

/// The bucket of a moment.
pub(super) fn bucket(at: i64) -> i64 {
    at.div_euclid(BUCKET_MS)
}

/// The fingerprint of a whole payload received at `at`: SHA-256 over `[provider, event_name, session_id, agent_id,
/// tool_use_id or tool_name, bucket, payload]`, with no bucket where the call has an id.
pub(super) fn fingerprint(
    program: AgentProgram,
    payload: &Map<String, Value>,
    whole: &Value,
    at: i64,
) -> HookFingerprint {
    let provider = program.provider();
    let canonical_field = |name: &str| payload.get(name).map_or_else(|| "null".to_owned(), canonical);
    let call = payload.get("tool_use_id").filter(|id| id.is_string());
    let subject = call.map_or_else(|| canonical_field("tool_name"), canonical);
    // The payload may be large: it is written once, and nothing of it is copied before.
    let whole = canonical(whole);
    let (name, session, agent) =
        (canonical_field("hook_event_name"), canonical_field("session_id"), canonical_field("agent_id"));
    let digest = |moment: &str| {
        digest_hex(&format!("[\"{provider}\",{name},{session},{agent},{subject},{moment},{whole}]"), HASH_LETTERS)
    };
    let hash = digest("null");
    let key = if call.is_some() { hash.clone() } else { digest(&bucket(at).to_string()) };
    HookFingerprint { key: format!("evt_{key}"), hash }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event_id;

    #[test]
    fn a4_key_is_digest_of_contract_array() {
        let payload = json!({"hook_event_name": "Stop", "session_id": "s", "z": {"b": 1, "a": [true, null, "한"]}});
        let print = fingerprint(AgentProgram::ClaudeCode, payload.as_object().unwrap(), &payload, 4_001);
        assert_eq!(print.key, event_id(&json!(["claude_code", "Stop", "s", null, null, 2, payload])));
        assert_ne!(print.key, format!("evt_{}", print.hash));
        let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "agent_id": "a", "tool_use_id": "t"});
        let print = fingerprint(AgentProgram::ClaudeCode, payload.as_object().unwrap(), &payload, 4_001);
        assert_eq!(print.key, event_id(&json!(["claude_code", "PreToolUse", "s", "a", "t", null, payload])));
    }

    #[test]
    fn a4_buckets_last_two_seconds() {
        assert_eq!([-1, 0, 1_999, 2_000].map(bucket), [-1, 0, 0, 1]);
    }
}
