//! Fuzz target of the readers of session stores, session keys and names of archived files. No input causes a panic.
//! Every listed session is found again by its key.
#![no_main]

use coordination::api::StoreQuery;
use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::session_key::{KeyRules, SessionKey};
use coordination::store::{ArchivedTranscript, StoreSnapshot, list, read_file_store, read_runs};
use libfuzzer_sys::fuzz_target;

const NOW: i64 = 1_795_229_700_000;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    drop(read_runs(&text));
    let agent = AgentId::from("eden");
    for line in text.lines().take(20) {
        if let Some(key) = SessionKey::parse(line) {
            assert_eq!(SessionKey::parse(key.as_str()).as_ref(), Some(&key), "what is read is written");
        }
        drop((ArchivedTranscript::from_file_name(&agent, line), ArchivedTranscript::from_import_file(&agent, line)));
    }
    let rules = KeyRules { default_agent: "eden".to_owned(), ..KeyRules::default() };
    let Ok((sessions, _)) = read_file_store(&text, &rules) else { return };
    let all = StoreSnapshot { sessions: StoreSnapshot::once(sessions), ..StoreSnapshot::default() };
    for archived in [false, true] {
        let query = StoreQuery { archived, include_derived_titles: true, ..StoreQuery::default() };
        let answer = list(&all, &Roster::default(), &query, NOW, &mut ());
        assert_eq!(answer.count, answer.total_count);
        for row in &answer.sessions {
            assert_eq!(row.archived, archived);
            assert!(all.find(&row.key, &rules).is_some(), "{}", row.key);
        }
    }
});
