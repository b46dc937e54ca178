//! Category cells of the home page: one for each of the ten categories, and one for all sessions. The band of cells has
//! a fixed height, so new numbers never move the content below.

use coordination::api::{CategoryCount, CategoryTotals};
use leptos::prelude::*;

use super::category::emoji;
use super::time_ago::TimeAgo;
use crate::i18n::{time, use_i18n};
use crate::ui::Icon;

/// Cell of one category: a link to its sessions. Further details show on hover and focus.
#[component]
pub fn CategoryCell(
    count: CategoryCount,
    /// Its sessions.
    href: String,
    /// Nothing could be read: the numbers are not known.
    unread: bool,
    /// Details shown after the name.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let words = use_i18n();
    let CategoryCount { key, totals } = count;
    let id = format!("category-{}", key.as_str());
    let described = id.clone();
    view! {
        <a class="category-cell" href=href data-cat=key.as_str() aria-describedby=described>
            <span class="category-cell__face" aria-hidden="true">
                {emoji(key)}
            </span>
            <h3 class="category-cell__name">
                <span aria-hidden="true">{move || (words.get().common.category_short)(key)}</span>
                <span class="visually-hidden">{move || (words.get().common.category)(key)}</span>
            </h3>
            <Running totals=totals.clone() unread=unread />
            <span class="category-cell__end">
                <SessionTotal total=totals.total unread=unread /> {children.map(|children| children())}
            </span>
            <CategoryCellDetails
                id=id
                name=move || (words.get().common.category)(key).to_owned()
                totals=totals
                unread=unread
            />
        </a>
    }
}

/// Cell of all sessions: a link to the full list.
#[component]
pub fn AllCell(
    totals: CategoryTotals,
    /// All sessions.
    href: String,
    /// Nothing could be read: the numbers are not known.
    unread: bool,
    /// Details shown after the name.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let words = use_i18n();
    view! {
        <a class="category-cell is-all" href=href aria-describedby="category-all">
            <span class="category-cell__face" aria-hidden="true">
                {Icon::Grid}
            </span>
            <h3 class="category-cell__name">{move || words.get().common.everything}</h3>
            <Running totals=totals.clone() unread=unread />
            <span class="category-cell__end">
                <SessionTotal total=totals.total unread=unread /> {children.map(|children| children())}
            </span>
            <CategoryCellDetails
                id="category-all".to_owned()
                name=move || words.get().home.all_hint.to_owned()
                totals=totals
                unread=unread
            />
        </a>
    }
}

/// Number of active sessions; a sentence when there are none or nothing could be read.
#[component]
fn Running(totals: CategoryTotals, unread: bool) -> impl IntoView {
    let words = use_i18n();
    let CategoryTotals { total, active, .. } = totals;
    let is_running = active > 0 && !unread;
    let text = move || {
        let home = &words.get().home;
        match (total, active) {
            _ if unread => home.unread.to_owned(),
            (0, _) => home.empty.to_owned(),
            (_, 0) => home.quiet.to_owned(),
            (_, active) => (home.active)(active),
        }
    };
    view! {
        <span class="category-cell__running" class:is-live=is_running class:is-bad=unread>
            {is_running
                .then(|| view! { {Icon::Running} <span class="category-cell__count" aria-hidden="true">{active}</span> })}
            <span class="category-cell__word">{text}</span>
        </span>
    }
}

/// Number of sessions; a dash when it is unknown.
#[component]
fn SessionTotal(total: u32, unread: bool) -> impl IntoView {
    let words = use_i18n();
    let number = move || if unread { "–".to_owned() } else { time::count(words.locale(), u64::from(total)) };
    view! {
        <span class="category-cell__total">{number}</span>
        <span class="visually-hidden">" " {move || (words.get().home.sessions_unit)(total)}</span>
    }
}

/// Details of a cell on hover or focus: full name, number of sessions, last activity, and the activity of the last day.
#[component]
fn CategoryCellDetails(
    id: String,
    name: impl Fn() -> String + Send + 'static,
    totals: CategoryTotals,
    unread: bool,
) -> impl IntoView {
    let words = use_i18n();
    let CategoryTotals { total, last_time, spark, .. } = totals;
    view! {
        <span class="category-cell__more" id=id>
            <b>{name}</b>
            <span>
                <SessionTotal total=total unread=unread />
                <span aria-hidden="true">" " {move || (words.get().home.sessions_unit)(total)}</span>
                {last_time.map(|at| view! { <span class="dim">" · " <TimeAgo at=at /></span> })}
            </span>
            {(!spark.is_empty()).then(|| view! { <Sparkline hours=spark /> })}
        </span>
    }
}

/// Bar chart with one bar per hour. The last hour is still running.
#[component]
fn Sparkline(hours: Vec<u32>) -> impl IntoView {
    let words = use_i18n();
    let top = u64::from(hours.iter().copied().max().unwrap_or(0).max(1));
    let last = hours.len().saturating_sub(1);
    let sum: u32 = hours.iter().sum();
    let bars = hours
        .into_iter()
        .enumerate()
        .map(|(index, n)| {
            // An hour without events keeps a 1 px foot, so that the scale of time stays readable.
            // In tenths of a pixel: whole numbers, because the text of floating-point ones takes much code.
            let height = if n == 0 { 10 } else { ((400 * u64::from(n) + top) / (2 * top)).max(20) };
            let tenths = |n: u64| format!("{}.{}", n / 10, n % 10);
            let class = if index == last { "is-now" } else { "" };
            view! {
                <rect
                    class=class
                    x=format!("{}.{:02}", index * 278 / 100, index * 278 % 100)
                    y=tenths(220 - height)
                    width="2"
                    height=tenths(height)
                />
            }
        })
        .collect_view();
    view! {
        <svg class="sparkline" viewBox="0 0 66 22" role="img" aria-label=move || format!("{}: {sum}", words.get().home.spark)>
            {bars}
        </svg>
        <span class="dim">{move || words.get().home.spark}</span>
    }
}
