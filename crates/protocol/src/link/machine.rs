//! State machine of a tab's connection to the live stream. It decides which transport to try, when to give it up, how
//! long to wait, and which connection state the page displays. Its inputs are events and the time; its outputs are
//! actions, and it does no IO.

use super::{Connection, Transport};

/// A link silent for this long is dead, whatever the browser says: two heartbeats of 15 s and some slack, noticed
/// within 35 s by a clock that ticks every second.
pub const SILENCE_MS: i64 = 33_000;
/// Nothing at all happened for this long, not even a heartbeat: the device slept, its clock was set, or the page was
/// frozen. Its next frames may have lain in its buffers since before.
const SLEEP_DETECTED_MS: i64 = 20_000;
/// A link that is being replaced may be called live for this long after its last frame: one heartbeat.
const GRACE_MS: i64 = 15_000;
/// Spread of the first try after a loss: small, and so much more for each other client of the monitor that about fifty
/// come back a second. Of many that lose one monitor at once no second then sees more than 15 %.
const BACKOFF_FIRST_MS: i64 = 500;
const BACKOFF_PER_CLIENT_MS: i64 = 20;
/// The widest first spread, which also holds while the crowd is not known.
const BACKOFF_FIRST_CAP_MS: i64 = 10_000;
/// The longest waiting time.
const BACKOFF_CAP_MS: i64 = 20_000;
/// The longest wait while the page is hidden.
const HIDDEN_CAP_MS: i64 = 60_000;
/// A lower way is left for another try of the better ones this often.
const UPGRADE_RETRY_MS: i64 = 300_000;
/// Health for this long forgets earlier failures.
const HEALTHY_MS: i64 = 60_000;
/// Gaps closer together than this are not answered by opening at once.
const GAP_MIN_INTERVAL_MS: i64 = 10_000;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkInput {
    /// Begin.
    Start,
    /// Anything came over the link.
    FrameReceived,
    /// The link closed, or could not be opened.
    Lost,
    /// Frames are missing: start again from a snapshot.
    Gap,
    /// The reader, or the browser coming back online, asks for a try at once.
    Nudge,
    /// The page became visible or hidden.
    Visible(bool),
    /// Time passed.
    Tick,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkAction {
    /// Close the open connection and open this transport.
    Open(Transport),
    /// Close the open connection.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    /// Opened, no frame yet.
    Trying {
        transport: Transport,
        since: i64,
        /// The way that worked until this very try.
        from: Option<Transport>,
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

/// State machine of the link. Its time is the sum of the forward steps of the device's clock.
#[derive(Debug, Clone)]
pub(super) struct LinkMachine {
    phase: Phase,
    /// In milliseconds, as are all times without another note.
    time: i64,
    /// The device's clock at the newest step.
    device: Option<i64>,
    /// Time of the last frame.
    received: Option<i64>,
    /// Time of the last frame by the device's clock, to be shown.
    received_device_ms: Option<i64>,
    /// Number of failed rounds in a row.
    rounds: u32,
    /// A better transport is not tried before this time.
    upward_at: i64,
    /// Transport with which a round begins after better ones failed lately.
    known_good: Option<Transport>,
    /// The link was silent beyond the limit and is being replaced.
    stale: bool,
    /// The page is hidden: waits are longer.
    hidden: bool,
    /// Time of the last gap in the frames.
    gap: Option<i64>,
    /// Maximum random wait before the first try after a loss.
    spread_ms: i64,
    /// State of the generator that spreads waits.
    random: u64,
}

/// Time limit for a transport's first frame. A proxy that swallows upgrades or buffers events is found by
/// this: events within 3 s, the poll within 15 s.
fn first_frame_timeout_ms(transport: Transport) -> i64 {
    match transport {
        Transport::Socket => 2_000,
        Transport::Events => 8_000,
        Transport::Poll => 10_000,
    }
}

fn next_lower(transport: Transport) -> Option<Transport> {
    match transport {
        Transport::Socket => Some(Transport::Events),
        Transport::Events => Some(Transport::Poll),
        Transport::Poll => None,
    }
}

impl LinkMachine {
    /// A machine at rest. `seed` makes its waiting times differ from other tabs'.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            phase: Phase::Idle,
            time: 0,
            device: None,
            received: None,
            received_device_ms: None,
            rounds: 0,
            upward_at: 0,
            known_good: None,
            stale: false,
            hidden: false,
            gap: None,
            spread_ms: BACKOFF_FIRST_CAP_MS,
            random: seed | 1,
        }
    }

    /// Sets the number of clients of the monitor.
    pub(super) fn set_client_count(&mut self, clients: u64) {
        let more = i64::try_from(clients).unwrap_or(i64::MAX).saturating_mul(BACKOFF_PER_CLIENT_MS);
        self.spread_ms = more.saturating_add(BACKOFF_FIRST_MS).min(BACKOFF_FIRST_CAP_MS);
    }

    /// Applies an input at the device's time `device`; returns the action to take.
    pub(super) fn step(&mut self, device: i64, input: LinkInput) -> Option<LinkAction> {
        if let LinkInput::Visible(visible) = input {
            self.hidden = !visible;
        }
        let passed = self.pass(device);
        if passed > SLEEP_DETECTED_MS
            && matches!(self.phase, Phase::Up { .. } | Phase::Trying { .. })
            && input != LinkInput::Lost
        {
            self.stale = true;
            return self.round();
        }
        match input {
            LinkInput::Start => self.round(),
            LinkInput::FrameReceived => {
                self.received(device);
                None
            }
            LinkInput::Lost => self.lost(),
            LinkInput::Gap => self.missing(),
            LinkInput::Visible(false) => None,
            LinkInput::Nudge | LinkInput::Visible(true) => match self.phase {
                Phase::Up { .. } if self.quiet_ms() <= SLEEP_DETECTED_MS => None,
                Phase::Trying { .. } => None,
                _ => self.round(),
            },
            LinkInput::Tick => self.tick(),
        }
    }

    /// What the page shows when the device's clock says `device`.
    pub(super) fn connection(&self, device: i64) -> Connection {
        let ahead = self.device.map_or(0, |last| (device - last).max(0));
        let quiet = self.quiet_ms().saturating_add(ahead);
        let Some(since) = self.received_device_ms else {
            return match self.rounds {
                0 => Connection::Connecting,
                rounds => Connection::Offline { since: None, attempt: rounds + 1 },
            };
        };
        match self.phase {
            Phase::Up { transport, .. } if quiet <= SILENCE_MS => Connection::Live { transport },
            Phase::Trying { from: Some(transport), .. } if quiet <= GRACE_MS => Connection::Live { transport },
            Phase::Up { .. } | Phase::Trying { from: Some(_), .. } => Connection::Stale { since },
            _ if self.stale && self.rounds == 0 => Connection::Stale { since },
            _ => Connection::Offline { since: Some(since), attempt: self.rounds + 1 },
        }
    }

    /// Moves the machine's time on; returns by how much.
    fn pass(&mut self, device: i64) -> i64 {
        let passed = self.device.map_or(0, |last| device.saturating_sub(last)).max(0);
        self.device = Some(device);
        self.time = self.time.saturating_add(passed);
        passed
    }

    /// Time since the last frame; infinite when there was none.
    fn quiet_ms(&self) -> i64 {
        self.received.map_or(i64::MAX, |received| self.time - received)
    }

    fn received(&mut self, device: i64) {
        self.received = Some(self.time);
        self.received_device_ms = Some(device);
        self.stale = false;
        if let Phase::Trying { transport, .. } = self.phase {
            self.phase = Phase::Up { transport, since: self.time };
            self.known_good = Some(transport).filter(|way| *way != Transport::Socket);
            self.upward_at = self.time + UPGRADE_RETRY_MS;
        }
        if let Phase::Up { since, .. } = self.phase
            && self.time - since >= HEALTHY_MS
        {
            self.rounds = 0;
        }
    }

    fn lost(&mut self) -> Option<LinkAction> {
        match self.phase {
            // A transport without a frame: try the next lower one at once.
            Phase::Trying { transport, from, .. } => match next_lower(transport) {
                Some(lower) => self.open(lower, from),
                None => self.wait(),
            },
            Phase::Up { .. } => self.wait(),
            Phase::Idle | Phase::Waiting { .. } => None,
        }
    }

    fn missing(&mut self) -> Option<LinkAction> {
        let soon = self.gap.replace(self.time).is_some_and(|last| self.time - last < GAP_MIN_INTERVAL_MS);
        match self.phase {
            Phase::Up { .. } | Phase::Trying { .. } if soon => self.wait(),
            Phase::Up { transport, .. } => self.open(transport, Some(transport)),
            Phase::Trying { transport, from, .. } => self.open(transport, from),
            Phase::Idle | Phase::Waiting { .. } => None,
        }
    }

    fn tick(&mut self) -> Option<LinkAction> {
        match self.phase {
            Phase::Trying { transport, since, .. } if self.time - since >= first_frame_timeout_ms(transport) => {
                self.lost()
            }
            Phase::Up { transport, since } if self.quiet_ms() > SILENCE_MS => {
                self.stale = true;
                // It spoke once and fell silent: something on the way holds frames back. Without this, a proxy that
                // lets only the first large frame through would be tried for ever.
                if let Some(lower) = next_lower(transport)
                    && self.time - since < HEALTHY_MS
                {
                    self.known_good = Some(lower);
                    self.upward_at = self.time + UPGRADE_RETRY_MS;
                }
                self.round()
            }
            Phase::Up { transport, .. }
                if transport != Transport::Socket && self.time >= self.upward_at && !self.hidden =>
            {
                self.round()
            }
            Phase::Waiting { until } if self.time >= until => self.round(),
            _ => None,
        }
    }

    /// Begins a round: the best way, or the one known to work while the better ones failed lately.
    fn round(&mut self) -> Option<LinkAction> {
        let from = match self.phase {
            Phase::Up { transport, .. } if !self.stale => Some(transport),
            _ => None,
        };
        let first = self.known_good.filter(|_| self.time < self.upward_at).unwrap_or(Transport::Socket);
        self.open(first, from)
    }

    fn open(&mut self, transport: Transport, from: Option<Transport>) -> Option<LinkAction> {
        self.phase = Phase::Trying { transport, since: self.time, from };
        Some(LinkAction::Open(transport))
    }

    /// Waits with full jitter, for ever longer up to the cap, and never gives up.
    fn wait(&mut self) -> Option<LinkAction> {
        let cap = if self.hidden { HIDDEN_CAP_MS } else { BACKOFF_CAP_MS };
        let ceiling = (self.spread_ms << self.rounds.min(10)).min(cap);
        self.rounds = self.rounds.saturating_add(1);
        self.stale = false;
        self.phase = Phase::Waiting { until: self.time + self.draw(ceiling) };
        Some(LinkAction::Close)
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
