//! Conversion of a `StoredSession` into the API's `StoreRow` (`contract/sessions.md` §6). The fields for the model and
//! the send policy depend on the configuration as well. Stored fields that `StoreRow` does not have are not sent to
//! clients.

use serde_json::{Map, Value};

use super::{StoredSession, title};
use crate::store::Release;
use protocol::api::{ModelSource, StoreActor, StoreDelivery, StoreGoal, StoreOrigin, StoreRow};
use protocol::roster::{ModelRef, Roster};
use protocol::session_key::{RowKind, ToolKind};

/// Channel of jobs, webhooks and devices.
const INTERNAL: &str = "internal";
/// Channel of what names none.
const UNKNOWN: &str = "unknown";

/// The row of a session under the configuration in use; children, titles, messages and addresses come from who lists.
#[must_use]
pub fn row(session: &StoredSession, roster: &Roster) -> StoreRow {
    let StoredSession { key, entry, rules, release, .. } = session;
    let own = |text: Option<&str>| text.map(str::to_owned);
    let class = key.classification(rules);
    // The newest program's words, whatever wrote the store: the older one's does not distinguish main sessions from
    // jobs.
    let tool_kind = key.tool_kind(rules, Release::Database);
    let channel = entry.channel().or_else(|| entry.last_channel()).or_else(|| key.channel());
    let (model_provider, model, model_source) = model(session, roster);
    let (policy, policy_source) = roster.sessions.send_policy(entry.send_policy(), key, channel, entry.chat_type());
    StoreRow {
        key: key.to_string(),
        agent_id: session.agent_id.clone(),
        kind: Some(kind(session)),
        tool_kind: Some(tool_kind),
        classification: class,
        is_main: key.is_main(rules),
        is_background: class.map(protocol::session_key::Classification::is_background),
        database: *release == Release::Database,
        label: own(entry.label()),
        display_name: title::display_name(key, entry, *release),
        derived_title: None,
        last_message_preview: None,
        messages: None,
        channel: own(Some(match tool_kind {
            ToolKind::Cron | ToolKind::Hook | ToolKind::Node => INTERNAL,
            _ => channel.unwrap_or(UNKNOWN),
        })),
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
        effective_send_policy: Some(policy),
        send_policy_source: Some(policy_source),
        tools_visibility: Some(roster.sessions.visibility(*release)),
        input_tokens: entry.input_tokens(),
        output_tokens: entry.output_tokens(),
        total_tokens: entry.total_tokens(),
        total_tokens_fresh: entry.total_tokens_fresh().unwrap_or(entry.total_tokens().is_some()),
        estimated_cost_usd: entry.estimated_cost_usd(),
        response_usage: own(entry.response_usage()),
        model_provider,
        model,
        model_source,
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
        archived_at: entry.archived_at(),
        archive_reason: own(entry.archive_reason()),
        pinned: entry.pinned_at().is_some(),
        participants: session.participants.iter().filter_map(|one| actor(one.identity.as_object()?)).collect(),
        goal: entry.goal().and_then(goal),
        agent_status: session.statement(),
        last_to: None,
        last_account_id: None,
        delivery_context: None,
        origin: None,
        transcript_path: None,
    }
}

/// Adds where answers go and where the session came from.
pub(super) fn add_routing(row: &mut StoreRow, session: &StoredSession) {
    let entry = &session.entry;
    row.last_to = entry.last_to().map(str::to_owned);
    row.last_account_id = entry.last_account_id().map(str::to_owned);
    row.delivery_context = entry.delivery_context().map(|of| StoreDelivery {
        channel: text(of, "channel"),
        to: text(of, "to"),
        account_id: text(of, "accountId"),
        thread_id: text_or_number(of, "threadId"),
    });
    row.origin = entry.origin().map(|of| StoreOrigin {
        label: text(of, "label"),
        provider: text(of, "provider"),
        surface: text(of, "surface"),
        chat_type: text(of, "chatType"),
        from: text(of, "from"),
        to: text(of, "to"),
        account_id: text(of, "accountId"),
        thread_id: text_or_number(of, "threadId"),
    });
}

/// The model and what names it: the entry's last run, its override, the agent's default, the default of all agents.
fn model(session: &StoredSession, roster: &Roster) -> (Option<String>, Option<String>, Option<ModelSource>) {
    let entry = &session.entry;
    let own = |text: Option<&str>| text.map(str::to_owned);
    if let Some(model) = entry.model() {
        return (own(entry.model_provider()), own(Some(model)), Some(ModelSource::Session));
    }
    let chosen = entry.model_override().and_then(|written| match entry.provider_override() {
        Some(provider) => Some(ModelRef { provider: own(Some(provider)), model: written.trim().to_owned() }),
        None => ModelRef::parse(written),
    });
    let agent = || roster.agent(session.agent_id.as_str()).and_then(|agent| agent.model.clone());
    let found = chosen
        .map(|model| (model, ModelSource::Override))
        .or_else(|| Some((agent()?, ModelSource::Agent)))
        .or_else(|| Some((roster.sessions.model.clone()?, ModelSource::Default)));
    match found {
        Some((model, source)) => (model.provider, Some(model.model), Some(source)),
        None => (own(entry.model_provider()), None, None),
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

fn text_or_number(of: &Map<String, Value>, key: &str) -> Option<String> {
    text(of, key).or_else(|| of.get(key).filter(|value| value.is_number()).map(Value::to_string))
}

fn text(of: &Map<String, Value>, key: &str) -> Option<String> {
    of.get(key).and_then(Value::as_str).map(str::to_owned)
}
