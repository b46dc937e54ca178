//! Forwarding of reads that only the machine can answer: files that do not travel, and permission requests, which are in the
//! memory of its monitor. They go to that monitor, and its answer is the answer. What may be read this way is decided on
//! the machine, by [`HomeRead`]. Its answers are not trusted: only JSON and pictures are passed on, with headers of this monitor.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts as _, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use coordination::api::ErrorCode;

use super::error::ApiError;
use super::forward::{answer_of, not_over_fleet};
use super::security::{FleetReader, Viewer};
use super::state::WebState;
use super::v2::{PICTURE_CACHING, PICTURE_POLICY};
use crate::config::Settings;
use crate::fleet::{FleetMember, FleetRead, MAX_ANSWER_BYTES, ReadFault, ReadReply, ReadRunner, ReplyHead, too_large};
use crate::sources::workspace::is_picture_type;

const JSON: &str = "application/json";

/// A read that the machine answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HomeRead {
    /// JSON that a mirror does not have.
    Json,
    /// JSON that a mirror has for the case that the machine does not answer.
    JsonOrMirror,
    /// A picture in a workspace.
    Picture,
}

impl HomeRead {
    /// The read of a path below the base; `None` for what a mirror answers itself, and for everything else.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.strip_prefix("/api/v2/")?.split('/').collect();
        match parts.as_slice() {
            ["sessions-store" | "sessions-archive" | "permission-requests"]
            | ["sessions-store", _, "preview" | "history"]
            | ["sessions-archive", _, _, "history"]
            | ["permission-requests", _] => Some(Self::Json),
            // Whether the gateway there takes messages.
            ["speak"] => Some(Self::JsonOrMirror),
            ["agents", _, "avatar"] => Some(Self::Picture),
            _ => None,
        }
    }
}

/// Has the machine answer a read.
pub(super) async fn answer(
    (state, member): (&WebState, &FleetMember),
    read: HomeRead,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let Ok(viewer) = Viewer::from_request_parts(&mut parts, state).await;
    let forwarded = FleetRead {
        source: member.id.clone(),
        path: parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        if_none_match: text_of(&parts.headers, &header::IF_NONE_MATCH),
        may_answer: viewer.may_answer,
        may_speak: viewer.may_speak,
    };
    match member.read(&forwarded).await.and_then(|reply| response_of(reply, read)) {
        Ok(response) => response,
        Err(_) if read == HomeRead::JsonOrMirror => next.run(Request::from_parts(parts, body)).await,
        Err(fault) => error_of(&fault, &member.info.name).into_response(),
    }
}

/// The error for what a machine does not show to its fleet.
pub(super) fn not_offered(machine: &str) -> ApiError {
    error_of(&ReadFault::NotOffered, machine)
}

fn error_of(fault: &ReadFault, machine: &str) -> ApiError {
    let (status, code) = match fault {
        ReadFault::NotOffered => (StatusCode::NOT_IMPLEMENTED, ErrorCode::NotOffered),
        ReadFault::Offline | ReadFault::Unreachable | ReadFault::Late => {
            (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::MachineOffline)
        }
        ReadFault::Damaged => (StatusCode::BAD_GATEWAY, ErrorCode::SourceUnavailable),
    };
    ApiError::new(status, code, format!("{machine}: {fault}"))
}

/// The answer of a machine as one of this monitor.
fn response_of(reply: ReadReply, read: HomeRead) -> Result<Response, ReadFault> {
    let ReadReply { head, body } = reply;
    let status = StatusCode::from_u16(head.status).map_err(|_| ReadFault::Damaged)?;
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error && !matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED) {
        return Err(ReadFault::Damaged);
    }
    let kind = head.content_type.as_deref().unwrap_or_default();
    let mut headers = HeaderMap::new();
    if status != StatusCode::NOT_MODIFIED {
        if kind == JSON && (is_error || read != HomeRead::Picture) {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        } else if read == HomeRead::Picture && !is_error && is_picture_type(kind) {
            let kind = HeaderValue::from_str(kind).map_err(|_| ReadFault::Damaged)?;
            headers.insert(header::CONTENT_TYPE, kind);
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PICTURE_POLICY));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(PICTURE_CACHING));
        } else {
            return Err(ReadFault::Damaged);
        }
    }
    if let Some(tag) = head.etag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
        headers.insert(header::ETAG, tag);
    }
    Ok((status, headers, body).into_response())
}

/// Answers reads of the fleet with the routes of this monitor.
pub(super) fn runner(routes: Router, settings: &Settings) -> ReadRunner {
    let (host, base) = (format!("127.0.0.1:{}", settings.port), settings.base_path.clone());
    let may_write = settings.fleet.as_ref().is_some_and(|fleet| fleet.writes);
    Arc::new(move |read: FleetRead| {
        let (routes, request) = (routes.clone(), request_of(&read, (&host, &base), may_write));
        Box::pin(async move {
            let Some(request) = request else { return not_over_fleet() };
            let (head, body) = answer_of(routes, request).await.into_parts();
            let Ok(body) = axum::body::to_bytes(body, MAX_ANSWER_BYTES).await else {
                return too_large("too many", MAX_ANSWER_BYTES);
            };
            let text = |name| text_of(&head.headers, name);
            let (content_type, etag) = (text(&header::CONTENT_TYPE), text(&header::ETAG));
            ReadReply { head: ReplyHead { status: head.status.as_u16(), content_type, etag }, body: body.into() }
        })
    })
}

/// The request of a read; `None` for one that may not come this way. `may_write`: what is read may be answered as well.
fn request_of(read: &FleetRead, (host, base): (&str, &str), may_write: bool) -> Option<Request> {
    // A fragment would end the path that is asked for before the one that is looked at.
    if read.path.contains('#') {
        return None;
    }
    let (path, _) = read.path.split_once('?').unwrap_or((&read.path, ""));
    HomeRead::of_path(path)?;
    let mut request = Request::get(format!("{}{}", base.trim_end_matches('/'), read.path))
        .header(header::HOST, host)
        .header(header::ACCEPT, "*/*")
        .extension(FleetReader { may_answer: read.may_answer && may_write, may_speak: read.may_speak && may_write });
    if let Some(tags) = &read.if_none_match {
        request = request.header(header::IF_NONE_MATCH, tags);
    }
    request.body(Body::empty()).ok()
}

fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> FleetRead {
        FleetRead {
            source: String::new(),
            path: path.to_owned(),
            if_none_match: Some("W/\"1\"".to_owned()),
            may_answer: true,
            may_speak: true,
        }
    }

    #[test]
    fn only_what_a_mirror_lacks_is_read_on_the_machine() {
        for (path, wanted) in [
            ("/api/v2/sessions-store", Some(HomeRead::Json)),
            ("/api/v2/sessions-store/agent%3Amain%2F1/history", Some(HomeRead::Json)),
            ("/api/v2/sessions-archive/eden/s1/history", Some(HomeRead::Json)),
            ("/api/v2/permission-requests/p", Some(HomeRead::Json)),
            ("/api/v2/agents/eden/avatar", Some(HomeRead::Picture)),
            ("/api/v2/speak", Some(HomeRead::JsonOrMirror)),
            ("/api/v2/permission-requests/p/answer", None),
            ("/api/v2/home", None),
            ("/api/v2/evidence", None),
            ("/api/v2/live", None),
            ("/api/v2/sessions-store/a/b/history", None),
            ("/api/v2/agents/eden", None),
            ("/api/hooks/permission", None),
            ("/metrics", None),
            ("/", None),
        ] {
            assert_eq!(HomeRead::of_path(path), wanted, "{path}");
        }
    }

    #[test]
    fn read_is_a_get_without_the_right_to_write() {
        let request = |path: &str, may_write| request_of(&read(path), ("127.0.0.1:1", "/hub/"), may_write);
        let made = request("/api/v2/permission-requests/p?x=1", true).expect("a request");
        assert_eq!(
            (made.method().as_str(), made.uri().to_string()),
            ("GET", "/hub/api/v2/permission-requests/p?x=1".to_owned())
        );
        assert!(made.extensions().get::<super::super::security::ByFleet>().is_none());
        assert!(made.extensions().get::<FleetReader>().is_some_and(|reader| reader.may_answer));
        let unanswerable = request("/api/v2/permission-requests/p", false).expect("a request");
        assert!(unanswerable.extensions().get::<FleetReader>().is_some_and(|reader| !reader.may_answer));
        assert!(request("/api/v2/home", true).is_none() && request("/metrics", true).is_none());
        assert!(request("/api/v2/speak?\n", true).is_none(), "no address");
        assert!(request("/api/v2/agents/eden#/avatar", true).is_none(), "an address with a fragment");
    }

    #[test]
    fn machine_sends_no_page_and_no_headers() {
        let reply = |status, kind: &str| ReadReply {
            head: ReplyHead { status, content_type: Some(kind.to_owned()), etag: Some("W/\"1\"".to_owned()) },
            body: b"x".to_vec(),
        };
        let passed = response_of(reply(200, JSON), HomeRead::Json).expect("JSON");
        assert_eq!((passed.status(), passed.headers()[header::ETAG].as_bytes()), (StatusCode::OK, &b"W/\"1\""[..]));
        let picture = response_of(reply(200, "image/svg+xml"), HomeRead::Picture).expect("a picture");
        assert_eq!(picture.headers()[header::CONTENT_SECURITY_POLICY], PICTURE_POLICY);
        assert_eq!(response_of(reply(404, JSON), HomeRead::Picture).expect("an error").status(), 404);
        assert_eq!(response_of(reply(304, ""), HomeRead::Json).expect("unchanged").status(), 304);
        for (status, kind, read) in [
            (200, "text/html", HomeRead::Json),
            (200, "text/html", HomeRead::Picture),
            (200, "image/png", HomeRead::Json),
            (500, "text/html", HomeRead::Json),
            (302, JSON, HomeRead::Json),
            (99, JSON, HomeRead::Json),
        ] {
            assert!(response_of(reply(status, kind), read).is_err(), "{status} {kind}");
        }
    }
}
