//! List query over stored sessions, in the gateway's order (`contract/sessions.md` §6). Its filters are keys, spawner,
//! label, search, activity and limit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::row::add_routing;
use super::{StoreSnapshot, StoredSession, row, title};
use protocol::api::{StoreDefaults, StoreInfoRow, StoreList, StoreQuery, StoreRow};
use protocol::roster::Roster;
use protocol::session_key::{KeyForm, Release};

/// Path of an answer where each agent has a store of its own.
const MULTIPLE: &str = "(multiple)";

/// An answer with the sessions behind its rows.
pub type StoreListResult = StoreList;

/// Source of values that only transcripts have. It is called for the returned rows, and only for the requested values.
pub trait TranscriptLookup {
    /// The first user message, without what other agents sent.
    fn first(&mut self, session: &StoredSession) -> Option<String>;
    /// The last message of a person or of the agent.
    fn last(&mut self, session: &StoredSession) -> Option<String>;
    /// The last so many messages in the shape of a history, oldest first; results of tools count and are left out.
    fn messages(&mut self, session: &StoredSession, last: usize) -> Vec<Value>;
    /// The transcript's file.
    fn path(&mut self, session: &StoredSession) -> Option<String>;
}

/// Nothing is known of transcripts.
impl TranscriptLookup for () {
    fn first(&mut self, _: &StoredSession) -> Option<String> {
        None
    }

    fn last(&mut self, _: &StoredSession) -> Option<String> {
        None
    }

    fn messages(&mut self, _: &StoredSession, _: usize) -> Vec<Value> {
        Vec::new()
    }

    fn path(&mut self, _: &StoredSession) -> Option<String> {
        None
    }
}

/// Lists sessions under the configuration in use at `now`.
#[must_use]
pub fn list(
    all: &StoreSnapshot,
    roster: &Roster,
    query: &StoreQuery,
    now: i64,
    texts: &mut dyn TranscriptLookup,
) -> StoreListResult {
    let mut found: Vec<(&StoredSession, StoreRow)> = all
        .sessions
        .iter()
        .filter(|session| shown(session, query) && of_lineage(session, query))
        .map(|session| (session, row(session, roster)))
        .filter(|(_, row)| query.kinds.is_empty() || row.tool_kind.is_some_and(|kind| query.kinds.contains(&kind)))
        .collect();
    // Equal times are ordered by key, so that a list is the same each time.
    found.sort_by(|(_, one), (_, other)| {
        (other.pinned, other.updated_at, &one.key).cmp(&(one.pinned, one.updated_at, &other.key))
    });
    if let Some(wanted) = query.search.as_deref().map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty())
    {
        found.retain(|(_, row)| holds(row, &wanted));
    }
    if let Some(minutes) = query.active_minutes {
        let since = now.saturating_sub(i64::from(minutes).saturating_mul(60_000));
        found.retain(|(_, row)| row.updated_at.is_some_and(|at| at >= since));
    }
    let total_count = found.len();
    let messages = query.message_limit.unwrap_or(0) as usize;
    let most = if messages > 0 { StoreQuery::MAX_ROWS_WITH_MESSAGES } else { usize::MAX };
    found.truncate(query.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)).min(most));
    let children = children(all);
    let sessions: Vec<StoreRow> = found
        .into_iter()
        .map(|(session, mut row)| {
            row.child_sessions =
                children.get(&row.key.to_lowercase()).into_iter().flatten().map(|key| (*key).to_owned()).collect();
            if query.include_derived_titles {
                let needs_text = session.entry.display_name().is_none()
                    && session.entry.subject().is_none()
                    && !(session.release == Release::Database && session.entry.label().is_some());
                let first = if needs_text { texts.first(session) } else { None };
                row.derived_title = title::derived(&session.entry, session.release, first.as_deref());
            }
            if query.include_last_message {
                row.last_message_preview = texts.last(session);
            }
            if messages > 0 {
                row.messages = Some(texts.messages(session, messages));
            }
            if query.include_routing {
                add_routing(&mut row, session);
                row.transcript_path = texts.path(session);
            }
            row
        })
        .collect();
    let count = sessions.len();
    StoreList {
        ts: now,
        path: path(roster),
        count,
        defaults: defaults(roster),
        total_count,
        has_more: total_count > count,
        sessions,
        places: places(all),
    }
}

/// The file of all agents, as configured.
fn path(roster: &Roster) -> String {
    let shared = roster.session_store.as_deref().map(str::trim).filter(|path| !path.is_empty());
    shared.filter(|path| !path.contains("{agentId}")).unwrap_or(MULTIPLE).to_owned()
}

fn defaults(roster: &Roster) -> StoreDefaults {
    let model = roster.sessions.model.clone();
    let context_tokens = roster.sessions.context_tokens(model.as_ref());
    let (model_provider, model) = model.map_or((None, None), |own| (own.provider, Some(own.model)));
    StoreDefaults { model_provider, model, context_tokens }
}

/// Key filters: runs of jobs never, reserved keys when requested, archived ones apart, one agent's.
fn shown(session: &StoredSession, query: &StoreQuery) -> bool {
    let reserved = match session.key.form() {
        KeyForm::Global => query.include_global || session.rules.global_scope,
        KeyForm::Unknown => query.include_unknown,
        _ => true,
    };
    reserved
        && !session.key.is_cron_run()
        && session.entry.archived_at().is_some() == query.archived
        && query.agent.as_ref().is_none_or(|agent| session.agent_id.as_str().eq_ignore_ascii_case(agent.as_str()))
}

fn of_lineage(session: &StoredSession, query: &StoreQuery) -> bool {
    let spawned = |wanted: &String| session.entry.spawned_by().is_some_and(|by| by.eq_ignore_ascii_case(wanted));
    let called = |wanted: &String| session.entry.label() == Some(wanted.as_str());
    query.spawned_by.as_ref().is_none_or(spawned) && query.label.as_ref().is_none_or(called)
}

fn holds(row: &StoreRow, wanted: &str) -> bool {
    [&row.display_name, &row.label, &row.subject, &row.session_id, &Some(row.key.clone())]
        .into_iter()
        .flatten()
        .any(|text| text.to_lowercase().contains(wanted))
}

/// Keys by the lower-cased key above them. Archived sessions are children too.
fn children(all: &StoreSnapshot) -> BTreeMap<String, BTreeSet<&str>> {
    let mut below: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for session in &all.sessions {
        let own = session.key.folded();
        for above in [session.entry.spawned_by(), session.entry.parent_session_key()].into_iter().flatten() {
            let above = above.to_lowercase();
            if above != own {
                below.entry(above).or_default().insert(session.key.as_str());
            }
        }
    }
    below
}

/// Every place where sessions are stored, with its status.
#[must_use]
pub fn places(all: &StoreSnapshot) -> Vec<StoreInfoRow> {
    all.places
        .iter()
        .map(|place| StoreInfoRow {
            path: place.path.clone(),
            agent_id: place.agent_id.clone(),
            database: place.release == Release::Database,
            standing: place.state.clone(),
            sessions: place.sessions,
        })
        .collect()
}
