//! Tests of the files in which a machine publishes transcripts and stores, and of the reader over a mirror of them.
//!
//! Proves (fleet): The exchanges, approvals and statements of a mirror are those of its machine, whatever they are. One that
//! changed changes one part. A damaged, unknown or missing file is named, and what was read before stays.

use std::collections::BTreeMap;

use coordination::api::{AgentStatement, ApprovalKind, ApprovalRequest, RequestedCall, TranscriptReading};
use coordination::merge::TranscriptExchanges;
use coordination::store::{PendingApproval, PersonRequests};
use coordination::transcript::exchanges::{
    ChildOutcome, ExchangeContext, ExchangeEvent, ExchangeEventKind, ExchangeParty, TranscriptLineRef,
};
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::sources::transcripts::feed::TranscriptFeed;
use crate::sources::transcripts::mirrored::PublishedReader;
use crate::sources::transcripts::published::{is_part_path, is_published_path, part_name, path_of};

const STORES: &str = "task-hub-transcripts/stores.json";

/// A mirror of what a feed publishes, and its reader.
#[derive(Default)]
struct PublishedMirror {
    dir: Option<tempfile::TempDir>,
    reader: PublishedReader,
    written: BTreeMap<String, Vec<u8>>,
}

impl PublishedMirror {
    fn home(&mut self) -> HomeDir {
        HomeDir::mirror(self.dir.get_or_insert_with(|| tempfile::tempdir().expect("dir")).path().to_path_buf())
    }

    fn write(&mut self, path: &str, bytes: &[u8]) {
        let target = self.home().root().join(path);
        fs::create_dir_all(target.parent().expect("a folder")).expect("folder");
        let staged = target.with_extension("staged");
        fs::write(&staged, bytes).expect("written");
        fs::rename(staged, target).expect("renamed");
    }

    /// Publishes the files; the paths of those that changed.
    fn publish(&mut self, feed: &TranscriptFeed) -> Vec<String> {
        let files = feed.files();
        let now: BTreeMap<String, Vec<u8>> =
            files.published().map(|(path, file)| (path, file.bytes().expect("bytes"))).collect();
        let changed: Vec<String> = now
            .iter()
            .filter(|(path, bytes)| self.written.get(*path) != Some(bytes))
            .map(|(path, _)| path.clone())
            .collect();
        for path in &changed {
            assert!(is_published_path(path), "{path}");
            self.write(path, &now[path]);
        }
        for gone in self.written.keys().filter(|path| !now.contains_key(*path)).cloned().collect::<Vec<_>>() {
            fs::remove_file(self.home().root().join(gone)).expect("removed");
        }
        self.written = now;
        changed
    }

    fn look(&mut self) -> Option<TranscriptUpdate> {
        let home = self.home();
        self.reader.look(&home)
    }

    fn causes(update: &TranscriptUpdate) -> Vec<(&str, &str)> {
        update.unreadable.iter().map(|file| (file.path.as_str(), file.cause.as_str())).collect()
    }
}

fn update_of(events: Vec<ExchangeEvent>) -> TranscriptUpdate {
    TranscriptUpdate {
        talk: Some(TranscriptExchanges::new(events)),
        complete: true,
        revision: 1,
        stores: Vec::new(),
        requests: PersonRequests::default(),
        reading: TranscriptReading { transcripts: 3, bad_lines: 2, ..TranscriptReading::default() },
        unreadable: Vec::new(),
    }
}

fn event(exchange: &str, text: &str) -> ExchangeEvent {
    let side = |agent: &str| ExchangeParty { agent: agent.to_owned(), key: Some(format!("agent:{agent}:main")) };
    let mut event = ExchangeEvent::new(ExchangeEventKind::Send, NOW, exchange, &side("eden"), &side("ruda"));
    event.text = Some(text.to_owned());
    event
}

fn party() -> impl Strategy<Value = ExchangeParty> {
    ("\\PC{1,6}", option::of("agent:[a-z]{1,4}:\\PC{0,8}")).prop_map(|(agent, key)| ExchangeParty { agent, key })
}

fn line_ref() -> impl Strategy<Value = TranscriptLineRef> {
    ("\\PC{1,12}", any::<u64>(), option::of("[a-z0-9]{1,8}"), option::of("agent:[a-z]{1,5}:main"), "[a-z]{1,6}")
        .prop_map(|(session_id, place, entry, key, agent)| TranscriptLineRef {
            session_id: session_id.into(),
            place,
            entry: entry.map(Into::into),
            key: key.map(Into::into),
            agent: agent.into(),
        })
}

fn any_event() -> impl Strategy<Value = ExchangeEvent> {
    use ExchangeEventKind as Kind;
    let kind = proptest::sample::select(vec![
        Kind::Send,
        Kind::Refused,
        Kind::Response,
        Kind::NoReply,
        Kind::Announce,
        Kind::Complete,
        Kind::Spawn,
        Kind::SpawnFailed,
        Kind::ChildResult,
    ]);
    let outcome = proptest::sample::select(vec![
        ChildOutcome::Ok,
        ChildOutcome::Timeout,
        ChildOutcome::Error,
        ChildOutcome::Unknown,
    ]);
    let words = || option::of("(?s).{0,40}");
    let id = || option::of("[a-z0-9_-]{1,8}");
    let context = (id(), id(), id()).prop_map(|(task, work_session, conversation)| ExchangeContext {
        task,
        work_session,
        conversation,
    });
    let head = (kind, any::<i64>(), "[a-d]|\\PC{1,6}", party(), party(), any::<bool>());
    let texts = (words(), words(), words(), words(), id(), option::of(any::<u32>()));
    let rest = (option::of(outcome), option::of(line_ref()), context, proptest::collection::vec(line_ref(), 0..3));
    (head, texts, rest).prop_map(|(head, texts, rest)| {
        let (kind, at_ms, exchange, from, to, routed) = head;
        let (text, label, status, error, run_id, turn) = texts;
        let (outcome, cause, context, written) = rest;
        let event = ExchangeEvent::new(kind, at_ms, &exchange, &from, &to);
        ExchangeEvent { text, label, status, error, run_id, turn, routed, outcome, cause, context, written, ..event }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_exchanges_are_the_same_in_a_mirror(events in proptest::collection::vec(any_event(), 0..30)) {
        let (feed, mut mirror) = (TranscriptFeed::new(false), PublishedMirror::default());
        let update = update_of(events);
        feed.set_update(&update);
        mirror.publish(&feed);
        let found = mirror.look().expect("an update");
        prop_assert_eq!(&found.unreadable, &Vec::new());
        prop_assert_eq!((found.complete, found.reading), (true, TranscriptReading { revision: 0, ..update.reading }));
        prop_assert_eq!(&found.talk, &update.talk);
        // Whatever a machine publishes, the hub of its mirror takes it.
        let mut hub = Hub::new();
        let talk = found.talk.expect("exchanges");
        let count = talk.len();
        hub.sync_transcripts(talk);
        prop_assert_eq!(hub.transcript_counts().exchanges, count);
        let sessions = query::sessions(&hub, NOW, &SessionsQuery::default()).expect("sessions");
        prop_assert_eq!(sessions.sessions.is_empty(), hub.event_count() == 0);
        prop_assert!(query::home(&hub, NOW).agents.len() <= 100);
        prop_assert!(mirror.look().is_none(), "nothing changed");
    }
}

#[test]
fn real_transcripts_are_the_same_in_a_mirror() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/openclaw-2026.2/dot-openclaw");
    let home = HomeDir::new(home);
    let mut stores = store::StoreReader::new(home.clone());
    let roster = ConfigReader::new(home.clone()).look().0.roster.clone();
    let held = stores.look(&roster).expect("stores");
    let (update, more) = TranscriptReader::new().look(&home, &roster, &held);
    let update = update.expect("an update");
    assert!(!more && update.complete);
    let (feed, mut mirror) = (TranscriptFeed::new(false), PublishedMirror::default());
    feed.set_update(&update);
    assert!(mirror.publish(&feed).len() > 2);
    let found = mirror.look().expect("an update");
    assert!(found.talk.as_ref().is_some_and(|talk| talk.len() > 3), "the fixture has exchanges");
    assert_eq!((found.talk, found.stores, found.requests), (update.talk, update.stores, update.requests));
}

#[test]
fn changed_exchange_changes_one_part() {
    let (feed, mut mirror) = (TranscriptFeed::new(false), PublishedMirror::default());
    let mut events: Vec<ExchangeEvent> = (0..500).map(|number| event(&format!("run-{number}"), "하나")).collect();
    feed.set_update(&update_of(events.clone()));
    assert_eq!(mirror.publish(&feed).len(), 65, "64 parts and the stores");
    feed.set_update(&update_of(events.clone()));
    assert_eq!(mirror.publish(&feed), [] as [&str; 0], "nothing is sent again");
    assert!(mirror.look().is_some());
    events[7].text = Some("둘".to_owned());
    let update = update_of(events);
    feed.set_update(&update);
    assert_eq!(mirror.publish(&feed), [path_of(&part_name("run-7"))]);
    assert_eq!(mirror.look().expect("an update").talk, update.talk);
    feed.set_update(&update_of(Vec::new()));
    assert_eq!(mirror.publish(&feed), [STORES]);
    assert!(mirror.look().expect("an update").talk.expect("exchanges").is_empty(), "parts that are gone are gone");
}

#[test]
fn reading_that_is_under_way_publishes_no_parts() {
    let (feed, mut mirror) = (TranscriptFeed::new(false), PublishedMirror::default());
    assert!(feed.files().is_empty());
    let partial = TranscriptUpdate { complete: false, ..update_of(vec![event("a", "하나")]) };
    feed.set_update(&partial);
    assert!(feed.files().retains_parts() && !feed.files().is_empty());
    assert_eq!(mirror.publish(&feed), [STORES]);
    assert_eq!(PublishedMirror::causes(&mirror.look().expect("an update")), []);
    // The last part of the reading brings no exchange.
    feed.set_update(&TranscriptUpdate { talk: None, complete: true, ..partial });
    assert_eq!(mirror.publish(&feed).len(), 2);
    assert_eq!(mirror.look().expect("an update").talk.expect("exchanges").len(), 1);
}

#[test]
fn damaged_files_are_named_and_leave_what_was_read() {
    let (feed, mut mirror) = (TranscriptFeed::new(false), PublishedMirror::default());
    let update = update_of(vec![event("a", "하나"), event("b", "둘")]);
    feed.set_update(&update);
    mirror.publish(&feed);
    assert_eq!(mirror.look().expect("an update").talk.map(|talk| talk.len()), Some(2));
    let part = path_of(&part_name("a"));
    for damage in
        ["", "{", "[]", r#"{"format":1}"#, r#"{"format":2,"events":[]}"#, r#"{"format":1,"events":[{"kind":"x"}]}"#]
    {
        mirror.write(&part, damage.as_bytes());
        let found = mirror.look().expect("an update");
        assert!(found.talk.is_none() && found.complete && mirror.reader.is_whole(), "{damage}");
        let causes = PublishedMirror::causes(&found);
        assert_eq!((causes.len(), causes[0].0), (1, part.as_str()), "{damage}");
        assert_eq!(causes[0].1.contains("version 2"), damage.contains(":2"), "{}", causes[0].1);
    }
    mirror.write(STORES, b"\xff\x00");
    let found = mirror.look().expect("an update");
    assert_eq!((found.reading.transcripts, PublishedMirror::causes(&found).len()), (3, 2), "as it was");
    mirror.written.clear();
    mirror.publish(&feed);
    let found = mirror.look().expect("an update");
    assert_eq!(PublishedMirror::causes(&found), []);
    assert_eq!(found.talk, update.talk);
    fs::remove_file(mirror.home().root().join(&part)).expect("removed");
    let found = mirror.look().expect("an update");
    assert_eq!(PublishedMirror::causes(&found), [(part.as_str(), "the machine does not publish it")]);
    fs::remove_dir_all(mirror.home().root().join("task-hub-transcripts")).expect("removed");
    let found = mirror.look().expect("an update");
    assert!(found.talk.is_some_and(|talk| talk.is_empty()));
    assert_eq!(found.unreadable[0].path, STORES, "of an older publisher");
}

#[test]
fn file_that_cannot_be_opened_is_no_look_that_read_all() {
    let (feed, mut mirror) = (TranscriptFeed::new(false), PublishedMirror::default());
    feed.set_update(&update_of(vec![event("a", "하나")]));
    mirror.publish(&feed);
    let part = mirror.home().root().join(path_of(&part_name("a")));
    fs::rename(&part, part.with_extension("elsewhere")).expect("renamed");
    std::os::unix::fs::symlink("/etc/hostname", &part).expect("a link");
    let found = mirror.look().expect("an update");
    assert!(!found.complete && !mirror.reader.is_whole());
    assert_eq!(PublishedMirror::causes(&found)[0].1, "a link");
    fs::rename(part.with_extension("elsewhere"), &part).expect("renamed");
    let found = mirror.look().expect("an update");
    assert!(found.complete && mirror.reader.is_whole() && found.talk.is_some_and(|talk| talk.len() == 1));
}

#[test]
fn events_without_ids_are_left_out_and_counted() {
    let mut mirror = PublishedMirror::default();
    let bad = [("exchange", json!("")), ("exchange", json!("a\nb")), ("runId", json!("x".repeat(2_000)))];
    let mut events = vec![serde_json::to_value(event("a", "하나")).expect("JSON")];
    for (member, value) in bad {
        let mut event = events[0].clone();
        event[member] = value;
        events.push(event);
    }
    let mut nobody = events[0].clone();
    nobody["from"]["agent"] = json!("");
    events.push(nobody);
    mirror.write(&path_of(&part_name("a")), json!({"format": 1, "events": events}).to_string().as_bytes());
    let found = mirror.look().expect("an update");
    assert_eq!((found.talk.map(|talk| talk.len()), found.reading.bad_lines), (Some(1), 4));
}

fn requests() -> PersonRequests {
    let call = Arc::new(RequestedCall { tool: "exec".to_owned(), input: json!({"command": "ls"}), cwd: None });
    let approval = PendingApproval {
        request: ApprovalRequest {
            id: "a-1".to_owned(),
            kind: ApprovalKind::Exec,
            text: "ls\n-l".to_owned(),
            left_out: 3,
            warning: "새 명령".to_owned(),
            tool: Some("exec".to_owned()),
            host: Some("gateway".to_owned()),
            url: None,
        },
        title: Some("문서 게시".to_owned()),
        agent_id: Some("eden".into()),
        session_key: Some("agent:eden:main".to_owned()),
        created_at: NOW,
        expires_at: i64::MAX,
        call: Some(call),
        is_forwarded: false,
    };
    let nobody = PendingApproval { agent_id: None, ..approval.clone() };
    let statement = AgentStatement {
        note: "확인해 주세요".to_owned(),
        attention: Some("hand".to_owned()),
        expires_at: NOW,
        session_key: "agent:eden:main".to_owned(),
    };
    PersonRequests {
        approvals: vec![approval, nobody],
        statements: vec![("eden".into(), statement)],
        gateway_page: None,
    }
}

#[test]
fn requests_travel_without_what_answers_them() {
    for can_answer in [false, true] {
        let (feed, mut mirror) = (TranscriptFeed::new(can_answer), PublishedMirror::default());
        feed.set_update(&TranscriptUpdate { requests: requests(), ..update_of(Vec::new()) });
        mirror.publish(&feed);
        let found = mirror.look().expect("an update").requests;
        let mut wanted = requests();
        for approval in &mut wanted.approvals {
            approval.call = None;
            approval.is_forwarded = can_answer && approval.agent_id.is_some();
        }
        assert_eq!(found, wanted);
        assert_eq!(
            found.approvals.iter().filter(|approval| found.is_answerable(approval)).count(),
            usize::from(can_answer)
        );
        feed.set_update(&update_of(Vec::new()));
        mirror.publish(&feed);
        assert_eq!(mirror.look().expect("an update").requests, PersonRequests::default(), "decided");
    }
}

#[test]
fn only_published_names_are_paths() {
    for path in ["task-hub-transcripts/00.json", "task-hub-transcripts/3f.json"] {
        assert!(is_part_path(path) && is_published_path(path), "{path}");
    }
    assert!(is_published_path(STORES) && !is_part_path(STORES));
    for path in [
        "task-hub-transcripts/40.json",
        "task-hub-transcripts/3F.json",
        "task-hub-transcripts/+1.json",
        "task-hub-transcripts/1.json",
        "task-hub-transcripts/000.json",
        "task-hub-transcripts/../stores.json",
        "task-hub-transcripts/a/00.json",
        "task-hub-transcripts",
        "task-hub-transcripts00.json",
        "00.json",
    ] {
        assert!(!is_published_path(path) && !is_part_path(path), "{path}");
    }
}
