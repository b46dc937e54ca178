//! Benchmark of the drift query and the home query over 10,000 sessions, each compared with a tenth of the sessions in
//! the same run. `make bench` prints it; no time passes or fails.
#![allow(clippy::print_stdout, reason = "a bench")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use coordination::api::PeriodsQuery;
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;

const NOW: i64 = 1_771_651_020_000;
const ROUNDS: usize = 25;

/// So many sessions of a year, every third with a title that others have.
fn hub(sessions: usize) -> Hub {
    let texts = ["법무 계약 검토, 개인정보 compliance", "코드 구현 버그 수정 API 개발", "음", "회의록 정리해서 문서로"];
    let mut text = String::new();
    for number in 0..sessions {
        let at = NOW - i64::try_from((sessions - number) * 31_536_000 / sessions).unwrap() * 1_000;
        let title = if number % 3 == 0 { number % 300 } else { number };
        text.push_str(&format!(
            "{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":{at},\"data\":{{\"fromAgent\":\"eden\",\"toAgent\":\"seum\",\
             \"message\":\"{}\",\"label\":\"정기 작업 {title}\",\"eventRole\":\"conversation.main\",\"workSessionId\":\"ws_{number}\",\
             \"conversationId\":\"c{number}\"}}}}\n",
            texts[number % texts.len()],
        ));
    }
    let mut hub = Hub::new();
    hub.apply(parse_lines(text.as_bytes(), "f", 0).0);
    hub
}

/// Middle time.
fn middle(mut ask: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            ask();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

fn measure(sessions: usize) -> (Duration, Duration) {
    let hub = hub(sessions);
    let query = PeriodsQuery { since: None, offset_min: 540 };
    assert_eq!(query::drift(&hub, NOW, &query).all.sessions as usize, sessions);
    let drift = middle(|| _ = black_box(query::drift(&hub, NOW, &query)));
    (drift, middle(|| _ = black_box(query::home(&hub, NOW))))
}

#[test]
#[ignore = "a bench: make bench"]
fn the_drift_of_ten_thousand_sessions() {
    let (small, large) = (measure(1_000), measure(10_000));
    for (what, small, large) in [("drift", small.0, large.0), ("home", small.1, large.1)] {
        let ratio = large.as_secs_f64() / small.as_secs_f64().max(1e-9);
        println!("bench\t{what} of 10,000 sessions\t{:.2} ms ({ratio:.1} × 1,000 sessions)", large.as_secs_f64() * 1e3);
    }
}
