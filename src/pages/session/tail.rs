//! The foot of a thread: what came while the reader was elsewhere, that nothing can be written here, and the keys.

use leptos::prelude::*;

use super::thread_state::{Jump, ThreadState};
use crate::components::thread::window::End;
use crate::i18n::use_words;
use crate::ui::Icon;

/// The foot: new messages, and that nothing can be written here.
#[component]
pub(super) fn Tail(thread: ThreadState, finding: RwSignal<bool>, about: RwSignal<bool>) -> impl IntoView {
    let words = use_words();
    let away = Memo::new(move |_| thread.loaded.with(|(_, loaded)| loaded.goes_on(End::Newer)));
    let unseen = Memo::new(move |_| {
        let all = thread.summary.with(|thread| thread.as_ref().map_or(0, |thread| thread.message_count));
        all.saturating_sub(thread.passed.get()) as usize
    });
    let pill = move || {
        let unseen = if thread.keeper.at_end.get() { 0 } else { unseen.get() };
        let text = move || {
            let words = words.get().thread();
            if unseen > 0 { (words.new_messages)(unseen) } else { words.to_newest.to_owned() }
        };
        (unseen > 0 || away.get()).then(|| {
            view! {
                <button type="button" class="pill" on:click=move |_| thread.go(Jump::Newest)>
                    {Icon::ArrowDown}
                    {text}
                </button>
            }
        })
    };
    view! {
        <footer class="thread-tail">
            {pill} <span class="thread-tail__note">{move || words.get().thread().read_only}</span>
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
