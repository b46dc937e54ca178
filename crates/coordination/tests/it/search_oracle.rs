//! Tests of search counts and lists against a plain loop over all events of several fixture logs.
//!
//! Proves (search): A search counts and lists what a plain loop over all events finds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use coordination::api::{SearchKind, SearchPage, SearchQuery, SessionsQuery, TasksQuery, ThreadQuery};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::ids::{AgentId, TaskId};
use coordination::query;
use coordination::roster::Roster;
use coordination::search::WordFilter;
use coordination::search::index::{Candidates, NoIndex, SearchIndex};
use coordination::title::TitleSource;
use coordination::workspace::{AgentWorkspace, Task, Workspace};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

const NOW: i64 = 1_772_000_000_000;

/// One of the stories.
pub(crate) fn story(name: &str) -> Hub {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    let mut hub = Hub::new();
    let config = std::fs::read_to_string(home.join("openclaw.json")).unwrap_or_default();
    hub.set_roster(Roster::parse(&config, &mut |_| Err(String::new())).unwrap_or_default());
    let mut files: Vec<_> = std::fs::read_dir(home.join("logs")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for (number, file) in files.iter().enumerate() {
        hub.apply(parse_lines(&std::fs::read(file).unwrap(), &format!("f{number}"), 0).0);
    }
    hub
}

/// Texts of the messages, as the pages of all threads show them.
fn messages(hub: &Hub) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut page_query = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
    loop {
        let sessions = query::sessions(hub, NOW, &page_query).unwrap();
        for card in sessions.sessions {
            let detail = query::session(hub, NOW, &card.work_session_id).unwrap();
            for thread in detail.threads {
                let whole = ThreadQuery { limit: Some(500), ..ThreadQuery::default() };
                let page = query::thread_page(hub, NOW, &card.work_session_id, &thread.thread_id, &whole);
                let page = page.unwrap().unwrap();
                assert!(page.previous_page.is_none());
                out.extend(
                    page.messages.into_iter().map(|message| (message.id.as_str().to_owned(), plain(&message.text))),
                );
            }
        }
        page_query.after = sessions.next;
        if page_query.after.is_none() {
            return out;
        }
    }
}

fn plain(text: &str) -> String {
    text.nfc().collect::<String>().to_lowercase()
}

/// What each event that is no message is found by.
fn others(hub: &Hub, messages: &BTreeMap<String, String>) -> BTreeMap<String, Vec<String>> {
    let events = hub.events().iter().filter(|event| !messages.contains_key(event.id().as_str()));
    let matching = events.map(|event| {
        let shown = event.display_text();
        let task = event.task_id();
        let fields = [
            shown.as_deref().or_else(|| event.written_text()),
            event.label(),
            event.reason(),
            event.error(),
            task.as_ref().map(|task| task.as_str()),
            Some(event.event_type()),
            Some(event.agent()).filter(|agent| *agent != "unknown"),
            Some(event.from_text()).filter(|agent| *agent != "unknown"),
            Some(event.to_text()).filter(|agent| *agent != "unknown"),
        ];
        (event.id().as_str().to_owned(), fields.into_iter().flatten().map(plain).collect())
    });
    matching.collect()
}

/// All pages of a search, as ids of messages and of other events.
fn search_with(hub: &Hub, index: &impl Candidates, q: &str) -> (SearchPage, BTreeSet<String>, BTreeSet<String>) {
    let (mut found, mut after, mut first) = (Vec::new(), None, None);
    loop {
        let within = vec![SearchKind::Messages, SearchKind::Events];
        let query = SearchQuery { q: q.to_owned(), limit: Some(100), after, within, ..SearchQuery::default() };
        let page = query::search(hub, index, NOW, &query).unwrap();
        found.extend(page.hits.clone());
        after = page.next.clone();
        first.get_or_insert(page);
        if after.is_none() {
            break;
        }
    }
    let first = first.unwrap();
    assert_eq!(found.len(), first.total as usize, "each once: {q}");
    let ids = |kind| -> BTreeSet<String> {
        let hits = found.iter().filter(|hit| hit.kind == kind);
        hits.map(|hit| hit.event_id.as_ref().unwrap().as_str().to_owned()).collect()
    };
    (first, ids(SearchKind::Messages), ids(SearchKind::Events))
}

#[test]
fn counts_and_pages_match_linear_scan() {
    for name in ["everything", "text-zoo", "legacy-eras", "trouble", "spawn"] {
        let hub = story(name);
        let messages = messages(&hub);
        let others = others(&hub, &messages);
        let texts: Vec<char> = messages.values().flat_map(|text| text.chars().collect::<Vec<_>>()).collect();
        let syllable = |c: &char| ('가'..='힣').contains(c);
        let latin = |c: &char| c.is_ascii_alphanumeric();
        let pairs = texts.windows(2).filter(|two| two.iter().all(syllable)).map(String::from_iter);
        let letters = texts.windows(3).filter(|three| three.iter().all(latin)).map(String::from_iter);
        let ones = texts.iter().filter(|c| syllable(c)).map(char::to_string);
        let mut words: Vec<String> = pairs.chain(letters).chain(ones).collect();
        words.sort_unstable();
        words.dedup();
        let step = words.len() / 12 + 1;
        let mut index = SearchIndex::new();
        hub.index_entries(0, u32::MAX)
            .iter()
            .take(hub.events().len() * 2 / 3)
            .for_each(|entry| assert!(index.add(entry)));
        let mut hits = 0;
        for word in words.iter().step_by(step).map(String::as_str).chain(["a2a", "seum", "없는말"]) {
            let in_messages: BTreeSet<String> =
                messages.iter().filter(|(_, text)| text.contains(word)).map(|(id, _)| id.clone()).collect();
            let holds = |fields: &Vec<String>| fields.iter().any(|field| field.contains(word));
            let in_events: BTreeSet<String> =
                others.iter().filter(|(_, fields)| holds(fields)).map(|(id, _)| id.clone()).collect();
            let (page, found, found_events) = search_with(&hub, &NoIndex, word);
            assert_eq!((&found, &found_events), (&in_messages, &in_events), "{word} in {name}");
            let counts = (page.counts.messages as usize, page.counts.events as usize);
            assert_eq!(counts, (in_messages.len(), in_events.len()), "{word} in {name}");
            assert_eq!(search_with(&hub, &index, word), (page.clone(), found, found_events), "{word} in {name}");
            let types: u32 = page.facets.types.iter().map(|(_, sum)| sum).sum();
            assert!(types == page.total || page.facets.types.len() == 20);
            let within = vec![SearchKind::Messages, SearchKind::Events];
            let query = SearchQuery { q: format!("-{word}"), within, ..SearchQuery::default() };
            let opposite = query::search(&hub, &index, NOW, &query).unwrap();
            assert_eq!((opposite.total + page.total) as usize, hub.events().len(), "-{word} in {name}");
            hits += page.total;
        }
        assert!(hits > 20, "{name} has something to find");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn two_words_match_both(a in "[가-힣]{1,2}|[a-z]{1,2}", b in "배포|확인|a2a|e|이", c in "요청|o") {
        static STORY: LazyLock<Hub> = LazyLock::new(|| story("everything"));
        let set = |q: &str| search_with(&STORY, &NoIndex, q);
        let ((_, a1, a2), (_, b1, b2), (_, c1, c2)) = (set(&a), set(&b), set(&c));
        let (_, messages, events) = set(&format!("{a} {b} -{c}"));
        prop_assert_eq!(messages, a1.intersection(&b1).filter(|id| !c1.contains(*id)).cloned().collect());
        prop_assert_eq!(events, a2.intersection(&b2).filter(|id| !c2.contains(*id)).cloned().collect());
    }
}

/// The ids of all hits of a kind.
fn hits(hub: &Hub, index: &SearchIndex, q: &str, kind: SearchKind) -> BTreeSet<String> {
    let (mut found, mut after) = (BTreeSet::new(), None);
    loop {
        let within = vec![kind];
        let query = SearchQuery { q: q.to_owned(), limit: Some(100), after, within, ..SearchQuery::default() };
        let page = query::search(hub, index, NOW, &query).unwrap();
        for hit in page.hits {
            let id = match kind {
                SearchKind::Tasks => format!("{}/{}", hit.from.unwrap(), hit.task_id.unwrap()),
                _ => hit.session_id.unwrap().to_string(),
            };
            assert!(found.insert(id), "each once: {q}");
        }
        after = page.next;
        if after.is_none() {
            assert_eq!(found.len(), page.total as usize, "{q}");
            return found;
        }
    }
}

/// Sessions by title, id, tags and who takes part, tasks by title, id and whose they are: what lists show of them, looked
/// at one by one. The files came in any order, so that titles changed on the way.
#[test]
fn sessions_and_tasks_match_their_list_text() {
    for name in ["everything", "text-zoo", "legacy-eras", "trouble", "spawn"] {
        let mut hub = story(name);
        let events: Vec<_> = hub.events().iter().cloned().collect();
        let roster = hub.roster().clone();
        hub = Hub::new();
        hub.set_roster(roster.clone());
        for chunk in events.chunks(17).rev() {
            hub.apply(chunk.to_vec());
        }
        let tasks: Vec<TaskId> = hub.events().iter().filter_map(|event| event.task_id()).collect();
        let file = |(number, id): (usize, &TaskId)| Task {
            id: id.clone(),
            description: format!("결제 점검 {number} 배포 nginx"),
            ..Task::default()
        };
        let files = tasks.iter().step_by(3).enumerate().map(file).collect();
        let folder = AgentWorkspace { agent_id: "eden".into(), tasks: files, ..AgentWorkspace::default() };
        hub.set_workspace(Workspace { agents: vec![folder] });
        let named = |id: &AgentId| roster.agent(id.as_str()).and_then(|agent| agent.name.clone()).unwrap_or_default();
        let emoji = |id: &AgentId| roster.agent(id.as_str()).and_then(|agent| agent.emoji.clone()).unwrap_or_default();
        let mut sessions: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut page_query = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
        loop {
            let page = query::sessions(&hub, NOW, &page_query).unwrap();
            for card in page.sessions {
                let mut texts = vec![card.work_session_id.to_string()];
                if card.title_source != TitleSource::Default {
                    texts.push(card.title);
                }
                texts.extend(card.sub_tags.into_iter().take(5));
                texts.extend(card.participants.iter().flat_map(|id| [id.to_string(), named(id), emoji(id)]));
                sessions.insert(card.work_session_id.to_string(), texts);
            }
            page_query.after = page.next;
            if page_query.after.is_none() {
                break;
            }
        }
        let listed = query::tasks(&hub, NOW, &TasksQuery::default()).unwrap().tasks;
        let tasks: BTreeMap<String, Vec<String>> = listed
            .into_iter()
            .map(|task| {
                let id = &task.agent_id;
                let texts = vec![task.id.to_string(), task.title, id.to_string(), named(id), emoji(id)];
                (format!("{}/{}", task.agent_id, task.id), texts)
            })
            .collect();
        let all: String = sessions.values().chain(tasks.values()).flatten().map(|text| format!("{text} ")).collect();
        let letters: Vec<char> = all.to_lowercase().chars().collect();
        let mut words: BTreeSet<String> =
            letters.windows(2).step_by(letters.len() / 40 + 1).map(String::from_iter).collect();
        words.extend(letters.windows(4).step_by(letters.len() / 20 + 1).map(String::from_iter));
        words.extend(["ㅂㅍ", "ㄱㅈ", "배포를", "\"결제 점검\"", "task_1", "결제 eden", "없는말zq"].map(str::to_owned));
        let mut hit = 0;
        let mut index = SearchIndex::new();
        assert!(hub.index_entries(0, u32::MAX).iter().all(|entry| index.add(entry)));
        let plain = |word: &&String| {
            word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ' ')) && !word.trim().is_empty()
        };
        for word in words.iter().filter(|word| plain(word) || word.starts_with("\"결")) {
            let Some(terms) = WordFilter::read(word) else { continue };
            let matching = |texts: &BTreeMap<String, Vec<String>>| -> BTreeSet<String> {
                let holds =
                    |texts: &Vec<String>| terms.is_all(texts.iter().fold(0, |mask, text| mask | terms.mask(text)));
                texts.iter().filter(|(_, texts)| holds(texts)).map(|(id, _)| id.clone()).collect()
            };
            assert_eq!(hits(&hub, &index, word, SearchKind::Sessions), matching(&sessions), "{name}: {word:?}");
            let found = hits(&hub, &index, word, SearchKind::Tasks);
            assert_eq!(found, matching(&tasks), "{name}: {word:?}");
            hit += found.len();
        }
        assert!(hit > 0 || tasks.is_empty(), "{name}");
    }
}
