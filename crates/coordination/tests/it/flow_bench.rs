//! Benchmark of a flow of 5,000 events, compared with a flow of 500 events in the same run. `make bench` prints it; no
//! time passes or fails.
#![allow(clippy::print_stdout, reason = "a bench")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use coordination::event::parse_lines;
use coordination::flow_layout::{LayoutOptions, layout};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::query;

const NOW: i64 = 1_771_651_020_000;
const ROUNDS: usize = 15;

/// A session of so many events: eight agents that ask and answer, with runs and tasks between.
fn hub(events: usize) -> Hub {
    let mut text = String::new();
    for number in 0..events {
        let at = NOW - i64::try_from(events - number).unwrap() * 20_000;
        let (from, to) = (number / 2 % 8, (number / 2 + 1 + number / 16 % 6) % 8);
        let (from, to) = if number % 2 == 0 { (from, to) } else { (to, from) };
        let (kind, more) = match number % 10 {
            8 => (
                "a2a.spawn",
                format!(r#","targetSessionKey":"agent:w:subagent:{number}","eventRole":"delegation.subagent""#),
            ),
            9 => ("task.updated", format!(r#","taskId":"task_{}""#, number % 70)),
            odd if odd % 2 == 1 => ("a2a.response", r#","eventRole":"conversation.main""#.to_owned()),
            _ => ("a2a.send", r#","eventRole":"conversation.main""#.to_owned()),
        };
        text.push_str(&format!(
            "{{\"type\":\"{kind}\",\"agentId\":\"a{from}\",\"ts\":{at},\"data\":{{\"fromAgent\":\"a{from}\",\"toAgent\":\"a{to}\",\
             \"message\":\"배포 상태를 확인해 주세요 {number}\",\"conversationId\":\"c{}\",\"workSessionId\":\"ws_1\"{more}}}}}\n",
            number / 2 % 40,
        ));
    }
    let mut hub = Hub::new();
    hub.apply(parse_lines(text.as_bytes(), "f", 0).0);
    hub
}

/// Middle times of asking and of placing.
fn measure(events: usize) -> (Duration, Duration) {
    let hub = hub(events);
    let id = SessionId::from("ws_1");
    let (mut query_times, mut layout_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let flow = query::flow(&hub, NOW, &id).unwrap();
        query_times.push(start.elapsed());
        let start = Instant::now();
        black_box(layout(&flow, &LayoutOptions { unfolded: &|_| false, day: &|at| at / 86_400_000 }));
        layout_times.push(start.elapsed());
        assert_eq!(flow.events().count(), events);
    }
    query_times.sort_unstable();
    layout_times.sort_unstable();
    (query_times[ROUNDS / 2], layout_times[ROUNDS / 2])
}

#[test]
#[ignore = "a bench: make bench"]
fn a_flow_of_five_thousand_events() {
    let (small, large) = (measure(500), measure(5_000));
    for (what, small, large) in [("asked for", small.0, large.0), ("laid out", small.1, large.1)] {
        let ratio = large.as_secs_f64() / small.as_secs_f64().max(1e-9);
        println!("bench\tbraid of 5,000 events, {what}\t{:.2} ms ({ratio:.1} × 500 events)", large.as_secs_f64() * 1e3);
    }
}
