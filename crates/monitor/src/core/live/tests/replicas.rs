//! Randomised tests of a tab that moves between two processes of a fleet, which read the same streams at their own pace. A
//! page that asks only for what its tab was said to have changed shows what the process would answer.
//!
//! Proves (live): A browser that loses one process of a fleet continues at another one: it gets the list of what changed since
//! its position in the streams, and has the state of the server in the end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use coordination::api::ThreadSummary;
use coordination::event::Event;
use coordination::hub::Changes;
use coordination::link::{LinkClient, OpenRequest, Order};
use coordination::view::LiveChanges;
use coordination::{query, roster};

use super::{LiveTestRandom, NOW, soaks, talk, virtual_time};
use crate::clock::ServerClock;
use crate::core::live::{HubMemory, Live, Next, Publisher, StreamRequest, Subscription};
use crate::inputs::{InputPosition, InputReader, Looked, WrittenInputs};

/// Frames that a replica keeps.
const FRAMES: usize = 64;
const SESSIONS: u64 = 6;
const READERS: [InputReader; InputReader::COUNT] =
    [InputReader::Log, InputReader::Files, InputReader::Decisions, InputReader::AgentEvents, InputReader::Transcripts];

/// A message of the stream of logs, or one about another machine in the stream of files.
#[derive(Clone)]
enum StreamMessage {
    Lines(Vec<Event>),
    Other,
}

/// One process that mirrors the home.
struct Replica {
    live: Arc<Live>,
    publisher: Publisher,
    written: WrittenInputs,
    /// Messages that are on its disk, and that its hub has.
    taken: usize,
    read: usize,
}

impl Replica {
    fn start(name: &str, clock: ServerClock, messages: &[StreamMessage]) -> Self {
        let live = Arc::new(Live::with_window(FRAMES, name.to_owned(), clock, &HubMemory::default()));
        let written = WrittenInputs::default();
        let start = InputPosition::start("1-2");
        let mut end = start.clone();
        end.pass_log(messages.len() as u64);
        end.pass_state(messages.len() as u64);
        // It knows only what it saved, and reads all messages again: they change nothing.
        written.restart(start, end);
        live.follow_inputs(written.clone());
        live.write(|hub| hub.set_roster(roster::Roster::default()));
        let mut replica = Self { live, publisher: Publisher::default(), written, taken: 0, read: 0 };
        replica.take(messages, messages.len());
        for message in messages {
            replica.apply(message);
        }
        replica.read = messages.len();
        replica.publisher.restart(&replica.live);
        replica
    }

    fn apply(&self, message: &StreamMessage) -> Changes {
        match message {
            StreamMessage::Lines(events) => self.live.write(|hub| hub.apply(events.clone())),
            StreamMessage::Other => Changes::default(),
        }
    }

    /// Writes the next messages.
    fn take(&mut self, messages: &[StreamMessage], count: usize) {
        for message in messages.iter().skip(self.taken).take(count) {
            self.taken += 1;
            let sequence = self.taken as u64;
            let pass = |position: &mut InputPosition| match message {
                StreamMessage::Lines(_) => position.pass_log(sequence),
                StreamMessage::Other => position.pass_state(sequence),
            };
            self.written.begin(pass);
            self.written.finish(pass);
        }
    }

    /// Its readers look, `most` messages reach the hub, and a frame goes out. `readers`: a bit for each that reports.
    fn look(&mut self, messages: &[StreamMessage], most: usize, readers: u64) {
        let begun = self.written.done();
        let upto = self.taken.min(self.read.saturating_add(most));
        let mut changes = Changes::default();
        for message in messages.get(self.read..upto).unwrap_or_default() {
            changes.merge(self.apply(message));
        }
        self.read = upto;
        if let Some(position) = begun.filter(|_| self.read == self.taken) {
            for reader in READERS.into_iter().filter(|reader| readers >> (*reader as u64) & 1 == 1) {
                self.live.note_looked(Looked { reader, position: position.clone() }, true);
            }
        }
        if !changes.is_empty() {
            self.publisher.publish(&self.live, &changes);
        }
        self.publisher.check_time(&self.live);
        self.publisher.publish_due_home(&self.live);
        self.live.note_published();
    }

    /// What a page of this session shows.
    fn answer(&self, session: u64) -> Option<Vec<ThreadSummary>> {
        let hub = self.live.hub();
        query::session(&hub, self.live.now(), &format!("ws_{session}").as_str().into()).map(|detail| detail.threads)
    }
}

/// A tab that shows all sessions and asks for what its frames touch.
struct ReplicaTab {
    client: LinkClient,
    open: Option<(u64, Subscription)>,
    /// The replica that it reaches.
    at: usize,
    shown: BTreeMap<u64, Option<Vec<ThreadSummary>>>,
    continued: u64,
    began: u64,
}

impl ReplicaTab {
    fn device(&self, clock: &ServerClock) -> i64 {
        clock.now_ms()
    }

    async fn follow(&mut self, order: Option<Order>, replicas: &[Replica]) {
        match order {
            Some(Order::Open(OpenRequest { generation, cursor, .. })) => {
                let request = StreamRequest { cursor, patches: true, shown: None };
                let subscription = Subscription::open(&replicas[self.at].live, request).await;
                self.open = Some((generation, subscription));
            }
            Some(Order::Close) => self.open = None,
            None => {}
        }
    }

    /// Reads what is there, and asks for what it touched.
    async fn pump(&mut self, replicas: &[Replica], clock: &ServerClock) {
        loop {
            let now = self.device(clock);
            let Some((generation, subscription)) = &mut self.open else { return };
            let generation = *generation;
            let next = tokio::time::timeout(Duration::from_millis(1), subscription.next()).await;
            let order = match &next {
                Ok(Next::Frame(text)) => self.client.text(now, generation, text.as_str()),
                Ok(Next::End(_)) => self.client.ended(now, generation),
                Err(_) => None,
            };
            let is_quiet = next.is_err() && order.is_none();
            self.follow(order, replicas).await;
            let order = self.client.settle(now);
            self.follow(order, replicas).await;
            let change = self.client.news().change;
            self.refetch(&change, replicas);
            if is_quiet {
                return;
            }
        }
    }

    fn refetch(&mut self, change: &LiveChanges, replicas: &[Replica]) {
        self.continued += u64::from(change.moved && !change.everything);
        self.began += u64::from(change.everything);
        for session in 0..SESSIONS {
            if change.touches_session(&format!("ws_{session}").as_str().into()) {
                self.shown.insert(session, replicas[self.at].answer(session));
            }
        }
    }

    /// Loses its process and finds another one.
    async fn hop(&mut self, replicas: &[Replica], clock: &ServerClock) {
        let Some((generation, _)) = self.open.take() else { return };
        self.at = (self.at + 1) % replicas.len();
        let order = self.client.ended(self.device(clock), generation);
        self.follow(order, replicas).await;
    }
}

struct ReplicaLife {
    random: LiveTestRandom,
    clock: ServerClock,
    messages: Vec<StreamMessage>,
    replicas: Vec<Replica>,
    tab: ReplicaTab,
    number: u64,
    starts: u64,
}

impl ReplicaLife {
    fn new(seed: u64) -> Self {
        let (clock, _) = ServerClock::settable(NOW);
        let replicas = ["a", "b"].map(|name| Replica::start(name, clock, &[])).into();
        let tab = ReplicaTab {
            client: LinkClient::new(seed),
            open: None,
            at: 0,
            shown: BTreeMap::new(),
            continued: 0,
            began: 0,
        };
        Self { random: LiveTestRandom::new(seed), clock, messages: vec![], replicas, tab, number: 0, starts: 0 }
    }

    fn send(&mut self) {
        let message = if self.random.below(4) == 0 {
            StreamMessage::Other
        } else {
            let events = (0..=self.random.below(2)).map(|_| {
                self.number += 1;
                let kind = if self.random.below(2) == 0 { "a2a.send" } else { "a2a.response" };
                let late = if self.random.below(5) == 0 { self.random.below(600_000) } else { 0 };
                let at = self.clock.now_ms() - i64::try_from(late).expect("small");
                talk(self.number, self.random.below(SESSIONS), at, kind)
            });
            StreamMessage::Lines(events.collect())
        };
        self.messages.push(message);
    }

    async fn pass(&mut self, time: Duration) {
        let seconds = time.as_secs().max(1);
        for _ in 0..seconds {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let order = self.tab.client.tick(self.clock.now_ms());
            self.tab.follow(order, &self.replicas).await;
            self.tab.pump(&self.replicas, &self.clock).await;
        }
    }

    async fn step(&mut self) {
        let which = usize::try_from(self.random.below(2)).expect("small");
        match self.random.below(16) {
            0..=4 => self.send(),
            5..=9 => {
                let count = usize::try_from(self.random.below(4)).expect("small");
                self.replicas[which].take(&self.messages, count);
                let most = usize::try_from(self.random.below(4)).expect("small");
                let readers = self.random.below(1 << InputReader::COUNT);
                self.replicas[which].look(&self.messages, most, readers);
            }
            10..=12 => self.tab.hop(&self.replicas, &self.clock).await,
            13 if self.random.below(6) == 0 => {
                self.starts += 1;
                let taken = self.replicas[which].taken;
                let name = format!("again{}", self.starts);
                self.replicas[which] = Replica::start(&name, self.clock, &self.messages[..taken]);
                if self.tab.at == which {
                    self.tab.hop(&self.replicas, &self.clock).await;
                }
            }
            _ => {
                let time = Duration::from_secs(self.random.below(40));
                self.pass(time).await;
            }
        }
        self.tab.pump(&self.replicas, &self.clock).await;
    }

    /// All is read everywhere, and the link is open.
    async fn end(&mut self) {
        for _ in 0..120 {
            for replica in &mut self.replicas {
                replica.take(&self.messages, usize::MAX);
                replica.look(&self.messages, usize::MAX, u64::MAX);
            }
            self.pass(Duration::from_secs(1)).await;
        }
    }
}

async fn live(seed: u64) -> (u64, u64) {
    let mut life = ReplicaLife::new(seed);
    // So long that what passing time changes cannot be what is missing.
    let order = life.tab.client.start(life.clock.now_ms());
    life.tab.follow(order, &life.replicas).await;
    life.pass(Duration::from_secs(90)).await;
    for _ in 0..60 {
        life.step().await;
    }
    life.end().await;
    let replica = &life.replicas[life.tab.at];
    for session in 0..SESSIONS {
        let shown = life.tab.shown.get(&session).cloned().flatten();
        assert_eq!(shown, replica.answer(session), "seed {seed}: session {session}");
    }
    let view = life.tab.client.view().expect("a view");
    let fresh = query::snapshot(&replica.live.hub(), replica.live.now());
    let ids = |cards: &[coordination::api::SessionCard]| -> Vec<_> {
        cards.iter().map(|card| (card.work_session_id.clone(), card.last_time)).collect()
    };
    assert_eq!(ids(&view.sessions), ids(&fresh.sessions), "seed {seed}");
    (life.tab.continued, life.tab.began)
}

#[test]
fn tab_continues_at_another_process_of_a_fleet() {
    let (mut continued, mut began) = (0, 0);
    for seed in 1..=if soaks() { 3_000 } else { 60 } {
        let (some, all) = virtual_time().block_on(live(seed));
        continued += some;
        began += all;
    }
    println!("{continued} moves with a list of changes, {began} without");
    // One without for each tab's first connection, and for those that come to a process that has just started.
    assert!(continued > 50, "{continued} moves with a list of changes, {began} without");
}
