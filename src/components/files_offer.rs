//! Offer to open files, on a page that has no monitor or nothing to show.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::state::{FilesChoice, use_files};
use crate::ui::Icon;

/// What can be opened, and buttons to choose it.
#[component]
pub fn FilesOffer() -> impl IntoView {
    let words = use_i18n();
    let files = use_files();
    view! {
        <section class="hooks-offer" aria-labelledby="files-offer">
            <h2 id="files-offer">{move || words.get().files().offer_title}</h2>
            <p>{move || words.get().files().offer_text}</p>
            <p class="is-dim">{move || words.get().files().private}</p>
            <p class="files__actions">
                <button type="button" class="button" on:click=move |_| files.choose(FilesChoice::Files)>
                    {Icon::File}
                    {move || words.get().files().choose_files}
                </button>
                <button type="button" class="button" on:click=move |_| files.choose(FilesChoice::Folder)>
                    {Icon::Archive}
                    {move || words.get().files().choose_folder}
                </button>
            </p>
        </section>
    }
}
