//! Tests of due times of recaps, of clocks that jump, and of the outbox that remembers them.
//!
//! Proves (work): A recap is made once for each of its due times, by offset, day of the week and time of the day, also over
//! the end of a month or year, restarts and a compacted outbox, and with a clock that jumps forward or back. One that was
//! missed for up to twelve hours is made once, up to the moment it is sent.

use super::*;
use crate::alerts::{Outbox, OutboxLine};
use crate::time::{parse_iso, to_iso};

const HOUR: i64 = 60 * MINUTE_MS;

/// Times, days, offset, now, the newest due time up to then, the first one after it.
type DueCase<'a> = (&'a [&'a str], &'a [&'a str], i64, &'a str, &'a str, &'a str);

/// What happens, and moments with the hours that a recap made then covers.
type RecapStory<'a> = (&'a str, &'a [(&'a str, Option<i64>)]);

fn at(text: &str) -> i64 {
    parse_iso(text).unwrap()
}

fn schedule(times: &[&str], days: &[&str], offset: i64) -> RecapSchedule {
    let mut schedule = RecapSchedule::new("morning", offset);
    assert!(times.iter().all(|time| schedule.add_time(time)));
    let days: Vec<String> = days.iter().map(|day| (*day).to_owned()).collect();
    if !days.is_empty() {
        schedule.set_days(&days).unwrap();
    }
    schedule
}

#[test]
fn due_times_follow_offset_days_and_times() {
    let weekdays = ["mon", "tue", "wed", "thu", "fri"];
    let seoul = 9 * 60;
    let cases: [DueCase<'_>; 10] = [
        (&["08:30"], &[], 0, "2026-03-04T08:29:59", "2026-03-03T08:30:00", "2026-03-04T08:30:00"),
        (&["08:30"], &[], 0, "2026-03-04T08:30:00", "2026-03-04T08:30:00", "2026-03-05T08:30:00"),
        // 08:30 in Seoul is 23:30 of the day before.
        (&["08:30"], &[], seoul, "2026-03-04T23:30:00", "2026-03-04T23:30:00", "2026-03-05T23:30:00"),
        // Monday morning in Seoul is Sunday evening in UTC; the recap before is Friday's.
        (&["08:30"], &weekdays, seoul, "2026-03-01T23:29:00", "2026-02-26T23:30:00", "2026-03-01T23:30:00"),
        (&["08:30"], &weekdays, -5 * 60, "2026-03-01T23:29:00", "2026-02-27T13:30:00", "2026-03-02T13:30:00"),
        (&["18:00", "08:30"], &[], 0, "2026-03-04T12:00:00", "2026-03-04T08:30:00", "2026-03-04T18:00:00"),
        (&["18:00", "08:30"], &["sat"], 0, "2026-03-04T12:00:00", "2026-02-28T18:00:00", "2026-03-07T08:30:00"),
        // End of the month, of the year, of a February with 29 days.
        (&["00:00"], &[], 0, "2026-04-30T23:59:00", "2026-04-30T00:00:00", "2026-05-01T00:00:00"),
        (&["08:30"], &[], seoul, "2026-12-31T23:30:00", "2026-12-31T23:30:00", "2027-01-01T23:30:00"),
        (&["06:00"], &["tue"], 0, "2028-02-29T05:00:00", "2028-02-22T06:00:00", "2028-02-29T06:00:00"),
    ];
    for (times, days, offset, now, last, next) in cases {
        let schedule = schedule(times, days, offset);
        let due = |due: Option<i64>| to_iso(due.unwrap());
        let (last, next) = (format!("{last}.000Z"), format!("{next}.000Z"));
        assert_eq!((due(schedule.last_due(at(now))), due(schedule.next_due(at(now)))), (last, next), "{times:?} {now}");
    }
    assert_eq!(schedule(&[], &[], 0).last_due(0), None);
}

#[test]
fn times_and_days_are_read_strictly() {
    let mut schedule = RecapSchedule::new("r", 0);
    for wrong in ["", "8:30", "08.30", "24:00", "08:60", "25:00", "-1:00"] {
        assert!(!schedule.add_time(wrong), "{wrong}");
    }
    assert!(schedule.add_time("23:59") && schedule.add_time("00:00"));
    assert_eq!(schedule.times(), ["00:00", "23:59"]);
    assert!(schedule.day_names().is_empty());
    assert_eq!(schedule.set_days(&["Mon".to_owned(), "monday".to_owned()]), Err("monday"));
    schedule.set_days(&["SUN".to_owned(), "mon".to_owned()]).unwrap();
    assert_eq!(schedule.day_names(), ["mon", "sun"]);
}

/// A schedule that runs on an outbox.
struct RecapRun {
    schedule: RecapSchedule,
    outbox: Outbox,
}

impl RecapRun {
    /// The period of the recap that is made at this moment, in hours before it.
    fn look(&mut self, now: &str) -> Option<i64> {
        let now = at(now);
        let name = self.schedule.name.clone();
        match self.schedule.step(self.outbox.recaps.get(&name), now) {
            RecapStep::Wait => None,
            RecapStep::Mark(mark) => {
                self.outbox.apply(OutboxLine::RecapMarked { recap: name, mark });
                None
            }
            RecapStep::Due(DueRecap { due, since }) => {
                self.outbox.apply(OutboxLine::Recap { recap: name, due, at: now, messages: Vec::new() });
                Some((now - since) / HOUR)
            }
        }
    }

    /// What a monitor reads after its outbox was compacted.
    fn restart(&mut self) {
        let mut outbox = Outbox::default();
        for line in self.outbox.lines(0) {
            let written = serde_json::to_string(&line).unwrap();
            outbox.apply(serde_json::from_str(&written).unwrap());
        }
        assert_eq!(outbox, self.outbox);
        self.outbox = outbox;
    }
}

#[test]
fn recap_is_made_once_for_each_due_time() {
    let stories: [RecapStory<'_>; 8] = [
        (
            "day by day",
            &[
                ("2026-03-04T08:00:00", None),
                ("2026-03-04T08:30:00", Some(24)),
                ("2026-03-04T08:30:01", None),
                ("2026-03-05T08:30:00", Some(24)),
                ("2026-03-05T20:00:00", None),
            ],
        ),
        (
            "what was due before the schedule began is not made",
            &[("2026-03-04T09:00:00", None), ("2026-03-04T09:01:00", None)],
        ),
        (
            "missed while the monitor was off",
            &[("2026-03-04T08:00:00", None), ("2026-03-04T20:30:00", Some(24)), ("2026-03-05T08:30:00", Some(12))],
        ),
        (
            "missed for longer: the next one covers it",
            &[
                ("2026-03-04T08:00:00", None),
                ("2026-03-04T08:30:00", Some(24)),
                ("2026-03-05T20:30:01", None),
                ("2026-03-06T08:30:00", Some(48)),
            ],
        ),
        (
            "two weeks at most",
            &[("2026-03-04T08:00:00", None), ("2026-03-04T08:30:00", Some(24)), ("2026-04-04T08:30:00", Some(14 * 24))],
        ),
        (
            "the clock is set back by hours",
            &[
                ("2026-03-04T08:00:00", None),
                ("2026-03-04T08:30:00", Some(24)),
                ("2026-03-04T07:00:00", None),
                ("2026-03-04T08:30:00", None),
                ("2026-03-05T08:30:00", Some(25)),
            ],
        ),
        (
            "the clock was ahead by days",
            &[
                ("2026-03-04T08:00:00", None),
                ("2026-03-06T08:31:00", Some(24)),
                ("2026-03-04T08:20:00", None),
                ("2026-03-04T08:30:00", Some(24)),
                ("2026-03-05T08:30:00", Some(24)),
                // This one was made already.
                ("2026-03-06T08:30:00", None),
                ("2026-03-07T08:30:00", Some(48)),
            ],
        ),
        (
            "the clock jumps forward over several due times",
            &[("2026-03-04T08:00:00", None), ("2026-03-09T09:00:00", Some(24)), ("2026-03-09T09:01:00", None)],
        ),
    ];
    for (story, moments) in stories {
        for restarts in [false, true] {
            let mut run = RecapRun { schedule: schedule(&["08:30"], &[], 0), outbox: Outbox::default() };
            for (now, hours) in moments {
                assert_eq!(run.look(now), *hours, "{story}: {now}");
                if restarts {
                    run.restart();
                }
            }
        }
    }
}

#[test]
fn removed_recap_is_forgotten() {
    let mut run = RecapRun { schedule: schedule(&["08:30"], &[], 0), outbox: Outbox::default() };
    run.look("2026-03-04T08:00:00");
    run.outbox.apply(OutboxLine::RecapEnded { recap: "morning".to_owned() });
    assert_eq!(run.outbox.recaps.len(), 0);
}

#[test]
fn remembered_due_times_are_bounded() {
    let mut mark = RecapMark::default();
    (0..500).for_each(|due| mark.settle(due, due));
    assert_eq!((mark.dues.len(), mark.dues.first()), (MAX_DUES, Some(&(500 - MAX_DUES as i64))));
}

#[test]
fn each_receiver_gets_a_message_unless_nothing_happened() {
    let route = |name: &str, targets: Option<Vec<String>>| SinkRoute {
        name: name.to_owned(),
        targets,
        edits: false,
        sends_over: false,
    };
    let routes =
        [route("chat", None), route("phones", Some(vec!["a".to_owned(), "b".to_owned()])), route("mail", None)];
    let mut schedule = schedule(&["08:30"], &[], 0);
    let busy = RecapDigest { totals: vec![RecapTotal { kind: RecapKind::Failed, count: 2 }], ..RecapDigest::default() };
    let sent = |schedule: &RecapSchedule, digest: &RecapDigest| {
        let messages = schedule.messages(5, digest, &routes, 7);
        messages.into_iter().map(|it| (it.id, it.sink, it.target.unwrap_or_default())).collect::<Vec<_>>()
    };
    let expected = [(7, "chat", ""), (8, "phones", "a"), (9, "phones", "b"), (10, "mail", "")];
    let expected = expected.map(|(id, sink, target)| (id, sink.to_owned(), target.to_owned()));
    assert_eq!(sent(&schedule, &busy), expected);
    let quiet = RecapDigest::default();
    assert_eq!(sent(&schedule, &quiet).len(), 0);
    assert_eq!(sent(&schedule, &RecapDigest { partial: true, ..quiet.clone() }).len(), 4, "not read is not nothing");
    schedule.sends_empty = true;
    schedule.sinks = vec!["mail".to_owned()];
    assert_eq!(sent(&schedule, &quiet), [(7, "mail".to_owned(), String::new())]);
    let message = schedule.messages(5, &busy, &routes, 7).remove(0);
    assert_eq!((message.rule_name(), message.rule.as_str()), ("morning", "recap:morning"));
}
