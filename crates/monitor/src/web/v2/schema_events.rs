//! Handlers of `/api/v2/schema-events`: input of coding agents' events, and pages of the normalised stream.

use std::fmt::Write as _;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use coordination::api::{
    ErrorCode, EventsFormat, EventsGroup, ItemResults, MAX_ITEMS, PostedItems, SchemaEventsPage, SchemaEventsQuery,
};
use coordination::schema::{Fault, SchemaInput, read_event, read_item_with};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::app::AppState;
use crate::config::HooksConfig;
use crate::sources::agent_events::{AgentEvents, EventChange, EventFilter, SubmittedItem, body, defaults};
use crate::web::error::ApiError;
use crate::web::extract::{Answer, JsonBytes, Reply, StrictQuery};
use crate::web::security::WriteAuth;

/// Changes of one answer by default.
const DEFAULT_PAGE_EVENTS: u32 = 200;

/// Takes in hooks of Claude Code as they come, bare or in a wrapper that tells when and where, and events of schema 1.1
/// among them. What is accepted is on the disk.
#[utoipa::path(post, path = "/api/hooks/claude-code", tag = "coding agents")]
pub(super) async fn hooks(
    State(state): State<AppState>,
    _right: WriteAuth,
    body: JsonBytes<PostedItems>,
) -> Reply<ItemResults> {
    take(&state, body, "hooks").await
}

/// Takes in events of schema 1.1, or of 1.0. What is accepted is on the disk.
#[utoipa::path(post, path = "/schema-events", tag = "coding agents")]
pub(super) async fn post(
    State(state): State<AppState>,
    _right: WriteAuth,
    body: JsonBytes<PostedItems>,
) -> Reply<ItemResults> {
    take(&state, body, "schema-events").await
}

async fn take(state: &AppState, body: JsonBytes<PostedItems>, way: &'static str) -> Reply<ItemResults> {
    let (hooks, now) = (state.settings().hooks.clone(), state.now());
    let read = move || items(&body.bytes, &hooks, now, way);
    let read = tokio::task::spawn_blocking(read).await;
    let items = read.map_err(|_| ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR))??;
    Answer::new(&ItemResults { items: state.team().take(items).await? })
}

/// The items of a body.
fn items(bytes: &[u8], hooks: &HooksConfig, now: i64, way: &'static str) -> Result<Vec<SubmittedItem>, ApiError> {
    let wrong = |error: &str| ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidBody, error);
    let values = body::values(bytes).ok_or_else(|| wrong("The body must be a JSON object or a list of them"))?;
    if values.len() > MAX_ITEMS {
        return Err(wrong(&format!("A list may hold {MAX_ITEMS} items")));
    }
    let item = |value: Result<Value, Box<RawValue>>| match value {
        Ok(value) => match item(&value, hooks, now, way) {
            Ok(input) => SubmittedItem::Input(Box::new(input)),
            Err(faults) => SubmittedItem::Refused { faults, value, way },
        },
        Err(raw) => body::unreadable(raw.get().as_bytes(), way),
    };
    Ok(values.into_iter().map(item).collect())
}

fn item(value: &Value, hooks: &HooksConfig, now: i64, way: &str) -> Result<SchemaInput, Vec<Fault>> {
    if way == "hooks" {
        return read_item_with(value, &defaults(hooks, now), hooks.capture);
    }
    read_event(value, &defaults(hooks, now), hooks.capture)
}

/// The normalised stream: every event of schema 1.1 that follows from what was taken in, in the order in which each
/// last changed, because a late event may change what was published before. As JSON, or one event a line: then
/// `X-Next-Cursor` and `X-More` tell what `next` and `more` do, a withdrawn event is `{"gone":"<id>"}`, and
/// `X-Restarted` tells that `since` was of an earlier run.
#[utoipa::path(
    get, path = "/schema-events", tag = "coding agents",
    responses((status = 200, content((SchemaEventsPage = "application/json"), (String = "application/x-ndjson"))))
)]
pub(super) async fn get(
    State(state): State<AppState>,
    StrictQuery(events_query): StrictQuery<SchemaEventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let team = state.team();
    let place = place(events_query.since.as_deref())?;
    known(team).await?;
    let (after, restarted) = revision_after(team, place);
    let wanted = wanted(&events_query);
    let most = events_query.limit.unwrap_or(DEFAULT_PAGE_EVENTS) as usize;
    let page = team.board().since(after, &wanted, most);
    let next = format!("{}.{}", team.epoch(), page.to);
    let accepts = headers.get(header::ACCEPT).is_some_and(|value| value.as_bytes() == b"application/x-ndjson");
    if events_query.format.map_or(accepts, |format| format == EventsFormat::Ndjson) {
        let mut text = String::new();
        for (_, change) in &page.changes {
            match change {
                EventChange::Put(event) => text.push_str(event),
                // Writing into a text cannot fail.
                EventChange::Removed(id) => write!(text, "{{\"gone\":{}}}", Value::from(&**id)).unwrap_or_default(),
            }
            text.push('\n');
        }
        let mut response = ([(header::CONTENT_TYPE, "application/x-ndjson")], text).into_response();
        let flag = |set: bool| HeaderValue::from_static(if set { "true" } else { "false" });
        let headers = response.headers_mut();
        headers.insert("x-more", flag(page.more));
        headers.insert("x-restarted", flag(restarted));
        if let Ok(next) = HeaderValue::from_str(&next) {
            headers.insert("x-next-cursor", next);
        }
        return Ok(response);
    }
    // Events are stored as text: they are joined, not parsed again.
    let mut text = String::from("{\"events\":[");
    let (mut events, mut removed) = (Vec::new(), Vec::new());
    for (_, change) in &page.changes {
        match change {
            EventChange::Put(event) => events.push(&**event),
            EventChange::Removed(id) => removed.push(id.to_string()),
        }
    }
    text.push_str(&events.join(","));
    text.push(']');
    let runs = if events_query.group == Some(EventsGroup::Run) { page.runs } else { Vec::new() };
    let rest = SchemaEventsPage { events: Vec::new(), gone: removed, next, more: page.more, restarted, runs };
    if let Ok(Value::Object(fields)) = serde_json::to_value(&rest) {
        for (name, value) in fields.iter().filter(|(name, _)| *name != "events") {
            write!(text, ",\"{name}\":{value}").unwrap_or_default();
        }
    }
    text.push('}');
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// Waits until it is known what there is.
pub(super) async fn known(team: &AgentEvents) -> Result<(), ApiError> {
    if team.ready().await {
        return Ok(());
    }
    let error = "The record of what coding agents told cannot be read";
    Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error))
}

/// The filter of a query.
pub(super) fn wanted(events_query: &SchemaEventsQuery) -> EventFilter {
    EventFilter {
        agents: events_query.agents.clone(),
        kinds: events_query.types.clone(),
        runs: events_query.runs.clone(),
        terminals: events_query.terminals.clone(),
    }
}

/// Run and revision of a cursor.
pub(super) fn place(since: Option<&str>) -> Result<Option<(String, u64)>, ApiError> {
    let Some(since) = since else { return Ok(None) };
    let parts = since.split_once('.').and_then(|(epoch, number)| {
        let run = (1..=32).contains(&epoch.len())
            && epoch.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
        let digits = number.len() <= 19 && number.bytes().all(|byte| byte.is_ascii_digit());
        (run && digits).then(|| Some((epoch.to_owned(), number.parse().ok()?))).flatten()
    });
    parts.map(Some).ok_or_else(|| {
        let error = "since is the next of an earlier answer";
        let mut error = ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, error);
        error.body.field = Some("since".to_owned());
        error
    })
}

/// The revision to continue after, and whether that is the beginning because the cursor is of another run.
pub(super) fn revision_after(team: &AgentEvents, place: Option<(String, u64)>) -> (Option<u64>, bool) {
    match place {
        None => (None, false),
        Some((epoch, revision)) if epoch == team.epoch() && revision <= team.board().revision() => {
            (Some(revision), false)
        }
        Some(_) => (None, true),
    }
}
