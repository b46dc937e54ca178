//! Text filter of a list: a search field that writes its text into the page's address.

use leptos::prelude::*;

use crate::queries::use_go;
use crate::ui::search_field::SearchField;

/// Narrows the list while one types, so that Back leads to where the typing began.
#[component]
pub fn TextFilter(
    #[prop(into)] label: Signal<String>,
    /// The words in force.
    #[prop(into)]
    words: Signal<Option<String>>,
    /// The address of the list with these words; none for all of it.
    #[prop(into)]
    address: Callback<Option<String>, String>,
) -> impl IntoView {
    let go = use_go();
    let path = move |text: String| address.run(Some(text).filter(|text| !text.is_empty()));
    let typing = go.clone();
    view! {
        <SearchField
            label=label
            value=Signal::derive(move || words.get().unwrap_or_default())
            on_type=Callback::new(move |text| typing.adjust(&path(text)))
            on_commit=Callback::new(move |(before, text)| go.commit(&path(before), &path(text)))
        />
    }
}
