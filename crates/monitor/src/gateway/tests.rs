//! Tests of the gateway client and its idempotency ledger (`gateway/ledger.rs`) against a simulated gateway, which
//! closes a real connection before the request, after it, or in the middle of the answer.
//!
//! Proves (gateway): The gateway client sends a message once, wherever its connection is cut.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::home::HomeDir;

const TOKEN: &str = "gw-canary-0123456789abcdef";
/// Captured answers of the real gateways.
const ANSWERED: &str = include_str!("../../../../fixtures/openclaw-2026.9/captures/http-send-ok.json");

/// How the played gateway behaves towards one request.
#[derive(Debug, Clone)]
enum GatewayBehaviour {
    /// Answers with a status line, headers and a body.
    Answer(&'static str, String),
    /// Closes before it reads.
    Shut,
    /// Reads the request and closes.
    Cut,
    /// Answers with half of a body and closes.
    Half,
    /// Reads the request and is silent.
    Silent,
}

struct GatewayFixture {
    dir: tempfile::TempDir,
    speak: MessageSender,
    reply: Arc<Mutex<Vec<String>>>,
    met: Arc<AtomicUsize>,
}

impl GatewayFixture {
    async fn new(part: GatewayBehaviour) -> Self {
        let dir = tempfile::tempdir().expect("dir");
        std::fs::create_dir(dir.path().join(".openclaw")).expect("home");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bind");
        let port = listener.local_addr().expect("address").port();
        let (reply, met) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicUsize>::default());
        let (noting, meeting) = (Arc::clone(&reply), Arc::clone(&met));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                meeting.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(play(stream, part.clone(), Arc::clone(&noting)));
            }
        });
        let speak = speak_to(&dir.path().join(".openclaw"), port);
        Self { dir, speak, reply, met }
    }

    fn record(&self) -> Vec<Value> {
        let path = self.dir.path().join(".openclaw/logs").join(HomeDir::SPEAK_RECORD);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("line")).collect()
    }

    fn reply(&self) -> Vec<String> {
        self.reply.lock().expect("lock").clone()
    }
}

fn speak_to(home: &std::path::Path, port: u16) -> MessageSender {
    let mut settings = Settings::for_home(HomeDir::new(home));
    let gateway = Gateway::new(&format!("http://localhost:{port}"), TOKEN).expect("gateway");
    settings.gateway = Some(gateway.with_margin(Duration::from_millis(1_500)));
    settings.clock = ServerClock::fixed(1_771_651_020_000);
    MessageSender::new(&settings)
}

async fn play(mut stream: TcpStream, part: GatewayBehaviour, reply: Arc<Mutex<Vec<String>>>) {
    if matches!(part, GatewayBehaviour::Shut) {
        return;
    }
    let mut request = Vec::new();
    let whole = |request: &[u8]| {
        let text = String::from_utf8_lossy(request).into_owned();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let length: usize = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())?;
        (body.len() >= length).then_some(text)
    };
    let text = loop {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(read) => request.extend_from_slice(&piece[..read]),
        }
        if let Some(text) = whole(&request) {
            break text;
        }
    };
    reply.lock().expect("lock").push(text);
    let answer = match part {
        GatewayBehaviour::Answer(head, body) => {
            format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        }
        GatewayBehaviour::Half => "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"ok\":true,".to_owned(),
        GatewayBehaviour::Silent => {
            tokio::time::sleep(Duration::from_secs(120)).await;
            return;
        }
        GatewayBehaviour::Cut | GatewayBehaviour::Shut => return,
    };
    stream.write_all(answer.as_bytes()).await.unwrap_or_default();
    stream.shutdown().await.unwrap_or_default();
}

fn answered() -> GatewayBehaviour {
    let capture: Value = serde_json::from_str(ANSWERED).expect("capture");
    GatewayBehaviour::Answer("200 OK\r\ncontent-type: application/json", capture["response"].to_string())
}

fn message_request(request_id: &str, text: &str) -> MessageRequest {
    let call = OutgoingMessage {
        caller: "agent:ruda:task-hub".to_owned(),
        target: "agent:seum:main".to_owned(),
        text: text.to_owned(),
        conversation: Some("c1".to_owned()),
        work_session: None,
        wait_secs: 0,
    };
    MessageRequest {
        request_id: request_id.to_owned(),
        call,
        by: Some("운영자".to_owned()),
        http_request_id: "r1-1".to_owned(),
    }
}

#[tokio::test]
async fn message_follows_contract_and_records_two_lines() {
    let fixture = GatewayFixture::new(answered()).await;
    let answer = fixture.speak.send_once(message_request("name-0001", "먼저 확인해 주세요")).await.expect("said");
    assert_eq!((answer.state, answer.delivered), (SpeakState::Answered, Delivered::Yes));
    assert!(answer.reply.is_some_and(|reply| reply.contains("staging")) && !answer.repeated && !answer.unrecorded);
    let reply = fixture.reply();
    let (head, body) = reply[0].split_once("\r\n\r\n").expect("request");
    assert!(head.starts_with("POST /tools/invoke HTTP/1.1\r\n"), "{head}");
    for line in [&format!("authorization: Bearer {TOKEN}"), "content-type: application/json", "connection: close"] {
        assert!(head.lines().any(|it| it == line), "{line} in {head}");
    }
    let body: Value = serde_json::from_str(body).expect("body");
    assert_eq!(
        body,
        json!({"tool": "sessions_send", "sessionKey": "agent:ruda:task-hub", "args": {
            "sessionKey": "agent:seum:main", "message": "[Human Intervention] 먼저 확인해 주세요",
            "timeoutSeconds": 0, "conversationId": "c1",
        }})
    );
    let record = fixture.record();
    assert_eq!(record.len(), 2, "{record:?}");
    assert_eq!((&record[0]["what"], &record[1]["what"]), (&json!("asked"), &json!("told")));
    for line in &record {
        assert_eq!((&line["requestId"], &line["at"]), (&json!("name-0001"), &json!("2026-02-21T05:17:00.000Z")));
    }
    assert_eq!((&record[0]["text"], &record[0]["by"]), (&json!("먼저 확인해 주세요"), &json!("운영자")));
    assert_eq!((&record[1]["answer"]["state"], &record[1]["answer"]["delivered"]), (&json!("answered"), &json!("yes")));
    assert_eq!((&record[0]["conversation"], record[1].get("conversation")), (&json!("c1"), None), "said once");
    assert_eq!(record[1]["answer"].get("reply"), None, "replies stand in transcripts");
}

#[tokio::test]
async fn repeated_request_id_is_sent_once() {
    let fixture = GatewayFixture::new(answered()).await;
    let many = (0..8).map(|_| fixture.speak.send_once(message_request("name-0001", "한 번만")));
    let answers = futures::future::join_all(many).await;
    let first = answers.iter().filter(|answer| answer.as_ref().is_ok_and(|answer| !answer.repeated)).count();
    assert!(answers.iter().all(|it| it.as_ref().is_ok_and(|it| it.state == SpeakState::Answered)), "{answers:?}");
    assert_eq!((first, fixture.met.load(Ordering::SeqCst)), (1, 1), "one request was sent, the others got its answer");
    let defer = fixture.speak.send_once(message_request("name-0001", "한 번만")).await.expect("said");
    assert!(defer.repeated && defer.reply.is_some());
    assert_eq!(fixture.speak.send_once(message_request("name-0001", "다른 말")).await, Err(SpeakError::RequestIdTaken));
    // A restarted monitor knows it from the record.
    let port = fixture.speak.0.gateway.as_ref().expect("gateway").place().1;
    let repeated = speak_to(&fixture.dir.path().join(".openclaw"), port);
    let known = repeated.send_once(message_request("name-0001", "한 번만")).await.expect("said");
    assert_eq!((known.state, known.repeated, known.reply_cut), (SpeakState::Answered, true, true));
    assert_eq!(repeated.send_once(message_request("name-0001", "다른 말")).await, Err(SpeakError::RequestIdTaken));
    assert_eq!(fixture.met.load(Ordering::SeqCst), 1);
    assert!(!repeated.send_once(message_request("name-0002", "한 번만")).await.expect("said").repeated);
    assert_eq!((fixture.met.load(Ordering::SeqCst), fixture.record().len()), (2, 4));
}

#[tokio::test]
async fn broken_connection_is_uncertain_and_not_resent() {
    for part in [GatewayBehaviour::Shut, GatewayBehaviour::Cut, GatewayBehaviour::Half, GatewayBehaviour::Silent] {
        let fixture = GatewayFixture::new(part.clone()).await;
        let answer = fixture.speak.send_once(message_request("name-0001", "멈춰 주세요")).await.expect("said");
        assert_eq!(
            (answer.state, answer.delivered),
            (SpeakState::Uncertain, Delivered::Unknown),
            "{part:?}: {answer:?}"
        );
        let repeated = fixture.speak.send_once(message_request("name-0001", "멈춰 주세요")).await.expect("said");
        assert_eq!((repeated.state, repeated.repeated), (SpeakState::Uncertain, true), "{part:?}");
        assert_eq!(fixture.met.load(Ordering::SeqCst), 1, "{part:?}: one connection, one request");
        assert_eq!(fixture.record()[1]["answer"]["state"], "uncertain");
    }
}

#[tokio::test]
async fn where_nobody_listens_nothing_is_delivered() {
    let dir = tempfile::tempdir().expect("dir");
    let free = TcpListener::bind("127.0.0.1:0").await.expect("bind").local_addr().expect("address").port();
    let answer = speak_to(dir.path(), free).send_once(message_request("name-0001", "있어요?")).await.expect("said");
    assert_eq!((answer.state, answer.delivered), (SpeakState::Unreachable, Delivered::No), "{answer:?}");
}

#[tokio::test]
async fn redirects_and_endless_responses_are_refused() {
    let moved = GatewayBehaviour::Answer("307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/", String::new());
    let fixture = GatewayFixture::new(moved).await;
    let answer = fixture.speak.send_once(message_request("name-0001", "어디로?")).await.expect("said");
    assert_eq!((answer.state, fixture.met.load(Ordering::SeqCst)), (SpeakState::NotGateway, 1));
    let fixture = GatewayFixture::new(GatewayBehaviour::Answer("200 OK", format!("\"{}\"", "x".repeat(2 << 20)))).await;
    let answer = fixture.speak.send_once(message_request("name-0001", "끝없이")).await.expect("said");
    assert_eq!(answer.state, SpeakState::Uncertain, "{:?}", answer.said);
}

#[tokio::test]
async fn echoed_token_is_removed_from_answers() {
    let echo = json!({"ok": true, "result": {"details": {
        "status": "ok", "reply": format!("열쇠는 {TOKEN}"), "runId": TOKEN, "sessionKey": TOKEN,
    }}});
    let refused = json!({"error": {"message": format!("bad token {TOKEN}"), "type": "unauthorized"}});
    for (head, body) in [("200 OK", echo), ("401 Unauthorized", refused)] {
        let fixture = GatewayFixture::new(GatewayBehaviour::Answer(head, body.to_string())).await;
        let answer = fixture.speak.send_once(message_request("name-0001", "열쇠?")).await.expect("said");
        let shown = format!("{answer:?} {} {:?} {:?}", json!(answer), fixture.record(), fixture.speak);
        assert!(!shown.contains(TOKEN) && shown.contains('…'), "{shown}");
        assert!(fixture.reply()[0].contains(TOKEN), "the gateway got it");
    }
}

#[tokio::test]
async fn unrecordable_message_is_not_sent() {
    let fixture = GatewayFixture::new(answered()).await;
    let logs = fixture.dir.path().join(".openclaw/logs");
    let outside = fixture.dir.path().join("outside");
    std::fs::create_dir(&outside).expect("outside");
    std::os::unix::fs::symlink(&outside, &logs).expect("link");
    // A link at the record's path: its content is unknown, so nothing is sent.
    let refused = fixture.speak.send_once(message_request("name-0001", "적어 주세요")).await.expect_err("a link");
    assert!(matches!(refused, SpeakError::NotRecorded { .. }), "{refused}");
    std::fs::remove_file(&logs).expect("link");
    std::fs::create_dir_all(logs.join(HomeDir::SPEAK_RECORD)).expect("folder");
    assert!(
        fixture.speak.send_once(message_request("name-0001", "적어 주세요")).await.is_err(),
        "a folder is no record"
    );
    assert_eq!((fixture.met.load(Ordering::SeqCst), std::fs::read_dir(&outside).expect("outside").count()), (0, 0));
    std::fs::remove_dir(logs.join(HomeDir::SPEAK_RECORD)).expect("folder");
    let answer = fixture.speak.send_once(message_request("name-0001", "적어 주세요")).await.expect("said");
    assert_eq!((answer.state, answer.repeated), (SpeakState::Answered, false));
    // The same once it was read and written before.
    std::fs::remove_file(logs.join(HomeDir::SPEAK_RECORD)).expect("file");
    std::fs::create_dir(logs.join(HomeDir::SPEAK_RECORD)).expect("folder");
    for _ in 0..2 {
        let refused = fixture.speak.send_once(message_request("name-0002", "이것도요")).await.expect_err("a folder");
        assert!(matches!(refused, SpeakError::NotRecorded { .. }), "{refused}");
    }
    assert_eq!(fixture.met.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn torn_record_with_unfinished_message_is_read() {
    let fixture = GatewayFixture::new(answered()).await;
    let path: PathBuf = fixture.dir.path().join(".openclaw/logs").join(HomeDir::SPEAK_RECORD);
    fixture.speak.send_once(message_request("name-0001", "하나")).await.expect("said");
    let whole = std::fs::read_to_string(&path).expect("record");
    let mut lines = whole.lines();
    let first = lines.next().expect("asked").to_owned();
    // Killed between the two lines, and another one torn in the middle.
    std::fs::write(&path, format!("{first}\n{}", &first[..first.len() / 2])).expect("write");
    let port = fixture.speak.0.gateway.as_ref().expect("gateway").place().1;
    let repeated = speak_to(&fixture.dir.path().join(".openclaw"), port);
    let known = repeated.send_once(message_request("name-0001", "하나")).await.expect("said");
    assert_eq!((known.state, known.delivered, known.repeated), (SpeakState::Uncertain, Delivered::Unknown, true));
    assert_eq!(fixture.met.load(Ordering::SeqCst), 1, "nobody sends it again");
    repeated.send_once(message_request("name-0002", "둘")).await.expect("said");
    let text = std::fs::read_to_string(&path).expect("record");
    let good = text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
    assert_eq!((text.lines().count(), good), (4, 3), "{text}");
}

#[tokio::test]
async fn dropped_caller_does_not_cancel_send() {
    let fixture = GatewayFixture::new(answered()).await;
    {
        let asking = fixture.speak.send_once(message_request("name-0001", "저는 갑니다"));
        tokio::pin!(asking);
        let met = async {
            while fixture.met.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::select! {
            _ = &mut asking => {}
            () = met => {}
        }
    }
    let answer = fixture.speak.send_once(message_request("name-0001", "저는 갑니다")).await.expect("said");
    assert_eq!((answer.state, answer.repeated), (SpeakState::Answered, true));
    assert_eq!((fixture.met.load(Ordering::SeqCst), fixture.record().len()), (1, 2));
}

#[tokio::test]
async fn only_so_many_wait_at_once() {
    let fixture = GatewayFixture::new(GatewayBehaviour::Silent).await;
    let many: Vec<_> = (0..=MAX_MESSAGES_IN_FLIGHT)
        .map(|n| fixture.speak.send_once(message_request(&format!("name-{n:04}"), "모두")))
        .collect();
    let answers = futures::future::join_all(many).await;
    let full = |answer: &SendResult| answer.as_ref().is_ok_and(|it| it.state == SpeakState::TooMany);
    let refused = answers.iter().filter(|answer| full(answer)).count();
    assert_eq!(refused, 1);
    assert_eq!(fixture.met.load(Ordering::SeqCst), MAX_MESSAGES_IN_FLIGHT);
}
