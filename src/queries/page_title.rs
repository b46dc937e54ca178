//! Document title of the current page.

use leptos::prelude::*;

use crate::i18n::use_i18n;

/// Number before the title, such as `(3)`; none for 0.
#[derive(Clone, Copy)]
pub struct TitleCount(pub RwSignal<usize>);

/// Makes the number available below.
pub fn provide_title_count() {
    provide_context(TitleCount(RwSignal::new(0)));
}

/// The number before the title.
pub fn use_title_count() -> TitleCount {
    expect_context()
}

/// Sets `document.title` to the page's own words before the product's name. Whatever anybody wrote is marked by the caller
/// (`coordination::text::hidden::marked`): here it may be part of a sentence already.
pub fn use_page_title(title: impl Fn() -> String + 'static) {
    let words = use_i18n();
    let count = use_title_count().0;
    Effect::new(move |_| {
        let shell = &words.get().shell;
        let count = count.get();
        let before = if count > 0 { format!("({count}) ") } else { String::new() };
        document().set_title(&format!("{before}{} · {} {}", title(), shell.product, shell.product_part));
    });
}
