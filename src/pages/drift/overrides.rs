//! Table of manual category changes by automatic category: percentage of sessions that were changed, up to two of their
//! new categories, and number of sessions whose category a person confirmed.

use std::sync::Arc;

use coordination::api::{CategoryOverrides, Drift as Answer};
use leptos::prelude::*;

use super::DriftSection;
use super::tables::{Scrolled, head};
use crate::components::category::CategoryBadge;
use crate::i18n::number::percent;
use crate::i18n::{time, use_i18n};

/// Places named of one category.
const SHOWN_TARGETS: usize = 2;

/// Table with one row for each category that has sessions.
#[component]
pub(super) fn OverrideTable(answer: Signal<Arc<Answer>>) -> impl IntoView {
    let rows = Memo::new(move |_| {
        let filled = |row: &&CategoryOverrides| row.sessions > 0;
        answer.with(|answer| answer.overrides.iter().filter(filled).cloned().collect::<Vec<_>>())
    });
    view! {
        <DriftSection title=|words| words.overrides hint=|words| words.overrides_hint>
            <Scrolled name=|words| words.overrides>
                <thead>
                    <tr>
                        {head(|w| w.column_category)} {head(|w| w.column_moved)} {head(|w| w.column_to)}
                        {head(|w| w.column_confirmed)}
                    </tr>
                </thead>
                <tbody>
                    {move || rows.get().into_iter().map(|row| view! { <OverrideRow row=row /> }).collect_view()}
                </tbody>
            </Scrolled>
        </DriftSection>
    }
}

/// One category: share of changed sessions with a bar, their new categories, and confirmed sessions.
#[component]
fn OverrideRow(row: CategoryOverrides) -> impl IntoView {
    let words = use_i18n();
    let CategoryOverrides { key, sessions, moved, confirmed, to } = row;
    let count = move |n: u32| time::count(words.locale(), u64::from(n));
    let moved_text = move || (words.get().drift().moved_of)(&count(moved), &count(sessions), &percent(moved, sessions));
    let width = format!("{:.1}", f64::from(moved) / f64::from(sessions.max(1)) * 100.0);
    let places = to.iter().take(SHOWN_TARGETS).map(|to| {
        let (key, sessions) = (to.key, to.sessions);
        view! {
            <span class="drift__to">
                <CategoryBadge category=key />
                {move || count(sessions)}
            </span>
        }
    });
    let places = places.collect_view();
    let nowhere = to.is_empty();
    view! {
        <tr>
            <th scope="row">
                <CategoryBadge category=key />
            </th>
            <td>
                {moved_text}
                <svg class="drift__bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                    <rect width=width height="4" />
                </svg>
            </td>
            <td>
                {places}
                {nowhere.then(|| view! { <span class="is-dim">{move || words.get().drift().nobody_moved}</span> })}
            </td>
            <td>{move || count(confirmed)}</td>
        </tr>
    }
}
