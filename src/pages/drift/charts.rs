//! Charts of the drift page. By period: percentages of sessions without evidence, of sessions with low confidence, and
//! of each category on a common scale. Also a histogram of confidence.

use std::sync::Arc;

use coordination::api::{Drift as Answer, DriftPeriod};
use coordination::category::Category;
use leptos::prelude::*;

use super::tables::{ConfidenceTable, PeriodTable};
use super::{DriftSection, DriftText};
use crate::components::shares::{PeriodShare, ShareChart, common_top};
use crate::i18n::{time, use_i18n};

/// Steps of confidence.
const CONFIDENCE_STEPS: usize = 10;

/// A share of a period's sessions, period by period.
fn shares(answer: &Answer, words: crate::i18n::I18n, part: impl Fn(&DriftPeriod) -> u32) -> Vec<PeriodShare> {
    let locale = words.locale();
    let share = |period: &DriftPeriod| PeriodShare {
        at: time::period(locale, answer.now, period.at, answer.step_ms),
        edge: time::period_begin(locale, answer.now, period.at, answer.step_ms),
        part: part(period),
        whole: period.sessions,
    };
    answer.periods.iter().map(share).collect()
}

/// A share of all sessions of the period.
fn whole(answer: &Answer, part: impl Fn(&DriftPeriod) -> u32) -> PeriodShare {
    PeriodShare { at: String::new(), edge: String::new(), part: part(&answer.all), whole: answer.all.sessions }
}

/// `40–50%`
pub(super) fn step_name(step: usize) -> String {
    format!("{}–{}%", step * CONFIDENCE_STEPS, (step + 1) * CONFIDENCE_STEPS)
}

/// Charts of the sessions without grounds and of those with little confidence.
#[component]
pub(in crate::pages) fn Grounds(answer: Signal<Arc<Answer>>) -> impl IntoView {
    let words = use_i18n();
    let chart = move |title: fn(&DriftText) -> &'static str,
                      why: fn(&DriftText) -> &'static str,
                      of: fn(&DriftPeriod) -> u32| {
        let say =
            move |word: fn(&DriftText) -> &'static str| Signal::derive(move || word(words.get().drift()).to_owned());
        let all = Signal::derive(move || answer.with(|answer| whole(answer, of)));
        let shares = Signal::derive(move || answer.with(|answer| shares(answer, words, of)));
        view! { <ShareChart title=say(title) why=say(why) all=all shares=shares /> }
    };
    view! {
        <DriftSection title=|words| words.grounds hint=|words| words.grounds_hint>
            <div class="drift__charts">
                {chart(|words| words.no_grounds, |words| words.no_grounds_why, |period| period.fallback)}
                {chart(|words| words.doubtful, |words| words.doubtful_why, |period| period.doubtful)}
            </div>
        </DriftSection>
    }
}

/// Chart of each category, with a common scale; as a table on request.
#[component]
pub(super) fn Shares(answer: Signal<Arc<Answer>>, as_table: Signal<bool>) -> impl IntoView {
    let words = use_i18n();
    let shares_by_category = Memo::new(move |_| {
        answer.with(|answer| Category::ALL.map(|key| shares(answer, words, |period| period.filed_as(key))))
    });
    let scale = Signal::derive(move || shares_by_category.with(|all| common_top(all.iter().map(Vec::as_slice))));
    let charts = Category::ALL.map(|key| {
        let title = Signal::derive(move || (words.get().common.category)(key).to_owned());
        let all = Signal::derive(move || answer.with(|answer| whole(answer, |period| period.filed_as(key))));
        let shares = Signal::derive(move || shares_by_category.with(|all| all[key.index()].clone()));
        view! { <ShareChart title=title all=all shares=shares scale=scale category=key /> }
    });
    let axis = move || {
        shares_by_category.with(|all| {
            let (first, last) = (all[0].first()?, all[0].last()?);
            Some((words.get().drift().axis)(&first.edge, &last.edge))
        })
    };
    view! {
        <DriftSection title=|words| words.shares hint=|words| words.shares_hint>
            <div class="drift__many">{charts.into_iter().collect_view()}</div>
            <p class="drift__axis is-dim">{axis}</p>
            {move || as_table.get().then(|| view! { <PeriodTable answer=answer /> })}
        </DriftSection>
    }
}

/// Chart of the classifier's confidence; as a table on request.
#[component]
pub(super) fn Confidence(answer: Signal<Arc<Answer>>, as_table: Signal<bool>) -> impl IntoView {
    let words = use_i18n();
    let title = Signal::derive(move || words.get().drift().confidence.to_owned());
    let shares = Signal::derive(move || {
        answer.with(|answer| {
            let share = |(step, part): (usize, &u32)| {
                // The ends of the axis: nothing, and certainty.
                let edge = if step == 0 { "0%" } else { "100%" }.to_owned();
                PeriodShare { at: step_name(step), edge, part: *part, whole: answer.all.sessions }
            };
            answer.confidence.iter().enumerate().map(share).collect::<Vec<_>>()
        })
    });
    view! {
        <DriftSection title=|words| words.confidence hint=|words| words.confidence_hint>
            <div class="drift__charts">
                <ShareChart title=title shares=shares />
            </div>
            {move || as_table.get().then(|| view! { <ConfidenceTable answer=answer /> })}
        </DriftSection>
    }
}
