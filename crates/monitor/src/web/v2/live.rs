//! Handlers of the live stream over WebSocket (`/api/v2/live`), server-sent events (`/live/events`) and long poll
//! (`/live/poll`). The three send the same frames. A client that takes no bytes is disconnected by
//! `web::connection_timeout`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{FromRef, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use coordination::api::{ClientMessage, ErrorBody, ErrorCode, Frame, ShownThread};
use coordination::link::Transport;
use futures::{Stream, StreamExt as _, stream};
use utoipa_axum::router::OpenApiRouter;

use crate::core::live::{ClientSlot, CloseReason, Live, Next, StreamRequest, Subscription, poll};
use crate::web::error::ApiError;
use crate::web::extract::Pairs;
use crate::web::openapi::api_route;
#[cfg(not(feature = "embed"))]
use crate::web::openapi::describe;

/// Largest message of a client: bytes. The size of a message is checked only when its frame was read.
const MAX_INCOMING_BYTES: usize = 16 * 1024;
/// Buffer for the input of one client: bytes. Every attempt to read fills all of it with zeros first, which took a
/// third of the time of sending a frame to a thousand clients with the library's 128 KiB.
const READ_BUFFER_BYTES: usize = 1024;
/// Longest wait of a poll.
const MAX_WAIT: Duration = Duration::from_secs(55);
/// Wait of a poll that names none.
const DEFAULT_WAIT: Duration = Duration::from_secs(25);
/// Seconds after which a client beyond the limit may try again.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("10");

type LiveResult = Result<Response, ApiError>;

/// Routes of the live stream: WebSocket, server-sent events and long poll.
pub(crate) fn routes<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Arc<Live>: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(api_route!("/live": get socket))
        .routes(api_route!("/live/events": get events))
        .routes(api_route!("/live/poll": get long_poll))
}

/// The 503 for a client beyond the limit.
pub(crate) fn too_many_streams() -> Response {
    let error = ErrorCode::SourceUnavailable;
    let unavailable = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, error, "Too many live streams are open");
    ([(header::RETRY_AFTER, RETRY_AFTER)], unavailable).into_response()
}

/// The WebSocket live stream. After the upgrade each text message is one frame. With a `cursor` the stream continues
/// there; without one, or with one that cannot be continued, a snapshot comes first. When the client shows another
/// thread, it sends a `ClientMessage`; any other input is ignored.
#[utoipa::path(
    get, path = "/live", tag = "live",
    responses(
        (status = 101, description = "Speaks WebSocket; each message is a `Frame`"),
        (status = 426, description = "This connection cannot be upgraded", body = ErrorBody),
        (status = 503, description = "Too many live streams are open", body = ErrorBody),
    )
)]
pub(super) async fn socket(
    State(live): State<Arc<Live>>,
    live_query: LiveQuery,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> LiveResult {
    let upgrade = upgrade.map_err(|rejection| {
        ApiError::new(
            rejection.into_response().status(),
            ErrorCode::InvalidValue,
            "This route speaks WebSocket; see also live/events and live/poll",
        )
    })?;
    let Some(slot) = live.clients().enter(Transport::Socket) else { return Ok(too_many_streams()) };
    Ok(upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .max_frame_size(MAX_INCOMING_BYTES)
        .max_message_size(MAX_INCOMING_BYTES)
        .on_upgrade(move |socket| serve_socket(live, socket, live_query, slot)))
}

/// Sends frames and reads `ClientMessage`s until one side closes.
async fn serve_socket(live: Arc<Live>, mut socket: WebSocket, live_query: LiveQuery, slot: ClientSlot) {
    let mut subscription = Subscription::open(&live, live_query.wanted).await;
    let close_reason = loop {
        let next = tokio::select! {
            next = subscription.next() => next,
            // Pings are answered and a close is noticed only while reading.
            message = socket.recv() => match message {
                Some(Ok(Message::Close(_)) | Err(_)) | None => break None,
                Some(Ok(Message::Text(text))) => {
                    if let Ok(ClientMessage::Show { thread }) = serde_json::from_str(&text) {
                        subscription.show(thread);
                    }
                    continue;
                }
                Some(Ok(_)) => continue,
            },
        };
        let frame = match next {
            Next::Frame(frame) => frame,
            Next::End(reason) => break Some(reason),
        };
        tokio::select! {
            // Most clients take the frame at once, and nothing is set up for the others.
            biased;
            sent = socket.send(Message::Text(frame)) => if sent.is_err() { break None },
            () = subscription.overrun() => break Some(CloseReason::Slow),
        }
    };
    match close_reason {
        None => {}
        Some(CloseReason::Closing) => {
            let frame = CloseFrame { code: close_code::AWAY, reason: Utf8Bytes::from_static("closing") };
            // The client may have disconnected; the stream ends either way.
            drop(socket.send(Message::Close(Some(frame))).await);
        }
        Some(CloseReason::Slow) => note_slow_client(&live, "WebSocket"),
    }
    drop(slot);
}

/// Counts and logs a stream that is closed because its client read too slowly.
fn note_slow_client(live: &Live, transport: &str) {
    live.clients().note_slow_disconnect();
    tracing::info!("live {transport} closed: the client read too slowly; it can resume from its cursor");
}

/// The live stream as server-sent events: the `data` of each is one frame. `Last-Event-ID` is as good as `cursor`.
#[utoipa::path(
    get, path = "/live/events", tag = "live",
    params(("Last-Event-ID" = Option<String>, Header, description = "As `cursor`; an invalid value is ignored")),
    responses(
        (status = 200, description = "An endless stream; the schema is that of one event", body = LiveEvent,
         content_type = "text/event-stream"),
        (status = 503, description = "Too many live streams are open", body = ErrorBody),
    )
)]
pub(super) async fn events(State(live): State<Arc<Live>>, live_query: LiveQuery, headers: HeaderMap) -> LiveResult {
    let mut wanted = live_query.wanted;
    wanted.cursor = wanted.cursor.or_else(|| headers.get("last-event-id")?.to_str().ok()?.parse().ok());
    let Some(slot) = live.clients().enter(Transport::Events) else { return Ok(too_many_streams()) };
    let subscription = Subscription::open(&live, wanted).await;
    let frames = frames(live, subscription).map(move |frame| {
        // The stream owns the slot, so that dropping the stream frees it.
        let _slot = &slot;
        Ok::<Event, Infallible>(Event::default().data(frame.as_str()))
    });
    Ok(sse_response(frames))
}

/// Response with server-sent events that proxies neither buffer nor change.
pub(super) fn sse_response(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let mut response = Sse::new(events).into_response();
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    response
}

fn frames(live: Arc<Live>, subscription: Subscription) -> impl Stream<Item = Utf8Bytes> {
    stream::unfold((live, subscription), |(live, mut subscription)| async {
        match subscription.next().await {
            Next::Frame(frame) => Some((frame, (live, subscription))),
            Next::End(CloseReason::Closing) => None,
            Next::End(CloseReason::Slow) => {
                note_slow_client(&live, "event stream");
                None
            }
        }
    })
}

/// Frames after `cursor`. Answers at once when there are any, else with the next frame or when `wait` is over.
#[utoipa::path(
    get, path = "/live/poll", tag = "live",
    params(("wait" = Option<i64>, Query, description = "Seconds to wait at most; more than 55 are 55", minimum = 0,
        maximum = 4_294_967_295i64)),
    responses(
        (status = 200, body = Frames),
        (status = 503, description = "Too many live streams are open", body = ErrorBody),
    )
)]
pub(super) async fn long_poll(State(live): State<Arc<Live>>, live_query: LiveQuery) -> LiveResult {
    let Some(_slot) = live.clients().enter(Transport::Poll) else { return Ok(too_many_streams()) };
    let frames = poll(&live, live_query.wanted, live_query.wait).await;
    let frames: Vec<&str> = frames.iter().map(Utf8Bytes::as_str).collect();
    let text = format!("{{\"frames\":[{}]}}", frames.join(","));
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// The position from which a stream continues.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only described; `LiveQuery` is what is read")]
struct LiveStreamParams {
    /// Position of the client: `epoch:seq` of the newest frame it has, or `epoch:seq~inputs` where the frame has `inputs`.
    #[param(pattern = "^[!-~]{1,200}:[0-9]{1,19}(~[!-~]{1,200})?$", required = false)]
    cursor: String,
    /// Session of the thread that the client shows; with `thread`.
    #[param(required = false)]
    session: String,
    /// The thread that the client shows: with `patches`, frames bring its new items in `threadPatch`.
    #[param(required = false)]
    thread: String,
    /// Whether deltas carry differences (`homePatch`, `cardPatches`) in place of whole home and cards.
    #[param(required = false)]
    patches: bool,
}

/// One server-sent event.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "only described")]
struct LiveEvent {
    /// A `Frame` as JSON.
    #[schema(content_media_type = "application/json")]
    data: String,
    /// Never sent, so the event type is `message`.
    event: Option<String>,
}

/// Answer of the long poll.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "only described; frames are joined as text")]
struct Frames {
    /// Frames in order; none when the wait was over.
    frames: Vec<Frame>,
}

/// Query of a live client: the parameters of [`LiveStreamParams`], and `wait` of the long poll.
pub(super) struct LiveQuery {
    wanted: StreamRequest,
    wait: Duration,
}

impl<S: Send + Sync> FromRequestParts<S> for LiveQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Pairs(pairs) = Pairs::from_request_parts(parts, state).await?;
        Self::read(pairs)
    }
}

#[cfg(not(feature = "embed"))]
impl describe::DescribeInput for LiveQuery {
    fn describe(operation: &mut utoipa::openapi::path::Operation, _schemas: &mut describe::Schemas) {
        describe::add_parameters::<LiveStreamParams>(operation, &utoipa::openapi::path::ParameterIn::Query);
    }
}

impl LiveQuery {
    fn read(pairs: Vec<(String, String)>) -> Result<Self, ApiError> {
        let mut live_query = Self { wanted: StreamRequest::default(), wait: DEFAULT_WAIT };
        let (mut session, mut thread) = (None, None);
        for (name, value) in pairs {
            match (name.as_str(), value.trim()) {
                (_, "") => {}
                ("cursor", text) => {
                    live_query.wanted.cursor =
                        Some(text.parse().map_err(|()| invalid("cursor", "cursor is epoch:seq or epoch:seq~inputs"))?)
                }
                ("patches", text) => {
                    live_query.wanted.patches =
                        text.parse().map_err(|_| invalid("patches", "patches is true or false"))?
                }
                ("session", text) => session = Some(text.to_owned()),
                ("thread", text) => thread = Some(text.to_owned()),
                ("wait", text) => {
                    let secs: u32 =
                        text.parse().map_err(|_| invalid("wait", "wait is a number of seconds, 0 to 55"))?;
                    live_query.wait = Duration::from_secs(secs.into()).min(MAX_WAIT);
                }
                // Unknown parameters are left alone: proxies and caches add their own.
                _ => {}
            }
        }
        live_query.wanted.shown = session
            .zip(thread)
            .map(|(session, thread)| ShownThread { session_id: session.into(), thread_id: thread.into() });
        Ok(live_query)
    }
}

fn invalid(field: &str, error: &str) -> ApiError {
    let mut answer = ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, error);
    answer.body.field = Some(field.to_owned());
    answer
}
