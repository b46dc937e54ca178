//! The link's life under a clock that only the test moves.

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
    run.later(50).step(Input::Heard);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Socket });
}

#[test]
fn a_way_that_never_speaks_is_left_for_the_next_lower_one() {
    let mut run = Run::new();
    run.step(Input::Start);
    assert_eq!(run.step(Input::Lost), Some(Action::Open(Transport::Events)), "an upgrade refused by a proxy");
    assert_eq!(run.wait_for_action(10_000), Some(Action::Open(Transport::Poll)), "a proxy that buffers the stream");
    run.step(Input::Heard);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Poll });
}

#[test]
fn a_silent_link_is_never_shown_as_live() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::Heard);
    let heard = run.now;
    run.later(SILENCE_MS + 1);
    assert_eq!(run.shown(), Connection::Stale { since: heard });
    assert_eq!(run.step(Input::Tick), Some(Action::Open(Transport::Socket)));
    assert_eq!(run.shown(), Connection::Stale { since: heard });
    run.step(Input::Heard);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Socket });
}

#[test]
fn a_heartbeat_keeps_the_link_alive() {
    let mut run = Run::new();
    run.step(Input::Start);
    for _ in 0..20 {
        run.later(15_000).step(Input::Heard);
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
        assert!((0..=BACKOFF_CAP_MS).contains(&(until - run.now)), "round {round} waits {}", until - run.now);
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
            machine.wait(0);
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
    run.step(Input::Heard);
    assert_eq!(run.step(Input::Nudge), None, "a healthy link is left alone");
}

#[test]
fn a_lost_link_says_since_when_and_counts_its_tries() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::Heard);
    let heard = run.now;
    run.later(5_000).step(Input::Lost);
    assert_eq!(run.shown(), Connection::Offline { since: Some(heard), attempt: 2 });
}

#[test]
fn behind_a_proxy_without_upgrades_the_better_way_is_tried_again_now_and_then() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::Lost);
    run.step(Input::Heard);
    assert_eq!(run.shown(), Connection::Live { transport: Transport::Events });
    run.later(1_000);
    run.step(Input::Lost);
    assert_eq!(run.wait_for_action(2_000), Some(Action::Open(Transport::Events)), "the way known to work comes first");
    run.step(Input::Heard);
    let mut action = None;
    for _ in 0..30 {
        run.later(15_000).step(Input::Heard);
        action = action.or(run.step(Input::Tick));
    }
    assert_eq!(action, Some(Action::Open(Transport::Socket)));
}

#[test]
fn missing_frames_reopen_the_same_way() {
    let mut run = Run::new();
    run.step(Input::Start);
    run.step(Input::Heard);
    assert_eq!(run.step(Input::Gap), Some(Action::Open(Transport::Socket)));
}
