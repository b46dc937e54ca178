//! Implementation of `Categories` for `Hub`. REST 1.x responses use the configured classifier's categories, unless `v1`
//! is configured or requested.

use std::borrow::Cow;

use serde_json::Value;

use super::Categories;
use super::enrich::enriched;
use crate::category::Category;
use crate::classify::Classifier;
use crate::event::Event;
use crate::event::derive_role;
use crate::hub::Hub;
use crate::ids::SessionId;

impl Categories for Hub {
    fn event(&self, number: u32) -> Category {
        self.fact(number).category
    }

    fn session(&self, id: &SessionId) -> Option<(Category, Vec<Cow<'static, str>>)> {
        let verdict = Self::session(self, id)?.state.votes.verdict();
        Some((verdict.info.key, verdict.sub_tags.into_iter().map(Cow::Owned).collect()))
    }
}

impl Hub {
    /// An event of the hub with all derived fields and with the category from the classifier in force.
    #[must_use]
    pub fn enrich(&self, event: &Event) -> Value {
        let number = self.find(&event.id());
        let category = self.categories(false).zip(number).map(|(categories, number)| categories.event(number));
        enriched(event, derive_role(event, self.roster()), category)
    }

    /// Categories for 1.x answers; `None` when `v1` gives them, as those answers always did: when it is requested or
    /// configured.
    #[must_use]
    pub fn categories(&self, by_v1: bool) -> Option<&dyn Categories> {
        (!by_v1 && self.classifier() != Classifier::V1).then_some(self)
    }
}
