//! Goals of the benchmarks for size and speed, and the summary at the top of `docs/benchmarks.md`. Placeholders in the
//! summary, such as `{size: first load, brotli}`, are replaced by measured figures.

use bench::MAX_FIRST_LOAD_BYTES;

use self::Bound::{AtLeast, AtMost, EitherAtMost, RatioAtMost};
use crate::figure::{Figure, short, with_unit};

/// Required range of a figure, in its unit, or of its ratio to the control.
#[derive(Debug, Clone, Copy)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
    RatioAtMost(f64),
    /// The value, or the ratio.
    EitherAtMost(f64, f64),
}

impl Bound {
    pub fn is_met(self, figure: &Figure) -> bool {
        let ratio_is = |most: f64| figure.ratio.is_some_and(|ratio| ratio <= most);
        match self {
            AtMost(most) => figure.value <= most,
            AtLeast(least) => figure.value >= least,
            RatioAtMost(most) => ratio_is(most),
            EitherAtMost(most, ratio) => figure.value <= most || ratio_is(ratio),
        }
    }

    pub fn words(self, unit: &str) -> String {
        match self {
            AtMost(most) => format!("≤ {}", with_unit(most, unit)),
            AtLeast(least) => format!("≥ {}", with_unit(least, unit)),
            RatioAtMost(most) => format!("≤ {} × control", short(most)),
            EitherAtMost(most, ratio) => format!("{} or {}", AtMost(most).words(unit), RatioAtMost(ratio).words(unit)),
        }
    }
}

/// A goal of every figure of its group.
const EACH: &str = "";

/// Each goal: group, figure, bound.
const GOALS: &[(&str, &str, Bound)] = &[
    ("size", "first load, brotli", AtMost(MAX_FIRST_LOAD_BYTES as f64 / 1e3)),
    ("cold", "start at 1,000,000 events without a store", RatioAtMost(1.0)),
    ("cold", "start at 100,000 events with a store", AtMost(0.15)),
    ("cold", "start at 1,000,000 events with a store", AtMost(0.5)),
    ("cold", "memory at 1,000,000 events", AtMost(200.0)),
    // 60 MiB.
    ("cold", "memory at 100,000 events", AtMost(62.9)),
    ("idle", "processor time with one open page", AtMost(0.2)),
    ("rest1", "events", AtMost(2.7)),
    ("rest1", "events of a role", AtMost(4.6)),
    ("rest1", "open work sessions", AtMost(1.0)),
    ("rest1", "work sessions of a role", AtMost(20.0)),
    ("rest1", "1,000 work sessions, first byte", AtMost(300.0)),
    ("classify", "records classified by v2", AtLeast(100_000.0)),
    ("search", EACH, AtMost(10.0)),
    ("waits", "graph of 300 agents and 10,000 open sends", AtMost(2.0)),
    ("evidence", "export of 5,000 events", AtMost(1_000.0)),
    ("evidence", "HTML page of 5,000 events", AtMost(1_000.0)),
    ("past", "a moment of 100,000 events, p95", AtMost(100.0)),
    ("past", "the first moment", AtMost(100.0)),
    ("past", "a minute forward, p95", AtMost(33.4)),
    ("past", "a minute back, p95", AtMost(33.4)),
    ("hook", "press → hook released, p99", AtMost(100.0)),
    ("alerts", "line → webhook, p99", AtMost(300.0)),
    ("fanout", "append → the last of 1,000 sockets, p99", EitherAtMost(20.0, 1.3)),
    ("fanout", "a frame to a page that shows home", AtMost(600.0)),
    ("fleet", "line → frame of an aggregator, p99", AtMost(25.0)),
    ("fleet", "publisher at 100 lines a second", AtMost(2.0)),
    ("fleet", "lines a new aggregator catches up on", AtLeast(100_000.0)),
    ("fleet", "start of a replica with a store", AtMost(1.0)),
    ("pixel", "append → screen at 100/s in a thread of 10,000, p99", AtMost(33.4)),
    ("scrub", "between two drawn moments of a flow of 300 messages, p95", AtMost(33.4)),
    ("inp", "filter a list of sessions, p98 of 16", AtMost(64.0)),
    ("files", "first card of a log of 40 MB", AtMost(1.5)),
    ("files", "all of a log of 40 MB", AtMost(4.0)),
    // A longer frame is a frozen one, as Android vitals define it.
    ("files", "longest frame while 100 MB are read", AtMost(700.0)),
    ("files", "5,000 events saved as NDJSON", AtMost(1_000.0)),
    ("files", "5,000 events saved as Markdown", AtMost(1_000.0)),
];

/// The first lines of the page.
pub const SUMMARY: &str = "\
- **A new message** is on the screen of an open thread after \
{pixel: append → screen at 100/s in a thread of 10,000, p50} in the middle, 99 of 100 within \
{pixel: append → screen at 100/s in a thread of 10,000, p99}, at a hundred lines a second.
- **A thousand open pages**: the last one receives a line after {fanout: append → the last of 1,000 sockets, p50} in \
the middle, 99 of 100 within {fanout: append → the last of 1,000 sockets, p99}.
- **Traffic**: a frame of changes takes {fanout: a frame to a page that shows home} for a page that shows home.
- **Start**: every view is answered after {cold: start at 100,000 events without a store} with 100,000 events, after \
{cold: start at 1,000,000 events without a store} with a million.
- **Memory**: {cold: memory at 100,000 events} with 100,000 events, {cold: memory at 1,000,000 events} with a million.
- **Idle**: {idle: processor time with one open page} of a core with 100,000 events and one open page.
- **First load**: {size: first load, brotli} over the network. Later loads come from the browser's cache.
- **Search** in a million events: 95 of 100 answers within {search: Korean words, p95} for Korean words, \
{search: single syllables, p95} for single syllables, {search: very frequent words, p95} for very frequent words.
- **A filter** of the session list is on the screen after {inp: filter a list of sessions, p98 of 16} on a processor \
four times slower. A text filter over a million events is answered in {search: sessions filtered by all of these, p95}.
- **A past moment** of 100,000 events is answered within {past: a moment of 100,000 events, p95} in 95 of 100 cases, \
the first one after {past: the first moment}.
- **A dropped log** of 40 MB, without a monitor, shows its first card after {files: first card of a log of 40 MB} and \
all of it after {files: all of a log of 40 MB}, on one core.
- **The old API** (REST 1.x) answers at 100,000 events in {rest1: events} for the newest events and in \
{rest1: open work sessions} for open work sessions. The longest list, 1,000 sessions of a million events, begins after \
{rest1: 1,000 work sessions, first byte}.
";

/// Parts of a text with names in braces: plain text and `(group, figure)`, in turn.
pub fn named_figures(text: &str) -> impl Iterator<Item = (&str, Option<(&str, &str)>)> {
    text.split('}').map(|part| match part.split_once('{') {
        Some((plain, name)) => (plain, name.split_once(": ")),
        None => (part, None),
    })
}

/// The goal of a figure, if it has one.
pub fn bound_of(group: &str, figure: &str) -> Option<Bound> {
    GOALS.iter().find(|(of, name, _)| *of == group && (*name == figure || *name == EACH)).map(|goal| goal.2)
}

/// Names of the figures that goals or the summary expect of a group.
pub fn expected(group: &str) -> Vec<&'static str> {
    let goals = GOALS.iter().map(|(group, name, _)| (*group, *name));
    let named = named_figures(SUMMARY).filter_map(|(_, figure)| figure);
    goals.chain(named).filter(|(of, name)| *of == group && *name != EACH).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::{AtLeast, AtMost, EitherAtMost, GOALS, RatioAtMost, SUMMARY, named_figures};
    use crate::figure::Figure;
    use crate::groups;

    #[test]
    fn goals_and_summary_name_groups() {
        let groups = GOALS.iter().map(|goal| goal.0).chain(named_figures(SUMMARY).filter_map(|it| Some(it.1?.0)));
        groups.for_each(|group| assert!(groups::names().contains(&group), "no group {group:?}"));
    }

    #[test]
    fn bounds_judge_value_or_ratio() {
        let figure = Figure::new("a", 30.0, "ms").control("b", 20.0);
        let bounds = [AtMost(30.0), AtLeast(31.0), RatioAtMost(1.4), EitherAtMost(20.0, 1.5)];
        assert_eq!(bounds.map(|bound| bound.is_met(&figure)), [true, false, false, true]);
        assert_eq!(bounds[3].words("ms"), "≤ 20 ms or ≤ 1.5 × control");
        assert!(!RatioAtMost(9.0).is_met(&Figure::new("a", 1.0, "ms")), "no ratio is no good ratio");
    }
}
