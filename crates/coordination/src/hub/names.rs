//! Interner that numbers repeated texts: event types, agent ids and sub-tags. A number takes two bytes.

use std::sync::Arc;

use super::hash_map::FastHashMap;

/// Numbered texts, in order of appearance. Never shrinks.
#[derive(Debug, Clone, Default)]
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
