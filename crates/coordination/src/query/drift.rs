//! Query of `GET /api/v2/drift`: quality of automatic classification over time.
//!
//! It makes one pass over the session summaries, newest first, and reads no events. A session costs about a microsecond
//! (`crates/gauge` counts the instructions).

pub(super) mod band;
mod intents;

use super::axis::PeriodAxis;
use crate::api::{CategoryOverrides, Drift, DriftPeriod, MovedTo, PeriodsQuery};
use crate::category::Category;
use crate::hub::{Hub, Session, SessionBrief};

/// Maximum number of daily periods: sessions are rarer than events, and half a year of them is still informative.
const MAX_DAYS: i64 = 30;

/// A session that counts, with its summary, and whether it was filed without evidence; `None` when its events
/// state its category.
struct Dated<'a> {
    slot: u32,
    brief: SessionBrief,
    session: &'a Session,
    fallback: Option<bool>,
}

/// `GET drift`.
#[must_use]
pub fn drift(hub: &Hub, now: i64, query: &PeriodsQuery) -> Drift {
    let (mut dated, mut undated) = (Vec::new(), 0);
    for (slot, brief, session) in hub.briefed() {
        if brief.start == 0 {
            undated += 1;
        } else if query.since.is_none_or(|since| brief.start >= since) {
            dated.push(Dated { slot, brief, session, fallback: brief.filed() });
        }
    }
    let filed = || dated.iter().filter(|one| one.fallback.is_some());
    let (step_ms, periods, all) = periods(&dated, now, query);
    Drift {
        step_ms,
        periods,
        all,
        // Unknown whether they began since a given time.
        undated: if query.since.is_none() { undated } else { 0 },
        overrides: overrides(filed()),
        confidence: confidence(filed()),
        intents: intents::intents(hub, filed()),
        band: band::band(hub, now),
        since: query.since,
        cursor: hub.cursor(),
        now,
    }
}

fn periods(dated: &[Dated<'_>], now: i64, query: &PeriodsQuery) -> (i64, Vec<DriftPeriod>, DriftPeriod) {
    // A time in the future (a clock was wrong) is in the newest period.
    let oldest = dated.iter().map(|one| one.brief.start.min(now)).min();
    let from = query.since.filter(|since| *since > 0).map_or(oldest, |since| oldest.map(|oldest| since.min(oldest)));
    let Some(from) = from else { return (super::axis::HOUR_MS, Vec::new(), DriftPeriod::default()) };
    let axis = PeriodAxis::new(from, now, i64::from(query.offset_min), MAX_DAYS);
    let mut periods: Vec<DriftPeriod> =
        (0..axis.count).map(|number| DriftPeriod { at: axis.at(number), ..DriftPeriod::default() }).collect();
    let mut all = DriftPeriod { at: axis.at(0), ..DriftPeriod::default() };
    for one in dated {
        if let Some(period) = periods.get_mut(axis.number(one.brief.start)) {
            count(period, one);
        }
        count(&mut all, one);
    }
    (axis.step, periods, all)
}

fn count(period: &mut DriftPeriod, one: &Dated<'_>) {
    let Some(fallback) = one.fallback else {
        period.stated += 1;
        return;
    };
    period.sessions += 1;
    period.fallback += u32::from(fallback);
    period.doubtful += u32::from(one.brief.guess);
    period.categories.resize(Category::ALL.len(), 0);
    period.categories[one.brief.automatic.index()] += 1;
}

/// Overrides by category. A session set by hand to its automatic category was confirmed, not moved.
fn overrides<'a>(filed: impl Iterator<Item = &'a Dated<'a>>) -> Vec<CategoryOverrides> {
    let mut rows =
        Category::ALL.map(|key| CategoryOverrides { key, sessions: 0, moved: 0, confirmed: 0, to: Vec::new() });
    let mut ways = [[0_u32; Category::ALL.len()]; Category::ALL.len()];
    for Dated { brief, .. } in filed {
        let row = &mut rows[brief.automatic.index()];
        row.sessions += 1;
        if brief.category != brief.automatic {
            row.moved += 1;
            ways[brief.automatic.index()][brief.category.index()] += 1;
        } else if brief.manual {
            row.confirmed += 1;
        }
    }
    for (row, ways) in rows.iter_mut().zip(ways) {
        let to = Category::ALL.into_iter().zip(ways).filter(|(_, sessions)| *sessions > 0);
        row.to = to.map(|(key, sessions)| MovedTo { key, sessions }).collect();
        // Stable: equals stay in seed order.
        row.to.sort_by_key(|to| std::cmp::Reverse(to.sessions));
    }
    rows.into()
}

fn confidence<'a>(filed: impl Iterator<Item = &'a Dated<'a>>) -> Vec<u32> {
    let mut bins = vec![0; 10];
    for one in filed {
        if let Some(bin) = bins.get_mut(usize::from(one.brief.tenth)) {
            *bin += 1;
        }
    }
    bins
}
