//! Handler of the REST 1.x WebSocket `/ws` (`contract/monitor-api.md` §8). It only sends and does not replay old
//! messages. A client that falls behind is disconnected and may connect again.

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use coordination::link::Transport;
use coordination::time::to_iso;
use tokio::sync::broadcast::error::RecvError;

use super::feed;
use crate::app::AppState;
use crate::core::live::ClientSlot;
use crate::core::status::V1Notice;
use crate::web::v2::live::too_many_streams;

/// Messages of clients are ignored.
const MAX_FRAME_BYTES: usize = 4096;
/// A client that takes no message in this time does not read.
const SEND_WITHIN: Duration = Duration::from_secs(10);

/// The old stream over WebSocket: what happens from now on, without what was missed.
// Host and origin were checked before.
pub(super) async fn open(State(state): State<AppState>, upgrade: WebSocketUpgrade) -> Response {
    let Some(slot) = state.live().clients().enter(Transport::Socket) else { return too_many_streams() };
    // The size of a message is looked at only when its frame was read.
    let upgrade = upgrade.max_frame_size(MAX_FRAME_BYTES).max_message_size(MAX_FRAME_BYTES);
    upgrade.on_upgrade(move |socket| run(socket, state, slot))
}

async fn run(mut socket: WebSocket, state: AppState, _slot: ClientSlot) {
    let mut notices = state.notices().subscribe();
    let mut closing = state.closing();
    if !send(&mut socket, feed::connected(&to_iso(state.now()))).await {
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

async fn messages(state: &AppState, notice: V1Notice) -> Vec<String> {
    state
        .run_query(move |hub, now| match notice {
            V1Notice::Events(events) => feed::of_events(&events, hub, &to_iso(now)),
            V1Notice::Files(changes) => changes.iter().flat_map(|change| feed::of_file(change, &to_iso(now))).collect(),
        })
        .await
}

async fn send(socket: &mut WebSocket, text: String) -> bool {
    matches!(tokio::time::timeout(SEND_WITHIN, socket.send(Message::Text(text.into()))).await, Ok(Ok(())))
}
