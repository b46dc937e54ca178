//! Footer of a thread: button to the newest message with the number of new ones, message button or read-only note,
//! search button and keyboard hints.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::pages::speak::{SpeakButton, SpeakTarget, SpeakTools};
use crate::ui::Icon;

/// The foot: new messages, and what can be written here.
#[component]
pub(super) fn Tail(
    /// There are newer messages than the last read one; how many, if that is known.
    pill: Signal<Option<usize>>,
    /// Leads to the newest.
    on_newest: Callback<()>,
    /// Opens the field for finding.
    finding: RwSignal<bool>,
    about: RwSignal<bool>,
    /// Recipient of a message to this session.
    #[prop(into)]
    target: Signal<Option<SpeakTarget>>,
) -> impl IntoView {
    let words = use_i18n();
    let pill = Memo::new(move |_| pill.get());
    let is_shown = Memo::new(move |_| pill.get().is_some());
    let text = move || {
        let words = words.get().thread();
        match pill.get().unwrap_or_default() {
            0 => words.to_newest.to_owned(),
            new => (words.new_messages)(new),
        }
    };
    let pill = move || {
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
            {pill} {note} <SpeakButton target=target word=|words| words.intervene />
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
