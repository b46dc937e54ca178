//! Type `RetiredLogs`: logs that a home no longer has. Their bytes stay here for a while, without a name: a log may be
//! away only for a moment, and its publisher sends nothing twice.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::MirroredLog;

/// Retired logs whose bytes stay; later ones take the place of the first ones.
const MAX_RETIRED: usize = 100;
/// Their bytes together. The last one stays whatever its size.
const MAX_RETIRED_BYTES: u64 = 1 << 30;

/// Generations that layouts no longer name, the last one last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct RetiredLogs(VecDeque<String>);

impl RetiredLogs {
    pub(super) fn has(&self, generation: &str) -> bool {
        self.0.iter().any(|retired| retired == generation)
    }

    pub(super) fn add(&mut self, generation: String) {
        self.0.push_back(generation);
    }

    /// Drops those that a layout names again.
    pub(super) fn retain(&mut self, is_retired: impl Fn(&String) -> bool) {
        self.0.retain(is_retired);
    }

    /// Takes out the first ones that are too many or too large. `logs` are by generation.
    pub(super) fn take_excess(&mut self, logs: &BTreeMap<String, MirroredLog>) -> Vec<String> {
        let size = |generation: &String| logs.get(generation).map_or(0, |log| log.at - log.missing);
        let mut bytes: u64 = self.0.iter().map(size).sum();
        let mut excess = Vec::new();
        while self.0.len() > MAX_RETIRED || (self.0.len() > 1 && bytes > MAX_RETIRED_BYTES) {
            let Some(first) = self.0.pop_front() else { break };
            bytes -= size(&first);
            excess.push(first);
        }
        excess
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_ones_make_room_and_the_last_one_stays() {
        let log = |at| MirroredLog { at, missing: 0, link: String::new() };
        let logs =
            BTreeMap::from([("a".to_owned(), log(10)), ("b".to_owned(), log(2 << 30)), ("c".to_owned(), log(1))]);
        let mut retired = RetiredLogs::default();
        ["a", "b"].into_iter().for_each(|generation| retired.add(generation.to_owned()));
        assert_eq!(retired.take_excess(&logs), ["a"]);
        assert!(retired.has("b") && !retired.has("a"), "the last one, whatever its size");
        retired.add("c".to_owned());
        assert_eq!(retired.take_excess(&logs), ["b"]);
        (0..MAX_RETIRED).for_each(|number| retired.add(number.to_string()));
        assert_eq!(retired.take_excess(&logs), ["c"]);
    }
}
