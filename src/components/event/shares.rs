//! A share over time: a bar for each stretch, beside it the share of the whole time and when it was highest.

use leptos::prelude::*;

use crate::i18n::{time, use_words};

/// One stretch of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// When it begins, in words.
    pub at: String,
    /// How many.
    pub part: u32,
    /// Of how many.
    pub whole: u32,
}

/// Width of a stretch, and height of the chart, in its own units.
const STEP: usize = 10;
const HEIGHT: f64 = 60.0;
/// The scale reaches at least this share, so that one event in a thousand is no tower.
const LEAST_TOP: f64 = 0.1;

/// `3.2%`; never rounded to nothing.
pub fn percent(part: u32, whole: u32) -> String {
    let tenths = (u64::from(part) * 1_000).div_ceil(u64::from(whole.max(1)));
    match tenths {
        0 => "0%".to_owned(),
        1..100 => format!("{}.{}%", tenths / 10, tenths % 10),
        _ => format!("{}%", tenths / 10),
    }
}

fn ratio(share: &Share) -> f64 {
    f64::from(share.part) / f64::from(share.whole.max(1))
}

/// The stretch with the highest share, if anything counts at all.
fn highest(shares: &[Share]) -> Option<&Share> {
    shares.iter().filter(|share| share.part > 0).max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

/// Height of a bar; a stretch without anything keeps a foot, one without events has none.
fn bar(share: &Share, top: f64) -> f64 {
    match (share.whole, share.part) {
        (0, _) => 0.0,
        (_, 0) => 1.0,
        _ => (ratio(share) / top * HEIGHT).clamp(3.0, HEIGHT),
    }
}

/// The chart. `all` is the share of the whole time.
#[component]
pub fn ShareChart(
    /// What is counted.
    #[prop(into)]
    title: Signal<String>,
    /// What that means.
    #[prop(into)]
    why: Signal<String>,
    #[prop(into)] all: Signal<Share>,
    #[prop(into)] shares: Signal<Vec<Share>>,
) -> impl IntoView {
    let words = use_words();
    let counted = move || {
        let Share { part, whole, .. } = all.get();
        let count = |n: u32| time::count(words.locale(), u64::from(n));
        (words.get().events().share_of)(&count(part), &count(whole))
    };
    let told = move || all.with(|all| percent(all.part, all.whole));
    let top = move || {
        shares.with(|shares| {
            highest(shares).map(|top| (words.get().events().share_highest)(&top.at, &percent(top.part, top.whole)))
        })
    };
    let spoken = move || {
        let parts = [Some(title.get()), Some(told()), Some(counted()), top()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let bars = move || {
        shares.with(|shares| {
            let top = highest(shares).map_or(LEAST_TOP, ratio).max(LEAST_TOP);
            let rect = |(number, share): (usize, &Share)| {
                let height = bar(share, top);
                let hint =
                    format!("{}: {} ({}/{})", share.at, percent(share.part, share.whole), share.part, share.whole);
                view! {
                    <rect
                        class:is-none=share.part == 0
                        x=number * STEP + 1
                        y=format!("{:.1}", HEIGHT - height)
                        width=STEP - 2
                        height=format!("{height:.1}")
                    >
                        <title>{hint}</title>
                    </rect>
                }
            };
            shares.iter().enumerate().map(rect).collect_view()
        })
    };
    let edge = move |last: bool| {
        shares.with(|shares| if last { shares.last() } else { shares.first() }.map(|share| share.at.clone()))
    };
    view! {
        <figure class="share">
            <figcaption>
                <b>{title}</b>
                <span class="share__all">{told}</span>
                <span class="is-dim">{counted}</span>
                <p class="is-dim">{why}</p>
            </figcaption>
            // Above the chart: between the ends it would meet them.
            <p class="share__top is-dim">{top}</p>
            <svg
                viewBox=move || format!("0 0 {} {HEIGHT}", shares.with(Vec::len).max(1) * STEP)
                preserveAspectRatio="none"
                role="img"
                aria-label=spoken
            >
                {bars}
            </svg>
            <div class="share__edges is-dim">
                <span>{move || edge(false)}</span>
                <span>{move || edge(true)}</span>
            </div>
        </figure>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(part: u32, whole: u32) -> Share {
        Share { at: format!("{part}/{whole}"), part, whole }
    }

    #[test]
    fn a_share_is_never_rounded_to_nothing() {
        let told = [percent(0, 9), percent(1, 100_000), percent(1, 31), percent(1, 2), percent(5, 5), percent(0, 0)];
        assert_eq!(told, ["0%", "0.1%", "3.3%", "50%", "100%", "0%"]);
    }

    #[test]
    fn a_stretch_without_events_is_no_share_of_nothing() {
        assert_eq!([bar(&share(0, 0), 0.1), bar(&share(0, 9), 0.1)], [0.0, 1.0]);
        assert!(bar(&share(1, 1_000), 0.5) >= 3.0, "what there is can be seen");
        let shares = [share(0, 0), share(1, 4), share(2, 9), share(0, 5)];
        assert_eq!(highest(&shares).map(|share| share.at.as_str()), Some("1/4"));
        assert_eq!(highest(&shares[..1]), None);
    }
}
