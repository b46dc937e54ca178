//! Address and token of OpenClaw's gateway, with their validation. The token stays in memory as plain text, because
//! requests to the gateway carry it. It is sent nowhere else.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, Uri};
use serde::Deserialize;

use super::ConfigError;
use super::values::{base_path, secret_text};

/// `[gateway]` of the configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct GatewaySection {
    url: Option<String>,
    /// File of the token, below the folder of the settings.
    pub(super) token_file: Option<PathBuf>,
}

/// Time for the gateway itself, in addition to the time for the agent's reply.
const RESPONSE_MARGIN: Duration = Duration::from_secs(15);
/// Path of the tool endpoint below the gateway's own.
const TOOL_ENDPOINT: &str = "tools/invoke";
/// Longest token, bytes.
const MAX_TOKEN_BYTES: usize = 4 * 1024;

/// A gateway on this machine.
#[derive(Clone)]
pub struct Gateway {
    /// Host name or address, without brackets.
    host: String,
    port: u16,
    /// Path of the tool endpoint.
    path: String,
    /// Sent in the `Authorization` header or the first frame of a WebSocket; never printed.
    token: Arc<str>,
    /// Time for the gateway itself, in addition to the time for the agent's reply.
    margin: Duration,
}

impl Gateway {
    /// The gateway at an address such as `http://127.0.0.1:18789`.
    ///
    /// # Errors
    /// One clear sentence, without address or token: either may hold a secret.
    pub fn new(url: &str, token: &str) -> Result<Self, ConfigError> {
        let wrong = |what: &str| ConfigError::Value { what: format!("the gateway's url {what}") };
        let uri: Uri = url.trim().parse().map_err(|_| wrong("cannot be read"))?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err(wrong(
                    "must begin with http://. For https, run a proxy or tunnel on this machine and give its address",
                ));
            }
            _ => return Err(wrong("must begin with http://")),
        }
        let authority = uri.authority().map(axum::http::uri::Authority::as_str).unwrap_or_default();
        if authority.contains('@') || uri.query().is_some() {
            return Err(wrong("must not contain a user name, a password or a query"));
        }
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        let here = host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
        if !here && !host.eq_ignore_ascii_case("localhost") {
            return Err(wrong(
                "must be on this machine (for example http://127.0.0.1:18789), because the token would cross the \
                 network unencrypted. For a gateway elsewhere, give the address of a proxy or tunnel on this machine",
            ));
        }
        let path = base_path(uri.path()).map_err(|_| wrong("must have a plain path, or none"))?;
        let token = token.trim();
        if token.is_empty() || token.len() > MAX_TOKEN_BYTES || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let what = "the gateway's token must be one word of ASCII letters, digits and marks".to_owned();
            return Err(ConfigError::Value { what });
        }
        let path = format!("{path}{TOOL_ENDPOINT}");
        Ok(Self { host, port: uri.port_u16().unwrap_or(80), path, token: token.into(), margin: RESPONSE_MARGIN })
    }

    /// Host and port to connect to.
    pub(crate) fn place(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    /// `Host` of a request.
    pub(crate) fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Path of a request.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Its address for a browser on this machine, with a `/` at its end.
    pub(crate) fn page(&self) -> String {
        format!("http://{}{}", self.authority(), self.path.strip_suffix(TOOL_ENDPOINT).unwrap_or("/"))
    }

    /// Its address for a WebSocket.
    pub(crate) fn socket_url(&self) -> String {
        format!("ws://{}{}", self.authority(), self.path.strip_suffix(TOOL_ENDPOINT).unwrap_or("/"))
    }

    /// The token, for the first frame of a WebSocket.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// `Authorization` of a request.
    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.token)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// How much longer than for the agent is waited for the gateway.
    pub(crate) fn margin(&self) -> Duration {
        self.margin
    }

    /// A text without the token, which a response may echo.
    pub(crate) fn without_token(&self, text: String) -> String {
        if text.contains(&*self.token) { text.replace(&*self.token, "…") } else { text }
    }

    #[cfg(test)]
    pub(crate) fn with_margin(self, margin: Duration) -> Self {
        Self { margin, ..self }
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gateway({}{})", self.authority(), self.path)
    }
}

impl GatewaySection {
    /// The gateway, if one is named. A token in the environment wins over its file. Half of a gateway is reported as a
    /// mistake.
    pub(super) fn join(
        &self,
        env: &dyn Fn(&str) -> Option<String>,
        cautions: &mut Vec<String>,
    ) -> Result<Option<Gateway>, ConfigError> {
        let url = self.url.clone().filter(|url| !url.trim().is_empty());
        let token = match (env("TASK_MONITOR_GATEWAY_TOKEN"), &self.token_file) {
            (Some(token), _) => Some(token),
            (None, Some(path)) => Some(secret_text(path, "gateway.token_file", cautions)?),
            (None, None) => None,
        };
        match (url, token) {
            (None, None) => Ok(None),
            (Some(url), Some(token)) => Gateway::new(&url, &token).map(Some),
            (Some(_), None) => Err(ConfigError::Value {
                what: "the gateway has no token: set TASK_MONITOR_GATEWAY_TOKEN, or token_file below [gateway]"
                    .to_owned(),
            }),
            (None, Some(_)) => {
                let what = "a gateway token is set and no gateway: messages stay off until TASK_MONITOR_GATEWAY_URL, \
                            or url below [gateway], names it";
                cautions.push(what.to_owned());
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const TOKEN: &str = "gw-0123456789abcdef";

    #[test]
    fn gateway_address_must_be_local_plain_http() {
        for (url, place, path) in [
            ("http://127.0.0.1:18789", "127.0.0.1:18789", "/tools/invoke"),
            (" http://localhost:18789/ ", "localhost:18789", "/tools/invoke"),
            ("http://[::1]:18789/claw", "[::1]:18789", "/claw/tools/invoke"),
            ("http://127.0.0.1", "127.0.0.1:80", "/tools/invoke"),
        ] {
            let gateway = Gateway::new(url, TOKEN).expect(url);
            assert_eq!((gateway.authority().as_str(), gateway.path()), (place, path), "{url}");
            let socket = gateway.socket_url();
            assert_eq!(socket.strip_prefix("ws"), gateway.page().strip_prefix("http"), "{url}");
            assert_eq!(gateway.page(), format!("http://{place}{}", path.trim_end_matches("tools/invoke")));
        }
        for bad in [
            "",
            "127.0.0.1:18789",
            "ws://127.0.0.1:18789",
            "https://127.0.0.1:18789",
            "http://192.168.0.7:18789",
            "http://gateway.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://s3cret@127.0.0.1:18789",
            "http://127.0.0.1:18789/?token=s3cret",
            "http://127.0.0.1/../s3cret",
            "http://0.0.0.0:18789",
        ] {
            let error = Gateway::new(bad, TOKEN).expect_err(bad).to_string();
            assert!(!error.contains("s3cret") && error.contains("url"), "{bad}: {error}");
        }
        let https = Gateway::new("https://127.0.0.1", TOKEN).expect_err("https").to_string();
        assert!(https.contains("proxy or tunnel"), "{https}");
    }

    #[test]
    fn gateway_token_sources_and_debug_output() {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("gateway-token");
        std::fs::write(&path, format!("{TOKEN}\n")).expect("write");
        let written = |url: Option<&str>, file: bool| GatewaySection {
            url: url.map(str::to_owned),
            token_file: file.then(|| path.clone()),
        };
        let url = Some("http://127.0.0.1:1");
        let env = |name: &str| (name == "TASK_MONITOR_GATEWAY_TOKEN").then(|| TOKEN.to_owned());
        let mut cautions = Vec::new();
        let mut join = |written: GatewaySection, env: &dyn Fn(&str) -> Option<String>| written.join(env, &mut cautions);
        let of_env = join(written(url, false), &env).expect("settings").expect("on");
        let set = |mode: u32| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("mode");
        };
        set(0o600);
        let of_file = join(written(url, true), &|_| None).expect("settings").expect("on");
        for gateway in [of_env, of_file] {
            assert_eq!(gateway.authorization().expect("header"), format!("Bearer {TOKEN}"));
            let shown = format!("{gateway:?} {:?}", gateway.authorization());
            assert!(!shown.contains(TOKEN), "{shown}");
            assert_eq!(gateway.without_token(format!("no {TOKEN} here")), "no … here");
        }
        assert!(join(written(None, false), &|_| None).expect("settings").is_none(), "off unless configured");
        assert!(join(written(url, false), &|_| None).is_err(), "a gateway without a token");
        assert!(join(written(None, true), &|_| None).expect("settings").is_none());
        set(0o640);
        assert!(join(written(url, true), &|_| None).expect("settings").is_some());
        assert_eq!(cautions.len(), 2, "{cautions:?}");
        assert!(cautions[0].contains("no gateway") && cautions[1].contains("gateway-token"), "{cautions:?}");
        for bad in ["a b", "zwei\nzeilen", "ключ"] {
            let error = Gateway::new("http://127.0.0.1:1", bad).expect_err("bad").to_string();
            assert!(!error.contains(bad), "{error}");
        }
    }
}
