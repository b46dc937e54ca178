//! Tolerance band of `GET /api/v2/drift`: the normal range for the percentage of fallback sessions, computed from all
//! earlier sessions. The result says whether the percentage of the last seven days is inside, above or below it. With
//! too few sessions it says neither.

use crate::api::{BandStanding, FallbackBand, FiledShare};
use crate::hub::Hub;

/// A week: every working day once, so that a weekend is no alarm.
const RECENT_DAYS: i64 = 7;
/// Fewer recent sessions are inconclusive: one of them would change the share by more than five points.
const MIN_RECENT_SESSIONS: u32 = 20;
/// Fewer earlier ones give no usual share to compare with.
const MIN_EARLIER_SESSIONS: u32 = 50;
/// A smaller change of the share is irrelevant, however significant.
const MIN_HALF_WIDTH: f64 = 0.05;
/// With one check a day for a year, a share that never changed leaves three deviations once at most, and then mostly
/// because sessions of one day are of one kind.
const MAX_DEVIATIONS: f64 = 3.0;

/// The band of the usual share and the position of the recent one. Costs a week's sums.
///
/// Each session without evidence is treated as a draw with the usual probability. The deviation of the difference of
/// two shares includes that of both: fifty earlier sessions estimate it roughly. The probability is estimated as
/// (fallbacks + 1) / (sessions + 2), so that a past without any fallback does not make one impossible.
pub(in crate::query) fn band(hub: &Hub, now: i64) -> FallbackBand {
    let (since, recent, earlier) = hub.sessions.overview.filed.split(now, RECENT_DAYS);
    let undecided = FallbackBand { since, recent, earlier, low: 0.0, high: 1.0, standing: BandStanding::TooFew };
    if recent.sessions < MIN_RECENT_SESSIONS || earlier.sessions < MIN_EARLIER_SESSIONS {
        return undecided;
    }
    let (n, before) = (f64::from(recent.sessions), f64::from(earlier.sessions));
    let chance = (f64::from(earlier.fallback) + 1.0) / (before + 2.0);
    let deviation = (chance * (1.0 - chance) * (1.0 / n + 1.0 / before)).sqrt();
    let half = (MAX_DEVIATIONS * deviation).max(MIN_HALF_WIDTH);
    let (usual, share) = (share(earlier), share(recent));
    let (low, high) = ((usual - half).max(0.0), (usual + half).min(1.0));
    let position = if share > high {
        BandStanding::Above
    } else if share < low {
        BandStanding::Below
    } else {
        BandStanding::Inside
    };
    FallbackBand { low: rounded(low), high: rounded(high), standing: position, ..undecided }
}

fn share(filed: FiledShare) -> f64 {
    f64::from(filed.fallback) / f64::from(filed.sessions.max(1))
}

/// To a hundredth of a percent.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}
