//! Empty and failed states of the session list. Each shows its reason (load error, unreadable source, filters, no
//! sessions) and suggests a next step.

use coordination::api::SessionsPage as Answer;
use leptos::prelude::*;

use super::{Subject, name};
use crate::components::source_empty::SourceEmpty;
use crate::i18n::{I18n, use_i18n};
use crate::queries::{Fetch, use_go};
use crate::routes::{SessionsFilter, paths};
use crate::state::use_hub;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;

/// Failed state of a list without an answer, with a retry button.
#[component]
pub(super) fn Failed(answer: Fetch<Answer>) -> impl IntoView {
    let words = use_i18n();
    let error_text = move |text_of: fn(&crate::source::SourceError, I18n) -> String| {
        answer.error.with(|error| error.as_ref().map(|error| text_of(error, words)).unwrap_or_default())
    };
    view! {
        <EmptyState
            icon=Icon::Warn
            failed=true
            title=Signal::derive(move || words.get().common.load_failed.to_owned())
            text=Signal::derive(move || error_text(|error, words| error.sentence(words.get())))
            code=Signal::derive(move || error_text(|error, words| error.reference(words.get())))
        >
            <button type="button" class="button" on:click=move |_| answer.refetch()>
                {Icon::Retry}
                {move || words.get().common.retry}
            </button>
        </EmptyState>
    }
}

/// Empty state of the list: an unreadable source, or no sessions.
#[component]
pub(super) fn SessionsEmpty(subject: Memo<Subject>) -> impl IntoView {
    let unread = use_hub().unread_source();
    move || match unread.get() {
        Some(source) => view! { <SourceEmpty source=source /> }.into_any(),
        None => view! { <NoCards subject=subject /> }.into_any(),
    }
}

/// Empty state without sessions: because of the filters, in this category, or at all.
#[component]
fn NoCards(subject: Memo<Subject>) -> impl IntoView {
    let words = use_i18n();
    let home = use_hub().home;
    let go = use_go();
    let (category, filter) = subject.get_untracked();
    let total = move || {
        home.with(|home| {
            home.as_ref().map_or(0, |home| match category {
                Some(category) => {
                    home.categories.iter().find(|count| count.key == category).map_or(0, |c| c.totals.total)
                }
                None => home.all.total,
            })
        })
    };
    if (SessionsFilter { unread: false, ..filter.clone() }).is_empty() && filter.unread {
        return view! {
            <EmptyState
                icon=Icon::Ok
                title=Signal::derive(move || words.get().sessions().unread_empty.to_owned())
                text=Signal::derive(move || words.get().sessions().unread_empty_text.to_owned())
            >
                <a class="button is-primary" href=paths::sessions(category, &SessionsFilter::default())>
                    {move || (words.get().sessions().see_all)(total())}
                </a>
            </EmptyState>
        }
        .into_any();
    }
    if !filter.is_empty() {
        let text = SessionsFilter { q: filter.q.clone(), ..SessionsFilter::default() };
        let elsewhere = category.filter(|_| filter.q.is_some()).map(|_| paths::sessions(None, &text));
        let clear = move |_| {
            go.refine(&paths::sessions(category, &SessionsFilter { group: filter.group, ..Default::default() }))
        };
        return view! {
            <EmptyState
                icon=Icon::Filter
                title=Signal::derive(move || words.get().sessions().filter_empty.to_owned())
                text=Signal::derive(move || (words.get().sessions().filter_empty_text)(name(words, category), total()))
            >
                <button type="button" class="button is-primary" on:click=clear>
                    {move || words.get().common.clear_filters}
                </button>
                {elsewhere.map(|href| {
                    view! {
                        <a class="button" href=href>
                            {move || words.get().sessions().search_all}
                        </a>
                    }
                })}
            </EmptyState>
        }
        .into_any();
    }
    match (category, home.with_untracked(|home| home.as_ref().map(|home| home.source.clone()))) {
        (None, Some(source)) => view! { <SourceEmpty source=source /> }.into_any(),
        _ => view! {
            <EmptyState
                icon=Icon::Talk
                title=Signal::derive(move || (words.get().sessions().category_empty)(name(words, category)))
                text=Signal::derive(move || words.get().sessions().category_empty_text.to_owned())
            />
        }
        .into_any(),
    }
}
