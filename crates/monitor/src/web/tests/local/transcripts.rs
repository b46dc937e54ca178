//! Tests of dropped transcripts: in a home and alone, they show what this monitor shows of the same files.
//!
//! Proves (local): A dropped home with transcripts, lists of sessions, runs and jobs, and a monitor over the same files give
//! the same answers to every question, now and at past moments, zipped or not. Transcripts that are dropped alone show what a
//! monitor shows whose home has nothing else.

use coordination::transcript::FoundTranscript;
use serde_json::json;

use super::super::eventually;
use super::*;

/// After the last thing that the agents of the recorded home did.
const AFTERWARDS: i64 = 1_795_240_000_000;
const RECORDED: &str = "openclaw-2026.2/dot-openclaw";

/// A monitor over these files.
async fn over_files(files: &[TestFile], now: i64) -> WebFixture {
    let write = |root: &Path| {
        for (path, bytes) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, bytes).expect("write");
        }
    };
    WebFixture::prepared(write, now, |_| {}).await
}

/// Waits until the monitor has read what the local monitor has, and gives the number of exchanges.
async fn settle(name: &str, server: &WebFixture, local: &mut LocalMonitor, now: i64) -> u64 {
    let health = local.answer(&LocalRequest::get("health"), now);
    let ours: Value = serde_json::from_str(&health.body).expect("health");
    let fields = |health: &Value| {
        let number = |field: &str| health["transcripts"][field].as_u64();
        (number("transcripts"), number("badLines"), number("talks"), number("events"), number("remembered"))
    };
    assert_eq!(ours["unreadable"], json!([]), "{name}");
    let theirs = eventually(server, "/api/v2/health", |theirs| fields(theirs) == fields(&ours)).await;
    assert_eq!(theirs["unreadable"], json!([]), "{name}");
    ours["transcripts"]["talks"].as_u64().unwrap_or_default()
}

/// Asks both everything, now and at moments of the past.
async fn assert_equal_homes(name: &str, server: &WebFixture, local: &mut LocalMonitor, now: i64) {
    let mut paths = questions(server).await;
    paths.extend(
        ["search?q=%ED%8C%8C%EC%9D%B4%ED%94%84%EB%9D%BC%EC%9D%B8", "events?limit=200&q=CSV"].map(str::to_owned),
    );
    assert_equal_answers(name, server, local, &paths, now).await;
    let days = server.get("/api/v2/days").await.json();
    let (Some(first), Some(last)) = (days["first"].as_i64(), days["last"].as_i64()) else { return };
    for moment in [first + (last - first) / 3, first + (last - first) * 2 / 3] {
        let at = |path: &String| format!("{path}{}at={moment}", if path.contains('?') { '&' } else { '?' });
        let takes_moment = |path: &&String| !path.starts_with("days") && !path.starts_with("events/");
        let paths: Vec<String> = paths.iter().filter(takes_moment).step_by(3).map(at).collect();
        assert_equal_answers(&format!("{name} at {moment}"), server, local, &paths, now).await;
    }
}

#[tokio::test]
async fn dropped_home_with_transcripts_answers_like_a_monitor() {
    let server = WebFixture::over(RECORDED, AFTERWARDS).await;
    let files = of_fixture(RECORDED);
    for (packing, files) in [("folder", files.clone()), ("zip", zipped(&files))] {
        let mut local = opened(files, &server, AFTERWARDS);
        let talks = settle(packing, &server, &mut local, AFTERWARDS).await;
        assert!(talks >= 20, "{packing}: {talks}");
        assert_equal_homes(packing, &server, &mut local, AFTERWARDS).await;
    }
}

fn line(id: &str, message: &Value) -> String {
    format!("{}\n", json!({"type": "message", "id": id, "message": message}))
}

/// A home with a log that cut a message, the transcripts that have it whole, a job, a registry of runs, and a store of
/// sessions of its own.
fn mixed_home() -> Vec<TestFile> {
    let at = AFTERWARDS - 100_000;
    let long = format!("배포 절차를 정리했습니다. {}끝.", "한 단계씩 확인합니다. ".repeat(500));
    let cut: String = String::from_utf16_lossy(&long.encode_utf16().take(4_000).collect::<Vec<_>>());
    let call = json!({"type": "toolCall", "id": "c1", "name": "sessions_send", "arguments": {"sessionKey": "agent:seum:main", "message": long}});
    let eden =
        line("c1", &json!({"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": at - 500}));
    let from = json!({"kind": "inter_session", "sourceSessionKey": "agent:eden:main", "sourceTool": "sessions_send"});
    let answer = json!([{"type": "text", "text": "로그에 없는 답입니다"}]);
    let seum = [
        line("h1", &json!({"role": "user", "content": long, "provenance": from, "timestamp": at + 1_000})),
        line("s1", &json!({"role": "assistant", "content": answer, "stopReason": "stop", "timestamp": at + 10_000})),
    ]
    .concat();
    let store = |agent: &str, id: &str| {
        json!({format!("agent:{agent}:main"): {"sessionId": id, "updatedAt": at, "agentStatus": {"note": "도움이 필요합니다", "attention": "🙋", "expiresAt": AFTERWARDS + 60_000}}}).to_string()
    };
    let job = json!({
        "jobId": "run-1", "status": "FAILED", "requesterSessionKey": "agent:eden:main", "targetSessionKey": "agent:seum:main",
        "message": "긴 일을 부탁합니다", "conversationId": "c-2", "workSessionId": "ws_job", "createdAt": at + 20_000,
        "updatedAt": at + 30_000, "lastError": "context overflow",
    });
    let runs = json!({"version": 2, "runs": {"run-2": {
        "runId": "run-2", "childSessionKey": "agent:helper:subagent:1", "requesterSessionKey": "agent:eden:main",
        "task": "표를 정리해 주세요", "label": "table", "createdAt": at + 40_000, "startedAt": at + 40_000,
        "endedAt": at + 50_000, "outcome": {"status": "ok"},
    }}});
    let config = r#"{ agents: { list: [{id: "eden"}, {id: "seum"}] }, session: { store: "~/.openclaw/stores/{agentId}.json" } }"#;
    let files = [
        ("openclaw.json", config.to_owned()),
        ("logs/coordination-events.ndjson", super::super::send(at, &cut)),
        ("agents/eden/sessions/e1.jsonl", eden),
        ("stores/s1.jsonl", seum),
        ("stores/eden.json", store("eden", "e1")),
        ("stores/seum.json", store("seum", "s1")),
        ("a2a-jobs/job-run-1.json", job.to_string()),
        ("a2a-jobs/notes.json", job.to_string().replace("run-1", "run-9")),
        ("subagents/runs.json", runs.to_string()),
    ];
    files.map(|(path, text)| (path.to_owned(), text.into_bytes())).to_vec()
}

#[tokio::test]
async fn dropped_log_and_transcripts_merge_like_in_a_monitor() {
    let files = mixed_home();
    let server = over_files(&files, AFTERWARDS).await;
    for (packing, files) in [("folder", files.clone()), ("zip", zipped(&files))] {
        let mut local = opened(files, &server, AFTERWARDS);
        assert_eq!(settle(packing, &server, &mut local, AFTERWARDS).await, 3, "a message, a job and a run");
        assert_equal_homes(packing, &server, &mut local, AFTERWARDS).await;
    }
    let no_transcripts: Vec<TestFile> = files.into_iter().filter(|(path, _)| !path.ends_with(".jsonl")).collect();
    let server = over_files(&no_transcripts, AFTERWARDS).await;
    let mut local = opened(no_transcripts, &server, AFTERWARDS);
    let count = local.hub().transcript_counts().exchanges as u64;
    assert_eq!(count, 2, "a job and a run");
    eventually(&server, "/api/v2/health", |health| health["transcripts"]["talks"] == count).await;
    assert_equal_homes("without transcripts", &server, &mut local, AFTERWARDS).await;
}

/// A transcript is placed by its workspace, so the agents are those of the home that has only them.
#[tokio::test]
async fn transcripts_alone_answer_like_a_home_with_nothing_else() {
    let is_in_use = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        FoundTranscript::from_name(name).is_some_and(|found| found.reason.is_none())
    };
    let files: Vec<TestFile> = of_fixture(RECORDED).into_iter().filter(|(path, _)| is_in_use(path)).collect();
    // The default agent's workspace has no name of its own.
    let files: Vec<TestFile> = files.into_iter().filter(|(path, _)| !path.contains("/ruda/")).collect();
    assert!(files.len() >= 6);
    let alone = |(path, bytes): &TestFile| (path.rsplit('/').next().unwrap_or(path).to_owned(), bytes.clone());
    let mut shown = 0;
    for part in files.chunks(1).chain([files.as_slice()]) {
        let name = part.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>().join(", ");
        let server = over_files(part, AFTERWARDS).await;
        let mut local = opened(part.iter().map(alone).collect(), &server, AFTERWARDS);
        shown += settle(&name, &server, &mut local, AFTERWARDS).await;
        assert_equal_homes(&name, &server, &mut local, AFTERWARDS).await;
    }
    assert!(shown >= 10, "{shown}");
}
