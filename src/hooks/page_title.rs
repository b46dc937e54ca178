//! The document's title follows the page.

use coordination::text::hidden;
use leptos::prelude::*;

use crate::i18n::use_words;

/// Sets `document.title` to the page's own words before the product's name.
pub fn use_page_title(title: impl Fn() -> String + 'static) {
    let words = use_words();
    Effect::new(move |_| {
        let shell = &words.get().shell;
        let title = title();
        document().set_title(&format!("{} · {} {}", hidden::marked(&title), shell.product, shell.product_part));
    });
}
