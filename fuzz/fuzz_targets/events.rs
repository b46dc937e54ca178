//! Fuzz target of the event reader and of the main queries over its events. No log causes a panic or a failed query.
//! Categories and their shares over time (drift) are equal whether events are applied in one batch or one by one.
#![no_main]

use coordination::api::{EventsQuery, PeriodsQuery, SessionsQuery, TasksQuery, ThreadQuery};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::{markdown, query};
use libfuzzer_sys::fuzz_target;

const NOW: i64 = 1_772_000_000_000;

fuzz_target!(|bytes: &[u8]| {
    let (events, _) = parse_lines(bytes, "file", 0);
    let (mut at_once, mut one_by_one) = (Hub::new(), Hub::new());
    at_once.apply(events.clone());
    for event in events {
        one_by_one.apply(vec![event]);
    }
    let home = query::home(&at_once, NOW);
    assert_eq!(home.categories, query::home(&one_by_one, NOW).categories);
    let drift = |hub: &Hub| query::drift(hub, NOW, &PeriodsQuery::default());
    assert_eq!(drift(&at_once).periods, drift(&one_by_one).periods);
    let sessions = query::sessions(&at_once, NOW, &SessionsQuery::default()).expect("no cursor was given");
    for card in &sessions.sessions {
        let detail = query::session(&at_once, NOW, &card.work_session_id).expect("a listed session");
        for thread in &detail.threads {
            let page =
                query::thread_page(&at_once, NOW, &card.work_session_id, &thread.thread_id, &ThreadQuery::default());
            let page = page.expect("no cursor was given").expect("a listed thread");
            page.messages.iter().for_each(|message| drop(markdown::parse(&message.text, &|_| None)));
        }
    }
    query::events(&at_once, NOW, &EventsQuery::default()).expect("no cursor was given");
    query::tasks(&at_once, NOW, &TasksQuery::default()).expect("no cursor was given");
});
