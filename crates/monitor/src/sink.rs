//! Callback type `ValueSink`, through which the override store and the readers of transcripts and agent events pass
//! updates to the thread that changes the hub. The sender does not depend on the receiver's module. A send reports
//! whether the receiver still exists.

use std::fmt;
use std::sync::Arc;

/// Passes values of one type to a receiver. Cheap to clone.
pub(crate) struct ValueSink<T>(Arc<dyn Fn(T) -> bool + Send + Sync>);

impl<T> ValueSink<T> {
    /// A sink that calls `send` with each value. `send` returns false when the receiver is gone.
    pub(crate) fn new(send: impl Fn(T) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(send))
    }

    /// False when the receiver is gone.
    #[must_use]
    pub(crate) fn send(&self, value: T) -> bool {
        (self.0)(value)
    }
}

impl<T> Clone for ValueSink<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for ValueSink<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink")
    }
}
