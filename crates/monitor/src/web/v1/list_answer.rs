//! Responses of the REST 1.x lists of events and sessions. An ETag names the version of the data, so an unchanged list
//! is answered with `304`. There is no ETag while the log is being read at start-up. A large list is streamed in parts,
//! without a lock on the hub.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use coordination::compat::{V1Answer, V1Validity};
use coordination::hub::Hub;
use futures::stream::{self, StreamExt as _};
use tokio::task::spawn_blocking;

use super::answer::V1Error;
use super::large_answers::MAX_SMALL_BYTES;
use crate::app::AppState;
use crate::web::v2::shows_tag;

/// A request for a list: its address, and the tags that the client shows.
#[derive(Debug)]
pub(super) struct ListRequest {
    uri: Uri,
    headers: HeaderMap,
}

impl<S: Send + Sync> FromRequestParts<S> for ListRequest {
    type Rejection = V1Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, V1Error> {
        Ok(Self { uri: parts.uri.clone(), headers: parts.headers.clone() })
    }
}

/// What the hub gave.
enum Listed {
    Unchanged,
    Made(V1Answer),
}

impl ListRequest {
    /// The answer that `make` gives, or `304` when the client shows its tag. While the history is read, answers have no
    /// tags.
    pub(super) async fn answer(
        self,
        state: AppState,
        make: impl FnOnce(&Hub, i64) -> Result<V1Answer, V1Error> + Send + 'static,
    ) -> Result<Response, V1Error> {
        let epoch = state.is_ready().then(|| state.live().position().0.to_owned());
        let listed = state.run_query(move |hub, now| {
            let tag = epoch.map(|epoch| self.tag(&epoch, V1Validity::at(hub, now)));
            let listed = match &tag {
                Some(tag) if shows_tag(&self.headers, tag) => Listed::Unchanged,
                _ => Listed::Made(make(hub, now)?),
            };
            Ok::<_, V1Error>((tag, listed))
        });
        let (tag, listed) = listed.await?;
        let mut response = match listed {
            Listed::Unchanged => StatusCode::NOT_MODIFIED.into_response(),
            Listed::Made(answer) => written(answer).await,
        };
        if let Some(tag) = tag.and_then(|tag| tag.try_into().ok()) {
            response.headers_mut().insert(header::ETAG, tag);
        }
        Ok(response)
    }

    /// Names an answer by the run of the process, the state of the hub and the address.
    fn tag(&self, epoch: &str, validity: V1Validity) -> String {
        let mut hash = DefaultHasher::new();
        (self.uri.path(), self.uri.query(), epoch).hash(&mut hash);
        format!("W/\"v1-{:x}-{:x}-{:016x}\"", validity.revision, validity.until, hash.finish())
    }
}

/// The answer with its length when it is small, else as a stream.
async fn written(mut answer: V1Answer) -> Response {
    let begin = move || {
        let mut text = Vec::new();
        while text.len() < MAX_SMALL_BYTES {
            match answer.next() {
                Some(part) => text.extend(part),
                None => return (text, None),
            }
        }
        (text, Some(answer))
    };
    let (text, rest) = match spawn_blocking(begin).await {
        Ok(begun) => begun,
        // The panic continues in the request's own task, where it becomes a 500.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    };
    let body = match rest {
        None => Body::from(text),
        Some(rest) => streamed(text, rest),
    };
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], body).into_response()
}

fn streamed(begin: Vec<u8>, rest: V1Answer) -> Body {
    let rest = stream::unfold(Some(rest), async |rest| {
        let mut rest = rest?;
        let next_part = move || rest.next().map(|part| (part, rest));
        match spawn_blocking(next_part).await {
            Ok(Some((part, rest))) => Some((Ok(Bytes::from(part)), Some(rest))),
            Ok(None) => None,
            // The answer breaks off, which its reader can tell from an end.
            Err(error) => Some((Err(error), None)),
        }
    });
    // Fused: a compressor polls once more behind the end.
    Body::from_stream(stream::once(async { Ok(Bytes::from(begin)) }).chain(rest).fuse())
}
