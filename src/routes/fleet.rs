//! Addresses of the fleet page: its tabs, which are paths, and its query: the one machine to show, the filters of a list and
//! the search text.

use coordination::category::Category;
use coordination::ids::AgentId;
use coordination::role::Role;
use coordination::session::Status;
use coordination::workspace::TaskStatus;

use super::filters::{UrlPairs, UrlQueryWriter, agent, invalid_value, text, value};
use super::{AgentsFilter, DriftSince, DriftView, EventsFilter, TasksFilter, base, paths, query_string};

/// A tab of the fleet page. Its path is that of the same page on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FleetTab {
    /// Machines, what waits on them, newest sessions, and the search.
    Home,
    /// Sessions of all machines.
    Sessions,
    /// Events of all machines.
    Events,
    /// Tasks of all machines.
    Tasks,
    /// Agents of all machines.
    Agents,
    /// Drift of each machine.
    Drift,
}

impl FleetTab {
    /// All, in the order of the navigation.
    pub const ALL: [Self; 6] = [Self::Home, Self::Sessions, Self::Events, Self::Tasks, Self::Agents, Self::Drift];

    /// The tab of a path. Any other path is home.
    pub fn from_path(path: &str) -> Self {
        let below = path.strip_prefix(base()).unwrap_or(path);
        match below.trim_start_matches('/').split('/').next().unwrap_or_default() {
            "all" => Self::Sessions,
            "events" => Self::Events,
            "tasks" => Self::Tasks,
            "agents" => Self::Agents,
            "drift" => Self::Drift,
            _ => Self::Home,
        }
    }

    /// Its address without a filter; on a machine, the same page there.
    pub fn path(self) -> String {
        match self {
            Self::Home => paths::home(),
            Self::Sessions => paths::all(),
            Self::Events => paths::events(&EventsFilter::default()),
            Self::Tasks => paths::tasks(&TasksFilter::default()),
            Self::Agents => paths::agents(&AgentsFilter::default()),
            Self::Drift => paths::drift(DriftView::default()),
        }
    }

    /// Its address with the machine of a filter, which all tabs share.
    pub fn href(self, filter: &FleetFilter) -> String {
        FleetFilter { host: filter.host.clone(), ..FleetFilter::default() }.address(&self.path())
    }
}

/// Query of the fleet page. A tab reads what it knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FleetFilter {
    /// Name of the only machine to show.
    pub host: Option<String>,
    /// On home, what is searched on all machines; on a list, the text that its rows have. Blank: all.
    pub q: String,
    /// Status of sessions.
    pub status: Option<Status>,
    /// Status of tasks; under the same name in the address.
    pub task_status: Option<TaskStatus>,
    /// Category of sessions.
    pub category: Option<Category>,
    /// An agent of sessions, events and tasks, on any machine that has one of this id.
    pub agent: Option<AgentId>,
    /// Role of events.
    pub role: Option<Role>,
    /// Period of drift.
    pub since: Option<DriftSince>,
}

impl FleetFilter {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self {
            host: text(pairs, "host"),
            q: text(pairs, "q").unwrap_or_default(),
            status: value(pairs, "status"),
            task_status: value(pairs, "status"),
            category: value(pairs, "category"),
            agent: agent(pairs, "agent"),
            role: value(pairs, "role"),
            since: value(pairs, "since"),
        }
    }

    /// Values of a tab's own filters that it does not know, as written.
    pub fn unknown(pairs: &UrlPairs, tab: FleetTab) -> Vec<(String, String)> {
        let unknown = match tab {
            FleetTab::Home | FleetTab::Agents => [None, None],
            FleetTab::Sessions => {
                [invalid_value::<Status>(pairs, "status"), invalid_value::<Category>(pairs, "category")]
            }
            FleetTab::Events => [invalid_value::<Role>(pairs, "role"), None],
            FleetTab::Tasks => [invalid_value::<TaskStatus>(pairs, "status"), None],
            FleetTab::Drift => [invalid_value::<DriftSince>(pairs, "since"), None],
        };
        unknown.into_iter().flatten().collect()
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("host", self.host.as_ref());
        let status = self.status.map(|status| status.as_str());
        out.put("status", status.or(self.task_status.map(TaskStatus::as_str)));
        out.put("category", self.category.map(Category::as_str));
        out.put("agent", self.agent.as_ref());
        out.put("role", self.role.map(Role::as_str));
        out.put("since", self.since.map(DriftSince::as_str));
        out.put("q", Some(&self.q).filter(|q| !q.is_empty()));
        out.0
    }

    /// Address of the fleet page at `path` with this query.
    pub fn address(&self, path: &str) -> String {
        format!("{path}{}", query_string(&self.to_pairs()))
    }

    /// Whether a machine is shown.
    pub fn shows(&self, machine: &str) -> bool {
        self.host.as_ref().is_none_or(|host| host == machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::parse_query;

    #[test]
    fn fleet_filter_is_read_back_from_its_url() {
        let host = Some("seum-mac".to_owned());
        for filter in [
            FleetFilter { host: host.clone(), q: "배포 host:seum-mac".to_owned(), ..FleetFilter::default() },
            FleetFilter { status: Some(Status::Quiet), ..FleetFilter::default() },
            FleetFilter { host, task_status: Some(TaskStatus::Blocked), ..FleetFilter::default() },
            FleetFilter {
                category: Some(Category::InfraOps),
                agent: Some(AgentId::from("eden")),
                ..FleetFilter::default()
            },
            FleetFilter {
                role: Some(Role::OrchestrationTask),
                since: Some(DriftSince::Month),
                ..FleetFilter::default()
            },
        ] {
            let address = filter.address("/");
            let (_, query) = address.split_once('?').unwrap();
            assert_eq!(FleetFilter::from_pairs(&parse_query(query)), filter);
        }
        let filter = FleetFilter { host: Some("seum-mac".to_owned()), ..FleetFilter::default() };
        assert_eq!(FleetFilter::default().address("/hub/"), "/hub/");
        assert!(filter.shows("seum-mac") && !filter.shows("seum-mac-2") && FleetFilter::default().shows("x"));
    }

    #[test]
    fn every_tab_has_a_path_of_its_own() {
        for tab in FleetTab::ALL {
            assert_eq!(FleetTab::from_path(&tab.path()), tab);
        }
        let filter = FleetFilter { host: Some("a".to_owned()), q: "x".to_owned(), ..FleetFilter::default() };
        assert_eq!(FleetTab::Events.href(&filter), "/events?host=a");
        assert_eq!(FleetTab::from_path("/nowhere"), FleetTab::Home);
        let pairs = parse_query("status=asleep&role=x");
        assert_eq!(FleetFilter::unknown(&pairs, FleetTab::Tasks), [("status".to_owned(), "asleep".to_owned())]);
        assert_eq!(FleetFilter::unknown(&pairs, FleetTab::Agents), []);
        let pairs = parse_query("status=asleep&category=cooking");
        assert_eq!(FleetFilter::unknown(&pairs, FleetTab::Sessions).len(), 2);
    }

    #[test]
    fn links_on_a_machine_keep_their_path() {
        assert_eq!(paths::machine("seum-mac"), "/@seum-mac/");
        assert_eq!(paths::on_machine("a b", "/s/ws_1?at=f-1"), "/@a%20b/s/ws_1?at=f-1");
    }
}
