//! Handlers of the merged lists below `/api/v2/fleet/`. Each machine answers the same query for itself, off the async
//! threads and beside the others; `coordination::query` merges the answers.

use axum::extract::State;
use coordination::api::{
    AgentSummary, EventsQuery, EveryRow, FleetAgentsPage, FleetDriftPage, FleetEventsPage, FleetListSource,
    FleetSessionsPage, FleetTasksPage, OnMachines, PeriodsQuery, SessionsQuery, TasksQuery,
};
use coordination::hub::Hub;
use coordination::query::{self, MachinePage, QueryError};
use coordination::search::index::SearchIndex;
use futures::future::join_all;

use super::{SelectedMachines, link_sessions};
use crate::app::AppState;
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, StrictQuery, json};
use crate::web::machines::Machines;

/// Sessions of all machines that fit all filters, newest activity first. `q` may hold `host:name` as well.
#[utoipa::path(get, path = "/fleet/sessions", tag = "fleet", responses((status = 404, description = "This monitor shows no fleet", body = coordination::api::ErrorBody)))]
pub(in crate::web::v2) async fn sessions(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
    StrictQuery(params): StrictQuery<OnMachines<SessionsQuery>>,
) -> ApiResult<FleetSessionsPage> {
    let (selected, q) = SelectedMachines::new(machines, &params.hosts, params.query.q.as_deref())?;
    let query = SessionsQuery { q, ..params.query };
    let of_machine = query.clone();
    let lists =
        selected.lists(move |hub, index, now, machine| query::machine_sessions(hub, index, now, &of_machine, machine));
    let mut page = query::merge_sessions(lists.await?, &query, state.now())?;
    link_sessions(&selected.all, &mut page.sessions).await;
    selected.add_pending(&mut page.sources);
    json(&page)
}

/// Events of all machines that fit all filters, newest first. `q` may hold `host:name` as well.
#[utoipa::path(get, path = "/fleet/events", tag = "fleet", responses((status = 404, description = "This monitor shows no fleet", body = coordination::api::ErrorBody)))]
pub(in crate::web::v2) async fn events(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
    StrictQuery(params): StrictQuery<OnMachines<EventsQuery>>,
) -> ApiResult<FleetEventsPage> {
    let (selected, q) = SelectedMachines::new(machines, &params.hosts, params.query.q.as_deref())?;
    let query = EventsQuery { q, ..params.query };
    let of_machine = query.clone();
    let lists =
        selected.lists(move |hub, index, now, machine| query::machine_events(hub, index, now, &of_machine, machine));
    let mut page = query::merge_events(lists.await?, &query, state.now())?;
    selected.add_pending(&mut page.sources);
    json(&page)
}

/// Tasks of all machines that fit all filters, in the order of the task list. `q` may hold `host:name` as well. A page has
/// 100 tasks where no limit is given.
#[utoipa::path(get, path = "/fleet/tasks", tag = "fleet", responses((status = 404, description = "This monitor shows no fleet", body = coordination::api::ErrorBody)))]
pub(in crate::web::v2) async fn tasks(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
    StrictQuery(params): StrictQuery<OnMachines<TasksQuery>>,
) -> ApiResult<FleetTasksPage> {
    let (selected, q) = SelectedMachines::new(machines, &params.hosts, params.query.q.as_deref())?;
    let query = TasksQuery { q, ..params.query };
    let of_machine = query.clone();
    let lists = selected.lists(move |hub, _, now, machine| query::machine_tasks(hub, now, &of_machine, machine));
    let mut page = query::merge_tasks(lists.await?, &query, state.now())?;
    selected.add_pending(&mut page.sources);
    json(&page)
}

/// Agents of all machines with their current work, the one with the newest event first. Answer times of pairs are on the
/// machines.
#[utoipa::path(get, path = "/fleet/agents", tag = "fleet", responses((status = 404, description = "This monitor shows no fleet", body = coordination::api::ErrorBody)))]
pub(in crate::web::v2) async fn agents(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
    StrictQuery(params): StrictQuery<OnMachines<EveryRow>>,
) -> ApiResult<FleetAgentsPage> {
    let (selected, _) = SelectedMachines::new(machines, &params.hosts, None)?;
    let lists = selected.lists(|hub, _, now, _| {
        let cards = query::machine_agents(hub, now);
        let agents = cards.iter().map(|card| card.agent.clone()).collect();
        Ok((cards, agents))
    });
    let mut page = query::merge_agents(lists.await?, state.now());
    selected.add_pending(&mut page.sources);
    json(&page)
}

/// Drift of the automatic categories over time, of each machine.
#[utoipa::path(get, path = "/fleet/drift", tag = "fleet", responses((status = 404, description = "This monitor shows no fleet", body = coordination::api::ErrorBody)))]
pub(in crate::web::v2) async fn drift(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
    StrictQuery(params): StrictQuery<OnMachines<PeriodsQuery>>,
) -> ApiResult<FleetDriftPage> {
    let (selected, _) = SelectedMachines::new(machines, &params.hosts, None)?;
    let lists = selected.lists(move |hub, _, now, _| Ok((query::drift(hub, now, &params.query), Vec::new())));
    let mut page = query::merge_drift(lists.await?, state.now());
    selected.add_pending(&mut page.sources);
    json(&page)
}

impl SelectedMachines {
    /// The answers of the machines.
    async fn lists<P: Send + 'static>(
        &self,
        ask: impl Fn(&Hub, &SearchIndex, i64, &str) -> Result<(P, Vec<AgentSummary>), QueryError> + Clone + Send + 'static,
    ) -> Result<Vec<MachinePage<P>>, ApiError> {
        let answers = self.members.iter().map(|member| {
            let (ask, name) = (ask.clone(), member.info.name.clone());
            async move {
                // Before the query: a machine that became ready meanwhile may lack rows.
                let source = FleetListSource::new(&member.current_info());
                let answer = member.app.run_indexed_query(move |hub, index, now| ask(hub, index, now, &name));
                let (page, agents) = answer.await?;
                Ok(MachinePage { source, page, agents })
            }
        });
        join_all(answers).await.into_iter().collect()
    }

    /// Adds machines whose monitor does not run yet.
    fn add_pending(&self, sources: &mut Vec<FleetListSource>) {
        let pending = self.pending.iter().map(|name| FleetListSource {
            source: name.clone(),
            starting: true,
            ..FleetListSource::default()
        });
        sources.extend(pending);
        sources.sort_by(|one, other| one.source.cmp(&other.source));
    }
}
