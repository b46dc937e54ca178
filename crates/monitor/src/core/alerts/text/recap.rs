//! Words of recaps: a heading with the period, and a line for each change.

use coordination::alerts::{RecapDigest, RecapDigestLine};
use coordination::api::{RecapKind, RecapOutcome, RecapTotal};
use coordination::time::to_iso;

use super::{LineText, MINUTE_MS, MessageText, kind, named};
use crate::config::{AlertLanguage, SinkText};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The words of a recap, with as much text as the sink may have.
pub(in crate::core::alerts) fn recap_words(
    language: AlertLanguage,
    level: SinkText,
    digest: &RecapDigest,
) -> MessageText {
    let is_ko = language == AlertLanguage::Ko;
    let count = digest.count();
    let what = match (count, is_ko) {
        (0, true) if digest.partial => "그동안의 일을 다 확인하지 못함".to_owned(),
        (0, false) if digest.partial => "Not everything could be read".to_owned(),
        (0, true) => "그동안 달라진 것 없음".to_owned(),
        (0, false) => "No changes".to_owned(),
        (_, true) => format!("그동안 있었던 일 {count}건"),
        (1, false) => "1 change".to_owned(),
        (_, false) => format!("{count} changes"),
    };
    let title = format!("{what} · {}", period(is_ko, digest));
    let home = |text: String, count: usize| LineText { text, path: String::new(), count };
    let note = digest.partial.then_some(match is_ko {
        true => "읽지 못한 기록이 있어 빠진 것이 있을 수 있습니다",
        false => "Some records could not be read, so changes may be missing",
    });
    let lines: Vec<LineText> = match (count, level) {
        (0, _) if digest.partial => Vec::new(),
        (0, _) if is_ko => vec![home("이 기간에는 막히거나 실패하거나 해결된 일이 없었습니다.".to_owned(), 0)],
        (0, _) => vec![home("Nothing was blocked, failed or resolved in this period.".to_owned(), 0)],
        (_, SinkText::None) => vec![home(totals(language, &digest.totals), 0)],
        _ => digest.lines.iter().map(|line| line_text(language, level, digest.offset, line)).collect(),
    };
    let shown: usize = lines.iter().map(|line| line.count).sum();
    let rest = if level == SinkText::None { 0 } else { count.saturating_sub(shown) };
    MessageText { language, title, lines, rest, note }
}

/// How many changes of which kind.
fn totals(language: AlertLanguage, totals: &[RecapTotal]) -> String {
    let is_ko = language == AlertLanguage::Ko;
    let total = |total: &RecapTotal| {
        let kind = change(is_ko, total.kind);
        if is_ko { format!("{kind} {}건", total.count) } else { format!("{kind}: {}", total.count) }
    };
    totals.iter().map(total).collect::<Vec<_>>().join(" · ")
}

fn line_text(language: AlertLanguage, level: SinkText, offset: i64, line: &RecapDigestLine) -> LineText {
    let is_ko = language == AlertLanguage::Ko;
    let mut parts = Vec::new();
    let names = [&line.agent, &line.other].into_iter().filter(|name| !name.is_empty());
    let names = names.map(String::as_str).collect::<Vec<_>>().join(" → ");
    match (line.attention, line.outcome, line.kind) {
        (Some(attention), ..) => parts.push(named(kind(language, attention), &names)),
        (None, _, RecapKind::Slow) => {
            let time = |ms: Option<i64>| duration(is_ko, ms.unwrap_or_default());
            let (took, usual) = (time(line.took_ms), time(line.usual_ms));
            parts.push(match is_ko {
                true => format!("{}의 답 {took} (보통 {usual})", line.other),
                false => format!("{} took {took} to reply (usually {usual})", line.other),
            });
        }
        (None, _, RecapKind::Quiet) => {
            parts.push(names);
            let last = moment(is_ko, line.at, offset);
            parts.push(if is_ko { format!("마지막 활동 {last}") } else { format!("last active {last}") });
        }
        (None, outcome, _) => {
            let outcome = outcome.map(|outcome| happened(is_ko, outcome, line.count)).unwrap_or_default();
            parts.extend([outcome, names]);
        }
    }
    parts.push(line.title.clone());
    if level == SinkText::Full && line.detail != line.title {
        parts.push(line.detail.clone());
    }
    parts.retain(|part| !part.is_empty());
    let text = format!("{}: {}", change(is_ko, line.kind), parts.join(" · "));
    LineText { text, path: line.path.clone(), count: line.count as usize }
}

/// The word for a kind, as home shows it.
fn change(is_ko: bool, kind: RecapKind) -> &'static str {
    let (ko, en) = match kind {
        RecapKind::Blocked => ("새로 막힘", "Newly blocked"),
        RecapKind::Failed => ("실패", "Failed"),
        RecapKind::Decided => ("결정", "Decided"),
        RecapKind::Resolved => ("해결", "Resolved"),
        RecapKind::Slow => ("오래 걸림", "Slow"),
        RecapKind::Quiet => ("조용함", "Quiet"),
        RecapKind::Unknown => ("변화", "Changed"),
    };
    if is_ko { ko } else { en }
}

fn happened(is_ko: bool, outcome: RecapOutcome, count: u32) -> String {
    let (ko, en) = match outcome {
        RecapOutcome::Refused => ("요청을 거절함", "refused"),
        RecapOutcome::NoReply => ("답이 없음", "no reply"),
        RecapOutcome::NotStarted => ("맡긴 작업이 시작되지 못함", "could not start"),
        RecapOutcome::Abandoned => ("오래 멈춰 정리됨", "stalled and given up"),
        RecapOutcome::Approved => ("승인됨", "approved"),
        RecapOutcome::Cancelled => ("취소됨", "cancelled"),
        RecapOutcome::Completed => ("작업을 마침", "completed"),
        RecapOutcome::Unblocked => ("막혔던 작업이 다시 진행됨", "resumed"),
        RecapOutcome::Unknown => return String::new(),
    };
    match (is_ko, count) {
        (true, ..=1) => ko.to_owned(),
        (false, ..=1) => en.to_owned(),
        (true, _) => format!("{ko} {count}건"),
        (false, _) => format!("{en} ({count})"),
    }
}

/// The period: the day of its end only where it is another.
fn period(is_ko: bool, digest: &RecapDigest) -> String {
    let (since, until) = (Local::new(digest.since, digest.offset), Local::new(digest.until, digest.offset));
    let end = if since.date() == until.date() { until.time() } else { until.text(is_ko) };
    let join = if is_ko { "~" } else { "to" };
    format!("{} {join} {end}", since.text(is_ko))
}

fn moment(is_ko: bool, at: i64, offset: i64) -> String {
    Local::new(at, offset).text(is_ko)
}

/// A moment in the zone of the recap, as ISO text.
struct Local(String);

impl Local {
    fn new(at: i64, offset: i64) -> Self {
        Self(to_iso(at.saturating_add(offset.saturating_mul(MINUTE_MS))))
    }

    fn date(&self) -> &str {
        self.0.get(..10).unwrap_or_default()
    }

    fn time(&self) -> String {
        self.0.get(11..16).unwrap_or_default().to_owned()
    }

    /// `2월 21일 08:30`, `Feb 21 08:30`.
    fn text(&self, is_ko: bool) -> String {
        let number = |from: usize, to: usize| self.0.get(from..to).and_then(|text| text.parse().ok()).unwrap_or(1);
        let (month, day): (usize, usize) = (number(5, 7), number(8, 10));
        if is_ko {
            return format!("{month}월 {day}일 {}", self.time());
        }
        let month = MONTHS.get(month.saturating_sub(1)).unwrap_or(&MONTHS[0]);
        format!("{month} {day} {}", self.time())
    }
}

/// `45초`, `12분`, `2시간 5분`, `3일 4시간`.
fn duration(is_ko: bool, ms: i64) -> String {
    let unit = |number: i64, ko: &str, en: &str| {
        if is_ko { format!("{number}{ko}") } else { format!("{number} {en}") }
    };
    let two = |first: String, number: i64, ko: &str, en: &str| {
        if number == 0 { first } else { format!("{first} {}", unit(number, ko, en)) }
    };
    let (seconds, minutes, hours) = (ms / 1_000, ms / MINUTE_MS, ms / (60 * MINUTE_MS));
    match minutes {
        ..1 => unit(seconds, "초", "s"),
        1..60 => unit(minutes, "분", "min"),
        60..2_880 => two(unit(hours, "시간", "h"), minutes % 60, "분", "min"),
        _ => two(unit(hours / 24, "일", "d"), hours % 24, "시간", "h"),
    }
}

#[cfg(test)]
pub(in crate::core::alerts) mod tests {
    use coordination::api::AttentionKind;

    use super::*;

    /// 08:30 on 21 February 2026 in Seoul.
    pub(in crate::core::alerts) const UNTIL: i64 = 1_771_630_200_000;
    const HOUR: i64 = 60 * MINUTE_MS;

    fn line(kind: RecapKind, outcome: Option<RecapOutcome>, count: u32) -> RecapDigestLine {
        RecapDigestLine {
            kind,
            outcome,
            attention: (kind == RecapKind::Blocked).then_some(AttentionKind::Approval),
            at: UNTIL - HOUR,
            count,
            agent: "이든".to_owned(),
            other: if count > 1 || kind == RecapKind::Slow { "세움".to_owned() } else { String::new() },
            title: "결제 <게이트웨이> v2".to_owned(),
            detail: "자세한 *내용*".to_owned(),
            took_ms: (kind == RecapKind::Slow).then_some(130 * MINUTE_MS),
            usual_ms: (kind == RecapKind::Slow).then_some(5 * MINUTE_MS),
            path: "tasks/eden/task_1".to_owned(),
        }
    }

    /// A recap of a day with a line of each kind, and two changes without one.
    pub(in crate::core::alerts) fn digest() -> RecapDigest {
        let total = |kind, count| RecapTotal { kind, count };
        RecapDigest {
            since: UNTIL - 24 * HOUR,
            until: UNTIL,
            offset: 9 * 60,
            totals: vec![
                total(RecapKind::Blocked, 3),
                total(RecapKind::Failed, 2),
                total(RecapKind::Decided, 1),
                total(RecapKind::Resolved, 1),
                total(RecapKind::Slow, 1),
                total(RecapKind::Quiet, 1),
            ],
            lines: vec![
                line(RecapKind::Blocked, None, 1),
                line(RecapKind::Failed, Some(RecapOutcome::NoReply), 2),
                line(RecapKind::Decided, Some(RecapOutcome::Approved), 1),
                line(RecapKind::Resolved, Some(RecapOutcome::Completed), 1),
                line(RecapKind::Slow, None, 1),
                line(RecapKind::Quiet, None, 1),
            ],
            partial: false,
        }
    }

    fn said(language: AlertLanguage, level: SinkText, digest: &RecapDigest) -> (String, Vec<String>) {
        let text = recap_words(language, level, digest);
        let more = text.more();
        (text.title, text.lines.into_iter().map(|line| line.text).chain(more).collect())
    }

    #[test]
    fn recap_words_follow_language_and_level() {
        use AlertLanguage::{En, Ko};
        let (title, lines) = said(Ko, SinkText::Title, &digest());
        assert_eq!(title, "그동안 있었던 일 9건 · 2월 20일 08:30 ~ 2월 21일 08:30");
        assert_eq!(
            lines,
            [
                "새로 막힘: 승인 대기 · 이든 · 결제 <게이트웨이> v2",
                "실패: 답이 없음 2건 · 이든 → 세움 · 결제 <게이트웨이> v2",
                "결정: 승인됨 · 이든 · 결제 <게이트웨이> v2",
                "해결: 작업을 마침 · 이든 · 결제 <게이트웨이> v2",
                "오래 걸림: 세움의 답 2시간 10분 (보통 5분) · 결제 <게이트웨이> v2",
                "조용함: 이든 · 마지막 활동 2월 21일 07:30 · 결제 <게이트웨이> v2",
                "외 2건",
            ]
        );
        let (title, lines) = said(En, SinkText::Full, &digest());
        assert_eq!(title, "9 changes · Feb 20 08:30 to Feb 21 08:30");
        assert_eq!(lines[0], "Newly blocked: Needs approval · 이든 · 결제 <게이트웨이> v2 · 자세한 *내용*");
        assert_eq!(lines[1], "Failed: no reply (2) · 이든 → 세움 · 결제 <게이트웨이> v2 · 자세한 *내용*");
        assert!(lines[4].starts_with("Slow: 세움 took 2 h 10 min to reply (usually 5 min)"), "{lines:?}");
        let (_, lines) = said(Ko, SinkText::None, &digest());
        assert_eq!(lines, ["새로 막힘 3건 · 실패 2건 · 결정 1건 · 해결 1건 · 오래 걸림 1건 · 조용함 1건"]);
    }

    #[test]
    fn recap_without_changes_is_one_sentence() {
        let quiet = RecapDigest { totals: Vec::new(), lines: Vec::new(), since: UNTIL - HOUR, ..digest() };
        let (title, lines) = said(AlertLanguage::Ko, SinkText::Title, &quiet);
        assert_eq!(title, "그동안 달라진 것 없음 · 2월 21일 07:30 ~ 08:30");
        assert_eq!(lines, ["이 기간에는 막히거나 실패하거나 해결된 일이 없었습니다."]);
        // What could not be read is not nothing.
        let (title, lines) = said(AlertLanguage::En, SinkText::Title, &RecapDigest { partial: true, ..quiet });
        assert!(!title.starts_with("No changes"), "{title}");
        assert_eq!(lines, ["Some records could not be read, so changes may be missing"]);
    }

    #[test]
    fn shortened_text_counts_what_it_leaves_out() {
        let mut text = recap_words(AlertLanguage::Ko, SinkText::Title, &digest());
        while text.lines.len() > 1 {
            assert!(text.shorten());
        }
        assert_eq!(text.more().as_deref(), Some("외 8건"));
    }

    #[test]
    fn durations_have_two_units_at_most() {
        let ko = |ms| duration(true, ms);
        assert_eq!([ko(45_000), ko(12 * MINUTE_MS), ko(2 * HOUR)], ["45초", "12분", "2시간"]);
        assert_eq!([ko(125 * MINUTE_MS), duration(false, 76 * HOUR)], ["2시간 5분", "3 d 4 h"]);
    }
}
