//! The link's life under a clock that only the test moves.
//!
//! Proves (live): The link reconnects, backs off and changes transport by its rules.

use super::*;

/// Steps a machine and remembers the time.
struct Run {
    machine: Machine,
    now: i64,
}

impl Run {
    fn new() -> Self {
        Self { machine: Machine::new(7), now: 1_000_000 }
    }

    fn step(&mut self, input: Input) -> Option<Action> {
        self.machine.step(self.now, input)
    }

    fn later(&mut self, ms: i64) -> &mut Self {
        self.now += ms;
        self
    }

    /// Ticks once a second until something is to be done.
    fn wait_for_action(&mut self, limit_ms: i64) -> Option<Action> {
        let end = self.now + limit_ms;
        while self.now < end {
            self.now += 1_000;
            if let Some(action) = self.step(Input::Tick) {
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
fn the_socket_is_tried_first_and_the_page_is_live_once_it_speaks() {
    let mut run = Run::new();
    assert_eq!(run.step(Input::Start), Some(Action::Open(Transport::Socket)));
    assert_eq!(run.shown(), Connection::Connecting);
    run.later(50).step(Input::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Socket });
}

#[test]
fn a_way_that_never_speaks_is_left_for_the_next_lower_one() {
    let mut run = Run::new();
    run.step(Input::Start);
    assert_eq!(run.step(Input::Lost), Some(Action::Open(Transport::Events)), "an upgrade refused by a proxy");
    assert_eq!(run.wait_for_action(10_000), Some(Action::Open(Transport::Poll)), "a proxy that buffers the stream");
    run.step(Input::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Poll });
}

#[test]
fn a_silent_link_is_never_shown_as_live() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::FrameReceived);
    let heard = run.now;
    let noticed = run.wait_for_action(60_000).map(|action| (action, run.now - heard));
    let Some((Action::Open(_), took)) = noticed else { panic!("the link is replaced: {noticed:?}") };
    assert!(took <= 35_000, "two heartbeats and some slack, not {took} ms");
    assert_eq!(run.shown(), Connection::Stale { since: heard });
    run.later(1_500);
    assert_eq!(run.shown(), Connection::Stale { since: heard });
    run.step(Input::FrameReceived);
    assert!(matches!(run.shown(), Connection::Live { .. }));
}

#[test]
fn a_heartbeat_keeps_the_link_alive() {
    let mut run = Run::new();
    run.step(Input::Start);
    for _ in 0..20 {
        run.later(15_000).step(Input::FrameReceived);
        assert_eq!(run.step(Input::Tick), None);
    }
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Socket });
}

#[test]
fn it_never_gives_up_and_waits_ever_longer_up_to_the_cap() {
    let mut run = Run::new();
    run.step(Input::Start);
    for round in 0..200 {
        run.step(Input::Lost);
        run.step(Input::Lost);
        assert_eq!(run.step(Input::Lost), Some(Action::Close));
        let Phase::Waiting { until } = run.machine.phase else { panic!("not waiting") };
        let wait = until - run.machine.time;
        assert!((0..=BACKOFF_CAP_MS).contains(&wait), "round {round} waits {wait}");
        assert!(matches!(run.shown(), Connection::Offline { since: None, .. }));
        assert_eq!(run.wait_for_action(BACKOFF_CAP_MS + 2_000), Some(Action::Open(Transport::Socket)));
    }
}

#[test]
fn tabs_do_not_come_back_all_at_once() {
    let waits: std::collections::BTreeSet<i64> = (0..50)
        .map(|seed| {
            let mut machine = Machine::new(seed * 7919 + 3);
            machine.rounds = 6;
            machine.wait();
            let Phase::Waiting { until } = machine.phase else { panic!("not waiting") };
            until
        })
        .collect();
    assert!(waits.len() > 40, "only {} different waiting times", waits.len());
}

#[test]
fn the_reader_can_ask_for_a_try_at_once() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::Lost);
    run.step(Input::Lost);
    run.step(Input::Lost);
    assert_eq!(run.step(Input::Nudge), Some(Action::Open(Transport::Socket)));
    run.step(Input::FrameReceived);
    assert_eq!(run.step(Input::Nudge), None, "a healthy link is left alone");
}

#[test]
fn a_lost_link_says_since_when_and_counts_its_tries() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::FrameReceived);
    let heard = run.now;
    run.later(5_000).step(Input::Lost);
    assert_eq!(run.shown(), Connection::Offline { since: Some(heard), attempt: 2 });
}

/// Behind a proxy without upgrades the socket is tried from time to time, and the page stays live meanwhile.
#[test]
fn behind_a_proxy_without_upgrades_the_better_way_is_tried_again_now_and_then() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::Lost);
    run.step(Input::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events });
    run.later(1_000);
    run.step(Input::Lost);
    let next = run.wait_for_action(BACKOFF_CAP_MS + 2_000);
    assert_eq!(next, Some(Action::Open(Transport::Events)), "the way known to work comes first");
    run.step(Input::FrameReceived);
    let mut action = None;
    while action.is_none() && run.now < 2_000_000 {
        run.later(15_000).step(Input::FrameReceived);
        action = run.step(Input::Tick);
    }
    assert_eq!(action, Some(Action::Open(Transport::Socket)));
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events }, "a look upward is no failure");
    run.step(Input::Lost);
    run.step(Input::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events });
}

#[test]
fn missing_frames_reopen_the_same_way() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::FrameReceived);
    assert_eq!(run.step(Input::Gap), Some(Action::Open(Transport::Socket)));
    run.later(2_000).step(Input::FrameReceived);
    assert_eq!(run.step(Input::Gap), Some(Action::Close), "but not in a circle");
}

/// A proxy that swallows upgrades costs 3 s, one that also buffers events 15 s.
#[test]
fn behind_a_proxy_that_swallows_upgrades_events_are_tried_within_three_seconds() {
    let mut run = Run::new();
    run.step(Input::Start);
    let start = run.now;
    assert_eq!(run.wait_for_action(10_000), Some(Action::Open(Transport::Events)));
    assert!(run.now - start <= 3_000);
    assert_eq!(run.wait_for_action(20_000), Some(Action::Open(Transport::Poll)), "and it buffers, too");
    assert!(run.now - start <= 15_000);
}

/// The link falls back when a transport goes silent after its first frame.
#[test]
fn a_way_that_speaks_once_and_then_holds_its_words_back_is_left_for_the_next_lower_one() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::Lost);
    run.later(100).step(Input::FrameReceived);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events });
    assert_eq!(run.wait_for_action(60_000), Some(Action::Open(Transport::Poll)));
}

#[test]
fn a_healthy_way_that_freezes_is_tried_again_itself() {
    let mut run = Run::new();
    run.step(Input::Start);
    for _ in 0..8 {
        run.later(15_000).step(Input::FrameReceived);
    }
    assert_eq!(run.wait_for_action(60_000), Some(Action::Open(Transport::Socket)));
}

/// Frames of the old link do not count after a sleep of the device.
#[test]
fn after_a_sleep_nothing_the_old_link_says_counts() {
    for first in [Input::Tick, Input::FrameReceived, Input::Nudge, Input::Visible(true)] {
        let mut run = Run::new();
        run.step(Input::Start);
        run.step(Input::FrameReceived);
        let heard = run.now;
        run.later(3 * 3_600_000);
        assert_eq!(run.shown(), Connection::Stale { since: heard }, "before anything runs");
        assert_eq!(run.step(first), Some(Action::Open(Transport::Socket)), "{first:?}");
        assert_eq!(run.shown(), Connection::Stale { since: heard }, "{first:?}");
    }
}

#[test]
fn a_clock_that_is_set_back_delays_nothing() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::FrameReceived);
    run.later(-86_400_000).step(Input::Tick);
    let start = run.now;
    assert!(run.wait_for_action(60_000).is_some());
    assert!(run.now - start <= 35_000, "silence is noticed as fast as ever");
}

/// A hidden page waits longer than the normal limit, and reconnects at once when it becomes visible.
#[test]
fn a_page_that_nobody_looks_at_asks_rarely_and_at_once_when_it_is_looked_at() {
    let mut longest = 0;
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::Visible(false));
    for _ in 0..60 {
        run.step(Input::Lost);
        run.step(Input::Lost);
        run.step(Input::Lost);
        let start = run.now;
        run.wait_for_action(HIDDEN_CAP_MS + 2_000).expect("it never gives up");
        longest = longest.max(run.now - start);
    }
    assert!(longest > BACKOFF_CAP_MS, "{longest}");
    run.step(Input::Lost);
    run.step(Input::Lost);
    run.step(Input::Lost);
    assert_eq!(run.step(Input::Visible(true)), Some(Action::Open(Transport::Socket)));
}

#[test]
fn a_lone_tab_that_loses_its_link_tries_again_within_a_second() {
    for seed in 0..100 {
        let mut run = Run { machine: Machine::new(seed * 7919 + 3), now: 1_000_000 };
        run.step(Input::Start);
        run.step(Input::FrameReceived);
        run.machine.among(1);
        assert_eq!(run.step(Input::Lost), Some(Action::Close));
        assert_eq!(run.later(1_000).step(Input::Tick), Some(Action::Open(Transport::Socket)), "seed {seed}");
    }
}

/// Of 500 tabs that lose one monitor, at most 15 % reconnect within any one second.
#[test]
fn of_five_hundred_tabs_that_lose_one_monitor_no_second_sees_more_than_fifteen_percent_come_back() {
    for outage_ms in [0, 3_000, 30_000, 600_000] {
        let begin = 1_000_000;
        let back = begin + outage_ms;
        let mut per_second = [0_u32; 40];
        for tab in 0..500_u64 {
            let mut machine = Machine::new(tab.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d);
            machine.among(500);
            machine.step(begin - 120_000, Input::Start);
            for beat in (0..120_000).step_by(15_000) {
                machine.step(begin - 120_000 + beat, Input::FrameReceived);
            }
            let mut action = machine.step(begin, Input::Lost);
            // Browsers tick at their own moments.
            let mut now = begin + i64::try_from(tab).expect("small");
            while !matches!(action, Some(Action::Open(_)) if now >= back) {
                if matches!(action, Some(Action::Open(_))) {
                    action = machine.step(now, Input::Lost);
                } else {
                    now += 500;
                    action = machine.step(now, Input::Tick);
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
