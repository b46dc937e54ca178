//! Entry of one session in OpenClaw's session store (`contract/sessions.md` §2.1). Every field is optional and may have
//! a wrong type. Fields that are known to be large or private are dropped while reading; all others are stored, unknown
//! ones too.

use serde_json::{Map, Value};

use message_text::beginning;
use protocol::api::RunStatus;

/// Keys that are never stored: most of the bytes of a store, or private data.
const DROPPED: [&str; 4] = ["skillsSnapshot", "systemPromptReport", "pluginExtensions", "recoveryScope"];
/// And all that begin so.
const DROPPED_PREFIX: &str = "authProfileOverride";

/// Stored bytes of a text. Labels have 64 characters at most where OpenClaw writes them, and file paths a few hundred
/// bytes; other programs may have written far longer ones.
const MAX_TEXT_BYTES: usize = 4096;

/// A `SessionEntry`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionEntry {
    fields: Map<String, Value>,
}

macro_rules! texts {
    ($($(#[$doc:meta])* $method:ident: $key:literal;)*) => { impl SessionEntry { $(
        $(#[$doc])*
        #[must_use]
        pub fn $method(&self) -> Option<&str> {
            self.text($key)
        }
    )* } };
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $method:ident: $key:literal;)*) => { impl SessionEntry { $(
        $(#[$doc])*
        #[must_use]
        pub fn $method(&self) -> Option<i64> {
            self.number($key)
        }
    )* } };
}

macro_rules! flags {
    ($($(#[$doc:meta])* $method:ident: $key:literal;)*) => { impl SessionEntry { $(
        $(#[$doc])*
        #[must_use]
        pub fn $method(&self) -> Option<bool> {
            self.fields.get($key).and_then(Value::as_bool)
        }
    )* } };
}

texts! {
    /// Where the transcript is: a name in the folder of sessions, or an absolute path in older stores.
    session_file: "sessionFile";
    /// What a person or a spawn called it, at most 64 characters.
    label: "label";
    /// A name made for display.
    display_name: "displayName";
    /// Subject of a group.
    subject: "subject";
    /// Channel.
    channel: "channel";
    /// Group's id.
    group_id: "groupId";
    /// Channel of a group, `#name`.
    group_channel: "groupChannel";
    /// Space (guild, workspace) of a group.
    space: "space";
    /// `direct`, `group` or `channel`; `room` in old stores.
    chat_type: "chatType";
    /// Key of the session that spawned this one.
    spawned_by: "spawnedBy";
    /// Key of the session above this one, newer.
    parent_session_key: "parentSessionKey";
    /// `orchestrator` or `leaf`.
    subagent_role: "subagentRole";
    /// Channel of the last delivery.
    last_channel: "lastChannel";
    /// Address of the last delivery.
    last_to: "lastTo";
    /// Account of the last delivery.
    last_account_id: "lastAccountId";
    /// Provider of the model.
    model_provider: "modelProvider";
    /// Model.
    model: "model";
    /// Provider chosen for this session.
    provider_override: "providerOverride";
    /// Model chosen for this session.
    model_override: "modelOverride";
    /// Thinking level.
    thinking_level: "thinkingLevel";
    /// Verbose level.
    verbose_level: "verboseLevel";
    /// Reasoning level.
    reasoning_level: "reasoningLevel";
    /// Elevated level.
    elevated_level: "elevatedLevel";
    /// `on`, `off`, `tokens` or `full`.
    response_usage: "responseUsage";
    /// `allow` or `deny`.
    send_policy: "sendPolicy";
    /// Queue mode.
    queue_mode: "queueMode";
    /// Group activation.
    group_activation: "groupActivation";
    /// How it came to be: `operator`, `spawn`, `channel`, `cron`, `talk`, `run`, `plugin`, `internal`.
    created_via: "createdVia";
    /// The last run.
    last_run_id: "lastRunId";
    /// Why the last run failed.
    last_run_error: "lastRunError";
    /// The run that writes now, or wrote last.
    active_writer_run_id: "activeWriterRunId";
    /// The session's id before a rollover.
    previous_session_id: "previousSessionId";
    /// Why it was archived.
    archive_reason: "archiveReason";
}

numbers! {
    /// How deep it was spawned.
    spawn_depth: "spawnDepth";
    /// When its run began, epoch milliseconds.
    started_at: "startedAt";
    /// When its run ended, epoch milliseconds.
    ended_at: "endedAt";
    /// How long its run worked, in milliseconds.
    runtime_ms: "runtimeMs";
    /// Size of the model's context in tokens.
    context_tokens: "contextTokens";
    /// Tokens read by the last run.
    input_tokens: "inputTokens";
    /// Tokens written by the last run.
    output_tokens: "outputTokens";
    /// Tokens taken from the cache.
    cache_read: "cacheRead";
    /// Tokens put into the cache.
    cache_write: "cacheWrite";
    /// How often it was compacted.
    compaction_count: "compactionCount";
    /// When memory was flushed, epoch milliseconds.
    memory_flush_at: "memoryFlushAt";
    /// When the key came to be, epoch milliseconds.
    created_at: "createdAt";
    /// When this session id began, epoch milliseconds.
    session_started_at: "sessionStartedAt";
    /// Time of the last message with it, epoch milliseconds.
    last_interaction_at: "lastInteractionAt";
    /// When it last did something, epoch milliseconds.
    last_activity_at: "lastActivityAt";
    /// When it was archived, epoch milliseconds.
    archived_at: "archivedAt";
    /// When it was pinned, epoch milliseconds.
    pinned_at: "pinnedAt";
    /// When it was last read by a person, epoch milliseconds.
    last_read_at: "lastReadAt";
}

flags! {
    /// The system prompt was sent.
    system_sent: "systemSent";
    /// The last run was broken off.
    aborted_last_run: "abortedLastRun";
    /// It began as a copy of its parent.
    forked_from_parent: "forkedFromParent";
    /// `totalTokens` is of now.
    total_tokens_fresh: "totalTokensFresh";
}

/// Cuts every text in a value.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > MAX_TEXT_BYTES => {
            *text = format!("{}…", beginning(text, MAX_TEXT_BYTES));
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

impl SessionEntry {
    /// Reads an entry; nothing when it is no object.
    #[must_use]
    pub fn read(value: Value) -> Option<Self> {
        let Value::Object(mut fields) = value else { return None };
        fields.retain(|key, _| !DROPPED.contains(&key.as_str()) && !key.starts_with(DROPPED_PREFIX));
        fields.values_mut().for_each(shorten);
        Some(Self { fields })
    }

    /// Fills what the entry does not say itself from a column that repeats it.
    pub fn fill(&mut self, key: &str, value: impl Into<Value>) {
        let mut value = value.into();
        shorten(&mut value);
        if !value.is_null() && self.fields.get(key).is_none_or(Value::is_null) {
            self.fields.insert(key.to_owned(), value);
        }
    }

    /// The session's id, if it may name a file: `^[a-z0-9][a-z0-9._-]{0,127}$`.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.text("sessionId").filter(|id| valid_session_id(id))
    }

    /// When anything about it changed, epoch milliseconds.
    #[must_use]
    pub fn updated_at(&self) -> Option<i64> {
        self.number("updatedAt")
    }

    /// Tokens in all, unless they are stale.
    #[must_use]
    pub fn total_tokens(&self) -> Option<i64> {
        let stale = self.total_tokens_fresh() == Some(false);
        self.number("totalTokens").filter(|_| !stale)
    }

    /// Cost of the session, in US dollars.
    #[must_use]
    pub fn estimated_cost_usd(&self) -> Option<f64> {
        self.fields.get("estimatedCostUsd").and_then(Value::as_f64)
    }

    /// Status of its last run.
    #[must_use]
    pub fn status(&self) -> Option<RunStatus> {
        let text = self.text("status")?;
        RunStatus::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Where it came from: label, provider, surface, chat type, addresses.
    #[must_use]
    pub fn origin(&self) -> Option<&Map<String, Value>> {
        self.object("origin")
    }

    /// Where answers go: channel, address, account, thread.
    #[must_use]
    pub fn delivery_context(&self) -> Option<&Map<String, Value>> {
        self.object("deliveryContext")
    }

    /// Who made it: `{type, id?}`.
    #[must_use]
    pub fn created_actor(&self) -> Option<&Map<String, Value>> {
        self.object("createdActor")
    }

    /// What it is after: objective and status.
    #[must_use]
    pub fn goal(&self) -> Option<&Map<String, Value>> {
        self.object("goal")
    }

    /// Anything else that the entry says; numbers, texts and objects unchanged.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key)
    }

    /// All keys it has.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    fn number(&self, key: &str) -> Option<i64> {
        let value = self.fields.get(key)?;
        // A time written with a fraction is still a time.
        #[allow(clippy::cast_possible_truncation, reason = "`as` saturates")]
        value.as_i64().or_else(|| value.as_f64().map(|number| number as i64))
    }

    fn object(&self, key: &str) -> Option<&Map<String, Value>> {
        self.fields.get(key).and_then(Value::as_object)
    }
}

/// An id that may name a file: `^[a-z0-9][a-z0-9._-]{0,127}$`.
#[must_use]
pub fn valid_session_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = id.bytes();
    id.len() <= 128
        && bytes.next().is_some_and(plain)
        && bytes.all(|byte| plain(byte) || matches!(byte, b'.' | b'_' | b'-'))
}
