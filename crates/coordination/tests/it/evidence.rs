//! Tests of evidence files: what is collected is read again and fits the log, and each changed byte, missing, added or
//! changed line is found.
//!
//! Proves (evidence): An evidence file of any session of any story fits its log. Of 10,000 random changes of a byte, and
//! of every line left out or added, each is found. A forged file with a matching hash does not fit the log. A thread and a
//! search hold exactly the lines of their events. A file names those agents of the roster that its lines name, masked with
//! the lines; one of version 1, without names, is read as before.

use coordination::api::EventsQuery;
use coordination::event::parse_lines;
use coordination::evidence::{
    self, EvidenceAgent, EvidenceFault, EvidenceFile, EvidenceHeader, EvidenceScope, FORMAT, LinePlace, LogBytes,
    PageParts, VERSION,
};
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;
use coordination::transcript::mask;

use crate::merge_law::MergeRandom;
use crate::packed::stories;

const NOW: i64 = 1_772_000_000_000;

/// Logs of a story with their names, in order of the names.
pub(crate) fn logs_of(story: &str) -> Vec<(String, Vec<u8>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(story).join("logs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// Agents of a story; none where it has no configuration that can be read.
fn roster_of(story: &str) -> Roster {
    let file =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(story).join("openclaw.json");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    Roster::parse(&text, &mut |path| Err(path.to_owned())).unwrap_or_default()
}

pub(crate) fn bytes(logs: &[(String, Vec<u8>)]) -> Vec<LogBytes<'_>> {
    logs.iter().map(|(name, bytes)| LogBytes { token: name, name, bytes }).collect()
}

pub(crate) fn hub(logs: &[(String, Vec<u8>)]) -> Hub {
    let mut hub = Hub::new();
    for (name, bytes) in logs {
        hub.apply(parse_lines(bytes, name, 0).0);
    }
    hub
}

fn header(scope: EvidenceScope) -> EvidenceHeader {
    EvidenceHeader {
        format: FORMAT.to_owned(),
        version: VERSION,
        scope,
        files: Vec::new(),
        lines: 0,
        masked: 0,
        made_at: NOW,
        made_by: Some("이든".to_owned()),
        program: "test".to_owned(),
        note: Some("근거".to_owned()),
        agents: Vec::new(),
        notes: Vec::new(),
    }
}

/// The evidence file of a scope; none when the hub does not know the session.
pub(crate) fn collect(
    hub: &Hub,
    logs: &[(String, Vec<u8>)],
    scope: EvidenceScope,
    mask: Option<fn(&str) -> String>,
) -> Option<EvidenceFile> {
    let events = evidence::events(hub, &scope)?;
    Some(EvidenceFile::collect(&events, &bytes(logs), header(scope), mask).unwrap())
}

pub(crate) fn of_session(logs: &[(String, Vec<u8>)], session: &str, masked: bool) -> EvidenceFile {
    let scope = EvidenceScope { session: Some(session.into()), ..EvidenceScope::default() };
    let mask = masked.then_some(mask as fn(&str) -> String);
    collect(&hub(logs), logs, scope, mask).unwrap()
}

fn sessions(hub: &Hub) -> Vec<String> {
    let all = coordination::api::SessionsQuery { limit: Some(200), ..Default::default() };
    let page = query::sessions(hub, NOW, &all).unwrap();
    page.sessions.iter().map(|card| card.work_session_id.to_string()).collect()
}

#[test]
fn every_session_of_every_story_fits_its_log() {
    for story in stories() {
        let logs = logs_of(&story);
        let hub = hub(&logs);
        for session in sessions(&hub).iter().take(40) {
            for masked in [false, true] {
                let mut made = of_session(&logs, session, masked);
                made.name_agents(&roster_of(&story), masked.then_some(mask));
                let read = EvidenceFile::read(made.to_text().as_bytes());
                assert_eq!(read.as_ref(), Ok(&made), "{story} {session}");
                let page = EvidenceFile::read(made.to_html(&page()).as_bytes());
                assert_eq!(page.as_ref(), Ok(&made), "{story} {session}");
                assert_eq!(made.compare(&hub, &bytes(&logs), mask), [], "{story} {session}");
                // The lines alone are events of the session.
                let texts = made.lines.iter().map(|line| line.text.clone() + "\n").collect::<String>();
                let mut alone = Hub::new();
                alone.apply(parse_lines(texts.as_bytes(), "alone", 0).0);
                let (of_file, of_log) = (sessions(&alone), made.lines.len());
                assert!(of_file.contains(session) && of_log > 0, "{story} {session} {masked}: {of_file:?}");
            }
        }
    }
}

#[test]
fn agents_of_the_lines_are_named() {
    let logs = logs_of("trouble");
    let roster = roster_of("trouble");
    let mut named = 0;
    for session in sessions(&hub(&logs)) {
        let mut made = of_session(&logs, &session, false);
        made.name_agents(&roster, None);
        let texts: String = made.lines.iter().map(|line| line.text.as_str()).collect();
        for agent in &roster.agents {
            let known = made.header.agents.iter().find(|known| known.id == agent.id);
            let occurs = ["\"ID\"", "agent:ID:", "part:ID"]
                .iter()
                .any(|form| texts.contains(&form.replace("ID", agent.id.as_str())));
            assert_eq!(known.is_some(), occurs, "{session} {}", agent.id);
            assert_eq!(
                known.and_then(|known| known.name.as_ref()),
                agent.name.as_ref().filter(|_| occurs),
                "{session}"
            );
            named += usize::from(occurs);
        }
        assert_eq!(made.renamed_agents(&roster, mask), [], "{session}");
        let written = made.header.agents.first().map(|agent| made.written_agent(agent.id.as_str()));
        assert!(written.is_none_or(|name| name.ends_with(')') && name.contains(" (")), "{session}");
        assert_eq!(made.written_agent("nobody"), "nobody");
        let others = made.renamed_agents(&Roster::default(), mask);
        assert_eq!(others.len(), made.header.agents.len(), "a home without agents names none");
    }
    assert!(named > 5, "{named} names");
}

#[test]
fn names_of_agents_are_masked_with_the_lines() {
    let logs = logs_of("trouble");
    let config = r#"{"agents":{"list":[{"id":"seum","identity":{"name":"seum@example.com","emoji":"🔧"}}]}}"#;
    let roster = Roster::parse(config, &mut |path| Err(path.to_owned())).unwrap();
    let mut made = of_session(&logs, &sessions(&hub(&logs))[0], true);
    made.name_agents(&roster, Some(mask));
    let [agent] = &made.header.agents[..] else { panic!("{:?}", made.header.agents) };
    assert!(!agent.name.as_deref().unwrap_or_default().contains('@'), "{agent:?}");
    assert_eq!(agent.emoji.as_deref(), Some("🔧"));
    assert_eq!(made.renamed_agents(&roster, mask), [], "the same name, masked");
}

#[test]
fn older_versions_are_read_and_a_later_one_named() {
    let logs = logs_of("trouble");
    let mut made = of_session(&logs, &sessions(&hub(&logs))[0], false);
    for (version, expected) in
        [(1, Ok(())), (2, Ok(())), (VERSION, Ok(())), (0, Err(0)), (VERSION + 1, Err(VERSION + 1))]
    {
        made.header.version = version;
        let read = EvidenceFile::read(made.to_text().as_bytes());
        let added = ["\"agents\"", "\"notes\""];
        assert!(!added.iter().any(|name| made.to_text().contains(name)), "as version 1 was written");
        assert_eq!(
            read.map(drop),
            expected.map_err(|version| vec![EvidenceFault::UnknownVersion(version)]),
            "{version}"
        );
    }
}

#[test]
fn changed_missing_and_added_lines_are_named_without_the_log() {
    let logs = logs_of("trouble");
    let made = of_session(&logs, &sessions(&hub(&logs))[0], false);
    let text = made.to_text();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let place = made.place(&made.lines[1]);
    let faults = |lines: &[&str]| EvidenceFile::read(lines.concat().as_bytes()).unwrap_err();
    let changed = lines[2].replacen("\\\"data\\\"", "\\\"dota\\\"", 1);
    assert_ne!(changed, lines[2]);
    let of_change = faults(&[&lines[..2], &[&*changed], &lines[3..]].concat());
    assert_eq!(of_change, [EvidenceFault::Changed, EvidenceFault::WrongHash(place.clone())]);
    let (said, found) = (made.header.lines, made.header.lines - 1);
    let of_removal = faults(&[&lines[..2], &lines[3..]].concat());
    assert_eq!(of_removal, [EvidenceFault::Changed, EvidenceFault::WrongCount { said, found }]);
    let of_addition = faults(&[&lines[..3], &lines[2..]].concat());
    assert!(of_addition.contains(&EvidenceFault::WrongPlace(place)), "{of_addition:?}");
    let page = made.to_html(&page()).replacen("<p>", "<b>", 1);
    assert_eq!(EvidenceFile::read(page.as_bytes()), Err(vec![EvidenceFault::ChangedPage]));
}

#[test]
fn secrets_are_masked_by_their_names_and_ids_are_not() {
    let line = r#"{"type":"a2a.send","agentId":"eden","ts":1771640000000,"data":{"fromAgent":"eden","toAgent":"seum","message":"열쇠","workSessionId":"ws_1771640000000","taskId":"+82 10 1234 5678","apiKey":"hunter2hunter2","api_key":{"inner":"sk-ant-hunter2hunter2"},"password":"abc","clientId":"+82 10 1234 5678"}}"#;
    let logs = vec![("coordination-events.ndjson".to_owned(), format!("{line}\n").into_bytes())];
    let made = of_session(&logs, "ws_1771640000000", true);
    let text = &made.lines[0].text;
    for hidden in ["hunter2", "\"abc\"", "\"clientId\":\"+82"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    assert!(text.contains("ws_1771640000000") && text.contains("\"taskId\":\"+82"), "{text}");
    assert_eq!(made.compare(&hub(&logs), &bytes(&logs), mask), []);
}

#[test]
fn threads_and_searches_fit_their_log() {
    let logs = logs_of("everything");
    let hub = hub(&logs);
    let mut scopes: Vec<EvidenceScope> = Vec::new();
    for session in sessions(&hub) {
        let detail = query::session(&hub, NOW, &session.as_str().into()).expect("a session");
        scopes.extend(detail.threads.iter().map(|thread| EvidenceScope {
            session: Some(session.as_str().into()),
            thread: Some(thread.thread_id.clone()),
            ..EvidenceScope::default()
        }));
    }
    let threads = scopes.len();
    let found = |q: &str, since| EvidenceScope { q: Some(q.to_owned()), since, ..EvidenceScope::default() };
    scopes.extend([
        found("배포", None),
        found("a2a.send 배포", Some(NOW - 86_400_000)),
        found("nothing holds this", None),
    ]);
    for (number, scope) in scopes.into_iter().enumerate() {
        let events = evidence::events(&hub, &scope).expect("a scope");
        if let Some(q) = &scope.q {
            let page =
                query::events(&hub, NOW, &EventsQuery { q: Some(q.clone()), since: scope.since, ..Default::default() });
            assert_eq!(events.len(), page.expect("a page").total as usize, "as the list finds {q}");
        }
        let mut made = collect(&hub, &logs, scope.clone(), None).unwrap();
        assert!(number >= threads || !made.lines.is_empty(), "{scope:?}");
        assert_eq!(made.compare(&hub, &bytes(&logs), mask), [], "{scope:?}");
        if made.lines.pop().is_some() {
            assert!(matches!(made.compare(&hub, &bytes(&logs), mask)[..], [EvidenceFault::Missing(_)]), "{scope:?}");
        }
    }
    assert!(threads > 10, "{threads} threads");
    let nobody = EvidenceScope { thread: Some("conv:nobody".into()), ..EvidenceScope::default() };
    assert_eq!(evidence::events(&hub, &nobody), None);
}

/// A page around the text of an evidence file.
fn page() -> PageParts {
    PageParts { before: "<p>".to_owned(), after: "<p></html>".to_owned() }
}

#[test]
fn every_changed_byte_is_found() {
    let logs = logs_of("trouble");
    let file = of_session(&logs, &sessions(&hub(&logs))[0], false);
    changed_bytes_are_found(&file.to_text().into_bytes());
    changed_bytes_are_found(&file.to_html(&page()).into_bytes());
}

#[test]
fn texts_cannot_end_the_element_of_a_page() {
    let logs = logs_of("trouble");
    let mut file = of_session(&logs, &sessions(&hub(&logs))[0], false);
    let hostile = "</script><script>alert(1)</script><!-- sha256 -->".to_owned();
    file.header.agents = vec![EvidenceAgent { id: "eden".into(), name: Some(hostile.clone()), emoji: None }];
    file.header.note = Some(hostile);
    let html = file.to_html(&page());
    assert_eq!(html.matches("<script").count(), 1, "{html}");
    assert_eq!(EvidenceFile::read(html.as_bytes()), Ok(file.clone()));
    assert_eq!(PageParts::of(&html), Some(page()), "what is around the text can be compared");
    assert_eq!(PageParts::of(&page().without_text()), Some(page()));
    // A browser shows the first element of an id, or whatever a script chooses.
    let after = "<script type=\"application/x-ndjson\" id=\"evidence\">\n{}</script>".to_owned();
    let twice = file.to_html(&PageParts { after, ..page() });
    assert_eq!(EvidenceFile::read(twice.as_bytes()), Err(vec![EvidenceFault::NotEvidence]));
}

fn changed_bytes_are_found(text: &[u8]) {
    let mut random = MergeRandom(11);
    for number in 0..10_000 {
        let mut changed = text.to_vec();
        let at = random.below(text.len());
        match number % 3 {
            0 => changed[at] = changed[at].wrapping_add(1 + u8::try_from(random.below(255)).unwrap()),
            1 => drop(changed.remove(at)),
            _ => changed.insert(at, u8::try_from(random.below(256)).unwrap()),
        }
        if changed != text {
            assert!(EvidenceFile::read(&changed).is_err(), "change {number} at byte {at}");
        }
    }
    for length in [0, 1, text.len() / 2, text.len() - 1] {
        assert!(EvidenceFile::read(&text[..length]).is_err(), "cut at {length}");
    }
}

/// A forger computes the hashes again: the log shows it all the same.
#[test]
fn forged_file_does_not_fit_the_log() {
    let logs = logs_of("trouble");
    let hub = hub(&logs);
    let session = &sessions(&hub)[0];
    let made = of_session(&logs, session, false);
    let place = |number: usize| LinePlace { file: logs[0].0.clone(), offset: made.lines[number].offset };
    let forged = |change: fn(&mut EvidenceFile)| {
        let mut file = made.clone();
        change(&mut file);
        file.header.lines = u32::try_from(file.lines.len()).unwrap();
        let read = EvidenceFile::read(file.to_text().as_bytes()).expect("it fits itself");
        read.compare(&hub, &bytes(&logs), mask)
    };
    assert_eq!(forged(|file| drop(file.lines.remove(2))), [EvidenceFault::Missing(place(2))]);
    let reworded = forged(|file| {
        let line = &mut file.lines[1];
        line.text = line.text.replace("seum", "eden");
        line.sha256 = coordination::digest::sha256_hex(line.text.as_bytes());
        line.bytes = line.text.len() as u64;
    });
    assert_eq!(reworded, [EvidenceFault::NotInLog(place(1)), EvidenceFault::Missing(place(1))]);
    let masked = forged(|file| {
        file.lines[1].text = "{}".to_owned();
        file.lines[1].masked = true;
    });
    assert_eq!(masked, [EvidenceFault::WrongMask(place(1))]);
    let narrower = forged(|file| file.header.scope.until = Some(0));
    assert_eq!(narrower.len(), made.lines.len(), "its claim does not fit its lines");
    // What the file itself shows.
    let mut twice = made.clone();
    twice.lines.insert(1, twice.lines[0].clone());
    let faults = EvidenceFile::read(twice.to_text().as_bytes()).unwrap_err();
    assert_eq!(
        faults,
        [
            EvidenceFault::WrongCount { said: made.header.lines, found: made.header.lines + 1 },
            EvidenceFault::WrongPlace(place(0))
        ]
    );
}

/// A rotated log has another name, and lines that were added since belong to the session too.
#[test]
fn renamed_log_fits_and_new_lines_are_missing() {
    let mut logs = logs_of("trouble");
    let session = sessions(&hub(&logs))[0].clone();
    let made = of_session(&logs, &session, true);
    logs[0].0 = "coordination-events-2026-02.ndjson".to_owned();
    assert_eq!(made.compare(&hub(&logs), &bytes(&logs), mask), []);
    let offset = logs[0].1.len() as u64;
    let line = format!(
        "{{\"type\":\"note\",\"agentId\":\"eden\",\"ts\":1771648000000,\"data\":{{\"workSessionId\":\"{session}\"}}}}\n"
    );
    logs[0].1.extend_from_slice(line.as_bytes());
    let missing = LinePlace { file: logs[0].0.clone(), offset };
    assert_eq!(made.compare(&hub(&logs), &bytes(&logs), mask), [EvidenceFault::Missing(missing)]);
    let unknown = EvidenceScope { session: Some("ws_nobody".into()), ..EvidenceScope::default() };
    assert_eq!(collect(&hub(&logs), &logs, unknown, None), None);
}
