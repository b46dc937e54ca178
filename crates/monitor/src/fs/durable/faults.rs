//! Fault injection for tests of disk errors. A chosen disk call of the test's thread fails, alone or with all later
//! calls. A test can also run code before a chosen call, as if another program acted at that moment.

use std::cell::Cell;
use std::io;

/// Which disk operation fails, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiskFault {
    /// How many calls succeed before it.
    pub(crate) after: usize,
    /// `errno` of the error.
    pub(crate) error: i32,
    /// All later calls fail too.
    pub(crate) lasting: bool,
    /// A write puts half of its bytes before it fails.
    pub(crate) tears: bool,
}

type FaultAction = Box<dyn FnOnce()>;

thread_local! {
    static MEANWHILE: Cell<Option<(usize, FaultAction)>> = const { Cell::new(None) };
    static FAULT: Cell<Option<DiskFault>> = const { Cell::new(None) };
    static STRUCK: Cell<bool> = const { Cell::new(false) };
}

/// Lets `work` run on a disk with this fault. True when it struck.
pub(crate) fn with_fault<T>(fault: DiskFault, work: impl FnOnce() -> T) -> (T, bool) {
    FAULT.set(Some(fault));
    STRUCK.set(false);
    let value = work();
    FAULT.set(None);
    (value, STRUCK.get())
}

/// Lets `work` run on a good disk; how many calls it makes.
pub(crate) fn calls<T>(work: impl FnOnce() -> T) -> (T, usize) {
    FAULT.set(Some(DiskFault { after: usize::MAX, error: 0, lasting: false, tears: false }));
    let value = work();
    (value, FAULT.take().map_or(0, |fault| usize::MAX - fault.after))
}

/// Lets another program `act` after so many calls of `work`. True when it did.
pub(crate) fn meanwhile<T>(after: usize, act: impl FnOnce() + 'static, work: impl FnOnce() -> T) -> (T, bool) {
    MEANWHILE.set(Some((after, Box::new(act))));
    let value = work();
    (value, MEANWHILE.take().is_none())
}

/// Called before every disk operation.
pub(crate) fn strikes() -> io::Result<()> {
    match MEANWHILE.take() {
        Some((0, act)) => act(),
        Some((after, act)) => MEANWHILE.set(Some((after - 1, act))),
        None => {}
    }
    let Some(fault) = FAULT.get() else { return Ok(()) };
    if fault.after > 0 {
        FAULT.set(Some(DiskFault { after: fault.after - 1, ..fault }));
        return Ok(());
    }
    STRUCK.set(true);
    FAULT.set(fault.lasting.then_some(fault));
    Err(io::Error::from_raw_os_error(fault.error))
}

/// The error of a write that must end in its middle.
pub(crate) fn tears() -> Option<io::Error> {
    FAULT.get().filter(|fault| fault.tears && fault.after == 0).and_then(|_| strikes().err())
}
