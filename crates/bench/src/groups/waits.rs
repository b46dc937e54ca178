//! Benchmark of the wait-for graph: who waits for one agent, among 300 agents with 10,000 open sends. The control of the
//! graph is a plain hash map of the same pairs, that of home the same question when every send was answered.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, ensure};
use coordination::api::WaitsQuery;
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;

use super::Setting;
use crate::figure::{Figure, alternate, ms};

const AGENTS: usize = 300;
const SENDS: usize = 10_000;
const START_MS: i64 = 1_771_500_000_000;
const NOW: i64 = START_MS + 60_000;
const ROUNDS: usize = 15;

pub fn figures(_: &Setting) -> Result<Vec<Figure>> {
    let (waiting, answered) = (hub(false), hub(true));
    let query = WaitsQuery { agent: Some("agent-0".into()) };
    let shown = query::waits(&waiting, NOW, &query);
    let is_whole = shown.agents_total == count(AGENTS) && shown.waits_total > 0;
    ensure!(is_whole, "{} agents wait, not {AGENTS}", shown.agents_total);
    ensure!(query::waits(&answered, NOW, &query).agents.is_empty(), "somebody waits for an answer that was given");
    let graph = || timed(|| drop(black_box(query::waits(&waiting, NOW, &query))));
    let plain_map = || {
        timed(|| {
            let mut pairs: HashMap<(usize, usize), (usize, i64)> = HashMap::new();
            for (from, to, at) in sends() {
                let (times, since) = pairs.entry((from, to)).or_insert((0, at));
                (*times, *since) = (*times + 1, at.min(*since));
            }
            drop(black_box(pairs));
        })
    };
    let home = |hub: &Hub| timed(|| drop(black_box(query::home(hub, NOW))));
    Ok(vec![
        Figure::of_rounds(
            "graph of 300 agents and 10,000 open sends",
            "ms",
            &alternate(ROUNDS, || Ok(graph()), || Ok(plain_map()))?,
            "a hash map of these pairs",
        ),
        Figure::of_rounds(
            "home of them",
            "ms",
            &alternate(ROUNDS, || Ok(home(&waiting)), || Ok(home(&answered)))?,
            "all answered",
        ),
    ])
}

fn timed(work: impl Fn()) -> f64 {
    // Lines that are shown are parsed once and kept.
    work();
    let start = Instant::now();
    work();
    ms(start.elapsed())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Sender, receiver and time of each send, within half a minute. Each agent waits for agents with lower numbers: a deep
/// chain without a cycle.
fn sends() -> impl Iterator<Item = (usize, usize, i64)> {
    (0..SENDS).map(|number| {
        let from = 1 + number % (AGENTS - 1);
        (from, number.wrapping_mul(7919) % from, START_MS + i64::try_from(number).unwrap_or(0) * 3)
    })
}

/// These sends, each in a thread of its own.
fn hub(answered: bool) -> Hub {
    let mut text = String::new();
    for (number, (from, to, at)) in sends().enumerate() {
        let talk = |from: usize, to: usize| {
            format!(
                r#""fromAgent":"agent-{from}","toAgent":"agent-{to}","conversationId":"c{number}","workSessionId":"ws-{}","eventRole":"conversation.main","fromSessionType":"main","toSessionType":"main""#,
                number / 50
            )
        };
        let line = |kind: &str, agent: usize, at: i64, talk: &str| {
            format!(
                r#"{{"type":"{kind}","agentId":"agent-{agent}","ts":{at},"data":{{{talk},"message":"확인 부탁"}}}}"#
            )
        };
        text += &line("a2a.send", from, at, &talk(from, to));
        text.push('\n');
        if answered {
            text += &line("a2a.response", to, at + 1, &talk(to, from));
            text.push('\n');
        }
    }
    let mut hub = Hub::new();
    hub.apply(parse_lines(text.as_bytes(), "f", 0).0);
    hub
}
