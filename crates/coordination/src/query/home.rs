//! `GET home`: the ten badges, what waits for a person, the agents.

use super::agents::agents;
use super::attention::attention;
use super::card::{category_key, status};
use super::sessions::add;
use crate::api::{CategoryCount, CategoryTotals, Home, StatusCounts};
use crate::category::Category;
use crate::hub::Hub;
use crate::session::Status;

const DAY_MS: i64 = 86_400_000;
/// Bars of a badge.
const SPARK_DAYS: i64 = 14;

/// `GET home`.
#[must_use]
pub fn home(hub: &Hub, now: i64) -> Home {
    let mut totals: Vec<CategoryTotals> = Category::ALL.iter().map(|_| CategoryTotals::default()).collect();
    let mut all = CategoryTotals::default();
    let mut status_counts = StatusCounts::default();
    let today = now.div_euclid(DAY_MS);
    for session in hub.sessions() {
        let status = status(session, now);
        add(&mut status_counts, status);
        let own = &mut totals[category_key(hub, session).index()];
        for sum in [own, &mut all] {
            sum.total += 1;
            sum.active += u32::from(status == Status::Active);
            sum.last_time = sum.last_time.max((session.state.last > 0).then_some(session.state.last));
            for (day, events) in session.state.days.iter().rev() {
                let back = today - day;
                if back >= SPARK_DAYS {
                    break;
                }
                if back < 0 {
                    continue;
                }
                if sum.spark.is_empty() {
                    sum.spark = vec![0; usize::try_from(SPARK_DAYS).unwrap_or(14)];
                }
                if let Some(bar) = usize::try_from(SPARK_DAYS - 1 - back).ok().and_then(|at| sum.spark.get_mut(at)) {
                    *bar += events;
                }
            }
        }
    }
    Home {
        categories: Category::ALL.into_iter().zip(totals).map(|(key, totals)| CategoryCount { key, totals }).collect(),
        all,
        attention: attention(hub, now),
        status_counts,
        agents: agents(hub, now),
        source: hub.source().clone(),
        cursor: hub.cursor(),
        now,
    }
}
