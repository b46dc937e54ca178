//! Handler of `GET /api/v2/schema-events/live`: coding agents' events as server-sent events. Each client reads from its
//! own position, so a slow client delays no other. If later hooks change an event several times, a slow client may
//! receive only the last version.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event;
use coordination::api::{ErrorBody, SchemaEventsQuery};
use coordination::link::Transport;
use coordination::schema::connection_heartbeat;
use futures::{Stream, stream};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use super::agent_events::{event_filter, parse_cursor, revision_after, wait_until_read};
use super::live::{sse_response, too_many_streams};
use crate::app::AppState;
use crate::clock::ServerClock;
use crate::core::live::ClientSlot;
use crate::sources::agent_events::{AgentEvents, EventChange, EventFilter, JournalProgress};
use crate::web::error::ApiError;
use crate::web::extract::StrictQuery;

/// Changes read from the board at once.
const MAX_EVENTS_PER_READ: usize = 64;

/// The normalised stream as server-sent events. It begins after `Last-Event-ID` if that is valid, else after `since`.
///
/// - `put`: a new or changed event.
/// - `gone`: the id of a withdrawn event.
/// - `restart`: the position was of an earlier run. It comes first; discard the events received before it.
/// - `heartbeat`: a standard event of the connection, at each interval.
///
/// The id of each is the position to continue from.
#[utoipa::path(
    get, path = "/schema-events/live", tag = "coding agents",
    params(("Last-Event-ID" = Option<String>, Header, description = "As `since`; an invalid value is ignored")),
    responses(
        (status = 200, description = "An endless stream; the schema is that of one event", body = SchemaLiveEvent,
         content_type = "text/event-stream"),
        (status = 503, description = "Too many live streams are open, or the journal cannot be read", body = ErrorBody),
    )
)]
pub(super) async fn live(
    State(state): State<AppState>,
    StrictQuery(query): StrictQuery<SchemaEventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let last = headers.get("last-event-id").and_then(|value| parse_cursor(Some(value.to_str().ok()?)).ok()?);
    let since = if last.is_some() { last } else { parse_cursor(query.since.as_deref())? };
    let agent_events = state.agent_events().clone();
    wait_until_read(&agent_events).await?;
    let Some(slot) = state.live().clients().enter(Transport::Events) else { return Ok(too_many_streams()) };
    let (after, restart_due) = revision_after(&agent_events, since);
    let event_stream = SchemaEventStream {
        progress: agent_events.reading(),
        closing: state.closing(),
        clock: state.settings().clock,
        heartbeat: state.settings().hooks.heartbeat,
        locale: state.settings().hooks.locale.clone(),
        // The first is due at once: without an event to send, it gives the client a position.
        next_heartbeat: Instant::now(),
        filter: event_filter(&query),
        queue: VecDeque::new(),
        read_to: after,
        restart_due,
        agent_events,
        _slot: slot,
    };
    Ok(sse_response(events(event_stream)))
}

/// One server-sent event.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "only described")]
struct SchemaLiveEvent {
    /// An event or an id, as JSON.
    #[schema(content_media_type = "application/json")]
    data: String,
    /// `put`, `gone`, `restart` or `heartbeat`.
    event: String,
    /// The cursor to continue from.
    id: String,
}

/// State of one stream.
struct SchemaEventStream {
    agent_events: AgentEvents,
    /// Wakes the stream when the journal was read further.
    progress: watch::Receiver<JournalProgress>,
    /// True once the monitor shuts down.
    closing: watch::Receiver<bool>,
    clock: ServerClock,
    /// Interval of heartbeats.
    heartbeat: Duration,
    /// Locale of heartbeats.
    locale: String,
    next_heartbeat: Instant,
    filter: EventFilter,
    /// Changes to send, with their revisions.
    queue: VecDeque<(u64, EventChange)>,
    /// Revision up to which changes were read from the board.
    read_to: Option<u64>,
    /// True until `restart` is sent.
    restart_due: bool,
    /// The stream owns the slot, so that dropping the stream frees it.
    _slot: ClientSlot,
}

fn events(event_stream: SchemaEventStream) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(event_stream, |mut event_stream| async { Some((Ok(event_stream.next().await?), event_stream)) })
}

async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that the monitor is closing.
    drop(closing.wait_for(|closing| *closing).await);
}

impl SchemaEventStream {
    async fn next(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.restart_due) {
            return Some(self.event("restart", 0).data("{}"));
        }
        loop {
            if let Some((revision, change)) = self.queue.pop_front() {
                return Some(match change {
                    EventChange::Put(event) => self.event("put", revision).data(&*event),
                    EventChange::Removed(id) => self.event("gone", revision).data(json!({ "id": &*id }).to_string()),
                });
            }
            // Before the board is read: a later change wakes the wait below.
            self.progress.borrow_and_update();
            let page = self.agent_events.board().since(self.read_to, &self.filter, MAX_EVENTS_PER_READ);
            self.read_to = Some(page.to);
            self.queue.extend(page.changes);
            if !self.queue.is_empty() {
                continue;
            }
            tokio::select! {
                changed = self.progress.changed() => changed.ok()?,
                () = tokio::time::sleep_until(self.next_heartbeat) => {
                    self.next_heartbeat = Instant::now() + self.heartbeat;
                    let event = self.event("heartbeat", page.to);
                    let stream = format!("{}.{}", self.agent_events.epoch(), page.to);
                    let heartbeat =
                        connection_heartbeat(&stream, self.heartbeat.as_secs(), &self.locale, self.clock.now_ms());
                    return Some(event.data(serde_json::to_string(&heartbeat).unwrap_or_default()));
                }
                () = closed(&mut self.closing) => return None,
            }
        }
    }

    fn event(&self, name: &str, revision: u64) -> Event {
        Event::default().event(name).id(format!("{}.{revision}", self.agent_events.epoch()))
    }
}
