//! Fuzz target of the search: first line of the input = query, other lines = log. No input causes a panic.
//!
//! Error ranges lie within the query, and highlights lie within their text. A parsed query is the same after
//! conversion to text and back, unless its text becomes too long. Results are the same with and without a search index.
#![no_main]

use coordination::api::SearchQuery;
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::search::index::{NoIndex, SearchIndex};
use coordination::search::{self, Clause};
use libfuzzer_sys::fuzz_target;

const NOW: i64 = 1_772_000_000_000;

fuzz_target!(|bytes: &[u8]| {
    let (first, log) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    let q = String::from_utf8_lossy(first).into_owned();
    let mut hub = Hub::new();
    hub.apply(parse_lines(log, "file", 0).0);
    let clauses = match search::parse(&q) {
        Ok(clauses) => clauses,
        Err(error) => {
            let [from, to] = error.range.expect("a place");
            assert!(from <= to && to as usize <= q.encode_utf16().count());
            return;
        }
    };
    let plain = |all: &[Clause]| all.iter().map(|it| (it.not, it.sense.clone(), it.value.clone())).collect::<Vec<_>>();
    let written = search::to_text(&clauses);
    match search::parse(&written) {
        Ok(again) => assert_eq!(plain(&clauses), plain(&again)),
        // Quotes and backslashes that were not needed before may make it longer than a query may be.
        Err(_) => assert!(written.chars().count() > search::MAX_CHARS, "what was written can be read: {written}"),
    }
    let mut index = SearchIndex::new();
    let half = u32::try_from(hub.events().len() / 2).unwrap_or(u32::MAX);
    hub.index_entries(0, half).iter().for_each(|entry| assert!(index.add(entry)));
    let search_query = SearchQuery { q, ..SearchQuery::default() };
    let answer = query::search(&hub, &NoIndex, NOW, &search_query).expect("it can be read");
    assert_eq!(answer, query::search(&hub, &index, NOW, &search_query).expect("it can be read"));
    for marked in answer.hits.iter().flat_map(|hit| hit.title.iter().chain(&hit.snippet)) {
        let units: Vec<u16> = marked.text.encode_utf16().collect();
        let mut at = 0;
        for [from, to] in &marked.marks {
            assert!(at <= *from && from < to, "{marked:?}");
            let piece = units.get(*from as usize..*to as usize).expect("within the text");
            String::from_utf16(piece).expect("on boundaries");
            at = *to;
        }
    }
});
