//! The hub's own filing, for 1.x answers.

use std::borrow::Cow;

use super::Filing;
use crate::category::Category;
use crate::classify::Classifier;
use crate::hub::Hub;
use crate::ids::SessionId;

impl Filing for Hub {
    fn event(&self, number: u32) -> Category {
        self.fact(number).category
    }

    fn session(&self, id: &SessionId) -> Option<(Category, Vec<Cow<'static, str>>)> {
        let verdict = Self::session(self, id)?.state.votes.verdict();
        Some((verdict.info.key, verdict.sub_tags.into_iter().map(Cow::Owned).collect()))
    }
}

impl Hub {
    /// Who files in 1.x answers: this hub, unless the classifier in force is the one that these answers always had.
    #[must_use]
    pub fn filing(&self) -> Option<&dyn Filing> {
        (self.classifier() != Classifier::V1).then_some(self)
    }
}
