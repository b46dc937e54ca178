//! Rate limit for writes that fail authorisation. After ten failures of a client within a minute, its writes are
//! refused until the minute is over, even with a valid token. Writes with the session of the monitor's own page are
//! exempt. Requests that were denied before the authorisation check do not count.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Failures that are answered one by one.
const MAX_FAILURES: u32 = 10;
/// In this time.
const FAILURE_WINDOW: Duration = Duration::from_secs(60);
/// Clients remembered one by one; all others together count as one.
const MAX_COUNTED_CLIENTS: usize = 1024;

/// Recent failures of clients.
#[derive(Debug, Default)]
pub(super) struct RateLimit(Mutex<FailureCounts>);

#[derive(Debug, Default)]
struct FailureCounts {
    /// At most [`MAX_COUNTED_CLIENTS`]; an entry goes when room is needed and its minute is over.
    by_client: HashMap<IpAddr, FailureCount>,
    others: Option<FailureCount>,
}

#[derive(Debug, Clone, Copy)]
struct FailureCount {
    since: Instant,
    failures: u32,
}

impl FailureCount {
    fn left(&self) -> Duration {
        FAILURE_WINDOW.saturating_sub(self.since.elapsed())
    }
}

impl RateLimit {
    /// How long this client is not listened to any more, if it is not.
    pub(super) fn shut_out(&self, client: IpAddr) -> Option<Duration> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = counts.by_client.len() >= MAX_COUNTED_CLIENTS;
        let count = counts.by_client.get(&client).or(counts.others.as_ref().filter(|_| full))?;
        (count.failures >= MAX_FAILURES).then(|| count.left()).filter(|left| !left.is_zero())
    }

    /// One more failure of this client.
    pub(super) fn note(&self, client: IpAddr) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = &mut *counts;
        let first = FailureCount { since: Instant::now(), failures: 0 };
        if counts.by_client.len() >= MAX_COUNTED_CLIENTS && !counts.by_client.contains_key(&client) {
            counts.by_client.retain(|_, count| !count.left().is_zero());
        }
        let full = counts.by_client.len() >= MAX_COUNTED_CLIENTS && !counts.by_client.contains_key(&client);
        let count = match full {
            true => counts.others.get_or_insert(first),
            false => counts.by_client.entry(client).or_insert(first),
        };
        if count.left().is_zero() {
            *count = first;
        }
        count.failures = count.failures.saturating_add(1);
    }

    /// Everybody is forgiven.
    #[cfg(test)]
    pub(crate) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = FailureCounts::default();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn client(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(number).into()
    }

    #[tokio::test(start_paused = true)]
    async fn ten_failures_block_client_for_a_minute() {
        let rate_limit = RateLimit::default();
        for _ in 0..10 {
            assert_eq!(rate_limit.shut_out(client(1)), None);
            rate_limit.note(client(1));
        }
        assert_eq!(rate_limit.shut_out(client(1)), Some(FAILURE_WINDOW));
        assert_eq!(rate_limit.shut_out(client(2)), None, "others are listened to");
        tokio::time::advance(Duration::from_secs(59)).await;
        assert_eq!(rate_limit.shut_out(client(1)), Some(Duration::from_secs(1)));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(rate_limit.shut_out(client(1)), None);
        rate_limit.note(client(1));
        assert_eq!(rate_limit.shut_out(client(1)), None, "a new minute begins with its first failure");
    }

    #[tokio::test(start_paused = true)]
    async fn rate_limit_memory_is_bounded_and_unavoidable() {
        let rate_limit = RateLimit::default();
        for number in 0..100_000 {
            rate_limit.note(client(number));
        }
        assert_eq!(rate_limit.0.lock().expect("lock").by_client.len(), MAX_COUNTED_CLIENTS);
        assert!(rate_limit.shut_out(client(100_001)).is_some(), "those past the limit count as one");
        assert_eq!(rate_limit.shut_out(client(1)), None, "who is remembered counts alone");
        tokio::time::advance(FAILURE_WINDOW).await;
        rate_limit.note(client(200_000));
        assert_eq!(rate_limit.0.lock().expect("lock").by_client.len(), 1, "what is over is forgotten");
        assert_eq!(rate_limit.shut_out(client(100_001)), None);
    }
}
