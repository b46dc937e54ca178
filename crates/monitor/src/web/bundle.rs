//! Handler of the dashboard's static files, with their precompressed variants. They come from a folder, or from the program
//! itself when it was built with the feature `embed`.
//!
//! Files with a hash in their name are cached for a year. If the client accepts HTML, a path without a file gets
//! `index.html` with the configured values filled in: base path, API base, and the link back to the site that hosts the
//! dashboard.

mod embedded;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::Context as _;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use coordination::evidence::{PAGE_FILE, PageParts};
use evidence_page::{PagePacking, inline_scripts, policy_hash};
use tower::ServiceExt as _;
use tower_http::services::ServeDir;
use tower_http::services::fs::{Backend, DefaultServeDirFallback};

use super::error::ApiError;
use super::security::content_policy;
use crate::config::Settings;

/// Shown while there is no bundle.
const NO_BUNDLE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>task-monitor</title>\
<h1>task-monitor is running</h1><p>The dashboard is not built. <code>make run</code> builds and serves it; \
<code>make bundle</code> builds it for <code>task-monitor serve --bundle dist</code>. \
Released programs have it inside.</p>\
<p>The API answers below <a href=\"api/v2/health\">api/v2/health</a> and <a href=\"api\">api</a>.</p>";

/// Serves one bundle folder.
#[derive(Clone)]
pub(super) struct Bundle(Arc<BundleInner>);

/// A file of the bundle in this folder, or of the one inside the program.
fn read(folder: Option<&Path>, name: &str) -> io::Result<Vec<u8>> {
    match folder {
        Some(folder) => std::fs::read(folder.join(name)),
        None => embedded::read(name),
    }
}

/// The page around an evidence file: a released bundle has it ready, and of another one it is made.
///
/// # Errors
/// When there is no bundle, or it is written in another way than expected.
pub(crate) fn page_around_evidence(folder: Option<&Path>) -> anyhow::Result<PageParts> {
    let name = PAGE_FILE;
    match read(folder, name) {
        Ok(bytes) => {
            let page = std::str::from_utf8(&bytes).ok().and_then(PageParts::of);
            page.with_context(|| format!("the dashboard's {name} is no page"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            evidence_page::page(&|name| read(folder, name), PagePacking::Gzip)
        }
        Err(error) => Err(error).with_context(|| format!("the dashboard's {name} cannot be read")),
    }
}

/// Mark of a response whose file is inside the program.
#[derive(Debug, Clone, Copy)]
pub(super) struct FromProgram;

struct BundleInner {
    settings: Settings,
    /// The page as last filled in; filled in again when the file changes.
    page: Mutex<Option<CachedPage>>,
}

#[derive(Clone)]
struct CachedPage {
    modified: Option<SystemTime>,
    html: Arc<str>,
    policy: HeaderValue,
}

impl Bundle {
    pub(super) fn new(settings: Settings) -> Self {
        Self(Arc::new(BundleInner { settings, page: Mutex::new(None) }))
    }

    /// Answers everything that is not the API.
    pub(super) async fn serve(&self, request: Request) -> Response {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return ApiError::of_status(StatusCode::METHOD_NOT_ALLOWED).into_response();
        }
        let wants_page = accepts_html(request.headers());
        let path = request.uri().path().to_owned();
        if self.0.settings.bundle.is_none() && embedded::page().is_none() {
            return if wants_page { no_bundle() } else { StatusCode::NOT_FOUND.into_response() };
        }
        if path == "/" || path == "/index.html" {
            return self.page();
        }
        if !may_be_a_name(&path) {
            return if wants_page { self.page() } else { StatusCode::NOT_FOUND.into_response() };
        }
        let mut response = self.file(request).await;
        match response.status() {
            StatusCode::NOT_FOUND if path[1..] == *PAGE_FILE => self.made_page_around_evidence().await,
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED if wants_page => self.page(),
            StatusCode::OK | StatusCode::PARTIAL_CONTENT | StatusCode::NOT_MODIFIED => {
                response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(caching(&path)));
                response
            }
            _ => response,
        }
    }

    async fn file(&self, request: Request) -> Response {
        match &self.0.settings.bundle {
            Some(folder) => answer_of(ServeDir::new(folder), request).await,
            None => {
                let mut response = answer_of(ServeDir::with_backend("", embedded::EmbeddedFiles), request).await;
                response.extensions_mut().insert(FromProgram);
                response
            }
        }
    }

    /// The file that a bundle which is not released lacks.
    async fn made_page_around_evidence(&self) -> Response {
        let folder = self.0.settings.bundle.clone();
        let made = tokio::task::spawn_blocking(move || page_around_evidence(folder.as_deref())).await;
        match made.ok().and_then(Result::ok) {
            Some(page) => {
                let headers =
                    [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
                (headers, page.without_text()).into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        }
    }

    fn page(&self) -> Response {
        let file = self.0.settings.bundle.as_ref().map(|folder| folder.join("index.html"));
        let modified = file.as_ref().and_then(|file| std::fs::metadata(file).ok()?.modified().ok());
        let mut cached = self.0.page.lock().unwrap_or_else(PoisonError::into_inner);
        // A file without a time may have changed.
        let known = cached.as_ref().filter(|page| page.modified == modified && (modified.is_some() || file.is_none()));
        let page = match known {
            Some(page) => page.clone(),
            None => match CachedPage::read(file.as_deref(), modified, &self.0.settings) {
                Some(page) => cached.insert(page).clone(),
                None => return no_bundle(),
            },
        };
        drop(cached);
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (header::CONTENT_SECURITY_POLICY, page.policy),
        ];
        (headers, page.html.to_string()).into_response()
    }
}

impl CachedPage {
    /// The page of a folder, or without one the embedded page.
    fn read(file: Option<&Path>, modified: Option<SystemTime>, settings: &Settings) -> Option<Self> {
        let html = match file {
            Some(file) => {
                let html = std::fs::read_to_string(file).ok()?;
                if let Some(other) = other_version(&html) {
                    let (file, own) = (file.display(), env!("CARGO_PKG_VERSION"));
                    tracing::warn!(
                        "dashboard: {file} is of version {other}, this monitor of {own}; it is served, and may show \
                         less than it should: make bundle builds the right one"
                    );
                }
                fill_in(&html, settings)
            }
            // `build.rs` embeds no other version.
            None => fill_in(embedded::page()?, settings),
        };
        let hashes: Vec<String> = inline_scripts(&html).map(policy_hash).collect();
        let policy = HeaderValue::from_str(&content_policy(settings, &hashes)).ok()?;
        Some(Self { modified, html: html.into(), policy })
    }
}

/// The file that a request names, in the best packed variant that the client accepts.
async fn answer_of<B: Backend>(files: ServeDir<DefaultServeDirFallback, B>, request: Request) -> Response {
    let files =
        files.append_index_html_on_directories(false).precompressed_br().precompressed_zstd().precompressed_gzip();
    match files.oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

/// A longer name cannot be a file's, with the ending of its compressed sibling; for such a name the system reports
/// another error than a missing file.
fn may_be_a_name(path: &str) -> bool {
    path.len() <= 2048 && path.split('/').all(|name| name.len() <= 250)
}

fn no_bundle() -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (headers, NO_BUNDLE).into_response()
}

pub(super) fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|text| text.contains("text/html"))
}

fn caching(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    // A hash in the name means that other content has another name.
    let hashed = name.split(['-', '_', '.']).any(|part| {
        part.len() >= 12
            && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            && part.bytes().any(|byte| byte.is_ascii_digit())
    });
    if hashed {
        "public, max-age=31536000, immutable"
    } else if path.starts_with("/fonts/") {
        "public, max-age=86400"
    } else {
        "no-cache"
    }
}

/// Puts the configured base, API base and way back into the page.
fn fill_in(html: &str, settings: &Settings) -> String {
    let link = settings.host_link.as_ref().map_or_else(String::new, |link| format!("{} {}", link.label, link.url));
    let html = replace_tag(html, "<base", "", &format!("<base href=\"{}\">", escape(&settings.base_path)));
    let html = replace_tag(&html, "<meta", "task-hub:api-base", &meta("task-hub:api-base", &settings.api_base));
    let html = replace_tag(&html, "<meta", "task-hub:host-link", &meta("task-hub:host-link", &link));
    let fleet = settings.fleet.as_ref().filter(|fleet| !fleet.ship).map_or("", |fleet| &fleet.name);
    replace_tag(&html, "<meta", "task-hub:fleet", &meta("task-hub:fleet", fleet))
}

fn meta(name: &str, content: &str) -> String {
    format!("<meta name=\"{name}\" content=\"{}\">", escape(content))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The version that a page names, when it is not that of this program.
fn other_version(html: &str) -> Option<&str> {
    let tag = html.split('<').find(|tag| tag.contains("task-hub:version"))?;
    let version = tag.split("content=").nth(1)?.split([' ', '/', '>']).next()?.trim_matches('"');
    (version != env!("CARGO_PKG_VERSION")).then_some(version)
}

/// Replaces the first tag that starts with `start` and holds `mark`.
fn replace_tag(html: &str, start: &str, mark: &str, tag: &str) -> String {
    let mut from = 0;
    while let Some(at) = html[from..].find(start).map(|at| from + at) {
        let Some(end) = html[at..].find('>').map(|end| at + end + 1) else { break };
        if html[at..end].contains(mark) {
            return format!("{}{tag}{}", &html[..at], &html[end..]);
        }
        from = end;
    }
    html.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::HostLink;
    use crate::home::HomeDir;

    #[test]
    fn page_gets_its_base_path_when_minified() {
        let mut settings = Settings::for_home(HomeDir::new("/nowhere"));
        settings.base_path = "/hub/".to_owned();
        settings.api_base = "/api/proxy".to_owned();
        settings.host_link = Some(HostLink { label: "A \"hub\"".to_owned(), url: "/".to_owned() });
        for html in [
            "<base href=\"/\" /><meta name=\"task-hub:api-base\" content=\"api\" /><meta name=\"task-hub:host-link\" content=\"\" />",
            "<base href=/><meta content=api name=task-hub:api-base><meta name=task-hub:host-link content>",
        ] {
            assert_eq!(
                fill_in(html, &settings),
                "<base href=\"/hub/\"><meta name=\"task-hub:api-base\" content=\"/api/proxy\">\
                 <meta name=\"task-hub:host-link\" content=\"A &quot;hub&quot; /\">"
            );
        }
    }

    #[test]
    fn page_of_other_version_is_recognised() {
        assert_eq!(other_version("<meta name=\"task-hub:version\" content=\"0.0.9\" /><p>"), Some("0.0.9"));
        assert_eq!(other_version("<meta content=0.0.9 name=task-hub:version><p>"), Some("0.0.9"));
        assert_eq!(other_version("<p>a page from before pages named theirs"), None);
        assert_eq!(other_version(include_str!("../../../../index.html")), None, "index.html names another version");
    }

    #[test]
    fn only_hashed_names_are_cached_immutably() {
        assert!(caching("/task-hub-3f2a9c0d1e4b5a67_bg.wasm").contains("immutable"));
        assert!(caching("/tokens-0123456789abcdef.css").contains("immutable"));
        assert_eq!(caching("/icons/mark.svg"), "no-cache");
        assert!(!caching("/pretendardvariable-dynamic-subset.css").contains("immutable"));
    }
}
