//! Document title of the current page.

use leptos::prelude::*;

use crate::i18n::use_i18n;

/// Sets `document.title` to the page's own words before the product's name. Whatever anybody wrote is marked by the caller
/// (`coordination::text::hidden::marked`): here it may be part of a sentence already.
pub fn use_page_title(title: impl Fn() -> String + 'static) {
    let words = use_i18n();
    Effect::new(move |_| {
        let shell = &words.get().shell;
        document().set_title(&format!("{} · {} {}", title(), shell.product, shell.product_part));
    });
}
