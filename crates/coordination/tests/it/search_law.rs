//! Property tests of search. The answer is the same with an index, without one, and with an incomplete one, in any
//! order of arrival. For single words, the counts equal those of a scan of all texts.
//!
//! Proves (search): A search gives the same answer with an index, without one, and with one that is behind, in whatever
//! order lines arrive.

use coordination::api::{SearchHit, SearchPage, SearchQuery};
use coordination::event::{Event, parse_lines};
use coordination::hub::Hub;
use coordination::query::{self, QueryError};
use coordination::roster::Roster;
use coordination::search::index::{Candidates, NoIndex, SearchIndex};
use coordination::search::{event_rest, event_text};
use proptest::collection::vec;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

const START_MS: i64 = 1_771_500_000_000;
const NOW: i64 = START_MS + 3_600_000;

/// What texts are made of.
const PIECES: &[&str] = &[
    "배포",
    "배포를",
    "배",
    "회의",
    "회의록",
    "깃허브",
    "nginx",
    "nginx를",
    "Deploy",
    "workSessionId",
    "work_session_id",
    "monitor/src",
    "v2로",
    "ㅂㅍ",
    "ㅋㅋㅋ",
    "🚀",
    "👨\u{200d}👩\u{200d}👧",
    "会議",
    "é",
    "İstanbul",
    "각하",
    "12:30",
    "T-7",
    "a",
    "ab",
    "!",
    "NO_REPLY",
];

/// Parts of queries besides words out of the texts.
const OTHERS: &[&str] = &[
    "from:eden",
    "-from:eden",
    "to:seum",
    "agent:dajim",
    "type:task.note",
    "-type:a2a.send",
    "in:messages",
    "in:events",
    "session:ws-1",
    "task:T-7",
    "after:1d",
    "is:active",
    "role:conversation.main",
    "eden",
    "a2a",
    "-배포",
    "-\"nginx를\"",
    "ㅂㅍ",
    "없는말",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        9 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => prop::sample::select(PIECES).prop_map(|piece| piece.nfd().collect()),
        1 => "[가-힣a-z .]{1,6}",
        1 => (85_usize..90).prop_map(|length| "가나".repeat(length)),
    ];
    vec((piece, prop::sample::select(vec![" ", "", ", ", "\n"])), 1..5)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, gap)| piece + gap).collect())
}

/// One line at its place in one of two files.
fn line() -> impl Strategy<Value = String> {
    let who = || prop::sample::select(vec!["eden", "seum", "dajim", "배포담당"]);
    let kind = prop::sample::select(vec!["a2a.send", "a2a.send", "a2a.response", "task.note", "orchestration.task"]);
    (kind, who(), who(), 0_i64..4, text(), prop::option::of(text()), prop::bool::ANY, 0_i64..2_000).prop_map(
        |(kind, from, to, session, text, label, task, minute)| {
            let mut data = serde_json::json!({
                "fromAgent": from, "toAgent": to, "workSessionId": format!("ws-{session}"), "message": text,
                "conversationId": format!("c-{session}-{}", session + minute % 2),
            });
            if kind == "a2a.send" {
                data["eventRole"] = "conversation.main".into();
            }
            if let Some(label) = label {
                data[if task { "reason" } else { "label" }] = label.into();
            }
            if task {
                data["taskId"] = format!("T-{session}").into();
            }
            serde_json::json!({"type": kind, "agentId": from, "ts": START_MS - minute * 60_000, "data": data})
                .to_string()
        },
    )
}

fn events(lines: &[String]) -> Vec<Event> {
    let read = |(number, line): (usize, &String)| {
        let (mut events, errors) =
            parse_lines(format!("{line}\n").as_bytes(), &format!("f{}", number % 2), number as u64 * 100_000);
        assert!(errors.is_empty(), "{errors:?}");
        events.remove(0)
    };
    lines.iter().enumerate().map(read).collect()
}

fn hub() -> Hub {
    let mut hub = Hub::new();
    let config =
        r#"{agents:{list:[{id:"eden",identity:{name:"이든"}},{id:"seum"},{id:"dajim",identity:{name:"다짐"}}]}}"#;
    hub.set_roster(Roster::parse(config, &mut |_| Err(String::new())).unwrap());
    hub
}

fn search_query(q: &str, limit: u32, after: Option<String>) -> SearchQuery {
    SearchQuery { q: q.to_owned(), limit: Some(limit), after, ..SearchQuery::default() }
}

fn ask(hub: &Hub, index: &impl Candidates, q: &str) -> Result<SearchPage, QueryError> {
    query::search(hub, index, NOW, &search_query(q, 100, None))
}

/// All hits, a page of three after the other.
fn by_pages(hub: &Hub, index: &impl Candidates, q: &str) -> Vec<SearchHit> {
    let (mut out, mut after) = (Vec::new(), None);
    loop {
        let page = query::search(hub, index, NOW, &search_query(q, 3, after)).unwrap();
        out.extend(page.hits);
        after = page.next;
        if after.is_none() {
            return out;
        }
    }
}

/// A query of words and phrases cut out of the texts, and of what else there is.
fn queries(lines: &[String], cuts: &[(usize, usize, usize, u8)]) -> Vec<String> {
    let texts: Vec<String> = events(lines).iter().filter_map(|event| event.message().map(str::to_owned)).collect();
    let mut words = cuts.iter().map(|(line, from, length, how)| {
        let text = &texts[line % texts.len()];
        // A message may be empty.
        let from = from % text.chars().count().max(1);
        let piece: String = text.chars().skip(from).take(*length).collect();
        let other = OTHERS[(line + from) % OTHERS.len()];
        match how {
            0 => format!("\"{}\"", piece.replace('"', "")),
            1 => format!("-{}", piece.trim()),
            2 => other.to_owned(),
            3 => format!("{}를", piece.trim()),
            _ => piece,
        }
    });
    let mut out = Vec::new();
    while let Some(word) = words.next() {
        out.push(format!("{word} {}", words.next().unwrap_or_default()));
        out.push(word);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// At every step of every way to read a log.
    #[test]
    fn index_does_not_change_answers(
        lines in vec(line(), 1..24),
        order in vec(any::<u32>(), 24),
        steps in vec((1_usize..8, 0_u32..12), 1..8),
        cuts in vec((0_usize..100, 0_usize..40, 1_usize..9, 0_u8..8), 1..7),
    ) {
        let queries = queries(&lines, &cuts);
        let mut waiting: Vec<(u32, Event)> = order.iter().copied().cycle().zip(events(&lines)).collect();
        // Archives that are read late, lines of the past.
        waiting.sort_by_key(|(place, _)| *place);
        let mut waiting: Vec<Event> = waiting.into_iter().map(|(_, event)| event).collect();
        let (mut hub, mut index) = (hub(), SearchIndex::new());
        let last = (lines.len(), 0);
        for (batch, indexed) in steps.iter().copied().chain([last]) {
            let rest = waiting.split_off(batch.min(waiting.len()));
            hub.apply(std::mem::replace(&mut waiting, rest));
            for entry in hub.index_entries(index.covered(), indexed) {
                prop_assert!(index.add(&entry));
            }
            for q in &queries {
                let (with, without) = (ask(&hub, &index, q), ask(&hub, &NoIndex, q));
                prop_assert_eq!(&with, &without, "{}: {} of {} indexed", q, index.covered(), hub.events().len());
                if let Ok(page) = with {
                    prop_assert_eq!(page.total as usize, page.hits.len());
                    prop_assert_eq!(by_pages(&hub, &index, q), page.hits);
                }
            }
        }
        // In the order of the files, all at once.
        let mut other = self::hub();
        other.apply(events(&lines));
        for q in &queries {
            let (one, other) = (ask(&hub, &index, q), ask(&other, &NoIndex, q));
            prop_assert_eq!(one.map(|page| (page.hits, page.counts, page.facets)), other.map(|page| (page.hits, page.counts, page.facets)), "{}", q);
        }
    }

    /// One word, no part of which anything is said about: a text has it where its letters stand, composed and small.
    #[test]
    fn plain_word_matches_its_letters(
        lines in vec(line(), 1..24),
        word in prop::sample::select(vec!["배포", "포", "회의", "nginx", "dep", "ession", "会", "🚀", "가나", "bㄱ", "12", "ㅋ", "eden", "note"]),
        indexed in 0_u32..30,
    ) {
        let events = events(&lines);
        let (mut hub, mut index) = (hub(), SearchIndex::new());
        hub.apply(events.clone());
        for entry in hub.index_entries(0, indexed) {
            prop_assert!(index.add(&entry));
        }
        let page = ask(&hub, &index, word).unwrap();
        let bubbles: Vec<_> = ask(&hub, &NoIndex, "in:messages").unwrap().hits.into_iter().map(|hit| hit.event_id).collect();
        let holds = |text: &str| text.nfc().collect::<String>().to_lowercase().contains(word);
        // A bubble is found by its text alone.
        let is_hit = |event: &Event| {
            event_text(event).is_some_and(|text| holds(&text))
                || (!bubbles.contains(&Some(event.id())) && event_rest(event).any(holds))
        };
        let naive = events.iter().filter(|event| is_hit(event)).count();
        prop_assert_eq!((page.counts.messages + page.counts.events) as usize, naive, "{}", word);
    }
}
