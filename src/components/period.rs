//! Period filter of a list: a span up to now, or a first and a last calendar day.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::routes::{Day, Since};
use crate::ui::day_field::DayField;
use crate::ui::menu::{Menu, MenuChoice};

/// The choice that opens the fields of days.
const DAYS: &str = "days";

/// A period as an address has it: a stretch up to now, a first and a last day.
pub type Period = (Option<Since>, Option<Day>, Option<Day>);

/// The menu, and two fields of days once they are wanted.
#[component]
pub fn PeriodFilter(#[prop(into)] value: Signal<Period>, on_pick: Callback<Period>) -> impl IntoView {
    let words = use_i18n();
    let wanted = RwSignal::new(false);
    let days = Memo::new(move |_| wanted.get() || value.with(|(_, first, last)| first.is_some() || last.is_some()));
    let choices = Signal::derive(move || {
        let words = words.get();
        let since = |since: Since| MenuChoice {
            value: since.as_str().to_owned(),
            text: (words.common.since)(since).to_owned(),
        };
        let days = MenuChoice { value: DAYS.to_owned(), text: words.sessions().pick_days.to_owned() };
        Since::ALL.into_iter().map(since).chain([days]).collect::<Vec<_>>()
    });
    let chosen = Signal::derive(move || match value.get().0 {
        Some(since) => since.as_str().to_owned(),
        None if days.get() => DAYS.to_owned(),
        None => String::new(),
    });
    let pick = Callback::new(move |text: String| {
        wanted.set(text == DAYS);
        let now = value.get_untracked();
        // Days and a span up to now would be two values of one filter.
        let next = if text == DAYS { (None, now.1.clone(), now.2.clone()) } else { (text.parse().ok(), None, None) };
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
            days.get().then(|| {
                view! {
                    <DayField
                        label=Signal::derive(move || words.get().sessions().first_day.to_owned())
                        value=Signal::derive(move || written(value.get().1))
                        on_pick=Callback::new(move |day: String| {
                            let (_, _, last) = value.get_untracked();
                            on_pick.run((None, day.parse().ok(), last));
                        })
                    />
                    <DayField
                        label=Signal::derive(move || words.get().sessions().last_day.to_owned())
                        value=Signal::derive(move || written(value.get().2))
                        on_pick=Callback::new(move |day: String| {
                            let (_, first, _) = value.get_untracked();
                            on_pick.run((None, first, day.parse().ok()));
                        })
                    />
                }
            })
        }}
    }
}
