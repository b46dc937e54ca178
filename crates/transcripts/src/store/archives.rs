//! List query over archived transcripts, newest first.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{ArchiveCause, ArchiveReason, ArchivedTranscript, SpawnRun, StoreSnapshot, places};
use protocol::api::{ArchiveList, ArchiveQuery, ArchiveRow};
use protocol::ids::AgentId;

/// Lists them at `now`.
#[must_use]
pub fn archives(all: &StoreSnapshot, query: &ArchiveQuery, now: i64) -> ArchiveList {
    let wanted = |archive: &&ArchivedTranscript| {
        query.agent.as_ref().is_none_or(|agent| archive.agent_id.as_str().eq_ignore_ascii_case(agent.as_str()))
            && query.session.as_ref().is_none_or(|session| archive.is_of(session))
    };
    let keys = ArchivedSessionKeys::from_snapshot(all);
    let search = query.search.as_deref().map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty());
    let row_matches = |row: &ArchiveRow| {
        let of_key = |wanted: &String| row.key.as_ref().is_some_and(|key| key.eq_ignore_ascii_case(wanted));
        query.key.as_ref().is_none_or(of_key) && search.as_ref().is_none_or(|wanted| holds(row, wanted))
    };
    let rows = all.archives.iter().filter(wanted).map(|archive| row(all, &keys, archive));
    let mut archives: Vec<ArchiveRow> = rows.filter(row_matches).collect();
    // Equal times are ordered by name, so that a list is the same each time.
    archives.sort_by(|one, other| {
        let sort_key =
            |row: &ArchiveRow| (Reverse(row.at), row.agent_id.clone(), row.session_id.clone(), row.name.clone());
        sort_key(one).cmp(&sort_key(other))
    });
    let total_count = archives.len();
    archives.truncate(query.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
    ArchiveList { ts: now, count: archives.len(), total_count, archives, places: places(all) }
}

/// Whether a row shows the text.
fn holds(row: &ArchiveRow, wanted: &str) -> bool {
    let texts = [row.key.as_deref(), Some(&row.session_id), Some(row.agent_id.as_str()), Some(&row.name)];
    texts.into_iter().flatten().any(|text| text.to_lowercase().contains(wanted))
}

fn row(all: &StoreSnapshot, keys: &ArchivedSessionKeys<'_>, archive: &ArchivedTranscript) -> ArchiveRow {
    let key = keys.get(&archive.agent_id, &archive.session_id);
    ArchiveRow {
        agent_id: archive.agent_id.clone(),
        session_id: archive.session_id.clone(),
        key: key.map(str::to_owned),
        cause: cause(&all.spawns, archive, key),
        reason: archive.reason,
        at: archive.at_ms(),
        name: archive.name.clone(),
    }
}

/// The cause, from the runs of spawned sessions and the archive's store.
fn cause(spawns: &[SpawnRun], archive: &ArchivedTranscript, key: Option<&str>) -> Option<ArchiveCause> {
    let of_run = || {
        let (key, at) = (key?, archive.at_ms()?);
        let run = spawns.iter().filter(|run| run.child.eq_ignore_ascii_case(key)).max_by_key(|run| run.created_at)?;
        if let Some(due) = run.archive_at.filter(|due| *due <= at) {
            let minutes = due.saturating_sub(run.created_at?) / 60_000;
            return (minutes > 0).then_some(ArchiveCause::AfterMinutes { minutes });
        }
        let ended = run.ended_at.is_some_and(|ended| ended <= at);
        (ended && run.cleanup.as_deref() == Some("delete")).then_some(ArchiveCause::Cleanup)
    };
    let spawned = (archive.reason == ArchiveReason::Deleted).then(of_run).flatten();
    spawned.or_else(|| archive.word.clone().map(|word| ArchiveCause::Word { word }))
}

/// Keys of archived sessions: from an archive, else that of the session which has, or had, the id.
struct ArchivedSessionKeys<'a>(HashMap<(&'a AgentId, &'a str), &'a str>);

impl<'a> ArchivedSessionKeys<'a> {
    fn from_snapshot(all: &'a StoreSnapshot) -> Self {
        let mut keys = HashMap::new();
        for archive in &all.archives {
            if let Some(key) = &archive.key {
                keys.entry((&archive.agent_id, archive.session_id.as_str())).or_insert(key.as_str());
            }
        }
        for session in all.sessions.iter().filter(|session| !session.key.is_cron_run()) {
            let ids = [session.entry.session_id(), session.entry.previous_session_id()];
            for id in ids.into_iter().flatten() {
                keys.entry((&session.agent_id, id)).or_insert(session.key.as_str());
            }
        }
        Self(keys)
    }

    fn get(&self, agent: &AgentId, session_id: &str) -> Option<&'a str> {
        self.0.get(&(agent, session_id)).copied()
    }
}

/// The key of an archived session: from the archive, else that of the session which has, or had, its id.
#[must_use]
pub fn archived_key(all: &StoreSnapshot, agent: &AgentId, session_id: &str) -> Option<String> {
    ArchivedSessionKeys::from_snapshot(all).get(agent, session_id).map(str::to_owned)
}
