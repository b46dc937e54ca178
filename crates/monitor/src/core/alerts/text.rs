//! Words of alerts in Korean and English. They are the one exception from the rule that the monitor emits codes only
//! (`ARCHITECTURE.md`, invariant 4): a chat, a mailbox and a phone show what they are sent, and no page of ours is there to
//! translate it.

mod recap;

use coordination::alerts::{AlertLine, MessageForm};
use coordination::api::AttentionKind;

use crate::config::{AlertLanguage, SinkText};

pub(super) use recap::recap_words;
#[cfg(test)]
pub(super) use recap::tests as recap_tests;

/// Lines of a message that are written out; the others are a number.
const MAX_SHOWN: usize = 10;
const MINUTE_MS: i64 = 60_000;

/// A message in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MessageText {
    language: AlertLanguage,
    /// What it is, in a few words.
    pub(super) title: String,
    /// One entry for each line that is written out.
    pub(super) lines: Vec<LineText>,
    /// How many are not written out.
    rest: usize,
    /// What else is to be said.
    note: Option<&'static str>,
}

impl MessageText {
    /// How many lines are not written out, and what else is to be said.
    pub(super) fn more(&self) -> Option<String> {
        let rest = match (self.rest, self.language) {
            (0, _) => None,
            (rest, AlertLanguage::Ko) => Some(format!("외 {rest}건")),
            (rest, AlertLanguage::En) => Some(format!("and {rest} more")),
        };
        let parts: Vec<String> = rest.into_iter().chain(self.note.map(str::to_owned)).collect();
        (!parts.is_empty()).then(|| parts.join(" · "))
    }

    /// Counts the last line instead of writing it out. False without a line.
    pub(super) fn shorten(&mut self) -> bool {
        let dropped = self.lines.pop();
        self.rest += dropped.as_ref().map_or(0, |line| line.count);
        dropped.is_some()
    }
}

/// A line in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineText {
    /// What waits, who is held up and for how long.
    pub(super) text: String,
    /// Its page, below the address of the dashboard.
    pub(super) path: String,
    /// Number of changes that it covers.
    count: usize,
}

/// What a message says.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageContent<'a> {
    /// What it is about.
    pub(super) form: MessageForm,
    /// The first lines it is about.
    pub(super) lines: &'a [AlertLine],
    /// Number of all lines.
    pub(super) count: usize,
}

/// The words of a message, with as much text as the sink may have.
pub(super) fn words(language: AlertLanguage, level: SinkText, content: MessageContent<'_>, now: i64) -> MessageText {
    let MessageContent { form, lines, count } = content;
    let is_ko = language == AlertLanguage::Ko;
    let first = lines.first();
    let what = match (first, level) {
        (Some(line), SinkText::Title | SinkText::Full) if count == 1 => named(kind(language, line.kind), &line.agent),
        (Some(line), SinkText::None) if count == 1 => kind(language, line.kind).to_owned(),
        _ if is_ko => format!("기다리는 것 {count}건"),
        _ => format!("{count} things wait"),
    };
    let title = match (form, is_ko) {
        (MessageForm::Over, true) => format!("해결됨 · {what}"),
        (MessageForm::Over, false) => format!("Resolved · {what}"),
        (MessageForm::Repeat, true) => format!("아직 기다림 · {what}"),
        (MessageForm::Repeat, false) => format!("Still waiting · {what}"),
        (MessageForm::Test, true) => "시험 알림 · Task-Hub가 이 채널에 알림을 보낼 수 있습니다".to_owned(),
        (MessageForm::Test, false) => "Test · Task-Hub can send alerts to this channel".to_owned(),
        _ => what,
    };
    let shown: Vec<LineText> = match level {
        SinkText::None => Vec::new(),
        _ => lines.iter().take(MAX_SHOWN).map(|line| line_text(language, level, form, line, count == 1, now)).collect(),
    };
    let rest = if shown.is_empty() { 0 } else { count.saturating_sub(shown.len()) };
    MessageText { language, title, lines: shown, rest, note: None }
}

/// One line. The title of the message names kind and agent of a single one.
fn line_text(
    language: AlertLanguage,
    level: SinkText,
    form: MessageForm,
    line: &AlertLine,
    is_single: bool,
    now: i64,
) -> LineText {
    let is_ko = language == AlertLanguage::Ko;
    let mut parts = Vec::new();
    if !is_single {
        parts.push(named(kind(language, line.kind), &line.agent));
    }
    if line.kind == AttentionKind::Deadlock {
        parts.push(line.cycle.iter().chain(line.cycle.first()).cloned().collect::<Vec<_>>().join(" → "));
    } else if !line.other.is_empty() {
        parts.push(format!("→ {}", line.other));
    }
    parts.push(line.title.clone());
    if level == SinkText::Full && line.detail != line.title {
        parts.push(line.detail.clone());
    }
    if line.held_up > 0 && form != MessageForm::Over {
        let names = line.waiters.join(", ");
        let others = (line.held_up as usize).saturating_sub(line.waiters.len());
        let names = match (names.is_empty(), others, is_ko) {
            (true, ..) => String::new(),
            (false, 0, _) => format!(": {names}"),
            (false, _, true) => format!(": {names} 외 {others}명"),
            (false, _, false) => format!(": {names} and {others} more"),
        };
        parts.push(match (is_ko, line.held_up) {
            (true, held_up) => format!("에이전트 {held_up}명이 기다림{names}"),
            (false, 1) => format!("1 agent waits{names}"),
            (false, held_up) => format!("{held_up} agents wait{names}"),
        });
    }
    if line.since > 0 && form != MessageForm::Over {
        parts.extend(waited(is_ko, now.saturating_sub(line.since)));
    }
    if line.inferred {
        parts.push(if is_ko { "추정" } else { "inferred" }.to_owned());
    }
    parts.retain(|part| !part.is_empty());
    LineText { text: parts.join(" · "), path: line.path.clone(), count: 1 }
}

fn named(kind: &str, agent: &str) -> String {
    if agent.is_empty() { kind.to_owned() } else { format!("{kind} · {agent}") }
}

/// For how long it has waited; nothing within the first minute.
fn waited(is_ko: bool, ms: i64) -> Option<String> {
    let minutes = ms / MINUTE_MS;
    let (number, ko, en) = match minutes {
        ..1 => return None,
        1..120 => (minutes, "분째", "min"),
        120..2_880 => (minutes / 60, "시간째", "h"),
        _ => (minutes / 1_440, "일째", "d"),
    };
    Some(if is_ko { format!("{number}{ko}") } else { format!("for {number} {en}") })
}

/// The word for a kind, as home shows it.
fn kind(language: AlertLanguage, kind: AttentionKind) -> &'static str {
    let (ko, en) = match kind {
        AttentionKind::TaskBlocked => ("차단됨", "Blocked"),
        AttentionKind::Blocked => ("거절됨", "Refused"),
        AttentionKind::UnblockFailed => ("해제 실패", "Not unblocked"),
        AttentionKind::Backoff => ("거듭 미룸", "Backing off"),
        AttentionKind::NoReply => ("응답 없음", "No reply"),
        AttentionKind::Approval => ("승인 대기", "Needs approval"),
        AttentionKind::LowConfidence => ("분류 확인", "Check category"),
        AttentionKind::FallbackDrift => ("분류 추이", "Category drift"),
        AttentionKind::Permission => ("권한 대기", "Permission"),
        AttentionKind::Question => ("답변 대기", "Question"),
        AttentionKind::AgentFailed => ("오류로 멈춤", "Failed"),
        AttentionKind::Zombie => ("멈춘 작업", "Stuck"),
        AttentionKind::Deadlock => ("교착", "Deadlock"),
        AttentionKind::ToolApproval => ("실행 승인", "Approve to run"),
        AttentionKind::AgentRequest => ("확인 요청", "Asks for you"),
        AttentionKind::Unknown => ("확인 필요", "Needs a look"),
    };
    if language == AlertLanguage::Ko { ko } else { en }
}

/// The link to the dashboard.
pub(super) fn open_word(language: AlertLanguage) -> &'static str {
    if language == AlertLanguage::Ko { "열기" } else { "Open" }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::core::alerts) fn line() -> AlertLine {
        AlertLine {
            kind: AttentionKind::Approval,
            agent: "세움".to_owned(),
            other: String::new(),
            cycle: Vec::new(),
            waiters: vec!["이든".to_owned(), "다짐".to_owned()],
            held_up: 4,
            since: 1_000,
            inferred: false,
            title: "결제 <게이트웨이> v2".to_owned(),
            detail: "자세한 *내용*".to_owned(),
            path: "tasks/seum/task_1".to_owned(),
        }
    }

    fn said(language: AlertLanguage, level: SinkText, form: MessageForm, count: usize) -> (String, Vec<String>) {
        let lines = vec![line(); count.min(10)];
        let text = words(language, level, MessageContent { form, lines: &lines, count }, 47 * 60_000 + 1_000);
        let more = text.more();
        (text.title, text.lines.into_iter().map(|line| line.text).chain(more).collect())
    }

    #[test]
    fn words_follow_language_and_level() {
        use AlertLanguage::{En, Ko};
        let (title, lines) = said(Ko, SinkText::Title, MessageForm::Line, 1);
        assert_eq!(title, "승인 대기 · 세움");
        assert_eq!(lines, ["결제 <게이트웨이> v2 · 에이전트 4명이 기다림: 이든, 다짐 외 2명 · 47분째"]);
        let (title, lines) = said(En, SinkText::Full, MessageForm::Repeat, 1);
        assert_eq!(title, "Still waiting · Needs approval · 세움");
        assert_eq!(lines, ["결제 <게이트웨이> v2 · 자세한 *내용* · 4 agents wait: 이든, 다짐 and 2 more · for 47 min"]);
        assert_eq!(said(Ko, SinkText::None, MessageForm::Over, 1), ("해결됨 · 승인 대기".to_owned(), Vec::new()));
        let (title, lines) = said(Ko, SinkText::Title, MessageForm::Many, 500);
        assert_eq!((title.as_str(), lines.len(), lines[10].as_str()), ("기다리는 것 500건", 11, "외 490건"));
        assert!(lines[0].starts_with("승인 대기 · 세움 · 결제"), "{lines:?}");
    }
}
