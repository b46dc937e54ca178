//! Who may ask and who may write (design §3.11): host names, origins, the write right, and the headers of every
//! answer. Loopback is not an identity: a page must be ours, and a token once configured is always asked for.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use coordination::api::ErrorCode;
use sha2::{Digest as _, Sha256};

use super::error::ApiError;
use super::request::is_api;
use crate::config::Settings;
use crate::state::AppState;

const TOKEN_HEADER: &str = "x-task-monitor-token";
const COOKIE: &str = "task_hub_session";

/// Refuses foreign host names and, for everything but plain reading, foreign origins.
pub(super) async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if let Some(host) = text(headers, &header::HOST)
        && !host_allowed(state.settings(), host)
    {
        let error = "This host name is not answered here; add it to allowed_hosts";
        return ApiError::new(StatusCode::MISDIRECTED_REQUEST, ErrorCode::MisdirectedHost, error).into_response();
    }
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if (!reads || is_stream(&request)) && !origin_allowed(state.settings(), headers) {
        let error = "This origin may not write or open a live stream here";
        return ApiError::new(StatusCode::FORBIDDEN, ErrorCode::ForbiddenOrigin, error).into_response();
    }
    let cross = cross_origin(state.settings(), headers);
    let preflight = request.method() == Method::OPTIONS;
    let grant = may_have_session(&request).then(|| session_cookie(&state, headers)).flatten();
    let no_store = is_api(request.uri().path());
    let mut response = if preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    let headers = response.headers_mut();
    if no_store {
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    if let Some(cookie) = grant {
        headers.append(header::SET_COOKIE, cookie);
    }
    if let Some(origin) = cross {
        allow_cross_origin(headers, origin);
    }
    protect(headers, state.settings());
    response
}

/// Proof that a request may write. Taking it as an argument is what protects a handler.
#[derive(Debug, Clone, Copy)]
pub struct WriteRight(());

impl FromRequestParts<AppState> for WriteRight {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let without_token = |headers: &HeaderMap| !headers.contains_key(header::ORIGIN);
        may_write(parts, state, without_token).map(|()| Self(()))
    }
}

/// As [`WriteRight`], by the rule of REST 1.x (`contract/monitor-api.md` §2): where no token is configured, whatever
/// speaks from this machine may write, our own origin too, with or without the session that v2 asks of a page.
#[derive(Debug, Clone, Copy)]
pub struct OldWriteRight(());

impl FromRequestParts<AppState> for OldWriteRight {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        // Only a page of ours can name our origin: foreign hosts and origins have been refused before.
        let without_token = |headers: &HeaderMap| {
            text(headers, &header::ORIGIN).is_none_or(|origin| is_same_origin(&origin.to_ascii_lowercase(), headers))
        };
        may_write(parts, state, without_token).map(|()| Self(()))
    }
}

/// `without_token` says which callers on this machine may write where no token is configured.
fn may_write(parts: &Parts, state: &AppState, without_token: impl Fn(&HeaderMap) -> bool) -> Result<(), ApiError> {
    let headers = &parts.headers;
    let given = headers.get(TOKEN_HEADER).map(|value| value.as_bytes().trim_ascii());
    // A page of ours: the cookie is only handed to it, and a browser always names the origin of a write.
    let of_page = headers.contains_key(header::ORIGIN) && has_session(state, headers);
    let right = match (&state.settings().write_token, given) {
        (Some(token), Some(given)) => equal(token.expose().as_bytes(), given),
        (Some(_), None) => of_page,
        (None, _) => of_page || (without_token(headers) && is_local(headers, &parts.extensions)),
    };
    if right { Ok(()) } else { Err(ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, "Unauthorized")) }
}

/// A loopback peer that does not speak for somebody else.
fn is_local(headers: &HeaderMap, extensions: &axum::http::Extensions) -> bool {
    let forwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
    let loopback =
        extensions.get::<ConnectInfo<SocketAddr>>().is_some_and(|peer| peer.0.ip().to_canonical().is_loopback());
    loopback && !forwarded.iter().any(|name| headers.contains_key(*name))
}

fn is_stream(request: &Request) -> bool {
    let path = request.uri().path();
    request.headers().contains_key(header::UPGRADE) || path == "/api/v2/live/events" || path == "/api/v2/live"
}

fn host_allowed(settings: &Settings, host: &str) -> bool {
    let name = without_port(host).to_ascii_lowercase();
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let bound = settings.host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    if bare == "localhost" || bare.ends_with(".localhost") || bare == bound || settings.allowed_hosts.contains(&name) {
        return true;
    }
    match (bare.parse::<IpAddr>(), bound.parse::<IpAddr>()) {
        (Ok(asked), _) if asked.is_loopback() => true,
        // An address cannot be rebound to another machine as a name can.
        (Ok(_), Ok(bound)) => bound.is_unspecified(),
        _ => false,
    }
}

/// No origin (not a browser, or a plain navigation), our own, or a configured one.
fn origin_allowed(settings: &Settings, headers: &HeaderMap) -> bool {
    if text(headers, &HeaderName::from_static("sec-fetch-site")) == Some("cross-site")
        && !headers.contains_key(header::ORIGIN)
    {
        return false;
    }
    let Some(value) = headers.get(header::ORIGIN) else { return true };
    let Ok(origin) = value.to_str().map(str::to_ascii_lowercase) else { return false };
    is_same_origin(&origin, headers)
        || settings.allowed_origins.contains(&origin)
        || settings.cors_origins.contains(&origin)
}

fn is_same_origin(origin: &str, headers: &HeaderMap) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    match (authority, text(headers, &header::HOST)) {
        (Some(authority), Some(host)) => authority.eq_ignore_ascii_case(host),
        _ => false,
    }
}

fn cross_origin(settings: &Settings, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = text(headers, &header::ORIGIN)?.to_ascii_lowercase();
    settings.cors_origins.contains(&origin).then(|| HeaderValue::from_str(&origin).ok()).flatten()
}

fn allow_cross_origin(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, PATCH, DELETE, OPTIONS"));
    headers
        .insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("Content-Type, X-Task-Monitor-Token"));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}

/// The page itself and its own reads, from this machine.
fn may_have_session(request: &Request) -> bool {
    let headers = request.headers();
    let site = text(headers, &HeaderName::from_static("sec-fetch-site"));
    let wanted = match text(headers, &HeaderName::from_static("sec-fetch-mode")) {
        Some("navigate") => site != Some("cross-site"),
        _ => site == Some("same-origin"),
    };
    wanted && request.method() == Method::GET && is_local(headers, request.extensions())
}

/// `Set-Cookie` for a page that has no valid session yet. The name holds the port: browsers share cookies between ports.
fn session_cookie(state: &AppState, headers: &HeaderMap) -> Option<HeaderValue> {
    if has_session(state, headers) {
        return None;
    }
    let (name, path) = (cookie_name(headers), &state.settings().base_path);
    let text = format!("{name}={}; HttpOnly; SameSite=Strict; Path={path}", state.page_session());
    HeaderValue::from_str(&text).ok()
}

fn has_session(state: &AppState, headers: &HeaderMap) -> bool {
    let name = cookie_name(headers);
    let values = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .any(|(key, value)| key == name && equal(state.page_session().as_bytes(), value.as_bytes()))
}

fn cookie_name(headers: &HeaderMap) -> String {
    let host = text(headers, &header::HOST).unwrap_or_default();
    let port = host[without_port(host).len()..].trim_start_matches(':');
    if port.is_empty() { COOKIE.to_owned() } else { format!("{COOKIE}_{port}") }
}

fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
}

/// Compares secrets in the same time whatever they hold.
fn equal(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (Sha256::digest(one), Sha256::digest(other));
    one.iter().zip(other.iter()).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The policy of a page whose inline scripts have these hashes. The page's own `<base>` wants `base-uri 'self'`; no other
/// origin can be one. What its Trusted Types policy lets through stands in `index.html`.
pub(super) fn content_policy(settings: &Settings, script_hashes: &[String]) -> String {
    let scripts: String = script_hashes.iter().map(|hash| format!(" '{hash}'")).collect();
    let ancestors =
        if settings.frame_ancestors.is_empty() { "'none'".to_owned() } else { settings.frame_ancestors.join(" ") };
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'; connect-src 'self'; \
         font-src 'self'; img-src 'self' data:; manifest-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'none'; \
         frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types default"
    )
}

fn protect(headers: &mut HeaderMap, settings: &Settings) {
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY)
        && let Ok(policy) = HeaderValue::from_str(&content_policy(settings, &[]))
    {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::Home;

    #[test]
    fn only_loopback_the_bound_and_the_configured_names_are_answered() {
        let mut settings = Settings::for_home(Home::new("/nowhere"));
        for good in ["localhost", "127.0.0.1:3847", "[::1]:3847", "LOCALHOST:1", "hub.localhost"] {
            assert!(host_allowed(&settings, good), "{good}");
        }
        for bad in ["evil.example", "127.0.0.1.evil.example", "192.168.0.7:3847", "localhost.evil.example", ""] {
            assert!(!host_allowed(&settings, bad), "{bad}");
        }
        settings.allowed_hosts = vec!["hub.example".to_owned()];
        assert!(host_allowed(&settings, "hub.example:8080"));
        settings.host = "0.0.0.0".to_owned();
        assert!(host_allowed(&settings, "192.168.0.7:3847"), "an address cannot be rebound");
        assert!(!host_allowed(&settings, "evil.example"));
    }

    #[test]
    fn an_origin_is_ours_only_with_the_same_host_and_port() {
        let settings = Settings::for_home(Home::new("/nowhere"));
        let allowed = |origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:3847"));
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            origin_allowed(&settings, &headers)
        };
        assert!(allowed("http://127.0.0.1:3847"));
        for foreign in ["null", "http://127.0.0.1:9999", "https://evil.example", "http://127.0.0.1", "file://"] {
            assert!(!allowed(foreign), "{foreign}");
        }
    }
}
