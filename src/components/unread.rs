//! The mark of unread talk: a number, or a dot where it is not known how much; words for who cannot see it.

use leptos::prelude::*;

use crate::i18n::use_words;
use crate::state::Unread;

/// The mark; nothing where all is read. Belongs into what is named by it, e.g. the link to a session.
#[component]
pub fn UnreadMark(#[prop(into)] unread: Signal<Unread>) -> impl IntoView {
    let words = use_words();
    let mark = move |shown: Option<u32>| {
        let text = move || {
            let common = &words.get().common;
            shown.map_or_else(|| common.unread_some.to_owned(), common.unread_n)
        };
        view! {
            <span class="unread" class:is-dot=shown.is_none() aria-hidden="true">
                {shown}
            </span>
            <span class="visually-hidden">" " {text}</span>
        }
    };
    move || match unread.get() {
        Unread::None => None,
        Unread::Some(count) => Some(mark(Some(count))),
        Unread::Unknown => Some(mark(None)),
    }
}
