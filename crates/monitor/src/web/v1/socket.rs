//! The 1.x `/ws`: server to client only, no replay; a client that falls behind is cut and reconnects
//! (`contract/monitor-api.md` §8).

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use coordination::api::ErrorBody;
use coordination::link::Transport;
use tokio::sync::broadcast::error::RecvError;

use super::feed;
use crate::app::AppState;
use crate::clock::iso;
use crate::core::live::ClientSlot;
use crate::core::status::Notice;
use crate::web::v2::live::full;

/// Messages of clients are ignored.
const LARGEST_FRAME: usize = 4096;
/// A client that takes no message in this time does not read.
const SEND_WITHIN: Duration = Duration::from_secs(10);

/// The old stream over WebSocket: what happens from now on, without what was missed.
// Host and origin were checked before.
#[utoipa::path(
    get, path = "/ws", tag = "1.x",
    responses(
        (status = 101, description = "Speaks WebSocket; each message is an object with `type`, `timestamp` and `data`"),
        (status = 400, description = "No request for an upgrade", body = ErrorBody),
        (status = 426, description = "This connection cannot be upgraded", body = ErrorBody),
        (status = 503, description = "Too many live streams are open", body = ErrorBody),
    )
)]
pub(super) async fn open(State(state): State<AppState>, upgrade: WebSocketUpgrade) -> Response {
    let Some(place) = state.live().clients().enter(Transport::Socket) else { return full() };
    // The size of a message is looked at only when its frame was read.
    let upgrade = upgrade.max_frame_size(LARGEST_FRAME).max_message_size(LARGEST_FRAME);
    upgrade.on_upgrade(move |socket| run(socket, state, place))
}

async fn run(mut socket: WebSocket, state: AppState, _place: ClientSlot) {
    let mut notices = state.notices().subscribe();
    let mut closing = state.closing();
    if !send(&mut socket, feed::connected(&iso(state.now()))).await {
        return;
    }
    loop {
        let notice = tokio::select! {
            notice = notices.recv() => match notice {
                Ok(notice) => notice,
                Err(RecvError::Lagged(_) | RecvError::Closed) => return,
            },
            frame = socket.recv() => match frame {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue,
            },
            _ = closing.changed() => return,
        };
        for message in messages(&state, notice).await {
            if !send(&mut socket, message).await {
                return;
            }
        }
    }
}

async fn messages(state: &AppState, notice: Notice) -> Vec<String> {
    state
        .ask(move |hub, now| match notice {
            Notice::Events(events) => feed::of_events(&events, hub, &iso(now)),
            Notice::Files(changes) => changes.iter().flat_map(|change| feed::of_file(change, &iso(now))).collect(),
        })
        .await
}

async fn send(socket: &mut WebSocket, text: String) -> bool {
    matches!(tokio::time::timeout(SEND_WITHIN, socket.send(Message::Text(text.into()))).await, Ok(Ok(())))
}
