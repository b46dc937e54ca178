//! Badges of unread messages and of sessions with unread messages: a number, or a dot where the number is unknown, with
//! a label for screen readers. They go inside the link or button whose content is unread.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::state::UnreadCount;

/// Unread messages; nothing where all is read.
#[component]
pub fn UnreadMark(#[prop(into)] unread: Signal<UnreadCount>) -> impl IntoView {
    let words = use_i18n();
    move || match unread.get() {
        UnreadCount::None => None,
        UnreadCount::Some(count) => Some(mark(count.to_string(), (words.get().common.unread_n)(count))),
        UnreadCount::Unknown => Some(mark(String::new(), words.get().common.unread_some.to_owned())),
    }
}

/// Number of sessions with unread messages; empty without any.
#[component]
pub fn UnreadSessionsMark(
    count: u32,
    /// There may be more.
    more: bool,
) -> impl IntoView {
    let words = use_i18n();
    let plus = if more { "+" } else { "" };
    move || (count > 0).then(|| mark(format!("{count}{plus}"), (words.get().common.unread_sessions)(count, more)))
}

fn mark(number: String, text: String) -> impl IntoView {
    let is_dot = number.is_empty();
    view! {
        <span class="unread" class:is-dot=is_dot aria-hidden="true">
            {number}
        </span>
        <span class="visually-hidden">" " {text}</span>
    }
}
