//! Time axis for bars of delegated runs. It is proportional to time, except that long periods in which no run is in
//! progress are folded to a short width. A period in which a run is in progress is folded only if it would otherwise
//! take more than three quarters of the axis. No browser APIs are used.

/// Pauses shorter than this are part of the rhythm and never folded.
const FOLD_MS: i64 = 300_000;
/// A pause in which something runs is folded only when it would leave the rest this small a share of the axis.
const MIN_BUSY_SHARE: i64 = 3;
/// Width of the whole axis in its own units.
pub const AXIS_WIDTH: f64 = 1000.0;
/// Width of one fold.
const FOLD_WIDTH: f64 = 36.0;

/// A stretch of time between two moments, and where it lies on the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RunAxisSegment {
    from: i64,
    to: i64,
    /// Nothing runs in it.
    idle: bool,
    folded: bool,
    x: f64,
    width: f64,
}

impl RunAxisSegment {
    fn length(&self) -> i64 {
        self.to - self.from
    }
}

/// One folded pause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunAxisFold {
    /// Left end.
    pub x: f64,
    /// Width.
    pub width: f64,
    /// How long it really was.
    pub length_ms: i64,
}

/// The axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunAxis {
    stretches: Vec<RunAxisSegment>,
}

impl RunAxis {
    /// An axis over the given runs, each from its start to its end.
    pub fn new(runs: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let runs: Vec<(i64, i64)> = runs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        let mut stretches = between(&runs);
        fold(&mut stretches);
        lay_out(&mut stretches);
        Self { stretches }
    }

    /// Position of a time, from 0 to [`AXIS_WIDTH`].
    pub fn x(&self, at: i64) -> f64 {
        let Some(stretch) = self.stretches.iter().find(|stretch| at <= stretch.to).or(self.stretches.last()) else {
            return 0.0;
        };
        let share = ((at - stretch.from) as f64 / stretch.length().max(1) as f64).clamp(0.0, 1.0);
        stretch.x + share * stretch.width
    }

    /// The folded pauses, earliest first.
    pub fn folds(&self) -> Vec<RunAxisFold> {
        let folded = self.stretches.iter().filter(|stretch| stretch.folded);
        folded.map(|s| RunAxisFold { x: s.x, width: s.width, length_ms: s.length() }).collect()
    }
}

/// The stretches between all moments at which a run begins or ends.
fn between(runs: &[(i64, i64)]) -> Vec<RunAxisSegment> {
    let mut moments: Vec<i64> = runs.iter().flat_map(|(from, to)| [*from, *to]).collect();
    moments.sort_unstable();
    moments.dedup();
    // How far the runs begun so far reach: a stretch beyond it is idle.
    let mut begun = runs.to_vec();
    begun.sort_unstable();
    let (mut next, mut reach) = (0, i64::MIN);
    moments
        .windows(2)
        .map(|pair| {
            while begun.get(next).is_some_and(|run| run.0 <= pair[0]) {
                reach = reach.max(begun[next].1);
                next += 1;
            }
            RunAxisSegment { from: pair[0], to: pair[1], idle: reach <= pair[0], folded: false, x: 0.0, width: 0.0 }
        })
        .collect()
}

/// Folds long idle stretches, and busy ones so long that everything else would be invisible.
fn fold(stretches: &mut [RunAxisSegment]) {
    for stretch in stretches.iter_mut() {
        stretch.folded = stretch.idle && stretch.length() >= FOLD_MS;
    }
    let mut open: i64 = stretches.iter().filter(|stretch| !stretch.folded).map(RunAxisSegment::length).sum();
    let mut longest_first: Vec<usize> = (0..stretches.len()).filter(|index| !stretches[*index].folded).collect();
    longest_first.sort_by_key(|index| std::cmp::Reverse(stretches[*index].length()));
    for index in longest_first {
        let length = stretches[index].length();
        let rest = open - length;
        if length < FOLD_MS || rest == 0 || length <= rest.saturating_mul(MIN_BUSY_SHARE) {
            break;
        }
        stretches[index].folded = true;
        open = rest;
    }
}

fn lay_out(stretches: &mut [RunAxisSegment]) {
    let folds = stretches.iter().filter(|stretch| stretch.folded).count() as f64;
    // Folds never take more than a third of the axis, however many there are.
    let fold_width = if folds > 0.0 { FOLD_WIDTH.min(AXIS_WIDTH / 3.0 / folds) } else { 0.0 };
    let open: i64 = stretches.iter().filter(|stretch| !stretch.folded).map(RunAxisSegment::length).sum();
    // Without anything but folds they share the whole of it.
    let room = AXIS_WIDTH - folds * fold_width;
    let mut x = 0.0;
    for stretch in stretches {
        stretch.x = x;
        stretch.width = match (stretch.folded, open) {
            (true, 0) => AXIS_WIDTH / folds,
            (true, _) => fold_width,
            (false, _) => room * stretch.length() as f64 / open as f64,
        };
        x += stretch.width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;
    const DAY: i64 = 24 * 60 * MINUTE;

    #[test]
    fn axis_is_proportional_while_runs_change() {
        let axis = RunAxis::new([(0, 4 * MINUTE), (2 * MINUTE, 8 * MINUTE)]);
        assert!(axis.folds().is_empty());
        assert_eq!([0, 2 * MINUTE, 8 * MINUTE].map(|at| axis.x(at)), [0.0, 250.0, AXIS_WIDTH]);
    }

    #[test]
    fn long_idle_pause_folds_and_preserves_order() {
        let axis = RunAxis::new([(0, MINUTE), (DAY, DAY + MINUTE)]);
        let folds = axis.folds();
        assert_eq!(folds.iter().map(|fold| fold.length_ms).collect::<Vec<_>>(), [DAY - MINUTE]);
        let points = [0, MINUTE, DAY / 2, DAY, DAY + MINUTE].map(|at| axis.x(at));
        assert!(points.is_sorted(), "{points:?}");
        // The two minutes get nearly all of the room, the day next to none.
        assert!(points[1] > 470.0 && points[3] - points[1] < 40.0 && points[4] == AXIS_WIDTH, "{points:?}");
    }

    /// A pause in which only the hanging run continues is folded, too.
    #[test]
    fn day_long_run_leaves_short_runs_visible() {
        let axis = RunAxis::new([(0, 2 * MINUTE), (MINUTE, DAY), (3 * MINUTE, 4 * MINUTE)]);
        assert_eq!(axis.folds().len(), 1);
        assert!(axis.x(4 * MINUTE) > 900.0, "{}", axis.x(4 * MINUTE));
        assert!((axis.x(DAY) - AXIS_WIDTH).abs() < 1e-6);
    }

    #[test]
    fn single_long_run_is_not_folded() {
        let axis = RunAxis::new([(0, DAY)]);
        assert!(axis.folds().is_empty());
        assert_eq!(axis.x(DAY / 2), AXIS_WIDTH / 2.0);
    }

    #[test]
    fn many_folds_leave_room_for_runs() {
        let hour = 60 * MINUTE;
        let axis = RunAxis::new((0..100).map(|n| (n * hour, n * hour + MINUTE)));
        let folded: f64 = axis.folds().iter().map(|fold| fold.width).sum();
        assert!(folded < AXIS_WIDTH / 2.0, "{folded}");
        assert!((axis.x(99 * hour + MINUTE) - AXIS_WIDTH).abs() < 1e-6);
    }

    #[test]
    fn instant_and_empty_axis_have_positions() {
        assert_eq!(RunAxis::new([(5, 5)]).x(5), 0.0);
        assert_eq!(RunAxis::new([]).x(5), 0.0);
        assert_eq!(RunAxis::new([(9, 5)]).x(9), AXIS_WIDTH);
        assert!((RunAxis::new([(0, 0), (DAY, DAY)]).x(DAY) - AXIS_WIDTH).abs() < 1e-6);
    }
}
