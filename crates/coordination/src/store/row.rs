//! A session as a row of the gateway's list (`contract/sessions.md` §6). Only what is named here leaves a store.

use serde_json::{Map, Value};

use super::{StoredSession, title};
use crate::api::{StoreActor, StoreGoal, StoreRow};
use crate::session_key::RowKind;
use crate::store::Release;

/// The row of a session; children, titles and messages come from who lists.
#[must_use]
pub fn row(session: &StoredSession) -> StoreRow {
    let StoredSession { key, entry, rules, release, .. } = session;
    let own = |text: Option<&str>| text.map(str::to_owned);
    let class = key.classification(rules);
    StoreRow {
        key: key.to_string(),
        agent_id: session.agent_id.clone(),
        kind: Some(kind(session)),
        // The newest program's words, whatever wrote the store: the older one's tell main sessions and jobs apart
        // from nothing.
        tool_kind: Some(key.tool_kind(rules, Release::Database)),
        classification: class,
        is_main: key.is_main(rules),
        is_background: class.map(crate::session_key::Classification::is_background),
        database: *release == Release::Database,
        label: own(entry.label()),
        display_name: title::display_name(key, entry, *release),
        derived_title: None,
        last_message_preview: None,
        channel: own(entry.channel().or_else(|| key.channel())),
        subject: own(entry.subject()),
        group_channel: own(entry.group_channel()),
        space: own(entry.space()),
        chat_type: own(entry.chat_type()),
        origin_label: entry.origin().and_then(|origin| text(origin, "label")),
        updated_at: entry.updated_at(),
        session_id: own(entry.session_id()),
        previous_session_id: own(entry.previous_session_id()),
        system_sent: entry.system_sent(),
        aborted_last_run: entry.aborted_last_run(),
        thinking_level: own(entry.thinking_level()),
        verbose_level: own(entry.verbose_level()),
        reasoning_level: own(entry.reasoning_level()),
        elevated_level: own(entry.elevated_level()),
        send_policy: own(entry.send_policy()),
        input_tokens: entry.input_tokens(),
        output_tokens: entry.output_tokens(),
        total_tokens: entry.total_tokens(),
        total_tokens_fresh: entry.total_tokens_fresh().unwrap_or(entry.total_tokens().is_some()),
        estimated_cost_usd: entry.estimated_cost_usd(),
        response_usage: own(entry.response_usage()),
        model_provider: own(entry.model_provider()),
        model: own(entry.model()),
        context_tokens: entry.context_tokens(),
        last_channel: own(entry.last_channel()),
        spawned_by: own(entry.spawned_by()),
        spawn_depth: entry.spawn_depth(),
        subagent_role: own(entry.subagent_role()),
        parent_session_key: own(entry.parent_session_key()),
        child_sessions: Vec::new(),
        status: entry.status(),
        started_at: entry.started_at(),
        ended_at: entry.ended_at(),
        runtime_ms: entry.runtime_ms(),
        last_run_id: own(entry.last_run_id()),
        last_run_error: own(entry.last_run_error()),
        created_via: own(entry.created_via()),
        created_actor: entry.created_actor().and_then(actor),
        created_at: entry.created_at(),
        last_interaction_at: entry.last_interaction_at(),
        last_activity_at: entry.last_activity_at(),
        archived: entry.archived_at().is_some(),
        pinned: entry.pinned_at().is_some(),
        participants: session.participants.iter().filter_map(|one| actor(one.identity.as_object()?)).collect(),
        goal: entry.goal().and_then(goal),
    }
}

/// `group` by the stored kind of chat or by the key.
fn kind(session: &StoredSession) -> RowKind {
    match (session.key.row_kind(), session.entry.chat_type()) {
        (RowKind::Direct, Some("group" | "channel" | "room")) => RowKind::Group,
        (kind, _) => kind,
    }
}

fn actor(of: &Map<String, Value>) -> Option<StoreActor> {
    Some(StoreActor { kind: text(of, "type")?, id: text(of, "id") })
}

fn goal(of: &Map<String, Value>) -> Option<StoreGoal> {
    Some(StoreGoal { objective: text(of, "objective")?, status: text(of, "status")? })
}

fn text(of: &Map<String, Value>, key: &str) -> Option<String> {
    of.get(key).and_then(Value::as_str).map(str::to_owned)
}
