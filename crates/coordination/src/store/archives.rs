//! Lists of transcripts that were put away, newest first.

use std::cmp::Reverse;

use super::{Archive, Sessions, places};
use crate::api::{ArchiveList, ArchiveQuery, ArchiveRow};

/// Lists them at `now`.
#[must_use]
pub fn archives(all: &Sessions, query: &ArchiveQuery, now: i64) -> ArchiveList {
    let wanted = |archive: &&Archive| {
        query.agent.as_ref().is_none_or(|agent| archive.agent_id.as_str().eq_ignore_ascii_case(agent.as_str()))
    };
    let mut archives: Vec<ArchiveRow> = all.archives.iter().filter(wanted).map(|archive| row(all, archive)).collect();
    // Equal times are ordered by name, so that a list is the same each time.
    archives.sort_by(|one, other| {
        let of = |row: &ArchiveRow| (Reverse(row.at), row.agent_id.clone(), row.session_id.clone(), row.name.clone());
        of(one).cmp(&of(other))
    });
    let total_count = archives.len();
    archives.truncate(query.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
    ArchiveList { ts: now, count: archives.len(), total_count, archives, places: places(all) }
}

fn row(all: &Sessions, archive: &Archive) -> ArchiveRow {
    ArchiveRow {
        agent_id: archive.agent_id.clone(),
        session_id: archive.session_id.clone(),
        key: archived_key(all, &archive.agent_id, &archive.session_id),
        reason: archive.reason,
        at: archive.at_ms(),
        name: archive.name.clone(),
    }
}

/// The key of an archived session: as the archive tells, else that of the session which has, or had, its id.
#[must_use]
pub fn archived_key(all: &Sessions, agent: &crate::ids::AgentId, session_id: &str) -> Option<String> {
    let own = |archive: &&Archive| archive.agent_id == *agent && archive.session_id == session_id;
    let told = all.archives.iter().filter(own).find_map(|archive| archive.key.clone());
    told.or_else(|| {
        let of_agent = all.sessions.iter().filter(|session| session.agent_id == *agent && !session.key.is_cron_run());
        let mut has = of_agent.filter(|session| {
            let ids = [session.entry.session_id(), session.entry.previous_session_id()];
            ids.contains(&Some(session_id))
        });
        has.next().map(|session| session.key.as_str().to_owned())
    })
}
