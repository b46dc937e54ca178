//! Period filter of a list: a span up to now, or a first and a last calendar day.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::routes::{Day, Since};
use crate::ui::day_field::DayField;
use crate::ui::menu::{Menu, MenuChoice};

/// The choice that opens the fields of days.
const DAYS: &str = "days";

/// Value of a period filter: a span up to now, or calendar days. Never both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Period {
    /// Span up to now.
    pub since: Option<Since>,
    /// First day.
    pub first: Option<Day>,
    /// Last day.
    pub last: Option<Day>,
}

/// Menu of periods. Its last choice shows two day fields.
#[component]
pub fn PeriodFilter(#[prop(into)] value: Signal<Period>, on_pick: Callback<Period>) -> impl IntoView {
    let words = use_i18n();
    let picks_days = RwSignal::new(false);
    let shows_days =
        Memo::new(move |_| picks_days.get() || value.with(|period| period.first.is_some() || period.last.is_some()));
    let choices = Signal::derive(move || {
        let words = words.get();
        let since = |since: Since| MenuChoice {
            value: since.as_str().to_owned(),
            text: (words.common.since)(since).to_owned(),
        };
        let days = MenuChoice { value: DAYS.to_owned(), text: words.sessions().pick_days.to_owned() };
        Since::ALL.into_iter().map(since).chain([days]).collect::<Vec<_>>()
    });
    let chosen = Signal::derive(move || match value.with(|period| period.since) {
        Some(since) => since.as_str().to_owned(),
        None if shows_days.get() => DAYS.to_owned(),
        None => String::new(),
    });
    let pick = Callback::new(move |text: String| {
        picks_days.set(text == DAYS);
        let now = value.get_untracked();
        // A span and days exclude each other.
        let next = if text == DAYS {
            Period { since: None, ..now.clone() }
        } else {
            Period { since: text.parse().ok(), ..Period::default() }
        };
        if next != now {
            on_pick.run(next);
        }
    });
    let written = |day: Option<Day>| day.map(|day| day.as_str().to_owned()).unwrap_or_default();
    view! {
        <Menu
            label=Signal::derive(move || words.get().sessions().any_time.to_owned())
            choices=choices
            value=chosen
            on_pick=pick
        />
        {move || {
            shows_days.get().then(|| {
                view! {
                    <DayField
                        label=Signal::derive(move || words.get().sessions().first_day.to_owned())
                        value=Signal::derive(move || written(value.get().first))
                        on_pick=Callback::new(move |day: String| {
                            let now = value.get_untracked();
                            on_pick.run(Period { since: None, first: day.parse().ok(), last: now.last });
                        })
                    />
                    <DayField
                        label=Signal::derive(move || words.get().sessions().last_day.to_owned())
                        value=Signal::derive(move || written(value.get().last))
                        on_pick=Callback::new(move |day: String| {
                            let now = value.get_untracked();
                            on_pick.run(Period { since: None, first: now.first, last: day.parse().ok() });
                        })
                    />
                }
            })
        }}
    }
}
