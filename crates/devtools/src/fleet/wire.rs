//! Client of the text protocol of NATS, for what no program of ours does: it sees the messages of a subject and sends one again.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};

const TIMEOUT: Duration = Duration::from_secs(30);
/// Name in the certificate of a server.
pub(super) const SERVER_NAME: &str = "localhost";
/// Connections of this process. The subject of answers to each is its own.
static CONNECTIONS: AtomicU64 = AtomicU64::new(0);

/// User of a server with accounts.
pub(super) struct Login<'a> {
    pub(super) user: &'a str,
    pub(super) password: &'a str,
    /// Certificate of the authority of the server; without one the connection is plain.
    pub(super) authority: Option<&'a Path>,
}

/// A connection that sees the messages of some subjects.
pub(super) struct Tap {
    stream: BufReader<Box<dyn WireStream>>,
    /// Subject of the answers to it.
    inbox: String,
}

/// Plain or with TLS.
trait WireStream: Read + Write {}

impl<T: Read + Write> WireStream for T {}

/// A message with headers, as it was on the wire.
pub(super) struct SeenMessage {
    pub(super) subject: String,
    /// Headers and payload.
    bytes: Vec<u8>,
    head_length: usize,
}

/// What became of a request.
#[derive(Debug)]
pub(super) enum Reply {
    Answer(Value),
    /// The account of the user has nobody who answers.
    NoResponders,
    /// The user may not publish to the subject.
    Denied,
}

impl Tap {
    pub(super) fn open(port: u16, subject: &str) -> Result<Self> {
        Self::start(Box::new(connected(port)?), json!({}), subject)
    }

    /// Signs in to a server with accounts.
    pub(super) fn sign_in(port: u16, login: &Login, subject: &str) -> Result<Self> {
        let stream = connected(port)?;
        let stream: Box<dyn WireStream> = match login.authority {
            Some(authority) => Box::new(with_tls(stream, authority)?),
            None => Box::new(stream),
        };
        Self::start(stream, json!({ "user": login.user, "pass": login.password }), subject)
    }

    fn start(stream: Box<dyn WireStream>, mut options: Value, subject: &str) -> Result<Self> {
        for (name, is_on) in [("verbose", false), ("pedantic", false), ("headers", true), ("no_responders", true)] {
            options[name] = Value::Bool(is_on);
        }
        let inbox = format!("_INBOX.task-hub-fleet-{}", CONNECTIONS.fetch_add(1, Ordering::SeqCst));
        let mut tap = Self { stream: BufReader::new(stream), inbox };
        let subscriptions = format!("SUB {subject} 1\r\nSUB {} 2\r\n", tap.inbox);
        tap.write(format!("CONNECT {options}\r\n{subscriptions}").as_bytes())?;
        // The subscriptions are in force once the server answers.
        tap.subjects_until_pong()?;
        Ok(tap)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.get_mut().write_all(bytes)?;
        Ok(self.stream.get_mut().flush()?)
    }

    /// Publishes a message that names a subject for its answer.
    pub(super) fn send(&mut self, (subject, reply): (&str, &str), payload: &str) -> Result<()> {
        self.write(format!("PUB {subject} {reply} {}\r\n{payload}\r\n", payload.len()).as_bytes())
    }

    /// A request, and what became of it.
    pub(super) fn request(&mut self, subject: &str, payload: &str) -> Result<Reply> {
        let inbox = self.inbox.clone();
        self.send((subject, &inbox), payload)?;
        let answer = match self.answer() {
            Err(error) if error.to_string().contains("Permissions Violation") => return Ok(Reply::Denied),
            answer => answer.with_context(|| format!("no answer to {subject}"))?,
        };
        let (head, payload) = answer.bytes.split_at(answer.head_length);
        if head.starts_with(b"NATS/1.0 503") {
            return Ok(Reply::NoResponders);
        }
        Ok(Reply::Answer(
            serde_json::from_slice(payload).with_context(|| format!("{subject}: the answer is not JSON"))?,
        ))
    }

    /// Subjects of the messages that come before the server answers a ping.
    pub(super) fn subjects_until_pong(&mut self) -> Result<Vec<String>> {
        self.write(b"PING\r\n")?;
        let mut subjects = Vec::new();
        while let Some(seen) = self.message_or_pong()? {
            subjects.push(seen.subject);
        }
        Ok(subjects)
    }

    /// The next message of a log: subject, headers that a server stores again, and payload.
    pub(super) fn next_batch(&mut self) -> Result<(String, Vec<u8>, Vec<u8>)> {
        let seen = self.next_with("Th-Content")?;
        let (head, payload) = seen.bytes.split_at(seen.head_length);
        let head = String::from_utf8_lossy(head);
        let lines = head.split_inclusive('\n').filter(|line| !line.starts_with("Nats-"));
        Ok((seen.subject, lines.collect::<String>().into_bytes(), payload.to_vec()))
    }

    /// Publishes a message to a stream.
    ///
    /// # Errors
    /// When no stream stores it.
    pub(super) fn publish(&mut self, subject: &str, head: &[u8], payload: &[u8]) -> Result<()> {
        let (subject, head_length) = (subject.to_owned(), head.len());
        let answer = self.send_again(&SeenMessage { subject, bytes: [head, payload].concat(), head_length })?;
        let answer: serde_json::Value = serde_json::from_slice(&answer).context("no stream answers")?;
        ensure!(answer["seq"].is_u64(), "the message is not stored: {answer}");
        Ok(())
    }

    /// The next message whose headers have this word.
    pub(super) fn next_with(&mut self, header: &str) -> Result<SeenMessage> {
        loop {
            let seen = self.next_message()?;
            if String::from_utf8_lossy(&seen.bytes[..seen.head_length]).contains(header) {
                return Ok(seen);
            }
        }
    }

    /// Sends a message once more; the payload of the answer.
    pub(super) fn send_again(&mut self, seen: &SeenMessage) -> Result<Vec<u8>> {
        let (subject, head, all) = (&seen.subject, seen.head_length, seen.bytes.len());
        let line = format!("HPUB {subject} {} {head} {all}\r\n", self.inbox);
        self.write(&[line.as_bytes(), &seen.bytes, b"\r\n"].concat())?;
        let answer = self.answer()?;
        Ok(answer.bytes[answer.head_length..].to_vec())
    }

    /// The next message on the subject of answers.
    fn answer(&mut self) -> Result<SeenMessage> {
        let start = Instant::now();
        loop {
            let answer = self.next_message()?;
            // Other messages may come without end.
            ensure!(start.elapsed() < TIMEOUT, "no answer for {} s", TIMEOUT.as_secs());
            if answer.subject == self.inbox {
                return Ok(answer);
            }
        }
    }

    /// The next message.
    pub(super) fn next_message(&mut self) -> Result<SeenMessage> {
        loop {
            if let Some(seen) = self.message_or_pong()? {
                return Ok(seen);
            }
        }
    }

    /// The next message, or nothing where the server answers a ping before it.
    fn message_or_pong(&mut self) -> Result<Option<SeenMessage>> {
        let start = Instant::now();
        loop {
            ensure!(start.elapsed() < TIMEOUT, "no message for {} s", TIMEOUT.as_secs());
            let line = self.line()?;
            let words: Vec<&str> = line.split_whitespace().collect();
            let (subject, head, all) = match words.as_slice() {
                ["HMSG", subject, _, .., head, all] => (*subject, *head, *all),
                ["MSG", subject, _, .., all] => (*subject, "0", *all),
                ["PING"] => {
                    self.write(b"PONG\r\n")?;
                    continue;
                }
                ["PONG"] => return Ok(None),
                ["-ERR", ..] => bail!("the server refuses: {line}"),
                _ => continue,
            };
            let mut bytes = vec![0; all.parse().context("a message has no length")?];
            self.stream.read_exact(&mut bytes)?;
            return Ok(Some(SeenMessage { subject: subject.to_owned(), bytes, head_length: head.parse()? }));
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.stream.read_line(&mut line)? > 0, "the server closed the connection");
        Ok(line.trim().to_owned())
    }
}

fn connected(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    Ok(stream)
}

/// TLS begins after the first line of the server.
fn with_tls(mut stream: TcpStream, authority: &Path) -> Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut byte = [0];
    while byte != *b"\n" {
        stream.read_exact(&mut byte).context("the server does not say who it is")?;
    }
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).context("cannot read the certificate")?)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let session = ClientConnection::new(Arc::new(config), SERVER_NAME.try_into()?)?;
    Ok(StreamOwned::new(session, stream))
}
