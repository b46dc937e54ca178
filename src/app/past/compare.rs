//! Comparison of the past moment with now or with another moment: sessions by status and category, waiting matters, and
//! requests by outcome, as a table of what differs.

use coordination::api::{MomentTotals, PastMoment};
use coordination::category::Category;
use coordination::session::Status;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_location;

use crate::components::compare_table::{CompareRow, CompareTable, count_row};
use crate::i18n::messages::Messages;
use crate::i18n::{Locale, time, use_i18n};
use crate::queries::{FetchOptions, use_fetch, use_go};
use crate::routes::{ComparedWith, compared_with, parse_query};
use crate::source::{DataSource, SourceError};
use crate::state::{use_clock, use_hub};

/// With what the address asks to compare.
pub(super) fn use_compared_with() -> Memo<Option<ComparedWith>> {
    let search = use_location().search;
    Memo::new(move |_| search.with(|search| compared_with(&parse_query(search))))
}

/// The comparison, while the address asks for one.
#[component]
pub(super) fn Comparison() -> impl IntoView {
    let compared = use_compared_with();
    move || compared.get().map(|with| view! { <ComparisonPanel with=with /> })
}

#[component]
fn ComparisonPanel(with: ComparedWith) -> impl IntoView {
    let words = use_i18n();
    let (hub, go) = (use_hub(), use_go());
    let then = use_fetch(
        move || hub.moment.get(),
        FetchOptions::ignore_live_changes(),
        |source: DataSource, _| async move { source.totals().await },
    );
    let other = RwSignal::new(None::<Result<MomentTotals, SourceError>>);
    let basis = Memo::new(move |_| hub.moment.get().map(|moment| moment.known_by).unwrap_or_default());
    let is_ready = Memo::new(move |_| hub.source.with(Option::is_some));
    // Not asked again with each step of the moment that is looked at.
    Effect::new(move |_| {
        let (known_by, is_ready) = (basis.get(), is_ready.get());
        let Some(source) = hub.present_source().filter(|_| is_ready) else { return };
        let moment = match with {
            ComparedWith::Now => None,
            ComparedWith::At(at) => Some(PastMoment { at, known_by }),
        };
        spawn_local(async move {
            let answer = source.at(moment).totals().await;
            other.try_set(Some(answer));
        });
    });
    let pick = move |event: leptos::ev::Event| {
        let at = time::parse_iso(&event_target_value(&event));
        go.compare(Some(at.map_or(ComparedWith::Now, ComparedWith::At)));
    };
    let chosen = match with {
        ComparedWith::Now => String::new(),
        ComparedWith::At(at) => time::local_input(at),
    };
    let latest = time::local_input(use_clock().running());
    let table = move || {
        let other = match other.get()? {
            Ok(other) => other,
            Err(error) => {
                return Some(view! { <p class="past__note is-bad">{error.sentence(words.get())}</p> }.into_any());
            }
        };
        if let Some(error) = then.failure.get() {
            return Some(view! { <p class="past__note is-bad">{error.sentence(words.get())}</p> }.into_any());
        }
        let then = then.data.get()?;
        let groups = groups(&then, &other, words.get(), words.locale());
        let past = words.get().past();
        Some(view! { <CompareTable columns=past.compare_columns groups=groups same=past.compare_same /> }.into_any())
    };
    view! {
        <div class="compare">
            <label class="compare__with">
                <span>{move || words.get().past().compare_with}</span>
                <input type="datetime-local" max=latest prop:value=chosen on:change=pick />
                {(with == ComparedWith::Now).then(|| view! { <span>{move || words.get().past().compare_now}</span> })}
            </label>
            {table}
        </div>
    }
}

/// What differs between two moments, by area.
fn groups(
    then: &MomentTotals,
    other: &MomentTotals,
    words: &Messages,
    locale: Locale,
) -> Vec<(&'static str, Vec<CompareRow>)> {
    let row = |name: &str, a: u64, b: u64| count_row(name, a, b, locale);
    let (common, past) = (&words.common, words.past());
    let status = |status: Status, pick: fn(&MomentTotals) -> u32| {
        row((common.status)(status), pick(then).into(), pick(other).into())
    };
    let sessions = [
        status(Status::Active, |totals| totals.sessions.active),
        status(Status::Quiet, |totals| totals.sessions.quiet),
        status(Status::Archived, |totals| totals.sessions.archived),
    ];
    let of_kind = |totals: &MomentTotals, kind| {
        totals.attention.iter().find(|total| total.kind == kind).map_or(0, |total| total.count)
    };
    let mut kinds: Vec<_> = then.attention.iter().chain(&other.attention).map(|total| total.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let attention =
        kinds.into_iter().map(|kind| row((words.home.attention)(kind), of_kind(then, kind), of_kind(other, kind)));
    let in_state =
        |totals: &MomentTotals, state| totals.sends.iter().find(|total| total.state == state).map_or(0, |it| it.count);
    let mut states: Vec<_> = then.sends.iter().chain(&other.sends).map(|total| total.state).collect();
    states.sort_unstable();
    states.dedup();
    let mut sends: Vec<Option<CompareRow>> = Vec::new();
    sends.extend(
        states.into_iter().map(|state| row((common.delivery)(state), in_state(then, state), in_state(other, state))),
    );
    let reply = |totals: &MomentTotals| totals.mean_reply_ms.map(|ms| time::duration(locale, ms as i64));
    if then.mean_reply_ms != other.mean_reply_ms {
        let shown = |totals: &MomentTotals| reply(totals).unwrap_or_else(|| "–".to_owned());
        sends.push(Some((past.mean_reply.to_owned(), shown(then), shown(other), String::new())));
    }
    let of_category = |totals: &MomentTotals, category: Category| {
        totals.categories.get(category.index()).copied().unwrap_or_default().into()
    };
    let categories = Category::ALL
        .into_iter()
        .map(|category| row((common.category)(category), of_category(then, category), of_category(other, category)));
    vec![
        (past.sessions_of, sessions.into_iter().flatten().collect()),
        (past.attention_of, attention.flatten().collect()),
        (past.sends_of, sends.into_iter().flatten().collect()),
        (past.categories_of, categories.flatten().collect()),
    ]
}
