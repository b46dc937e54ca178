//! Tests of texts derived from log events: displayed message, intent, missing answer, preview and title
//! (`contract/events.md` §5–§7). Control tokens and directives in a message are never displayed.
//!
//! Proves (text): Message texts are cleaned as the contract says.

#![allow(clippy::needless_pass_by_value, reason = "a test fails loudly, and its helpers take literals")]

use coordination::delivery::{DeliveryState, ReasonClass};
use coordination::event::{Event, event_from_value};
use coordination::role::Role;
use coordination::text::{self, RunResult};
use coordination::title::{self, TitleSource};
use proptest::prelude::*;
use serde_json::{Value, json};

fn event(event_type: &str, data: Value) -> Event {
    let value = json!({"type": event_type, "agentId": "seum", "ts": 1_771_294_800_000_i64, "data": data});
    event_from_value(&value, &"f-0".into()).expect("an event")
}

fn response(data: Value) -> Event {
    event("a2a.response", data)
}

fn shown(message: &str) -> Option<String> {
    event("a2a.send", json!({"message": message})).display_text()
}

#[test]
fn display_prefers_the_message_and_keeps_markdown() {
    assert_eq!(shown("**굵게** `코드`").as_deref(), Some("**굵게** `코드`"));
    assert_eq!(response(json!({"replyPreview": "미리"})).display_text().as_deref(), Some("미리"));
    let both = response(json!({"message": "전체", "replyPreview": "미리"}));
    assert_eq!(both.display_text().as_deref(), Some("전체"));
    assert_eq!(event("task.started", json!({"taskId": "task_1"})).display_text(), None);
}

#[test]
fn control_tokens_and_directives_are_not_shown() {
    for token in ["REPLY_SKIP", " ANNOUNCE_SKIP\n", "NO_REPLY", "[[reply_to_current]]", "[NO_REPLY_NEEDED]"] {
        assert_eq!(shown(token), None, "{token}");
    }
    assert_eq!(shown("REPLY_SKIP라고 답하면 끝납니다").as_deref(), Some("REPLY_SKIP라고 답하면 끝납니다"));
    assert_eq!(shown("[[reply_to_current]]\n확인했습니다").as_deref(), Some("확인했습니다"));
    assert_eq!(shown("[[ reply_to: 12-ab ]] 네").as_deref(), Some("네"));
    assert_eq!(shown("[Notification] 배포 끝").as_deref(), Some("배포 끝"));
    assert_eq!(shown("급해요 [URGENT] 서버").as_deref(), Some("급해요 서버"));
    assert_eq!(shown("코드 `[URGENT]`는 그대로").as_deref(), Some("코드 `[URGENT]`는 그대로"));
    let fenced = "보기\n```\n[[reply_to_current]]\n```";
    assert_eq!(shown(fenced).as_deref(), Some(fenced));
    assert_eq!(
        shown("[링크](https://example.com)와 [[1, 2], [3]]").as_deref(),
        Some("[링크](https://example.com)와 [[1, 2], [3]]")
    );
}

#[test]
fn tokens_give_intent_without_field() {
    assert_eq!(event("a2a.send", json!({"message": "[urgent] 서버"})).intent(), Some("escalation"));
    assert_eq!(event("a2a.send", json!({"message": "[NO_REPLY_NEEDED] 공유"})).intent(), Some("notification"));
    assert_eq!(event("a2a.send", json!({"message": "[urgent]", "messageIntent": "request"})).intent(), Some("request"));
    assert_eq!(event("a2a.send", json!({"message": "안녕"})).intent(), None);
}

#[test]
fn a_persons_prefix_is_recognised_and_removed() {
    assert_eq!(text::human_prefix("[Human Intervention] 멈춰 주세요"), Some("멈춰 주세요"));
    assert_eq!(text::human_prefix(" [human intervention]\n멈춰"), Some("멈춰"));
    assert_eq!(text::human_prefix("[Human Interventions] x"), None);
    assert_eq!(text::human_prefix("사람 [Human Intervention]"), None);
    assert_eq!(shown("[Human Intervention]\n여기까지 할게요").as_deref(), Some("여기까지 할게요"));
}

#[test]
fn team_broadcast_gives_name_members_and_text() {
    let team = text::team(
        "[팀 작업 - 결제팀]\n팀원: 이든(개발/리드), 세움(인프라)\n\n배포 전에 확인해요.\n\n---\n응답은 한국어로…",
    )
    .expect("a team");
    assert_eq!(team.name, "결제팀");
    assert_eq!(team.members.as_deref(), Some("이든(개발/리드), 세움(인프라)"));
    assert_eq!(team.text, "배포 전에 확인해요.");
    assert_eq!(text::team("[팀 작업]"), None);
}

#[test]
fn machine_made_texts_are_recognised() {
    for machine in [
        "[SYSTEM REMINDER - TASK CONTINUATION]\n…",
        "[SYSTEM - UNBLOCK REQUEST] x",
        "[ESCALATION - UNBLOCK REQUEST (Final Attempt)]",
        "[UNBLOCK RESOLVED] ok",
        " [SYSTEM - ZOMBIE TASK ESCALATED]",
    ] {
        assert!(text::is_machine(machine), "{machine}");
    }
    assert!(!text::is_machine("[ESCALATION] 급함") && !text::is_machine("[System] 안내"));
}

#[test]
fn outcome_texts_are_read_by_the_general_form() {
    let read =
        text::outcome(" [outcome] no_reply: 메시지가 전달되었으나 응답을 수신하지 못했습니다 (HTTP 500 (internal))")
            .expect("one");
    assert_eq!((read.word.as_str(), read.reason.as_deref()), ("no_reply", Some("HTTP 500 (internal)")));
    assert_eq!(text::outcome("[outcome] success: 배포 완료").expect("one").text, "배포 완료");
    assert_eq!(text::outcome("[outcome] 배포 완료 시각: 3시"), None);
    assert_eq!(text::outcome("결과 [outcome] blocked: x"), None);
    assert_eq!(text::outcome("[outcome] blocked: x)").expect("one").reason, None);
}

/// Every form of a missing answer in every era, and what it is called.
#[test]
fn missing_answer_has_state_and_reason_class() {
    use DeliveryState::{Blocked, NoReply};
    let no_reply = "[outcome] no_reply: 메시지가 전달되었으나 응답을 수신하지 못했습니다";
    let old = "[outcome] blocked: 응답을 받지 못했습니다";
    let with = |text: &str, reason: &str| format!("{text} ({reason})");
    let limit = "[outcome] blocked: 동시 처리 한도 초과 (agent: seum)";
    let cases = [
        (
            json!({"outcome": "no_reply", "message": with(no_reply, "대기 시간 300초 초과")}),
            NoReply,
            ReasonClass::Timeout,
            Some(300),
        ),
        (
            json!({"outcome": "no_reply", "message": with(no_reply, "실행 상태를 찾을 수 없음")}),
            NoReply,
            ReasonClass::RunNotFound,
            None,
        ),
        (json!({"outcome": "no_reply", "message": with(no_reply, "실행 오류")}), NoReply, ReasonClass::RunError, None),
        (
            json!({"outcome": "no_reply", "message": with(no_reply, "Context overflow: prompt too large")}),
            NoReply,
            ReasonClass::ContextOverflow,
            None,
        ),
        (
            json!({"outcome": "no_reply", "message": with(no_reply, "429 Too Many Requests")}),
            NoReply,
            ReasonClass::RateLimit,
            None,
        ),
        (
            json!({"outcome": "no_reply", "message": with(no_reply, "socket hang up")}),
            NoReply,
            ReasonClass::RunError,
            None,
        ),
        (json!({"outcome": "no_reply", "message": no_reply}), NoReply, ReasonClass::Unspecified, None),
        (json!({"outcome": "no_reply", "waitStatus": "timeout"}), NoReply, ReasonClass::Timeout, None),
        (
            json!({"outcome": "no_reply", "waitStatus": "error", "waitError": "gateway closed"}),
            NoReply,
            ReasonClass::RunError,
            None,
        ),
        (json!({"waitStatus": "not_found"}), NoReply, ReasonClass::RunNotFound, None),
        (json!({"outcome": "blocked", "message": old}), NoReply, ReasonClass::Unspecified, None),
        (
            json!({"outcome": "blocked", "message": with(old, "실행 오류"), "waitStatus": "error"}),
            NoReply,
            ReasonClass::RunError,
            None,
        ),
        (json!({"message": old}), NoReply, ReasonClass::Unspecified, None),
        (json!({"replyPreview": with(no_reply, "timeout")}), NoReply, ReasonClass::Timeout, None),
        (
            json!({"fromAgent": "eden", "toAgent": "seum", "outcome": "blocked", "message": limit}),
            Blocked,
            ReasonClass::Concurrency,
            None,
        ),
        (json!({"message": limit}), Blocked, ReasonClass::Concurrency, None),
        (
            json!({"outcome": "blocked", "message": "[outcome] blocked: 권한이 없습니다"}),
            Blocked,
            ReasonClass::Unspecified,
            None,
        ),
    ];
    for (data, state, reason, waited) in cases {
        let event = response(data.clone());
        let missing = event.missing_answer().unwrap_or_else(|| panic!("missing: {data}"));
        assert_eq!((missing.state, missing.reason, missing.waited_secs), (state, reason, waited), "{data}");
        assert_eq!(event.display_text(), None, "never shown raw: {data}");
    }
}

#[test]
fn a_real_answer_is_not_a_missing_one() {
    for data in [
        json!({"message": "완료했습니다", "waitStatus": "ok"}),
        json!({"message": "[outcome] success: 배포 완료"}),
        json!({"message": "[outcome] blocked: 권한이 없어서 멈췄습니다.\n\n자세한 내용은 아래와 같습니다."}),
        json!({"message": "늦은 답", "waitStatus": "timeout"}),
        json!({}),
    ] {
        assert_eq!(response(data.clone()).missing_answer(), None, "{data}");
    }
    assert_eq!(
        response(json!({"message": "[outcome] success: 배포 완료"})).display_text().as_deref(),
        Some("배포 완료")
    );
    assert_eq!(event("a2a.send", json!({"message": "[outcome] no_reply: x"})).missing_answer(), None);
}

#[test]
fn bare_delegation_markers_are_states() {
    assert_eq!(text::run_result("[completed successfully]"), Some(RunResult::Succeeded));
    assert_eq!(text::run_result(" [timed out] "), Some(RunResult::TimedOut));
    assert_eq!(text::run_result("[failed: model [x] broke]"), Some(RunResult::Failed("model [x] broke".to_owned())));
    assert_eq!(text::run_result("[failed: cut by the wri"), Some(RunResult::Failed("cut by the wri".to_owned())));
    assert_eq!(text::run_result("[finished with unknown status]"), Some(RunResult::Finished));
    assert_eq!(text::run_result("[done] 끝"), None);
    assert_eq!(response(json!({"replyPreview": "[timed out]"})).display_text(), None);
    assert_eq!(event("a2a.spawn_result", json!({"replyPreview": "spawn accepted · run 3c9a"})).display_text(), None);
}

#[test]
fn a_text_at_the_writers_limit_was_cut() {
    let long = |units: usize| "가".repeat(units);
    let send = |data| event("a2a.send", data).is_truncated();
    assert!(send(json!({"message": long(4000), "eventRole": "conversation.main"})));
    assert!(!send(json!({"message": long(200), "eventRole": "conversation.main"})));
    assert!(send(json!({"message": long(200)})), "before E4 the limit was 200");
    assert!(!send(json!({"message": long(3999)})));
    assert!(!response(json!({"message": long(4000)})).is_truncated(), "responses are not cut");
    assert!(response(json!({"replyPreview": long(200)})).is_truncated());
    let halved = format!("{}\u{fffd}", long(199));
    assert!(response(json!({"replyPreview": halved})).is_truncated());
    assert_eq!(
        response(json!({"replyPreview": halved})).display_text(),
        Some(long(199)),
        "half a character is not shown"
    );
}

#[test]
fn a_preview_is_one_line_of_plain_words() {
    let check = |text: &str, plain: &str| assert_eq!(text::preview(text, 120), plain, "{text:?}");
    check("## 결과\n\n- [x] **배포** 완료\n- [ ] `docker` _재시작_", "결과 배포 완료 docker 재시작");
    check(
        "<@123456789012345678> 확인 <#111111111111111111> <:ok:222222222222222222> <t:1771294800:R> 부탁",
        "확인 부탁",
    );
    check("[문서](https://example.com/a_b) 참고 ![그림](x.png)", "문서 참고 그림");
    check("| 항목 | 값 |\n|---|---|\n| a | 1 |", "항목 값 a 1");
    check("snake_case 와 2 * 3 과 ~~취소~~ 와 ||비밀||", "snake_case 와 2 * 3 과 취소 와 비밀");
    check("```rust\nfn main() {}\n```\n끝", "fn main() {} 끝");
    check("[[reply_to_current]] 네 \\*별\\*", "네 *별*");
    check("> 인용\n1. 하나", "인용 1. 하나");
    check("<https://example.com/x>", "https://example.com/x");
    check("a < b 이고 b > c", "a < b 이고 b > c");
    check("---\n", "");
}

#[test]
fn preview_is_cut_between_characters() {
    assert_eq!(text::preview(&"가나다라".repeat(10), 10), "가나다라가나다라가…");
    assert_eq!(text::preview("👩‍💻 개발", 50), "👩‍💻 개발");
    assert_eq!(text::preview("열글자까지만된다고요", 10), "열글자까지만된다고요");
    assert_eq!(text::preview("x", 0), "…");
}

fn title(event_type: &str, data: Value) -> Option<(TitleSource, String)> {
    title::of_event(&event(event_type, data), Role::ConversationMain, None)
}

#[test]
fn title_needs_stronger_source_than_known() {
    let written = [
        json!({"label": "결제 점검", "message": "[Goal] 다른 것"}),
        json!({"message": "[Goal] 다른 것"}),
        json!({"message": "로그 정리"}),
        json!({"label": "``", "message": "로그 정리"}),
    ];
    let sources = [TitleSource::Label, TitleSource::Goal, TitleSource::Message, TitleSource::Task];
    for data in written {
        for role in [Role::ConversationMain, Role::DelegationSubagent] {
            let event = event("a2a.send", data.clone());
            let best = title::of_event(&event, role, None);
            assert!(best.is_some(), "{data}");
            for known in sources {
                let stronger = best.clone().filter(|(source, _)| *source < known);
                assert_eq!(title::of_event(&event, role, Some(known)), stronger, "{data} {known:?}");
            }
        }
    }
}

#[test]
fn titles_follow_the_order_label_goal_message() {
    let named = |source, text: &str| Some((source, text.to_owned()));
    assert_eq!(
        title("a2a.send", json!({"label": "결제 점검", "message": "[Goal] 다른 것"})),
        named(TitleSource::Label, "결제 점검")
    );
    assert_eq!(
        title("a2a.send", json!({"message": "이든입니다.\n[goal] 결제 API **배포** 점검 [Context] 2월\n본문"})),
        named(TitleSource::Goal, "결제 API 배포 점검")
    );
    // A spawned run's label is weaker than anything said about the whole.
    let spawned = json!({"label": "receipt-diff", "message": "영수증 차이", "eventRole": "delegation.subagent"});
    let of_run = title::of_event(&event("a2a.spawn", spawned), Role::DelegationSubagent, None);
    assert_eq!(of_run, named(TitleSource::Task, "receipt-diff"));
    assert_eq!(title("a2a.send", json!({"message": "goal: 로그 정리\n본문"})), named(TitleSource::Goal, "로그 정리"));
    assert_eq!(
        title("a2a.send", json!({"message": "[Goal]\n로그 정리\n[Context]"})),
        named(TitleSource::Goal, "로그 정리")
    );
    assert_eq!(
        title("a2a.send", json!({"message": "<@123456789012345678> 로그\n봐줘"})),
        named(TitleSource::Message, "로그 봐줘")
    );
    assert_eq!(title("a2a.response", json!({"replyPreview": "확인했어요"})), named(TitleSource::Message, "확인했어요"));
    assert_eq!(
        title("a2a.send", json!({"message": "[팀 작업 - A]\n팀원: 이든\n배포 확인\n---\n꼬리"})),
        named(TitleSource::Message, "배포 확인")
    );
}

#[test]
fn nothing_raw_becomes_a_title() {
    for message in [
        "[outcome] no_reply: 메시지가 전달되었으나 응답을 수신하지 못했습니다",
        "REPLY_SKIP",
        "[SYSTEM REMINDER - TASK CONTINUATION]\n계속하세요",
        "[completed successfully]",
        "task_7f3a91c02b4de8815a60",
        "ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10",
        "<@123456789012345678>",
        "**",
    ] {
        assert_eq!(title("a2a.response", json!({"message": message})), None, "{message}");
    }
    assert_eq!(title("a2a.spawn_result", json!({"replyPreview": "spawn accepted · run 3c9a"})), None);
    assert_eq!(title("task.started", json!({"taskId": "task_7f3a91c02b4de8815a60"})), None);
    assert_eq!(
        title("a2a.send", json!({"label": "task_7f3a91c02b4de8815a60", "message": "배포"})).expect("one").1,
        "배포"
    );
}

#[test]
fn ids_inside_a_title_are_left_out() {
    assert_eq!(title::clean("task_7f3a91c02b4de8815a60의 배포 확인").as_deref(), Some("배포 확인"));
    assert_eq!(title::clean("배포 (task_ab12) 확인").as_deref(), Some("배포 확인"));
    assert_eq!(title::clean("대화 0b6c1d9e-6c55-4a3c-8f60-2f1f3c7d1a11: 점검").as_deref(), Some("대화 점검"));
    assert_eq!(title::clean("task_list 화면 만들기").as_deref(), Some("task_list 화면 만들기"), "an ordinary word");
}

#[test]
fn title_ends_at_word_within_sixty_units() {
    let words =
        "결제 배포 파이프라인 점검과 재배포 후 검증 그리고 문서 갱신까지 모두 이번 주 안에 함께 마무리하기로 했습니다";
    let cut = title::clean(words).expect("a title");
    assert!(cut.encode_utf16().count() <= 60, "{cut}");
    assert!(cut.ends_with('…') && words.starts_with(cut.trim_end_matches('…')), "{cut}");
    assert!(words[cut.len() - '…'.len_utf8()..].starts_with(' '), "cut at a word: {cut}");
    let one_word = "가".repeat(80);
    assert_eq!(title::clean(&one_word), Some(format!("{}…", "가".repeat(59))));
    assert_eq!(title::clean(&"가".repeat(60)), Some("가".repeat(60)));
    assert!(title::clean(&"😀a".repeat(40)).expect("a title").encode_utf16().count() <= 60);
}

proptest! {
    /// [`title::clean`] relies on it where a text has no bracket.
    #[test]
    fn preview_has_single_spaces_only(
        text in "([ \t\na-zA-Z가-힣\u{a0}\u{2003}\u{85}`*_#>|\\\\!<~:-]|\\]\\(x\\)){0,60}",
        max in 1_usize..40,
    ) {
        let line = text::preview(&text, max);
        prop_assert_eq!(line.split_whitespace().collect::<Vec<_>>().join(" "), line);
    }
}
