//! Rows of the flat event list as plain values. Loaded pages are joined, bursts (similar events in sequence) become one
//! row, and day headings are inserted. The rows are split into blocks that are drawn and removed together.

use std::sync::Arc;

use coordination::api::{EventRow, EventsPage};
use coordination::burst::{Sameness, Summary, bursts, summary};
use coordination::ids::EventId;

/// A run ends after about this many rows, decided by a hash of the row id: a new row on top changes no other run.
const RUN_ROWS: u64 = 12;
/// Rows of a run at most.
const MAX_RUN_ROWS: usize = 48;

/// What was loaded, newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rows {
    /// The events.
    pub events: Vec<Arc<EventRow>>,
    /// Mark of the older page.
    pub next: Option<String>,
}

fn shared(page: &EventsPage) -> Vec<Arc<EventRow>> {
    page.events.iter().cloned().map(Arc::new).collect()
}

impl Rows {
    /// A first page.
    pub fn from_page(page: &EventsPage) -> Self {
        Self { events: shared(page), next: page.next.clone() }
    }

    /// Puts an older page behind.
    pub fn append(&mut self, page: &EventsPage) {
        let new = shared(page).into_iter().filter(|row| !self.holds(&row.id)).collect::<Vec<_>>();
        self.events.extend(new);
        self.next.clone_from(&page.next);
    }

    /// Takes in the newest page as it is now. Where it does not meet what was loaded, only it stays: a hole must
    /// never look like silence.
    pub fn refresh(&mut self, page: &EventsPage) {
        let meets = page.events.last().is_none_or(|last| self.holds(&last.id)) || page.next.is_none();
        if !meets {
            *self = Self::from_page(page);
            return;
        }
        let known = |id: &EventId| page.events.iter().any(|row| row.id == *id);
        let older: Vec<Arc<EventRow>> = self.events.drain(..).filter(|row| !known(&row.id)).collect();
        // A page that is not full holds everything there is; rows it lacks no longer match.
        let keep_older = page.next.is_some();
        self.events = shared(page);
        if keep_older {
            self.events.extend(older);
        } else {
            self.next = None;
        }
    }

    fn holds(&self, id: &EventId) -> bool {
        self.events.iter().any(|row| row.id == *id)
    }

    /// The lines, with a heading wherever the local day changes. Bursts are one line unless `grouped` is false; one that
    /// holds an event of `unfolded` is followed by its rows.
    pub fn items(&self, day: impl Fn(i64) -> i64, grouped: bool, unfolded: &[EventId]) -> Vec<EventListItem> {
        let mut items = Vec::with_capacity(self.events.len() + 8);
        let mut today = None;
        let parts = if grouped { bursts(&self.events, &day) } else { Vec::new() };
        let mut parts = parts.into_iter().filter_map(|burst| Some((burst.rows, burst.of?))).peekable();
        let mut inside = 0..0;
        for (at, row) in self.events.iter().enumerate() {
            if row.at > 0 && today != Some(day(row.at)) {
                today = Some(day(row.at));
                items.push(EventListItem::Day(row.at));
            }
            if let Some((rows, of)) = parts.next_if(|(rows, _)| rows.start == at) {
                let open_ended = self.next.is_some() && rows.end == self.events.len();
                let burst = BurstLine::new(&self.events[rows.clone()], of, open_ended, unfolded);
                inside = rows;
                items.extend(burst.map(|burst| EventListItem::Burst(Arc::new(burst))));
            }
            let within = inside.contains(&at);
            let hidden = within && matches!(items.last(), Some(EventListItem::Burst(burst)) if !burst.unfolded);
            if !hidden {
                items.push(EventListItem::Row { row: row.clone(), within });
            }
        }
        items
    }
}

/// A burst as one line.
#[derive(Debug, Clone, PartialEq)]
pub struct BurstLine {
    /// Its newest event, which represents the burst.
    pub newest: Arc<EventRow>,
    /// Its oldest event, by which it is named: new ones come at the other end.
    pub oldest: EventId,
    /// All its events, newest first.
    pub ids: Vec<EventId>,
    /// What they share.
    pub of: Sameness,
    /// Summary of the burst.
    pub summary: Summary,
    /// Older events that were not loaded yet may belong to it.
    pub open_ended: bool,
    /// Its rows are shown below it.
    pub unfolded: bool,
}

impl BurstLine {
    fn new(rows: &[Arc<EventRow>], of: Sameness, open_ended: bool, unfolded: &[EventId]) -> Option<Self> {
        let ids: Vec<EventId> = rows.iter().map(|row| row.id.clone()).collect();
        Some(Self {
            newest: rows.first()?.clone(),
            oldest: ids.last()?.clone(),
            of,
            summary: summary(rows),
            open_ended,
            unfolded: unfolded.iter().any(|id| ids.contains(id)),
            ids,
        })
    }

    /// What its line is called among rows.
    pub fn name(&self) -> String {
        format!("burst-{}", self.oldest)
    }
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
pub enum EventListItem {
    /// A new day.
    Day(i64),
    /// A burst; its rows follow when it is unfolded.
    Burst(Arc<BurstLine>),
    /// An event.
    Row {
        /// Which.
        row: Arc<EventRow>,
        /// It is shown below the line of its burst.
        within: bool,
    },
}

impl EventListItem {
    /// Names the line and what may change about it; of a burst only which it is.
    pub fn key(&self) -> String {
        match self {
            Self::Day(at) => format!("day-{at}"),
            Self::Burst(burst) => burst.name(),
            Self::Row { row, within } => {
                format!("{}|{within}|{}", row.id, row.session_title.as_deref().unwrap_or_default())
            }
        }
    }

    /// True where a run ends whatever else is in it: after a burst, so that unfolding it redraws no other run.
    fn ends_run(&self) -> bool {
        let Self::Row { row, .. } = self else { return true };
        let hash = row
            .id
            .as_str()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        (hash >> 20).is_multiple_of(RUN_ROWS)
    }
}

/// Lines that are drawn and removed together.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRun {
    /// Its last line names it: new ones come at the other end.
    pub key: String,
    /// A time on the day that begins with it.
    pub day: Option<i64>,
    /// The lines, without days.
    pub items: Vec<EventListItem>,
}

/// The lines as runs; a day begins a new one.
pub fn runs(items: Vec<EventListItem>) -> Vec<EventRun> {
    let mut out: Vec<EventRun> = Vec::new();
    let mut ended = true;
    for item in items {
        if let EventListItem::Day(at) = item {
            out.push(EventRun { key: String::new(), day: Some(at), items: Vec::new() });
            ended = false;
            continue;
        }
        if ended || out.is_empty() {
            out.push(EventRun { key: String::new(), day: None, items: Vec::new() });
        }
        if let Some(run) = out.last_mut() {
            ended = item.ends_run() || run.items.len() + 1 >= MAX_RUN_ROWS;
            run.items.push(item);
        }
    }
    for run in &mut out {
        run.key = run.items.last().map(EventListItem::key).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use coordination::api::{Cursor, Origin, RoleCounts};
    use coordination::category::Category;
    use coordination::role::{Role, SessionType};

    use super::*;

    fn row(id: &str, at: i64) -> EventRow {
        EventRow {
            id: id.into(),
            at,
            event_type: "a2a.send".to_owned(),
            role: Role::ConversationMain,
            from_type: SessionType::Main,
            to_type: SessionType::Main,
            agent_id: "eden".into(),
            from: None,
            human: false,
            to: None,
            session_id: None,
            session_title: None,
            thread_id: None,
            task_id: None,
            task_owner: None,
            category: Category::InfraOps,
            text: String::new(),
            outcome: None,
            missing: None,
            tool: None,
            origin: Origin::Log,
        }
    }

    fn page(ids: &[(&str, i64)], next: Option<&str>) -> EventsPage {
        EventsPage {
            events: ids.iter().map(|(id, at)| row(id, *at)).collect(),
            total: 0,
            role_counts: RoleCounts::default(),
            type_counts: Vec::new(),
            pair_counts: Vec::new(),
            next: next.map(ToOwned::to_owned),
            cursor: Cursor::default(),
            now: 0,
        }
    }

    /// Several sends within a minute, newest first, from `first` on.
    fn many(first: i64, count: i64) -> Vec<EventRow> {
        (0..count).rev().map(|n| row(&format!("s{}", first + n), 1_000 * (first + n))).collect()
    }

    fn listed(events: Vec<EventRow>, next: Option<&str>) -> Rows {
        let first = page(&[], next);
        Rows::from_page(&EventsPage { events, ..first })
    }

    fn labels(items: &[EventListItem]) -> Vec<String> {
        let labels = items.iter().map(|item| match item {
            EventListItem::Day(at) => format!("day {at}"),
            EventListItem::Burst(burst) => {
                format!("{}{}", burst.summary.count, if burst.open_ended { "+" } else { "" })
            }
            EventListItem::Row { row, within } => format!("{}{}", if *within { "- " } else { "" }, row.id),
        });
        labels.collect()
    }

    #[test]
    fn burst_is_one_line_until_unfolded() {
        let mut events = many(1, 5);
        events[0].event_type = "a2a.complete".to_owned();
        let rows = listed(events, None);
        assert_eq!(labels(&rows.items(|_| 1, true, &[])), ["day 5000", "s5", "4"]);
        let open = rows.items(|_| 1, true, &["s2".into()]);
        assert_eq!(labels(&open), ["day 5000", "s5", "4", "- s4", "- s3", "- s2", "- s1"]);
        assert_eq!(labels(&rows.items(|_| 1, false, &[])), ["day 5000", "s5", "s4", "s3", "s2", "s1"]);
    }

    /// A burst at the end of the loaded rows shows that its count may grow.
    #[test]
    fn burst_at_page_boundary_is_open_ended() {
        let mut rows = listed(many(11, 10), Some("s11"));
        assert_eq!(labels(&rows.items(|_| 1, true, &[]))[1..], ["10+"]);
        rows.append(&EventsPage { events: many(1, 10), ..page(&[], None) });
        assert_eq!(labels(&rows.items(|_| 1, true, &[]))[1..], ["20"]);
    }

    /// A burst ends its run, so that unfolding it redraws no other run.
    #[test]
    fn unfolding_burst_leaves_run_and_earlier_runs() {
        let mut events = many(1, 60);
        events.iter_mut().take(30).step_by(2).for_each(|row| row.event_type = "a2a.complete".to_owned());
        let rows = listed(events, None);
        let keys = |unfolded: &[EventId]| {
            let runs = runs(rows.items(|_| 1, true, unfolded));
            let burst = runs
                .iter()
                .position(|run| run.items.iter().any(|item| matches!(item, EventListItem::Burst(_))))
                .unwrap();
            runs.into_iter().take(burst + 1).map(|run| run.key).collect::<Vec<_>>()
        };
        assert_eq!(keys(&[]), keys(&["s3".into()]));
    }

    #[test]
    fn new_row_changes_only_first_run() {
        let lines = |count| {
            let items = listed(many(1, count), None).items(|_| 1, false, &[]);
            runs(items)
        };
        let (before, after) = (lines(1_000), lines(1_001));
        assert!(before.iter().all(|run| run.items.len() <= MAX_RUN_ROWS) && before.len() > 40);
        let same = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
        assert!(same + 3 >= before.len(), "{same} of {}", before.len());
        assert_eq!(after.iter().map(|run| run.items.len()).sum::<usize>(), 1_001, "nothing is lost");
        let keys: std::collections::HashSet<_> = after.iter().map(|run| &run.key).collect();
        assert_eq!(keys.len(), after.len());
    }

    fn ids(rows: &Rows) -> Vec<&str> {
        rows.events.iter().map(|row| row.id.as_str()).collect()
    }

    #[test]
    fn newer_page_is_prepended_to_older_pages() {
        let mut rows = Rows::from_page(&page(&[("d", 4), ("c", 3)], Some("c")));
        rows.append(&page(&[("b", 2), ("a", 1)], Some("a")));
        rows.refresh(&page(&[("e", 5), ("d", 4)], Some("d")));
        assert_eq!(ids(&rows), ["e", "d", "c", "b", "a"]);
        assert_eq!(rows.next.as_deref(), Some("a"));
    }

    #[test]
    fn disjoint_newer_page_replaces_loaded_pages() {
        let mut rows = Rows::from_page(&page(&[("b", 2), ("a", 1)], None));
        rows.refresh(&page(&[("z", 9), ("y", 8)], Some("y")));
        assert_eq!(ids(&rows), ["z", "y"]);
        assert_eq!(rows.next.as_deref(), Some("y"));
    }

    #[test]
    fn complete_page_drops_unmatched_rows() {
        let mut rows = Rows::from_page(&page(&[("b", 2), ("a", 1)], None));
        rows.refresh(&page(&[("b", 2)], None));
        assert_eq!(ids(&rows), ["b"]);
    }

    #[test]
    fn day_change_inserts_heading() {
        let rows = Rows::from_page(&page(&[("c", 250), ("b", 210), ("a", 110)], None));
        let days: Vec<bool> =
            rows.items(|at| at / 100, true, &[]).iter().map(|item| matches!(item, EventListItem::Day(_))).collect();
        assert_eq!(days, [true, false, false, true, false]);
    }
}
