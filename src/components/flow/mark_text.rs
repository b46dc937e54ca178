//! Texts of the elements of a flow diagram (arrows, delegated runs, task bars, notes). The drawing, the table, the
//! details panel and screen readers use the same texts.

use coordination::api::{ArrowKind, DelegationState, FlowArrow, FlowDelegation, FlowNote, FlowSpan, FlowTaskBar};
use coordination::delivery::DeliveryState;
use coordination::flow_layout::MarkRef;
use coordination::text::hidden;
use coordination::workspace::TaskStatus;

use super::DrawnFlow;
use crate::components::hidden::readable;
use crate::components::people::PeopleNames;
use crate::components::status::{delivery_state_style, task_status_style};
use crate::i18n::{I18n, time};
use crate::ui::badge::{StatusStyle, style};
use crate::ui::{Icon, Tone};

/// A mark in words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MarkText {
    /// Request, answer, sub-agent, task …
    pub(super) kind: &'static str,
    /// `이든 → 세움`.
    pub(super) who: String,
    /// The message, or its subject.
    pub(super) text: String,
    /// What became of it.
    pub(super) fate: String,
    pub(super) tone: Tone,
    pub(super) icon: Icon,
    /// When it begins; 0 without a usable time.
    pub(super) at: i64,
}

impl Default for MarkText {
    fn default() -> Self {
        let nothing = String::new();
        let (tone, icon) = (Tone::Neutral, Icon::Event);
        Self { kind: "", who: nothing.clone(), text: nothing.clone(), fate: nothing, tone, icon, at: 0 }
    }
}

impl MarkText {
    /// All of it in one sentence, for a screen reader.
    pub(super) fn label(&self, words: I18n) -> String {
        let when = if self.at > 0 { time::clock_seconds(words.locale(), self.at) } else { String::new() };
        let parts = [self.kind, &self.who, &self.text, &self.fate, &when];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// Describes a mark. `now` is the page's time, for open exchanges. Reactive.
pub(super) fn mark_text(drawn: &DrawnFlow, of: MarkRef, words: I18n, people: PeopleNames, now: i64) -> MarkText {
    match of {
        MarkRef::Arrow(at) => arrow(&drawn.flow.arrows[at], words, people, now),
        MarkRef::Delegation(at) => delegation(&drawn.flow.delegations[at], words, people, now),
        MarkRef::TaskBar(at) => task_bar(&drawn.flow.task_bars[at], words, people),
        MarkRef::Note(at) => note(&drawn.flow.notes[at], words, people),
    }
}

fn arrow(arrow: &FlowArrow, words: I18n, people: PeopleNames, now: i64) -> MarkText {
    let flow = words.get().flow();
    let StatusStyle { tone, icon } = match (&arrow.exchange, arrow.kind) {
        (Some(exchange), _) => delivery_state_style(exchange.state_at(now)),
        (None, ArrowKind::Answer) if arrow.answers.is_some() => style(Tone::Success, Icon::Ok),
        (None, ArrowKind::Turn) => style(Tone::Neutral, Icon::Talk),
        _ => style(Tone::Neutral, Icon::ArrowRight),
    };
    let kind = match arrow.kind {
        _ if arrow.human => flow.person,
        ArrowKind::Request => flow.request,
        ArrowKind::Answer => flow.answer,
        ArrowKind::Turn => flow.turn,
        ArrowKind::Route => flow.route,
        ArrowKind::Unknown => flow.event,
    };
    MarkText {
        kind,
        who: if arrow.human {
            // The agent is only the way.
            let events = words.get().events();
            let who = (flow.pair)(events.person, &people.name(&arrow.addressee));
            format!("{who} ({})", (events.through)(&people.name(&arrow.speaker)))
        } else {
            (flow.pair)(&people.name(&arrow.speaker), &people.name(&arrow.addressee))
        },
        text: if arrow.text.is_empty() {
            words.get().thread().no_text.to_owned()
        } else {
            hidden::marked(&readable(&arrow.text, words)).into_owned()
        },
        fate: arrow_fate(arrow, words, now),
        tone,
        icon,
        at: arrow.at,
    }
}

/// `응답 없음 · 5분 · 재시도 2`, `답변 받음 · 41초`, `턴 2/3`.
pub(super) fn arrow_fate(arrow: &FlowArrow, words: I18n, now: i64) -> String {
    let thread = words.get().thread();
    if let Some(exchange) = &arrow.exchange {
        let state = exchange.state_at(now);
        let mut parts = vec![(words.get().common.delivery)(state).to_owned()];
        let end = match state {
            DeliveryState::Waiting => Some(now),
            _ => exchange.delivery.settled_at,
        };
        if let Some(end) = end.filter(|end| arrow.at > 0 && *end >= arrow.at) {
            parts.push(time::duration(words.locale(), end - arrow.at));
        }
        if exchange.delivery.retries > 0 {
            parts.push((thread.retries_made)(exchange.delivery.retries));
        }
        return parts.join(" · ");
    }
    match (arrow.kind, arrow.turn, arrow.asked_at) {
        (ArrowKind::Turn, Some(turn), _) => match arrow.max_turns.filter(|max| *max > 0) {
            Some(max) => (thread.turn_of)(turn, max),
            None => (thread.turn)(turn),
        },
        (ArrowKind::Route, ..) => words.get().flow().route.to_owned(),
        (_, _, Some(requested_at)) if arrow.at >= requested_at => {
            format!("{} · {}", words.get().flow().got_answer, time::duration(words.locale(), arrow.at - requested_at))
        }
        _ => words.get().flow().answer.to_owned(),
    }
}

/// Style of a run's state in the flow. A run in progress is blue: the dot differs from that of a finished run by colour
/// alone.
pub(super) fn run_state_style(state: DelegationState) -> StatusStyle {
    match state {
        DelegationState::Requested => style(Tone::Info, Icon::Todo),
        DelegationState::Running => style(Tone::Info, Icon::Hourglass),
        DelegationState::Succeeded => style(Tone::Success, Icon::Ok),
        DelegationState::Failed => style(Tone::Danger, Icon::Warn),
        DelegationState::TimedOut => style(Tone::Danger, Icon::Clock),
        DelegationState::Finished => style(Tone::Neutral, Icon::Flag),
        DelegationState::Unknown => style(Tone::Neutral, Icon::Help),
    }
}

fn delegation(delegation: &FlowDelegation, words: I18n, people: PeopleNames, now: i64) -> MarkText {
    let flow = words.get().flow();
    let StatusStyle { tone, icon } = run_state_style(delegation.state);
    let to = people.name(&delegation.to);
    let who = match &delegation.from {
        Some(from) => (flow.pair)(&people.name(from), &to),
        None => to,
    };
    let text = delegation.label.as_deref().filter(|label| !label.is_empty()).unwrap_or(&delegation.text);
    let text = hidden::marked(text).into_owned();
    MarkText {
        kind: flow.run,
        who,
        text,
        fate: delegation_fate(delegation, words, now),
        tone,
        icon,
        at: delegation.start_time,
    }
}

/// `끝남 · 12초 걸림`, `아직 안 끝남 · 38분째`.
pub(super) fn delegation_fate(delegation: &FlowDelegation, words: I18n, now: i64) -> String {
    let events = words.get().events();
    let state = (events.state)(delegation.state);
    let mut parts = vec![state.to_owned()];
    if delegation.orphan {
        parts.push(events.orphan.to_owned());
    } else if let Some(end) =
        delegation.end_time.filter(|end| delegation.start_time > 0 && *end >= delegation.start_time)
    {
        parts.push(time::duration(words.locale(), end - delegation.start_time));
    } else if delegation.end_time.is_none() && delegation.start_time > 0 {
        parts.push(time::since(words.locale(), now, delegation.start_time));
    }
    parts.join(" · ")
}

/// `이든 · 태그 대조`: who works, and at what.
pub(super) fn delegation_name(delegation: &FlowDelegation, people: PeopleNames) -> String {
    let name = people.name(&delegation.to);
    let about = delegation.label.as_deref().filter(|label| !label.is_empty()).unwrap_or(&delegation.text);
    if about.is_empty() { name } else { format!("{name} · {}", hidden::marked(about)) }
}

pub(super) fn task_bar_title(task_bar: &FlowTaskBar, words: I18n) -> String {
    let tasks = words.get().tasks();
    let title = if task_bar.title.is_empty() { tasks.untitled } else { &hidden::marked(&task_bar.title) };
    match task_bar.steps.total {
        0 => title.to_owned(),
        total => format!("{title} {}/{total}", task_bar.steps.done),
    }
}

fn task_bar(task_bar: &FlowTaskBar, words: I18n, people: PeopleNames) -> MarkText {
    let flow = words.get().flow();
    let StatusStyle { tone, icon } = task_status_style(task_bar.status);
    let steps: Vec<String> = task_bar.spans.iter().map(|span| span_words(span, words)).collect();
    let differs = if task_bar.differs { format!(" · {}", words.get().tasks().differs) } else { String::new() };
    MarkText {
        kind: flow.task,
        who: people.name(&task_bar.owner),
        text: task_bar_title(task_bar, words),
        fate: format!("{}{differs}", steps.join(" → ")),
        tone,
        icon,
        at: task_bar.spans.first().map_or(0, |span| span.from),
    }
}

/// `진행 중 17:44`, `차단됨 13:39 · DB 접근 권한`.
pub(super) fn span_words(span: &FlowSpan, words: I18n) -> String {
    let status = (words.get().common.task_status)(span.status);
    let mut text = match span.from {
        0 => status.to_owned(),
        from => (words.get().flow().began)(status, &time::clock(words.locale(), from)),
    };
    if let Some(reason) = span.reason.as_ref().filter(|_| span.status == TaskStatus::Blocked) {
        text = format!("{text} · {}", hidden::marked(reason));
    }
    text
}

fn note(note: &FlowNote, words: I18n, people: PeopleNames) -> MarkText {
    let name = note_name(note, words);
    let has_failed = note.event_type.ends_with("failed");
    let StatusStyle { tone, icon } =
        if has_failed { style(Tone::Warning, Icon::Warn) } else { style(Tone::Neutral, Icon::Event) };
    MarkText {
        kind: words.get().flow().event,
        who: people.name(&note.agent),
        text: if note.text.is_empty() { name } else { format!("{name} · {}", hidden::marked(&note.text)) },
        fate: String::new(),
        tone,
        icon,
        at: note.at,
    }
}

/// `동기화 실패 · 3번`.
pub(super) fn note_name(note: &FlowNote, words: I18n) -> String {
    let name = (words.get().events().type_name)(&note.event_type).unwrap_or(&note.event_type);
    let name = hidden::marked(name);
    match note.events.len() {
        1 => name.into_owned(),
        many => format!("{name} · {}", (words.get().flow().times)(many)),
    }
}

/// As much of a text as fits into `width` pixels at this size; `…` when it was cut. Widths of letters are estimated:
/// a Hangul syllable is nearly as wide as it is high, a Latin letter half.
pub(super) fn fitted(text: &str, width: f64, size: f64) -> String {
    let mut room = width / size;
    if width_of(text, size) <= width {
        return text.to_owned();
    }
    room -= share('…');
    let mut out = String::new();
    for letter in text.chars() {
        room -= share(letter);
        if room < 0.0 {
            break;
        }
        out.push(letter);
    }
    format!("{}…", out.trim_end())
}

/// How wide a text is at this size, about.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().map(share).sum::<f64>() * size
}

fn share(letter: char) -> f64 {
    match letter {
        ' ' | '.' | ',' | '·' | ':' | ';' | '\'' | 'i' | 'l' | 'I' | '|' | '(' | ')' | '!' => 0.3,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.85,
        'A'..='Z' => 0.66,
        letter if letter.is_ascii() => 0.55,
        '…' | '→' => 0.95,
        _ => 0.9,
    }
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn mark_text_is_cut_with_ellipsis() {
        assert_eq!(fitted("배포 확인", 100.0, 13.0), "배포 확인");
        let cut = fitted("배포 파이프라인 점검 부탁드립니다 오늘 안에요", 100.0, 13.0);
        assert!(cut.ends_with('…') && cut.chars().count() < 12, "{cut}");
        assert_eq!(fitted("가나다라", 0.0, 13.0), "…");
        assert!(
            fitted(&"i".repeat(40), 100.0, 13.0).chars().count()
                > fitted(&"가".repeat(40), 100.0, 13.0).chars().count()
        );
    }
}
