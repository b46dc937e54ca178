//! The ten category badges of home, in seed order, and the eleventh item, all sessions.

use coordination::api::{CategoryCount, CategoryTotals};
use leptos::prelude::*;

use super::category::{CategoryTile, TileSize};
use super::time_ago::TimeAgo;
use crate::i18n::{Words, time, use_words};
use crate::routes::paths;
use crate::ui::mark::Mark;
use crate::ui::{Icon, Tone};

/// One badge: a link into its sessions.
#[component]
pub fn CategoryCell(
    count: CategoryCount,
    /// Nothing could be read: the numbers are not known.
    unread: bool,
    /// What stands behind the name.
    children: Children,
) -> impl IntoView {
    let words = use_words();
    let CategoryCount { key, totals } = count;
    let CategoryTotals { total, last_time, spark, .. } = totals.clone();
    view! {
        <a class="category-cell" href=paths::category(key) data-cat=key.as_str()>
            <CategoryTile category=key size=TileSize::Medium />
            <span class="category-cell__numbers">
                <span class="category-cell__total">
                    {move || number(words, total, unread)}
                    <small>{move || (words.get().home.sessions_unit)(total)}</small>
                </span>
                <Sparkline hours=spark />
            </span>
            <h3>{move || (words.get().common.category)(key)} {children()}</h3>
            <span class="category-cell__foot">
                <ActiveMark totals=totals unread=unread />
                {last_time.map(|at| view! { <TimeAgo at=at /> })}
            </span>
        </a>
    }
}

/// All sessions.
#[component]
pub fn AllRow(
    totals: CategoryTotals,
    /// Nothing could be read: the numbers are not known.
    unread: bool,
    /// What stands behind the name.
    children: Children,
) -> impl IntoView {
    let words = use_words();
    let total = totals.total;
    view! {
        <a class="all-row" href=paths::all()>
            <span class="tile is-all" aria-hidden="true">
                {Icon::Grid}
            </span>
            <h3>{move || words.get().common.everything} {children()}</h3>
            <span class="all-row__end">
                <span class="all-row__hint">{move || words.get().home.all_hint}</span>
                <ActiveMark totals=totals unread=unread />
                <span class="nowrap">
                    <b class="strong">{move || number(words, total, unread)}</b>
                    " "
                    {move || (words.get().home.sessions_unit)(total)}
                </span>
                {Icon::ChevronRight}
            </span>
        </a>
    }
}

/// A count; a dash where it is not known.
fn number(words: Words, count: u32, unread: bool) -> String {
    if unread { "–".to_owned() } else { time::count(words.locale(), u64::from(count)) }
}

#[component]
fn ActiveMark(totals: CategoryTotals, unread: bool) -> impl IntoView {
    let words = use_words();
    let CategoryTotals { total, active, .. } = totals;
    let (tone, icon) = if active > 0 { (Tone::Live, Icon::Running) } else { (Tone::Rest, Icon::Quiet) };
    let text = Signal::derive(move || {
        let home = &words.get().home;
        match (total, active) {
            _ if unread => home.unread.to_owned(),
            (0, _) => home.empty.to_owned(),
            (_, 0) => home.quiet.to_owned(),
            (_, active) => (home.active)(active),
        }
    });
    view! { <Mark tone=tone icon=icon text=text /> }
}

/// A bar an hour, the last one is still running.
#[component]
fn Sparkline(hours: Vec<u32>) -> impl IntoView {
    let words = use_words();
    let top = hours.iter().copied().max().unwrap_or(0).max(1);
    let last = hours.len().saturating_sub(1);
    let sum: u32 = hours.iter().sum();
    let bars = hours
        .into_iter()
        .enumerate()
        .map(|(index, n)| {
            // An hour without events keeps a 1 px foot, so that the scale of time stays readable.
            let height = if n == 0 { 1.0 } else { (f64::from(n) / f64::from(top) * 20.0).max(2.0) };
            let class = if index == last { "is-now" } else { "" };
            view! {
                <rect
                    class=class
                    x=format!("{:.2}", index as f64 * 2.78)
                    y=format!("{:.1}", 22.0 - height)
                    width="2"
                    height=format!("{height:.1}")
                />
            }
        })
        .collect_view();
    view! {
        <svg class="sparkline" viewBox="0 0 66 22" role="img" aria-label=move || format!("{}: {sum}", words.get().home.spark)>
            {bars}
        </svg>
    }
}
