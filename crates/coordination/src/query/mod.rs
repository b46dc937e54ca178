//! Queries of the REST API and the page, computed from the in-memory state ([`Hub`](crate::hub::Hub)) at a given time.
//! The monitor serves the results over REST. If the monitor supports only REST 1.x, the browser builds a hub from that
//! monitor's events and runs the queries there.

mod activity;
mod agents;
mod alert_lines;
mod attention;
mod axis;
mod card;
mod changes;
mod days;
mod delegations;
mod drift;
mod event_filter;
mod events;
mod fleet;
mod flow;
mod found;
mod grouped;
mod home;
mod live;
mod open_sends;
mod page;
pub mod params;
mod permission;
mod quality;
mod recap;
mod recap_digest;
mod replay;
mod search;
mod session;
mod session_text;
mod sessions;
mod shared_records;
mod task;
mod tasks;
mod team;
mod thread;
mod timeline;
mod totals;
mod wait_graph;
mod waits;

pub use activity::activity;
pub use alert_lines::{alert_line, alert_lines, alert_path};
pub use attention::answerable_approval;
pub use changes::{ChangeRecord, MAX_HISTORY, changes, override_of};
pub use days::days;
pub use delegations::{all_delegations, delegations};
pub use drift::drift;
pub(crate) use events::retain_found;
pub use events::{event, events, events_with_index};
pub use fleet::{
    MachineAnswer, MachinePage, fleet_page, fleet_query, known_sessions, link_sessions, machine_agents, machine_events,
    machine_sessions, machine_tasks, merge_agents, merge_drift, merge_events, merge_sessions, merge_tasks,
};
pub use flow::flow;
pub use found::{session_found, thread_found};
pub use home::home;
pub use live::{delta, snapshot, thread_patch};
pub use permission::{PermissionContext, permission_context};
pub use quality::quality;
pub use recap::recap;
pub use recap_digest::{recap_digest, recap_path};
pub use replay::replay;
pub use search::search;
pub use session::{session, session_by, session_card};
pub use sessions::{sessions, sessions_with_index};
pub use shared_records::{PageRule, has_place, notes_of, page_rules, shared_records};
pub use tasks::{task, tasks};
pub use team::{agent_detail, agents, avatar};
pub use thread::thread_page;
pub use timeline::timeline;
pub use totals::{REPLY_BUCKETS, ReplyTimes, Totals, moment_totals, totals};
pub use waits::waits;

pub use crate::api::QueryError;
