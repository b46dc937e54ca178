//! Handlers of `/api/v2/fleet`: the machines of a fleet on one page, a search over all of them, merged lists (`lists`) and
//! a stream of changes (`live`).

pub(super) mod lists;
pub(super) mod live;

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use coordination::api::{
    ErrorCode, FleetPage, FleetSearchPage, FleetSearchQuery, FleetSearchSource, FleetSession, SearchQuery,
    SessionsQuery,
};
use coordination::ids::SessionId;
use coordination::query::{self, MachineAnswer};
use futures::future::join_all;

use crate::app::AppState;
use crate::fleet::FleetMember;
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
        // Before the query: a machine that becomes ready meanwhile may lack rows.
        let source = member.current_info();
        let query = SessionsQuery { limit: u32::try_from(FleetPage::MAX_SESSIONS).ok(), ..SessionsQuery::default() };
        let answer = member.app.run_indexed_query(move |hub, index, now| {
            let sessions = query::sessions_with_index(hub, index, now, &query)?.sessions;
            Ok::<_, ApiError>((query::home(hub, now), sessions))
        });
        let (home, sessions) = answer.await?;
        Ok::<_, ApiError>(MachineAnswer { source, home, sessions })
    });
    let answers = join_all(answers).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut page = query::fleet_page(answers, state.now());
    link_sessions(&view.members, &mut page.sessions).await;
    json(&FleetPage {
        name: machines.fleet().name().to_owned(),
        link: view.link,
        cause: view.cause.clone(),
        behind: view.behind,
        pending: view.pending.clone(),
        retention: view.retention,
        beyond_limit: view.beyond_limit.clone(),
        ..page
    })
}

/// Names at each session the other machines that have one of its id.
async fn link_sessions(machines: &[FleetMember], rows: &mut [FleetSession]) {
    let ids: BTreeSet<SessionId> = rows.iter().map(|row| row.session.work_session_id.clone()).collect();
    let known = machines.iter().map(|member| {
        let (ids, name) = (ids.clone(), member.info.name.clone());
        async move { (name, member.app.run_query(move |hub, _| query::known_sessions(hub, &ids)).await) }
    });
    query::link_sessions(rows, &join_all(known).await);
}

/// Search over all machines: the best hits of each. `host:name` names a machine, the rest is as in `/search`.
#[utoipa::path(get, path = "/fleet/search", tag = "fleet", responses((status = 404, description = "This monitor shows no fleet", body = coordination::api::ErrorBody)))]
pub(super) async fn search(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
    StrictQuery(params): StrictQuery<FleetSearchQuery>,
) -> ApiResult<FleetSearchPage> {
    let (selected, q) = SelectedMachines::new(machines, &[], Some(&params.q))?;
    let q = q.unwrap_or_default();
    let found = selected.members.into_iter().map(|member| {
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

/// Whether a machine is one of those that are named, in any case; without a name all are.
fn is_among(hosts: &[String], name: &str, id: &str) -> bool {
    let is_it = |host: &String| host.eq_ignore_ascii_case(name) || host.eq_ignore_ascii_case(id);
    hosts.is_empty() || hosts.iter().any(is_it)
}

/// The machines that a list is about.
struct SelectedMachines {
    members: Vec<FleetMember>,
    /// Machines that are not selected, too.
    all: Vec<FleetMember>,
    /// Names of machines whose monitor does not run yet.
    pending: Vec<String>,
}

impl SelectedMachines {
    /// The machines that `hosts` and the words `host:name` in `q` name, and the rest of `q`.
    ///
    /// # Errors
    /// 404 where no fleet is shown; 400 when one of these names an unknown machine.
    fn new(machines: Option<Machines>, hosts: &[String], q: Option<&str>) -> Result<(Self, Option<String>), ApiError> {
        let view = machines.ok_or_else(no_fleet)?.fleet().view();
        let known = || view.members.iter().map(|member| (member.info.name.as_str(), member.id.as_str()));
        let pending = || view.pending.iter().map(String::as_str);
        let is_known = |host: &&String| {
            let host = std::slice::from_ref(*host);
            known().chain(pending().map(|name| (name, ""))).any(|(name, id)| is_among(host, name, id))
        };
        let (named, q) = q.map(query::fleet_query).unwrap_or_default();
        if let Some(unknown) = hosts.iter().chain(&named).find(|host| !is_known(host)) {
            let names: Vec<String> = known().map(|(name, _)| name).chain(pending()).map(str::to_owned).collect();
            let error = format!("host: no machine {unknown} in this fleet; there are {}", names.join(", "));
            let mut refused = ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, error);
            (refused.body.field, refused.body.allowed) = (Some("host".to_owned()), names);
            return Err(refused);
        }
        let is_selected = |name: &str, id: &str| is_among(hosts, name, id) && is_among(&named, name, id);
        let members =
            view.members.iter().filter(|member| is_selected(&member.info.name, &member.id)).cloned().collect();
        let pending = view.pending.iter().filter(|name| is_selected(name, "")).cloned().collect();
        Ok((Self { members, all: view.members.clone(), pending }, Some(q).filter(|q| !q.is_empty())))
    }
}

fn no_fleet() -> ApiError {
    ApiError::not_found("This monitor shows no fleet")
}
