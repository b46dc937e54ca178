//! Tests of what the session stores ask of a person: pending approvals and statements of agents, in a home of the real
//! OpenClaw 2026.9.6 (`fixtures/openclaw-approvals`) and in databases that cannot be read.
//!
//! Proves (transcripts): Approvals that the real OpenClaw waits for are read with the command as it recorded it, and those
//! that are decided are not. A database that cannot be read, or has other columns, is reported, and what was read of it
//! before stays.

use coordination::api::ApprovalKind;

use super::*;

const SHARED: &str = "state/openclaw.sqlite";

#[test]
fn approvals_of_real_home_are_read() {
    let (_dir, root) = copy("openclaw-approvals/dot-openclaw");
    let mut reader = StoreReader::new(HomeDir::new(&root)).settled();
    let all = reader.look(&roster(&root)).expect("the first look");
    assert_eq!(place_at(&all, SHARED).state, PlaceState::Read);
    let requests = all.person_requests();
    let shown: Vec<_> = requests
        .approvals
        .iter()
        .map(|one| (one.request.kind, one.agent_id.as_ref().unwrap().as_str(), one.request.text.as_str()))
        .collect();
    let expected = [
        (ApprovalKind::Exec, "eden", "rm -rf build && ./deploy.sh --prod"),
        (ApprovalKind::Plugin, "ruda", "docs/install.md를 공개 위키에 올립니다."),
    ];
    assert_eq!(shown, expected);
    let [command, tool] = &requests.approvals[..] else { panic!("{requests:?}") };
    assert_eq!((command.created_at, command.expires_at), (1_795_874_863_232, 1_795_875_463_232));
    assert_eq!(
        (command.session_key.as_deref(), command.request.host.as_deref()),
        (Some("agent:eden:main"), Some("gateway"))
    );
    assert_eq!((tool.title.as_deref(), tool.request.tool.as_deref()), (Some("문서 게시"), Some("publish_page")));
    let [(agent, statement)] = &requests.statements[..] else { panic!("{requests:?}") };
    assert_eq!((agent.as_str(), statement.note.as_str()), ("eden", "결제 키가 필요합니다"));
    assert_eq!((statement.attention.as_deref(), statement.expires_at), (Some("key"), 1_795_880_299_549));

    fs::copy(fixture("openclaw-approvals/resolved/openclaw.sqlite"), root.join(SHARED)).expect("decided");
    let all = reader.look(&roster(&root)).expect("a change");
    assert_eq!(all.person_requests().approvals, [], "both are decided");
}

#[test]
fn damaged_database_keeps_approvals_and_is_reported() {
    let (_dir, root) = copy("openclaw-approvals/dot-openclaw");
    let mut reader = StoreReader::new(HomeDir::new(&root)).settled();
    let known = reader.look(&roster(&root)).expect("the first look").approvals.clone();
    fs::write(root.join(SHARED), "no database").expect("write");
    let all = reader.look(&roster(&root)).expect("a change");
    assert_eq!(all.approvals, known, "none of them was decided");
    assert_eq!(place_at(&all, SHARED).state, PlaceState::Stale { cause: "not a database".to_owned() });

    let fresh = look(&root);
    assert_eq!(fresh.approvals, []);
    assert_eq!(place_at(&fresh, SHARED).state, PlaceState::Unreadable { cause: "not a database".to_owned() });
}

#[test]
fn empty_file_is_a_database_that_is_cut_off() {
    let (_dir, root) = copy("openclaw-approvals/dot-openclaw");
    let mut reader = StoreReader::new(HomeDir::new(&root)).settled();
    let known = reader.look(&roster(&root)).expect("the first look").approvals.clone();
    fs::write(root.join(SHARED), "").expect("write");
    let all = reader.look(&roster(&root)).expect("a change");
    assert_eq!(all.approvals, known, "none of them was decided");
    assert_eq!(place_at(&all, SHARED).state, PlaceState::Stale { cause: "the file is empty".to_owned() });

    let fresh = look(&root);
    assert_eq!(fresh.approvals, []);
    assert_eq!(place_at(&fresh, SHARED).state, PlaceState::Unreadable { cause: "the file is empty".to_owned() });
}

#[test]
fn approvals_of_other_shape_are_reported() {
    for (table, state) in [
        ("(id TEXT, state TEXT)", PlaceState::Unsupported { version: 99 }),
        (
            "(approval_id TEXT, status TEXT, presentation_json TEXT, expires_at_ms);
             INSERT INTO operator_approvals VALUES ('a', 'pending', '{', 'soon'), ('b', 'denied', '{', 1)",
            PlaceState::Partial { odd: 1 },
        ),
    ] {
        let (_dir, root) = empty();
        fs::create_dir_all(root.join("state")).expect("folder");
        let open = Connection::open(root.join(SHARED)).expect("a database");
        open.execute_batch(&format!("CREATE TABLE operator_approvals {table}; PRAGMA user_version = 99;"))
            .expect("table");
        drop(open);
        let all = look(&root);
        assert_eq!(place_at(&all, SHARED).state, state);
        // One that is there and cannot be read waits all the same.
        let waits = all.approvals.iter().map(|one| (one.request.id.as_str(), one.expires_at)).collect::<Vec<_>>();
        let expected: &[_] = if matches!(state, PlaceState::Partial { .. }) { &[("a", i64::MAX)] } else { &[] };
        assert_eq!(waits, expected);
    }
}
