//! Handler of `GET /api/v2/schema-events/live`: the normalised stream as server-sent events. Each client reads from its
//! own position. A slow client delays no other client and gets each event in its current form.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use coordination::api::{ErrorBody, SchemaEventsQuery};
use coordination::link::Transport;
use coordination::schema::connection_heartbeat;
use futures::{Stream, stream};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use super::live::too_many_streams;
use super::schema_events::{event_filter, parse_cursor, revision_after, wait_until_read};
use crate::app::AppState;
use crate::clock::ServerClock;
use crate::core::live::ClientSlot;
use crate::sources::agent_events::{AgentEvents, EventChange, EventFilter, JournalProgress};
use crate::web::error::ApiError;
use crate::web::extract::StrictQuery;

/// Changes taken in one look.
const MAX_EVENTS_PER_READ: usize = 64;

/// The normalised stream as server-sent events, from `since` on, or from `Last-Event-ID`, which counts for more: `put`
/// with an event that is new or reads differently, `gone` with the id of one that is no more, `restart` before all else
/// when the place was of an earlier run and events sent before do not count, and `heartbeat`, a standard event of the
/// connection at each interval. The id of each is the place behind it.
#[utoipa::path(
    get, path = "/schema-events/live", tag = "coding agents",
    params(("Last-Event-ID" = Option<String>, Header, description = "As `since`; an invalid value is ignored")),
    responses(
        (status = 200, description = "An endless stream; the schema is that of one event", body = SchemaLiveEvent,
         content_type = "text/event-stream"),
        (status = 503, description = "Too many live streams are open, or the record cannot be read", body = ErrorBody),
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
    let (after, restarted) = revision_after(&agent_events, since);
    let follower = SchemaEventStream {
        reading: agent_events.reading(),
        closing: state.closing(),
        clock: state.settings().clock,
        beat: state.settings().hooks.heartbeat,
        locale: state.settings().hooks.locale.clone(),
        // The first at once, when there is no event to send: it names the position of the stream.
        next_beat: Instant::now(),
        filter: event_filter(&query),
        queue: VecDeque::new(),
        read_to: after,
        restarted,
        agent_events,
        _slot: slot,
    };
    let mut response = Sse::new(events(follower)).into_response();
    // Proxies that buffer would hold events back.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    Ok(response)
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

struct SchemaEventStream {
    agent_events: AgentEvents,
    reading: watch::Receiver<JournalProgress>,
    closing: watch::Receiver<bool>,
    clock: ServerClock,
    beat: Duration,
    locale: String,
    next_beat: Instant,
    filter: EventFilter,
    queue: VecDeque<(u64, EventChange)>,
    /// The revision that the queue reaches.
    read_to: Option<u64>,
    restarted: bool,
    /// The stream owns the slot, so that dropping the stream frees it.
    _slot: ClientSlot,
}

fn events(follower: SchemaEventStream) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(follower, |mut follower| async { Some((Ok(follower.next().await?), follower)) })
}

async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that the monitor is closing.
    drop(closing.wait_for(|closing| *closing).await);
}

impl SchemaEventStream {
    async fn next(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.restarted) {
            return Some(self.event("restart", 0).data("{}"));
        }
        loop {
            if let Some((revision, change)) = self.queue.pop_front() {
                return Some(match change {
                    EventChange::Put(event) => self.event("put", revision).data(&*event),
                    EventChange::Removed(id) => self.event("gone", revision).data(json!({ "id": &*id }).to_string()),
                });
            }
            // Before the look: a later change wakes the wait.
            self.reading.borrow_and_update();
            let page = self.agent_events.board().since(self.read_to, &self.filter, MAX_EVENTS_PER_READ);
            self.read_to = Some(page.to);
            self.queue.extend(page.changes);
            if !self.queue.is_empty() {
                continue;
            }
            tokio::select! {
                changed = self.reading.changed() => changed.ok()?,
                () = tokio::time::sleep_until(self.next_beat) => {
                    self.next_beat = Instant::now() + self.beat;
                    let event = self.event("heartbeat", page.to);
                    let stream = format!("{}.{}", self.agent_events.epoch(), page.to);
                    let beat = connection_heartbeat(&stream, self.beat.as_secs(), &self.locale, self.clock.now_ms());
                    return Some(event.data(serde_json::to_string(&beat).unwrap_or_default()));
                }
                () = closed(&mut self.closing) => return None,
            }
        }
    }

    fn event(&self, name: &str, revision: u64) -> Event {
        Event::default().event(name).id(format!("{}.{revision}", self.agent_events.epoch()))
    }
}
