//! Enter key of a field that is also used with an input method: one press acts once, whether or not it ended a
//! composition. Browsers differ: some send no event of its own for the ending key, some send two.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// Follows one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Enter {
    /// It was pressed inside a composition that has not ended yet.
    waits: bool,
    /// It has acted and was not let go since.
    spent: bool,
}

impl Enter {
    /// Enter goes down. True: act.
    fn down(&mut self, composing: bool) -> bool {
        if composing {
            self.waits = true;
            return false;
        }
        self.waits = false;
        !std::mem::take(&mut self.spent)
    }

    /// A composition ends. True: act.
    fn composed(&mut self) -> bool {
        self.spent = std::mem::take(&mut self.waits);
        self.spent
    }

    /// A key is let go.
    fn up(&mut self) {
        *self = Self::default();
    }
}

/// Follows a field's Enter; each of its methods is an event of the field, and true means: act now.
#[derive(Clone, Copy)]
pub struct OneEnter(StoredValue<Enter>);

impl OneEnter {
    /// On `keydown`.
    pub fn down(self, event: &KeyboardEvent) -> bool {
        // While composing, a browser may give every key the same name; the key code identifies it.
        let is_enter = event.key() == "Enter" || matches!(event.code().as_str(), "Enter" | "NumpadEnter");
        is_enter && self.0.try_update_value(|enter| enter.down(event.is_composing())).unwrap_or_default()
    }

    /// On `compositionend`.
    pub fn composed(self) -> bool {
        self.0.try_update_value(Enter::composed).unwrap_or_default()
    }

    /// On `keyup`.
    pub fn up(self) {
        self.0.try_update_value(Enter::up);
    }
}

/// For a field that one composes in.
pub fn use_one_enter() -> OneEnter {
    OneEnter(StoredValue::new(Enter::default()))
}

#[cfg(test)]
mod tests {
    use super::Enter;

    #[test]
    fn a_plain_enter_acts_each_time_it_is_pressed() {
        let mut enter = Enter::default();
        assert!(enter.down(false));
        assert!(enter.down(false), "held down it repeats");
        enter.up();
        assert!(enter.down(false));
    }

    #[test]
    fn the_enter_that_ends_a_composition_acts_once_however_the_browser_tells_it() {
        // No event of its own after the composition.
        let mut enter = Enter::default();
        assert!(!enter.down(true));
        assert!(enter.composed());
        enter.up();
        assert!(enter.down(false), "the next one is a new one");
        // A second one for the same key.
        let mut enter = Enter::default();
        assert!(!enter.down(true));
        assert!(enter.composed());
        assert!(!enter.down(false));
        enter.up();
        // The composition ends before the key event.
        let mut enter = Enter::default();
        assert!(!enter.composed());
        assert!(enter.down(false));
    }

    #[test]
    fn a_composition_that_another_key_ends_acts_not() {
        let mut enter = Enter::default();
        assert!(!enter.composed());
        enter.up();
        assert!(!enter.composed());
    }
}
