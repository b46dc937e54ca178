//! Tests of allowed hosts and origins, of the security headers of every answer, and of compression.
//!
//! Proves (security): Only allowed hosts and origins get an answer, and every answer has the security headers.

use axum::body::Body;
use axum::http::Request;

use super::{WebFixture, ask};

const OURS: &str = "http://127.0.0.1:3847";

#[tokio::test]
async fn foreign_host_is_refused_first() {
    let fixture = WebFixture::new().await;
    for host in ["evil.example", "evil.example:3847", "127.0.0.1.evil.example"] {
        let request = Request::builder().uri("/api/v2/home").header("host", host).body(Body::empty()).expect("request");
        let answer = fixture.call(request).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (421, Some("misdirected_host")), "{host}");
    }
    assert_eq!(fixture.get("/api/v2/home").await.status, 200);
}

#[tokio::test]
async fn foreign_origins_cannot_write_or_stream() {
    let fixture = WebFixture::new().await;
    for origin in ["null", "https://evil.example", "http://127.0.0.1:9999"] {
        for (method, path) in [
            ("PATCH", "/api/v2/sessions/x/category"),
            ("DELETE", "/api/v2/sessions/x/category"),
            ("GET", "/api/v2/live"),
            ("GET", "/api/v2/live/events"),
        ] {
            let answer =
                fixture.call(ask(method, path).header("origin", origin).body(Body::empty()).expect("request")).await;
            assert_eq!(answer.status, 403, "{origin} {method} {path}");
            assert_eq!(answer.json()["code"], "forbidden_origin");
        }
    }
}

#[tokio::test]
async fn every_answer_has_security_headers() {
    let fixture = WebFixture::new().await;
    for path in ["/api/v2/home", "/api/v2/nope", "/api/v2/sessions?limit=x", "/", "/s/ws_1", "/no/such.js"] {
        for (status, origin) in [(403, "https://evil.example"), (0, OURS)] {
            let request = ask("GET", path).header("accept", "text/html").header("origin", origin);
            let answer = fixture.call(request.body(Body::empty()).expect("request")).await;
            assert_eq!(answer.status == 403, status == 403, "{path} {origin}");
            let policy = answer.header("content-security-policy");
            assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
            assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{path}: {policy}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
            assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
            for header in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
                assert_eq!(answer.header(header), "same-origin", "{path}");
            }
            assert!(answer.header("permissions-policy").contains("camera=()"), "{path}");
            assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
            if path.starts_with("/api") || status == 403 {
                assert_eq!(answer.header("cache-control"), "no-store", "{path}");
            }
        }
    }
}

#[tokio::test]
async fn a_configured_origin_is_shared_with() {
    let fixture = WebFixture::with(|settings| settings.cors_origins = vec!["https://hub.example".to_owned()]).await;
    let request = ask("OPTIONS", "/api/v2/home").header("origin", "https://hub.example");
    let answer = fixture.call(request.body(Body::empty()).expect("request")).await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), "https://hub.example");
}

#[tokio::test]
async fn large_answers_are_compressed_on_request() {
    let fixture = WebFixture::new().await;
    for (accepted, chosen) in [("gzip, deflate, br, zstd", "zstd"), ("gzip, deflate, br", "gzip")] {
        let request = ask("GET", "/api/v2/home").header("accept-encoding", accepted);
        let answer = fixture.call(request.body(Body::empty()).expect("request")).await;
        assert_eq!(answer.header("content-encoding"), chosen);
    }
}
