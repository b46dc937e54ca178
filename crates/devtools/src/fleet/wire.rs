//! Client of the text protocol of NATS, for what no program of ours does: it sees the messages of a subject and sends one again.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

const TIMEOUT: Duration = Duration::from_secs(30);
/// Subject of the answers to what is sent again.
const INBOX: &str = "_INBOX.task-hub-fleet-replay";

/// A connection that sees the messages of some subjects.
pub(super) struct Tap(BufReader<TcpStream>);

/// A message with headers, as it was on the wire.
pub(super) struct SeenMessage {
    subject: String,
    /// Headers and payload.
    bytes: Vec<u8>,
    head_length: usize,
}

impl Tap {
    pub(super) fn open(port: u16, subject: &str) -> Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        let mut stream = BufReader::new(stream);
        let connect = r#"{"verbose":false,"pedantic":false,"headers":true,"no_responders":true}"#;
        write!(stream.get_mut(), "CONNECT {connect}\r\nSUB {subject} 1\r\nSUB {INBOX} 2\r\nPING\r\n")?;
        let mut tap = Self(stream);
        // The subscriptions are in force once the server answers.
        while tap.line()? != "PONG" {}
        Ok(tap)
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
        write!(self.0.get_mut(), "HPUB {subject} {INBOX} {head} {all}\r\n")?;
        self.0.get_mut().write_all(&seen.bytes)?;
        self.0.get_mut().write_all(b"\r\n")?;
        let start = Instant::now();
        loop {
            let answer = self.next_message()?;
            // Other messages may come without end.
            ensure!(start.elapsed() < TIMEOUT, "no answer for {} s", TIMEOUT.as_secs());
            if answer.subject == INBOX {
                return Ok(answer.bytes[answer.head_length..].to_vec());
            }
        }
    }

    fn next_message(&mut self) -> Result<SeenMessage> {
        let start = Instant::now();
        loop {
            ensure!(start.elapsed() < TIMEOUT, "no message for {} s", TIMEOUT.as_secs());
            let line = self.line()?;
            let words: Vec<&str> = line.split_whitespace().collect();
            let (subject, head, all) = match words.as_slice() {
                ["HMSG", subject, _, .., head, all] => (*subject, *head, *all),
                ["MSG", subject, _, .., all] => (*subject, "0", *all),
                ["PING"] => {
                    self.0.get_mut().write_all(b"PONG\r\n")?;
                    continue;
                }
                ["-ERR", ..] => bail!("the server refuses: {line}"),
                _ => continue,
            };
            let mut bytes = vec![0; all.parse().context("a message has no length")?];
            self.0.read_exact(&mut bytes)?;
            return Ok(SeenMessage { subject: subject.to_owned(), bytes, head_length: head.parse()? });
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.0.read_line(&mut line)? > 0, "the server closed the connection");
        Ok(line.trim().to_owned())
    }
}
