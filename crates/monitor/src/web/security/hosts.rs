//! Check of the `Host` header against allowed host names. It stops DNS rebinding: a foreign page whose name resolves to
//! this machine still sends its own name.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{HeaderName, StatusCode, header};
use coordination::api::ErrorCode;

use crate::config::Settings;
use crate::web::error::ApiError;

const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Host and port that the request is meant for, in small letters. With `by_proxy` the name that the proxy was called
/// by counts, and both must be ours.
pub(super) fn authority(settings: &Settings, request: &Request, by_proxy: bool) -> Result<String, ApiError> {
    let host = only(request, &header::HOST)?.ok_or_else(unreadable)?;
    if !host_allowed(settings, &host) {
        return Err(foreign());
    }
    // A target may name its host itself (`GET http://host/path`): that must be the one of the header.
    let elsewhere = |authority: &axum::http::uri::Authority| !authority.as_str().eq_ignore_ascii_case(&host);
    if request.uri().authority().is_some_and(elsewhere) {
        return Err(foreign());
    }
    // Forwarded names of untrusted peers are not read.
    let named = if by_proxy { only(request, &FORWARDED_HOST)? } else { None };
    match named {
        Some(named) if host_allowed(settings, &named) => Ok(named),
        Some(_) => Err(foreign()),
        None => Ok(host),
    }
}

/// Whether a host means this machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let bare = without_port(host).trim_start_matches('[').trim_end_matches(']');
    bare == "localhost"
        || bare.ends_with(".localhost")
        || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The one value of a header that names a host.
fn only(request: &Request, name: &HeaderName) -> Result<Option<String>, ApiError> {
    let mut values = request.headers().get_all(name).into_iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            let text = value.to_str().map_err(|_| unreadable())?.trim();
            if well_formed(text) { Ok(Some(text.to_ascii_lowercase())) } else { Err(unreadable()) }
        }
        (Some(_), Some(_)) => Err(unreadable()),
    }
}

/// `name`, `name:port`, `[address]` or `[address]:port`.
fn well_formed(host: &str) -> bool {
    let name = without_port(host);
    let port = &host[name.len()..];
    let port_fits = port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok());
    let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let name_fits = match inner {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)),
    };
    port_fits && name_fits
}

pub(super) fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
}

fn host_allowed(settings: &Settings, host: &str) -> bool {
    let name = without_port(host);
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let bound = settings.host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let listed = || settings.allowed_hosts.iter().any(|allowed| *allowed == name || *allowed == host);
    if is_loopback(host) || bare == bound || listed() {
        return true;
    }
    // An address cannot be rebound to another machine as a name can.
    bare.parse::<IpAddr>().is_ok() && bound.parse().is_ok_and(|bound: IpAddr| bound.is_unspecified())
}

fn foreign() -> ApiError {
    let error = "This host name is not answered here; add it to allowed_hosts";
    ApiError::new(StatusCode::MISDIRECTED_REQUEST, ErrorCode::MisdirectedHost, error)
}

fn unreadable() -> ApiError {
    let error = "A request must name its host, once and readably";
    ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::MisdirectedHost, error)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;
    use crate::home::HomeDir;

    fn checked_host(
        settings: &Settings,
        target: &str,
        headers: &[(&str, &str)],
        by_proxy: bool,
    ) -> Result<String, u16> {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).expect("request");
        authority(settings, &request, by_proxy).map_err(|error| error.status.as_u16())
    }

    #[test]
    fn only_loopback_bound_and_configured_hosts_pass() {
        let mut settings = Settings::for_home(HomeDir::new("/nowhere"));
        let host = |settings: &Settings, host: &str| checked_host(settings, "/", &[("host", host)], false);
        for good in ["localhost", "127.0.0.1:3847", "[::1]:3847", "LOCALHOST:1", "hub.localhost"] {
            assert_eq!(host(&settings, good), Ok(good.to_ascii_lowercase()));
        }
        for bad in
            ["evil.example", "127.0.0.1.evil.example", "192.168.0.7:3847", "localhost.evil.example", "localhost."]
        {
            assert_eq!(host(&settings, bad), Err(421), "{bad}");
        }
        let broken =
            ["", " ", "127.0.0.1:x", "127.0.0.1:99999", "localhost:", "a@localhost", "[::1", "::1", "local host"];
        for broken in broken.into_iter().chain(["localhost,localhost"]) {
            assert_eq!(host(&settings, broken), Err(400), "{broken}");
        }
        settings.allowed_hosts = vec!["hub.example".to_owned()];
        assert!(host(&settings, "hub.example:8080").is_ok());
        settings.host = "0.0.0.0".to_owned();
        assert!(host(&settings, "192.168.0.7:3847").is_ok(), "an address cannot be rebound");
        assert_eq!(host(&settings, "evil.example"), Err(421));
    }

    #[test]
    fn single_host_must_match_the_target() {
        let settings = Settings::for_home(HomeDir::new("/nowhere"));
        assert_eq!(checked_host(&settings, "/", &[], false), Err(400));
        assert_eq!(checked_host(&settings, "/", &[("host", "localhost"), ("host", "localhost")], false), Err(400));
        assert_eq!(checked_host(&settings, "http://evil.example/", &[("host", "localhost")], false), Err(421));
        assert_eq!(checked_host(&settings, "http://localhost:1/", &[("host", "localhost")], false), Err(421));
        assert!(checked_host(&settings, "http://LOCALHOST/", &[("host", "localhost")], false).is_ok());
    }

    #[test]
    fn forwarded_host_is_checked_too() {
        let mut settings = Settings::for_home(HomeDir::new("/nowhere"));
        settings.allowed_hosts = vec!["hub.example".to_owned()];
        let by = |named: &str, by_proxy| {
            checked_host(&settings, "/", &[("host", "127.0.0.1"), ("x-forwarded-host", named)], by_proxy)
        };
        assert_eq!(by("hub.example", true).as_deref(), Ok("hub.example"));
        assert_eq!(by("evil.example", true), Err(421));
        assert_eq!(by("hub.example, evil.example", true), Err(400));
        for named in ["evil.example", "one.example, two.example", ""] {
            assert_eq!(by(named, false).as_deref(), Ok("127.0.0.1"), "nobody else is asked");
        }
    }
}
