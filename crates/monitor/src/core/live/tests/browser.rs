//! Simulated browser tab for the tests of the live stream. It runs the tab's real client over in-memory connections,
//! counts events, snapshots and resets, and fails if the stream breaks a guarantee.

use std::time::Duration;

use coordination::api::Frame;
use coordination::link::{Connection, LinkClient, OpenRequest, Order, Transport};
use futures::StreamExt as _;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;

use super::net::Net;

const TICK: Duration = Duration::from_millis(500);
const BATCH: Duration = Duration::from_millis(16);
const POLL_LIMIT: Duration = Duration::from_secs(30);

/// What a transport reports.
enum BrowserReport {
    Text(u64, String),
    Polled(u64, Vec<Value>),
    Ended(u64),
}

/// The tab.
pub(super) struct Browser {
    pub(super) client: LinkClient,
    net: Net,
    reports: mpsc::UnboundedReceiver<BrowserReport>,
    report_sender: mpsc::UnboundedSender<BrowserReport>,
    reading: Option<JoinHandle<()>>,
    start: Instant,
    /// How far the device's clock was set.
    pub(super) clock_set: i64,
    last_frame_at: Option<Instant>,
    /// Reads differences, as the page does; an older page reads whole frames.
    patches: bool,
    pub(super) seen: BrowserCounts,
}

/// Counters of one tab's life.
#[derive(Debug, Default)]
pub(super) struct BrowserCounts {
    /// Events counted since the position they are counted from.
    pub(super) events: u64,
    /// Where counting began: the newest snapshot.
    pub(super) from: Option<(String, u64)>,
    pub(super) resets: Vec<String>,
    pub(super) snapshots: u32,
    /// Openings with a position.
    pub(super) resumed: u32,
    /// A stream of a transport and its first position, before any frame.
    fresh: Option<u64>,
}

impl Browser {
    pub(super) fn new(net: Net, seed: u64) -> Self {
        let (report_sender, reports) = mpsc::unbounded_channel();
        let start = Instant::now();
        let client = LinkClient::new(seed);
        let mut tab = Self {
            client,
            net,
            reports,
            report_sender,
            reading: None,
            start,
            clock_set: 0,
            last_frame_at: None,
            patches: !seed.is_multiple_of(4),
            seen: BrowserCounts::default(),
        };
        let order = tab.client.start(tab.now());
        tab.follow(order);
        tab
    }

    pub(super) fn now(&self) -> i64 {
        1_772_000_000_000 + self.clock_set + i64::try_from(self.start.elapsed().as_millis()).expect("a test's time")
    }

    /// Lives for a while.
    pub(super) async fn live(&mut self, time: Duration) {
        let end = Instant::now() + time;
        let mut settle: Option<Instant> = None;
        let mut tick = Instant::now() + TICK;
        while Instant::now() < end {
            let next = settle.unwrap_or(tick).min(tick).min(end);
            let order = tokio::select! {
                biased;
                report = self.reports.recv() => report.and_then(|report| self.take(report)),
                () = tokio::time::sleep_until(next) => {
                    if settle.is_some_and(|at| at <= Instant::now()) {
                        settle = None;
                        self.client.settle(self.now())
                    } else if tick <= Instant::now() {
                        tick += TICK;
                        self.client.tick(self.now())
                    } else {
                        None
                    }
                }
            };
            if settle.is_none() && self.client.has_waiting() {
                settle = Some(Instant::now() + BATCH);
            }
            self.follow(order);
            self.note();
        }
        let order = self.client.settle(self.now());
        self.follow(order);
        self.note();
    }

    /// Sleeps: nothing of it runs, its wires fill up.
    pub(super) async fn sleep(&mut self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    pub(super) fn transport(&self) -> Option<Transport> {
        match self.client.connection(self.now()) {
            Connection::Live { transport } => Some(transport),
            _ => None,
        }
    }

    fn take(&mut self, report: BrowserReport) -> Option<Order> {
        let now = self.now();
        match report {
            BrowserReport::Text(generation, text) => {
                if self.client.is_open(generation)
                    && let Ok(frame) = serde_json::from_str::<Frame>(&text)
                {
                    self.watch(generation, &frame);
                }
                self.client.text(now, generation, &text)
            }
            BrowserReport::Polled(generation, frames) => {
                if self.client.is_open(generation) {
                    let typed = frames.iter().filter_map(|frame| Frame::from_value(frame.clone()).ok());
                    typed.for_each(|frame| self.watch(generation, &frame));
                    self.last_frame_at = Some(Instant::now());
                }
                let order = self.client.polled(now, generation, frames);
                if self.client.is_open(generation) {
                    self.ask(generation, 15, Duration::from_millis(64));
                }
                order
            }
            BrowserReport::Ended(generation) => self.client.ended(now, generation),
        }
    }

    /// Holds what arrives to the promises of the stream.
    fn watch(&mut self, generation: u64, frame: &Frame) {
        self.last_frame_at = Some(Instant::now());
        let first = self.seen.fresh.take_if(|fresh| *fresh == generation).is_some();
        match frame {
            Frame::Snapshot(_) => {
                assert!(!first, "a position is never dropped without an explicit reset");
                self.seen.snapshots += 1;
            }
            Frame::Reset(reset) => self.seen.resets.push(reset.reason.clone()),
            _ => {}
        }
    }

    /// Takes the client's updates for the page, and checks what it must never show.
    fn note(&mut self) {
        let news = self.client.news();
        self.seen.events += u64::from(news.change.events);
        if news.change.everything
            && let Some(view) = self.client.view()
        {
            self.seen.from = Some((view.cursor.epoch.clone(), view.cursor.seq));
            self.seen.events = 0;
        }
        if let Connection::Live { .. } = self.client.connection(self.now()) {
            let quiet = self.last_frame_at.map(|at| at.elapsed());
            assert!(quiet.is_some_and(|quiet| quiet <= Duration::from_secs(35)), "live after a silence of {quiet:?}");
        }
    }

    /// Executes an order of the client.
    pub(super) fn follow(&mut self, order: Option<Order>) {
        let Some(order) = order else { return };
        if let Some(reading) = self.reading.take() {
            reading.abort();
        }
        let Order::Open(OpenRequest { generation, transport, cursor }) = order else { return };
        self.seen.fresh = cursor.is_some().then_some(generation);
        self.seen.resumed += u32::from(cursor.is_some());
        let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let query = format!("?patches={}{cursor}", self.patches);
        let (net, report_sender) = (self.net.clone(), self.report_sender.clone());
        self.reading = match transport {
            Transport::Socket => Some(tokio::spawn(async move {
                socket(&net, &query, generation, &report_sender).await;
                report_sender.send(BrowserReport::Ended(generation)).unwrap_or_default();
            })),
            Transport::Events => Some(tokio::spawn(async move {
                events(&net, &query, generation, &report_sender).await;
                report_sender.send(BrowserReport::Ended(generation)).unwrap_or_default();
            })),
            Transport::Poll => {
                self.ask(generation, 0, Duration::ZERO);
                return;
            }
        };
    }

    fn ask(&mut self, generation: u64, wait: u32, coalesce_delay: Duration) {
        let cursor = self.client.cursor().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let (net, report_sender) = (self.net.clone(), self.report_sender.clone());
        let query = format!("?patches={}&wait={wait}{cursor}", self.patches);
        self.reading = Some(tokio::spawn(async move {
            tokio::time::sleep(coalesce_delay).await;
            let answer = tokio::time::timeout(POLL_LIMIT, poll(&net, &query)).await.ok().flatten();
            let report =
                answer.map_or(BrowserReport::Ended(generation), |frames| BrowserReport::Polled(generation, frames));
            report_sender.send(report).unwrap_or_default();
        }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(reading) = self.reading.take() {
            reading.abort();
        }
    }
}

async fn socket(net: &Net, query: &str, generation: u64, report_sender: &mpsc::UnboundedSender<BrowserReport>) {
    let Some(wire) = net.connect() else { return };
    let Ok((mut socket, _)) = tokio_tungstenite::client_async(format!("ws://monitor/live{query}"), wire).await else {
        return;
    };
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Text(text) = message {
            report_sender.send(BrowserReport::Text(generation, text.to_string())).unwrap_or_default();
        }
    }
}

/// Lines of an event stream; what has no blank line behind it is no event.
async fn events(net: &Net, query: &str, generation: u64, report_sender: &mpsc::UnboundedSender<BrowserReport>) {
    let Some(mut stream) = get(net, &format!("/live/events{query}")).await else { return };
    let mut data = String::new();
    let mut line = String::new();
    while stream.read_line(&mut line).await.is_ok_and(|count| count > 0) && line.ends_with('\n') {
        match line.trim_end().strip_prefix("data: ") {
            Some(part) => data.push_str(part),
            None if line.trim_end().is_empty() => {
                report_sender.send(BrowserReport::Text(generation, std::mem::take(&mut data))).unwrap_or_default();
            }
            None => {}
        }
        line.clear();
    }
}

async fn poll(net: &Net, query: &str) -> Option<Vec<Value>> {
    #[derive(serde::Deserialize)]
    struct Polled {
        frames: Vec<Value>,
    }
    let mut body = Vec::new();
    get(net, &format!("/live/poll{query}")).await?.read_to_end(&mut body).await.ok()?;
    serde_json::from_slice::<Polled>(&body).ok().map(|polled| polled.frames)
}

/// A 200 answer, read up to its body; HTTP/1.0, so that the body ends with the connection.
async fn get(net: &Net, path: &str) -> Option<BufReader<impl tokio::io::AsyncRead + Unpin + use<>>> {
    let mut wire = net.connect()?;
    wire.write_all(format!("GET {path} HTTP/1.0\r\nHost: monitor\r\n\r\n").as_bytes()).await.ok()?;
    let mut stream = BufReader::new(wire);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    head.contains(" 200 ").then_some(stream)
}
