//! The keys of the tree, as in any tree grid: arrows step and open, with Shift a whole level; Enter shows a run.

use leptos::ev::KeyboardEvent;

use super::flat::Lines;

/// Lines a page key goes.
const PAGE: usize = 12;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The keys go to this line.
    To(usize),
    /// Opens or folds the branch here.
    Turn,
    /// Shows the run here.
    Pick,
    /// Opens all down to this level; all when there is none.
    Level(Option<u32>),
}

/// What a press means at line `here`, while levels down to `level` are open.
pub(super) fn step(event: &KeyboardEvent, lines: &Lines, here: usize, level: Option<u32>) -> Option<Step> {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return None;
    }
    of_key(&event.key(), event.shift_key(), lines, here, level)
}

fn of_key(key: &str, shift: bool, lines: &Lines, here: usize, level: Option<u32>) -> Option<Step> {
    let last = lines.list.len().checked_sub(1)?;
    let line = lines.list.get(here)?;
    let to = |number: usize| Some(Step::To(number.min(last)));
    match (key, shift) {
        ("ArrowDown", false) => to(here + 1),
        ("ArrowUp", false) => to(here.saturating_sub(1)),
        ("PageDown", false) => to(here + PAGE),
        ("PageUp", false) => to(here.saturating_sub(PAGE)),
        ("Home", false) => to(0),
        ("End", false) => to(last),
        ("ArrowRight", false) => match line.open {
            Some(false) => Some(Step::Turn),
            Some(true) => to(here + 1),
            None => None,
        },
        ("ArrowLeft", false) => match line.open {
            Some(true) => Some(Step::Turn),
            _ => {
                let above = lines.list[..here].iter().rposition(|above| above.level < line.level);
                above.map(Step::To)
            }
        },
        // One level less or more, for the whole tree.
        ("ArrowLeft", true) => {
            let open = level.unwrap_or(lines.deepest).min(lines.deepest);
            Some(Step::Level(Some(open.saturating_sub(1).max(1))))
        }
        ("ArrowRight", true) => Some(Step::Level(level.map(|level| level + 1).filter(|level| *level < lines.deepest))),
        ("*", _) => Some(Step::Level(None)),
        ("Enter" | " ", false) => Some(Step::Pick),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::flat::{Line, What};
    use super::*;

    fn lines() -> Lines {
        let line = |level, open| Line { what: What::Run(0), level, open, place: (1, 1), id: String::new() };
        Lines {
            list: vec![line(1, Some(true)), line(2, Some(false)), line(2, None), line(1, None)],
            hidden: 0,
            deepest: 4,
        }
    }

    #[test]
    fn arrows_step_open_and_fold_as_in_any_tree() {
        let at = |key, here| of_key(key, false, &lines(), here, None);
        assert_eq!(at("ArrowDown", 3), Some(Step::To(3)));
        assert_eq!(at("ArrowRight", 0), Some(Step::To(1)), "an open branch is entered");
        assert_eq!(at("ArrowRight", 1), Some(Step::Turn), "a folded one is opened");
        assert_eq!(at("ArrowLeft", 2), Some(Step::To(0)), "from a leaf to its parent");
        assert_eq!(at("ArrowLeft", 0), Some(Step::Turn));
        assert_eq!(at("ArrowLeft", 3), None);
        assert_eq!(at("x", 0), None);
        assert_eq!(of_key("ArrowDown", false, &Lines::default(), 0, None), None);
    }

    #[test]
    fn with_shift_a_whole_level_folds_or_opens() {
        let at = |key, level| of_key(key, true, &lines(), 0, level);
        assert_eq!(at("ArrowLeft", None), Some(Step::Level(Some(3))));
        assert_eq!(at("ArrowLeft", Some(1)), Some(Step::Level(Some(1))));
        assert_eq!(at("ArrowRight", Some(2)), Some(Step::Level(Some(3))));
        assert_eq!(at("ArrowRight", Some(3)), Some(Step::Level(None)));
        assert_eq!(at("*", Some(1)), Some(Step::Level(None)));
    }
}
