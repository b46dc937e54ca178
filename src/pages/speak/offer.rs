//! Button that opens the message dialog. Where messages cannot be sent, one line links to the setup help.

use leptos::prelude::*;

use super::{SpeakTarget, SpeakTools};
use crate::i18n::messages::SpeakMessages;
use crate::i18n::use_i18n;
use crate::ui::Icon;

/// Opens the dialog; hidden while messages cannot be sent to agents.
#[component]
pub(in crate::pages) fn SpeakButton(
    /// None, and there is nobody to speak to.
    #[prop(into)]
    target: Signal<Option<SpeakTarget>>,
    word: fn(&SpeakMessages) -> &'static str,
    /// Its name where its word alone would be one of many.
    #[prop(optional, into)]
    name: Option<Signal<String>>,
) -> impl IntoView {
    let words = use_i18n();
    let tools = expect_context::<SpeakTools>();
    let shown = Memo::new(move |_| tools.is_on() && target.with(Option::is_some));
    let begin = move |_| {
        if let Some(target) = target.get_untracked() {
            tools.begin(target);
        }
    };
    move || {
        shown.get().then(|| {
            view! {
                <button
                    type="button"
                    class="button is-small speak-button"
                    aria-haspopup="dialog"
                    aria-label=move || name.map(|name| name.get())
                    on:click=begin
                >
                    {Icon::Talk}
                    {move || word(words.get().speak())}
                </button>
            }
        })
    }
}

/// One line while it is off: that it is, and the way to how it is switched on.
#[component]
pub(in crate::pages) fn SpeakHint() -> impl IntoView {
    let words = use_i18n();
    let tools = expect_context::<SpeakTools>();
    let off = Memo::new(move |_| tools.is_off());
    move || {
        off.get().then(|| {
            view! {
                <p class="speak-hint is-dim">
                    {move || words.get().speak().off_hint}
                    " "
                    <button type="button" class="link" aria-haspopup="dialog" on:click=move |_| tools.open.set(true)>
                        {move || words.get().speak().off_how}
                    </button>
                </p>
            }
        })
    }
}
