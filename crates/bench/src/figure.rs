//! Result of one benchmark: a value with its spread over several rounds, and the value of its control (a baseline
//! measured for comparison). [`alternate`] runs the benchmark and its control alternately; [`percentile`] and
//! [`Figure::of_rounds`] summarise the rounds.

use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Smallest, middle and largest of all rounds.
pub type Spread = [f64; 3];

/// A result as it is printed, recorded and shown in `docs/benchmarks.md`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    pub name: String,
    /// The middle round.
    pub value: f64,
    /// `ms`, `s`, `MB`, `KB`, `B`, `%`, `/s`, or empty for a count.
    pub unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// The value over the control's: of rounds, the middle of their ratios.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_spread: Option<Spread>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Result of the control, in the figure's unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Control {
    pub name: String,
    pub value: f64,
}

impl Figure {
    pub fn new(name: &str, value: f64, unit: &str) -> Self {
        Self { name: name.to_owned(), value, unit: unit.to_owned(), ..Self::default() }
    }

    /// Of rounds, each with its control beside it.
    pub fn of_rounds(name: &str, unit: &str, rounds: &[(f64, f64)], control: &str) -> Self {
        let own = spread(rounds.iter().map(|pair| pair.0));
        let ratios = spread(rounds.iter().map(|(own, control)| ratio(*own, *control)));
        let figure = Self::new(name, own[1], unit).control(control, spread(rounds.iter().map(|pair| pair.1))[1]);
        Self { spread: Some(own), ratio: Some(ratios[1]), ratio_spread: Some(ratios), ..figure }
    }

    pub fn control(mut self, name: &str, value: f64) -> Self {
        self.ratio = Some(ratio(self.value, value));
        self.control = Some(Control { name: name.to_owned(), value });
        self
    }

    pub fn noted(mut self, note: &str) -> Self {
        self.note = Some(note.to_owned());
        self
    }

    /// Whether other work on the machine changes it: sizes and counts stay the same.
    pub fn depends_on_load(&self) -> bool {
        !matches!(self.unit.as_str(), "MB" | "KB" | "B" | "")
    }

    pub fn shown_value(&self) -> String {
        with_unit(self.value, &self.unit)
    }

    /// Name, value, control and ratio, as tables show them.
    pub fn cells(&self) -> [String; 4] {
        let note = self.note.iter().map(|note| format!("; {note}"));
        let control = self.control.as_ref();
        [
            self.name.clone() + &note.collect::<String>(),
            self.shown_value() + &range(self.spread),
            control.map_or(String::new(), |it| format!("{}: {}", it.name, with_unit(it.value, &self.unit))),
            self.ratio.map_or(String::new(), |ratio| short(ratio) + &range(self.ratio_spread)),
        ]
    }
}

/// Runs a subject and its control so many times, in turn. Each returns what it measured.
pub fn alternate(
    rounds: usize,
    mut own: impl FnMut() -> Result<f64>,
    mut control: impl FnMut() -> Result<f64>,
) -> Result<Vec<(f64, f64)>> {
    let mut pair = |round: usize| {
        // The order changes, so that neither always finds the warmer machine.
        let early = if round.is_multiple_of(2) { Some(control()?) } else { None };
        Ok((own()?, early.map_or_else(&mut control, Ok)?))
    };
    (0..rounds).map(&mut pair).collect()
}

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The value at or below which `percent` of all values lie, in milliseconds.
pub fn percentile(values: &[Duration], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    let at = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(at).map_or(0.0, |value| ms(*value))
}

/// Smallest, middle and largest; zeroes of nothing.
fn spread(values: impl Iterator<Item = f64>) -> Spread {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (values.first(), values.last()) else { return [0.0; 3] };
    [*least, values[values.len() / 2], *most]
}

fn ratio(own: f64, control: f64) -> f64 {
    own / control.max(f64::MIN_POSITIVE)
}

fn range(spread: Option<Spread>) -> String {
    let varied = spread.filter(|[least, _, most]| least < most);
    varied.map_or(String::new(), |[least, _, most]| format!(" ({}–{})", short(least), short(most)))
}

pub fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", short(value)).trim_end().to_owned()
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

    use super::{Figure, percentile, short};

    #[test]
    fn rounds_give_middle_value_and_middle_ratio() {
        let figure = Figure::of_rounds("a", "s", &[(3.0, 1.0), (2.0, 2.0), (9.0, 1.5)], "b");
        assert_eq!((figure.value, figure.ratio, figure.ratio_spread), (3.0, Some(3.0), Some([1.0, 3.0, 6.0])));
        assert_eq!(figure.noted("n").cells(), ["a; n", "3 s (2–9)", "b: 1.5 s", "3 (1–6)"]);
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!([50, 99].map(|percent| percentile(&values, percent)), [50.0, 99.0]);
        assert_eq!(percentile(&[], 50), 0.0);
    }

    #[test]
    fn figures_are_short() {
        let values = [1_234_567.8, -1_002.0, 123.4, 12.34, 1.5, 0.0314, 0.0];
        assert_eq!(values.map(short), ["1,234,568", "-1,002", "123", "12.3", "1.5", "0.031", "0"]);
    }
}
