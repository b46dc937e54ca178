//! Benchmarks of HTTP responses: routes of API 2 (uncached, cached, not modified), and lists of REST 1.x, the original
//! monitor's API. Each is compared with a control: a static file of exactly the response's size, from the same server.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use bench::http::{self, BenchResponse, KeepAlive, uncached_path};
use bench::server::BenchServer;
use xtask::tree;

use super::Setting;
use crate::figure::{Figure, alternate, ms, percentile};

/// Rounds of the routes of API 2, and requests of a round.
const ROUNDS: usize = 9;
const REQUESTS: usize = 50;
/// Requests of a list of REST 1.x.
const LIST_ROUNDS: usize = 30;
const WEEK_MS: i64 = 7 * 86_400_000;

/// Routes of the pages. `{session}` is the newest one that has a thread, `{thread}` its first, `{week}` a week ago.
const ROUTES: [(&str, &str); 8] = [
    ("home", "/api/v2/home"),
    ("sessions", "/api/v2/sessions?limit=50"),
    ("sessions of a category", "/api/v2/sessions?limit=50&category=legal_compliance"),
    ("events", "/api/v2/events?limit=100"),
    ("tasks", "/api/v2/tasks?limit=100"),
    ("agents", "/api/v2/agents?since={week}"),
    ("a session", "/api/v2/sessions/{session}"),
    ("a thread", "/api/v2/sessions/{session}/threads/{thread}"),
];
/// Lists of REST 1.x.
const LISTS: [(&str, &str); 4] = [
    ("events", "/api/events?limit=100"),
    ("events of a role", "/api/events?role=conversation.main&limit=100"),
    ("open work sessions", "/api/work-sessions?status=ACTIVE,QUIET&limit=20"),
    ("work sessions of a role", "/api/work-sessions?role=conversation.main&limit=100"),
];
/// No answer has more sessions.
const LONGEST_LIST: &str = "/api/work-sessions?limit=1000";

pub fn api(setting: &Setting) -> Result<Vec<Figure>> {
    let server = FileServer::start(setting, setting.events)?;
    let port = server.monitor.port;
    let mut figures = Vec::new();
    for (name, path) in routes(port)? {
        let (file, control) = server.file_like(&http::get(port, &path)?)?;
        let uncached = || median(port, || uncached_path(&path), false);
        let cached = |path: &str| median(port, || path.to_owned(), false);
        // The tag changes with each minute: a round in which it did is measured again.
        let unchanged = |path: &str| {
            let round = || median(port, || path.to_owned(), true);
            round().or_else(|_| round())
        };
        let mut figure = |what: &str, rounds: &[(f64, f64)]| {
            figures.push(Figure::of_rounds(&format!("{name}, {what}p50"), "ms", rounds, &control));
        };
        figure("uncached, ", &alternate(ROUNDS, uncached, || cached(&file))?);
        figure("", &alternate(ROUNDS, || cached(&path), || cached(&file))?);
        figure("not changed (304), ", &alternate(ROUNDS, || unchanged(&path), || unchanged(&file))?);
    }
    Ok(figures)
}

/// The routes with a session and a thread filled in.
fn routes(port: u16) -> Result<Vec<(&'static str, String)>> {
    let sessions = http::json(port, "/api/v2/sessions?limit=50")?;
    let week = (sessions["now"].as_i64().context("the answer has no time")? - WEEK_MS).to_string();
    for session in sessions["sessions"].as_array().into_iter().flatten() {
        let session = session["workSessionId"].as_str().context("a session without an id")?;
        let detail = http::json(port, &format!("/api/v2/sessions/{session}"))?;
        if let Some(thread) = detail["threads"][0]["threadId"].as_str() {
            let fill =
                |path: &str| path.replace("{session}", session).replace("{thread}", thread).replace("{week}", &week);
            return Ok(ROUTES.map(|(name, path)| (name, fill(path))).to_vec());
        }
    }
    bail!("no session of the newest has a thread")
}

/// Middle of a round's requests on one connection, in milliseconds; with `tagged`, of requests that name the tag of the
/// first answer and get a 304.
fn median(port: u16, path: impl Fn() -> String, tagged: bool) -> Result<f64> {
    let mut client = KeepAlive::open(port)?;
    let (mut head, mut status) = (String::new(), 200);
    if tagged {
        // Files have a time instead of a tag.
        let etag = client.get(&path(), "")?.etag.map(|etag| format!("If-None-Match: {etag}\r\n"));
        head = etag.unwrap_or_else(|| "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n".to_owned());
        status = 304;
    }
    let mut request = || {
        let answer = client.get(&path(), &head)?;
        ensure!(answer.status == status, "{} answered {} instead of {status}", path(), answer.status);
        Ok(answer.took)
    };
    let times: Vec<Duration> = (0..REQUESTS).map(|_| request()).collect::<Result<_>>()?;
    Ok(percentile(&times, 50))
}

/// Lists with a tenth of the events, and the longest list of work sessions with all events.
pub fn rest1(setting: &Setting) -> Result<Vec<Figure>> {
    let server = FileServer::start(setting, setting.events / 10)?;
    let lists = LISTS.iter().map(|(name, path)| server.list(name, path, |answer| answer.took));
    let mut figures = lists.collect::<Result<Vec<_>>>()?;
    drop(server);
    let server = FileServer::start(setting, setting.events)?;
    figures.push(server.list("1,000 work sessions, first byte", LONGEST_LIST, |answer| answer.first_byte)?);
    figures.push(server.list("1,000 work sessions", LONGEST_LIST, |answer| answer.took)?);
    Ok(figures)
}

/// A monitor that serves the files of a folder instead of the page.
struct FileServer {
    monitor: BenchServer,
    folder: PathBuf,
}

impl FileServer {
    fn start(setting: &Setting, events: u64) -> Result<Self> {
        let folder = tree::target()?.join("bench/bundle");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("index.html"), "<!doctype html><title>bench</title>")?;
        let words = ["--bundle", folder.to_str().context("the folder's name is not text")?];
        let monitor = BenchServer::start(&setting.monitor, &setting.home(events)?, &words)?;
        Ok(Self { monitor, folder })
    }

    /// Path and name of a file with as many bytes as the answer. The server packs neither for these clients.
    fn file_like(&self, answer: &BenchResponse) -> Result<(String, String)> {
        ensure!(answer.status == 200, "status {} instead of 200", answer.status);
        let bytes = answer.body.len();
        std::fs::write(self.folder.join(format!("equal-{bytes}.bin")), vec![b'x'; bytes])?;
        Ok((format!("/equal-{bytes}.bin"), format!("a file of {bytes} bytes")))
    }

    /// A list, each time requested on a connection of its own.
    fn list(&self, name: &str, path: &str, time: fn(&BenchResponse) -> Duration) -> Result<Figure> {
        let first = http::get(self.monitor.port, path)?;
        let (file, control) = self.file_like(&first)?;
        let request = |path: &str| Ok(ms(time(&http::get(self.monitor.port, path)?)));
        let rounds = alternate(LIST_ROUNDS, || request(path), || request(&file))?;
        let figure = Figure::of_rounds(name, "ms", &rounds, &control);
        Ok(figure.noted(&format!("first request {:.1} ms", ms(time(&first)))))
    }
}
