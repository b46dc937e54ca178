//! URLs of the dashboard: `paths::*` builds the links between pages, the `*Filter` and `*View` types read and write URL
//! queries. The path names the page, the query how it is shown. The router's path patterns are in `src/app.rs`.

mod agents;
mod alert_rules;
mod changes;
mod drift;
mod events;
mod filters;
mod fleet;
mod flow;
mod moment;
mod search;
mod stores;
mod tasks;
mod text;
mod tree;
mod views;

use std::sync::OnceLock;

use coordination::category::Category;
use coordination::ids::SessionId;

pub use agents::{AgentsFilter, PairsColumn, PairsOrder, PairsSince, RoleShown, STATES, StateShown};
pub use alert_rules::NewAlertRule;
pub use changes::{ChangesFilter, Day, OverrideSide};
pub use drift::{DriftSince, DriftView};
pub use events::EventsFilter;
pub use filters::{Grouping, MAX_VALUES, SessionsFilter, Since, ThreadViewState};
pub use fleet::{FleetFilter, FleetTab};
pub use flow::{FlowView, Unfolded};
pub use moment::{ComparedWith, at_moment, compared_with, comparing, moment, unread_moment, without_moment};
pub use search::SearchFilter;
pub use stores::{StoreView, StoresFilter};
pub use tasks::{TasksFilter, TasksView};
pub use text::{encode, parse_query, query_string};
pub use tree::TreeView;
pub use views::{SavableList, below, kind_of, savable_list, shared_name, shared_view, view};

/// Path segment for all threads of a session.
pub const WHOLE: &str = "whole";
/// Path segment of a session's flow; a page of its own.
const FLOW: &str = "flow";

/// Path prefix of an archived session, before agent and session id. No key has this form with two names after it.
const ARCHIVE: &str = "archive";

/// The root element of an evidence page has it.
#[cfg(target_arch = "wasm32")]
const EVIDENCE_ATTRIBUTE: &str = "data-evidence";

static BASE: OnceLock<String> = OnceLock::new();
static EVIDENCE_PAGE: OnceLock<bool> = OnceLock::new();

/// The path below which the bundle is served, without a trailing slash (`""` or `"/hub"`), from the page's
/// `<base>`. Read once: a running page never moves.
pub fn base() -> &'static str {
    BASE.get_or_init(read_base)
}

/// The machine of a fleet that this page is about: the last part of its base, `@<name>`.
#[must_use]
pub fn machine() -> Option<&'static str> {
    base().rsplit('/').next()?.strip_prefix('@').filter(|name| !name.is_empty())
}

/// True on an evidence page: one HTML file with the dashboard inside, opened from a disk. Read once, as [`base`] is.
#[must_use]
pub fn is_evidence_page() -> bool {
    *EVIDENCE_PAGE.get_or_init(read_evidence_page)
}

#[cfg(target_arch = "wasm32")]
fn read_evidence_page() -> bool {
    leptos::prelude::document().document_element().is_some_and(|root| root.has_attribute(EVIDENCE_ATTRIBUTE))
}

#[cfg(not(target_arch = "wasm32"))]
fn read_evidence_page() -> bool {
    false
}

#[cfg(target_arch = "wasm32")]
fn read_base() -> String {
    let uri = leptos::prelude::document().base_uri().ok().flatten().unwrap_or_default();
    let path = web_sys::Url::new(&uri).map(|url| url.pathname()).unwrap_or_default();
    path.rsplit_once('/').map(|(folder, _)| folder.to_owned()).unwrap_or_default()
}

#[cfg(not(target_arch = "wasm32"))]
fn read_base() -> String {
    String::new()
}

/// Prefix of a path, without the base, that names its page: `/s/ws_1/t/conv:1` gives `/s/ws_1`. Paths with the same
/// prefix show one page, with another part of it open.
pub fn subject(path: &str) -> &str {
    let below = path.strip_prefix(base()).unwrap_or(path);
    let names: Vec<&str> = below.trim_start_matches('/').split('/').collect();
    let parts = match names[..] {
        ["tasks" | "events" | "all" | "audit" | "drift" | "rules" | "alerts" | "search", ..] => 1,
        ["s", _, FLOW, ..] => 3,
        ["sessions", _, _, ..] => 4,
        _ => 2,
    };
    let end = below.match_indices('/').nth(parts).map_or(below.len(), |(at, _)| at);
    below.get(..end).unwrap_or(below)
}

/// The session whose page, or flow, a path shows.
pub fn session_of(path: &str) -> Option<SessionId> {
    let below = path.strip_prefix(base()).unwrap_or(path).strip_prefix("/s/")?;
    let id = text::decode(below.split('/').next().unwrap_or_default());
    (!id.is_empty()).then(|| SessionId::from(id))
}

/// The list of sessions that a path shows: of one category or of all.
pub fn session_list(path: &str) -> Option<Option<Category>> {
    let below = path.strip_prefix(base()).unwrap_or(path);
    match below.strip_prefix("/c/") {
        Some(category) => category.parse().ok().map(Some),
        None => (below == "/all").then_some(None),
    }
}

/// Builders of every link inside the page. They include [`base`], so they serve as `href`, for navigation
/// without resolving, and for links copied to the clipboard.
pub mod paths {
    use coordination::api::TranscriptPlace;
    use coordination::category::Category;
    use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

    use super::{
        ARCHIVE, AgentsFilter, ChangesFilter, DriftView, EventsFilter, FLOW, FlowView, NewAlertRule, SearchFilter,
        SessionsFilter, StoreView, StoresFilter, TasksFilter, ThreadViewState, WHOLE, base, encode, query_string,
    };

    /// The dashboard of a machine of the fleet.
    pub fn machine(name: &str) -> String {
        on_machine(name, &home())
    }

    /// A link of this page on the dashboard of a machine, which is below `@<name>/`.
    pub fn on_machine(name: &str, link: &str) -> String {
        let below = link.strip_prefix(base()).unwrap_or(link);
        format!("{}/@{}{below}", base(), encode(name))
    }

    /// Home.
    pub fn home() -> String {
        format!("{}/", base())
    }

    /// Sessions of one category, or of all.
    pub fn sessions(category: Option<Category>, filter: &SessionsFilter) -> String {
        let query = query_string(&filter.to_pairs());
        match category {
            Some(category) => format!("{}/c/{}{query}", base(), category.as_str()),
            None => format!("{}/all{query}", base()),
        }
    }

    /// Sessions of one category without filters.
    pub fn category(category: Category) -> String {
        sessions(Some(category), &SessionsFilter::default())
    }

    /// All sessions without filters.
    pub fn all() -> String {
        sessions(None, &SessionsFilter::default())
    }

    /// One session.
    pub fn session(session: &SessionId) -> String {
        format!("{}/s/{}", base(), encode(session.as_str()))
    }

    /// One thread.
    pub fn thread(session: &SessionId, thread: &ThreadId) -> String {
        format!("{}/t/{}", self::session(session), encode(thread.as_str()))
    }

    /// One thread, opened at a message.
    pub fn thread_at(session: &SessionId, thread: &ThreadId, event: &EventId) -> String {
        thread_as(session, thread, &ThreadViewState { at: Some(event.clone()), ..ThreadViewState::default() })
    }

    /// A session, one of its threads, or one of its messages.
    pub fn place(session: &SessionId, thread: Option<&ThreadId>, event: Option<&EventId>) -> String {
        match (thread, event) {
            (Some(thread), Some(event)) => thread_at(session, thread, event),
            (Some(thread), None) => self::thread(session, thread),
            (None, _) => self::session(session),
        }
    }

    /// One thread with its view.
    pub fn thread_as(session: &SessionId, thread: &ThreadId, view: &ThreadViewState) -> String {
        format!("{}{}", self::thread(session, thread), query_string(&view.to_pairs()))
    }

    /// All threads of a session in one stream. No thread's address looks like it: those lie below `/t/`.
    pub fn whole(session: &SessionId) -> String {
        format!("{}/{WHOLE}", self::session(session))
    }

    /// The same with its view.
    pub fn whole_as(session: &SessionId, view: &ThreadViewState) -> String {
        format!("{}{}", whole(session), query_string(&view.to_pairs()))
    }

    /// The flow of a session with its view.
    pub fn flow(session: &SessionId, view: &FlowView) -> String {
        format!("{}/{FLOW}{}", self::session(session), query_string(&view.to_pairs()))
    }

    /// The flow of a session with the mark of an event selected.
    pub fn flow_at(session: &SessionId, event: &EventId) -> String {
        flow(session, &FlowView { sel: Some(event.clone()), ..FlowView::default() })
    }

    /// A permission request, to answer it.
    pub fn permission(request: &str) -> String {
        format!("{}/permission/{}", base(), encode(request))
    }

    /// What is found everywhere.
    pub fn search(filter: &SearchFilter) -> String {
        format!("{}/search{}", base(), query_string(&filter.to_pairs()))
    }

    /// Events.
    pub fn events(filter: &EventsFilter) -> String {
        format!("{}/events{}", base(), query_string(&filter.to_pairs()))
    }

    /// Tasks.
    pub fn tasks(filter: &TasksFilter) -> String {
        format!("{}/tasks{}", base(), query_string(&filter.to_pairs()))
    }

    /// Agents.
    pub fn agents(filter: &AgentsFilter) -> String {
        format!("{}/agents{}", base(), query_string(&filter.to_pairs()))
    }

    /// One agent. Of the filter only what concerns the pairs counts.
    pub fn agent_as(agent: &AgentId, filter: &AgentsFilter) -> String {
        let filter = AgentsFilter { state: None, role: None, ..filter.clone() };
        format!("{}/agents/{}{}", base(), encode(agent.as_str()), query_string(&filter.to_pairs()))
    }

    /// One agent.
    pub fn agent(agent: &AgentId) -> String {
        agent_as(agent, &AgentsFilter::default())
    }

    /// Sessions of OpenClaw's own stores.
    pub fn stores(filter: &StoresFilter) -> String {
        format!("{}/sessions{}", base(), query_string(&filter.to_pairs()))
    }

    /// The history of one of them.
    pub fn store(key: &str) -> String {
        store_as(key, &StoreView::default())
    }

    /// The same with its view.
    pub fn store_as(key: &str, view: &StoreView) -> String {
        format!("{}/sessions/{}{}", base(), encode(key), query_string(&view.to_pairs()))
    }

    /// The history of a session that no key leads to any more, with its view; the agent is optional.
    pub fn archive_as(agent: &AgentId, session: &str, view: &StoreView) -> String {
        let query = query_string(&StoreView { of: None, ..view.clone() }.to_pairs());
        format!("{}/sessions/{ARCHIVE}/{}/{}{query}", base(), encode(agent.as_str()), encode(session))
    }

    /// The line of a transcript: by the key that leads to it, else among the archived ones.
    pub fn transcript(place: &TranscriptPlace) -> Option<String> {
        let view = StoreView { at: place.entry.clone(), of: place.session.clone(), ..StoreView::default() };
        match (&place.agent, &place.session) {
            _ if !place.key.is_empty() => Some(store_as(&place.key, &view)),
            (Some(agent), Some(session)) => Some(archive_as(agent, session, &view)),
            _ => None,
        }
    }

    /// The record of category changes.
    pub fn changes(filter: &ChangesFilter) -> String {
        format!("{}/audit{}", base(), query_string(&filter.to_pairs()))
    }

    /// What the classifier was taught; with a category, ready for a word that speaks for it.
    pub fn rules(category: Option<Category>) -> String {
        let query = category.map(|category| ("category".to_owned(), category.as_str().to_owned()));
        format!("{}/rules{}", base(), query_string(&query.into_iter().collect::<Vec<_>>()))
    }

    /// Rules of alerts.
    pub fn alert_rules() -> String {
        format!("{}/alerts", base())
    }

    /// Rules of alerts, with one to be written.
    pub fn new_alert_rule(rule: &NewAlertRule) -> String {
        format!("{}{}", alert_rules(), query_string(&rule.to_pairs()))
    }

    /// The drift of the automatic filing.
    pub fn drift(view: DriftView) -> String {
        format!("{}/drift{}", base(), query_string(&view.to_pairs()))
    }

    /// One task.
    pub fn task(agent: &AgentId, task: &TaskId) -> String {
        task_in(agent, task, &TasksFilter::default())
    }

    /// One task next to its list.
    pub fn task_in(agent: &AgentId, task: &TaskId, filter: &TasksFilter) -> String {
        let query = query_string(&filter.to_pairs());
        format!("{}/tasks/{}/{}{query}", base(), encode(agent.as_str()), encode(task.as_str()))
    }
}

#[cfg(test)]
mod tests;
