//! Id under which the monitor knows this browser's push subscription, stored in this browser.

use leptos::prelude::*;

use super::stored::{Persistent, Stored};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct PushId(Option<String>);

impl Persistent for PushId {
    const KEY: &'static str = "task-hub.push";

    fn to_text(&self) -> String {
        self.0.clone().unwrap_or_default()
    }

    fn from_text(text: &str) -> Option<Self> {
        Some(Self(Some(text.to_owned()).filter(|text| !text.is_empty())))
    }
}

/// The id, the same in all tabs. `None` where this browser gets no push messages.
#[derive(Clone, Copy)]
pub struct PushDevice(Stored<PushId>);

impl PushDevice {
    pub(super) fn new() -> Self {
        Self(Stored::new())
    }

    /// The id. Reactive.
    pub fn get(self) -> Option<String> {
        self.0.with(|id| id.0.clone())
    }

    /// The id now.
    pub fn get_untracked(self) -> Option<String> {
        self.0.now().0.clone()
    }

    /// Changes it.
    pub fn set(self, id: Option<String>) {
        self.0.change(|stored| stored.0 = id);
    }
}

/// This browser's push subscription.
pub fn use_push_device() -> PushDevice {
    expect_context()
}
