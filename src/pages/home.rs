//! Home page: the ten categories, the work list, saved views and the agents. Its data comes from the live state; only
//! the saved views (`views.rs`) send queries.

pub(super) mod views;
mod work_list;

use std::sync::Arc;

use coordination::api::{AgentState, AgentSummary, CategoryCount, Home, HooksSetup, SourceState};
use leptos::prelude::*;

use self::work_list::{Waiting, WorkList, use_waiting};
use super::failure::Failure;
use super::lazy::{files_offer, home_views, hooks_offer, recap};
use crate::components::agent_list::AgentList;
use crate::components::all_read::AllReadButton;
use crate::components::category_band::{AllCell, CategoryCell};
use crate::components::source_empty::{SourceEmpty, source_trouble};
use crate::components::time_ago::use_now;
use crate::components::unread::UnreadSessionsMark;
use crate::i18n::{time, use_i18n};
use crate::queries::{use_go, use_page_title, use_unread_sessions};
use crate::routes::{AgentsFilter, paths};
use crate::source::SourceError;
use crate::state::{use_connection, use_hub, use_last_visit, use_views};
use crate::ui::Icon;
use crate::ui::skeleton::Skeleton;

/// Home.
#[component]
pub fn HomePage() -> impl IntoView {
    let words = use_i18n();
    use_page_title(move || words.get().home.title.to_owned());
    let connection = use_connection();
    let home = use_hub().home;
    let known = Memo::new(move |_| home.with(Option::is_some));
    let nothing = Memo::new(move |_| {
        // OpenClaw may ask a person before any agent spoke to another.
        let is_empty = |home: &&Arc<Home>| home.all.total == 0 && home.attention.is_empty();
        home.with(|home| home.as_ref().filter(is_empty).map(|home| home.source.clone()))
    });
    view! {
        <main id="main" class="page home" tabindex="-1">
            {move || {
                if !known.get() {
                    if !connection.fresh() {
                        let retry = Callback::new(move |()| connection.try_now());
                        return view! {
                            <Failure error=SourceError::Network on_retry=retry />
                            {files_offer()}
                        }
                            .into_any();
                    }
                    let loading = Signal::derive(move || words.get().common.loading.to_owned());
                    return view! { <Skeleton rows=8 label=loading /> }.into_any();
                }
                view! { <HomeContent nothing=nothing.into() /> }.into_any()
            }}
        </main>
    }
}

/// A slice of home that re-renders only what changed.
fn slice<T: PartialEq + Default + Send + Sync + 'static>(pick: impl Fn(&Home) -> T + Send + Sync + 'static) -> Memo<T> {
    let home = use_hub().home;
    Memo::new(move |_| home.with(|home: &Option<Arc<Home>>| home.as_ref().map(|home| pick(home)).unwrap_or_default()))
}

#[component]
fn HomeContent(nothing: Signal<Option<coordination::api::SourceInfo>>) -> impl IntoView {
    let words = use_i18n();
    let views = use_views();
    let team_views = slice(|home| home.team_views);
    let on_home = Memo::new(move |_| views.any_on_home() || team_views.get() > 0);
    view! {
        <Lede />
        <Categories />
        <div class="home__main">
            <Away />
            {move || match nothing.get() {
                Some(source) => {
                    let may_begin =
                        matches!(source.state, SourceState::HomeMissing | SourceState::LogMissing | SourceState::Ok);
                    let is_there = [source.claude_code, source.codex].iter().any(|setup| *setup != HooksSetup::Absent);
                    let offer = may_begin && is_there;
                    view! {
                        {offer.then(|| hooks_offer(source.clone()))}
                        <SourceEmpty source=source />
                        {may_begin.then(files_offer)}
                    }
                        .into_any()
                }
                None => view! { <WorkList /> }.into_any(),
            }}
            {move || on_home.get().then(home_views)}
        </div>
        <aside class="home__side" aria-label=move || words.get().home.agents_region>
            <Agents />
        </aside>
    }
}

/// The headline: how much waits, who works, what time it is.
#[component]
fn Lede() -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let waiting_lines = use_waiting();
    let Waiting { person, agents, more, person_more, .. } = waiting_lines;
    let waiting = Memo::new(move |_| person.with(Vec::len));
    let between = Memo::new(move |_| agents.with(Vec::len));
    let hidden = Memo::new(move |_| waiting_lines.hidden_for_me());
    let working = use_working();
    let active = slice(|home| home.status_counts.active);
    let doubt = use_incomplete_reason();
    let connection = use_connection();
    let fresh = Memo::new(move |_| connection.fresh());
    let moment = use_hub().moment;
    // An empty state is shown only for data that was read; for outdated data in the past tense.
    let headline = move || {
        let home = &words.get().home;
        let unsure = waiting.get() == 0 && doubt.with(Option::is_some);
        match (waiting.get(), hidden.get()) {
            _ if unsure => home.unsure.to_owned(),
            (waiting, hidden) if moment.with(Option::is_some) => (home.headline_then)(waiting + hidden),
            (waiting, _) if !fresh.get() => (home.headline_before)(waiting),
            (0, hidden) if hidden > 0 => (home.headline_but_hidden)(hidden),
            (waiting, _) => (home.headline)(waiting, person_more.get()),
        }
    };
    let summary = move || {
        let (between, working, active) = (between.get(), working.get(), active.get());
        // Counts are hidden while something could not be read; the cause is shown above the work list too.
        let nothing = waiting.get() == 0 && between == 0 && working == 0 && active == 0;
        doubt.get().filter(|_| nothing).unwrap_or_else(|| {
            let home = &words.get().home;
            match fresh.get() {
                true => (home.summary)(between, more.get(), working, active),
                false => (home.summary_before)(working, active),
            }
        })
    };
    view! {
        <header class="lede">
            <h1>{headline}</h1>
            <p>{summary}</p>
            <span class="lede__when">
                <AllReadButton />
                <PastButton />
                {move || time::long_day_clock(words.locale(), now.at.get())}
            </span>
        </header>
    }
}

/// What happened while the reader was away. Nothing of it in a past moment.
#[component]
fn Away() -> impl IntoView {
    let (hub, visit) = (use_hub(), use_last_visit());
    let since = Memo::new(move |_| visit.away_since.get().filter(|_| hub.moment.with(Option::is_none)));
    move || since.get().map(recap)
}

/// Leads to the past moments of home.
#[component]
fn PastButton() -> impl IntoView {
    let words = use_i18n();
    let (hub, go) = (use_hub(), use_go());
    let is_shown = Memo::new(move |_| hub.moment.with(Option::is_none) && hub.has_past());
    let open = Callback::new(move |()| go.to_recent_past());
    move || {
        is_shown.get().then(|| {
            view! {
                <button type="button" class="link lede__past" on:click=move |_| open.run(())>
                    {Icon::Clock}
                    {move || words.get().home.past}
                </button>
            }
        })
    }
}

/// Why an empty work list is not certain: unreadable files, or a link that is down. One sentence.
fn use_incomplete_reason() -> Memo<Option<String>> {
    let (words, hub, connection) = (use_i18n(), use_hub(), use_connection());
    let incomplete = hub.incomplete();
    Memo::new(move |_| {
        let words = words.get();
        if !connection.fresh() {
            return Some(words.home.unsure_offline.to_owned());
        }
        let unknown_title = || words.home.source_unknown_title.to_owned();
        let sentence = |home: &Arc<Home>| source_trouble(&home.source, words).unwrap_or_else(unknown_title);
        incomplete.get().then(|| hub.home.with(|home| home.as_ref().map_or_else(unknown_title, sentence)))
    })
}

/// How many agents are at work by now.
fn use_working() -> Memo<usize> {
    let (home, now) = (use_hub().home, use_now());
    Memo::new(move |_| {
        let is_working = |agent: &&AgentSummary| agent.state_by(now.at.get()) == AgentState::Working;
        home.with(|home| home.as_ref().map_or(0, |home| home.agents.iter().filter(is_working).count()))
    })
}

/// The ten badges and the eleventh item.
#[component]
fn Categories() -> impl IntoView {
    let words = use_i18n();
    let counts = slice(|home| home.categories.clone());
    let all = slice(|home| home.all.clone());
    // What was not read is not counted as nothing.
    let unread = use_hub().unread_source();
    let unread = Memo::new(move |_| unread.with(Option::is_some));
    let news = use_unread_sessions();
    let new_in = move |category| {
        let news = news.get();
        view! { <UnreadSessionsMark count=news.count_of(category) more=news.more /> }
    };
    view! {
        <section class="home__band" aria-labelledby="categories">
            <h2 id="categories" class="visually-hidden">
                {move || words.get().home.categories}
            </h2>
            <ul class="category-band">
                {move || {
                    let cell = |count: CategoryCount| {
                        let key = count.key;
                        view! {
                            <li>
                                <CategoryCell count=count href=paths::category(key) unread=unread.get()>
                                    {move || new_in(Some(key))}
                                </CategoryCell>
                            </li>
                        }
                    };
                    counts.get().into_iter().map(cell).collect_view()
                }}
                <li class="category-band__all">
                    {move || {
                        view! {
                            <AllCell totals=all.get() href=paths::all() unread=unread.get()>
                                {move || new_in(None)}
                            </AllCell>
                        }
                    }}
                </li>
            </ul>
        </section>
    }
}

#[component]
fn Agents() -> impl IntoView {
    let words = use_i18n();
    let agents = slice(|home| home.agents.iter().filter(|agent| !agent.is_done_helper()).cloned().collect::<Vec<_>>());
    let count = slice(|home| home.agents.len().max(home.agent_total as usize));
    view! {
        <section aria-labelledby="agents">
            <div class="section-head">
                <h2 id="agents">{move || words.get().home.agents}</h2>
                <a class="link section-head__more" href=paths::agents(&AgentsFilter::default())>
                    {move || (words.get().home.all_agents)(count.get())}
                </a>
            </div>
            {move || view! { <AgentList agents=agents.get() /> }}
        </section>
    }
}
