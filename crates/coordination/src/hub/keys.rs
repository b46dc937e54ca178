//! Set of the OpenClaw session keys that the events of a work session name as source or target. With it, a query finds
//! the work sessions of a stored OpenClaw session.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::event_meta::reserve_tight;
use crate::event::{Event, Field};

/// Folded keys of the stored sessions that the events of a work session name, in order, each once. Most sessions name
/// two, which take a third of the memory of a tree.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct FoldedKeys(Vec<Box<str>>);

impl FoldedKeys {
    pub(super) fn note(&mut self, event: &Event) {
        for field in [Field::SourceSessionKey, Field::TargetSessionKey] {
            let Some(key) = event.text(field).filter(|key| !key.is_empty()) else { continue };
            let key = folded(key);
            if let Err(place) = self.find(&key) {
                reserve_tight(&mut self.0);
                self.0.insert(place, key.into());
            }
        }
    }

    /// Whether it contains this folded key.
    pub(crate) fn holds(&self, key: &str) -> bool {
        self.find(key).is_ok()
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|known| (**known).cmp(key))
    }
}

/// A key in the form in which keys are compared.
pub(crate) fn folded(key: &str) -> Cow<'_, str> {
    let plain = key.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if plain { Cow::Borrowed(key) } else { Cow::Owned(key.to_lowercase()) }
}
