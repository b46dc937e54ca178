//! Button that folds and unfolds a long text, and the signal [`Folds`] that reports each press. Folded text is only
//! partly in the page, so code that highlights words must search the page again after a press.

use leptos::prelude::*;

use crate::i18n::use_i18n;

/// Notifies text highlighters that a text was unfolded or folded: folded text is drawn only in part.
#[derive(Clone, Copy)]
pub struct Folds(RwSignal<u32>);

impl Folds {
    /// For the buttons below this component.
    pub fn provide() {
        provide_context(Self(RwSignal::new(0)));
    }

    /// Texts below hold other words now.
    pub fn notify(self) {
        self.0.try_update(|changes| *changes = changes.wrapping_add(1));
    }

    /// Looks again with each change. Reactive.
    pub fn track(self) {
        self.0.track();
    }
}

/// The nearest provided context; without one, notifications have no listener.
pub fn use_folds() -> Folds {
    use_context().unwrap_or_else(|| Folds(RwSignal::new(0)))
}

/// The button below the text whose state `folded` is.
#[component]
pub fn FoldButton(folded: RwSignal<bool>) -> impl IntoView {
    let words = use_i18n();
    let folds = use_folds();
    let press = move |_| {
        folded.update(|folded| *folded = !*folded);
        folds.notify();
    };
    view! {
        <button
            type="button"
            class="link bubble__fold"
            aria-expanded=move || (!folded.get()).to_string()
            on:click=press
        >
            {move || {
                let words = words.get().thread();
                if folded.get() { words.show_more } else { words.show_less }
            }}
        </button>
    }
}
