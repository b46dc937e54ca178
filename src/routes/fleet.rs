//! URL query of the fleet page: the one machine to show, and the search text. Any path shows the fleet page.

use super::filters::{UrlPairs, UrlQueryWriter, text};
use super::query_string;

/// Query of the fleet page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FleetFilter {
    /// Name of the only machine to show.
    pub host: Option<String>,
    /// What is searched on all machines; blank: no search.
    pub q: String,
}

impl FleetFilter {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self { host: text(pairs, "host"), q: text(pairs, "q").unwrap_or_default() }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("host", self.host.as_ref());
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
    use crate::routes::{parse_query, paths};

    #[test]
    fn fleet_filter_is_read_back_from_its_url() {
        let filter = FleetFilter { host: Some("seum-mac".to_owned()), q: "배포 host:seum-mac".to_owned() };
        let address = filter.address("/");
        let (_, query) = address.split_once('?').unwrap();
        assert_eq!(FleetFilter::from_pairs(&parse_query(query)), filter);
        assert_eq!(FleetFilter::default().address("/hub/"), "/hub/");
        assert!(filter.shows("seum-mac") && !filter.shows("seum-mac-2") && FleetFilter::default().shows("x"));
    }

    #[test]
    fn links_on_a_machine_keep_their_path() {
        assert_eq!(paths::machine("seum-mac"), "/@seum-mac/");
        assert_eq!(paths::on_machine("a b", "/s/ws_1?at=f-1"), "/@a%20b/s/ws_1?at=f-1");
    }
}
