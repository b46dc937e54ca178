//! Selection of sessions whose category is changed together (`batch.rs`). Sessions are selected by checkbox, menu or
//! key. The selection is not in the URL and is lost when the page is closed.

use coordination::api::SessionCard;
use coordination::ids::SessionId;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::components::session_card::title_text;
use crate::i18n::use_i18n;
use crate::queries::{Shortcut, use_key};
use crate::state::use_rights;
use crate::ui::toast::use_toasts;

/// Sessions that can be changed together.
pub(super) const MAX_SELECTED: usize = 200;

/// What is chosen.
#[derive(Clone, Copy)]
pub(super) struct SessionSelection {
    chosen: RwSignal<Vec<SessionId>>,
    /// All cards in the order of the page.
    order: Memo<Vec<SessionId>>,
    /// The person may change categories; else nothing can be selected.
    pub(super) allowed: Memo<bool>,
    /// Presses the box of a card; with Shift, of all up to it.
    pub(super) press: Callback<(SessionId, bool)>,
}

impl SessionSelection {
    /// True when it is chosen. Reactive.
    pub(super) fn holds(self, id: &SessionId) -> bool {
        self.chosen.with(|chosen| chosen.contains(id))
    }

    /// All, in the order of the page. Reactive.
    pub(super) fn all(self) -> Vec<SessionId> {
        self.order.with(|order| self.chosen.with(|chosen| in_order(order, chosen)))
    }

    /// True while something is chosen. Reactive.
    pub(super) fn any(self) -> bool {
        self.chosen.with(|chosen| !chosen.is_empty())
    }

    /// What is chosen now; nothing once the page is closed.
    pub(super) fn now(self) -> Vec<SessionId> {
        self.chosen.try_get_untracked().unwrap_or_default()
    }

    /// Deselects all of `these` but `retained`. The page may be closed.
    pub(super) fn deselect(self, these: &[SessionId], retained: &[SessionId]) {
        self.chosen.try_update(|chosen| chosen.retain(|id| retained.contains(id) || !these.contains(id)));
    }
}

fn in_order(order: &[SessionId], chosen: &[SessionId]) -> Vec<SessionId> {
    order.iter().filter(|id| chosen.contains(id)).cloned().collect()
}

/// What is chosen after a press on `id`: it changes sides, and with a card to reach `from`, all between go with it.
fn pressed(order: &[SessionId], chosen: &[SessionId], from: Option<&SessionId>, id: &SessionId) -> Vec<SessionId> {
    let place = |id: &SessionId| order.iter().position(|other| other == id);
    let (first, last) = match (from.and_then(place), place(id)) {
        (Some(from), Some(to)) => (from.min(to), from.max(to)),
        (None, Some(to)) => (to, to),
        (_, None) => return chosen.to_vec(),
    };
    let reached = order.get(first..=last).unwrap_or_default();
    let mut after: Vec<SessionId> = chosen.iter().filter(|other| !reached.contains(other)).cloned().collect();
    if !chosen.contains(id) {
        after.extend_from_slice(reached);
    }
    after
}

/// Nothing is chosen at first; the keys act on `focused`, the card that has the focus.
pub(super) fn use_choice(order: Memo<Vec<SessionId>>, focused: fn() -> Option<SessionId>) -> SessionSelection {
    let (words, toasts) = (use_i18n(), use_toasts());
    let allowed = use_rights().may_categorize();
    let chosen = RwSignal::new(Vec::new());
    // The card pressed last: from there Shift reaches.
    let from = StoredValue::new(None::<SessionId>);
    let press = Callback::new(move |(id, reaching): (SessionId, bool)| {
        let start = from.get_value().filter(|_| reaching);
        let order = order.get_untracked();
        let after = chosen.with_untracked(|chosen| pressed(&order, chosen, start.as_ref(), &id));
        if after.len() > MAX_SELECTED {
            return toasts.failed((words.now().sessions().chosen_full)(MAX_SELECTED));
        }
        from.set_value(Some(id));
        chosen.set(after);
    });
    for (key, reaching) in [(Shortcut::Choose, false), (Shortcut::ChooseTo, true)] {
        use_key(key, move || {
            let card = focused().filter(|_| allowed.get_untracked());
            let any = card.is_some();
            card.into_iter().for_each(|id| press.run((id, reaching)));
            any
        });
    }
    use_key(Shortcut::Leave, move || {
        let any = chosen.with_untracked(|chosen| !chosen.is_empty());
        if any {
            chosen.set(Vec::new());
        }
        any
    });
    SessionSelection { chosen, order, allowed, press }
}

/// The box of a card; in sight while the pointer or the focus is on the card, and while anything is chosen.
#[component]
pub(super) fn ChoiceBox(card: Memo<SessionCard>, choice: SessionSelection) -> impl IntoView {
    let words = use_i18n();
    let chosen = Memo::new(move |_| card.with(|card| choice.holds(&card.work_session_id)));
    let label = move || {
        let title = card.with(|card| title_text(&card.title, card.title_source));
        (words.get().sessions().choose_card)(&title)
    };
    let press = move |event: ev::MouseEvent| {
        choice.press.run((card.with_untracked(|card| card.work_session_id.clone()), event.shift_key()));
        // What was refused is not shown as taken.
        if let Some(field) = event.target().and_then(|it| it.dyn_into::<web_sys::HtmlInputElement>().ok()) {
            field.set_checked(chosen.get_untracked());
        }
    };
    view! {
        <input
            type="checkbox"
            class="choice-box"
            aria-label=label
            hidden=move || !choice.allowed.get()
            prop:checked=move || chosen.get()
            on:click=press
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &str) -> Vec<SessionId> {
        names.split_whitespace().map(SessionId::from).collect()
    }

    #[test]
    fn click_toggles_and_shift_selects_range() {
        let order = ids("a b c d e");
        let press = |chosen: &str, from: Option<&str>, id: &str| {
            let after = pressed(&order, &ids(chosen), from.map(SessionId::from).as_ref(), &SessionId::from(id));
            in_order(&order, &after)
        };
        assert_eq!(press("", None, "b"), ids("b"));
        assert_eq!(press("b d", None, "b"), ids("d"));
        assert_eq!(press("b", Some("b"), "d"), ids("b c d"));
        assert_eq!(press("a d", Some("d"), "b"), ids("a b c d"), "upwards too");
        assert_eq!(press("a b c d", Some("a"), "c"), ids("d"), "a selected range is deselected");
        assert_eq!(press("b", Some("gone"), "c"), ids("b c"), "from a card that is no longer there nothing is reached");
        assert_eq!(press("b", None, "gone"), ids("b"));
    }
}
