//! Interner that numbers repeated texts: event types, agent ids and sub-tags. A number takes two bytes.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::hash_map::FastHashMap;

/// Numbered texts, in order of appearance. Never shrinks. Saved as the list of texts.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Vec<Arc<str>>")]
pub(crate) struct NameTable {
    names: Vec<Arc<str>>,
    numbers: FastHashMap<Arc<str>, u16>,
}

impl NameTable {
    /// The number of this text. In a hostile log with more than 65,535 of them the others share one number.
    pub(crate) fn number(&mut self, name: &str) -> u16 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u16::try_from(self.names.len()).unwrap_or(u16::MAX);
        if number < u16::MAX {
            let name: Arc<str> = name.into();
            self.names.push(Arc::clone(&name));
            self.numbers.insert(name, number);
        }
        number
    }

    /// The number, when it has one.
    pub(crate) fn find(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    pub(crate) fn name(&self, number: u16) -> &str {
        self.names.get(usize::from(number)).map_or("", |name| name)
    }

    /// Whether the text of this number may be one that `fits`: false when it is known not to be.
    pub(crate) fn may(&self, number: u16, fits: impl FnOnce(&str) -> bool) -> bool {
        self.names.get(usize::from(number)).is_none_or(|name| fits(name))
    }

    /// All with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u16, &str)> {
        (0..).zip(self.names.iter().map(|name| &**name))
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}

impl From<Vec<Arc<str>>> for NameTable {
    fn from(names: Vec<Arc<str>>) -> Self {
        let numbers = (0..).zip(&names).map(|(number, name)| (Arc::clone(name), number)).collect();
        Self { names, numbers }
    }
}

impl Serialize for NameTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.names.serialize(serializer)
    }
}
