//! Time of an event in a list: relative while the data is current, otherwise clock time or date. The tooltip is exact.
//! [`use_now`] gives components the page's time.

use leptos::prelude::*;

use crate::i18n::{time, use_i18n};

/// The page's time, for components.
#[derive(Clone, Copy)]
pub struct Now {
    /// Now, a few times a minute.
    pub at: Signal<i64>,
    /// False when the data is old: `3분 전` would then be about a picture of the past.
    pub fresh: Signal<bool>,
}

/// Makes the time available below.
pub fn provide_now(at: Signal<i64>, fresh: Signal<bool>) {
    provide_context(Now { at, fresh });
}

/// The page's time.
pub fn use_now() -> Now {
    expect_context()
}

/// A point in time. 0 means that the log gives none.
#[component]
pub fn TimeAgo(at: i64) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let text = move || match at {
        0 => words.get().time.unknown.to_owned(),
        _ if now.fresh.get() => time::relative(words.locale(), now.at.get(), at),
        _ => time::short(words.locale(), now.at.get(), at),
    };
    let exact = move || if at == 0 { String::new() } else { time::exact(words.locale(), at) };
    view! {
        <time class="time" title=exact>
            {text}
        </time>
    }
}
