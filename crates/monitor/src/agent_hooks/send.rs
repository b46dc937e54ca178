//! HTTP/1.1 client for one request to a monitor on this machine, such as the post of a hook event, with a time limit.
//! It needs no async runtime, because a new process sends each event.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use axum::http::Uri;

/// Most bytes of an answer that is read.
const MAX_RESPONSE_BYTES: usize = 64 << 10;
/// Where events are posted.
pub(super) const EVENTS_PATH: &str = "api/hooks/claude-code";
/// Where permission requests wait for an answer.
pub(super) const PERMISSION_PATH: &str = "api/hooks/permission";
/// What every monitor answers.
pub(super) const HEALTH_PATH: &str = "api/v2/health";

/// A monitor on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonitorClient {
    /// Addresses of the host, tried in order.
    sockets: Vec<SocketAddr>,
    /// Host and port, for the `Host` header.
    authority: String,
    /// Path of the monitor, with a slash at its end.
    base: String,
}

impl MonitorClient {
    /// The monitor at an address such as `http://127.0.0.1:3847/` or `http://localhost:3847/hub/`.
    ///
    /// # Errors
    /// One sentence: it is not a plain http:// URL, or not on this machine.
    pub fn new(url: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("the monitor's address {what} (for example http://127.0.0.1:3847)");
        let uri: Uri = url.trim().parse().map_err(|_| wrong("is not a URL"))?;
        let authority = uri.authority().map(axum::http::uri::Authority::as_str).unwrap_or_default();
        if uri.scheme_str() != Some("http") || authority.contains('@') || uri.query().is_some() {
            return Err(wrong("must be an http:// URL without user name or query"));
        }
        let host = uri.host().unwrap_or_default();
        let elsewhere = || wrong("must be on this machine, because events contain what agents do");
        let sockets = sockets(host, uri.port_u16().unwrap_or(80)).ok_or_else(elsewhere)?;
        let base = format!("{}/", uri.path().trim_end_matches('/'));
        Ok(Self { sockets, authority: authority.to_owned(), base })
    }

    /// The monitor that listens on a host, reached from this machine; none where it listens for others only.
    pub(super) fn listening(host: &str, port: u16) -> Option<Self> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let host = match host.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) if address.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
            Ok(IpAddr::V6(address)) if address.is_unspecified() => Ipv6Addr::LOCALHOST.to_string(),
            _ => host.to_owned(),
        };
        let sockets = sockets(&host, port)?;
        let authority = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        Some(Self { sockets, authority, base: "/".to_owned() })
    }

    /// Posts JSON with the token; the status of the answer.
    ///
    /// # Errors
    /// When there is no answer in time.
    pub(super) fn post(&self, path: &str, token: &str, body: &[u8], until: Instant) -> io::Result<u16> {
        self.ask("POST", path, &json_head(token, body.len())?, body, until)
    }

    /// Posts JSON with the token; status and body of the answer. `until`: when all of it must have come.
    ///
    /// # Errors
    /// When there is no whole answer in time.
    pub(super) fn exchange(&self, path: &str, token: &str, body: &[u8], until: Instant) -> io::Result<(u16, Vec<u8>)> {
        let mut stream = self.sent("POST", path, &json_head(token, body.len())?, body, until)?;
        whole_answer(&mut stream, until)
    }

    /// The status of a GET of a path.
    ///
    /// # Errors
    /// When there is no answer in time.
    pub(super) fn get(&self, path: &str, until: Instant) -> io::Result<u16> {
        self.ask("GET", path, "", &[], until)
    }

    /// A connection over which a request was sent.
    fn sent(&self, method: &str, path: &str, more: &str, body: &[u8], until: Instant) -> io::Result<TcpStream> {
        let mut stream = self.connected(until)?;
        send(&mut stream, &self.request(method, path, more, body), until)?;
        Ok(stream)
    }

    fn request(&self, method: &str, path: &str, more: &str, body: &[u8]) -> Vec<u8> {
        let (base, host) = (&self.base, &self.authority);
        let head = format!("{method} {base}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n");
        [head.as_bytes(), body].concat()
    }

    fn ask(&self, method: &str, path: &str, more: &str, body: &[u8], until: Instant) -> io::Result<u16> {
        let mut stream = self.connected(until)?;
        let sent = send(&mut stream, &self.request(method, path, more, body), until);
        // A server that refuses a large body may answer and close before all of it is sent.
        match (status(&mut stream, until), sent) {
            (Ok(status), _) => Ok(status),
            (Err(_), Err(error)) | (Err(error), Ok(())) => Err(error),
        }
    }

    fn connected(&self, until: Instant) -> io::Result<TcpStream> {
        let mut why = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for socket in &self.sockets {
            match TcpStream::connect_timeout(socket, time_left(until)?) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Err(error) => why = error,
            }
        }
        Err(why)
    }
}

impl std::fmt::Display for MonitorClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}{}", self.authority, self.base)
    }
}

/// A name is not resolved: `localhost` is always the two loopback addresses.
fn sockets(host: &str, port: u16) -> Option<Vec<SocketAddr>> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if bare.eq_ignore_ascii_case("localhost") {
        return Some(vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()]);
    }
    let address: IpAddr = bare.parse().ok()?;
    address.to_canonical().is_loopback().then(|| vec![(address, port).into()])
}

/// Head of a request with a JSON body.
fn json_head(token: &str, length: usize) -> io::Result<String> {
    // A token with a line end would end the header; such a token is refused.
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the token is not one word of ASCII"));
    }
    Ok(format!("Content-Type: application/json\r\nContent-Length: {length}\r\nX-Task-Monitor-Token: {token}\r\n"))
}

/// Status and body of an answer, up to the end of the connection.
fn whole_answer(stream: &mut TcpStream, until: Instant) -> io::Result<(u16, Vec<u8>)> {
    let mut answer = Vec::new();
    while read_more(stream, until, &mut answer)? {
        if answer.len() > MAX_RESPONSE_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is too long"));
        }
    }
    let status = read_status(&answer).unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))?;
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    let body = answer.split_off(head + 4);
    // Half a decision must not count as one.
    let head = String::from_utf8_lossy(&answer).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    match length == Some(body.len()) {
        true => Ok((status, body)),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Reads the next bytes of an answer; false at the end of the connection.
fn read_more(stream: &mut TcpStream, until: Instant, answer: &mut Vec<u8>) -> io::Result<bool> {
    let mut piece = [0; 4096];
    loop {
        stream.set_read_timeout(Some(time_left(until)?))?;
        match stream.read(&mut piece) {
            Ok(filled) => {
                answer.extend_from_slice(&piece[..filled]);
                return Ok(filled > 0);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Time left until the deadline. An error when none is left: the standard library refuses a timeout of zero.
fn time_left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn send(stream: &mut TcpStream, mut rest: &[u8], until: Instant) -> io::Result<()> {
    while !rest.is_empty() {
        stream.set_write_timeout(Some(time_left(until)?))?;
        match stream.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(taken) => rest = &rest[taken..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The status of an answer with a complete head: a truncated head is no answer.
fn status(stream: &mut TcpStream, until: Instant) -> io::Result<u16> {
    let mut answer = Vec::new();
    while answer.len() < MAX_RESPONSE_BYTES && read_more(stream, until, &mut answer)? {
        if let Some(status) = read_status(&answer) {
            return status;
        }
    }
    read_status(&answer).unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))
}

/// Nothing before the head is whole. An interim answer (1xx) is passed over.
fn read_status(answer: &[u8]) -> Option<io::Result<u16>> {
    let mut rest = answer;
    loop {
        let end = rest.windows(4).position(|four| four == b"\r\n\r\n")?;
        let first = rest[..end].split(|byte| *byte == b'\r').next().unwrap_or_default();
        let words = std::str::from_utf8(first).unwrap_or_default();
        let code = words.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1)?.parse::<u16>().ok());
        match code {
            Some(100..=199) => rest = &rest[end + 4..],
            Some(code) => return Some(Ok(code)),
            None => return Some(Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn monitor_address_must_be_local_plain_http() {
        for (url, shown) in [
            ("http://127.0.0.1:3847", "http://127.0.0.1:3847/"),
            (" http://localhost:3847/hub/ ", "http://localhost:3847/hub/"),
            ("http://[::1]:9/", "http://[::1]:9/"),
        ] {
            assert_eq!(MonitorClient::new(url).expect(url).to_string(), shown, "{url}");
        }
        for bad in [
            "",
            "127.0.0.1:3847",
            "https://127.0.0.1:3847",
            "http://192.168.0.7:3847",
            "http://0.0.0.0:3847",
            "http://monitor.example",
            "http://localhost.evil.example",
            "http://s3cret@127.0.0.1",
            "http://127.0.0.1/?token=s3cret",
        ] {
            let error = MonitorClient::new(bad).expect_err(bad);
            assert!(error.contains("monitor's address") && !error.contains("s3cret"), "{bad}: {error}");
        }
        let listening = |host: &str| MonitorClient::listening(host, 9).map(|monitor| monitor.to_string());
        for (host, shown) in [
            ("127.0.0.1", Some("http://127.0.0.1:9/")),
            ("localhost", Some("http://localhost:9/")),
            ("0.0.0.0", Some("http://127.0.0.1:9/")),
            ("::", Some("http://[::1]:9/")),
            ("[::1]", Some("http://[::1]:9/")),
            ("10.0.0.7", None),
            ("monitor.example", None),
        ] {
            assert_eq!(listening(host).as_deref(), shown, "{host}");
        }
    }

    /// The status that a post gets from a listener with this answer, and the request that it received.
    fn posted(answer: &'static [u8], token: &str) -> (io::Result<u16>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let monitor =
            MonitorClient::listening("127.0.0.1", listener.local_addr().expect("address").port()).expect("monitor");
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut received = Vec::new();
            let mut piece = [0; 1024];
            while !received.ends_with(b"{\"a\":1}") {
                match stream.read(&mut piece) {
                    Ok(0) | Err(_) => break,
                    Ok(filled) => received.extend_from_slice(&piece[..filled]),
                }
            }
            stream.write_all(answer).ok();
            String::from_utf8(received).expect("text")
        });
        let status = monitor.post(EVENTS_PATH, token, b"{\"a\":1}", Instant::now() + Duration::from_secs(20));
        if status.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::InvalidInput) {
            // Nothing was sent: let the listener go.
            drop(monitor.connected(Instant::now() + Duration::from_secs(20)));
        }
        (status, serving.join().expect("served"))
    }

    #[test]
    fn status_is_that_of_the_complete_response() {
        let (status, received) = posted(b"HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}", "tok");
        assert_eq!(status.expect("status"), 202);
        assert!(received.starts_with("POST /api/hooks/claude-code HTTP/1.1\r\nHost: 127.0.0.1:"), "{received}");
        assert!(
            received.contains("\r\nX-Task-Monitor-Token: tok\r\n") && received.contains("\r\nContent-Length: 7\r\n")
        );
        assert_eq!(posted(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 No\r\n\r\n", "t").0.expect("status"), 401);
        for broken in [&b""[..], b"HTTP/1.1 200 OK\r\n", b"SSH-2.0\r\n\r\n", b"HTTP/1.1 two\r\n\r\n"] {
            assert!(posted(broken, "t").0.is_err(), "{}", String::from_utf8_lossy(broken));
        }
        assert!(posted(b"", "two\r\nHeaders: x").0.is_err());
    }

    #[test]
    fn silent_server_times_out() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let monitor =
            MonitorClient::listening("127.0.0.1", listener.local_addr().expect("address").port()).expect("monitor");
        let until = Instant::now() + Duration::from_millis(50);
        let body = vec![b' '; 8 << 20];
        assert!(monitor.post(EVENTS_PATH, "t", &body, until).is_err(), "it fills the buffers and waits");
        assert!(Instant::now() >= until, "it gave up early");
        assert!(monitor.post(EVENTS_PATH, "t", b"{}", Instant::now()).is_err(), "no time, no wait");
    }
}
