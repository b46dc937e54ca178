//! Write authorisation by the write token or by the session of the monitor's own page. A request from a local address
//! needs one of them too, because any web page open on this machine can send one.

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use axum::response::{IntoResponse as _, Response};
use coordination::api::{ErrorCode, Writes};

use super::client_ip::Caller;
use super::hosts::{is_loopback, without_port};
use super::identity::Author;
use super::origins::fetch;
use crate::web::error::ApiError;
use crate::web::state::WebState;

const TOKEN_HEADER: &str = "x-task-monitor-token";
const COOKIE: &str = "task_hub_session";

/// Proof that a request may write. Taking it as an argument is what protects a handler, of 1.x and v2 alike.
#[derive(Debug, Clone, Copy)]
pub struct WriteAuth(());

/// Mark of a request that a command of the fleet makes, with its author. A request of the network has no marks.
#[derive(Debug, Clone)]
pub(in crate::web) struct ByFleet(pub(in crate::web) Author);

/// Mark of a request that a read of the fleet makes, with the rights of the person. It gives no right to write.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct FleetReader {
    /// May see and answer permission requests.
    pub(in crate::web) may_answer: bool,
    /// May send messages to agents.
    pub(in crate::web) may_speak: bool,
}

impl FromRequestParts<WebState> for WriteAuth {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Response> {
        // The right was looked at where the command of the fleet came from.
        if parts.extensions.get::<ByFleet>().is_some() {
            return Ok(Self(()));
        }
        // Without the guard before it no client is known, and none may write.
        let Some(client_ip) = parts.extensions.get::<Caller>() else { return Err(refused(state).into_response()) };
        if state.app.settings().writes() != Writes::Nobody
            && client_ip.of_page
            && has_session(state, client_ip, &parts.headers)
        {
            return Ok(Self(()));
        }
        let rate_limit = &state.perimeter.rate_limit;
        if let Some(left) = rate_limit.shut_out(client_ip.counted_as()) {
            let error = "Too many writes without the right; asked again after Retry-After seconds";
            let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, error);
            let wait = HeaderValue::from(left.as_secs().saturating_add(1).min(60));
            return Err(([(header::RETRY_AFTER, wait)], error).into_response());
        }
        if has_token(state, &parts.headers) {
            return Ok(Self(()));
        }
        rate_limit.note(client_ip.counted_as());
        Err(refused(state).into_response())
    }
}

fn refused(state: &WebState) -> ApiError {
    let (code, error) = match state.app.settings().writes() {
        Writes::Nobody => (
            ErrorCode::ReadOnly,
            "Nobody may write: other machines can reach this monitor and no token is set. \
             Set TASK_MONITOR_WRITE_TOKEN, or write_token_file in the configuration",
        ),
        Writes::Page | Writes::Unknown => (
            ErrorCode::Unauthorized,
            "Only the page of this monitor may write: no token is set. \
             Set TASK_MONITOR_WRITE_TOKEN, or write_token_file in the configuration, and send it as X-Task-Monitor-Token",
        ),
        Writes::Token => (
            ErrorCode::Unauthorized,
            "A write needs the token (header X-Task-Monitor-Token) or the session of the page on the monitor's machine",
        ),
    };
    ApiError::new(StatusCode::UNAUTHORIZED, code, error)
}

fn has_token(state: &WebState, headers: &HeaderMap) -> bool {
    let mut given = headers.get_all(TOKEN_HEADER).into_iter();
    match (&state.app.settings().write_token, given.next(), given.next()) {
        (Some(token), Some(given), None) => token.matches(given.as_bytes().trim_ascii()),
        _ => false,
    }
}

/// `Set-Cookie` for our own page, or its reads, on this machine, unless it has a session. The name holds the port,
/// because browsers share cookies between the ports of a host.
pub(super) fn grant(state: &WebState, client_ip: &Caller, request: &Request) -> Option<HeaderValue> {
    let headers = request.headers();
    let site = fetch(headers, "sec-fetch-site");
    let of_page = match fetch(headers, "sec-fetch-mode") {
        Some("navigate") => !matches!(site, Some("cross-site" | "same-site")),
        _ => site == Some("same-origin"),
    };
    // A proxy on this machine that adds no header of its own mostly passes on the name it was called by, or speaks
    // HTTP/1.0, which no browser does.
    let speaks = request.version() != Version::HTTP_10 && request.version() != Version::HTTP_09;
    let local = client_ip.local && !client_ip.by_proxy && speaks && is_loopback(&client_ip.authority);
    let wanted = of_page && request.method() == Method::GET && local;
    if !wanted || state.app.settings().writes() == Writes::Nobody || has_session(state, client_ip, headers) {
        return None;
    }
    let (name, path) = (cookie_name(client_ip), &state.app.settings().base_path);
    let text = format!("{name}={}; HttpOnly; SameSite=Strict; Path={path}", state.page_session.for_cookie());
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn has_session(state: &WebState, client_ip: &Caller, headers: &HeaderMap) -> bool {
    let name = cookie_name(client_ip);
    let values = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .any(|(key, value)| key == name && state.page_session.matches(value.as_bytes()))
}

fn cookie_name(client_ip: &Caller) -> String {
    let host = &client_ip.authority;
    let port = host[without_port(host).len()..].trim_start_matches(':');
    if port.is_empty() { COOKIE.to_owned() } else { format!("{COOKIE}_{port}") }
}
