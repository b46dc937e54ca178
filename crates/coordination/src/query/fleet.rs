//! Answers of several machines in one. Each machine's own answers are put into one order, each row with the name of its
//! machine, and each session with the machines that have one of the same id. Lists with pages are in [`lists`].

mod cursor;
mod lists;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::api::{Attention, AttentionGroup};
use crate::api::{FleetAttention, FleetPage, FleetSession, FleetSource, Home, SessionCard};
use crate::hub::Hub;
use crate::ids::{AgentId, SessionId};

pub use lists::{
    MachinePage, machine_agents, machine_events, machine_sessions, machine_tasks, merge_agents, merge_drift,
    merge_events, merge_sessions, merge_tasks,
};

/// What one machine answers.
#[derive(Debug, Clone)]
pub struct MachineAnswer {
    /// What is known of the machine.
    pub source: FleetSource,
    /// Its home.
    pub home: Home,
    /// Its newest sessions.
    pub sessions: Vec<SessionCard>,
}

/// Answers of all machines in one: the work lists in the order of home, the newest sessions first.
#[must_use]
pub fn fleet_page(machines: Vec<MachineAnswer>, now: i64) -> FleetPage {
    let mut page = FleetPage { now, ..FleetPage::default() };
    for MachineAnswer { mut source, home, sessions } in machines {
        let named = named_agents(&home.attention, &sessions);
        source.agents = home.agents.into_iter().filter(|agent| named.contains(&agent.id)).collect();
        source.status_counts = home.status_counts;
        source.categories = home.categories.into_iter().filter(|count| count.totals.total > 0).collect();
        let waiting = home.attention.iter().filter(|line| line.group() == AttentionGroup::Person).count();
        source.waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        page.attention_more |= home.attention_more;
        let name = source.name.clone();
        page.attention.extend(home.attention.into_iter().map(|line| FleetAttention { source: name.clone(), line }));
        page.sessions.extend(sessions.into_iter().map(|session| fleet_session(&name, session)));
        page.sources.push(source);
    }
    page.attention.sort_by_cached_key(|FleetAttention { line, .. }| {
        (line.group(), Reverse(line.freed), Reverse(line.held_up), line.since)
    });
    page.attention_more |= page.attention.len() > FleetPage::MAX_ATTENTION;
    page.attention.truncate(FleetPage::MAX_ATTENTION);
    page.sessions.sort_by_key(|row| Reverse(row.session.last_time));
    page.sessions.truncate(FleetPage::MAX_SESSIONS);
    page
}

/// A row whose other machines are not known yet ([`link_sessions`]).
fn fleet_session(machine: &str, session: SessionCard) -> FleetSession {
    FleetSession { source: machine.to_owned(), session, also_on: Vec::new() }
}

/// Which of these sessions a machine has. Ids that only this dashboard gives are left out: equal ones mean nothing.
#[must_use]
pub fn known_sessions(hub: &Hub, ids: &BTreeSet<SessionId>) -> BTreeSet<SessionId> {
    let is_known =
        |id: &&SessionId| hub.session(id).is_some_and(|session| !session.synthetic && !session.events.is_empty());
    ids.iter().filter(is_known).cloned().collect()
}

/// Names at each row the other machines that have its session; `known` holds names and sessions of all machines.
pub fn link_sessions(rows: &mut [FleetSession], known: &[(String, BTreeSet<SessionId>)]) {
    for FleetSession { source, session, also_on } in rows {
        let others = known.iter().filter(|(name, ids)| name != source && ids.contains(&session.work_session_id));
        *also_on = others.map(|(name, _)| name.clone()).collect();
        also_on.sort();
    }
}

fn named_agents(lines: &[Attention], sessions: &[SessionCard]) -> BTreeSet<AgentId> {
    let of_lines = lines.iter().flat_map(|line| {
        let one = line.agent.iter().chain(&line.other);
        one.chain(&line.unblockers).chain(&line.waiters).chain(&line.cycle)
    });
    of_lines.chain(sessions.iter().flat_map(|session| &session.participants)).cloned().collect()
}

/// A search over machines: the words `host:name` and `기기:name`, in any case, name machines, the rest is the query for each of them.
#[must_use]
pub fn fleet_query(text: &str) -> (Vec<String>, String) {
    let mut hosts = Vec::new();
    let mut rest = Vec::new();
    for word in text.split_whitespace() {
        let folded = word.to_lowercase();
        match ["host:", "기기:"].iter().find_map(|operator| folded.strip_prefix(operator)) {
            Some(host) if !host.is_empty() => hosts.push(host.to_owned()),
            _ => rest.push(word),
        }
    }
    (hosts, rest.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Hub;
    use crate::query;

    fn machine(name: &str, lines: &[(u32, u32, i64)]) -> MachineAnswer {
        let hub = Hub::default();
        let line = |&(freed, held_up, since): &(u32, u32, i64)| {
            let line = serde_json::json!({ "kind": "approval", "inferred": false, "since": since, "agent": "eden" });
            Attention { freed, held_up, ..serde_json::from_value(line).expect("a line") }
        };
        let home = Home { attention: lines.iter().map(line).collect(), ..query::home(&hub, 0) };
        MachineAnswer {
            source: FleetSource { name: name.to_owned(), ..FleetSource::default() },
            home,
            sessions: Vec::new(),
        }
    }

    #[test]
    fn lines_of_all_machines_are_in_the_order_of_home() {
        let page =
            fleet_page(vec![machine("a", &[(1, 1, 50), (0, 0, 10)]), machine("b", &[(3, 3, 90), (1, 1, 40)])], 100);
        let rows: Vec<(&str, u32, i64)> =
            page.attention.iter().map(|row| (row.source.as_str(), row.line.freed, row.line.since)).collect();
        assert_eq!(rows, [("b", 3, 90), ("b", 1, 40), ("a", 1, 50), ("a", 0, 10)]);
        assert_eq!(page.sources.iter().map(|source| source.waiting).collect::<Vec<_>>(), [2, 2]);
        assert!(!page.attention_more);
    }

    #[test]
    fn words_that_name_machines_are_no_part_of_the_query() {
        assert_eq!(
            fleet_query("Host:Seum 배포 기기:eden is:root"),
            (vec!["seum".to_owned(), "eden".to_owned()], "배포 is:root".to_owned())
        );
        assert_eq!(fleet_query("host: 배포"), (Vec::new(), "host: 배포".to_owned()));
    }
}
