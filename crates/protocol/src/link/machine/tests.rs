//! Tests of the state machine of the live link, under a clock that only the test moves.
//!
//! Proves (live): The link falls back from a silent transport to a lower one, retries with limited backoff, and returns
//! to a better transport. A silent link is never shown as live.

use super::*;

/// Steps a machine and remembers the time.
struct MachineRun {
    machine: LinkMachine,
    now: i64,
}

impl MachineRun {
    fn new() -> Self {
        Self { machine: LinkMachine::new(7), now: 1_000_000 }
    }

    fn step(&mut self, input: LinkInput) -> Option<LinkAction> {
        self.machine.step(self.now, input)
    }

    fn later(&mut self, ms: i64) -> &mut Self {
        self.now += ms;
        self
    }

    /// Ticks once a second until something is to be done.
    fn wait_for_action(&mut self, limit_ms: i64) -> Option<LinkAction> {
        let end = self.now + limit_ms;
        while self.now < end {
            self.now += 1_000;
            if let Some(action) = self.step(LinkInput::Tick) {
                return Some(action);
            }
        }
        None
    }

    fn shown(&self) -> Connection {
        self.machine.connection(self.now)
    }
}

#[test]
fn socket_is_tried_first_and_becomes_live() {
    let mut run = MachineRun::new();
    assert_eq!(run.step(LinkInput::Start), Some(LinkAction::Open(Transport::Socket)));
    assert_eq!(run.shown(), Connection::Connecting);
    run.later(50).step(LinkInput::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Socket });
}

#[test]
fn silent_transport_falls_back_to_next_lower() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    assert_eq!(run.step(LinkInput::Lost), Some(LinkAction::Open(Transport::Events)), "an upgrade refused by a proxy");
    assert_eq!(run.wait_for_action(10_000), Some(LinkAction::Open(Transport::Poll)), "a proxy that buffers the stream");
    run.step(LinkInput::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Poll });
}

#[test]
fn a_silent_link_is_never_shown_as_live() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    run.step(LinkInput::FrameReceived);
    let last_received = run.now;
    let noticed = run.wait_for_action(60_000).map(|action| (action, run.now - last_received));
    let Some((LinkAction::Open(_), took)) = noticed else { panic!("the link is replaced: {noticed:?}") };
    assert!(took <= 35_000, "two heartbeats and some slack, not {took} ms");
    assert_eq!(run.shown(), Connection::Stale { since: last_received });
    run.later(1_500);
    assert_eq!(run.shown(), Connection::Stale { since: last_received });
    run.step(LinkInput::FrameReceived);
    assert!(matches!(run.shown(), Connection::Live { .. }));
}

#[test]
fn a_heartbeat_keeps_the_link_alive() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    for _ in 0..20 {
        run.later(15_000).step(LinkInput::FrameReceived);
        assert_eq!(run.step(LinkInput::Tick), None);
    }
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Socket });
}

#[test]
fn retries_forever_with_capped_backoff() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    for round in 0..200 {
        run.step(LinkInput::Lost);
        run.step(LinkInput::Lost);
        assert_eq!(run.step(LinkInput::Lost), Some(LinkAction::Close));
        let Phase::Waiting { until } = run.machine.phase else { panic!("not waiting") };
        let wait = until - run.machine.time;
        assert!((0..=BACKOFF_CAP_MS).contains(&wait), "round {round} waits {wait}");
        assert!(matches!(run.shown(), Connection::Offline { since: None, .. }));
        assert_eq!(run.wait_for_action(BACKOFF_CAP_MS + 2_000), Some(LinkAction::Open(Transport::Socket)));
    }
}

#[test]
fn backoff_differs_between_tabs() {
    let waits: std::collections::BTreeSet<i64> = (0..50)
        .map(|seed| {
            let mut machine = LinkMachine::new(seed * 7919 + 3);
            machine.rounds = 6;
            machine.wait();
            let Phase::Waiting { until } = machine.phase else { panic!("not waiting") };
            until
        })
        .collect();
    assert!(waits.len() > 40, "only {} different waiting times", waits.len());
}

#[test]
fn nudge_retries_at_once() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    run.step(LinkInput::Lost);
    run.step(LinkInput::Lost);
    run.step(LinkInput::Lost);
    assert_eq!(run.step(LinkInput::Nudge), Some(LinkAction::Open(Transport::Socket)));
    run.step(LinkInput::FrameReceived);
    assert_eq!(run.step(LinkInput::Nudge), None, "a healthy link is left alone");
}

#[test]
fn offline_state_has_since_and_attempt() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    run.step(LinkInput::FrameReceived);
    let last_received = run.now;
    run.later(5_000).step(LinkInput::Lost);
    assert_eq!(run.shown(), Connection::Offline { since: Some(last_received), attempt: 2 });
}

/// Behind a proxy without upgrades the socket is tried from time to time, and the page stays live meanwhile.
#[test]
fn better_transport_is_retried_periodically() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    run.step(LinkInput::Lost);
    run.step(LinkInput::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events });
    run.later(1_000);
    run.step(LinkInput::Lost);
    let next = run.wait_for_action(BACKOFF_CAP_MS + 2_000);
    assert_eq!(next, Some(LinkAction::Open(Transport::Events)), "the way known to work comes first");
    run.step(LinkInput::FrameReceived);
    let mut action = None;
    while action.is_none() && run.now < 2_000_000 {
        run.later(15_000).step(LinkInput::FrameReceived);
        action = run.step(LinkInput::Tick);
    }
    assert_eq!(action, Some(LinkAction::Open(Transport::Socket)));
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events }, "a look upward is no failure");
    run.step(LinkInput::Lost);
    run.step(LinkInput::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events });
}

#[test]
fn missing_frames_reopen_the_same_way() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    run.step(LinkInput::FrameReceived);
    assert_eq!(run.step(LinkInput::Gap), Some(LinkAction::Open(Transport::Socket)));
    run.later(2_000).step(LinkInput::FrameReceived);
    assert_eq!(run.step(LinkInput::Gap), Some(LinkAction::Close), "but not in a circle");
}

/// A proxy that swallows upgrades costs 3 s, one that also buffers events 15 s.
#[test]
fn swallowed_upgrade_falls_back_within_three_seconds() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    let start = run.now;
    assert_eq!(run.wait_for_action(10_000), Some(LinkAction::Open(Transport::Events)));
    assert!(run.now - start <= 3_000);
    assert_eq!(run.wait_for_action(20_000), Some(LinkAction::Open(Transport::Poll)), "and it buffers, too");
    assert!(run.now - start <= 15_000);
}

/// The link falls back when a transport goes silent after its first frame.
#[test]
fn transport_silent_after_first_frame_falls_back() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    run.step(LinkInput::Lost);
    run.later(100).step(LinkInput::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events });
    assert_eq!(run.wait_for_action(60_000), Some(LinkAction::Open(Transport::Poll)));
}

#[test]
fn frozen_healthy_transport_is_reopened() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    for _ in 0..8 {
        run.later(15_000).step(LinkInput::FrameReceived);
    }
    assert_eq!(run.wait_for_action(60_000), Some(LinkAction::Open(Transport::Socket)));
}

/// Frames of the old link do not count after a sleep of the device.
#[test]
fn link_is_reopened_after_device_sleep() {
    for first in [LinkInput::Tick, LinkInput::FrameReceived, LinkInput::Nudge, LinkInput::Visible(true)] {
        let mut run = MachineRun::new();
        run.step(LinkInput::Start);
        run.step(LinkInput::FrameReceived);
        let last_received = run.now;
        run.later(3 * 3_600_000);
        assert_eq!(run.shown(), Connection::Stale { since: last_received }, "before anything runs");
        assert_eq!(run.step(first), Some(LinkAction::Open(Transport::Socket)), "{first:?}");
        assert_eq!(run.shown(), Connection::Stale { since: last_received }, "{first:?}");
    }
}

#[test]
fn a_clock_that_is_set_back_delays_nothing() {
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    run.step(LinkInput::FrameReceived);
    run.later(-86_400_000).step(LinkInput::Tick);
    let start = run.now;
    assert!(run.wait_for_action(60_000).is_some());
    assert!(run.now - start <= 35_000, "silence is noticed as fast as ever");
}

/// A hidden page waits longer than the normal limit, and reconnects at once when it becomes visible.
#[test]
fn hidden_page_retries_rarely_until_visible() {
    let mut longest = 0;
    let mut run = MachineRun::new();
    run.step(LinkInput::Start);
    run.step(LinkInput::Visible(false));
    for _ in 0..60 {
        run.step(LinkInput::Lost);
        run.step(LinkInput::Lost);
        run.step(LinkInput::Lost);
        let start = run.now;
        run.wait_for_action(HIDDEN_CAP_MS + 2_000).expect("it never gives up");
        longest = longest.max(run.now - start);
    }
    assert!(longest > BACKOFF_CAP_MS, "{longest}");
    run.step(LinkInput::Lost);
    run.step(LinkInput::Lost);
    run.step(LinkInput::Lost);
    assert_eq!(run.step(LinkInput::Visible(true)), Some(LinkAction::Open(Transport::Socket)));
}

#[test]
fn single_tab_retries_within_one_second() {
    for seed in 0..100 {
        let mut run = MachineRun { machine: LinkMachine::new(seed * 7919 + 3), now: 1_000_000 };
        run.step(LinkInput::Start);
        run.step(LinkInput::FrameReceived);
        run.machine.set_client_count(1);
        assert_eq!(run.step(LinkInput::Lost), Some(LinkAction::Close));
        assert_eq!(run.later(1_000).step(LinkInput::Tick), Some(LinkAction::Open(Transport::Socket)), "seed {seed}");
    }
}

/// Of 500 tabs that lose one monitor, at most 15 % reconnect within any one second.
#[test]
fn reconnects_of_many_tabs_are_spread() {
    for outage_ms in [0, 3_000, 30_000, 600_000] {
        let begin = 1_000_000;
        let back = begin + outage_ms;
        let mut per_second = [0_u32; 40];
        for tab in 0..500_u64 {
            let mut machine = LinkMachine::new(tab.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d);
            machine.set_client_count(500);
            machine.step(begin - 120_000, LinkInput::Start);
            for beat in (0..120_000).step_by(15_000) {
                machine.step(begin - 120_000 + beat, LinkInput::FrameReceived);
            }
            let mut action = machine.step(begin, LinkInput::Lost);
            // Browsers tick at their own moments.
            let mut now = begin + i64::try_from(tab).expect("small");
            while !matches!(action, Some(LinkAction::Open(_)) if now >= back) {
                if matches!(action, Some(LinkAction::Open(_))) {
                    action = machine.step(now, LinkInput::Lost);
                } else {
                    now += 500;
                    action = machine.step(now, LinkInput::Tick);
                }
            }
            let second = usize::try_from((now - back) / 1_000).expect("after");
            per_second[second.min(39)] += 1;
        }
        assert_eq!(per_second.iter().sum::<u32>(), 500);
        let most = per_second.iter().max().copied().unwrap_or(0);
        assert!(most <= 75, "after {outage_ms} ms one second sees {most}: {per_second:?}");
        assert_eq!(per_second[30..].iter().sum::<u32>(), 0, "all are back within 30 s: {per_second:?}");
    }
}
