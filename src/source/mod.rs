//! Data source of the pages, the only module that sends REST requests. [`detect`] finds out whether the monitor is 2.x
//! or 1.x. Pages query a [`DataSource`] of either kind with the same methods.

mod backend;
mod error;
mod http;
mod local;
mod trial;
mod v1;
mod v2;

pub use backend::{Backend, Compat};
pub use error::SourceError;
pub use http::{bundle_text, meta};
pub use local::{AppendOutcome, ChosenFile, FilesNews, FilesState, append_file, open_files, serve_if_worker};
pub use trial::{Moved, Trial, open_trial};
pub(crate) use v2::LiveRequest;
pub use v2::MonitorV2;

use coordination::api::{FleetPage, FleetSearchPage, Home, PastMoment, StoreQuery, StoreRow};
use coordination::ids::AgentId;

use crate::lazy_chunks::lazy_chunk;
use crate::routes::query_string;

use std::pin::Pin;
use std::sync::Arc;

/// A monitor that was recognised.
#[derive(Debug, Clone)]
pub enum DataSource {
    /// REST v2: the monitor answers the queries.
    V2(MonitorV2),
    /// REST 1.x: a local hub answers them.
    V1(Arc<dyn Compat>),
}

type SourceResult<T> = Result<T, SourceError>;
type SourceFuture<T> = Pin<Box<dyn Future<Output = SourceResult<T>>>>;

/// An answer that is known already.
fn answered<T: 'static>(answer: SourceResult<T>) -> SourceFuture<T> {
    Box::pin(std::future::ready(answer))
}

lazy_chunk!(
    compat,
    load_v1,
    fn open_v1(api: String) -> SourceFuture<Arc<dyn Compat>> {
        v1::open(api)
    }
);

/// Files that the host names to be shown instead of a monitor, by their addresses.
pub fn named_files() -> Vec<String> {
    let names = meta("task-hub:files").unwrap_or_default();
    let base = leptos::prelude::document().base_uri().ok().flatten().unwrap_or_default();
    let address = |name: &str| web_sys::Url::new_with_base(name, &base).ok().map(|url| url.href());
    names.split_ascii_whitespace().filter_map(address).collect()
}

/// No answer about the fleet within this time counts as none.
const FLEET_TIMEOUT_MS: u32 = 10_000;

/// Name of the fleet whose machines the page shows; none on the page of one machine.
pub fn fleet_name() -> Option<String> {
    let name = meta("task-hub:fleet").unwrap_or_default();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The machines of the fleet, what waits on them, and their newest sessions.
pub fn fleet() -> SourceFuture<FleetPage> {
    http::get_within(&MonitorV2::at(&http::api_base()).url("fleet"), FLEET_TIMEOUT_MS)
}

/// What is found on the machines of the fleet.
pub fn search_fleet(q: &str) -> SourceFuture<FleetSearchPage> {
    let query = query_string(&[("q".to_owned(), q.to_owned())]);
    http::get_within(&MonitorV2::at(&http::api_base()).url(&format!("fleet/search{query}")), FLEET_TIMEOUT_MS)
}

/// A page of a list of all machines.
pub fn fleet_rows<T: serde::de::DeserializeOwned + 'static>(
    route: &str,
    query: &[(String, String)],
) -> SourceFuture<T> {
    http::get_within(
        &MonitorV2::at(&http::api_base()).url(&format!("{route}{}", query_string(query))),
        FLEET_TIMEOUT_MS,
    )
}

/// Address of the stream that says when an answer about the fleet may have changed.
pub fn fleet_live_url() -> String {
    MonitorV2::at(&http::api_base()).url("fleet/live")
}

/// Address at which the service worker registers a push subscription.
pub fn push_subscriptions_url() -> String {
    MonitorV2::at(&http::api_base()).url("push-subscriptions")
}

/// Detects the API version of the monitor below the page's API base. Only a server that does not know v2 is asked for
/// 1.x; one that is merely down is tried again later.
pub async fn detect() -> SourceResult<(DataSource, Home)> {
    let api = http::api_base();
    let monitor = MonitorV2::at(&api);
    match monitor.home().await {
        Ok(home) => Ok((DataSource::V2(monitor), home)),
        Err(SourceError::Unsupported | SourceError::Decode | SourceError::Api { status: 404 | 410, .. }) => {
            let monitor = open_v1(api).await.map_err(|_| SourceError::Network)?.await?;
            let home = monitor.home();
            Ok((DataSource::V1(monitor), home))
        }
        Err(error) => Err(error),
    }
}

impl DataSource {
    /// The same data as of a past moment, or as of now.
    #[must_use]
    pub fn at(&self, moment: Option<PastMoment>) -> Self {
        match self {
            Self::V2(monitor) => Self::V2(monitor.as_of(moment)),
            Self::V1(monitor) => Self::V1(Arc::clone(monitor)),
        }
    }

    /// Home, as of the moment of the source.
    pub async fn home(&self) -> SourceResult<Home> {
        match self {
            Self::V2(monitor) => monitor.home().await,
            Self::V1(_) => Err(SourceError::Unsupported),
        }
    }

    /// Where an agent's own picture is served; a 1.x monitor serves none.
    pub fn avatar_url(&self, agent: &AgentId) -> Option<String> {
        match self {
            Self::V2(monitor) => monitor.avatar_url(agent),
            Self::V1(_) => None,
        }
    }

    /// A session of OpenClaw's own stores by its key, archived or not; none when no store holds it.
    pub async fn store(&self, key: &str) -> SourceResult<Option<StoreRow>> {
        for archived in [false, true] {
            let query = StoreQuery {
                search: Some(key.to_owned()),
                include_global: true,
                include_unknown: true,
                include_derived_titles: true,
                archived,
                ..StoreQuery::default()
            };
            let rows = self.stores(&query).await?.sessions;
            if let Some(row) = rows.into_iter().find(|row| row.key.eq_ignore_ascii_case(key)) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }
}
