//! Table of what differs between two moments or two sessions, by area.

use leptos::prelude::*;

use crate::i18n::{Locale, time};

/// Name, both values, and the difference.
pub type CompareRow = (String, String, String, String);

/// A row of two counts; none when they are equal.
pub fn count_row(name: &str, one: u64, other: u64, locale: Locale) -> Option<CompareRow> {
    let difference = if other > one { format!("+{}", other - one) } else { format!("−{}", one - other) };
    (one != other).then(|| (name.to_owned(), time::count(locale, one), time::count(locale, other), difference))
}

/// The table. Areas in which nothing differs are left out.
#[component]
pub fn CompareTable(
    /// Headings of both values and of the difference.
    columns: [&'static str; 3],
    /// Rows by area.
    groups: Vec<(&'static str, Vec<CompareRow>)>,
    /// Said when nothing differs.
    same: &'static str,
) -> impl IntoView {
    let is_same = groups.iter().all(|(_, rows)| rows.is_empty());
    view! {
        <table class="compare__table">
            <thead>
                <tr>
                    <td></td>
                    {columns.map(|name| view! { <th scope="col">{name}</th> }).collect_view()}
                </tr>
            </thead>
            {groups.into_iter().map(|(name, rows)| view! { <CompareRows name=name rows=rows /> }).collect_view()}
        </table>
        {is_same.then(|| view! { <p>{same}</p> })}
    }
}

#[component]
fn CompareRows(name: &'static str, rows: Vec<CompareRow>) -> impl IntoView {
    let row = |(name, one, other, difference): CompareRow| {
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{one}</td>
                <td>{other}</td>
                <td class="compare__difference">{difference}</td>
            </tr>
        }
    };
    (!rows.is_empty()).then(|| {
        view! {
            <tbody>
                <tr>
                    <th scope="rowgroup" colspan="4" class="compare__group">{name}</th>
                </tr>
                {rows.into_iter().map(row).collect_view()}
            </tbody>
        }
    })
}
