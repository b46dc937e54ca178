//! List of a session's category changes: author, time, old and new category.

use crate::components::hidden::Said;
use coordination::api::{CategoryChange, CategoryHistory};
use coordination::text::hidden;
use leptos::prelude::*;

use crate::components::time_ago::use_now;
use crate::i18n::messages::Messages;
use crate::i18n::{time, use_i18n};
use crate::queries::Fetch;
use crate::routes::{ChangesFilter, paths};
use crate::ui::Icon;

/// Changes shown before the rest folds away.
const SHOWN_CHANGES: usize = 3;

/// Changes, newest first; without any, a sentence that says why.
#[component]
pub fn CategoryHistoryList(history: Fetch<CategoryHistory>) -> impl IntoView {
    let words = use_i18n();
    let expanded = RwSignal::new(false);
    let changes = Memo::new(move |_| history.data.with(|it| it.as_ref().map(|it| it.changes.clone())));
    // Link to the changes of all sessions, filtered by this one.
    let all_changes_href = move || {
        let session = history.data.with(|it| it.as_ref().map(|it| it.work_session_id.clone()));
        session.map(|session| paths::changes(&ChangesFilter::of_session(&session)))
    };
    let rows = move || {
        let limit = if expanded.get() { usize::MAX } else { SHOWN_CHANGES };
        let shown = changes.get().unwrap_or_default().into_iter().take(limit);
        shown.map(|change| view! { <CategoryChangeRow change=change /> }).collect_view()
    };
    let body = move || match (changes.with(|it| it.as_ref().map(Vec::len)), history.error.with(Option::is_some)) {
        (Some(0), _) => view! { <p class="is-dim">{words.get().thread().never_changed}</p> }.into_any(),
        (Some(count), _) => view! {
            <ol aria-label=move || words.get().thread().changed>{rows}</ol>
            {move || {
                (count > SHOWN_CHANGES && !expanded.get())
                    .then(|| {
                        view! {
                            <button type="button" class="link" on:click=move |_| expanded.set(true)>
                                {move || (words.get().thread().history_more)(count - SHOWN_CHANGES)}
                            </button>
                        }
                    })
            }}
        }
        .into_any(),
        (None, true) => view! {
            <p class="is-dim" role="alert">
                {Icon::Warn}
                {move || words.get().thread().history_failed}
                " "
                <button type="button" class="link" on:click=move |_| history.refetch()>
                    {move || words.get().common.retry}
                </button>
            </p>
        }
        .into_any(),
        (None, false) => view! { <p class="is-dim">{words.get().common.loading}</p> }.into_any(),
    };
    view! {
        <div class="category-history">
            <h3>{move || words.get().thread().changed}</h3>
            {body}
            {move || {
                all_changes_href()
                    .map(|href| view! { <p><a class="link" href=href>{move || words.get().record().open_all}</a></p> })
            }}
        </div>
    }
}

/// One change: old and new category, time, author and reason.
#[component]
fn CategoryChangeRow(change: CategoryChange) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let at = time::parse_iso(&change.at);
    let written = change.at.clone();
    let when = move || at.map_or_else(|| written.clone(), |at| time::relative(words.locale(), now.at.get(), at));
    let exact = move || at.map(|at| time::exact(words.locale(), at));
    let (from, to) = (change.from.clone(), change.to.clone());
    let from_to = move || {
        format!("{} → {}", category_label(words.get(), from.as_deref()), category_label(words.get(), to.as_deref()))
    };
    let (by, found) = (change.by.clone(), change.found);
    let who = move || {
        let thread = words.get().thread();
        by.as_deref()
            .map(|by| hidden::marked(by).into_owned())
            .unwrap_or_else(|| if found { thread.other_program } else { thread.nobody }.to_owned())
    };
    view! {
        <li>
            <b>{from_to}</b>
            <span class="is-dim">
                <time title=exact>{when}</time>
                " · "
                {who}
                {change.undo_of.is_some().then(|| view! { " · " {move || words.get().thread().undone} })}
            </span>
            {change.reason.map(|reason| view! { <q><Said text=reason /></q> })}
        </li>
    }
}

/// Label of a category; of the automatic one without a key. An unknown key is returned as written.
fn category_label(words: &Messages, written: Option<&str>) -> String {
    match written {
        None => words.thread().automatic.to_owned(),
        Some(key) => {
            key.parse().map_or_else(|()| key.to_owned(), |category| (words.common.category)(category).to_owned())
        }
    }
}
