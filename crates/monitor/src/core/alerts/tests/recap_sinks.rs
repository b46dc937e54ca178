//! Tests of recaps at sinks: their shape in each chat, in mails and as JSON, by level of text.
//!
//! Proves (security): A recap gives a sink no more than its level of text allows: counts by kind, or titles, or details too.
//! What agents wrote formats nothing and notifies nobody by name.

use base64::Engine as _;
use coordination::alerts::{MessageForm, OutboxMessage, RecapDigest, RecapDigestLine};
use serde_json::{Value, json};

use super::loopback::send;
use super::receiver::{Received, TestReceiver};
use super::*;
use crate::config::MailCommand;
use crate::core::alerts::text::recap_tests::digest;

const HOSTILE: &str = "<!channel> @here **bold** [x](https://evil.example)";

fn hostile() -> RecapDigest {
    let mut digest = digest();
    digest.lines.iter_mut().for_each(|line| line.title = HOSTILE.to_owned());
    digest
}

fn recap_job(digest: RecapDigest) -> SendJob {
    let mut message = OutboxMessage::new(7, "chat", MessageForm::Recap, digest.until);
    (message.rule, message.rule_name) = ("recap:morning".to_owned(), Some("morning".to_owned()));
    message.recap = Some(Box::new(digest));
    message.keys = vec!["recap:morning:1".to_owned()];
    SendJob { message, idempotency_key: "box-7".to_owned(), about: None, push: None, now: START }
}

fn received(kind: AlertSinkKind, text: SinkText, digest: RecapDigest) -> Received {
    let server = TestReceiver::accepting();
    send(&AlertSink { text, ..sink("chat", kind, &server.url("/hook")) }, &recap_job(digest)).expect("taken");
    server.next()
}

#[test]
fn json_sink_gets_structured_lines() {
    let request = received(AlertSinkKind::Json, SinkText::Title, digest());
    assert_eq!(request.header("idempotency-key"), Some("box-7"));
    let body = request.json();
    for (name, value) in [
        ("version", json!(1)),
        ("id", json!("box-7")),
        ("form", json!("recap")),
        ("recap", json!("morning")),
        ("since", json!(digest().since)),
        ("until", json!(digest().until)),
        ("partial", json!(false)),
        ("count", json!(9)),
        ("title", json!("그동안 있었던 일 9건 · 2월 20일 08:30 ~ 2월 21일 08:30")),
        ("url", json!("https://hub.example.org/x/")),
    ] {
        assert_eq!(body[name], value, "{name}: {body}");
    }
    assert!(body.get("status").is_none() && body.get("rule").is_none(), "nothing waits, and no rule made it: {body}");
    assert_eq!(body["totals"][1], json!({ "kind": "failed", "count": 2 }));
    let url = "https://hub.example.org/x/tasks/eden/task_1";
    let title = "결제 <게이트웨이> v2";
    let at = digest().lines[1].at;
    assert_eq!(
        body["lines"][1],
        json!({
            "kind": "failed", "at": at, "count": 2, "outcome": "noReply", "agent": "이든", "other": "세움",
            "title": title, "url": url,
        })
    );
    assert_eq!(body["lines"][0]["attention"], "approval");
    assert_eq!((&body["lines"][4]["tookMs"], &body["lines"][4]["usualMs"]), (&json!(7_800_000), &json!(300_000)));
    assert_eq!(body["lines"].as_array().map(Vec::len), Some(6));
}

#[test]
fn text_level_bounds_what_a_recap_says() {
    for kind in [
        AlertSinkKind::Json,
        AlertSinkKind::Slack,
        AlertSinkKind::Discord,
        AlertSinkKind::Mattermost,
        AlertSinkKind::Ntfy,
    ] {
        let body = |level| {
            let request = received(kind, level, digest());
            // What a reader of JSON sees of it; the body of ntfy is the text itself.
            let text = serde_json::from_str::<Value>(&request.body).map_or(request.body, |body| body.to_string());
            text.replace(['\\', '\u{200b}'], "")
        };
        let (none, title, full) = (body(SinkText::None), body(SinkText::Title), body(SinkText::Full));
        assert!(none.contains("새로 막힘 3건 · 실패 2건"), "{kind:?}: {none}");
        for hidden in ["이든", "게이트웨이", "내용", "task_1", "approval"] {
            assert!(!none.contains(hidden), "{kind:?} {hidden}: {none}");
        }
        assert!(title.contains("이든") && title.contains("게이트웨이") && !title.contains("내용"), "{kind:?}: {title}");
        assert!(full.contains("자세한 *내용*"), "{kind:?}: {full}");
    }
}

#[test]
fn chats_show_titles_of_recaps_as_they_are() {
    let text = |kind, field: &str| {
        let request = received(kind, SinkText::Title, hostile());
        request.json()[field].as_str().expect("text").to_owned()
    };
    let slack = text(AlertSinkKind::Slack, "text");
    assert!(slack.contains("&lt;!channel&gt;") && !slack.contains("<!channel>") && !slack.contains("**"), "{slack}");
    let links = slack.matches("<https://hub.example.org/x/tasks/eden/task_1|열기>").count();
    assert_eq!((links, slack.lines().count()), (6, 8), "a link to each evidence: {slack}");
    assert!(slack.lines().last().is_some_and(|line| line.starts_with("외 2건")), "{slack}");
    let mattermost = text(AlertSinkKind::Mattermost, "text");
    assert!(!mattermost.contains("@here") && mattermost.contains("\\[x\\]\\(https\\:"), "{mattermost}");
    assert_eq!(mattermost.matches("\n- ").count(), 6);
    let discord = text(AlertSinkKind::Discord, "content");
    assert!(!discord.contains("](https://evil"), "{discord}");
}

#[test]
fn recap_without_texts_has_one_link() {
    for (kind, field) in
        [(AlertSinkKind::Slack, "text"), (AlertSinkKind::Mattermost, "text"), (AlertSinkKind::Discord, "content")]
    {
        let unread = RecapDigest { lines: Vec::new(), totals: Vec::new(), partial: true, ..digest() };
        for digest in [unread, RecapDigest { partial: false, ..digest() }] {
            let request = received(kind, SinkText::None, digest);
            let text = request.json()[field].as_str().expect("text").to_owned();
            assert_eq!(text.matches("https://hub.example.org/x/").count(), 1, "{kind:?}: {text}");
        }
    }
}

#[test]
fn discord_recap_leaves_out_whole_lines() {
    let long =
        |line: &RecapDigestLine| RecapDigestLine {
            title: "가".repeat(120), detail: "나".repeat(300), ..line.clone()
        };
    let lines: Vec<RecapDigestLine> = digest().lines.iter().chain(&digest().lines).take(10).map(long).collect();
    let request = received(AlertSinkKind::Discord, SinkText::Full, RecapDigest { lines, ..digest() });
    let text = request.json()["content"].as_str().expect("text").to_owned();
    assert!(text.chars().count() <= 2_000 && text.ends_with("[열기](https://hub.example.org/x/)"), "{text}");
    assert!(text.contains("\n외 "), "{text}");
}

#[test]
fn ntfy_and_push_recaps_are_not_urgent() {
    let request = received(AlertSinkKind::Ntfy, SinkText::Title, digest());
    assert_eq!((request.header("priority"), request.header("tags")), (Some("3"), Some("clipboard")));
    assert_eq!(request.header("click"), Some("https://hub.example.org/x/"));
    assert_eq!(request.body.lines().count(), 7, "{}", request.body);
    let server = TestReceiver::accepting();
    let target = super::super::push::PushTarget {
        subscription: super::super::push::tests::subscription(&server.url("/wpush/x")),
        pkcs8: super::super::push::new_key().expect("a key"),
        tag: super::super::push::tag(&recap_job(digest()).message),
    };
    assert_eq!(target.tag, "recap:morning:1", "a later one does not take its place");
    send(&push_sink(&server.url("")), &SendJob { push: Some(target), ..recap_job(digest()) }).expect("taken");
    assert_eq!(server.next().header("urgency"), Some("normal"));
}

#[test]
fn mailed_recap_has_a_link_below_each_line() {
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let command = vec!["/bin/sh".to_owned(), "-c".to_owned(), format!("cat > {}", out.display())];
    let mail = MailCommand { command, from: "hub@example.org".to_owned(), to: vec!["ops@example.org".to_owned()] };
    let mail =
        AlertSink { webhook: None, mail: Some(mail), ..sink("mail", AlertSinkKind::Email, "http://unused.example/") };
    let body = |digest: RecapDigest| {
        send(&mail, &recap_job(digest)).expect("taken");
        let text = std::fs::read_to_string(&out).expect("a message");
        let body = text.split_once("\n\n").expect("headers").1.replace('\n', "");
        String::from_utf8(base64::engine::general_purpose::STANDARD.decode(body).expect("base64")).expect("UTF-8")
    };
    let many = body(digest());
    assert_eq!(many.matches("https://hub.example.org/x/tasks/eden/task_1").count(), 6, "{many}");
    let one = RecapDigest { lines: digest().lines[..1].to_vec(), totals: digest().totals[..1].to_vec(), ..digest() };
    assert!(body(one).contains("https://hub.example.org/x/tasks/eden/task_1"));
    let calm = RecapDigest { lines: Vec::new(), totals: Vec::new(), ..digest() };
    assert!(body(calm).starts_with("이 기간에는 막히거나"));
}
