//! Type of one benchmark result: value and spread over rounds, the control measured with it, and its required bound.

use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Smallest, middle and largest of all rounds.
pub type Spread = [f64; 3];

/// What is printed, recorded and shown on `docs/benchmarks.md`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    /// The goal it belongs to (`G1`); `None` for a figure that is only reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What was measured.
    pub name: String,
    /// The figure itself: the best of a throughput, the middle or the named percentile of a delay.
    pub value: f64,
    /// `ms`, `s`, `MB`, `KB`, `/s`, or empty for a number of things.
    pub unit: String,
    /// Of `value` over the rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// What ran beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// The value over the control's, as the goal wants it compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Of the ratios of each round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_spread: Option<Spread>,
    /// The bound it has to meet; `None` where the figure is only reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Whether it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
    /// A size or a number of things, which no other work on the machine moves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// What else has to be known to read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a figure is compared with, in the figure's unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Control {
    pub name: String,
    pub value: f64,
}

/// What a figure has to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
    RatioAtMost(f64),
}

impl Figure {
    /// A value by itself.
    pub fn new(name: &str, value: f64, unit: &str) -> Self {
        Self { name: name.to_owned(), value, unit: unit.to_owned(), ..Self::default() }
    }

    /// A throughput in seconds a round: the best round of each side is compared.
    pub fn best(name: &str, unit: &str, rounds: &[(f64, f64)], control: &str) -> Self {
        let (own, other) = sides(rounds);
        Self::new(name, own[0], unit).with_control(control, other[0]).with_spreads(own, rounds)
    }

    /// A delay: middles are compared, and the ratio is the middle of the rounds' own.
    pub fn middle(name: &str, unit: &str, rounds: &[(f64, f64)], control: &str) -> Self {
        let (own, other) = sides(rounds);
        let figure = Self::new(name, own[1], unit).with_control(control, other[1]).with_spreads(own, rounds);
        Self { ratio: figure.ratio_spread.map(|ratios| ratios[1]), ..figure }
    }

    fn with_spreads(mut self, own: Spread, rounds: &[(f64, f64)]) -> Self {
        self.spread = Some(own);
        self.ratio_spread = Some(spread(rounds.iter().map(|(own, other)| ratio(*own, *other))));
        self
    }

    /// With a control whose ratio is that of the two values.
    pub fn with_control(mut self, name: &str, value: f64) -> Self {
        self.ratio = Some(ratio(self.value, value));
        self.control = Some(Control { name: name.to_owned(), value });
        self
    }

    /// Of a goal.
    pub fn goal(mut self, goal: &str) -> Self {
        self.goal = Some(goal.to_owned());
        self
    }

    /// With what it has to be.
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = Some(bound);
        self.judged()
    }

    pub fn noted(mut self, note: &str) -> Self {
        self.note = Some(note.to_owned());
        self
    }

    /// Judged on a noisy machine, too.
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// With the verdict that follows from bound and figure.
    pub fn judged(mut self) -> Self {
        self.met = self.bound.map(|bound| match bound {
            Bound::AtMost(most) => self.value <= most,
            Bound::AtLeast(least) => self.value >= least,
            Bound::RatioAtMost(most) => self.ratio.is_some_and(|ratio| ratio <= most),
        });
        self
    }

    /// Goal, name, value, control, ratio, bound and verdict, as they are shown.
    pub fn cells(&self, noisy: bool) -> [String; 7] {
        let control = self.control.as_ref();
        [
            self.goal.clone().unwrap_or_default(),
            self.name.clone(),
            ranged(self.value, self.spread, &self.unit_suffix()),
            control.map_or(String::new(), |it| format!("{}: {}{}", it.name, short(it.value), self.unit_suffix())),
            self.ratio.map_or(String::new(), |ratio| ranged(ratio, self.ratio_spread, "")),
            self.wanted(),
            self.verdict(noisy).to_owned(),
        ]
    }

    /// What the bound is about: the ratio where that is bound.
    pub fn judged_value(&self) -> String {
        let [_, _, value, _, ratio, ..] = self.cells(false);
        if matches!(self.bound, Some(Bound::RatioAtMost(_))) { format!("{ratio} × control") } else { value }
    }

    fn wanted(&self) -> String {
        let unit = self.unit_suffix();
        match self.bound {
            None => String::new(),
            Some(Bound::AtMost(most)) => format!("≤ {}{unit}", short(most)),
            Some(Bound::AtLeast(least)) => format!("≥ {}{unit}", short(least)),
            Some(Bound::RatioAtMost(most)) => format!("≤ {} × control", short(most)),
        }
    }

    fn verdict(&self, noisy: bool) -> &'static str {
        match self.met {
            None => "",
            Some(_) if noisy && !self.exact => "not judged (noisy)",
            Some(true) => "met",
            Some(false) => "**not met**",
        }
    }

    fn unit_suffix(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) }
    }
}

/// Runs a thing and its control so many times, in turn. Each gives what it measured.
pub fn alternate<T>(
    rounds: usize,
    mut own: impl FnMut() -> Result<T>,
    mut control: impl FnMut() -> Result<T>,
) -> Result<Vec<(T, T)>> {
    let mut pairs = Vec::with_capacity(rounds);
    for round in 0..rounds {
        // The order changes, so that neither always finds the warmer machine.
        if round % 2 == 0 {
            let other = control()?;
            pairs.push((own()?, other));
        } else {
            pairs.push((own()?, control()?));
        }
    }
    Ok(pairs)
}

/// A percentile of both sides, round by round, in milliseconds.
pub fn percentiles(rounds: &[(Vec<Duration>, Vec<Duration>)], percent: usize) -> Vec<(f64, f64)> {
    rounds.iter().map(|(own, control)| (percentile(own, percent), percentile(control, percent))).collect()
}

/// The value at or below which `percent` of all values lie, in milliseconds.
pub fn percentile(values: &[Duration], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    let at = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(at).map_or(0.0, |value| value.as_secs_f64() * 1000.0)
}

/// Smallest, middle and largest; zeroes of nothing.
pub fn spread(values: impl Iterator<Item = f64>) -> Spread {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (values.first(), values.last()) else { return [0.0; 3] };
    [*least, values[values.len() / 2], *most]
}

fn sides(rounds: &[(f64, f64)]) -> (Spread, Spread) {
    (spread(rounds.iter().map(|pair| pair.0)), spread(rounds.iter().map(|pair| pair.1)))
}

fn ratio(own: f64, control: f64) -> f64 {
    own / control.max(f64::MIN_POSITIVE)
}

fn ranged(value: f64, spread: Option<Spread>, unit: &str) -> String {
    match spread {
        Some([least, _, most]) if least < most => {
            format!("{}{unit} ({}–{})", short(value), short(least), short(most))
        }
        _ => format!("{}{unit}", short(value)),
    }
}

/// Three significant digits, and whole numbers with commas from 1,000 on.
pub fn short(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 1000.0 => return with_commas(value.round() as i64),
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn with_commas(value: i64) -> String {
    let thousands = value / 1000;
    let rest = value.abs() % 1000;
    if thousands == 0 { value.to_string() } else { format!("{},{rest:03}", with_commas(thousands)) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Bound, Figure, alternate, percentile, short, spread};

    #[test]
    fn throughput_compares_best_rounds_delays_median_ratio() {
        let rounds = [(3.0, 1.0), (2.0, 2.0), (9.0, 1.5)];
        let best = Figure::best("a", "s", &rounds, "b");
        assert_eq!((best.value, best.ratio, best.ratio_spread), (2.0, Some(2.0), Some([1.0, 3.0, 6.0])));
        let middle = Figure::middle("a", "s", &rounds, "b");
        assert_eq!((middle.value, middle.ratio), (3.0, Some(3.0)));
        assert_eq!(middle.cells(false)[3], "b: 1.5 s");
    }

    #[test]
    fn verdict_needs_bound_and_quiet_machine() {
        let figure = Figure::new("a", 5.0, "ms").bound(Bound::AtMost(5.0));
        assert_eq!((figure.verdict(false), figure.verdict(true)), ("met", "not judged (noisy)"));
        assert_eq!(figure.clone().exact().verdict(true), "met");
        assert_eq!(figure.clone().bound(Bound::AtMost(4.9)).verdict(false), "**not met**");
        assert_eq!(figure.clone().bound(Bound::AtLeast(5.1)).verdict(false), "**not met**");
        assert_eq!(figure.bound(Bound::RatioAtMost(1.5)).met, Some(false), "no ratio is no good ratio");
        assert_eq!(Figure::new("a", 1.0, "").verdict(false), "");
    }

    #[test]
    fn both_sides_alternate_in_equal_rounds() {
        let order = std::cell::RefCell::new(String::new());
        let note = |who: char| {
            order.borrow_mut().push(who);
            Ok(1.0)
        };
        let pairs = alternate(4, || note('A'), || note('B')).expect("nothing fails");
        assert_eq!((order.borrow().as_str(), pairs.len()), ("BAABBAAB", 4));
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!([50, 99].map(|percent| percentile(&values, percent)), [50.0, 99.0]);
        assert_eq!(percentile(&[], 50), 0.0);
        assert_eq!(spread([3.0, 1.0, 2.0].into_iter()), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn figures_are_short() {
        for (value, text) in [
            (1_234_567.8, "1,234,568"),
            (-1_002.0, "-1,002"),
            (123.4, "123"),
            (12.34, "12.3"),
            (1.5, "1.5"),
            (0.0314, "0.031"),
            (0.0, "0"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
