//! Test of the search index: indexing continues while a query reads the index.
//!
//! Proves (search): A long query does not stop the indexing of new events. They are in the index when the query has
//! ended.

use coordination::search::index::Candidates as _;

use super::{HubMemory, Live, NOW, ServerClock, json, parse_lines};

#[test]
fn long_index_queries_do_not_block_growth() {
    let live = Live::new("run".to_owned(), ServerClock::fixed(NOW), &HubMemory::default());
    let line = |n: i64| {
        let data =
            json!({"fromAgent": "eden", "toAgent": "seum", "message": format!("배포 {n}번"), "conversationId": "c"});
        json!({"type": "a2a.send", "agentId": "eden", "ts": NOW + n, "data": data})
    };
    let lines: Vec<String> = (0..2_000).map(|n| line(n).to_string()).collect();
    let (events, bad) = parse_lines(format!("{}\n", lines.join("\n")).as_bytes(), "log", 0);
    assert!(bad.is_empty(), "{bad:?}");
    live.write(|hub| hub.apply(events));
    let mut made = Vec::new();
    let question = live.index();
    for slices in 1..=3 {
        assert!(live.index_more(256, &mut made), "there is more");
        assert_eq!((question.covered(), made.len()), (0, slices * 256));
    }
    drop(question);
    assert!(live.index_more(256, &mut made));
    assert_eq!((live.index().covered(), made.len()), (1_024, 0), "all that was made meanwhile goes in at once");
    while live.index_more(256, &mut made) {}
    assert_eq!(live.index().covered(), 2_000);
    assert_eq!(live.hub().events().len(), 2_000);
}
