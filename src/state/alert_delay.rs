//! Choice of the user when the browser notifies of a line for a person, stored in this browser.

use coordination::alerts::AlertRule;
use leptos::prelude::*;

use super::stored::{Persistent, Stored};

/// When the browser notifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlertDelay {
    /// Never.
    #[default]
    Off,
    /// At once.
    AtOnce,
    /// After a minute: some matters are settled at a terminal by then.
    OneMinute,
    /// After five minutes.
    FiveMinutes,
}

impl AlertDelay {
    /// All, in menu order.
    pub const ALL: [Self; 4] = [Self::Off, Self::AtOnce, Self::OneMinute, Self::FiveMinutes];

    /// The rule, unless it is off.
    pub fn rule(self) -> Option<AlertRule> {
        let minutes = match self {
            Self::Off => return None,
            Self::AtOnce => 0,
            Self::OneMinute => 1,
            Self::FiveMinutes => 5,
        };
        Some(AlertRule { after_ms: minutes * 60_000 })
    }
}

impl Persistent for AlertDelay {
    const KEY: &'static str = "task-hub.alerts";

    fn to_text(&self) -> String {
        let text = match self {
            Self::Off => "off",
            Self::AtOnce => "0",
            Self::OneMinute => "1",
            Self::FiveMinutes => "5",
        };
        text.to_owned()
    }

    fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|delay| delay.to_text() == text)
    }
}

/// The choice, the same in all tabs.
#[derive(Clone, Copy)]
pub struct AlertChoice(Stored<AlertDelay>);

impl AlertChoice {
    pub(super) fn new() -> Self {
        Self(Stored::new())
    }

    /// The choice. Reactive.
    pub fn get(self) -> AlertDelay {
        self.0.with(|delay| *delay)
    }

    /// Changes it.
    pub fn set(self, delay: AlertDelay) {
        self.0.change(|stored| *stored = delay);
    }
}

/// When the browser notifies.
pub fn use_alert_choice() -> AlertChoice {
    expect_context()
}
