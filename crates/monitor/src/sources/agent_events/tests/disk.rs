//! Tests of receiving coding agents' events when a disk call fails, for every disk call. The monitor does not
//! acknowledge an event that it could not store. It resumes storing when the disk recovers.
//!
//! Proves (claude-code): An event that was not stored is never acknowledged, whichever disk call fails.

use super::*;
use crate::fs::durable::faults::{self, DiskFault};

/// Full, input/output error, read-only, permission denied, over quota.
const ERRORS: [i32; 5] = [28, 5, 30, 13, 122];
const FULL: [i32; 2] = [28, 122];

/// One request on a disk with this fault, then the same on a good one. False when the fault came too late to strike.
fn write_with_fault(fault: DiskFault) -> bool {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    process.take(vec![input(&event("old", "1"))]).expect("a good disk");
    let before = size(&fixture.path(RECORD));
    let wanted = || vec![input(&event("new", "2")), input(&event("newer", "3"))];
    let (outcome, struck) = faults::with_fault(fault, || process.take(wanted()));
    match &outcome {
        Ok(states) => assert_eq!(states[..], [Accepted, Accepted], "{fault:?}"),
        Err(WriteError::NotCommitted { disk_full, cause }) => {
            assert_eq!(size(&fixture.path(RECORD)), before, "{fault:?}: {cause}");
            assert_eq!(*disk_full, FULL.contains(&fault.error), "{fault:?}: {cause}");
            assert_eq!(process.ids(), ["old"], "{fault:?}");
        }
        Err(WriteError::Uncertain { .. }) => assert!(fault.lasting || struck, "{fault:?}"),
        Err(other) => panic!("{fault:?}: {other}"),
    }
    assert!(outcome.is_err() || !struck || size(&fixture.path(RECORD)) > before, "{fault:?}");
    process.take(wanted()).expect("the disk is good again");
    assert_eq!(process.ids(), ["new", "newer", "old"], "{fault:?}");
    let mut reloaded = fixture.start();
    assert_eq!(reloaded.ids(), ["new", "newer", "old"], "{fault:?}");
    assert_eq!(reloaded.take(wanted()).expect("good"), [Duplicate, Duplicate], "{fault:?}");
    struck
}

#[test]
fn disk_fault_never_acknowledges_unstored_items() {
    let mut struck = 0;
    for error in ERRORS {
        for lasting in [false, true] {
            for tears in [false, true] {
                let faults = (0..).map(|after| DiskFault { after, error, lasting, tears });
                struck += faults.take_while(|fault| write_with_fault(*fault)).count();
            }
        }
    }
    assert!(struck >= 60, "{struck}");
}

#[test]
fn waiting_requests_are_committed_as_one_batch() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    let calls = |process: &mut TestProcess, names: &[String]| {
        let (requests, answers): (Vec<_>, Vec<_>) = names
            .iter()
            .map(|name| {
                let (answer, reply) = oneshot::channel();
                (IngestRequest { items: vec![input(&event(name, "1"))], answer }, reply)
            })
            .unzip();
        let ((), calls) = faults::calls(|| process.writer.answer(requests));
        for mut answer in answers {
            let results = answer.try_recv().expect("answered").expect("taken");
            assert_eq!((results.len(), results[0].state), (1, Accepted));
        }
        calls
    };
    let one = calls(&mut process, &["first".to_owned()]);
    let next = calls(&mut process, &["next".to_owned()]);
    let many = calls(&mut process, &(0..40).map(|number| format!("e{number}")).collect::<Vec<_>>());
    assert!(many == next && many <= one, "one request takes {one} and {next} calls, forty take {many}");
    assert_eq!(process.ids().len(), 42);
    let (answer, mut reply) = oneshot::channel();
    let fault = DiskFault { after: 0, error: 28, lasting: true, tears: false };
    let request = IngestRequest { items: vec![input(&event("full", "1"))], answer };
    let ((), struck) = faults::with_fault(fault, || process.writer.answer(vec![request]));
    let refusal = reply.try_recv().expect("answered").expect_err("refused");
    assert!(struck && matches!(refusal, WriteError::NotCommitted { disk_full: true, .. }), "{refusal}");
}
