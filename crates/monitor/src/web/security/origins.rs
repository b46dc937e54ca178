//! Check of request origins by the headers `Origin` and `Sec-Fetch-*` (fetch metadata), which browsers send. It allows
//! the monitor's own page, configured origins, and links from any page to a page of the dashboard. A request without
//! these headers counts as one of a program, not of a web page, and is allowed.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use coordination::api::ErrorCode;

use crate::config::Settings;
use crate::web::error::ApiError;
use crate::web::request::is_api;

/// Whether the request names our own origin, and so comes from a page of ours.
///
/// # Errors
/// A 403 for a request of a foreign page.
pub(super) fn admit(settings: &Settings, request: &Request, authority: &str) -> Result<bool, ApiError> {
    let headers = request.headers();
    if headers.contains_key(header::ORIGIN) {
        let origin = only(headers, &header::ORIGIN).map(str::to_ascii_lowercase).ok_or_else(foreign)?;
        let ours = is_same_origin(&origin, authority);
        let listed = || settings.allowed_origins.contains(&origin) || settings.cors_origins.contains(&origin);
        return if ours || listed() { Ok(ours) } else { Err(foreign()) };
    }
    let from_elsewhere = match fetch(headers, "sec-fetch-site") {
        None | Some("same-origin" | "none") => false,
        Some(_) => true,
    };
    if from_elsewhere && !opens_page(settings, request) { Err(foreign()) } else { Ok(false) }
}

/// A link to a page was followed: in a tab of its own, or in a frame where those are configured. The content policy
/// decides which pages may frame it, because a frame's request does not name the page around it.
fn opens_page(settings: &Settings, request: &Request) -> bool {
    let headers = request.headers();
    let place = match fetch(headers, "sec-fetch-dest") {
        // A service worker that passes a navigation on names no place; no page can send one in this mode by itself.
        Some("document" | "empty") => true,
        Some("iframe" | "frame") => !settings.frame_ancestors.is_empty(),
        _ => false,
    };
    place
        && request.method() == Method::GET
        && fetch(headers, "sec-fetch-mode") == Some("navigate")
        && !is_api(request.uri().path())
}

/// `http` as well as `https`: what ends TLS before us passes on the host, not the scheme.
fn is_same_origin(origin: &str, authority: &str) -> bool {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) == Some(authority)
}

/// Allows a configured origin to read the answer.
pub(super) fn share(settings: &Settings, request_headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = only(request_headers, &header::ORIGIN)?.to_ascii_lowercase();
    settings.cors_origins.contains(&origin).then(|| HeaderValue::from_str(&origin).ok()).flatten()
}

/// Puts what [`share`] gave on the answer.
pub(super) fn put_shared(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, PATCH, PUT, DELETE, OPTIONS"));
    headers
        .insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("Content-Type, X-Task-Monitor-Token"));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}

/// A value of fetch metadata. A repeated or unreadable one becomes a word that no browser sends.
pub(super) fn fetch<'a>(headers: &'a HeaderMap, name: &'static str) -> Option<&'a str> {
    let name = HeaderName::from_static(name);
    headers.contains_key(&name).then(|| only(headers, &name).unwrap_or("unreadable"))
}

fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).into_iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn foreign() -> ApiError {
    let error = "A page of another origin may not ask this; a trusted one belongs into allowed_origins";
    ApiError::new(StatusCode::FORBIDDEN, ErrorCode::ForbiddenOrigin, error)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;
    use crate::home::HomeDir;

    const US: &str = "127.0.0.1:3847";

    fn admitted(settings: &Settings, target: &str, headers: &[(&str, &str)]) -> Option<bool> {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        admit(settings, &request.body(Body::empty()).expect("request"), US).ok()
    }

    #[test]
    fn own_origin_needs_same_host_and_port() {
        let settings = Settings::for_home(HomeDir::new("/nowhere"));
        let admitted = |origin: &str| admitted(&settings, "/api/v2/home", &[("origin", origin)]);
        assert_eq!(admitted("http://127.0.0.1:3847"), Some(true));
        for foreign in [
            "null",
            "http://127.0.0.1:9999",
            "https://evil.example",
            "http://127.0.0.1",
            "file://",
            "",
            "ftp://127.0.0.1:3847",
        ] {
            assert_eq!(admitted(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_foreign() {
        let settings = Settings::for_home(HomeDir::new("/nowhere"));
        let evil = ("origin", "https://evil.example");
        assert_eq!(admitted(&settings, "/", &[evil, ("sec-fetch-site", "same-origin")]), None);
        assert_eq!(admitted(&settings, "/", &[("origin", "http://127.0.0.1:3847"), evil]), None);
        assert_eq!(admitted(&settings, "/", &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none")]), None);
        assert_eq!(admitted(&settings, "/", &[("sec-fetch-site", "a word of tomorrow")]), None);
    }

    #[test]
    fn links_open_pages_and_frames_need_configuration() {
        let mut settings = Settings::for_home(HomeDir::new("/nowhere"));
        let to = |dest| [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", dest)];
        assert_eq!(admitted(&settings, "/s/ws_1", &to("document")), Some(false));
        for dest in ["iframe", "frame", "object", "embed", "image"] {
            assert_eq!(admitted(&settings, "/s/ws_1", &to(dest)), None, "{dest}");
        }
        assert_eq!(admitted(&settings, "/api/v2/home", &to("document")), None);
        settings.frame_ancestors = vec!["https://hub.example".to_owned()];
        assert_eq!(admitted(&settings, "/s/ws_1", &to("iframe")), Some(false));
        assert_eq!(admitted(&settings, "/api/v2/home", &to("iframe")), None);
    }
}
