//! Keyboard shortcuts of the page. One table serves the key listener and the help sheet. A page registers a handler
//! while it is shown ([`use_key`]). The handlers of a key are called from the newest on until one acts.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortcut {
    /// Commands and finding.
    Palette,
    /// The field of the page, else the palette.
    Search,
    /// Takes back what was done last, while a message offers it.
    Undo,
    /// Home.
    Home,
    /// All sessions.
    Sessions,
    /// Events.
    Events,
    /// Tasks.
    Tasks,
    /// Agents.
    Agents,
    /// Sessions of OpenClaw's own stores.
    Stores,
    /// The sheet of keys.
    Sheet,
    /// The next row.
    NextRow,
    /// The row before.
    PreviousRow,
    /// Opens the row that has the focus.
    OpenRow,
    /// The newest session with unread messages.
    Unread,
    /// The session after this one in time.
    NewerSession,
    /// The session before this one in time.
    OlderSession,
    /// Changes the category of the session.
    Category,
    /// Selects the session whose card has the focus, or deselects it.
    Choose,
    /// The same with all cards between it and the one chosen last.
    ChooseTo,
    /// Lets go of all chosen sessions.
    Leave,
    /// Copies the link of the message that has the focus.
    CopyLink,
    /// The first message of a thread.
    Oldest,
    /// The last message of a thread.
    Newest,
}

/// Where a key is of use; the headings of the sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortcutScope {
    /// On every page.
    Anywhere,
    /// In lists and in a session.
    Lists,
    /// In an open thread.
    Thread,
}

impl ShortcutScope {
    /// All, in the order of the sheet.
    pub const ALL: [Self; 3] = [Self::Anywhere, Self::Lists, Self::Thread];
}

/// How a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// With Ctrl or ⌘, in fields too.
    Command,
    /// Alone.
    Alone,
    /// With Shift.
    Shift,
    /// After `g`.
    AfterG,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// What it is for.
    pub key: Shortcut,
    /// How it is pressed.
    pub press: Press,
    /// The key's place on the keyboard (`KeyboardEvent.code`), so that it works in a Hangul layout too.
    pub code: &'static str,
    /// What is written on it.
    pub cap: &'static str,
    /// Pages where it works.
    pub scope: ShortcutScope,
}

const fn bind(key: Shortcut, press: Press, code: &'static str, cap: &'static str, scope: ShortcutScope) -> Binding {
    Binding { key, press, code, cap, scope }
}

/// All keys, in the order of the sheet.
pub const BINDINGS: [Binding; 23] = [
    bind(Shortcut::Palette, Press::Command, "KeyK", "K", ShortcutScope::Anywhere),
    bind(Shortcut::Search, Press::Alone, "Slash", "/", ShortcutScope::Anywhere),
    bind(Shortcut::Undo, Press::Command, "KeyZ", "Z", ShortcutScope::Anywhere),
    bind(Shortcut::Home, Press::AfterG, "KeyH", "H", ShortcutScope::Anywhere),
    bind(Shortcut::Sessions, Press::AfterG, "KeyC", "C", ShortcutScope::Anywhere),
    bind(Shortcut::Events, Press::AfterG, "KeyE", "E", ShortcutScope::Anywhere),
    bind(Shortcut::Tasks, Press::AfterG, "KeyT", "T", ShortcutScope::Anywhere),
    bind(Shortcut::Agents, Press::AfterG, "KeyA", "A", ShortcutScope::Anywhere),
    bind(Shortcut::Stores, Press::AfterG, "KeyS", "S", ShortcutScope::Anywhere),
    bind(Shortcut::Sheet, Press::Shift, "Slash", "?", ShortcutScope::Anywhere),
    bind(Shortcut::NextRow, Press::Alone, "KeyJ", "J", ShortcutScope::Lists),
    bind(Shortcut::PreviousRow, Press::Alone, "KeyK", "K", ShortcutScope::Lists),
    bind(Shortcut::OpenRow, Press::Alone, "KeyO", "O", ShortcutScope::Lists),
    bind(Shortcut::Unread, Press::Alone, "KeyN", "N", ShortcutScope::Lists),
    bind(Shortcut::NewerSession, Press::Alone, "BracketLeft", "[", ShortcutScope::Lists),
    bind(Shortcut::OlderSession, Press::Alone, "BracketRight", "]", ShortcutScope::Lists),
    bind(Shortcut::Category, Press::Alone, "KeyC", "C", ShortcutScope::Lists),
    bind(Shortcut::Choose, Press::Alone, "KeyX", "X", ShortcutScope::Lists),
    bind(Shortcut::ChooseTo, Press::Shift, "KeyX", "X", ShortcutScope::Lists),
    bind(Shortcut::Leave, Press::Alone, "Escape", "Esc", ShortcutScope::Lists),
    bind(Shortcut::CopyLink, Press::Alone, "KeyY", "Y", ShortcutScope::Thread),
    bind(Shortcut::Oldest, Press::Alone, "Home", "Home", ShortcutScope::Thread),
    bind(Shortcut::Newest, Press::Alone, "End", "End", ShortcutScope::Thread),
];

/// What a press of a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMeaning {
    /// This one.
    Is(Shortcut),
    /// The first of two: `g`.
    First,
}

/// A press, without the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pressed<'a> {
    /// Place of the key.
    pub code: &'a str,
    /// The character it makes.
    pub key: &'a str,
    /// With Shift.
    pub shift: bool,
    /// With Ctrl or ⌘.
    pub command: bool,
    /// `g` came just before.
    pub after_g: bool,
}

/// What it means, if anything.
pub fn meaning(pressed: Pressed<'_>) -> Option<KeyMeaning> {
    let Pressed { code, key, shift, command, after_g } = pressed;
    let means = |press: Press| BINDINGS.iter().find(|one| one.press == press && one.code == code).map(|one| one.key);
    if command {
        return means(Press::Command).filter(|_| !shift).map(KeyMeaning::Is);
    }
    // Some layouts have these characters elsewhere: the character counts before the place.
    let named = match key {
        "?" => Some(Shortcut::Sheet),
        "/" => Some(Shortcut::Search),
        _ => None,
    };
    if let Some(key) = named {
        return Some(KeyMeaning::Is(key));
    }
    if let Some(key) = means(Press::AfterG).filter(|_| after_g && !shift) {
        return Some(KeyMeaning::Is(key));
    }
    if code == "KeyG" && !shift {
        return Some(KeyMeaning::First);
    }
    means(if shift { Press::Shift } else { Press::Alone }).map(KeyMeaning::Is)
}

/// True for a press that may act alone: not in a field or a dialog, which handle their own keys.
pub fn acts_alone(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let typed = target.is_some_and(|element| {
        element
            .closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]")
            .ok()
            .flatten()
            .is_some()
    });
    !typed && !event.ctrl_key() && !event.meta_key()
}

/// The focus is in a field of text, where Ctrl+Z is the browser's.
pub fn in_text_field() -> bool {
    const FIELDS: &str = "input:not([type=checkbox], [type=radio]), textarea, [contenteditable]";
    document().active_element().is_some_and(|element| element.matches(FIELDS).unwrap_or(false))
}

type ShortcutHandler = Arc<dyn Fn() -> bool + Send + Sync>;

/// Handlers by shortcut.
#[derive(Clone, Copy)]
pub struct ShortcutHandlers {
    answers: StoredValue<Vec<(u64, Shortcut, ShortcutHandler)>>,
    next: StoredValue<u64>,
}

impl ShortcutHandlers {
    /// Asks for it, the newest first. False when nobody answers.
    pub fn run(self, key: Shortcut) -> bool {
        let answers = self.answers.with_value(|answers| {
            let of_key = answers.iter().rev().filter(|(_, bound, _)| *bound == key);
            of_key.map(|(_, _, answer)| answer.clone()).collect::<Vec<_>>()
        });
        answers.iter().any(|answer| answer())
    }

    /// True when somebody may answer it here.
    pub fn knows(self, key: Shortcut) -> bool {
        self.answers.with_value(|answers| answers.iter().any(|(_, bound, _)| *bound == key))
    }
}

/// Makes the keys available below.
pub fn provide_keys() {
    provide_context(ShortcutHandlers { answers: StoredValue::new(Vec::new()), next: StoredValue::new(0) });
}

/// The keys.
pub fn use_keys() -> ShortcutHandlers {
    expect_context()
}

/// While this page or component is shown, `answer` handles `key`; it returns whether it did anything.
pub fn use_key(key: Shortcut, answer: impl Fn() -> bool + Send + Sync + 'static) {
    let keys = use_keys();
    let number = keys.next.with_value(|next| *next);
    keys.next.set_value(number + 1);
    keys.answers.update_value(|answers| answers.push((number, key, Arc::new(answer))));
    on_cleanup(move || {
        keys.answers.try_update_value(|answers| answers.retain(|(other, _, _)| *other != number));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Pressed<'static> = Pressed { code: "", key: "", shift: false, command: false, after_g: false };

    /// Key codes name a position on the keyboard, so that a Hangul layout works.
    #[test]
    fn shortcuts_use_key_position_for_hangul_layout() {
        assert_eq!(meaning(Pressed { code: "KeyG", key: "ㅎ", ..PLAIN }), Some(KeyMeaning::First));
        let after_g = |code, key| meaning(Pressed { code, key, after_g: true, ..PLAIN });
        assert_eq!(after_g("KeyT", "ㅅ"), Some(KeyMeaning::Is(Shortcut::Tasks)));
        assert_eq!(after_g("KeyC", "ㅊ"), Some(KeyMeaning::Is(Shortcut::Sessions)));
        assert_eq!(meaning(Pressed { code: "KeyJ", key: "ㅓ", ..PLAIN }), Some(KeyMeaning::Is(Shortcut::NextRow)));
    }

    #[test]
    fn plain_letter_differs_from_g_and_ctrl() {
        assert_eq!(meaning(Pressed { code: "KeyC", key: "c", ..PLAIN }), Some(KeyMeaning::Is(Shortcut::Category)));
        assert_eq!(meaning(Pressed { code: "KeyK", key: "k", ..PLAIN }), Some(KeyMeaning::Is(Shortcut::PreviousRow)));
        let command = Pressed { code: "KeyK", key: "k", command: true, ..PLAIN };
        assert_eq!(meaning(command), Some(KeyMeaning::Is(Shortcut::Palette)));
        assert_eq!(meaning(Pressed { code: "KeyT", key: "t", ..PLAIN }), None);
        assert_eq!(meaning(Pressed { code: "KeyJ", key: "J", shift: true, ..PLAIN }), None);
        assert_eq!(meaning(Pressed { code: "KeyC", key: "c", command: true, ..PLAIN }), None, "copying stays copying");
    }

    #[test]
    fn slash_and_question_mark_ignore_layout() {
        assert_eq!(meaning(Pressed { code: "Slash", key: "/", ..PLAIN }), Some(KeyMeaning::Is(Shortcut::Search)));
        assert_eq!(
            meaning(Pressed { code: "Slash", key: "?", shift: true, ..PLAIN }),
            Some(KeyMeaning::Is(Shortcut::Sheet))
        );
        assert_eq!(
            meaning(Pressed { code: "Digit7", key: "/", shift: true, ..PLAIN }),
            Some(KeyMeaning::Is(Shortcut::Search))
        );
        assert_eq!(
            meaning(Pressed { code: "Minus", key: "?", shift: true, ..PLAIN }),
            Some(KeyMeaning::Is(Shortcut::Sheet))
        );
    }

    #[test]
    fn shortcut_bindings_are_unique() {
        for (number, one) in BINDINGS.iter().enumerate() {
            let alike =
                BINDINGS.iter().skip(number + 1).find(|other| other.press == one.press && other.code == one.code);
            assert!(alike.is_none(), "{one:?} and {alike:?}");
        }
    }
}
