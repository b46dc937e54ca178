//! Test helper against quadratic running time: it fails if work on a longer text takes much more than proportionally
//! longer. It measures the CPU time of the current OS thread. `bombs.rs`, `hook_bombs.rs` and `many_agents.rs` use it.

#![allow(clippy::print_stdout, reason = "the figures are what the test is read for")]

use std::time::Duration;

/// CPU time of this thread: other work on the machine does not count.
fn own_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or_default(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

fn best_of(times: usize, text: &str, work: &impl Fn(&str)) -> Duration {
    let once = || {
        let start = own_time();
        work(text);
        own_time().saturating_sub(start)
    };
    (0..times).map(|_| once()).min().expect("at least once")
}

/// Texts of one pattern, by their size in bytes.
pub(crate) struct Pattern<'a> {
    pub(crate) name: &'a str,
    pub(crate) of: &'a dyn Fn(usize) -> String,
}

/// Short form: eight times the text takes at most 40 times as long (what is quadratic takes 64 times). Long form
/// (`TASK_HUB_SOAK`): twice the text takes at most 2.5 times as long.
pub(crate) fn grows_with_the_text<'a>(
    patterns: impl Iterator<Item = Pattern<'a>>,
    most_bytes: usize,
    work: impl Fn(&str),
) {
    let long = std::env::var_os("TASK_HUB_SOAK").is_some();
    let (times, factor, most) = if long { (25, 2, 2.5) } else { (3, 8, 40.0) };
    let floor = Duration::from_micros(if long { 150 } else { 500 });
    let (mut worst, mut slowest) = ((0.0_f64, String::new()), (Duration::ZERO, String::new()));
    for Pattern { name, of } in patterns {
        let (small, large) = (of(most_bytes / factor), of(most_bytes));
        let ratio = || {
            let took = best_of(times, &large, &work);
            (took, took.as_secs_f64() / best_of(times, &small, &work).max(floor).as_secs_f64())
        };
        // A machine that was busy with something else is asked again.
        let (took, ratio) = (0..5).map(|_| ratio()).find(|(_, ratio)| *ratio <= most).unwrap_or_else(ratio);
        assert!(ratio <= most, "{name:?}: {factor} × the text takes {ratio:.1} × the time ({took:?})");
        worst = if ratio > worst.0 { (ratio, name.to_owned()) } else { worst };
        slowest = slowest.max((took, name.to_owned()));
    }
    println!(
        "{factor} × the text: at most {:.2} × the time ({:?}); slowest {:?} ({:?})",
        worst.0, worst.1, slowest.0, slowest.1
    );
}
