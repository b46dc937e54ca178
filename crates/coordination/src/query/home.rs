//! Query of `GET home`, the data of the home page: totals by category and status, the work list, a limited number of
//! agents, and the state of the input files.

use super::agents::foremost;
use super::attention::attention;
use super::open_sends::OpenSends;
use super::sessions::add;
use crate::api::{CategoryCount, CategoryTotals, Home, SourceInfo, StatusCounts, Unreadable};
use crate::category::Category;
use crate::hub::{Hub, count};
use crate::session::Status;

const HOUR_MS: i64 = 3_600_000;
/// Bars of a badge.
const SPARK_HOURS: i64 = 24;
/// Unreadable files named; the rest is counted.
const MAX_UNREADABLE: usize = 8;

/// `GET home`. Costs what the last day and the open work hold, and not the history: it is part of every delta.
#[must_use]
pub fn home(hub: &Hub, now: i64) -> Home {
    let mut active = [0_u32; 10];
    let mut status_counts = StatusCounts::default();
    for (brief, _) in hub.recent_sessions(now) {
        let status = brief.status(now);
        add(&mut status_counts, status);
        active[brief.category.index()] += u32::from(status == Status::Active);
    }
    let totals = Category::ALL.map(|key| totals(hub, now, key, active[key.index()]));
    let mut all = CategoryTotals::default();
    for own in &totals {
        all.total += own.total;
        all.active += own.active;
        all.last_time = all.last_time.max(own.last_time);
    }
    status_counts.archived = all.total - status_counts.active - status_counts.quiet;
    let waits = OpenSends::new(hub, now);
    let (agents, agent_total) = foremost(hub, now, &waits);
    let (attention, attention_more) = attention(hub, now, &waits);
    Home {
        categories: Category::ALL.into_iter().zip(totals).map(|(key, totals)| CategoryCount { key, totals }).collect(),
        all,
        attention,
        attention_more,
        status_counts,
        agents,
        agent_total,
        team_views: hub.inputs.shared.home_view_count(),
        source: source(hub),
        cursor: hub.cursor(),
        now,
    }
}

/// The state of the files, including those of the agents.
fn source(hub: &Hub) -> SourceInfo {
    let mut source = hub.source().clone();
    let of_agents = hub.workspace().agents.iter().flat_map(|folder| &folder.unreadable);
    source.unreadable.extend(of_agents.map(|(path, cause)| Unreadable { path: path.clone(), cause: cause.clone() }));
    source.unreadable_total = count(source.unreadable.len());
    source.unreadable.truncate(MAX_UNREADABLE);
    source
}

fn totals(hub: &Hub, now: i64, key: Category, active: u32) -> CategoryTotals {
    let sum = hub.sessions.overview.sum(key);
    let newest = now.div_euclid(HOUR_MS);
    let first = newest - SPARK_HOURS + 1;
    let mut spark = Vec::new();
    for (hour, events) in sum.hours(first, newest) {
        if spark.is_empty() {
            spark = vec![0; usize::try_from(SPARK_HOURS).unwrap_or(24)];
        }
        if let Some(bar) = usize::try_from(hour - first).ok().and_then(|at| spark.get_mut(at)) {
            *bar += events;
        }
    }
    CategoryTotals { total: sum.sessions, active, last_time: sum.last().filter(|last| *last > 0), spark }
}
