//! Handlers of three routes for coding agents' events. `POST /api/hooks/claude-code` and `POST /api/v2/schema-events`
//! receive hooks and schema events. `GET /api/v2/schema-events` returns, in pages, the schema events made from them.

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
use crate::sources::agent_events::{
    AgentEvents, EventChange, EventChangePage, EventFilter, IngestRoute, SubmittedItem, body, defaults,
};
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, JsonBytes, StrictQuery, json};
use crate::web::security::MayCategorize;

/// Changes of one answer by default.
const DEFAULT_PAGE_EVENTS: u32 = 200;
/// Media type of one JSON value a line.
const NDJSON: &str = "application/x-ndjson";

/// Takes in hooks of Claude Code and Codex as they come, bare or in a wrapper that tells whose, when and where, and
/// events of schema 1.1 among them. What is accepted is on the disk.
#[utoipa::path(post, path = "/api/hooks/claude-code", tag = "coding agents")]
pub(super) async fn receive_hook(
    State(state): State<AppState>,
    _right: MayCategorize,
    body: JsonBytes<PostedItems>,
) -> ApiResult<ItemResults> {
    submit(&state, body, IngestRoute::Hooks).await
}

/// Takes in events of schema 1.1, or of 1.0. What is accepted is on the disk.
#[utoipa::path(post, path = "/schema-events", tag = "coding agents")]
pub(super) async fn post(
    State(state): State<AppState>,
    _right: MayCategorize,
    body: JsonBytes<PostedItems>,
) -> ApiResult<ItemResults> {
    submit(&state, body, IngestRoute::SchemaEvents).await
}

async fn submit(state: &AppState, body: JsonBytes<PostedItems>, route: IngestRoute) -> ApiResult<ItemResults> {
    let (hooks, now) = (state.settings().hooks.clone(), state.now());
    let read = move || parse_items(&body.bytes, &hooks, now, route);
    let read = tokio::task::spawn_blocking(read).await;
    let items = read.map_err(|_| ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR))??;
    json(&ItemResults { items: state.agent_events().take(items).await? })
}

/// The items of a body.
fn parse_items(
    bytes: &[u8],
    hooks: &HooksConfig,
    now: i64,
    route: IngestRoute,
) -> Result<Vec<SubmittedItem>, ApiError> {
    let wrong = |error: &str| ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidBody, error);
    let values = body::values(bytes).ok_or_else(|| wrong("The body must be a JSON object or a list of them"))?;
    if values.len() > MAX_ITEMS {
        return Err(wrong(&format!("A list may hold {MAX_ITEMS} items")));
    }
    let item = |value: Result<Value, Box<RawValue>>| match value {
        Ok(value) => match parse_item(&value, hooks, now, route) {
            Ok(input) => SubmittedItem::Input(Box::new(input)),
            Err(faults) => SubmittedItem::Refused { faults, value, route },
        },
        Err(raw) => body::unreadable(raw.get().as_bytes(), route),
    };
    Ok(values.into_iter().map(item).collect())
}

fn parse_item(value: &Value, hooks: &HooksConfig, now: i64, route: IngestRoute) -> Result<SchemaInput, Vec<Fault>> {
    let defaults = defaults(hooks, now);
    match route {
        IngestRoute::Hooks | IngestRoute::DropFile => read_item_with(value, &defaults, hooks.capture),
        IngestRoute::SchemaEvents => read_event(value, &defaults, hooks.capture),
    }
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
    StrictQuery(query): StrictQuery<SchemaEventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let events = state.agent_events();
    let cursor = parse_cursor(query.since.as_deref())?;
    wait_until_read(events).await?;
    let (after, restarted) = revision_after(events, cursor);
    let limit = query.limit.unwrap_or(DEFAULT_PAGE_EVENTS) as usize;
    let page = events.board().since(after, &event_filter(&query), limit);
    let next = format!("{}.{}", events.epoch(), page.to);
    match query.format.unwrap_or_else(|| accepted_format(&headers)) {
        EventsFormat::Ndjson => Ok(ndjson(&page, &next, restarted)),
        EventsFormat::Json => json_page(page, query.group, next, restarted),
    }
}

/// The format that the `Accept` header names.
fn accepted_format(headers: &HeaderMap) -> EventsFormat {
    let is_ndjson = headers.get(header::ACCEPT).is_some_and(|value| value.as_bytes() == NDJSON.as_bytes());
    if is_ndjson { EventsFormat::Ndjson } else { EventsFormat::Json }
}

/// A page with one change a line; the rest of the answer is in headers.
fn ndjson(page: &EventChangePage, next: &str, restarted: bool) -> Response {
    let mut text = String::new();
    for (_, change) in &page.changes {
        match change {
            EventChange::Put(event) => text.push_str(event),
            // Writing into a text cannot fail.
            EventChange::Removed(id) => write!(text, "{{\"gone\":{}}}", Value::from(&**id)).unwrap_or_default(),
        }
        text.push('\n');
    }
    let mut response = ([(header::CONTENT_TYPE, NDJSON)], text).into_response();
    let flag = |set: bool| HeaderValue::from_static(if set { "true" } else { "false" });
    let headers = response.headers_mut();
    headers.insert("x-more", flag(page.more));
    headers.insert("x-restarted", flag(restarted));
    if let Ok(next) = HeaderValue::from_str(next) {
        headers.insert("x-next-cursor", next);
    }
    response
}

/// A page as one JSON object. Events are stored as text: they are joined, not parsed again.
fn json_page(
    page: EventChangePage,
    group: Option<EventsGroup>,
    next: String,
    restarted: bool,
) -> Result<Response, ApiError> {
    let (mut events, mut gone) = (Vec::new(), Vec::new());
    for (_, change) in &page.changes {
        match change {
            EventChange::Put(event) => events.push(&**event),
            EventChange::Removed(id) => gone.push(id.to_string()),
        }
    }
    let runs = if group == Some(EventsGroup::Run) { page.runs } else { Vec::new() };
    let rest = SchemaEventsPage { events: Vec::new(), gone, next, more: page.more, restarted, runs };
    let Ok(Value::Object(fields)) = serde_json::to_value(&rest) else {
        return Err(ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR));
    };
    let mut text = format!("{{\"events\":[{}]", events.join(","));
    for (name, value) in fields.iter().filter(|(name, _)| *name != "events") {
        write!(text, ",\"{name}\":{value}").unwrap_or_default();
    }
    text.push('}');
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// Waits until the journal is read once. An error when it cannot be read.
pub(super) async fn wait_until_read(events: &AgentEvents) -> Result<(), ApiError> {
    if events.ready().await {
        return Ok(());
    }
    let error = "The journal of coding agents' events cannot be read";
    Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error))
}

/// The filter of a query.
pub(super) fn event_filter(query: &SchemaEventsQuery) -> EventFilter {
    EventFilter {
        agents: query.agents.clone(),
        kinds: query.types.clone(),
        runs: query.runs.clone(),
        terminals: query.terminals.clone(),
    }
}

/// Run and revision of a cursor.
pub(super) fn parse_cursor(since: Option<&str>) -> Result<Option<(String, u64)>, ApiError> {
    let Some(since) = since else { return Ok(None) };
    let parts = since.split_once('.').and_then(|(epoch, number)| {
        let run = (1..=32).contains(&epoch.len())
            && epoch.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
        let digits = number.len() <= 19 && number.bytes().all(|byte| byte.is_ascii_digit());
        (run && digits).then(|| Some((epoch.to_owned(), number.parse().ok()?))).flatten()
    });
    parts.map(Some).ok_or_else(|| {
        let error = "since must be the next of an earlier answer";
        let mut error = ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, error);
        error.body.field = Some("since".to_owned());
        error
    })
}

/// The revision to continue after, and whether that is the beginning because the cursor is of another run.
pub(super) fn revision_after(events: &AgentEvents, cursor: Option<(String, u64)>) -> (Option<u64>, bool) {
    match cursor {
        None => (None, false),
        Some((epoch, revision)) if epoch == events.epoch() && revision <= events.board().revision() => {
            (Some(revision), false)
        }
        Some(_) => (None, true),
    }
}
