//! The live stream over WebSocket, server-sent events and long poll: three shells around one subscription.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use coordination::api::{Cursor, ErrorCode};
use futures::{SinkExt as _, Stream, StreamExt as _, stream};

use super::read::read;
use crate::http::error::ApiError;
use crate::live::{Next, Subscription};
use crate::state::AppState;

/// A client that takes nothing for this long is cut.
const SEND_LIMIT: Duration = Duration::from_secs(10);
/// Streams at once; further ones are asked to come back.
const MAX_STREAMS: usize = 1024;
const MAX_WAIT: Duration = Duration::from_secs(55);
const USUAL_WAIT: Duration = Duration::from_secs(25);

static STREAMS: AtomicUsize = AtomicUsize::new(0);

type Pairs = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// A place among the open streams, given back when dropped.
struct Place;

impl Place {
    fn take() -> Result<Self, ApiError> {
        if STREAMS.fetch_add(1, Ordering::Relaxed) < MAX_STREAMS {
            return Ok(Self);
        }
        drop(Self);
        Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::SourceUnavailable,
            "Too many live streams are open",
        ))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        STREAMS.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) async fn socket(
    State(state): State<AppState>,
    pairs: Pairs,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let asked = Asked::read(pairs, None)?;
    let upgrade = upgrade.map_err(|rejection| {
        ApiError::new(
            rejection.into_response().status(),
            ErrorCode::InvalidValue,
            "This route speaks WebSocket; see also live/events and live/poll",
        )
    })?;
    let place = Place::take()?;
    Ok(upgrade.max_message_size(16 * 1024).on_upgrade(move |socket| talk(state, socket, asked.cursor, place)))
}

async fn talk(state: AppState, socket: WebSocket, cursor: Option<Cursor>, place: Place) {
    let mut subscription = Subscription::open(&state, cursor).await;
    let (mut sink, mut incoming) = socket.split();
    loop {
        let next = tokio::select! {
            next = subscription.next() => next,
            // Clients have nothing to say, but pings are answered and a close is noticed only while reading.
            said = incoming.next() => match said {
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => continue,
            },
        };
        let (frame, close) = match next {
            Next::Frame(frame) => (Some(frame), None),
            Next::Last(frame) => (Some(frame), Some((close_code::AGAIN, "slow"))),
            Next::End => (None, Some((close_code::AWAY, "closing"))),
        };
        let sending = async {
            if let Some(frame) = frame {
                sink.send(Message::Text(frame)).await?;
            }
            if let Some((code, reason)) = close {
                sink.send(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }))).await?;
            }
            Ok::<(), axum::Error>(())
        };
        if !matches!(tokio::time::timeout(SEND_LIMIT, sending).await, Ok(Ok(()))) || close.is_some() {
            break;
        }
    }
    drop(place);
}

pub(super) async fn events(
    State(state): State<AppState>,
    pairs: Pairs,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = Asked::read(pairs, headers.get("last-event-id"))?;
    let place = Arc::new(Place::take()?);
    let subscription = Subscription::open(&state, asked.cursor).await;
    let frames = frames(subscription).map(move |frame| {
        let _held = &place;
        Ok::<Event, Infallible>(Event::default().data(frame.as_str()))
    });
    let mut response = Sse::new(frames).into_response();
    // Proxies that buffer would hold frames back.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    Ok(response)
}

fn frames(subscription: Subscription) -> impl Stream<Item = Utf8Bytes> {
    stream::unfold(Some(subscription), |subscription| async {
        let mut subscription = subscription?;
        match subscription.next().await {
            Next::Frame(frame) => Some((frame, Some(subscription))),
            Next::Last(frame) => Some((frame, None)),
            Next::End => None,
        }
    })
}

/// Answers at once when there is something, else waits for it; `{frames:[…]}`.
pub(super) async fn poll(State(state): State<AppState>, pairs: Pairs) -> Result<Response, ApiError> {
    let asked = Asked::read(pairs, None)?;
    let _place = Place::take()?;
    let mut subscription = Subscription::open(&state, asked.cursor).await;
    let mut frames = subscription.drain();
    if frames.is_empty() {
        match tokio::time::timeout(asked.wait, subscription.next()).await {
            Ok(Next::Frame(frame) | Next::Last(frame)) => {
                frames.push(frame);
                frames.extend(subscription.drain());
            }
            Ok(Next::End) => {}
            Err(_) => frames.extend(subscription.sign_of_life()),
        }
    }
    let frames: Vec<&str> = frames.iter().map(Utf8Bytes::as_str).collect();
    let text = format!("{{\"frames\":[{}]}}", frames.join(","));
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// What a client asks for.
struct Asked {
    cursor: Option<Cursor>,
    wait: Duration,
}

impl Asked {
    fn read(pairs: Pairs, last: Option<&HeaderValue>) -> Result<Self, ApiError> {
        let mut asked = Self { cursor: last.and_then(|value| value.to_str().ok()?.parse().ok()), wait: USUAL_WAIT };
        for (name, value) in read(pairs)? {
            match (name.as_str(), value.trim()) {
                (_, "") => {}
                ("cursor", text) => {
                    asked.cursor = Some(text.parse().map_err(|()| invalid("cursor", "cursor is epoch:seq"))?)
                }
                ("wait", text) => {
                    let secs: u64 =
                        text.parse().map_err(|_| invalid("wait", "wait is a number of seconds, 0 to 55"))?;
                    asked.wait = Duration::from_secs(secs).min(MAX_WAIT);
                }
                // Unknown parameters are left alone: proxies and caches add their own.
                _ => {}
            }
        }
        Ok(asked)
    }
}

fn invalid(field: &str, error: &str) -> ApiError {
    let mut answer = ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, error);
    answer.body.field = Some(field.to_owned());
    answer
}
