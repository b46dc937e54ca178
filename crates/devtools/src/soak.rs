//! `make soak`: the long forms of the proofs. `make test` runs most of them in short; `fuzz` and `memory` only
//! run here.
//!
//! A proof that is a Rust test reads [`LONG`] and takes its long counts when it is set, so that short and long are one
//! piece of code.

mod fuzz;
mod memory;
mod overrides;

use std::time::Instant;

use anyhow::{Result, bail};

use crate::{bundle, clock, setup, shell};
use xtask::browser_tests::{self, LONG};

/// One claim of `docs/PROOFS.md` and what holds it to the truth.
struct Proof {
    name: &'static str,
    claim: &'static str,
    work: fn() -> Result<()>,
}

/// Cheap ones first.
const PROOFS: &[Proof] = &[
    Proof { name: "overrides", claim: "no acknowledged category change is lost", work: overrides::run },
    Proof {
        name: "law",
        claim: "any part of any story, cut anywhere and arriving in any order, gives the answers of the whole",
        work: || tests("coordination", "keep_the_law"),
    },
    Proof {
        name: "transcripts",
        claim: "log and transcripts in any order and in any pieces give the same: nothing twice, nothing lost",
        work: || {
            tests("coordination", "log_and_transcripts").and_then(|()| tests("coordination", "no_talk_is_too_odd"))
        },
    },
    Proof {
        name: "transcripts-cut",
        claim: "a transcript cut or damaged anywhere is read as far as it is one, within its caps",
        work: || {
            tests("coordination", "a_real_transcript_cut")
                .and_then(|()| tests("coordination", "a_damaged_transcript"))
                .and_then(|()| tests("coordination", "no_text_and_no_name"))
        },
    },
    Proof {
        name: "transcripts-large",
        claim: "of 5,000 sessions and a transcript of 500 MB no more bytes are read than the limits allow",
        work: || tests("task-monitor", "of_a_large_home"),
    },
    Proof {
        name: "schema",
        claim: "agents' events in any order and however often give the same, and the same natively and in wasm",
        work: || tests("coordination", "schema_law").and_then(|()| crate::alike::run()),
    },
    Proof {
        name: "delivery",
        claim: "each send ends in exactly one state, in whatever order its events arrive",
        work: || tests("coordination", "each_send_ends"),
    },
    Proof {
        name: "live",
        claim: "whatever happens to a tab's link, it ends up with what the server knows; status is a function of time",
        work: || tests("task-monitor", "core::live::tests"),
    },
    Proof {
        name: "browser",
        claim: "the same with 50 lives in a real Chromium, some of them through a Next.js host",
        work: || browser("link.spec"),
    },
    Proof {
        name: "window",
        claim: "1,000 pages, 2,000 changes of width, font and height move what is read by at most a pixel",
        work: || browser("window.spec"),
    },
    Proof { name: "nginx", claim: "the worked example behind nginx reads, lives and writes, and only so", work: nginx },
    Proof {
        name: "contract",
        claim: "whatever a v2 route is asked, it gives an answer that docs/openapi.json describes, and never a 500",
        work: || crate::contract::run(true),
    },
    Proof {
        name: "hostile",
        claim: "5,171 hostile texts in every wrapping and field run, load and add nothing; an unsafe renderer is noticed",
        work: || browser("hostile.spec"),
    },
    Proof {
        name: "schedules",
        claim: "whatever the writer does and whenever the monitor is killed, every line is delivered once, in order",
        work: || tests("task-monitor", "every_schedule").and_then(|()| tests("task-monitor", "killed_at_any_moment")),
    },
    Proof {
        name: "cuts",
        claim: "a log cut at any byte is whole once the rest is there",
        work: || tests("task-monitor", "a_log_cut_anywhere"),
    },
    Proof {
        name: "ingest",
        claim: "nothing acknowledged to a coding agent is lost or doubled, whenever the monitor is killed",
        work: || tests("task-monitor", "nothing_acknowledged_to_a_coding_agent"),
    },
    Proof {
        name: "mutants",
        claim: "100,000 mutated lines cost no good one and are all counted",
        work: || tests("task-monitor", "mutated_lines"),
    },
    Proof {
        name: "bombs",
        claim: "twice the text takes at most 2.5 times as long to read, whatever is written",
        work: || tests("coordination", "time_grows_with_the_text"),
    },
    Proof {
        name: "fuzz",
        claim: "nothing a log or a message can say makes a reader panic, lose a line or leave its caps",
        work: fuzz::run,
    },
    Proof {
        name: "million",
        claim: "1,000,000 events in twelve archives and the live file are counted exactly, before and after a restart",
        work: || tests("task-monitor", "a_long_history"),
    },
    Proof {
        name: "packed",
        claim: "packed lines answer as plain ones do, whatever happens to the hub",
        work: || tests("coordination", "packed_lines"),
    },
    Proof {
        name: "files",
        claim: "whatever stands under the names that are read and whatever is asked, no byte from outside gets out",
        work: || tests("task-monitor", "from_outside_the_home"),
    },
    Proof {
        name: "perimeter",
        claim: "of all names, origins, rights and types exactly the listed pass, and hostile pages get nothing",
        work: || tests("task-monitor", "web::tests::").and_then(|()| browser("perimeter.spec")),
    },
    Proof {
        name: "canary",
        claim: "no secret stands in anything the monitor says or writes",
        work: || browser("canary.spec"),
    },
    Proof {
        name: "hooks",
        claim: "settings get our hooks and lose them without trace; each event of a hook is delivered once, or kept once",
        work: || {
            tests("task-monitor", "in_and_out_again").and_then(|()| tests("task-monitor", "hooks_that_run_at_once"))
        },
    },
    Proof { name: "memory", claim: "a log that grows for minutes leaves memory flat", work: memory::run },
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
    cargo.env(LONG, "1").args(["test", "--release", "--locked", "-p", package, filter, "--", "--nocapture"]);
    shell::run(&mut cargo)
}
