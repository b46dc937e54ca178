//! Calendar of the days with events, a month at a time. A press leads to the end of a day.

use std::sync::Arc;

use coordination::api::{EventDay, EventDays};
use leptos::prelude::*;

use crate::i18n::{time, use_i18n};
use crate::state::use_hub;
use crate::ui::Icon;

/// Columns of the table.
const WEEKDAYS: i32 = 7;
const HALF_DAY_MS: i64 = 43_200_000;

/// Calendar around the moment that is looked at; `on_pick` gets the day's first moment.
#[component]
pub(super) fn Calendar(
    #[prop(into)] days: Signal<Option<Arc<EventDays>>>,
    on_pick: Callback<EventDay>,
) -> impl IntoView {
    let words = use_i18n();
    let hub = use_hub();
    let month_of_moment = Memo::new(move |_| hub.moment.get().map(|moment| time::local_month(moment.at)));
    // Months away from that of the moment.
    let turned = RwSignal::new(0_i32);
    Effect::new(move |_| {
        month_of_moment.track();
        turned.set(0);
    });
    let month = Memo::new(move |_| month_of_moment.get().map(|month| month.plus(turned.get())));
    let turn = move |by: i32| move |_| turned.update(|turned| *turned += by);
    // Months without a day before or after them are not offered.
    let has = move |is_wanted: fn(time::Month, time::Month) -> bool| {
        let month = month.get();
        days.with(|days| {
            let days = days.as_ref().map(|days| &*days.days).unwrap_or_default();
            let ends = [days.first(), days.last()].into_iter().flatten();
            month.is_some_and(|month| ends.clone().any(|day| is_wanted(time::local_month(midnight(day)), month)))
        })
    };
    let chosen = Memo::new(move |_| hub.moment.get().map(|moment| time::local_midnight(moment.at)));
    let grid = move || {
        let Some(month) = month.get() else { return Vec::new() };
        let cells = days.with(|days| cells(month, days.as_ref().map(|days| &*days.days).unwrap_or_default()));
        let locale = words.locale();
        let cell = |(number, day): (i32, Option<EventDay>)| match day {
            None if number < 1 => view! { <td></td> }.into_any(),
            None => view! { <td><span class="calendar__day">{number}</span></td> }.into_any(),
            Some(day) => {
                let events = time::count(locale, day.events.into());
                let name = (words.get().past().day)(&time::day(locale, midnight(&day)), &events);
                view! {
                    <td>
                        <button
                            type="button"
                            class="calendar__day"
                            aria-label=name.clone()
                            title=name
                            aria-current=(chosen.get() == Some(midnight(&day))).then_some("date")
                            on:click=move |_| on_pick.run(day)
                        >
                            {number}
                        </button>
                    </td>
                }
                .into_any()
            }
        };
        let weeks = cells.chunks(WEEKDAYS as usize);
        weeks.map(|week| view! { <tr>{week.iter().copied().map(cell).collect_view()}</tr> }).collect::<Vec<_>>()
    };
    view! {
        <div class="calendar">
            <div class="calendar__head">
                <button
                    type="button"
                    class="icon-button"
                    aria-label=move || words.get().past().month_before
                    disabled=move || !has(|day, month| day < month)
                    on:click=turn(-1)
                >
                    {Icon::ChevronLeft}
                </button>
                <span aria-live="polite">
                    {move || month.get().map(|month| time::month(words.locale(), month))}
                </span>
                <button
                    type="button"
                    class="icon-button"
                    aria-label=move || words.get().past().month_after
                    disabled=move || !has(|day, month| day > month)
                    on:click=turn(1)
                >
                    {Icon::ChevronRight}
                </button>
            </div>
            <table>
                <thead>
                    <tr>{move || words.get().past().weekdays.map(|day| view! { <th scope="col">{day}</th> }).collect_view()}</tr>
                </thead>
                <tbody>{grid}</tbody>
            </table>
        </div>
    }
}

/// The user's midnight of a day. Days are counted with one offset from UTC, which differs by an hour in the other half of
/// the year where clocks change.
fn midnight(day: &EventDay) -> i64 {
    time::local_midnight(day.at + HALF_DAY_MS)
}

/// Cells of a month, week by week from Sunday: the number of the day, below 1 before the first, and its events.
fn cells(month: time::Month, days: &[EventDay]) -> Vec<(i32, Option<EventDay>)> {
    let (first_weekday, length) = time::month_shape(month);
    let of_day = |number: i32| {
        let at = time::month_day(month, number);
        days.iter().find(|day| midnight(day) == at).copied()
    };
    (1 - first_weekday..=length).map(|number| (number, if number < 1 { None } else { of_day(number) })).collect()
}
