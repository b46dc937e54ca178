//! Tables with the numbers of the drift charts.

use std::sync::Arc;

use coordination::api::{Drift as Answer, DriftPeriod};
use coordination::category::Category;
use leptos::prelude::*;

use super::DriftText;
use super::charts::step_name;
use crate::i18n::number::percent;
use crate::i18n::{time, use_i18n};

/// `3 (12%)`; a dash where there is nothing to be a share of.
fn part(part: u32, whole: u32) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{part} ({})", percent(part, whole)) }
}

/// A table that scrolls by itself where it is wider than the page.
#[component]
pub(super) fn Scrolled(name: fn(&DriftText) -> &'static str, children: Children) -> impl IntoView {
    let words = use_i18n();
    view! {
        <div class="data-table" tabindex="0" role="region" aria-label=move || {
            let words = words.get().drift();
            format!("{}, {}", name(words), words.as_table)
        }>
            <table>{children()}</table>
        </div>
    }
}

/// A column's head.
pub(super) fn head(word: fn(&DriftText) -> &'static str) -> impl IntoView {
    let words = use_i18n();
    view! { <th scope="col">{move || word(words.get().drift())}</th> }
}

/// Period by period, newest first.
#[component]
pub(super) fn PeriodTable(answer: Signal<Arc<Answer>>) -> impl IntoView {
    let words = use_i18n();
    let category = move |key| view! { <th scope="col">{move || (words.get().common.category)(key)}</th> };
    let rows = move || {
        answer.with(|answer| {
            let row = |period: &DriftPeriod| {
                let when = time::period(words.locale(), answer.now, period.at, answer.step_ms);
                let whole = period.sessions;
                let category_cells = Category::ALL.map(|key| view! { <td>{part(period.filed_as(key), whole)}</td> });
                view! {
                    <tr>
                        <th scope="row">{when}</th>
                        <td>{whole}</td>
                        <td>{part(period.fallback, whole)}</td>
                        <td>{part(period.doubtful, whole)}</td>
                        {category_cells.into_iter().collect_view()}
                    </tr>
                }
            };
            answer.periods.iter().rev().map(row).collect_view()
        })
    };
    view! {
        <Scrolled name=|words| words.shares>
            <thead>
                <tr>
                    {head(|w| w.column_period)} {head(|w| w.column_sessions)} {head(|w| w.no_grounds)}
                    {head(|w| w.doubtful)} {Category::ALL.map(category).into_iter().collect_view()}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </Scrolled>
    }
}

/// Sessions by confidence, the surest last.
#[component]
pub(super) fn ConfidenceTable(answer: Signal<Arc<Answer>>) -> impl IntoView {
    let rows = move || {
        answer.with(|answer| {
            let row = |(step, sessions): (usize, &u32)| {
                view! {
                    <tr>
                        <th scope="row">{step_name(step)}</th>
                        <td>{*sessions}</td>
                        <td>{percent(*sessions, answer.all.sessions)}</td>
                    </tr>
                }
            };
            answer.confidence.iter().enumerate().map(row).collect_view()
        })
    };
    view! {
        <Scrolled name=|words| words.confidence>
            <thead>
                <tr>
                    {head(|w| w.column_confidence)} {head(|w| w.column_sessions)} {head(|w| w.column_share)}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </Scrolled>
    }
}
