//! What every request handler can reach.

use std::sync::Arc;

use crate::config::Settings;

/// Shared, cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

struct Shared {
    settings: Settings,
}

impl AppState {
    /// State over one home.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(Shared { settings }))
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// UTC epoch milliseconds by the configured clock.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.0.settings.clock.now_ms()
    }
}
