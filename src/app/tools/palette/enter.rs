//! Enter in a field that is composed in. An input method may take the press for itself, hand it on after the
//! composition or not, by system and browser: however it comes, one press acts once, with all that was typed.

/// Where a press of Enter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Enter {
    /// Not pressed.
    #[default]
    Up,
    /// Pressed within a composition, which it ends; with Ctrl or not.
    Ending { with_ctrl: bool },
    /// It has acted: what else comes of the same press is nothing.
    Done,
}

impl Enter {
    /// The key goes down. Some if it acts now, and whether with Ctrl.
    pub(super) fn pressed(&mut self, composing: bool, with_ctrl: bool) -> Option<bool> {
        match (*self, composing) {
            (Self::Done, _) => None,
            (_, true) => {
                *self = Self::Ending { with_ctrl };
                None
            }
            (_, false) => {
                *self = Self::Done;
                Some(with_ctrl)
            }
        }
    }

    /// The composition is over.
    pub(super) fn composed(&mut self) -> Option<bool> {
        let Self::Ending { with_ctrl } = *self else { return None };
        *self = Self::Done;
        Some(with_ctrl)
    }

    /// The key goes up.
    pub(super) fn released(&mut self) {
        *self = Self::Up;
    }
}

#[cfg(test)]
mod tests {
    use super::Enter;

    #[test]
    fn one_press_acts_once_however_the_input_method_hands_it_on() {
        let acts = |steps: &[&str]| {
            let mut enter = Enter::default();
            let acted = steps.iter().filter_map(|step| match *step {
                "composing" => enter.pressed(true, false),
                "plain" => enter.pressed(false, false),
                "end" => enter.composed(),
                _ => {
                    enter.released();
                    None
                }
            });
            acted.count()
        };
        assert_eq!(acts(&["plain", "up"]), 1);
        assert_eq!(acts(&["plain", "plain", "up"]), 1, "held down");
        assert_eq!(acts(&["composing", "end", "up"]), 1, "consumed by the input method");
        assert_eq!(acts(&["composing", "end", "plain", "up"]), 1, "handed on after the composition");
        assert_eq!(acts(&["end", "plain", "up"]), 1, "the composition ended before the press");
        assert_eq!(acts(&["end"]), 0, "a composition that another key ended");
        assert_eq!(acts(&["composing", "up", "end"]), 0, "a press that did not end it");
        assert_eq!(acts(&["plain", "up", "plain", "up"]), 2);
    }
}
