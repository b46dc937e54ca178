//! HTTP client of alerts. A request has time limits, follows no redirect, reads little of the answer, and fails when the
//! certificate is not valid. Proxies of the environment are used (`HTTPS_PROXY`, `NO_PROXY`).

use std::sync::Arc;
use std::time::Duration;

use ureq::http::Request;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::request::WebhookRequest;
use crate::config::WebhookTarget;

/// Limits of one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestLimits {
    /// Time to connect.
    pub(super) connect: Duration,
    /// Time for the whole request.
    pub(super) whole: Duration,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), whole: Duration::from_secs(15) }
    }
}

/// Most that is read of an answer, bytes.
const MAX_ANSWER_BYTES: u64 = 64 * 1024;
/// Most of an answer that a cause repeats, characters.
const MAX_CAUSE_CHARS: usize = 200;

/// Why a message was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SendFailure {
    /// One sentence, without secrets.
    pub(super) cause: String,
    /// Whether another attempt makes sense.
    pub(super) retry: RetryAdvice,
}

/// Whether and when a failed message is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RetryAdvice {
    /// After a while; longer, where the sink asks for it, in milliseconds.
    Later(Option<i64>),
    /// Another attempt would fail alike.
    Never,
    /// So would it: the sink says that nothing is at this address.
    Gone,
}

impl SendFailure {
    pub(super) fn later(cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), retry: RetryAdvice::Later(None) }
    }
}

/// Cheap to clone; connections are shared.
#[derive(Debug, Clone)]
pub(super) struct HttpClient(ureq::Agent);

impl HttpClient {
    /// A client that accepts the certificates of the system's authorities.
    pub(super) fn new(limits: RequestLimits) -> Self {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::warn!(%error, "certificates of the system cannot be read: https sinks of alerts may fail");
        }
        let roots = found.certs.iter().map(|cert| Certificate::from_der(cert).to_owned());
        Self::with_roots(roots.collect::<Vec<_>>().into(), limits)
    }

    pub(super) fn with_roots(roots: RootCerts, limits: RequestLimits) -> Self {
        let tls = TlsConfig::builder()
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .root_certs(roots)
            .build();
        let config = ureq::Agent::config_builder()
            .tls_config(tls)
            .timeout_connect(Some(limits.connect))
            .timeout_global(Some(limits.whole))
            // The address of a sink is a secret: no answer decides where it is sent.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_age(Duration::from_secs(30))
            .user_agent(concat!("task-monitor/", env!("CARGO_PKG_VERSION")))
            .build();
        Self(config.new_agent())
    }

    /// Sends a request. The answer of a sink that took it.
    pub(super) fn send(&self, request: &WebhookRequest) -> Result<Vec<u8>, SendFailure> {
        let mut built = Request::builder().method(request.method).uri(&request.url);
        for (name, value) in &request.headers {
            built = built.header(*name, value);
        }
        let built = built.body(request.body.as_slice());
        let built = built.map_err(|_| SendFailure {
            cause: "the request cannot be written as HTTP".to_owned(),
            retry: RetryAdvice::Never,
        })?;
        let mut answer = self.0.run(built).map_err(|error| SendFailure::later(cause(&error)))?;
        let status = answer.status();
        let retry_after =
            answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse::<i64>().ok());
        let body = answer.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec();
        if status.is_success() {
            // The status says that it was taken, whatever becomes of the rest.
            return Ok(body.unwrap_or_default());
        }
        let retry = match status.as_u16() {
            404 | 410 => RetryAdvice::Gone,
            408 | 425 | 429 | 500.. => RetryAdvice::Later(retry_after.map(|seconds| seconds.saturating_mul(1_000))),
            _ => RetryAdvice::Never,
        };
        let cause = match status.as_u16() {
            300..400 => format!("it answers {status}: redirects are not followed, so give the final address"),
            _ => with_beginning(format!("it answers {status}"), &request.url, &body.unwrap_or_default()),
        };
        Err(SendFailure { cause, retry })
    }
}

/// With the beginning of the answer, which may repeat the address: it is masked before anything is cut off.
fn with_beginning(cause: String, url: &str, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = WebhookTarget::new(url, None).map_or_else(|_| text.to_string(), |target| target.masked(&text));
    let words: Vec<&str> = text.split_whitespace().collect();
    let beginning: String = words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_CAUSE_CHARS).collect();
    if beginning.is_empty() { cause } else { format!("{cause}: {beginning}") }
}

fn cause(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(_) => "it does not answer in time".to_owned(),
        ureq::Error::HostNotFound => "its host name is not known".to_owned(),
        ureq::Error::ConnectionFailed => "no connection can be made".to_owned(),
        ureq::Error::Io(error) => format!("the connection failed: {error}"),
        ureq::Error::Rustls(error) => format!("its certificate or TLS is not acceptable: {error}"),
        error => error.to_string(),
    }
}
