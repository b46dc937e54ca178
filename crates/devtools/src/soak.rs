//! Command `make soak`: long runs of the tests that prove the claims of `docs/PROOFS.md`. `make test` runs most of
//! these tests in a short form; `fuzz` and `memory` run only here.
//!
//! A Rust test uses its long counts when the variable [`LONG_FORM_VARIABLE`] is set, so short and long form share their
//! code.

mod fuzz;
mod memory;
mod overrides;

use std::time::Instant;

use anyhow::{Result, bail};

use crate::{bundle, clock, setup, shell};
use xtask::browser_tests::{self, LONG_FORM_VARIABLE};

/// One claim of `docs/PROOFS.md` (`cargo run -p xtask -- proofs`) and its test.
struct Proof {
    name: &'static str,
    claim: &'static str,
    work: fn() -> Result<()>,
}

/// Cheap ones first.
const PROOFS: &[Proof] = &[
    Proof {
        name: "overrides",
        claim: "no acknowledged category change is lost: 1,000 changes by 50 clients over 200 kills",
        work: overrides::run,
    },
    Proof {
        name: "law",
        claim: "20,000 random parts of stories, in any order of arrival, give the answers of the whole",
        work: || tests("coordination", "keep_the_law"),
    },
    Proof {
        name: "transcripts",
        claim: "log and transcripts give the same result in any order and in any pieces: nothing twice, nothing lost",
        work: || {
            tests("coordination", "log_and_transcripts").and_then(|()| tests("coordination", "no_talk_is_too_odd"))
        },
    },
    Proof {
        name: "transcripts-cut",
        claim: "a transcript that is cut or damaged anywhere is read as far as it is valid, within its limits",
        work: || {
            tests("coordination", "a_real_transcript_cut")
                .and_then(|()| tests("coordination", "a_damaged_transcript"))
                .and_then(|()| tests("coordination", "no_text_and_no_name"))
        },
    },
    Proof {
        name: "transcripts-large",
        claim: "5,000 sessions and a transcript of 500 MB are read within fixed limits of bytes",
        work: || tests("task-monitor", "large_home_reads_stay_within_limits"),
    },
    Proof {
        name: "schema",
        claim: "agents' events in any order and with repetitions give the same result, natively and in wasm",
        work: || tests("coordination", "schema_law").and_then(|()| crate::alike::run()),
    },
    Proof {
        name: "delivery",
        claim: "each send of 50,000 random conversations ends in exactly one state, in any order of events",
        work: || tests("coordination", "each_send_ends"),
    },
    Proof {
        name: "live",
        claim: "after 2,000 connection lives per transport a tab equals the server; status depends on time alone",
        work: || tests("task-monitor", "core::live::tests"),
    },
    Proof {
        name: "browser",
        claim: "the same with 50 connection lives in Chromium, some of them through a Next.js host",
        work: || browser("link.spec"),
    },
    Proof {
        name: "window",
        claim: "1,000 pages and 2,000 changes of width, font and height move the message being read by at most a pixel",
        work: || browser("window.spec"),
    },
    Proof { name: "nginx", claim: "the nginx example reads, streams and writes, and allows nothing else", work: nginx },
    Proof {
        name: "caddy",
        claim: "the Caddy example reads, streams over TLS and names who writes, and allows nothing else",
        work: caddy,
    },
    Proof {
        name: "prometheus",
        claim: "Prometheus scrapes /metrics; promtool accepts it, the alert rules and the example configuration",
        work: prometheus,
    },
    Proof {
        name: "contract",
        claim: "every v2 route answers every request as docs/openapi.json describes, and never with a 500",
        work: || crate::contract::run(true),
    },
    Proof {
        name: "fleet",
        claim: "after 300 faults in ten minutes, at 2,000 lines a second, each machine of a fleet answers as its own monitor",
        work: || crate::fleet::run(true, None, None),
    },
    Proof {
        name: "hostile",
        claim: "5,171 hostile texts in every wrapping and field do nothing; an unsafe renderer is detected",
        work: || browser("hostile.spec"),
    },
    Proof {
        name: "schedules",
        claim: "over 10,000 schedules of writers and kills every line is delivered once, in order",
        work: || tests("task-monitor", "every_schedule").and_then(|()| tests("task-monitor", "killed_monitor_reads")),
    },
    Proof {
        name: "cuts",
        claim: "a log that was cut at any byte is read completely once the rest is written",
        work: || tests("task-monitor", "truncated_log_is_complete_after"),
    },
    Proof {
        name: "ingest",
        claim: "over 100 kills no acknowledged event of a coding agent is lost or doubled",
        work: || tests("task-monitor", "random_kills_keep_acknowledged_items"),
    },
    Proof {
        name: "mutants",
        claim: "100,000 damaged lines lose no good line, and each is counted",
        work: || tests("task-monitor", "mutated_lines"),
    },
    Proof {
        name: "bombs",
        claim: "twice the text takes at most 2.5 times as long to read",
        work: || tests("coordination", "time_grows_with_the_text"),
    },
    Proof {
        name: "fuzz",
        claim: "no log and no message makes a reader panic, lose a line or exceed its limits",
        work: fuzz::run,
    },
    Proof {
        name: "million",
        claim: "1,000,000 events in twelve archives and the live file are counted exactly, before and after a restart",
        work: || tests("task-monitor", "long_history_counts_exactly"),
    },
    Proof {
        name: "packed",
        claim: "packed lines give the same answers as plain ones, whatever happens to the hub",
        work: || tests("coordination", "packed_lines"),
    },
    Proof {
        name: "files",
        claim: "no byte from outside the home reaches an answer, whatever file is read and whatever is requested",
        work: || tests("task-monitor", "files::"),
    },
    Proof {
        name: "perimeter",
        claim: "exactly the listed hosts, origins, rights and content types pass; hostile pages get nothing",
        work: || tests("task-monitor", "web::tests::").and_then(|()| browser("perimeter.spec")),
    },
    Proof {
        name: "canary",
        claim: "no secret is in anything that the monitor sends or writes",
        work: || browser("secret-leak.spec"),
    },
    Proof {
        name: "hooks",
        claim: "hooks are installed and removed without trace; each hook event is delivered once or stored once",
        work: || {
            tests("task-monitor", "install_then_uninstall")
                .and_then(|()| tests("task-monitor", "concurrent_hooks_write"))
        },
    },
    Proof {
        name: "memory",
        claim: "a log that grows for minutes is followed without lag or loss, in memory in proportion to its events",
        work: memory::run,
    },
];

/// A browser spec in its long form, with all it needs.
fn browser(spec: &str) -> Result<()> {
    let tools = setup::for_bundle()?;
    setup::for_tests()?;
    bundle::build(&tools)?;
    browser_tests::build_monitor()?;
    browser_tests::long_form(spec)
}

/// The example of `docs/deploy/`, with nginx from Debian where none is.
fn nginx() -> Result<()> {
    setup::for_proxying()?;
    browser("nginx.spec")
}

/// The same for Caddy.
fn caddy() -> Result<()> {
    setup::program("caddy", setup::Need::Caddy)?;
    browser("caddy.spec")
}

/// The examples of `docs/deploy/`, with Prometheus from Debian where none is.
fn prometheus() -> Result<()> {
    setup::for_metrics()?;
    browser("prometheus.spec")
}

/// Runs the proofs whose name holds one of `wanted`, or all; every one runs, whatever the others say.
pub fn run(wanted: &[String]) -> Result<()> {
    let chosen: Vec<&Proof> = PROOFS
        .iter()
        .filter(|proof| wanted.is_empty() || wanted.iter().any(|word| proof.name.contains(word)))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = PROOFS.iter().map(|proof| proof.name).collect();
        bail!("no such proof; there are: {}", names.join(", "));
    }
    let mut failed = Vec::new();
    for proof in &chosen {
        shell::say(&format!("{}: {}", proof.name, proof.claim));
        let start = Instant::now();
        let outcome = (proof.work)();
        let took = clock::words(start.elapsed());
        match outcome {
            Ok(()) => shell::say(&format!("{}: holds ({took})", proof.name)),
            Err(error) => {
                shell::say(&format!("{}: FAILED ({took}): {error:#}", proof.name));
                failed.push(proof.name);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("soak: {} of {} proofs failed: {}", failed.len(), chosen.len(), failed.join(", "))
}

/// Rust tests of one package whose name holds `filter`, in their long form.
fn tests(package: &str, filter: &str) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.env(LONG_FORM_VARIABLE, "1").args([
        "test",
        "--release",
        "--locked",
        "-p",
        package,
        filter,
        "--",
        "--nocapture",
    ]);
    shell::run(&mut cargo)
}
