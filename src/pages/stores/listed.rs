//! Division of the list of stored sessions into chunks of at most 40 rows, of which only those near the viewport are
//! drawn. A hash of each row's key decides whether a chunk ends there, so that a row with a new position changes few
//! chunks.

/// A run ends after about this many rows, decided by a hash of their keys.
const RUN_ROWS: u64 = 12;
/// Rows of a run at most.
const MAX_RUN_ROWS: usize = 40;

/// The keys as runs.
pub(super) fn runs(keys: impl IntoIterator<Item = String>) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = Vec::new();
    let mut ended = true;
    for key in keys {
        if ended {
            out.push(Vec::new());
        }
        ended = ends_run(&key);
        if let Some(run) = out.last_mut() {
            run.push(key);
            ended |= run.len() >= MAX_RUN_ROWS;
        }
    }
    out
}

fn ends_run(key: &str) -> bool {
    let hash = key
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 20).is_multiple_of(RUN_ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: usize) -> Vec<String> {
        (0..count).map(|n| format!("agent:eden:subagent:{n}")).collect()
    }

    #[test]
    fn runs_stay_short_without_losing_rows() {
        let all = runs(keys(5_000));
        assert_eq!(all.concat(), keys(5_000));
        assert!(all.iter().all(|run| !run.is_empty() && run.len() <= MAX_RUN_ROWS));
        assert!(all.len() < 900, "{} runs", all.len());
        assert!(runs(Vec::new()).is_empty());
    }

    #[test]
    fn moving_session_changes_few_runs() {
        let before = runs(keys(5_000));
        let mut moved = keys(5_000);
        let one = moved.remove(3_000);
        moved.insert(0, one);
        let after = runs(moved);
        let new = after.iter().filter(|run| !before.contains(run)).count();
        assert!(new <= 16, "{new} of {} runs are redrawn", after.len());
    }
}
