//! Keyboard navigation of the delegation tree, as in an ARIA tree grid. Arrow keys move, open and fold branches; with
//! Shift, the left and right arrows fold or open one level of the whole tree. Enter shows the details of a run.

use leptos::ev::KeyboardEvent;

use super::flat::VisibleLines;

/// Lines a page key goes.
const PAGE_LINES: usize = 12;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeKeyAction {
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
pub(super) fn step(
    event: &KeyboardEvent,
    lines: &VisibleLines,
    here: usize,
    level: Option<u32>,
) -> Option<TreeKeyAction> {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return None;
    }
    of_key(&event.key(), event.shift_key(), lines, here, level)
}

fn of_key(key: &str, shift: bool, lines: &VisibleLines, here: usize, level: Option<u32>) -> Option<TreeKeyAction> {
    let last = lines.list.len().checked_sub(1)?;
    let line = lines.list.get(here)?;
    let to = |number: usize| Some(TreeKeyAction::To(number.min(last)));
    match (key, shift) {
        ("ArrowDown", false) => to(here + 1),
        ("ArrowUp", false) => to(here.saturating_sub(1)),
        ("PageDown", false) => to(here + PAGE_LINES),
        ("PageUp", false) => to(here.saturating_sub(PAGE_LINES)),
        ("Home", false) => to(0),
        ("End", false) => to(last),
        ("ArrowRight", false) => match line.open {
            Some(false) => Some(TreeKeyAction::Turn),
            Some(true) => to(here + 1),
            None => None,
        },
        ("ArrowLeft", false) => match line.open {
            Some(true) => Some(TreeKeyAction::Turn),
            _ => {
                let above = lines.list[..here].iter().rposition(|above| above.level < line.level);
                above.map(TreeKeyAction::To)
            }
        },
        // One level less or more, for the whole tree.
        ("ArrowLeft", true) => {
            let open = level.unwrap_or(lines.deepest).min(lines.deepest);
            Some(TreeKeyAction::Level(Some(open.saturating_sub(1).max(1))))
        }
        ("ArrowRight", true) => {
            Some(TreeKeyAction::Level(level.map(|level| level + 1).filter(|level| *level < lines.deepest)))
        }
        ("*", _) => Some(TreeKeyAction::Level(None)),
        ("Enter" | " ", false) => Some(TreeKeyAction::Pick),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::flat::{TreeLineKind, VisibleLine};
    use super::*;

    fn lines() -> VisibleLines {
        let line =
            |level, open| VisibleLine { what: TreeLineKind::Run(0), level, open, place: (1, 1), id: String::new() };
        VisibleLines {
            list: vec![line(1, Some(true)), line(2, Some(false)), line(2, None), line(1, None)],
            hidden: 0,
            deepest: 4,
        }
    }

    #[test]
    fn arrow_keys_step_open_and_fold() {
        let at = |key, here| of_key(key, false, &lines(), here, None);
        assert_eq!(at("ArrowDown", 3), Some(TreeKeyAction::To(3)));
        assert_eq!(at("ArrowRight", 0), Some(TreeKeyAction::To(1)), "an open branch is entered");
        assert_eq!(at("ArrowRight", 1), Some(TreeKeyAction::Turn), "a folded one is opened");
        assert_eq!(at("ArrowLeft", 2), Some(TreeKeyAction::To(0)), "from a leaf to its parent");
        assert_eq!(at("ArrowLeft", 0), Some(TreeKeyAction::Turn));
        assert_eq!(at("ArrowLeft", 3), None);
        assert_eq!(at("x", 0), None);
        assert_eq!(of_key("ArrowDown", false, &VisibleLines::default(), 0, None), None);
    }

    #[test]
    fn shift_arrow_folds_or_opens_level() {
        let at = |key, level| of_key(key, true, &lines(), 0, level);
        assert_eq!(at("ArrowLeft", None), Some(TreeKeyAction::Level(Some(3))));
        assert_eq!(at("ArrowLeft", Some(1)), Some(TreeKeyAction::Level(Some(1))));
        assert_eq!(at("ArrowRight", Some(2)), Some(TreeKeyAction::Level(Some(3))));
        assert_eq!(at("ArrowRight", Some(3)), Some(TreeKeyAction::Level(None)));
        assert_eq!(at("*", Some(1)), Some(TreeKeyAction::Level(None)));
    }
}
