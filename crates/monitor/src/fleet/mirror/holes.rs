//! Type `LogHoles`: parts of mirrored logs that no message has any more.

use std::collections::BTreeMap;

use coordination::api::FleetHole;
use serde::{Deserialize, Serialize};

/// Holes that are named; further ones make the last one longer.
const MAX_HOLES: usize = 50;

/// The holes of a mirror, in the order in which they were found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct LogHoles(Vec<LogHole>);

/// A part of a log that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LogHole {
    generation: String,
    from: u64,
    to: u64,
    /// Time of the first line behind it.
    #[serde(default)]
    known_from: Option<i64>,
}

/// Time of the first event in whole lines of a log, epoch ms.
pub(super) fn first_time(lines: &[u8]) -> Option<i64> {
    // A part of a long line is no event.
    coordination::event::parse_lines(lines, "", 0).0.first().map(|event| event.at)
}

impl LogHoles {
    /// Adds a hole, which begins where the log ends here. `known_from`: time of the first line behind it.
    pub(super) fn add(&mut self, generation: &str, (from, to): (u64, u64), known_from: Option<i64>) {
        let is_full = self.0.len() >= MAX_HOLES;
        match self.0.last_mut() {
            Some(last) if last.generation == generation && last.to == from => {
                (last.to, last.known_from) = (to, known_from);
            }
            Some(last) if is_full => {
                (last.to, last.known_from) = (last.to.saturating_add(to - from), known_from);
            }
            _ => self.0.push(LogHole { generation: generation.to_owned(), from, to, known_from }),
        }
    }

    /// Forgets those of a log that is removed.
    pub(super) fn remove(&mut self, generation: &str) {
        self.0.retain(|hole| hole.generation != generation);
    }

    /// Those of logs that have a name; `logs` are generations by path.
    pub(super) fn named(&self, logs: &BTreeMap<String, String>) -> Vec<FleetHole> {
        let of_path = |(path, generation): (&String, &String)| {
            let here = self.0.iter().filter(|hole| hole.generation == *generation);
            let named = |hole: &LogHole| FleetHole {
                path: path.clone(),
                from: hole.from,
                to: hole.to,
                known_from: hole.known_from,
            };
            here.map(named).collect::<Vec<_>>()
        };
        logs.iter().flat_map(of_path).collect()
    }
}
