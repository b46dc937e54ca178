//! Handler of `GET /api/v2/fleet/live`: server-sent events that say when an answer about the fleet may have changed.
//! They hold no rows: a page asks for what it shows, and gets 304 for what is unchanged.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event;
use coordination::api::ErrorBody;
use coordination::link::Transport;
use futures::{Stream, stream};
use tokio::sync::watch;
use tokio::time::Instant;

use super::no_fleet;
use crate::app::AppState;
use crate::core::live::ClientSlot;
use crate::web::error::ApiError;
use crate::web::machines::Machines;
use crate::web::v2::live::{sse_response, too_many_streams};

/// Without a change, a client hears of the connection this often.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Changes of the fleet as server-sent events.
///
/// - `change`: an answer below `fleet` may be another one now. At most ten a second. It comes at once, except after the
///   `Last-Event-ID` of the present state.
/// - `heartbeat`: every 15 seconds without a change.
#[utoipa::path(
    get, path = "/fleet/live", tag = "fleet",
    params(("Last-Event-ID" = Option<String>, Header, description = "Id of the newest event that the client has")),
    responses(
        (status = 200, description = "An endless stream; the schema is that of one event", body = FleetLiveEvent,
         content_type = "text/event-stream"),
        (status = 404, description = "This monitor shows no fleet", body = ErrorBody),
        (status = 503, description = "Too many live streams are open", body = ErrorBody),
    )
)]
pub(in crate::web::v2) async fn live(
    State(state): State<AppState>,
    State(machines): State<Option<Machines>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let machines = machines.ok_or_else(no_fleet)?;
    let Some(slot) = state.live().clients().enter(Transport::Events) else { return Ok(too_many_streams()) };
    let known = headers.get("last-event-id").and_then(|id| u64::from_str_radix(id.to_str().ok()?, 16).ok());
    let fleet_stream = FleetStream {
        positions: machines.subscribe(),
        closing: state.closing(),
        sent: known,
        next_heartbeat: Instant::now() + HEARTBEAT,
        _slot: slot,
    };
    Ok(sse_response(events(fleet_stream)))
}

/// One server-sent event.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "only described")]
struct FleetLiveEvent {
    /// `{}`.
    #[schema(content_media_type = "application/json")]
    data: String,
    /// `change` or `heartbeat`.
    event: String,
    /// Names the state of the fleet.
    id: String,
}

/// State of one stream.
struct FleetStream {
    positions: watch::Receiver<u64>,
    /// True once the monitor shuts down.
    closing: watch::Receiver<bool>,
    /// The state that the client knows.
    sent: Option<u64>,
    next_heartbeat: Instant,
    /// The stream owns the slot, so that dropping the stream frees it.
    _slot: ClientSlot,
}

fn events(fleet_stream: FleetStream) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(fleet_stream, |mut fleet_stream| async { Some((Ok(fleet_stream.next().await?), fleet_stream)) })
}

impl FleetStream {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.closing.borrow() {
                return None;
            }
            let positions = *self.positions.borrow_and_update();
            if self.sent != Some(positions) {
                self.sent = Some(positions);
                return Some(self.event("change", positions));
            }
            tokio::select! {
                changed = self.positions.changed() => changed.ok()?,
                () = tokio::time::sleep_until(self.next_heartbeat) => return Some(self.event("heartbeat", positions)),
                closing = self.closing.changed() => closing.ok()?,
            }
        }
    }

    fn event(&mut self, name: &str, positions: u64) -> Event {
        self.next_heartbeat = Instant::now() + HEARTBEAT;
        Event::default().event(name).id(format!("{positions:016x}")).data("{}")
    }
}
