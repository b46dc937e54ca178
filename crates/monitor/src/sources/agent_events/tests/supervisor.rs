//! Tests of the supervisor of the journal thread, which writes coding agents' events to the journal. After a panic, the
//! failure is reported, the thread restarts, and no accepted event is lost.
//!
//! Proves (claude-code): A panic of the journal thread is reported, the thread restarts, and no accepted event is lost.

use std::sync::atomic::AtomicU32;
use std::time::Instant;

use super::*;

/// The status once `is` accepts it.
fn eventually(what: &str, mut is: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn panic_is_reported_and_state_is_rebuilt() {
    let fixture = AgentEventsFixture::new();
    fixture.start().take(vec![input(&event("a", "하나"))]).expect("taken");
    let mut settings = Settings::for_home(HomeDir::new(fixture.dir.path()));
    settings.clock = ServerClock::fixed(NOW);
    let shared = Arc::<AgentEventsShared>::default();
    let (sender, changes) = mpsc::channel();
    let hub = ValueSink::new(move |change| sender.send(change).is_ok());
    let (requests, inbox) = mpsc::channel();
    // Good for a while, then a panic at every look, as a record would cause that cannot be followed; then good again.
    let (mistakes, begun) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (make, seen, thread_shared) = (Arc::clone(&mistakes), Arc::clone(&begun), Arc::clone(&shared));
    let begin = move |before| {
        seen.fetch_add(1, Ordering::Relaxed);
        let make = Arc::clone(&make);
        let may_write = Box::new(move || {
            assert!(make.load(Ordering::Relaxed) == 0, "a mistake");
            true
        });
        JournalWriter::new(&settings, hub.clone(), Arc::clone(&thread_shared), may_write).resume_from(before)
    };
    let thread = std::thread::spawn(move || super::super::supervisor::run(begin, &inbox, Duration::from_millis(20)));
    let ask = |id: &str| {
        let (answer, reply) = oneshot::channel();
        requests.send(IngestRequest { items: vec![input(&event(id, "둘"))], answer }).expect("it listens");
        reply.blocking_recv()
    };
    let ids = || shared.board.read().expect("board").ids().map(str::to_owned).collect::<Vec<_>>();
    eventually("the record is read", || ids() == ["a"]);

    mistakes.store(1, Ordering::Relaxed);
    eventually("it fails and starts again", || begun.load(Ordering::Relaxed) >= 3);
    // Each new beginning reads the record well before it falls.
    eventually("what readers have may be old", || shared.reading.borrow().unreadable);
    let failure = shared.info().last_error.clone().expect("health tells");
    assert!(failure.cause.contains("mistake"), "{failure:?}");
    assert!(!matches!(ask("b"), Ok(Ok(_))), "nothing is acknowledged meanwhile");
    assert_eq!(ids(), ["a"], "what was read stays");

    mistakes.store(0, Ordering::Relaxed);
    eventually("it takes in again", || matches!(ask("c"), Ok(Ok(_))));
    assert_eq!(ids(), ["a", "c"]);
    assert!(!shared.reading.borrow().unreadable);
    drop(requests);
    thread.join().expect("it ends when nobody can ask");
    let mut received: Vec<bool> =
        changes.try_iter().map(|change: AgentEventsUpdate| change.unreadable.is_empty()).collect();
    received.dedup();
    assert_eq!(received, [true, false, true], "the hub is notified of the failure and of the restart");
}
