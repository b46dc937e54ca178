//! Empty state of the search: help without a query, hints without results, or the reason of a failed search.

use leptos::prelude::*;

use super::SearchState;
use super::chips::clause_text;
use super::offers::OPERATORS;
use super::results::count;
use super::written::without;
use crate::components::people::use_people;
use crate::components::source_empty::SourceEmpty;
use crate::i18n::use_i18n;
use crate::pages::failure::Failure;
use crate::routes::{SearchFilter, paths};
use crate::source::SourceError;
use crate::state::use_hub;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;

/// Help for an empty query: examples and operators.
#[component]
pub(super) fn Help() -> impl IntoView {
    let words = use_i18n();
    let examples = move || {
        let example = |(q, why): (&'static str, &'static str)| {
            view! {
                <li>
                    <a class="search-help__example" href=paths::search(&SearchFilter::from_text(q))>
                        <code>{q}</code>
                    </a>
                    <span>{why}</span>
                </li>
            }
        };
        words.get().search().examples.into_iter().map(example).collect_view()
    };
    let operators = move || {
        let words = words.get().search();
        let line = |name: &'static str| {
            let typed = (words.typed)(name).map(|typed| view! { <code>{typed} ":"</code> " " });
            view! {
                <dt>{typed} <code>{name} ":"</code></dt>
                <dd>{(words.operator_why)(name)}</dd>
            }
        };
        OPERATORS.into_iter().map(line).collect_view()
    };
    view! {
        <section class="search-help">
            <h2>{move || words.get().search().help}</h2>
            <p>{move || words.get().search().help_text}</p>
            <ul>{examples}</ul>
            <h3>{move || words.get().search().operators}</h3>
            <dl>{operators}</dl>
        </section>
    }
}

/// Empty state of a search without hits, with links to wider queries. An unreadable source has its own empty state.
#[component]
pub(super) fn SearchEmpty(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let unread = use_hub().unread_source();
    let context = Memo::new(move |_| search.page(|filter, page| (filter.clone(), page.clauses.clone(), page.counts)));
    let title = Signal::derive(move || {
        let q = context.with(|context| context.as_ref().map(|(filter, ..)| filter.q.clone())).unwrap_or_default();
        (words.get().search().none)(&coordination::text::hidden::marked(&q))
    });
    let elsewhere = move || {
        let (filter, _, counts) = context.get()?;
        let total = count(&counts, None);
        let kind = filter.within.filter(|_| total > 0)?;
        Some((kind, total, paths::search(&SearchFilter { within: None, ..filter })))
    };
    let text = Signal::derive(move || {
        let words = words.get().search();
        match elsewhere() {
            Some((kind, total, _)) => (words.none_here)((words.kind)(kind), total),
            None => words.none_text.to_owned(),
        }
    });
    let ways = move || {
        let (filter, clauses, _) = context.get()?;
        let all = elsewhere().map(|(_, _, href)| {
            view! {
                <a class="button is-primary" href=href>
                    {move || words.get().search().in_all}
                </a>
            }
        });
        let several = clauses.len() > 1;
        let less = clauses.into_iter().filter(|_| several).take(6).map(|clause| {
            let href = paths::search(&SearchFilter { q: without(&filter.q, clause.range), ..filter.clone() });
            let text = move || (words.get().search().without)(&clause_text(&clause, words.get(), people));
            view! { <a class="button" href=href>{text}</a> }
        });
        Some(view! { {all} {less.collect_view()} })
    };
    move || match unread.get() {
        Some(source) => view! { <SourceEmpty source=source /> }.into_any(),
        None => view! { <EmptyState icon=Icon::Search title=title text=text>{ways}</EmptyState> }.into_any(),
    }
}

/// Reason why the search failed; nothing without a failure.
#[component]
pub(super) fn Unable(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let fetch = search.fetch;
    let failure = Memo::new(move |_| fetch.error.get());
    move || {
        failure.get().map(|error| match error {
            // A monitor of an earlier version has no such endpoint.
            error if error == SourceError::Unsupported || error.is_not_found() => view! {
                <EmptyState
                    icon=Icon::Warn
                    failed=true
                    title=Signal::derive(move || words.get().search().unsupported.to_owned())
                    text=Signal::derive(move || words.get().search().unsupported_text.to_owned())
                >
                    <a class="button" href=paths::all()>
                        {move || words.get().common.everything}
                    </a>
                </EmptyState>
            }
            .into_any(),
            error => view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any(),
        })
    }
}
