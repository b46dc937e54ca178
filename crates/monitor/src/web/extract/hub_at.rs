//! Extractor of the hub that a question is about: the present one, or that of a past moment (`?at=`).

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use coordination::api::{AtQuery, ErrorCode, PastMoment};
use coordination::hub::Hub;
use coordination::query::params::FromPairs as _;
use coordination::search::index::SearchIndex;

use super::{ApiResult, Pairs};
use crate::app::AppState;
use crate::web::error::ApiError;
use crate::web::state::WebState;

/// The present hub, or that of a past moment. An argument before [`StrictQuery`](super::StrictQuery), which then leaves
/// the parameters of the moment out.
pub(in crate::web) struct HubAt {
    app: AppState,
    moment: Option<PastMoment>,
}

/// Mark on a request whose moment was read.
#[derive(Debug, Clone)]
struct MomentRead;

impl HubAt {
    /// The monitor.
    pub(in crate::web) fn app(&self) -> &AppState {
        &self.app
    }

    /// Runs a query on the hub, at the moment or now, off the async threads.
    pub(in crate::web) async fn run_query<T: Send + 'static>(
        self,
        query: impl FnOnce(&Hub, i64) -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<T> {
        match self.moment {
            None => self.app.run_query(query).await,
            Some(moment) => run_past(&self.app, moment, query).await,
        }
    }

    /// The same for a query that also needs the search index. The past has no index: queries then read all events.
    pub(in crate::web) async fn run_indexed_query<T: Send + 'static>(
        self,
        query: impl FnOnce(&Hub, &SearchIndex, i64) -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<T> {
        match self.moment {
            None => self.app.run_indexed_query(query).await,
            Some(moment) => run_past(&self.app, moment, move |hub, now| query(hub, &SearchIndex::new(), now)).await,
        }
    }
}

async fn run_past<T: Send + 'static>(
    app: &AppState,
    moment: PastMoment,
    query: impl FnOnce(&Hub, i64) -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    let unavailable = |error: &str| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error);
    if !app.is_ready() {
        return Err(unavailable("The history is being read; ask again when it is"));
    }
    match app.run_past_query(moment, query).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(%error, "the record of category changes could not be read");
            Err(unavailable("The record of category changes could not be read"))
        }
    }
}

impl FromRequestParts<WebState> for HubAt {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, ApiError> {
        let Pairs(mut pairs) = Pairs::from_request_parts(parts, state).await?;
        pairs.retain(|(name, _)| AtQuery::NAMES.contains(&name.as_str()));
        let moment = AtQuery::from_pairs(&pairs)?.moment();
        let now = state.app.now();
        if let Some(moment) = moment.filter(|moment| moment.at > now) {
            let error = format!("at: {} is in the future; leave it out for the present", moment.at);
            let mut error = ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, error);
            error.body.field = Some("at".to_owned());
            return Err(error);
        }
        parts.extensions.insert(MomentRead);
        Ok(Self { app: state.app.clone(), moment })
    }
}

/// Removes the parameters of the moment where [`HubAt`] has read them.
pub(super) fn remove_read_parameters(parts: &Parts, pairs: &mut Vec<(String, String)>) {
    if parts.extensions.get::<MomentRead>().is_some() {
        pairs.retain(|(name, _)| !AtQuery::NAMES.contains(&name.as_str()));
    }
}
