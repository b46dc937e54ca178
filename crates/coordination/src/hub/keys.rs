//! Set of the OpenClaw session keys that took part in a work session.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::event::{Event, Field};

/// Folded keys of the stored sessions that the events of a work session name.
#[derive(Debug, Clone, Default)]
pub(crate) struct FoldedKeys(BTreeSet<Box<str>>);

impl FoldedKeys {
    pub(super) fn note(&mut self, event: &Event) {
        for field in [Field::SourceSessionKey, Field::TargetSessionKey] {
            let Some(key) = event.text(field).filter(|key| !key.is_empty()) else { continue };
            let key = folded(key);
            if !self.0.contains(&*key) {
                self.0.insert(key.into());
            }
        }
    }

    /// Whether it contains this folded key.
    pub(crate) fn holds(&self, key: &str) -> bool {
        self.0.contains(key)
    }
}

/// A key in the form in which keys are compared.
pub(crate) fn folded(key: &str) -> Cow<'_, str> {
    let plain = key.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if plain { Cow::Borrowed(key) } else { Cow::Owned(key.to_lowercase()) }
}
