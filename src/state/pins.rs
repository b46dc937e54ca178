//! Sessions that the user pinned, at most 12, stored in this browser. The session list shows them on top
//! (`src/pages/sessions/pinned.rs`).

use coordination::ids::SessionId;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::stored::{Persistent, Stored};

/// Maximum number of pins; each is requested separately.
const MAX_PINS: usize = 12;
const VERSION: u64 = 1;

/// Pinned sessions, the latest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PinList(Vec<SessionId>);

impl PinList {
    /// Pins it, or takes the pin off. False where there is no room for another.
    fn toggle(&mut self, session: &SessionId) -> bool {
        let before = self.0.len();
        self.0.retain(|pinned| pinned != session);
        let room = self.0.len() < MAX_PINS;
        if self.0.len() == before && room {
            self.0.insert(0, session.clone());
        }
        self.0.len() != before
    }
}

impl Persistent for PinList {
    const KEY: &'static str = "task-hub.pins";

    fn to_text(&self) -> String {
        json!({ "v": VERSION, "sessions": self.0 }).to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        let stored: Value = serde_json::from_str(text).ok()?;
        let rows = stored.get("sessions").filter(|_| stored["v"].as_u64() == Some(VERSION))?.as_array()?;
        let ids = rows.iter().filter_map(Value::as_str).map(SessionId::from);
        Some(Self(ids.take(MAX_PINS).collect()))
    }
}

/// What the user pinned.
#[derive(Clone, Copy)]
pub struct Pins(Stored<PinList>);

impl Pins {
    pub(super) fn new() -> Self {
        Self(Stored::new())
    }

    /// Pinned sessions, the latest first. Reactive.
    pub fn all(self) -> Vec<SessionId> {
        self.0.with(|pins| pins.0.clone())
    }

    /// Reactive.
    pub fn holds(self, session: &SessionId) -> bool {
        self.0.with(|pins| pins.0.contains(session))
    }

    /// Without subscribing.
    pub fn now(self, session: &SessionId) -> bool {
        self.0.now().0.contains(session)
    }

    /// Pins it, or takes the pin off. False where there is no room for another.
    pub fn toggle(self, session: &SessionId) -> bool {
        let mut done = false;
        self.0.change(|pins| done = pins.toggle(session));
        done
    }
}

/// What the user pinned.
pub fn use_pins() -> Pins {
    expect_context()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latest_pin_is_first_of_twelve() {
        let mut pins = PinList::default();
        for number in 0..MAX_PINS {
            assert!(pins.toggle(&SessionId::from(format!("ws-{number}"))));
        }
        assert_eq!(pins.0[0].as_str(), "ws-11");
        assert!(!pins.toggle(&"another".into()), "no room");
        assert!(pins.toggle(&"ws-0".into()), "a pin can always be taken off");
        assert!(pins.toggle(&"another".into()));
        assert_eq!(PinList::from_text(&pins.to_text()), Some(pins));
    }
}
