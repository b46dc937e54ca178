//! Security headers of every answer, such as the content security policy. With them the browser restricts which scripts
//! the page runs and which sites may show it in a frame.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::config::Settings;
use crate::web::state::WebState;

/// The policy of a page whose inline scripts have these hashes.
pub(in crate::web) fn content_policy(settings: &Settings, script_hashes: &[String]) -> String {
    let scripts: String = script_hashes.iter().map(|hash| format!(" '{hash}'")).collect();
    let ancestors =
        if settings.frame_ancestors.is_empty() { "'none'".to_owned() } else { settings.frame_ancestors.join(" ") };
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'; connect-src 'self'; \
         font-src 'self'; img-src 'self' data:; manifest-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'none'; \
         frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types default"
    )
}

/// Puts them on an answer, whatever it is: pages, files, errors and refusals alike.
pub(in crate::web) async fn protect(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    put(response.headers_mut(), state.app.settings());
    response
}

fn put(headers: &mut HeaderMap, settings: &Settings) {
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
