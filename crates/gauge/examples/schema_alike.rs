//! Program that shows whether the code of event schema 1.1 gives equal results in a native and in a wasm build. It
//! processes many valid and invalid inputs and computes digests of the results. `cargo run -q -p xtask -- alike`
//! compares the digests of the two builds.
#![allow(unreachable_pub, reason = "exported to JavaScript")]
#![cfg_attr(
    not(target_arch = "wasm32"),
    allow(clippy::print_stdout, reason = "its answer goes to the program that started it")
)]

use coordination::digest::digest_hex;
use coordination::schema::hook::Capture;
use coordination::schema::{
    Changed, Defaults, EventProducer, EventTimeline, Kind, Ledger, SchemaInput, canonical, check, from_coordination,
    read_item_with, schema_error, to_coordination, write_item,
};
use serde_json::{Map, Value, json};

/// Recorded sessions of coding agents.
const SESSIONS: [&str; 4] = [
    include_str!("../../../fixtures/claude-code/team.ndjson"),
    include_str!("../../../fixtures/claude-code/real/2.1.197-team.ndjson"),
    include_str!("../../../fixtures/claude-code/real/2.1.197-panes.ndjson"),
    include_str!("../../../fixtures/claude-code/real/2.1.330-team.ndjson"),
];
/// Number of inputs.
const INPUT_COUNT: u64 = 3_000;
/// 2026-02-13T15:00:00Z.
const START_MS: u64 = 1_770_994_800_000;

/// A generator that is the same everywhere (xorshift64*).
struct SchemaRandom(u64);

impl SchemaRandom {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) % most
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        usize::try_from(self.below(of.len() as u64)).ok().and_then(|at| of.get(at)).copied().unwrap_or_default()
    }

    fn value(&mut self) -> Value {
        match self.below(9) {
            0 => Value::Null,
            1 => json!(self.below(300)),
            2 => json!(self.below(1 << 40) as f64 / 7.0),
            3 => json!([self.one(&AGENTS), self.one(&AGENTS)]),
            4 => json!("한글 😀 ".repeat(self.below(900) as usize)),
            5 => json!({"path": "ts", "code": self.below(9)}),
            6 => json!(u64::MAX - self.below(9)),
            _ => json!(self.one(&["permission", "failed", "leader", "subagent", "t1", "결과", "", "\u{7}"])),
        }
    }

    fn input(&mut self) -> Value {
        let kinds: Vec<&str> = Kind::ALL.iter().map(Kind::as_str).collect();
        let mut payload = Map::from_iter([
            ("summary".to_owned(), json!("요약")),
            ("tool_name".to_owned(), json!("Bash")),
            ("exit_code".to_owned(), json!(1)),
            ("error_message".to_owned(), json!("x")),
            ("participants".to_owned(), json!(["core/leader", "core/worker-1"])),
            ("errors".to_owned(), json!([{"path": "ts", "code": "format"}])),
        ]);
        for _ in 0..self.below(4) {
            let name = self.one(&[
                "summary",
                "message",
                "state",
                "reason",
                "native_agent_id",
                "agent_kind",
                "errors",
                "participants",
                "tool_use_id",
            ]);
            payload.insert(name.to_owned(), self.value());
        }
        let at = i64::try_from(START_MS + self.below(60_000)).unwrap_or_default();
        let mut event = json!({
            "id": format!("evt_{}", self.below(INPUT_COUNT)), "version": self.one(&["1.1", "1.1", "1.1", "1.0", "1.3", "2.0"]),
            "ts": coordination::time::to_iso(at), "type": self.one(&kinds), "source": self.one(&["hook", "sdk", "synthetic"]),
            "agent_id": self.one(&AGENTS), "target_agent_id": self.one(&AGENTS), "task_id": "task_1", "payload": payload,
            "raw": {"event_name": self.one(&["PreToolUse", "SubagentStart", "TaskCreated"])},
        });
        if self.below(6) == 0 {
            event[self.one(&["id", "ts", "type", "agent_id", "payload", "raw", "locale", "later"])] = self.value();
        }
        event
    }
}

const AGENTS: [&str; 4] = ["core/leader", "core/worker-1", "Core/Explore-12ab34", "task-hub/leader"];

/// One line a step: its name and the digest of its output.
fn event_digests() -> String {
    let defaults = Defaults { workspace_id: "repo_a", terminal_session_id: "term_1", locale: "ko-KR", arrived_at: 0 };
    let mut dice = SchemaRandom(0x9E37_79B9_7F4A_7C15);
    let (mut book, mut checked, mut steps) = (EventTimeline::default(), String::new(), String::new());
    let mut taken = 0_u64;
    for number in 0..INPUT_COUNT {
        let input = dice.input();
        let event = match check(&input, &defaults) {
            Ok(event) => {
                taken += 1;
                event
            }
            Err(faults) => {
                checked.push_str(&canonical(&json!(faults)));
                schema_error(&faults, &input, "api", i64::try_from(START_MS + number).unwrap_or_default())
            }
        };
        checked.push_str(&canonical(&json!(event)));
        let from = if dice.below(2) == 0 { EventProducer::Hooks } else { EventProducer::External };
        let changed = book.put(vec![event], from);
        steps.push_str(&canonical(&json!([changed.put, changed.removed])));
    }
    let events: Vec<Value> = book.events().map(|event| json!(event)).collect();
    let agents: Vec<Value> = book.agents().map(|agent| json!(agent)).collect();
    let lines: Vec<Value> = book.events().flat_map(to_coordination).collect();
    let bare = |line: &Value| {
        let mut line = line.clone();
        line["data"]["origin"] = Value::Null;
        line
    };
    let back: Vec<Value> =
        lines.iter().filter_map(|line| from_coordination(&bare(line), 1)).map(|event| json!(event)).collect();
    let counts = json!([taken, book.len(), book.conflicts(), agents.len(), lines.len(), back.len()]);
    let digest = |text: &str| digest_hex(text, 64);
    let list_digest = |values: Vec<Value>| digest(&canonical(&Value::Array(values)));
    format!(
        "counts {counts}\nchecked {}\nsteps {}\nevents {}\nagents {}\nlines {}\nback {}",
        digest(&checked),
        digest(&steps),
        list_digest(events),
        list_digest(agents),
        list_digest(lines),
        list_digest(back),
    )
}

/// The recorded sessions as they may come: in pieces out of order, some twice, some without a time or with another field,
/// and the clock advances meanwhile. One line a step.
fn hook_digests() -> String {
    let defaults = Defaults { workspace_id: "repo_a", terminal_session_id: "term_1", locale: "ko-KR", arrived_at: 0 };
    let mut dice = SchemaRandom(0x2545_F491_4F6C_DD1D);
    let (mut stored_inputs, mut refused, mut steps, mut ledger_states) =
        (String::new(), 0_u64, String::new(), Vec::new());
    for level in [Capture::None, Capture::Summary, Capture::Full] {
        let mut inputs: Vec<SchemaInput> = Vec::new();
        for line in SESSIONS.iter().flat_map(|session| session.lines()) {
            let mut item: Value = serde_json::from_str(line).unwrap_or_default();
            match dice.below(12) {
                0 => item["received_at"] = Value::Null,
                1 => {
                    item["payload"][dice.one(&["agent_id", "tool_response", "tool_input", "prompt", "session_id"])] =
                        dice.value()
                }
                _ => {}
            }
            match read_item_with(&item, &Defaults { arrived_at: 1_770_994_800_000, ..defaults }, level) {
                Ok(input) => {
                    stored_inputs.push_str(&canonical(&write_item(&input)));
                    inputs.push(input);
                }
                Err(_) => refused += 1,
            }
        }
        let mut ledger = Ledger::default();
        let mut step = |changed: Changed| steps.push_str(&canonical(&json!([changed.put, changed.removed])));
        let mut piece = Vec::new();
        for number in 0..inputs.len() {
            // Near its place, so that not everything is folded again each time.
            let other = number.saturating_sub(usize::try_from(dice.below(20)).unwrap_or_default());
            inputs.swap(number, other);
        }
        for input in &inputs {
            piece.push(input.clone());
            if dice.below(9) == 0 {
                piece.push(input.clone());
                step(ledger.take(std::mem::take(&mut piece)));
                step(ledger.settle(input.at));
            }
        }
        step(ledger.take(piece));
        step(ledger.settle(i64::MAX));
        let counts = ledger.hooks().counts();
        ledger_states.push(json!([
            ledger.timeline().events().collect::<Vec<_>>(),
            ledger.timeline().agents().collect::<Vec<_>>(),
            counts
        ]));
    }
    let digest = |text: &str| digest_hex(text, 64);
    format!(
        "refused {refused}\nkept {}\nfolded {}\nhooked {}",
        digest(&stored_inputs),
        digest(&steps),
        digest(&canonical(&json!(ledger_states)))
    )
}

#[cfg(target_arch = "wasm32")]
mod module {
    use wasm_bindgen::prelude::wasm_bindgen;

    /// The digests.
    #[wasm_bindgen]
    #[must_use]
    pub fn digests() -> String {
        format!("{}\n{}", super::event_digests(), super::hook_digests())
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("{}\n{}", event_digests(), hook_digests());
}
