//! Test of many agents in `openclaw.json`: for eight times the agents, polls of the workspace, store and transcript
//! readers take at most 24 times the CPU time (quadratic cost would be 64 times).
//!
//! Proves (log): The cost of reading `openclaw.json` and all folders grows in proportion to the number of agents.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use task_monitor::home::HomeDir;
use task_monitor::sources::{store, transcripts, workspace};

/// Time that this thread was given, without the time of other processes.
fn own_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or_default(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// Durations of a first and a second look of all readers.
fn looks(agents: usize) -> Duration {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join(".openclaw");
    fs::create_dir_all(&root).expect("a home");
    let list: Vec<String> = (0..agents).map(|number| format!("{{id:\"a{number}\"}}")).collect();
    let default = format!("{{id:\"a{agents}\",default:true}}");
    let config = format!("{{agents:{{list:[{},{default}]}}}}", list.join(","));
    fs::write(root.join("openclaw.json"), config).expect("a configuration");
    // A few of them have folders.
    for number in 0..agents / 10 {
        fs::create_dir_all(root.join(format!("workspace-a{number}"))).expect("a folder");
        fs::write(root.join(format!("workspace-a{number}/CURRENT_TASK.md")), "# Current\n").expect("a file");
    }
    let home = HomeDir::new(&root);
    let (mut files, mut stores, mut talks) = (
        workspace::WorkspaceReader::new(home.clone()),
        store::StoreReader::new(home.clone()),
        transcripts::TranscriptReader::new(),
    );
    let start = own_time();
    let found = files.look().expect("found");
    assert_eq!(found.roster.agents.len(), agents + 1);
    assert!(files.look().is_none(), "nothing changed");
    for _ in 0..2 {
        let sessions = stores.look(&found.roster).unwrap_or_else(|| Arc::new(Default::default()));
        talks.look(&home, &found.roster, &sessions);
    }
    own_time() - start
}

#[test]
fn look_cost_is_linear_in_agents() {
    const FEW: usize = 500;
    const FACTOR: usize = 8;
    // A quadratic look takes 64 times as long. On a busy machine the measurement is repeated.
    let ratio = || looks(FEW * FACTOR).as_secs_f64() / looks(FEW).as_secs_f64();
    let ratios: Vec<f64> = (0..5).map(|_| ratio()).take_while(|ratio| *ratio > 24.0).collect();
    assert!(ratios.len() < 5, "{FACTOR} times the agents take {ratios:.1?} times the time");
}
