//! Handler of the Enter key in text fields, also while an input method (such as Korean) composes a text. One press
//! submits once. When a press ends a composition, some browsers send no separate event for the key, and some send two.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// A press of Enter that acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnterPress {
    /// Ctrl was held, or ⌘ on Apple's keyboards.
    pub with_ctrl: bool,
}

/// What a key that is held down does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldKey {
    /// It acts again with each repetition.
    Repeats,
    /// It acts once until it is released.
    ActsOnce,
}

/// State machine of one field's Enter key.
#[derive(Debug, Clone, Copy)]
struct EnterState {
    held_key: HeldKey,
    /// The press came within a composition that has not ended yet.
    composing: Option<EnterPress>,
    /// The next `keydown` belongs to a press that has acted.
    acted: bool,
}

impl EnterState {
    fn new(held_key: HeldKey) -> Self {
        Self { held_key, composing: None, acted: false }
    }

    fn down(&mut self, composing: bool, press: EnterPress) -> Option<EnterPress> {
        if self.acted && self.held_key == HeldKey::ActsOnce {
            return None;
        }
        if composing {
            self.composing = Some(press);
            return None;
        }
        self.composing = None;
        let acted = std::mem::replace(&mut self.acted, self.held_key == HeldKey::ActsOnce);
        (!acted).then_some(press)
    }

    fn composition_end(&mut self) -> Option<EnterPress> {
        let press = self.composing.take()?;
        self.acted = true;
        Some(press)
    }

    fn up(&mut self) {
        *self = Self::new(self.held_key);
    }
}

/// The Enter key of one field. The field passes all three events:
/// ```ignore
/// let enter = use_single_enter(HeldKey::ActsOnce);
/// let down = move |event: KeyboardEvent| if enter.down(&event).is_some() { submit() };
/// let end = move |_| if enter.composition_end().is_some() { submit() };
/// view! { <input on:keydown=down on:compositionend=end on:keyup=move |_| enter.up() /> }
/// ```
#[derive(Clone, Copy)]
pub struct SingleEnter(StoredValue<EnterState>);

impl SingleEnter {
    /// Handles `keydown`. `None` for other keys, during a composition, and for an event of a press that has acted.
    pub fn down(self, event: &KeyboardEvent) -> Option<EnterPress> {
        if !is_enter(event) {
            return None;
        }
        let press = EnterPress { with_ctrl: event.ctrl_key() || event.meta_key() };
        // Not `keyCode` 229: Safari ends the composition before the `keydown` that ended it, which then still has 229.
        // No `compositionend` follows, so a press that waited for one would be lost.
        let composing = event.is_composing();
        self.0.try_update_value(|enter| enter.down(composing, press)).flatten()
    }

    /// Handles `compositionend`. `Some` when a press of Enter waited for it.
    pub fn composition_end(self) -> Option<EnterPress> {
        self.0.try_update_value(EnterState::composition_end).flatten()
    }

    /// Handles `keyup`: the next `keydown` is a new press.
    pub fn up(self) {
        self.0.try_update_value(EnterState::up);
    }
}

/// The Enter key of a field that takes composed text.
pub fn use_single_enter(held_key: HeldKey) -> SingleEnter {
    SingleEnter(StoredValue::new(EnterState::new(held_key)))
}

/// True for Enter of both key blocks. Within a composition a browser may name every key alike and only `code` tells it;
/// on a phone only `key` does.
pub fn is_enter(event: &KeyboardEvent) -> bool {
    event.key() == "Enter" || matches!(event.code().as_str(), "Enter" | "NumpadEnter")
}

#[cfg(test)]
mod tests {
    use super::{EnterPress, EnterState, HeldKey};

    const PLAIN: EnterPress = EnterPress { with_ctrl: false };

    /// How often a sequence of events acts.
    fn acts(held_key: HeldKey, steps: &[&str]) -> usize {
        let mut enter = EnterState::new(held_key);
        let acted = steps.iter().filter_map(|step| match *step {
            "composing" => enter.down(true, PLAIN),
            "plain" => enter.down(false, PLAIN),
            "end" => enter.composition_end(),
            _ => {
                enter.up();
                None
            }
        });
        acted.count()
    }

    #[test]
    fn one_press_acts_once_with_any_input_method() {
        for held_key in [HeldKey::Repeats, HeldKey::ActsOnce] {
            let acts = |steps: &[&str]| acts(held_key, steps);
            assert_eq!(acts(&["plain", "up"]), 1);
            assert_eq!(acts(&["plain", "up", "plain", "up"]), 2);
            assert_eq!(acts(&["composing", "end", "up"]), 1, "kept by the input method");
            assert_eq!(acts(&["composing", "end", "plain", "up"]), 1, "handed on after the composition");
            assert_eq!(acts(&["composing", "end", "up", "plain"]), 2, "the next press is a new one");
            assert_eq!(acts(&["end", "plain", "up"]), 1, "Safari: the composition ended before the press");
            assert_eq!(acts(&["end", "up", "end"]), 0, "compositions that another key ended");
            assert_eq!(acts(&["composing", "up", "end"]), 0, "a press that did not end it");
        }
    }

    #[test]
    fn held_key_repeats_only_when_allowed() {
        let held = ["plain", "plain", "plain", "up"];
        assert_eq!(acts(HeldKey::Repeats, &held), 3);
        assert_eq!(acts(HeldKey::ActsOnce, &held), 1);
        let held = ["composing", "end", "plain", "plain", "up"];
        assert_eq!(acts(HeldKey::Repeats, &held), 2, "one repetition belongs to the press that acted");
        assert_eq!(acts(HeldKey::ActsOnce, &held), 1);
    }

    #[test]
    fn ctrl_is_remembered_over_the_composition() {
        let with_ctrl = EnterPress { with_ctrl: true };
        let mut enter = EnterState::new(HeldKey::ActsOnce);
        assert_eq!(enter.down(true, with_ctrl), None);
        assert_eq!(enter.composition_end(), Some(with_ctrl));
    }
}
