//! Tests of the choice among the hubs of past moments.
//!
//! Proves (past): Readers at moments far apart have hubs of their own, of at most three, and keep them while they move by
//! small steps.

use std::time::{Duration, Instant};

use coordination::api::{KnownBy, PastMoment};

use super::{MAX_HUBS, NEAR_MS, place_for};

/// Two readers far apart have a hub each and keep it; a further one takes the hub that was not used for the longest
/// time.
#[test]
fn readers_at_different_moments_share_few_hubs() {
    let start = Instant::now();
    let hour = i64::try_from(NEAR_MS).unwrap();
    let moment = |hours: i64| PastMoment { at: hours * hour, known_by: KnownBy::Time };
    let mut hubs: Vec<(PastMoment, Instant)> = Vec::new();
    let mut ask = |moment: PastMoment, second: u64| {
        let used = start + Duration::from_secs(second);
        let place = place_for(&hubs, moment, MAX_HUBS).unwrap_or_else(|| {
            hubs.push((moment, used));
            hubs.len() - 1
        });
        hubs[place] = (moment, used);
        place
    };
    for second in 0..4 {
        let minutes = i64::try_from(second).unwrap() * 60_000;
        assert_eq!(ask(PastMoment { at: 10 * hour + minutes, ..moment(10) }, 2 * second), 0);
        assert_eq!(ask(PastMoment { at: 500 * hour - minutes, ..moment(500) }, 2 * second + 1), 1);
    }
    assert_eq!(ask(PastMoment { known_by: KnownBy::Arrival, ..moment(10) }, 8), 2, "another reading of the log");
    assert_eq!(ask(moment(300), 9), 0, "no more than {MAX_HUBS}");
    assert_eq!(ask(moment(500), 10), 1);
}
