//! A time axis for runs: proportional where something runs, folded where nothing does. Plain arithmetic.

/// Pauses at least this long are folded; shorter ones are part of the rhythm.
const FOLD_MS: i64 = 300_000;
/// Width of the whole axis in its own units.
pub const WIDTH: f64 = 1000.0;
/// Width of one fold.
const FOLD_WIDTH: f64 = 36.0;

/// A stretch of time and where it lies on the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stretch {
    from: i64,
    to: i64,
    x: f64,
    width: f64,
    folded: bool,
}

/// One folded pause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fold {
    /// Left end.
    pub x: f64,
    /// Width.
    pub width: f64,
    /// How long it really was.
    pub length_ms: i64,
}

/// The axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    stretches: Vec<Stretch>,
}

impl Axis {
    /// An axis over the given runs, each from its start to its end.
    pub fn new(runs: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let mut runs: Vec<(i64, i64)> = runs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        runs.sort_unstable();
        let mut busy: Vec<(i64, i64)> = Vec::new();
        for (from, to) in runs {
            match busy.last_mut() {
                Some(last) if from - last.1 < FOLD_MS => last.1 = last.1.max(to),
                _ => busy.push((from, to)),
            }
        }
        let folds = busy.len().saturating_sub(1) as f64;
        // Folds never take more than a third of the axis, however many there are.
        let fold_width = if folds > 0.0 { FOLD_WIDTH.min(WIDTH / 3.0 / folds) } else { 0.0 };
        // An instant still needs a place: a second at least.
        let length = |(from, to): (i64, i64)| (to - from).max(1_000);
        let total: i64 = busy.iter().map(|span| length(*span)).sum();
        let room = WIDTH - folds * fold_width;
        let mut x = 0.0;
        let mut stretches = Vec::with_capacity(busy.len() * 2);
        for (index, span) in busy.iter().enumerate() {
            if index > 0 {
                let from = busy[index - 1].1;
                stretches.push(Stretch { from, to: span.0, x, width: fold_width, folded: true });
                x += fold_width;
            }
            let width = room * length(*span) as f64 / total as f64;
            stretches.push(Stretch { from: span.0, to: span.1, x, width, folded: false });
            x += width;
        }
        Self { stretches }
    }

    /// Where a time lies, from 0 to [`WIDTH`].
    pub fn x(&self, at: i64) -> f64 {
        let Some(stretch) = self.stretches.iter().find(|stretch| at <= stretch.to).or(self.stretches.last()) else {
            return 0.0;
        };
        let length = (stretch.to - stretch.from).max(1) as f64;
        let share = ((at - stretch.from) as f64 / length).clamp(0.0, 1.0);
        stretch.x + share * stretch.width
    }

    /// The folded pauses, earliest first.
    pub fn folds(&self) -> Vec<Fold> {
        let folded = self.stretches.iter().filter(|stretch| stretch.folded);
        folded.map(|s| Fold { x: s.x, width: s.width, length_ms: s.to - s.from }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    #[test]
    fn time_is_proportional_while_something_runs() {
        let axis = Axis::new([(0, 4 * MINUTE), (2 * MINUTE, 8 * MINUTE)]);
        assert!(axis.folds().is_empty());
        assert_eq!(axis.x(0), 0.0);
        assert_eq!(axis.x(2 * MINUTE), 250.0);
        assert_eq!(axis.x(8 * MINUTE), WIDTH);
    }

    #[test]
    fn a_long_pause_is_folded_and_order_is_kept() {
        let day = 24 * 60 * MINUTE;
        let axis = Axis::new([(0, MINUTE), (day, day + MINUTE)]);
        let folds = axis.folds();
        assert_eq!(folds.len(), 1);
        assert_eq!(folds[0].length_ms, day - MINUTE);
        let points = [0, MINUTE, 12 * 60 * MINUTE, day, day + MINUTE].map(|at| axis.x(at));
        assert!(points.is_sorted(), "{points:?}");
        assert_eq!(points[4], WIDTH);
        // The two minutes get nearly all of the room, the day next to none.
        assert!(points[1] > 470.0 && points[3] - points[1] < 40.0, "{points:?}");
    }

    #[test]
    fn many_folds_leave_room_for_what_runs() {
        let hour = 60 * MINUTE;
        let axis = Axis::new((0..100).map(|n| (n * hour, n * hour + MINUTE)));
        let folded: f64 = axis.folds().iter().map(|fold| fold.width).sum();
        assert!(folded < WIDTH / 2.0, "{folded}");
        assert!((axis.x(99 * hour + MINUTE) - WIDTH).abs() < 1e-6);
    }

    #[test]
    fn an_instant_and_nothing_at_all_have_a_place() {
        assert_eq!(Axis::new([(5, 5)]).x(5), 0.0);
        assert_eq!(Axis::new([]).x(5), 0.0);
        assert_eq!(Axis::new([(9, 5)]).x(9), WIDTH);
    }
}
