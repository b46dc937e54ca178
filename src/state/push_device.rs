//! Push subscription of this browser as the monitor knows it, stored in this browser.

use leptos::prelude::*;

use super::stored::{Persistent, Stored};

/// The subscription that the monitor sends to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KnownSubscription {
    /// Id at the monitor.
    id: String,
    /// Address at the push service; empty when an older page stored the id alone.
    endpoint: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct StoredSubscription(Option<KnownSubscription>);

impl Persistent for StoredSubscription {
    const KEY: &'static str = "task-hub.push";

    fn to_text(&self) -> String {
        self.0.as_ref().map(|known| format!("{} {}", known.id, known.endpoint)).unwrap_or_default()
    }

    fn from_text(text: &str) -> Option<Self> {
        let (id, endpoint) = text.split_once(' ').unwrap_or((text, ""));
        let known = KnownSubscription { id: id.to_owned(), endpoint: endpoint.to_owned() };
        Some(Self(Some(known).filter(|known| !known.id.is_empty())))
    }
}

/// The subscription, the same in all tabs; none where this browser gets no push messages.
#[derive(Clone, Copy)]
pub struct PushDevice(Stored<StoredSubscription>);

impl PushDevice {
    pub(super) fn new() -> Self {
        Self(Stored::new())
    }

    /// The id. Reactive.
    pub fn get(self) -> Option<String> {
        self.0.with(|stored| stored.0.as_ref().map(|known| known.id.clone()))
    }

    /// The id now.
    pub fn get_untracked(self) -> Option<String> {
        self.0.now().0.as_ref().map(|known| known.id.clone())
    }

    /// Whether a subscription of the browser is another one than that which the monitor knows.
    pub fn is_renewed(self, endpoint: &str) -> bool {
        self.0.now().0.as_ref().is_some_and(|known| !known.endpoint.is_empty() && known.endpoint != endpoint)
    }

    /// The monitor knows this subscription now, under this id.
    pub fn set(self, id: String, endpoint: String) {
        self.0.change(|stored| stored.0 = Some(KnownSubscription { id, endpoint }));
    }

    /// The monitor knows none.
    pub fn clear(self) {
        self.0.change(|stored| stored.0 = None);
    }
}

/// This browser's push subscription.
pub fn use_push_device() -> PushDevice {
    expect_context()
}
