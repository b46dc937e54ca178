//! Tests of real requests: shapes of the chats, and sinks that hang, redirect, answer errors or have a wrong certificate.
//!
//! Proves (security): A sink that hangs, redirects to another host, answers errors or endlessly, or shows a certificate that
//! no known authority signed gets no second request by itself, and its failure names no secret. What agents wrote formats
//! nothing and notifies nobody by name.

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use coordination::alerts::{MessageForm, OutboxMessage};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use ureq::tls::{Certificate, RootCerts};

use super::receiver::{Received, TestReceiver, response};
use super::*;
use crate::config::MailCommand;
use crate::core::alerts::http::{HttpClient, RequestLimits};
use crate::core::alerts::push::PushTarget;
use crate::core::alerts::push::tests::subscription;
use crate::core::alerts::worker::{AboutMessage, deliver};

const LIMITS: RequestLimits =
    RequestLimits { connect: Duration::from_millis(500), whole: Duration::from_millis(1_000) };

fn client() -> HttpClient {
    HttpClient::with_roots(RootCerts::new_with_certs(&[]), LIMITS)
}

fn job(form: MessageForm, about: Option<AboutMessage>) -> SendJob {
    let mut message = OutboxMessage::new(7, "chat", form, START);
    let hostile = AlertLine {
        title: "<!channel> @here **bold** [x](https://evil.example) `code`".to_owned(),
        ..super::super::text::tests::line()
    };
    message.rule = "all".to_owned();
    message.lines = vec![hostile];
    message.keys = vec!["k".to_owned()];
    SendJob { message, idempotency_key: "box-7".to_owned(), about, push: None, now: START }
}

pub(super) fn send(sink: &AlertSink, job: &SendJob) -> Result<Option<String>, SendFailure> {
    deliver(&client(), sink, AlertLanguage::Ko, Some("https://hub.example.org/x/"), job)
}

fn over(remote: Option<&str>) -> SendJob {
    let about = AboutMessage { idempotency_key: "box-5".to_owned(), remote: remote.map(str::to_owned), count: 1 };
    job(MessageForm::Over, Some(about))
}

fn received(kind: AlertSinkKind, job: &SendJob, path: &str) -> (Received, Option<String>) {
    let server = TestReceiver::accepting();
    let sent = send(&sink("chat", kind, &server.url(path)), job).expect("taken");
    (server.next(), sent)
}

#[test]
fn json_webhook_gets_fields_by_its_text_level() {
    let (request, _) = received(AlertSinkKind::Json, &job(MessageForm::Line, None), "/hook?k=v");
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/hook?k=v"));
    assert_eq!(request.header("idempotency-key"), Some("box-7"));
    let body = request.json();
    assert_eq!(
        (body["form"].as_str(), body["status"].as_str(), body["id"].as_str()),
        (Some("line"), Some("open"), Some("box-7"))
    );
    assert_eq!(body["url"], "https://hub.example.org/x/tasks/seum/task_1");
    assert_eq!(body["lines"][0]["agent"], "세움");
    assert!(body["lines"][0].get("detail").is_none(), "title is the default: {body}");
    let server = TestReceiver::accepting();
    let silent = AlertSink { text: SinkText::None, ..sink("chat", AlertSinkKind::Json, &server.url("/")) };
    send(&silent, &job(MessageForm::Line, None)).expect("taken");
    let body = server.next().body;
    assert!(!body.contains("세움") && !body.contains("task_1") && body.contains("승인 대기"), "{body}");
    let (request, _) = received(AlertSinkKind::Json, &over(None), "/");
    assert_eq!((request.json()["status"].as_str(), request.json()["about"].as_str()), (Some("over"), Some("box-5")));
}

#[test]
fn chats_show_agent_text_as_it_is() {
    let (request, _) = received(AlertSinkKind::Slack, &job(MessageForm::Line, None), "/services/T/B/x");
    let text = request.json()["text"].as_str().expect("text").to_owned();
    assert!(text.contains("&lt;!channel&gt;") && !text.contains("<!channel>") && !text.contains("**"), "{text}");
    assert!(text.contains("<https://hub.example.org/x/tasks/seum/task_1|열기>"), "{text}");
    let (request, _) = received(AlertSinkKind::Mattermost, &job(MessageForm::Line, None), "/hooks/x");
    let text = request.json()["text"].as_str().expect("text").to_owned();
    assert!(!text.contains("@here") && text.contains("\\[x\\]\\(https\\:"), "{text}");
}

#[test]
fn discord_message_is_edited_when_it_is_over() {
    let (request, remote) = received(AlertSinkKind::Discord, &job(MessageForm::Line, None), "/api/webhooks/1/token");
    assert_eq!((request.path.as_str(), remote.as_deref()), ("/api/webhooks/1/token?wait=true", Some("1234")));
    assert_eq!(request.json()["allowed_mentions"]["parse"], serde_json::json!([]));
    let (request, _) = received(AlertSinkKind::Discord, &over(Some("1234")), "/api/webhooks/1/token?thread_id=9");
    let path = "/api/webhooks/1/token/messages/1234?thread_id=9";
    assert_eq!((request.method.as_str(), request.path.as_str()), ("PATCH", path));
    assert!(request.json()["content"].as_str().expect("text").contains("해결됨"));
}

#[test]
fn ntfy_message_replaces_the_one_it_is_about() {
    let (request, _) = received(AlertSinkKind::Ntfy, &job(MessageForm::Line, None), "/ops");
    assert_eq!((request.header("x-sequence-id"), request.header("priority")), (Some("box-7"), Some("4")));
    assert_eq!(request.header("click"), Some("https://hub.example.org/x/tasks/seum/task_1"));
    assert!(request.header("title").is_some_and(|title| title.starts_with("=?UTF-8?B?")));
    assert!(request.body.contains("@here **bold**"), "it shows plain text: {}", request.body);
    let (request, _) = received(AlertSinkKind::Ntfy, &over(None), "/ops");
    assert_eq!((request.header("x-sequence-id"), request.header("idempotency-key")), (Some("box-5"), Some("box-7")));
}

#[test]
fn failures_of_sinks_have_an_advice() {
    let fails = |answer: Option<String>| {
        let server = TestReceiver::start(move |_| answer.clone());
        let began = Instant::now();
        let failure = send(&sink("chat", AlertSinkKind::Json, &server.url("/s3cret")), &job(MessageForm::Line, None));
        assert!(began.elapsed() < Duration::from_secs(5));
        server.next();
        assert!(server.try_next().is_none(), "no second request");
        let failure = failure.expect_err("refused");
        assert!(!failure.cause.contains("s3cret"), "{}", failure.cause);
        failure
    };
    let elsewhere = TestReceiver::accepting();
    let redirect = fails(Some(response(302, &format!("location: {}\r\n", elsewhere.url("/")), "")));
    assert!(redirect.retry == RetryAdvice::Never && redirect.cause.contains("redirect"), "{}", redirect.cause);
    assert!(elsewhere.try_next().is_none(), "not followed");
    assert_eq!(fails(None).retry, RetryAdvice::Later(None));
    assert_eq!(fails(Some(response(500, "", "no /s3cret here"))).retry, RetryAdvice::Later(None));
    assert_eq!(fails(Some(response(429, "retry-after: 7\r\n", ""))).retry, RetryAdvice::Later(Some(7_000)));
    assert_eq!(fails(Some(response(404, "", "unknown webhook"))).retry, RetryAdvice::Gone);
    assert_eq!(fails(Some(response(403, "", ""))).retry, RetryAdvice::Never);
    assert_eq!(fails(Some("no HTTP at all".to_owned())).retry, RetryAdvice::Later(None));
    let closed = send(&sink("chat", AlertSinkKind::Json, "http://127.0.0.1:1/s3cret"), &job(MessageForm::Line, None));
    assert!(closed.expect_err("nobody listens").cause.len() > 5);
}

#[test]
fn endless_answer_of_a_sink_is_cut() {
    let server = TestReceiver::start(|_| Some(response(500, "", &"x".repeat(5_000_000))));
    let failure = send(&sink("chat", AlertSinkKind::Json, &server.url("/")), &job(MessageForm::Line, None));
    assert!(failure.expect_err("refused").cause.len() < 300);
}

/// A TLS server with the certificate of `tls/`, for the name `localhost`.
fn tls_server() -> String {
    let chain = CertificateDer::from_pem_slice(include_bytes!("tls/localhost.pem")).expect("certificate");
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/localhost.key")).expect("key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![chain], key)
        .expect("a certificate with its key");
    let config = Arc::new(config);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for tcp in listener.incoming().flatten() {
            let session = rustls::ServerConnection::new(Arc::clone(&config)).expect("a session");
            let mut stream = rustls::StreamOwned::new(session, tcp);
            let mut bytes = [0; 4_096];
            if stream.read(&mut bytes).is_ok() {
                stream.write_all(response(200, "", "").as_bytes()).unwrap_or_default();
                stream.flush().unwrap_or_default();
            }
        }
    });
    port.to_string()
}

#[test]
fn certificate_must_be_of_a_known_authority_and_name() {
    let port = tls_server();
    let roots = RootCerts::new_with_certs(&[Certificate::from_pem(include_bytes!("tls/localhost.pem")).expect("one")]);
    let trusting = HttpClient::with_roots(roots, LIMITS);
    let at = |host: &str| sink("chat", AlertSinkKind::Json, &format!("https://{host}:{port}/s3cret"));
    let send = |client: &HttpClient, host: &str| {
        deliver(client, &at(host), AlertLanguage::En, None, &job(MessageForm::Line, None))
    };
    assert_eq!(send(&trusting, "localhost"), Ok(None));
    let other_name = send(&trusting, "127.0.0.1").expect_err("another name");
    let unknown = send(&client(), "localhost").expect_err("an unknown authority");
    for failure in [other_name, unknown] {
        assert!(failure.cause.contains("certificate") && !failure.cause.contains("s3cret"), "{}", failure.cause);
        assert_eq!(failure.retry, RetryAdvice::Later(None));
    }
}

#[test]
fn mail_command_gets_a_message_with_encoded_headers() {
    let dir = tempfile::tempdir().expect("dir");
    let (script, out) = (dir.path().join("mta"), dir.path().join("out"));
    let mail = |body: &str| {
        std::fs::write(&script, body).expect("script");
        let command = vec!["/bin/sh".to_owned(), script.display().to_string(), out.display().to_string()];
        let command =
            MailCommand { command, from: "hub@example.org".to_owned(), to: vec!["ops@example.org".to_owned()] };
        AlertSink { webhook: None, mail: Some(command), ..sink("mail", AlertSinkKind::Email, "http://unused.example/") }
    };
    assert_eq!(send(&mail("cat > \"$1\""), &over(None)), Ok(None));
    let text = std::fs::read_to_string(&out).expect("a message");
    let (head, body) = text.split_once("\n\n").expect("headers");
    for header in [
        "From: Task-Hub <hub@example.org>",
        "To: ops@example.org",
        "Message-ID: <box-7@example.org>",
        "In-Reply-To: <box-5@example.org>",
        "Date: Sat, 21 Feb 2026 05:17:00 +0000",
        "Auto-Submitted: auto-generated",
    ] {
        assert!(head.lines().any(|line| line == header), "{header} in {head}");
    }
    assert!(head.contains("Subject: =?UTF-8?B?") && head.is_ascii(), "{head}");
    use base64::Engine as _;
    let body = base64::engine::general_purpose::STANDARD.decode(body.replace('\n', "")).expect("base64");
    assert!(String::from_utf8_lossy(&body).contains("https://hub.example.org/x/tasks/seum/task_1"));
    let refused = send(&mail("echo 'no such host' >&2; exit 75"), &over(None)).expect_err("refused");
    assert!(refused.cause.contains("no such host"), "{}", refused.cause);
    let missing = AlertSink {
        mail: Some(MailCommand { command: vec!["/nowhere/sendmail".to_owned()], ..mail("").mail.expect("mail") }),
        ..mail("")
    };
    assert!(send(&missing, &over(None)).is_err());
}

#[test]
fn push_message_reaches_its_service_without_readable_text() {
    let server = TestReceiver::accepting();
    let sink = push_sink(&server.url(""));
    let target = PushTarget {
        subscription: subscription(&server.url("/wpush/s3cret")),
        pkcs8: crate::core::alerts::push::new_key().expect("a key"),
        tag: "k".to_owned(),
    };
    let to_browser = |job: SendJob| SendJob { push: Some(target.clone()), ..job };
    send(&sink, &to_browser(job(MessageForm::Line, None))).expect("taken");
    let request = server.next();
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/wpush/s3cret"));
    for (name, value) in [("content-encoding", "aes128gcm"), ("urgency", "high"), ("ttl", "86400")] {
        assert_eq!(request.header(name), Some(value), "{name}");
    }
    let topic = request.header("topic").expect("a topic").to_owned();
    assert!(topic.len() == 32 && request.header("authorization").is_some_and(|it| it.starts_with("vapid t=")));
    assert!(!request.body.contains("title") && !request.body.contains("task_1"));
    send(&sink, &to_browser(over(None))).expect("taken");
    let over = server.next();
    assert_eq!((over.header("topic"), over.header("urgency")), (Some(topic.as_str()), Some("normal")));
    let gone = TestReceiver::start(|_| Some(response(410, "", "no /wpush/s3cret")));
    let target = PushTarget { subscription: subscription(&gone.url("/wpush/s3cret")), ..target };
    let failure = send(&sink, &SendJob { push: Some(target), ..job(MessageForm::Line, None) }).expect_err("gone");
    assert!(failure.retry == RetryAdvice::Gone && !failure.cause.contains("s3cret"), "{}", failure.cause);
}
