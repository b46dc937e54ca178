//! Tests of the static files of the dashboard.
//!
//! Proves (api): The monitor serves the built page with precompressed files and cache headers.

use std::fs;
use std::path::Path;

use axum::body::Body;

use super::{TestResponse, WebFixture, ask};

const PAGE: &str = "<!doctype html><base href=\"/\" /><meta name=\"task-hub:api-base\" content=\"api\" />\
<script type=\"module\">start()</script>";

fn write(dir: &Path) {
    fs::write(dir.join("index.html"), PAGE).expect("page");
    fs::write(dir.join("app-0123456789abcdef.js"), "plain".repeat(400)).expect("script");
    fs::write(dir.join("app-0123456789abcdef.js.br"), "squeezed").expect("br");
    fs::write(dir.join("app-0123456789abcdef_bg.wasm"), "\0asm").expect("wasm");
}

async fn page(fixture: &WebFixture, path: &str) -> TestResponse {
    fixture.call(ask("GET", path).header("accept", "text/html,*/*").body(Body::empty()).expect("request")).await
}

#[tokio::test]
async fn page_routes_serve_page_and_missing_files_404() {
    let bundle = tempfile::tempdir().expect("dir");
    write(bundle.path());
    let fixture = WebFixture::with(|settings| settings.bundle = Some(bundle.path().to_path_buf())).await;
    for path in ["/", "/s/ws_1/t/conv:c1?at=x", "/c/infra_ops"] {
        let answer = page(&fixture, path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.text().contains("<script type=\"module\">start()"), "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache");
        assert!(answer.header("content-security-policy").contains("'sha256-"), "{path}");
    }
    assert_eq!(fixture.get("/app-ffffffffffffffff.js").await.status, 404);
    assert_eq!(fixture.get("/../Cargo.toml").await.status, 404);
}

#[tokio::test]
async fn assets_are_precompressed_typed_and_immutable() {
    let bundle = tempfile::tempdir().expect("dir");
    write(bundle.path());
    let fixture = WebFixture::with(|settings| settings.bundle = Some(bundle.path().to_path_buf())).await;
    let request = ask("GET", "/app-0123456789abcdef.js").header("accept-encoding", "gzip, br, zstd");
    let answer = fixture.call(request.body(Body::empty()).expect("request")).await;
    assert_eq!((answer.header("content-encoding"), answer.text().as_str()), ("br", "squeezed"));
    assert!(answer.header("content-type").contains("javascript"));
    assert!(answer.header("cache-control").contains("immutable"));
    let wasm = fixture.get("/app-0123456789abcdef_bg.wasm").await;
    assert_eq!(wasm.header("content-type"), "application/wasm");
}

#[tokio::test]
async fn sub_path_serves_page_files_and_api() {
    let bundle = tempfile::tempdir().expect("dir");
    write(bundle.path());
    let fixture = WebFixture::with(|settings| {
        settings.bundle = Some(bundle.path().to_path_buf());
        settings.base_path = "/hub/".to_owned();
    })
    .await;
    for path in ["/hub", "/hub/", "/hub/s/ws_1", "/"] {
        assert!(page(&fixture, path).await.text().contains("<base href=\"/hub/\">"), "{path}");
    }
    assert_eq!(fixture.get("/hub/app-0123456789abcdef.js").await.status, 200);
    assert_eq!(fixture.get("/hub/api/v2/home").await.status, 200);
    assert_eq!(fixture.get("/api/v2/home").await.status, 200, "a proxy that strips the sub-path");
}

#[tokio::test]
async fn a_rebuilt_page_is_served_without_a_restart() {
    let bundle = tempfile::tempdir().expect("dir");
    write(bundle.path());
    let fixture = WebFixture::with(|settings| settings.bundle = Some(bundle.path().to_path_buf())).await;
    assert!(page(&fixture, "/").await.text().contains("start()"));
    fs::write(bundle.path().join("index.html"), PAGE.replace("start()", "again()")).expect("rebuild");
    let file = fs::File::open(bundle.path().join("index.html")).expect("open");
    file.set_modified(std::time::UNIX_EPOCH).expect("another time than before");
    assert!(page(&fixture, "/").await.text().contains("again()"));
}

#[tokio::test]
async fn missing_bundle_shows_build_instructions() {
    let answer = page(&WebFixture::new().await, "/").await;
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains("make bundle"));
}
