//! Size of the logs of a mirror, and what it lacks of them.

use std::collections::BTreeMap;

use coordination::api::FleetHole;

use super::Mirror;

impl Mirror {
    /// Bytes of the logs of the home that are here.
    pub(in crate::fleet) fn bytes(&self) -> u64 {
        let logs = self.state.logs.iter().filter(|(generation, _)| !self.state.retired.has(generation));
        logs.map(|(_, log)| log.at - log.missing).sum()
    }

    /// Missing parts of the logs that the home has.
    pub(in crate::fleet) fn holes(&self) -> Vec<FleetHole> {
        self.state.holes.named(&self.state.layout.logs)
    }

    /// What is published of each log behind the end of the log here; `published` is by generation.
    pub(in crate::fleet) fn lacking(&self, published: &BTreeMap<String, u64>) -> Vec<FleetHole> {
        let lacks = |(path, generation): (&String, &String)| {
            let (from, to) = (self.state.logs.get(generation).map_or(0, |log| log.at), *published.get(generation)?);
            (from < to).then(|| FleetHole { path: path.clone(), from, to, known_from: None })
        };
        self.state.layout.logs.iter().filter_map(lacks).collect()
    }

    /// Bytes of logs here behind what was published of them; `published` is by generation.
    pub(in crate::fleet) fn beyond(&self, published: &BTreeMap<String, u64>) -> u64 {
        let known = published.iter().filter_map(|(generation, to)| Some((self.state.logs.get(generation)?.at, *to)));
        known.map(|(at, to)| at.saturating_sub(to)).fold(0, u64::saturating_add)
    }
}
