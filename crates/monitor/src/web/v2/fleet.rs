//! Handlers of `/api/v2/fleet`: the machines of a fleet on one page, and a search over all of them.

use axum::extract::State;
use coordination::api::{FleetPage, FleetSearchPage, FleetSearchQuery, FleetSearchSource, SearchQuery, SessionsQuery};
use coordination::query::{self, MachineAnswer};
use futures::future::join_all;

use crate::app::AppState;
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, StrictQuery, json};
use crate::web::machines::Machines;

/// All machines, their work lists in one, and their newest sessions. 404 where no fleet is shown.
#[utoipa::path(get, path = "/fleet", tag = "fleet", responses((status = 404, description = "This monitor shows no fleet", body = coordination::api::ErrorBody)))]
pub(super) async fn page(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
) -> ApiResult<FleetPage> {
    let machines = machines.ok_or_else(no_fleet)?;
    let view = machines.fleet().view();
    let answers = view.members.iter().cloned().map(|member| async move {
        let query = SessionsQuery { limit: u32::try_from(FleetPage::MAX_SESSIONS).ok(), ..SessionsQuery::default() };
        let answer = member.app.run_indexed_query(move |hub, index, now| {
            let sessions = query::sessions_with_index(hub, index, now, &query)?.sessions;
            Ok::<_, ApiError>((query::home(hub, now), sessions))
        });
        let (home, sessions) = answer.await?;
        Ok::<_, ApiError>(MachineAnswer { source: member.info, home, sessions })
    });
    let answers = join_all(answers).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let page = query::fleet_page(answers, state.now());
    json(&FleetPage {
        name: machines.fleet().name().to_owned(),
        link: view.link,
        cause: view.cause.clone(),
        behind: view.behind,
        ..page
    })
}

/// Search over all machines: the best hits of each. `host:name` names a machine, the rest is as in `/search`.
#[utoipa::path(get, path = "/fleet/search", tag = "fleet", responses((status = 404, description = "This monitor shows no fleet", body = coordination::api::ErrorBody)))]
pub(super) async fn search(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
    StrictQuery(params): StrictQuery<FleetSearchQuery>,
) -> ApiResult<FleetSearchPage> {
    let machines = machines.ok_or_else(no_fleet)?;
    let view = machines.fleet().view();
    let (hosts, q) = query::fleet_query(&params.q);
    let is_named = |name: &str| hosts.is_empty() || hosts.iter().any(|host| *host == name.to_lowercase());
    let members = view.members.iter().filter(|member| is_named(&member.info.name)).cloned();
    let found = members.map(|member| {
        let limit = u32::try_from(FleetSearchPage::MAX_HITS_PER_SOURCE).ok();
        let search = SearchQuery { q: q.clone(), limit, offset_min: params.offset_min, ..SearchQuery::default() };
        async move {
            let page =
                member.app.run_indexed_query(move |hub, index, now| query::search(hub, index, now, &search)).await?;
            Ok::<_, ApiError>(FleetSearchSource { source: member.info.name, total: page.total, hits: page.hits })
        }
    });
    let sources = join_all(found).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    json(&FleetSearchPage { sources, now: state.now() })
}

fn no_fleet() -> ApiError {
    ApiError::not_found("This monitor shows no fleet")
}
