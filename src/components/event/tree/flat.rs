//! List of the visible lines of the delegation tree, as plain values. It also counts the runs that the user's view
//! options hide.

use std::collections::HashSet;

use coordination::api::{DelegationRow, Delegations};

use crate::routes::TreeView;

/// A branch is small when it took less than this share of the time of all.
const SMALL_SHARE_DIVISOR: i64 = 100;

/// What a line shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeLineKind {
    /// A session, by its place in `sessions`, and its runs in all.
    Session(usize, usize),
    /// A run, by its place in `rows`.
    Run(usize),
    /// Whether all of several runs side by side have ended, and when the last did.
    FanIn {
        /// Runs side by side.
        all: usize,
        /// Those of them that have ended.
        ended: usize,
        /// The newest end.
        last: i64,
    },
}

/// A line as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleLine {
    /// What it shows.
    pub what: TreeLineKind,
    /// Its depth, from 1.
    pub level: u32,
    /// Whether its branch is open; absent when it has none.
    pub open: Option<bool>,
    /// Its place among its siblings, from 1, and how many there are.
    pub place: (usize, usize),
    /// By what it is named in the address.
    pub id: String,
}

/// The lines, and how many runs are hidden by choice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VisibleLines {
    /// In order.
    pub list: Vec<VisibleLine>,
    /// Runs left out as finished or small.
    pub hidden: usize,
    /// The deepest level there is.
    pub deepest: u32,
}

/// End of each branch: the place of the next row that is not below.
fn ends(rows: &[DelegationRow]) -> Vec<usize> {
    let mut ends = vec![rows.len(); rows.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        while open.last().is_some_and(|last| rows[*last].depth >= row.depth) {
            ends[open.pop().unwrap_or_default()] = at;
        }
        open.push(at);
    }
    ends
}

/// Which rows stay when branches that ended well, or are small, are left out.
fn visible_rows(rows: &[DelegationRow], ends: &[usize], view: &TreeView, span: i64, now: i64) -> Vec<bool> {
    let well = |row: &DelegationRow| !row.is_open() && !row.is_bad() && row.unknown_type.is_none() && !row.orphan;
    let took = |row: &DelegationRow| row.end_time.unwrap_or(now).saturating_sub(row.start_time).max(0);
    let mut keep = vec![true; rows.len()];
    // From the back, so that what lies below is known first: a branch goes only as a whole.
    let mut troubled = vec![false; rows.len()];
    let mut longest = vec![0_i64; rows.len()];
    for at in (0..rows.len()).rev() {
        let row = &rows[at];
        let below = at + 1..ends[at];
        let mut fine = well(row);
        let mut long = took(row);
        let mut child = below.start;
        while child < below.end {
            fine &= !troubled[child];
            long = long.max(longest[child]);
            child = ends[child];
        }
        troubled[at] = !fine;
        longest[at] = long;
        let small = long.saturating_mul(SMALL_SHARE_DIVISOR) < span;
        if fine && (view.hide_done || (view.hide_small && small)) {
            keep[at] = false;
        }
    }
    // Rows within a removed branch are removed with it.
    let mut at = 0;
    while at < rows.len() {
        if keep[at] {
            at += 1;
        } else {
            keep[at..ends[at]].fill(false);
            at = ends[at];
        }
    }
    keep
}

/// The lines of an answer as the user looks at it.
pub fn lines(answer: &Delegations, view: &TreeView) -> VisibleLines {
    let rows = &answer.rows;
    let ends = ends(rows);
    let keep = visible_rows(rows, &ends, view, answer.end_time.saturating_sub(answer.start_time), answer.now);
    let turned: HashSet<&str> = view.turned.iter().map(String::as_str).collect();
    let by_session = answer.session_id.is_none();
    let mut out = LineBuilder { rows, ends: &ends, keep: &keep, view, turned, lines: VisibleLines::default() };
    out.lines.hidden = keep.iter().filter(|keep| !**keep).count();
    out.lines.deepest = rows.iter().map(|row| row.depth + 1 + u32::from(by_session)).max().unwrap_or(0);
    if !by_session {
        out.siblings(0, rows.len(), 1);
        return out.lines;
    }
    let mut at = 0;
    let groups: Vec<(usize, usize, usize)> = answer
        .sessions
        .iter()
        .enumerate()
        .filter_map(|(number, session)| {
            let from = at;
            while rows.get(at).is_some_and(|row| row.session_id == session.work_session_id) {
                at += 1;
            }
            (keep[from..at].iter().any(|keep| *keep)).then_some((number, from, at))
        })
        .collect();
    for (place, (number, from, to)) in groups.iter().enumerate() {
        let id = answer.sessions[*number].work_session_id.to_string();
        let open = out.is_open(&id, 1);
        out.lines.list.push(VisibleLine {
            what: TreeLineKind::Session(*number, to - from),
            level: 1,
            open: Some(open),
            place: (place + 1, groups.len()),
            id,
        });
        if open {
            out.siblings(*from, *to, 2);
        }
    }
    out.lines
}

/// The lines as they are gathered.
struct LineBuilder<'a> {
    rows: &'a [DelegationRow],
    ends: &'a [usize],
    keep: &'a [bool],
    view: &'a TreeView,
    turned: HashSet<&'a str>,
    lines: VisibleLines,
}

impl LineBuilder<'_> {
    /// Open by the level, turned by hand.
    fn is_open(&self, id: &str, level: u32) -> bool {
        self.view.level.is_none_or(|open| level < open) != self.turned.contains(id)
    }

    /// Rows `from..to`, of which the least deep ones are on `level`. Without recursion: a log may nest without end.
    fn siblings(&mut self, from: usize, to: usize, level: u32) {
        // What is still to be drawn: the children of a group from a place on, and the sums of that group.
        struct SiblingGroup {
            at: usize,
            to: usize,
            level: u32,
            place: usize,
            all: usize,
            total: usize,
            ended: usize,
            last: i64,
        }
        let group = |draw: &Self, from: usize, to: usize, level: u32| {
            let (mut at, mut all, mut total, mut ended, mut last) = (from, 0, 0, 0, 0);
            while at < to {
                total += 1;
                all += usize::from(draw.keep[at]);
                if let Some(end) = draw.rows[at].end_time {
                    ended += 1;
                    last = last.max(end);
                }
                at = draw.ends[at];
            }
            SiblingGroup { at: from, to, level, place: 0, all, total, ended, last }
        };
        let mut stack = vec![group(self, from, to, level)];
        while let Some(current) = stack.last_mut() {
            let at = current.at;
            if at >= current.to {
                let Some(done) = stack.pop() else { return };
                // Last visit of a group: its fan-in line.
                if done.total > 1 && done.all > 0 {
                    let what = TreeLineKind::FanIn { all: done.total, ended: done.ended, last: done.last };
                    let id = format!("fan-in-{}", self.rows[done.to - 1].id);
                    self.lines.list.push(VisibleLine {
                        what,
                        level: done.level,
                        open: None,
                        place: (done.all, done.all),
                        id,
                    });
                }
                continue;
            }
            current.at = self.ends[at];
            if !self.keep[at] {
                continue;
            }
            current.place += 1;
            let (level, place) = (current.level, (current.place, current.all));
            let id = self.rows[at].id.to_string();
            let below = at + 1..self.ends[at];
            let any = self.keep[below.clone()].iter().any(|keep| *keep);
            let open = any.then(|| self.is_open(&id, level));
            self.lines.list.push(VisibleLine { what: TreeLineKind::Run(at), level, open, place, id });
            if open == Some(true) {
                let next = group(self, below.start, below.end, level.saturating_add(1));
                stack.push(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use coordination::api::{Cursor, DelegationState, Origin, SessionLink};
    use coordination::title::TitleSource;

    use super::*;

    /// A run by name, depth, start and end.
    fn run(name: &str, depth: u32, start: i64, end: Option<i64>) -> DelegationRow {
        DelegationRow {
            id: name.into(),
            depth,
            session_id: name.get(..1).unwrap_or_default().into(),
            from: None,
            to: "helper".into(),
            label: None,
            text: String::new(),
            run_id: None,
            state: if end.is_some() { DelegationState::Succeeded } else { DelegationState::Running },
            orphan: false,
            unknown_type: None,
            start_time: start,
            accepted_at: None,
            end_time: end,
            result: None,
            error: None,
            events: 1,
            children: 0,
            origin: Origin::Log,
        }
    }

    fn answer(rows: Vec<DelegationRow>, all: bool) -> Delegations {
        let mut sessions: Vec<SessionLink> = Vec::new();
        for row in &rows {
            if all && sessions.last().is_none_or(|last| last.work_session_id != row.session_id) {
                let (title, title_source) = (String::new(), TitleSource::Default);
                sessions.push(SessionLink {
                    work_session_id: row.session_id.clone(),
                    title,
                    title_source,
                    known: true,
                });
            }
        }
        Delegations {
            session_id: (!all).then(|| "s".into()),
            total: 0,
            sessions,
            slowest: Vec::new(),
            start_time: 0,
            end_time: 10_000,
            cursor: Cursor::default(),
            now: 10_000,
            rows,
        }
    }

    fn tree() -> Vec<DelegationRow> {
        vec![run("a", 0, 0, Some(9_000)), run("a1", 1, 10, Some(20)), run("a2", 1, 30, None), run("b", 0, 50, Some(60))]
    }

    fn ids(lines: &VisibleLines) -> String {
        let id = |line: &VisibleLine| {
            if matches!(line.what, TreeLineKind::FanIn { .. }) { "=".to_owned() } else { line.id.clone() }
        };
        lines.list.iter().map(id).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn open_tree_ends_siblings_with_fan_in() {
        let lines = lines(&answer(tree(), false), &TreeView::default());
        assert_eq!(ids(&lines), "a a1 a2 = b =");
        let levels: Vec<u32> = lines.list.iter().map(|line| line.level).collect();
        assert_eq!(levels, [1, 2, 2, 2, 1, 1]);
        assert_eq!(lines.list[2].place, (2, 2));
        assert_eq!(lines.list[3].what, TreeLineKind::FanIn { all: 2, ended: 1, last: 20 });
    }

    #[test]
    fn level_folds_deeper_lines_toggle_opens_branch() {
        let one = TreeView { level: Some(1), ..TreeView::default() };
        assert_eq!(ids(&lines(&answer(tree(), false), &one)), "a b =");
        assert_eq!(ids(&lines(&answer(tree(), false), &one.turn("a"))), "a a1 a2 = b =");
        assert_eq!(ids(&lines(&answer(tree(), false), &TreeView::default().turn("a"))), "a b =");
    }

    /// A branch is hidden as a whole or not at all.
    #[test]
    fn branches_hide_whole_and_hidden_are_counted() {
        let done = TreeView { hide_done: true, ..TreeView::default() };
        let seen = lines(&answer(tree(), false), &done);
        // `a` ended, but something below it runs.
        assert_eq!((ids(&seen).as_str(), seen.hidden), ("a a2 = =", 2));
        let small = TreeView { hide_small: true, ..TreeView::default() };
        assert_eq!(ids(&lines(&answer(tree(), false), &small)), "a a2 = =");
        let mut failed = tree();
        failed[1].state = DelegationState::Failed;
        assert_eq!(lines(&answer(failed, false), &done).hidden, 1, "what failed is never hidden");
    }

    #[test]
    fn each_session_has_its_own_line() {
        let lines_of = |view| lines(&answer(tree(), true), &view);
        assert_eq!(ids(&lines_of(TreeView::default())), "a a a1 a2 = b b");
        assert_eq!(ids(&lines_of(TreeView { level: Some(1), ..TreeView::default() })), "a b");
        assert_eq!(lines_of(TreeView::default()).deepest, 3);
    }

    #[test]
    fn ten_thousand_nested_runs_make_lines() {
        let rows = (0..10_000).map(|n| run(&format!("r{n}"), n, 0, None)).collect();
        let lines = lines(&answer(rows, false), &TreeView::default());
        assert_eq!((lines.list.len(), lines.deepest), (10_000, 10_000));
    }
}
