//! What questions cost, each asked in turn with a control that costs next to nothing: on a busy machine the ratio says
//! more than the time.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::{http, ms, percentile, row};

const ROUNDS: usize = 60;
/// Connection, routing and a small answer, and nothing else.
const CONTROL: &str = "/api/v2/health";

/// A question with the goals for its median and its size.
struct Question {
    name: &'static str,
    path: &'static str,
    goal: &'static str,
    bytes_goal: &'static str,
}

const QUESTIONS: [Question; 8] = [
    Question {
        name: "v2/sessions first page",
        path: "/api/v2/sessions?limit=50",
        goal: "≤ 5 ms",
        bytes_goal: "≤ 60 KB",
    },
    Question {
        name: "v2/sessions?q= (배포)",
        path: "/api/v2/sessions?limit=50&q=%EB%B0%B0%ED%8F%AC",
        goal: "",
        bytes_goal: "",
    },
    // Whatever the log, no session holds it: every message is looked at.
    Question { name: "v2/sessions?q= (nothing)", path: "/api/v2/sessions?limit=50&q=zqxjkv", goal: "", bytes_goal: "" },
    Question { name: "v2/home", path: "/api/v2/home", goal: "", bytes_goal: "" },
    Question { name: "v2/tasks first page", path: "/api/v2/tasks?limit=100", goal: "", bytes_goal: "" },
    Question { name: "v2/events?q= (배포)", path: "/api/v2/events?q=%EB%B0%B0%ED%8F%AC", goal: "", bytes_goal: "" },
    Question { name: "v2/events?q= (deploy)", path: "/api/v2/events?q=deploy", goal: "", bytes_goal: "" },
    Question {
        name: "1.x work-sessions",
        path: "/api/work-sessions?role=conversation.main&limit=100",
        goal: "",
        bytes_goal: "",
    },
];

/// A row for the median beside that of the control, and one for the bytes, of each question.
pub fn rows(port: u16) -> Result<Vec<[String; 3]>> {
    let mut rows = Vec::new();
    for question in &QUESTIONS {
        let (mut times, mut controls, mut bytes) = (Vec::new(), Vec::new(), 0);
        for _ in 0..ROUNDS {
            let (control, _) = ask(port, CONTROL)?;
            let (time, size) = ask(port, question.path)?;
            controls.push(control);
            times.push(time);
            bytes = size;
        }
        let (middle, control) = (percentile(&mut times, 50), percentile(&mut controls, 50));
        let ratio = middle.as_secs_f64() / control.as_secs_f64().max(f64::EPSILON);
        let Question { name, goal, bytes_goal, .. } = question;
        rows.push(row(&format!("{name}, p50"), &format!("{} ({ratio:.1} × health)", ms(middle)), goal));
        rows.push(row(&format!("{name}, p99"), &ms(percentile(&mut times, 99)), ""));
        rows.push(row(&format!("{name}, bytes"), &format!("{:.1} KB", bytes as f64 / 1000.0), bytes_goal));
    }
    Ok(rows)
}

fn ask(port: u16, path: &str) -> Result<(Duration, usize)> {
    let start = Instant::now();
    let answer = http::get(port, path)?;
    if answer.status != 200 {
        bail!("{path} answered {}", answer.status);
    }
    Ok((start.elapsed(), answer.body.len()))
}
