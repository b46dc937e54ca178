//! Offer to open files, on a page that has no monitor or nothing to show.

use leptos::prelude::*;

use crate::i18n::{time, use_i18n};
use crate::state::{FilesChoice, RecentFiles, use_files};
use crate::ui::Icon;

/// What can be opened, and buttons to choose it.
#[component]
pub fn FilesOffer() -> impl IntoView {
    let words = use_i18n();
    let files = use_files();
    files.wants_recent.set(true);
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
            {move || {
                files.recent.with(|recent| (!recent.is_empty()).then(|| recent.clone())).map(|recent| view! { <Recent recent=recent /> })
            }}
        </section>
    }
}

/// What was opened before, to be opened again.
#[component]
fn Recent(recent: Vec<RecentFiles>) -> impl IntoView {
    let words = use_i18n();
    let files = use_files();
    let line = move |RecentFiles { name, at }: RecentFiles| {
        let shown = coordination::text::hidden::marked(&name).into_owned();
        view! {
            <li>
                <button
                    type="button"
                    class="link"
                    on:click=move |_| files.choose(FilesChoice::Recent(name.clone()))
                >
                    {shown}
                </button>
                <span class="is-dim">{move || time::exact(words.locale(), at)}</span>
            </li>
        }
    };
    view! {
        <h3>{move || words.get().files().recent}</h3>
        <ul class="files__recent">{recent.into_iter().map(line).collect_view()}</ul>
    }
}
