//! Recaps of the configuration file: when each is sent and where to. The page does not change them.

use coordination::api::{AlertRecapInfo, AlertsPage, RuleOrigin};
use coordination::text::hidden;
use leptos::prelude::*;

use crate::i18n::{I18n, time, use_i18n};
use crate::queries::Fetch;

/// Words for the days of the wire, in the order of the calendar's words.
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The list with its heading; nothing without recaps.
#[component]
pub(super) fn Recaps(fetch: Fetch<AlertsPage>) -> impl IntoView {
    let words = use_i18n();
    let recaps =
        Memo::new(move |_| fetch.data.with(|page| page.as_ref().map(|page| page.recaps.clone()).unwrap_or_default()));
    let row = move |recap: &AlertRecapInfo| {
        let next = recap.next_at.map(|at| (words.get().alert_rules().recap_next)(&time::day_clock(words.locale(), at)));
        view! {
            <li class="alert-rule">
                <div class="alert-rule__what">
                    <h3>
                        {hidden::marked(&recap.name).into_owned()} " "
                        <span class="alert-rule__origin">{(words.get().alert_rules().origin)(RuleOrigin::File)}</span>
                    </h3>
                    <p>{summary(recap, words)}</p>
                </div>
                <span class="alert-rule__now">{next}</span>
            </li>
        }
    };
    move || {
        let rows = recaps.with(|recaps| recaps.iter().map(row).collect_view());
        recaps.with(|recaps| !recaps.is_empty()).then(|| {
            view! {
                <h2 id="recaps" class="alert-rules__heading">{words.get().alert_rules().recaps}</h2>
                <ul class="alert-rules__list" aria-labelledby="recaps">
                    {rows}
                </ul>
            }
        })
    }
}

/// When it is sent, and where to.
fn summary(recap: &AlertRecapInfo, words: I18n) -> String {
    let all = words.get();
    let texts = all.alert_rules();
    let times = recap.at.join(", ");
    let day = |day: &String| DAYS.iter().position(|known| known == day).map(|place| all.past().weekdays[place]);
    let days: Vec<&str> = recap.days.iter().filter_map(day).collect();
    let when =
        if days.is_empty() { (texts.recap_every_day)(&times) } else { (texts.recap_on)(&days.join("·"), &times) };
    let empty = recap.empty.then(|| texts.recap_empty.to_owned());
    let to = (texts.sent_to)(&hidden::marked(&recap.sinks.join(", ")));
    [Some(when), empty, Some(to)].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
