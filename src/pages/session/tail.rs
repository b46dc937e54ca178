//! Footer of a thread: a button that jumps to the newest message and counts the new ones, a button to write to an agent (or
//! a note that the thread is read-only), a search button, keyboard hints, and on a phone a button for the details of the
//! session.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::pages::speak::{SpeakButton, SpeakTarget, SpeakTools};
use crate::ui::Icon;

/// The foot: new messages, and what can be written here.
#[component]
pub(super) fn Tail(
    /// There are newer messages than the last read one; how many, if that is known.
    new_count: Signal<Option<usize>>,
    /// Scrolls to the newest.
    on_newest: Callback<()>,
    /// Opens the search field.
    finding: RwSignal<bool>,
    /// Opens the information sheet on a phone.
    about: RwSignal<bool>,
    /// Recipient of a message to this session.
    #[prop(into)]
    target: Signal<Option<SpeakTarget>>,
) -> impl IntoView {
    let words = use_i18n();
    let new_count = Memo::new(move |_| new_count.get());
    let is_shown = Memo::new(move |_| new_count.get().is_some());
    let text = move || {
        let words = words.get().thread();
        match new_count.get().unwrap_or_default() {
            0 => words.to_newest.to_owned(),
            new => (words.new_messages)(new),
        }
    };
    let newest_button = move || {
        is_shown.get().then(|| {
            view! {
                <button type="button" class="pill" on:click=move |_| on_newest.run(())>
                    {Icon::ArrowDown}
                    {text}
                </button>
            }
        })
    };
    let tools = expect_context::<SpeakTools>();
    let closed = Memo::new(move |_| !tools.is_on() || target.with(Option::is_none));
    let note = move || {
        closed.get().then(|| view! { <span class="thread-tail__note">{move || words.get().thread().read_only}</span> })
    };
    view! {
        <footer class="thread-tail">
            {newest_button} {note} <SpeakButton target=target word=|words| words.intervene />
            <button type="button" class="button is-quiet is-small phone-only" on:click=move |_| about.set(true)>
                {move || words.get().thread().context_open}
            </button>
            <button
                type="button"
                class="icon-button thread-tail__find"
                aria-label=move || words.get().thread().find
                on:click=move |_| finding.set(true)
            >
                {Icon::Search}
            </button>
            <span class="thread-tail__end">
                <span>
                    <kbd>"J"</kbd>
                    " "
                    <kbd>"K"</kbd>
                    " "
                    {move || words.get().thread().key_messages}
                </span>
                <span>
                    <kbd>"/"</kbd>
                    " "
                    {move || words.get().thread().key_find}
                </span>
                <span>
                    <kbd>"["</kbd>
                    " "
                    <kbd>"]"</kbd>
                    " "
                    {move || words.get().thread().key_sessions}
                </span>
            </span>
        </footer>
    }
}
