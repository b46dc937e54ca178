//! Button `모두 읽음으로`, which marks all messages as read. A toast offers to undo it.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::queries::use_unread_sessions;
use crate::state::{use_clock, use_hub, use_reading};
use crate::ui::toast::use_toasts;

/// The button; there while anything is unread.
#[component]
pub fn AllReadButton() -> impl IntoView {
    let words = use_i18n();
    let (hub, clock, reading, toasts) = (use_hub(), use_clock(), use_reading(), use_toasts());
    let unread = use_unread_sessions();
    let any = Memo::new(move |_| unread.get().count_of(None) > 0);
    let read = move |_| {
        let cards = hub.recent.get_untracked().unwrap_or_default();
        let done = reading.all_read(clock.now(), &cards);
        let common = &words.now().common;
        toasts.done_with(common.all_read_done, common.undo, move || reading.undo_all_read(done.clone()));
    };
    move || {
        any.get().then(|| {
            view! {
                <button type="button" class="button is-quiet is-small" on:click=read>
                    {move || words.get().common.all_read}
                </button>
            }
        })
    }
}
