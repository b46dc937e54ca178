//! Security checks of every request: allowed hosts and origins, write authorisation, size and time limits, and a rate
//! limit for unauthorised writes.
//!
//! Requests by web pages of other origins are refused, except by origins that the configuration allows. Links from
//! other sites to a page of the dashboard work. A write needs the token or the session of the monitor's own page; a
//! local address is not enough.

mod auth;
mod client_ip;
mod denied_log;
mod headers;
mod hosts;
mod identity;
mod limits;
mod origins;
mod rate_limit;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use self::client_ip::Caller;
use self::denied_log::{DeniedLog, LogDecision};
use self::rate_limit::RateLimit;
use super::bundle::accepts_html;
use super::connection_timeout::{CLEAR_COOKIES, HEAD_TOO_LARGE};
use super::error::ApiError;
use super::request::{RequestId, is_api};
use crate::web::state::WebState;

pub use auth::WriteAuth;
pub(super) use auth::{ByFleet, FleetReader};
pub(super) use denied_log::for_log;
pub(super) use headers::{content_policy, protect};
pub(super) use identity::{Author, MayAnswer, MayCategorize, MaySpeak, Viewer};

/// State of clients that were refused, bounded.
#[derive(Debug, Default)]
pub(crate) struct Perimeter {
    rate_limit: RateLimit,
    denied_log: DeniedLog,
}

impl Perimeter {
    /// As after a quiet minute.
    #[cfg(test)]
    pub(crate) fn forget(&self) {
        self.rate_limit.forget();
    }
}

/// Runs before every route: nothing is looked up for a request that is not allowed.
pub(super) async fn guard(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let mut client_ip = Caller::from_request(state.app.settings(), &request);
    let what = (request.method().clone(), for_log(request.uri().path()));
    let id = request.extensions().get::<RequestId>().map_or_else(String::new, |id| id.0.clone());
    let admitted = admit(&state, &mut client_ip, &request);
    let denied = admitted.is_err();
    let navigation = !is_api(request.uri().path()) && accepts_html(request.headers());
    let response = match admitted {
        Ok(()) => answer(&state, client_ip.clone(), request, next).await,
        Err(error) => deny(error, navigation),
    };
    if (denied || is_refusal(response.status()))
        && let LogDecision::Line(missed) = state.perimeter.denied_log.note()
    {
        if missed > 0 {
            tracing::warn!(missed, "more requests were refused before");
        }
        let (method, path) = what;
        tracing::warn!(%id, %method, path, status = response.status().as_u16(), client = %client_ip.client, "request refused");
    }
    response
}

/// The refusal as a body of the API, or as a page where a browser shows it.
fn deny(error: ApiError, navigation: bool) -> Response {
    if navigation && error.status == StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE {
        let kind = (header::CONTENT_TYPE.as_str(), "text/html; charset=utf-8");
        return (error.status, [kind, CLEAR_COOKIES], HEAD_TOO_LARGE).into_response();
    }
    error.into_response()
}

fn admit(state: &WebState, client_ip: &mut Caller, request: &Request) -> Result<(), ApiError> {
    limits::check(request)?;
    client_ip.authority = hosts::authority(state.app.settings(), request, client_ip.by_proxy)?;
    client_ip.of_page = origins::admit(state.app.settings(), request, &client_ip.authority)?;
    identity::check_view(state.app.settings().identity.as_ref(), client_ip)?;
    Ok(())
}

async fn answer(state: &WebState, client_ip: Caller, mut request: Request, next: Next) -> Response {
    let shared = origins::share(state.app.settings(), request.headers());
    let cookie = auth::grant(state, &client_ip, &request);
    let preflight = request.method() == Method::OPTIONS;
    request.extensions_mut().insert(client_ip);
    let (request, late) = limits::hurry(request);
    let mut response = if preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    if late.is_late() {
        // The rest of the body would be taken for the next request.
        response = ([(header::CONNECTION, "close")], ApiError::of_status(StatusCode::REQUEST_TIMEOUT)).into_response();
    }
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    if let Some(origin) = shared {
        origins::put_shared(response.headers_mut(), origin);
    }
    response
}

/// Refusals by routes because of the client, not of the request.
fn is_refusal(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}
