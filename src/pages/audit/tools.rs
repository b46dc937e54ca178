//! Filters of the category changes, and export of the filtered list.

use coordination::api::ExpectedOverride;
use coordination::category::Category;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::export::{Format, all};
use super::{AuditState, to_query};
use crate::components::text_filter::TextFilter;
use crate::i18n::use_i18n;
use crate::queries::use_edit;
use crate::routes::{ChangesFilter, OverrideSide, paths};
use crate::state::use_hub;
use crate::ui::day_field::DayField;
use crate::ui::menu::{Menu, MenuChoice};
use crate::ui::save;
use crate::ui::toast::use_toasts;

/// Filters by text, author, old and new category and period, and the export buttons.
#[component]
pub(super) fn AuditFilterBar(state: AuditState) -> impl IntoView {
    let words = use_i18n();
    let filter = state.filter;
    let change = use_edit(move || filter.get_untracked(), paths::changes);
    let with_text = move |q| paths::changes(&ChangesFilter { q, ..filter.get_untracked() });
    let people = Signal::derive(move || {
        let people = state.fetch.data.with(|page| page.as_ref().map(|page| page.people.clone()).unwrap_or_default());
        people.into_iter().map(|(name, n)| MenuChoice { text: format!("{name} {n}"), value: name }).collect::<Vec<_>>()
    });
    let narrowed = Memo::new(move |_| !filter.with(ChangesFilter::is_empty));
    view! {
        <div class="filters" role="group" aria-label=move || words.get().sessions().filters>
            <TextFilter
                label=Signal::derive(move || words.get().record().find.to_owned())
                words=Signal::derive(move || filter.get().q)
                address=with_text
            />
            <Menu
                label=Signal::derive(move || words.get().record().anyone.to_owned())
                choices=people
                value=Signal::derive(move || filter.get().who.unwrap_or_default())
                on_pick=Callback::new(move |who: String| {
                    change.run(Box::new(move |filter| filter.who = Some(who).filter(|who| !who.is_empty())));
                })
            />
            <SideMenu
                label=Signal::derive(move || words.get().record().from.to_owned())
                value=Signal::derive(move || filter.get().from)
                on_pick=Callback::new(move |side| change.run(Box::new(move |filter| filter.from = side)))
            />
            <SideMenu
                label=Signal::derive(move || words.get().record().to.to_owned())
                value=Signal::derive(move || filter.get().to)
                on_pick=Callback::new(move |side| change.run(Box::new(move |filter| filter.to = side)))
            />
            <DayField
                label=Signal::derive(move || words.get().record().since.to_owned())
                value=Signal::derive(move || filter.get().since.map(|day| day.as_str().to_owned()).unwrap_or_default())
                on_pick=Callback::new(move |day: String| {
                    change.run(Box::new(move |filter| filter.since = day.parse().ok()));
                })
            />
            <DayField
                label=Signal::derive(move || words.get().record().until.to_owned())
                value=Signal::derive(move || filter.get().until.map(|day| day.as_str().to_owned()).unwrap_or_default())
                on_pick=Callback::new(move |day: String| {
                    change.run(Box::new(move |filter| filter.until = day.parse().ok()));
                })
            />
            <span class="filters__end">
                {move || {
                    narrowed.get().then(|| view! {
                        <a class="button is-quiet is-small" href=paths::changes(&ChangesFilter::default())>
                            {move || words.get().common.clear_filters}
                        </a>
                    })
                }}
                <Export state=state />
            </span>
        </div>
    }
}

/// Menu of the ten categories and the automatic one.
#[component]
fn SideMenu(
    label: Signal<String>,
    value: Signal<Option<OverrideSide>>,
    on_pick: Callback<Option<OverrideSide>>,
) -> impl IntoView {
    let words = use_i18n();
    let choices = Signal::derive(move || {
        let name = |seen: ExpectedOverride| match seen.0 {
            Some(category) => (words.get().common.category)(category).to_owned(),
            None => words.get().thread().automatic.to_owned(),
        };
        let sides = [None].into_iter().chain(Category::ALL.map(Some)).map(ExpectedOverride);
        sides.map(|seen| MenuChoice { value: seen.into(), text: name(seen) }).collect::<Vec<_>>()
    });
    view! {
        <Menu
            label=label
            choices=choices
            value=Signal::derive(move || value.get().map(|side| String::from(side.0)).unwrap_or_default())
            on_pick=Callback::new(move |text: String| on_pick.run(text.parse().ok()))
        />
    }
}

/// Buttons that save all changes of the filter as a file, one for each format. They are disabled without changes.
#[component]
fn Export(state: AuditState) -> impl IntoView {
    let words = use_i18n();
    let (hub, toasts) = (use_hub(), use_toasts());
    let busy = RwSignal::new(false);
    let take = move |format: Format| {
        let Some(source) = hub.source.get_untracked() else { return };
        let query = to_query(&state.filter.get_untracked());
        busy.set(true);
        spawn_local(async move {
            let rows = all(&source, query).await;
            busy.try_set(false);
            let words = words.now();
            let name = format!("category-changes.{}", format.extension());
            match rows {
                Ok(rows) => {
                    let text = format.write(&rows, words);
                    match text.and_then(|text| save::text(&text, &name, format.kind())) {
                        Some(()) => toasts.done((words.record().saved)(rows.len())),
                        None => toasts.failed(words.record().save_failed),
                    }
                }
                Err(error) => toasts.failed(format!("{}. {}", words.record().save_failed, error.sentence(words))),
            }
        });
    };
    let nothing = move || state.fetch.data.with(|page| page.as_ref().is_none_or(|page| page.total == 0));
    Format::ALL
        .map(|format| {
            let name = format.extension().to_uppercase();
            let word = name.clone();
            view! {
                <button
                    type="button"
                    class="button is-small"
                    aria-label=move || (words.get().record().export)(&word)
                    disabled=move || busy.get() || nothing()
                    on:click=move |_| take(format)
                >
                    {name}
                </button>
            }
        })
        .collect_view()
}
