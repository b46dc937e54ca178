//! The life of the link as a plain state machine: which way to try, when to give one up, how long to wait, what to
//! show. It gets the time and returns what to do; the browser's part is a thin shell around it (`link`).

use crate::state::{Connection, Transport};

/// A link silent for this long is dead, whatever the browser says: two missed heartbeats and some slack.
pub(super) const SILENCE_MS: i64 = 35_000;
/// The first waiting time after all ways failed.
const BACKOFF_FIRST_MS: i64 = 500;
/// The longest waiting time.
const BACKOFF_CAP_MS: i64 = 20_000;
/// A lower way is left for another try of the better ones this often.
const UPWARD_MS: i64 = 300_000;
/// Health for this long forgets earlier failures.
const HEALTHY_MS: i64 = 60_000;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// Begin.
    Start,
    /// Anything came over the link.
    Heard,
    /// The link closed, or could not be opened.
    Lost,
    /// Frames are missing: begin anew from a snapshot.
    Gap,
    /// The reader, or the browser coming back online, asks for a try at once.
    Nudge,
    /// Time passed.
    Tick,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Close what is open and open this way.
    Open(Transport),
    /// Close what is open.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    /// Opened, nothing heard yet.
    Trying {
        transport: Transport,
        since: i64,
    },
    /// Frames arrive.
    Up {
        transport: Transport,
        since: i64,
    },
    /// All ways failed; the next round begins at `until`.
    Waiting {
        until: i64,
    },
}

/// The machine.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    phase: Phase,
    heard: Option<i64>,
    /// Failed rounds in a row.
    rounds: u32,
    /// The best way is not tried again before this time.
    upward_at: i64,
    /// The way the newest round begins with after the best ones failed lately.
    known_good: Option<Transport>,
    /// The link was silent beyond the limit and is being replaced.
    stale: bool,
    random: u64,
}

/// How long a way may take to say its first word. A proxy that swallows server-sent events is found out by this.
fn patience_ms(transport: Transport) -> i64 {
    match transport {
        Transport::Socket => 4_000,
        Transport::Events => 8_000,
        Transport::Poll => 40_000,
    }
}

fn next_lower(transport: Transport) -> Option<Transport> {
    match transport {
        Transport::Socket => Some(Transport::Events),
        Transport::Events => Some(Transport::Poll),
        Transport::Poll => None,
    }
}

impl Machine {
    /// A machine at rest. `seed` makes its waiting times differ from other tabs'.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            phase: Phase::Idle,
            heard: None,
            rounds: 0,
            upward_at: 0,
            known_good: None,
            stale: false,
            random: seed | 1,
        }
    }

    /// Takes note of what happened at `now`; returns what to do.
    pub(super) fn step(&mut self, now: i64, input: Input) -> Option<Action> {
        match input {
            Input::Start => self.round(now),
            Input::Heard => {
                self.heard(now);
                None
            }
            Input::Lost => self.lost(now),
            Input::Gap => match self.phase {
                Phase::Up { transport, .. } | Phase::Trying { transport, .. } => self.open(now, transport),
                Phase::Idle | Phase::Waiting { .. } => None,
            },
            Input::Nudge => match self.phase {
                Phase::Up { .. } if !self.silent(now) => None,
                _ => self.round(now),
            },
            Input::Tick => self.tick(now),
        }
    }

    /// What the page shows at `now`.
    pub(super) fn connection(&self, now: i64) -> Connection {
        match (self.phase, self.heard) {
            (Phase::Up { .. }, Some(since)) if self.silent(now) => Connection::Stale { since },
            (Phase::Up { transport, .. }, _) => Connection::Live { transport },
            (_, Some(since)) if self.stale && self.rounds == 0 => Connection::Stale { since },
            (_, None) if self.rounds == 0 => Connection::Connecting,
            (_, since) => Connection::Offline { since, attempt: self.rounds + 1 },
        }
    }

    fn silent(&self, now: i64) -> bool {
        self.heard.is_none_or(|heard| now - heard > SILENCE_MS)
    }

    fn heard(&mut self, now: i64) {
        self.heard = Some(now);
        self.stale = false;
        if let Phase::Trying { transport, .. } = self.phase {
            self.phase = Phase::Up { transport, since: now };
            if transport != Transport::Socket {
                self.known_good = Some(transport);
                self.upward_at = now + UPWARD_MS;
            }
        }
        if let Phase::Up { since, .. } = self.phase
            && now - since >= HEALTHY_MS
        {
            self.rounds = 0;
        }
    }

    fn lost(&mut self, now: i64) -> Option<Action> {
        match self.phase {
            // A way that never said a word: try the next lower one at once.
            Phase::Trying { transport, .. } => match next_lower(transport) {
                Some(lower) => self.open(now, lower),
                None => self.wait(now),
            },
            Phase::Up { .. } => self.wait(now),
            Phase::Idle | Phase::Waiting { .. } => None,
        }
    }

    fn tick(&mut self, now: i64) -> Option<Action> {
        match self.phase {
            Phase::Trying { transport, since } if now - since > patience_ms(transport) => self.lost(now),
            Phase::Up { .. } if self.silent(now) => {
                self.stale = true;
                self.round(now)
            }
            Phase::Up { transport, .. } if transport != Transport::Socket && now >= self.upward_at => self.round(now),
            Phase::Waiting { until } if now >= until => self.round(now),
            _ => None,
        }
    }

    /// Begins a round: the best way, or the one known to work while the better ones failed lately.
    fn round(&mut self, now: i64) -> Option<Action> {
        let first = self.known_good.filter(|_| now < self.upward_at).unwrap_or(Transport::Socket);
        self.open(now, first)
    }

    fn open(&mut self, now: i64, transport: Transport) -> Option<Action> {
        self.phase = Phase::Trying { transport, since: now };
        Some(Action::Open(transport))
    }

    /// Waits with full jitter, for ever longer up to the cap, and never gives up.
    fn wait(&mut self, now: i64) -> Option<Action> {
        let ceiling = (BACKOFF_FIRST_MS << self.rounds.min(10)).min(BACKOFF_CAP_MS);
        self.rounds = self.rounds.saturating_add(1);
        self.stale = false;
        self.phase = Phase::Waiting { until: now + self.draw(ceiling) };
        Some(Action::Close)
    }

    /// A number in `0..=ceiling` (xorshift: it spreads tabs apart, nothing more).
    fn draw(&mut self, ceiling: i64) -> i64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % (ceiling as u64 + 1)) as i64
    }
}

#[cfg(test)]
mod tests;
