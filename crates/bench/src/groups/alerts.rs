//! Benchmark of an alert: from before a line is written into the log to the end of the request that a webhook of this
//! machine gets. The control is a bare request with the same body to the same webhook.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bench::home::rehearsed;
use bench::http;
use bench::server::{BenchServer, wait_until};
use serde_json::{Value, json};
use xtask::tree;

use super::Setting;
use crate::figure::{Figure, percentile};

/// More than five lines of a rule within a minute are one message, so there are many rules.
const RULES: usize = 25;
const LINES_OF_RULE: usize = 4;
const PATIENCE: Duration = Duration::from_secs(30);

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = rehearsed(&setting.monitor, 2_000, "alerts")?;
    let webhook = Webhook::start()?;
    let config = tree::target()?.join("bench/alerts.toml");
    std::fs::write(&config, settings(webhook.port))?;
    let server = BenchServer::start(&setting.monitor, &home, &["--config", config.to_str().context("no text")?])?;
    wait_until("the history is read", Duration::from_millis(50), || {
        Ok(http::json(server.port, "/api/v2/health")?["source"]["state"] == "ok")
    })?;
    let mut log = OpenOptions::new().append(true).open(home.join("logs/coordination-events.ndjson"))?;
    let (mut delays, mut bare) = (Vec::new(), Vec::new());
    // What waited before is known: the first look of the rules comes before the lines.
    std::thread::sleep(Duration::from_secs(2));
    for number in 0..RULES * LINES_OF_RULE {
        let start = Instant::now();
        writeln!(log, "{}", blocked(number))?;
        let body = webhook.next()?;
        delays.push(start.elapsed());
        let is_right = body["lines"][0]["agent"].as_str().is_some_and(|agent| agent == agent_id(number));
        ensure!(is_right && body["count"] == 1, "another message: {body}");
        let answer = http::post(webhook.port, "/", "", &body)?;
        webhook.next()?;
        bare.push(answer.took);
    }
    let figure = |percent: usize| {
        Figure::new(&format!("line → webhook, p{percent}"), percentile(&delays, percent), "ms")
            .control("a bare request", percentile(&bare, percent))
    };
    Ok(vec![figure(50), figure(99)])
}

fn agent_id(number: usize) -> String {
    format!("bench-{}", number % RULES)
}

/// One sink, and a rule for each agent.
fn settings(port: u16) -> String {
    let mut text = format!("[[alerts.sinks]]\nname = \"hook\"\nkind = \"json\"\nurl = \"http://127.0.0.1:{port}/\"\n");
    for number in 0..RULES {
        let agent = agent_id(number);
        text.push_str(&format!(
            "[[alerts.rules]]\nname = \"{agent}\"\nkinds = [\"taskBlocked\"]\nagents = [\"{agent}\"]\nafter = \"0s\"\n"
        ));
    }
    text
}

/// A task that only a person can unblock.
fn blocked(number: usize) -> Value {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    json!({
        "type": "task.blocked", "agentId": agent_id(number), "ts": u64::try_from(now).unwrap_or_default(),
        "data": { "taskId": format!("task_bench_{number}"), "reason": "승인 필요", "unblockedBy": [] }
    })
}

/// A server that takes every request.
struct Webhook {
    port: u16,
    bodies: Receiver<Vec<u8>>,
}

impl Webhook {
    fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let (sender, bodies) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(body) = take(&stream)
                    && sender.send(body).is_err()
                {
                    return;
                }
            }
        });
        Ok(Self { port, bodies })
    }

    fn next(&self) -> Result<Value> {
        let body = self.bodies.recv_timeout(PATIENCE).context("no request in time")?;
        serde_json::from_slice(&body).context("not JSON")
    }
}

/// The body of a request, which is then answered.
fn take(mut stream: &TcpStream) -> Option<Vec<u8>> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? <= 2 {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").ok()?;
    Some(body)
}
