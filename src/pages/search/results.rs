//! Search results under tabs by type (sessions, messages, tasks, agents, events) with counts. One button shows new
//! results, another loads the next page.

use std::collections::HashMap;

use coordination::api::{SearchCounts, SearchHit, SearchKind};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::field::FIELD;
use super::hit::Hit;
use super::nothing::{Help, SearchEmpty, Unable};
use super::{PAGE_HITS, SearchOutcome, SearchState, name, to_query};
use crate::i18n::{time, use_i18n};
use crate::routes::{SearchFilter, paths};
use crate::state::{use_clock, use_hub};
use crate::ui::skeleton::Skeleton;
use crate::ui::toast::use_toasts;
use crate::ui::{Icon, rows};

#[derive(Clone, Copy, PartialEq)]
enum ResultsView {
    Loading,
    Failed,
    Help,
    /// The error is shown under the field.
    Wrong,
    Nothing,
    Hits,
}

/// Hits below their tabs, or the state of the search: help, loading, failed or empty.
#[component]
pub(super) fn SearchBody(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let shown = Memo::new(move |_| {
        let answer = search.fetch.data.with(|answer| {
            answer.as_ref().map(|answer| match answer.1 {
                SearchOutcome::Blank => ResultsView::Help,
                SearchOutcome::Refused(_) => ResultsView::Wrong,
                SearchOutcome::Page(_) if search.shown.with(Vec::is_empty) && search.news.get() == 0 => {
                    ResultsView::Nothing
                }
                SearchOutcome::Page(_) => ResultsView::Hits,
            })
        });
        // The answer to another query is not shown where this one failed.
        let failed = search.fetch.error.with(Option::is_some) && (answer.is_none() || search.behind());
        match answer {
            _ if failed => ResultsView::Failed,
            // An empty result is shown only after the search has finished.
            Some(ResultsView::Nothing) if search.behind() => ResultsView::Loading,
            Some(shown) => shown,
            None if search.filter.with(|filter| filter.q.is_empty()) => ResultsView::Help,
            None => ResultsView::Loading,
        }
    });
    let content = move || match shown.get() {
        ResultsView::Loading => {
            let loading = Signal::derive(move || words.get().search().searching.to_owned());
            view! { <Skeleton rows=6 label=loading /> }.into_any()
        }
        ResultsView::Failed => view! { <Unable search=search /> }.into_any(),
        ResultsView::Help => view! { <Help /> }.into_any(),
        ResultsView::Wrong => ().into_any(),
        ResultsView::Nothing => view! { <SearchEmpty search=search /> }.into_any(),
        ResultsView::Hits => view! {
            <NewHits search=search />
            <Hits search=search />
            <MoreHits search=search />
        }
        .into_any(),
    };
    let tabs = move || matches!(shown.get(), ResultsView::Nothing | ResultsView::Hits);
    view! {
        <div class="search-body" class:is-behind=move || search.behind() aria-busy=move || search.behind().to_string()>
            {move || tabs().then(|| view! { <SearchTabs search=search /> })} {content}
        </div>
    }
}

/// Hits of a kind, or of all.
pub(super) fn count(counts: &SearchCounts, kind: Option<SearchKind>) -> u32 {
    let SearchCounts { sessions, messages, tasks, agents, events, notes } = *counts;
    match kind {
        None => sessions + messages + tasks + agents + events + notes,
        Some(SearchKind::Sessions) => sessions,
        Some(SearchKind::Messages) => messages,
        Some(SearchKind::Tasks) => tasks,
        Some(SearchKind::Agents) => agents,
        Some(SearchKind::Events) => events,
        Some(SearchKind::Notes) => notes,
    }
}

/// Tabs of the kinds with their counts; the first tab is all kinds.
#[component]
fn SearchTabs(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let counts = Memo::new(move |_| search.page(|_, page| page.counts));
    let tab = |kind: Option<SearchKind>| {
        let href = move || paths::search(&SearchFilter { within: kind, ..search.filter.get() });
        let current = move || (search.filter.with(|filter| filter.within) == kind).then_some("true");
        let word = move || {
            let words = words.get().search();
            kind.map_or(words.all, |kind| (words.kind)(kind))
        };
        let number = move || counts.get().map(|counts| time::count(words.locale(), u64::from(count(&counts, kind))));
        view! {
            <a href=href aria-current=current>
                {word}
                <span class="n">{number}</span>
            </a>
        }
    };
    let total = move || {
        let total = search.page(|_, page| page.total).map(|total| time::count(words.locale(), u64::from(total)));
        total.map(|total| (words.get().search().total)(&total))
    };
    view! {
        <nav class="role-tabs" aria-label=move || words.get().search().kinds>
            {std::iter::once(None).chain(SearchKind::ALL.map(Some)).map(tab).collect_view()}
        </nav>
        <p class="visually-hidden" role="status">
            {total}
        </p>
    }
}

/// Hits in the order in which they were first shown.
#[component]
fn Hits(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let by_name = Memo::new(move |_| {
        search.shown.with(|hits| hits.iter().map(|hit| (name(hit), hit.clone())).collect::<HashMap<_, _>>())
    });
    let names = move || search.shown.with(|hits| hits.iter().map(name).collect::<Vec<_>>());
    let draw = move |name: String| {
        let first = by_name.with_untracked(|hits| hits.get(&name).cloned());
        first.map(|first| {
            let hit = Memo::new(move |before: Option<&SearchHit>| {
                by_name
                    .with(|hits| hits.get(&name).cloned())
                    .or_else(|| before.cloned())
                    .unwrap_or_else(|| first.clone())
            });
            view! { <Hit hit=hit /> }
        })
    };
    view! {
        <h2 class="visually-hidden">{move || words.get().search().results}</h2>
        <ol class="hits" aria-label=move || words.get().search().results on:keydown=move |event| pressed(&event)>
            <For each=names key=String::clone children=draw />
        </ol>
    }
}

/// Down and up go from hit to hit, from the first one back to the field; so does Escape.
fn pressed(event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
        return;
    }
    let back = || {
        let field = document().get_element_by_id(FIELD).and_then(|field| field.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(field) = field {
            field.focus().unwrap_or_default();
        }
    };
    let here = || document().active_element();
    match event.key().as_str() {
        "ArrowDown" => {
            rows::step(1);
        }
        "ArrowUp" => {
            let before = here();
            rows::step(-1);
            if here() == before {
                back();
            }
        }
        "Escape" => back(),
        _ => return,
    }
    event.prevent_default();
}

/// Button that shows new hits; nothing without any.
#[component]
fn NewHits(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let reveal = move |_| {
        let Some(answer) = search.fetch.data.get_untracked() else { return };
        if let (filter, SearchOutcome::Page(page)) = &*answer {
            search.show(filter, page);
            window().scroll_to_with_x_and_y(0.0, 0.0);
            // The pill goes with the focus on it: on to what it announced.
            request_animation_frame(|| {
                rows::step(1);
            });
        }
    };
    view! {
        <div class="new-activity" role="status">
            {move || {
                let news = search.news.get();
                (news > 0).then(|| {
                    view! {
                        <button type="button" class="pill" on:click=reveal>
                            {Icon::ArrowUp}
                            {move || (words.get().search().new_hits)(news)}
                        </button>
                    }
                })
            }}
        </div>
    }
}

/// Button that loads the next page; nothing on the last page.
#[component]
fn MoreHits(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let (hub, clock, toasts) = (use_hub(), use_clock(), use_toasts());
    let rest = move || {
        let total = search.of.with(|of| of.as_ref().map_or(0, |(_, total)| *total));
        total.saturating_sub(search.shown.with(Vec::len) as u32).clamp(1, PAGE_HITS)
    };
    let load = move |_| {
        let (Some(source), Some(after)) = (hub.source.get_untracked(), search.next.get_untracked()) else { return };
        let Some((filter, _)) = search.of.get_untracked() else { return };
        let query = to_query(&filter, clock.now(), PAGE_HITS, Some(after));
        search.more_busy.set(true);
        spawn_local(async move {
            let page = source.search(&query).await;
            // The user may have searched something else meanwhile.
            let same = || search.of.with_untracked(|of| of.as_ref().is_some_and(|(of, _)| *of == filter));
            if search.more_busy.try_set(false).is_some() || !same() {
                return;
            }
            match page {
                Ok(page) => {
                    search.shown.update(|shown| {
                        let fresh =
                            page.hits.into_iter().filter(|hit| shown.iter().all(|known| name(known) != name(hit)));
                        let fresh: Vec<SearchHit> = fresh.collect();
                        shown.extend(fresh);
                    });
                    search.next.set(page.next);
                }
                Err(error) => toasts.failed(error.sentence(words.now())),
            }
        });
    };
    move || {
        search.next.with(Option::is_some).then(|| {
            view! {
                <div class="load-more">
                    <button type="button" class="button" disabled=move || search.more_busy.get() on:click=load>
                        {move || (words.get().search().load_more)(rest())}
                    </button>
                </div>
            }
        })
    }
}
