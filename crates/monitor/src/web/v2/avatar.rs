//! Handler of `GET /api/v2/agents/{id}/avatar`: the image file in an agent's own workspace. Files outside the workspace
//! are not served. An image at a web address is not fetched; the page links to it.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use coordination::api::AvatarKind;
use coordination::query;

use super::paths::AgentPath;
use crate::app::AppState;
use crate::sources::workspace::{ReadError, folder_of, read_picture};
use crate::web::error::ApiError;
use crate::web::extract::StrictPath;

/// A picture may be a program (SVG): opened by itself it may run nothing and fetch nothing.
pub(crate) const PICTURE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";
/// How long a browser may keep a picture.
pub(crate) const PICTURE_CACHING: &str = "private, max-age=60";

/// The picture of an agent, where it is a file in its own workspace.
#[utoipa::path(
    get, path = "/agents/{id}/avatar", tag = "work",
    responses((status = 200, content((Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"), (Vec<u8> = "image/gif"), (Vec<u8> = "image/webp"), (Vec<u8> = "image/svg+xml"), (Vec<u8> = "image/bmp"), (Vec<u8> = "image/tiff"))))
)]
pub(super) async fn avatar(
    State(state): State<AppState>,
    StrictPath(AgentPath { id }): StrictPath<AgentPath>,
) -> Result<Response, ApiError> {
    let missing = || ApiError::not_found("This agent has no picture of its own");
    let (roster, written) = {
        let hub = state.hub();
        let known = hub.roster().agent(id.as_str()).ok_or_else(missing)?;
        let of_file = query::avatar(known).is_some_and(|avatar| avatar.kind == AvatarKind::File);
        let written = known.avatar.clone().filter(|_| of_file).ok_or_else(missing)?;
        (hub.roster().clone(), written)
    };
    let home = state.settings().home.clone();
    let read = tokio::task::spawn_blocking(move || {
        folder_of(&home, &roster, id.as_str()).and_then(|(_, folder)| read_picture(&folder, &written))
    });
    match read.await {
        Ok(Ok((kind, bytes))) => {
            let headers = [
                (header::CONTENT_TYPE, kind),
                (header::CONTENT_SECURITY_POLICY, PICTURE_POLICY),
                (header::CACHE_CONTROL, PICTURE_CACHING),
            ];
            Ok((headers, bytes).into_response())
        }
        Ok(Err(ReadError::Unreadable(cause))) => {
            tracing::debug!(cause, "a picture was not served");
            Err(ApiError::not_found(format!("This agent's picture is not served: {cause}")))
        }
        Ok(Err(ReadError::Missing)) => Err(missing()),
        Err(_) => Err(ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR)),
    }
}
