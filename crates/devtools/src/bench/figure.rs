//! Type of one benchmark result: value and spread over rounds, the control measured with it, and its required bound.

use serde::{Deserialize, Serialize};

/// Smallest, middle and largest of all rounds.
pub type Spread = [f64; 3];

/// What is printed, recorded and shown on `docs/benchmarks.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    /// The goal it belongs to (`G1`); `None` for a figure that is only reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What was measured.
    pub name: String,
    /// The figure itself: the best of a throughput, the middle or the named percentile of a delay. Absent when it
    /// could not be taken; `note` says why.
    pub value: Option<f64>,
    /// `ms`, `s`, `MB`, `KB`, `events/s`, `×`, or empty for a number of things.
    pub unit: String,
    /// Of `value` over the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// What ran beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// The value over the control's, as the goal wants it compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Of the ratios of each round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio_spread: Option<Spread>,
    /// The bound it has to meet; `None` where the figure is only reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Whether it is that; none without a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
    /// A size or a number of things, which no other work on the machine moves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// What else has to be known to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a figure is held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// What it is.
    pub name: String,
    /// Its value, in the figure's unit.
    pub value: f64,
}

/// What a figure has to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Bound {
    /// The value is at most this.
    AtMost(f64),
    /// The value is at least this.
    AtLeast(f64),
    /// The ratio is at most this.
    RatioAtMost(f64),
}

impl Figure {
    /// A value by itself.
    pub fn new(name: &str, value: f64, unit: &str) -> Self {
        Self {
            goal: None,
            name: name.to_owned(),
            value: Some(value),
            unit: unit.to_owned(),
            spread: None,
            control: None,
            ratio: None,
            ratio_spread: None,
            bound: None,
            met: None,
            exact: false,
            note: None,
        }
    }

    /// One that could not be taken: it counts as not met.
    pub fn missing(name: &str, unit: &str, why: &str) -> Self {
        let nothing = Self::new(name, 0.0, unit);
        Self { value: None, note: Some(why.to_owned()), ..nothing }
    }

    /// Throughput, in seconds a round: the best round of each side is compared.
    pub fn best(name: &str, unit: &str, rounds: &PairedRounds, control: &str) -> Self {
        Self::of_rounds(name, unit, rounds, control, 0)
    }

    /// A delay: middles are compared, and the ratio is the middle of the rounds' own.
    pub fn middle(name: &str, unit: &str, rounds: &PairedRounds, control: &str) -> Self {
        Self::of_rounds(name, unit, rounds, control, 1)
    }

    fn of_rounds(name: &str, unit: &str, rounds: &PairedRounds, control: &str, which: usize) -> Self {
        let own = spread(rounds.0.iter().map(|pair| pair.0));
        let other = spread(rounds.0.iter().map(|pair| pair.1));
        let ratios = spread(rounds.0.iter().map(|pair| pair.0 / pair.1.max(f64::MIN_POSITIVE)));
        let ratio = if which == 0 { own[0] / other[0].max(f64::MIN_POSITIVE) } else { ratios[1] };
        Self {
            spread: Some(own),
            control: Some(Control { name: control.to_owned(), value: other[which] }),
            ratio: Some(ratio),
            ratio_spread: Some(ratios),
            ..Self::new(name, own[which], unit)
        }
    }

    /// With a control whose ratio is that of the two values.
    pub fn with_control(mut self, control: &str, value: f64) -> Self {
        self.ratio = self.value.map(|own| own / value.max(f64::MIN_POSITIVE));
        self.control = Some(Control { name: control.to_owned(), value });
        self
    }

    /// With what it has to be, as the goal of that name says; some bounds belong to no goal.
    pub fn goal(mut self, goal: &str, bound: Bound) -> Self {
        self.goal = Some(goal.to_owned()).filter(|goal| !goal.is_empty());
        self.bound = Some(bound);
        self.judged()
    }

    /// Of a goal that says nothing of it.
    pub fn with_goal_name(mut self, goal: &str) -> Self {
        self.goal = Some(goal.to_owned());
        self
    }

    /// With what else has to be known.
    pub fn noted(mut self, note: &str) -> Self {
        self.note = Some(note.to_owned());
        self
    }

    /// Whatever else the machine does.
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// With the verdict that follows from bound and figure.
    pub fn judged(mut self) -> Self {
        self.met = self.bound.map(|bound| match bound {
            Bound::AtMost(most) => self.value.is_some_and(|value| value <= most),
            Bound::AtLeast(least) => self.value.is_some_and(|value| value >= least),
            Bound::RatioAtMost(most) => self.ratio.is_some_and(|ratio| ratio <= most),
        });
        self
    }

    /// The figure in words: value, spread.
    pub fn measured(&self) -> String {
        let Some(value) = self.value else { return "—".to_owned() };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        match self.spread {
            Some([least, _, most]) if least < most => {
                format!("{}{unit} ({}–{})", short(value), short(least), short(most))
            }
            _ => format!("{}{unit}", short(value)),
        }
    }

    /// The control in words: what and how much.
    pub fn held_against(&self) -> String {
        self.control.as_ref().map_or(String::new(), |control| {
            let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
            format!("{}: {}{unit}", control.name, short(control.value))
        })
    }

    /// The ratio in words, with its spread.
    pub fn times(&self) -> String {
        match (self.ratio, self.ratio_spread) {
            (None, _) => String::new(),
            (Some(ratio), Some([least, _, most])) if least < most => {
                format!("{} ({}–{})", short(ratio), short(least), short(most))
            }
            (Some(ratio), _) => short(ratio),
        }
    }

    /// What the bound is held against, in words: the ratio where that is bound.
    pub fn shown(&self) -> String {
        match self.bound {
            Some(Bound::RatioAtMost(_)) if self.ratio.is_some() => format!("{} × control", self.times()),
            _ => self.measured(),
        }
    }

    /// The goal in words.
    pub fn wanted(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        match self.bound {
            None => String::new(),
            Some(Bound::AtMost(most)) => format!("≤ {}{unit}", short(most)),
            Some(Bound::AtLeast(least)) => format!("≥ {}{unit}", short(least)),
            Some(Bound::RatioAtMost(most)) => format!("≤ {} × control", short(most)),
        }
    }

    /// `met`, `not met`, or why nothing is said; what ran beside other work is not judged.
    pub fn verdict(&self, noisy: bool) -> &'static str {
        match self.met {
            None => "",
            _ if self.value.is_none() => "not taken",
            Some(_) if noisy && !self.exact => "not judged (noisy)",
            Some(true) => "met",
            Some(false) => "**not met**",
        }
    }
}

/// Rounds in which a thing and its control ran one after the other, in the same unit.
#[derive(Debug, Default)]
pub struct PairedRounds(pub Vec<(f64, f64)>);

impl PairedRounds {
    /// Runs both `rounds` times, in turn; each gives its figure.
    pub fn run(
        rounds: usize,
        mut own: impl FnMut() -> anyhow::Result<f64>,
        mut control: impl FnMut() -> anyhow::Result<f64>,
    ) -> anyhow::Result<Self> {
        let mut pairs = Vec::with_capacity(rounds);
        for round in 0..rounds {
            // Who goes first changes, so that neither always finds the warmer machine.
            if round % 2 == 0 {
                let control_figure = control()?;
                pairs.push((own()?, control_figure));
            } else {
                pairs.push((own()?, control()?));
            }
        }
        Ok(Self(pairs))
    }
}

/// Smallest, middle and largest; zeroes of nothing.
pub fn spread(values: impl Iterator<Item = f64>) -> Spread {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (values.first(), values.last()) else { return [0.0; 3] };
    [*least, values[values.len() / 2], *most]
}

/// Four digits at most where digits tell something.
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
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Figure, PairedRounds, short, spread};

    #[test]
    fn throughput_compares_best_rounds_delays_median_ratio() {
        let rounds = PairedRounds(vec![(3.0, 1.0), (2.0, 2.0), (9.0, 1.5)]);
        let best = Figure::best("a", "s", &rounds, "b");
        assert_eq!((best.value, best.ratio), (Some(2.0), Some(2.0)));
        assert_eq!(best.ratio_spread, Some([1.0, 3.0, 6.0]));
        let middle = Figure::middle("a", "s", &rounds, "b");
        assert_eq!((middle.value, middle.ratio), (Some(3.0), Some(3.0)));
        assert_eq!(middle.held_against(), "b: 1.5 s");
    }

    #[test]
    fn verdict_needs_bound_and_quiet_machine() {
        let figure = Figure::new("a", 5.0, "ms").goal("G3", Bound::AtMost(5.0));
        assert_eq!((figure.verdict(false), figure.verdict(true)), ("met", "not judged (noisy)"));
        assert_eq!(figure.clone().exact().verdict(true), "met");
        assert_eq!(figure.clone().goal("G3", Bound::AtMost(4.9)).verdict(false), "**not met**");
        assert_eq!(figure.clone().goal("G2", Bound::AtLeast(5.1)).verdict(false), "**not met**");
        assert_eq!(figure.goal("G1", Bound::RatioAtMost(1.5)).met, Some(false), "no ratio is no good ratio");
        let missing = Figure::missing("a", "ms", "no such route").goal("G12", Bound::AtMost(10.0));
        assert_eq!((missing.met, missing.verdict(false)), (Some(false), "not taken"));
        assert_eq!(Figure::new("a", 1.0, "").verdict(false), "");
    }

    #[test]
    fn both_sides_alternate_in_equal_rounds() {
        let order = std::cell::RefCell::new(String::new());
        let note = |who: char| {
            order.borrow_mut().push(who);
            Ok(1.0)
        };
        let pairs = PairedRounds::run(4, || note('A'), || note('B')).expect("nothing fails");
        assert_eq!((order.borrow().as_str(), pairs.0.len()), ("BAABBAAB", 4));
    }

    #[test]
    fn figures_are_short() {
        let cases =
            [(1_234_567.8, "1,234,568"), (123.4, "123"), (12.34, "12.3"), (1.5, "1.5"), (0.0314, "0.031"), (0.0, "0")];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(spread([3.0, 1.0, 2.0].into_iter()), [1.0, 2.0, 3.0]);
        assert_eq!(spread(std::iter::empty()), [0.0; 3]);
    }
}
