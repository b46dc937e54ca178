//! Benchmark of the wait-for graph: who waits for one agent, among 300 agents with 10,000 open sends. The control is the
//! same question when every send was answered.

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
    let graph = |hub: &Hub| timed(|| drop(black_box(query::waits(hub, NOW, &query))));
    let home = |hub: &Hub| timed(|| drop(black_box(query::home(hub, NOW))));
    Ok(vec![
        Figure::of_rounds(
            "graph of 300 agents and 10,000 open sends",
            "ms",
            &alternate(ROUNDS, || Ok(graph(&waiting)), || Ok(graph(&answered)))?,
            "all answered",
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

/// Sends between agents, each in a thread of its own, within half a minute.
fn hub(answered: bool) -> Hub {
    let mut text = String::new();
    for number in 0..SENDS {
        // Each agent waits for agents with lower numbers: a deep chain without a cycle.
        let from = 1 + number % (AGENTS - 1);
        let to = number.wrapping_mul(7919) % from;
        let at = START_MS + i64::try_from(number).unwrap_or(0) * 3;
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
