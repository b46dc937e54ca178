//! Types of `/api/v2/fleet`: several machines on one page. Each machine is a source: a home whose files a monitor there
//! publishes and this one mirrors. What one source answers is below `/@<source>/`, in the same types as of one machine.

use serde::{Deserialize, Serialize};

use super::{AgentSummary, Attention, CategoryCount, CategoryTotals, SearchHit, SessionCard, StatusCounts};
use crate::category::Category;

/// `GET /api/v2/fleet`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetPage {
    /// Name of the fleet.
    pub name: String,
    /// Whether the streams of the fleet can be read.
    pub link: FleetLink,
    /// Why they cannot, in an English sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Messages of the streams that are not read yet.
    pub behind: u64,
    /// Machines, by name.
    pub sources: Vec<FleetSource>,
    /// Machines that are known and not yet among the sources, by name, or by id where they gave none.
    pub pending: Vec<String>,
    /// Machines that are not shown because there are more than [`FleetPage::MAX_SOURCES`], likewise; at most 1,000.
    pub beyond_limit: Vec<String>,
    /// How much of the logs the servers keep; absent before the first answer about it. It may be a quarter of a minute old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<FleetRetention>,
    /// Work lists of all machines in one, in the order of home: what only a person can settle first, then what holds up
    /// most agents. At most [`FleetPage::MAX_ATTENTION`].
    pub attention: Vec<FleetAttention>,
    /// There is more than the list has.
    pub attention_more: bool,
    /// The newest sessions of all machines, at most [`FleetPage::MAX_SESSIONS`].
    pub sessions: Vec<FleetSession>,
    /// The `now` it was computed for.
    pub now: i64,
}

impl FleetPage {
    /// Machines. Each has a monitor of its own in the process that shows the fleet.
    pub const MAX_SOURCES: usize = 200;
    /// Lines of the work list.
    pub const MAX_ATTENTION: usize = 200;
    /// Sessions.
    pub const MAX_SESSIONS: usize = 50;
}

/// Limits of the stream of logs, over all machines, and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetRetention {
    /// Age at which lines leave it, in ms; absent without such a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_ms: Option<i64>,
    /// Bytes above which the oldest lines leave it; absent without such a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Bytes that it holds, packed.
    pub bytes: u64,
    /// When the oldest of its lines was published, epoch ms by the clock of the servers; absent while it is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_time: Option<i64>,
}

/// Connection of an aggregator to the servers of the fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum FleetLink {
    /// Not yet connected since the start, or the machines of the fleet are not known yet.
    #[default]
    Connecting,
    /// The streams are read.
    Connected,
    /// The servers do not answer, or refuse. What is shown is what was read before.
    Lost,
}

/// A machine of the fleet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetSource {
    /// Id of the home, 32 hexadecimal digits.
    pub id: String,
    /// Name of the machine, part of its address: `/@<name>/`. It is unique in the fleet: machines of the same name have a
    /// part of their id behind it.
    pub name: String,
    /// What is known of its state.
    pub state: FleetSourceState,
    /// Its history is being read here: rows and numbers of it are missing yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub starting: bool,
    /// When its publisher last said that it is there, epoch ms by the clock of the servers, and not after `now`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<i64>,
    /// How far its clock is ahead of `lastSeen`, in ms, as of that message.
    pub clock_ahead_ms: i64,
    /// Version of its publisher.
    pub version: String,
    /// How much of its texts it publishes: `full`, `summary` or `none`.
    pub text: String,
    /// Bytes of its logs that are mirrored here.
    pub bytes: u64,
    /// Bytes of its logs that it has and that are not mirrored here yet.
    pub bytes_behind: u64,
    /// Parts of its logs that the streams no longer had when they were read here.
    pub holes: Vec<FleetHole>,
    /// Files that it does not publish, each with the cause.
    pub skipped: Vec<FleetSkipped>,
    /// Messages that were refused here: damaged, or not the continuation of what came before.
    pub refused: u64,
    /// Sessions by status.
    pub status_counts: StatusCounts,
    /// Sessions by category, as on its own home; only categories that have any.
    pub categories: Vec<CategoryCount>,
    /// Lines of its work list that only a person can settle.
    pub waiting: u32,
    /// Agents that the rows of this answer name.
    pub agents: Vec<AgentSummary>,
}

/// State of a machine of the fleet. The first that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum FleetSourceState {
    /// A second publisher took its place: a copied machine, most likely.
    Conflict,
    /// Its publisher was ended on purpose.
    Stopped,
    /// No hello of it came for [`FleetSource::SILENT_AFTER_MS`].
    Silent,
    /// Some of what it published is not read here yet.
    Behind,
    /// A part of its log is missing or was refused.
    Incomplete,
    /// All that it published is here.
    #[default]
    Live,
}

impl FleetSource {
    /// Bytes of its logs that nobody can give any more.
    #[must_use]
    pub fn bytes_missing(&self) -> u64 {
        self.holes.iter().map(|hole| hole.to.saturating_sub(hole.from)).sum()
    }

    /// Sessions of several machines by category: all ten, in seed order, and all together.
    #[must_use]
    pub fn category_sums<'a>(sources: impl IntoIterator<Item = &'a Self>) -> (Vec<CategoryCount>, CategoryTotals) {
        let count = |key| CategoryCount { key, totals: CategoryTotals::default() };
        let mut counts: Vec<CategoryCount> = Category::ALL.into_iter().map(count).collect();
        let mut all = CategoryTotals::default();
        for category in sources.into_iter().flat_map(|source| &source.categories) {
            if let Some(sum) = counts.iter_mut().find(|sum| sum.key == category.key) {
                sum.totals.add(&category.totals);
            }
            all.add(&CategoryTotals { spark: Vec::new(), ..category.totals.clone() });
        }
        (counts, all)
    }

    /// A publisher says every ten seconds that it is there.
    pub const SILENT_AFTER_MS: i64 = 35_000;
}

/// The machine whose mirror a monitor shows, with its state as of `GET fleet`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetMachine {
    /// Name of the machine.
    pub name: String,
    /// Whether the streams of the fleet can be read.
    pub link: FleetLink,
    /// What is known of its state.
    pub state: FleetSourceState,
    /// When its publisher last said that it is there, epoch ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<i64>,
    /// Bytes of its logs that are not mirrored yet.
    pub bytes_behind: u64,
    /// Bytes of its logs that nobody can give any more.
    pub bytes_missing: u64,
    /// Messages that were refused.
    pub refused: u64,
}

impl FleetMachine {
    /// The part of a source that says what its pages may lack.
    #[must_use]
    pub fn new(source: &FleetSource, link: FleetLink) -> Self {
        Self {
            name: source.name.clone(),
            link,
            state: source.state,
            last_seen: source.last_seen,
            bytes_behind: source.bytes_behind,
            bytes_missing: source.bytes_missing(),
            refused: source.refused,
        }
    }

    /// Whether all that the machine has is here.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.link == FleetLink::Connected && self.state == FleetSourceState::Live
    }
}

/// A part of a log that nobody can give any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetHole {
    /// Path of the file in its home.
    pub path: String,
    /// First missing byte.
    pub from: u64,
    /// The byte after the last missing one.
    pub to: u64,
    /// Time of the first line behind it, epoch ms; absent without such a line, or when it has no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_from: Option<i64>,
}

/// A file that a machine does not publish.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetSkipped {
    /// Path of the file in its home.
    pub path: String,
    /// Why, in an English sentence.
    pub cause: String,
}

/// A line of the work list of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetAttention {
    /// Name of the machine.
    pub source: String,
    /// The line, as on its own home.
    pub line: Attention,
}

/// A session of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetSession {
    /// Name of the machine.
    pub source: String,
    /// The session.
    pub session: SessionCard,
    /// Names of other machines that have a session of this id in their logs. The two are shown as two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_on: Vec<String>,
}

/// `GET fleet/search`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct FleetSearchQuery {
    /// What is looked for, as in `search`; `host:name` names a machine.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub q: String,
    /// Minutes the user's clock is ahead of UTC: where the days of `before:` and `after:` begin.
    #[cfg_attr(feature = "openapi", param(rename = "offset", required = false, minimum = -1080, maximum = 1080))]
    pub offset_min: i32,
}

/// Answer to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetSearchPage {
    /// The best hits of each machine, at most [`FleetSearchPage::MAX_HITS_PER_SOURCE`] each, in the order of the machines.
    pub sources: Vec<FleetSearchSource>,
    /// The `now` it was computed for.
    pub now: i64,
}

impl FleetSearchPage {
    /// Hits of one machine.
    pub const MAX_HITS_PER_SOURCE: usize = 20;
}

/// Hits of one machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetSearchSource {
    /// Name of the machine.
    pub source: String,
    /// How many hits it has in all.
    pub total: u32,
    /// The best of them.
    pub hits: Vec<SearchHit>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_machines_are_added_up() {
        let count = |key, total, active, last_time, spark: &[u32]| CategoryCount {
            key,
            totals: CategoryTotals { total, active, last_time, spark: spark.to_vec() },
        };
        let source = |categories| FleetSource { categories, ..FleetSource::default() };
        let (one, other) = (Category::ALL[0], Category::ALL[3]);
        let sources = [
            source(vec![count(one, 2, 1, Some(50), &[0, 1, 2])]),
            source(vec![count(one, 3, 0, Some(40), &[]), count(other, 1, 1, None, &[4, 5, 6])]),
            source(vec![count(one, 1, 1, Some(60), &[1, 1, 1])]),
        ];
        let (counts, all) = FleetSource::category_sums(&sources);
        assert_eq!(counts.iter().map(|count| count.key).collect::<Vec<_>>(), Category::ALL);
        assert_eq!(counts[0], count(one, 6, 2, Some(60), &[1, 2, 3]));
        assert_eq!(counts[3], count(other, 1, 1, None, &[4, 5, 6]));
        assert_eq!(all, CategoryTotals { total: 7, active: 3, last_time: Some(60), spark: Vec::new() });
        assert_eq!(FleetSource::category_sums(&[]).1, CategoryTotals::default());
    }
}
