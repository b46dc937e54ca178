//! Bar chart of a percentage over time: one bar for each period, a label for the highest bar and, where given, the
//! overall percentage.

use coordination::category::Category;
use leptos::prelude::*;

use super::category::CategoryBadge;
use crate::i18n::number::percent;
use crate::i18n::{time, use_i18n};

/// One stretch of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodShare {
    /// Which stretch, in words.
    pub at: String,
    /// Short form, for an end of the axis.
    pub edge: String,
    /// How many.
    pub part: u32,
    /// Of how many.
    pub whole: u32,
}

/// Width of a stretch, and height of the chart, in its own units.
const STEP: usize = 10;
const HEIGHT: f64 = 60.0;
/// The scale reaches at least this share, so that one event in a thousand is no tower.
const MIN_SCALE_TOP: f64 = 0.1;

fn ratio(share: &PeriodShare) -> f64 {
    f64::from(share.part) / f64::from(share.whole.max(1))
}

/// The stretch with the highest share, if anything counts at all.
fn highest(shares: &[PeriodShare]) -> Option<&PeriodShare> {
    shares.iter().filter(|share| share.part > 0).max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

/// Height of a bar; a stretch without anything keeps a foot, one without events has none.
fn bar(share: &PeriodShare, top: f64) -> f64 {
    match (share.whole, share.part) {
        (0, _) => 0.0,
        (_, 0) => 2.0,
        _ => (ratio(share) / top * HEIGHT).clamp(3.0, HEIGHT),
    }
}

/// The highest share of several charts: as the scale of all of them it makes them comparable.
pub fn common_top<'a>(charts: impl Iterator<Item = &'a [PeriodShare]>) -> f64 {
    charts.filter_map(highest).map(ratio).fold(MIN_SCALE_TOP, f64::max)
}

/// The chart.
#[component]
pub fn ShareChart(
    /// What is counted.
    #[prop(into)]
    title: Signal<String>,
    /// What that means.
    #[prop(into, optional)]
    why: Option<Signal<String>>,
    /// The share of the whole time, where there is such a thing.
    #[prop(into, optional)]
    all: Option<Signal<PeriodShare>>,
    #[prop(into)] shares: Signal<Vec<PeriodShare>>,
    /// The top of the scale; the highest share when absent.
    #[prop(into, optional)]
    scale: Option<Signal<f64>>,
    /// One of several charts in a row: a category's, in its colour, on a shared axis.
    #[prop(optional)]
    category: Option<Category>,
) -> impl IntoView {
    let words = use_i18n();
    let all = move || all.map(|all| all.get());
    let counted = move || {
        let count = |n: u32| time::count(words.locale(), u64::from(n));
        all().map(|all| (words.get().events().share_of)(&count(all.part), &count(all.whole)))
    };
    let share_text = move || all().map(|all| percent(all.part, all.whole));
    let top = move || {
        shares.with(|shares| {
            highest(shares).map(|top| (words.get().events().share_highest)(&top.at, &percent(top.part, top.whole)))
        })
    };
    let aria_text = move || {
        let parts = [Some(title.get()), share_text(), counted(), top()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let bars = move || {
        shares.with(|shares| {
            let own = || highest(shares).map_or(MIN_SCALE_TOP, ratio).max(MIN_SCALE_TOP);
            let top = scale.map_or_else(own, |scale| scale.get());
            shares.iter().enumerate().map(|(number, share)| rect(number, share, top)).collect_view()
        })
    };
    let edge = move |last: bool| {
        shares.with(|shares| if last { shares.last() } else { shares.first() }.map(|share| share.edge.clone()))
    };
    let name = match category {
        Some(category) => view! { <CategoryBadge category=category /> }.into_any(),
        None => view! { <b>{title}</b> }.into_any(),
    };
    let alone = category.is_none();
    view! {
        <figure class="share" data-cat=category.map(Category::as_str)>
            <figcaption>
                {name}
                <span class="share__all">{share_text}</span>
                <span class="is-dim">{counted}</span>
                {alone.then(|| view! { <span class="is-dim">{top}</span> })}
                {why.map(|why| view! { <p class="is-dim">{why}</p> })}
            </figcaption>
            <svg
                viewBox=move || format!("0 0 {} {HEIGHT}", shares.with(Vec::len).max(1) * STEP)
                preserveAspectRatio="none"
                role="img"
                aria-label=aria_text
            >
                {bars}
            </svg>
                {alone
                .then(|| {
                    view! {
                        <div class="share__edges is-dim">
                            <span>{move || edge(false)}</span>
                            <span>{move || edge(true)}</span>
                        </div>
                    }
                })}
        </figure>
    }
}

fn rect(number: usize, share: &PeriodShare, top: f64) -> impl IntoView + use<> {
    let height = bar(share, top);
    let hint = format!("{}: {} ({}/{})", share.at, percent(share.part, share.whole), share.part, share.whole);
    view! {
        <rect
            class:is-none=share.part == 0
            class:is-gap=share.whole == 0
            x=number * STEP + 1
            y=format!("{:.1}", HEIGHT - height)
            width=STEP - 2
            height=format!("{height:.1}")
        >
            <title>{hint}</title>
        </rect>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(part: u32, whole: u32) -> PeriodShare {
        PeriodShare { at: format!("{part}/{whole}"), edge: String::new(), part, whole }
    }

    #[test]
    fn empty_period_has_no_share() {
        assert_eq!([bar(&share(0, 0), 0.1), bar(&share(0, 9), 0.1)], [0.0, 2.0]);
        assert!(bar(&share(1, 1_000), 0.5) >= 3.0, "what there is can be seen");
        let shares = [share(0, 0), share(1, 4), share(2, 9), share(0, 5)];
        assert_eq!(highest(&shares).map(|share| share.at.as_str()), Some("1/4"));
        assert_eq!(highest(&shares[..1]), None);
    }
}
