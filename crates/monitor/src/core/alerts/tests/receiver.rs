//! Server on this machine that plays a sink in tests: it notes requests and answers as the test says.

use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// A request that arrived.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Received {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

/// A server that answers each request with what `answer` gives: a whole response, or nothing, to hang.
pub(super) struct TestReceiver {
    pub(super) address: String,
    requests: Receiver<Received>,
}

impl TestReceiver {
    pub(super) fn start(answer: impl Fn(&Received) -> Option<String> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (sender, requests) = mpsc::channel();
        std::thread::spawn(move || {
            let mut hanging = Vec::new();
            for stream in listener.incoming().flatten() {
                let Some(request) = read_request(&stream) else { continue };
                let response = answer(&request);
                if sender.send(request).is_err() {
                    return;
                }
                match response {
                    Some(response) => (&stream).write_all(response.as_bytes()).unwrap_or_default(),
                    None => hanging.push(stream),
                }
            }
        });
        Self { address, requests }
    }

    /// A server that takes everything.
    pub(super) fn accepting() -> Self {
        Self::start(|_| Some(response(200, "", "{\"id\":\"1234\"}")))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The next request, waiting for it.
    pub(super) fn next(&self) -> Received {
        self.requests.recv_timeout(Duration::from_secs(20)).expect("a request within 20 s")
    }

    /// A request that has arrived.
    pub(super) fn try_next(&self) -> Option<Received> {
        self.requests.recv_timeout(Duration::from_millis(300)).ok()
    }
}

pub(super) fn response(status: u16, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}", body.len())
}

fn read_request(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut text = String::new();
        reader.read_line(&mut text).ok().filter(|read| *read > 0)?;
        Some(text.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    while let Some((name, value)) = line().as_deref().and_then(|text| text.split_once(": ")) {
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Received { method, path, headers, body: String::from_utf8_lossy(&body).into_owned() })
}
