//! Panel of what changed since the reader's last visit, on home: at most ten lines, each with a link to its evidence.

use coordination::api::{Recap, RecapKind, RecapLine, RecapQuery};
use coordination::text::hidden;
use leptos::prelude::*;

use super::attention_list::subject_link;
use super::attention_words::headline;
use super::people::{PeopleNames, use_people};
use super::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{FetchOptions, use_fetch};
use crate::routes::{EventsFilter, at_moment, paths};
use crate::state::use_last_visit;
use crate::ui::badge::{Badge, StatusStyle, style};
use crate::ui::{Icon, Tone};

/// The panel; nothing while nothing happened.
#[component]
pub fn RecapPanel(since: i64) -> impl IntoView {
    let words = use_i18n();
    let visit = use_last_visit();
    let now = use_now();
    let recap = use_fetch(
        move || since,
        FetchOptions::ignore_live_changes(),
        |source, since| async move { source.recap(&RecapQuery { since: Some(since) }).await },
    );
    let past = coordination::api::PastMoment { at: since, known_by: coordination::api::KnownBy::default() };
    let panel = move |summary: &Recap| {
        let lines: Vec<RecapLine> = summary.lines.clone();
        let counts = (words.get().recap().summary)(summary.sessions, summary.events);
        let rest = RecapKind::ALL.iter().map(|kind| summary.total(*kind)).sum::<u32>();
        let rest = rest.saturating_sub(lines.iter().map(|line| line.count).sum());
        view! {
            <section class="recap" aria-labelledby="recap">
                <div class="section-head">
                    <h2 id="recap">{move || words.get().recap().title}</h2>
                    <span class="recap__since">
                        {move || (words.get().recap().since)(&time::short(words.locale(), now.at.get(), since))}
                    </span>
                    <span class="section-head__more">
                        <a class="link" data-moment="" href=at_moment(&paths::home(), Some(past))>
                            {move || words.get().recap().look}
                        </a>
                        <button type="button" class="button is-small" on:click=move |_| visit.dismiss()>
                            {move || words.get().recap().dismiss}
                        </button>
                    </span>
                </div>
                <ol>{lines.into_iter().map(|line| view! { <RecapRow line=line /> }).collect_view()}</ol>
                <p class="recap__rest">
                    {(rest > 0).then(|| (words.get().recap().more)(rest))} " " {counts}
                </p>
            </section>
        }
    };
    move || recap.data.with(|answer| answer.as_ref().filter(|answer| answer.events > 0).map(|answer| panel(answer)))
}

/// One line: kind, sentence, and when.
#[component]
fn RecapRow(line: RecapLine) -> impl IntoView {
    let (words, people, now) = (use_i18n(), use_people(), use_now());
    let (kind, at, href) = (line.kind, line.at, evidence(&line));
    let StatusStyle { tone, icon } = kind_style(kind);
    let text = move || sentence(&line, words, people);
    view! {
        <li class="recap__line">
            <Badge
                tone=tone
                icon=icon
                text=Signal::derive(move || (words.get().recap().kind)(kind).to_owned())
            />
            <a class="recap__text" href=href>
                {text}
            </a>
            <time>{move || time::short(words.locale(), now.at.get(), at)}</time>
        </li>
    }
}

fn kind_style(kind: RecapKind) -> StatusStyle {
    match kind {
        RecapKind::Blocked => style(Tone::Danger, Icon::Blocked),
        RecapKind::Failed => style(Tone::Danger, Icon::NoReply),
        RecapKind::Decided => style(Tone::Info, Icon::Plan),
        RecapKind::Resolved => style(Tone::Success, Icon::Ok),
        RecapKind::Slow => style(Tone::Warning, Icon::Hourglass),
        RecapKind::Quiet | RecapKind::Unknown => style(Tone::Neutral, Icon::Quiet),
    }
}

/// What happened, in one sentence.
fn sentence(line: &RecapLine, words: I18n, people: PeopleNames) -> String {
    let recap = words.get().recap();
    let name = |id: &Option<coordination::ids::AgentId>| id.as_ref().map(|id| people.name(id)).unwrap_or_default();
    let (agent, other) = (name(&line.agent), name(&line.other));
    let title = hidden::marked(&line.title);
    match (&line.attention, line.kind) {
        (Some(attention), _) => headline(attention, words, people),
        (None, RecapKind::Slow) => {
            let duration = |ms: Option<i64>| time::duration(words.locale(), ms.unwrap_or_default());
            (recap.slow)(&other, &duration(line.took_ms), &duration(line.usual_ms))
        }
        (None, RecapKind::Quiet) => (recap.quiet)(&agent),
        _ => line.outcome.map_or_else(
            || title.clone().into_owned(),
            |outcome| (recap.outcome)(outcome, &agent, &other, &title, line.count),
        ),
    }
}

/// Where the evidence is.
fn evidence(line: &RecapLine) -> String {
    if let Some(attention) = &line.attention {
        return subject_link(attention);
    }
    if let Some((agent, task)) = line.agent.as_ref().zip(line.task_id.as_ref()) {
        return paths::task(agent, task);
    }
    match &line.session_id {
        Some(session) => paths::place(session, line.thread_id.as_ref(), line.event_id.as_ref()),
        None => paths::events(&EventsFilter {
            agents: line.agent.iter().cloned().collect(),
            open: line.event_id.clone(),
            ..EventsFilter::default()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::decode::decode;
    use coordination::query::recap_path;
    use serde_json::{Value, json};

    /// A recap that leaves the machine leads to the same evidence as the panel.
    #[test]
    fn recap_line_and_its_message_lead_to_the_same_page() {
        let place = json!({"sessionId": "ws_1", "threadId": "conv:1", "eventId": "f-9"});
        let attention = json!({"kind": "noReply", "inferred": false, "since": 0, "sessionId": "ws_1"});
        let cases: [(&str, Value, &str); 6] = [
            ("failed", place, "/s/ws_1/t/conv:1?at=f-9"),
            ("quiet", json!({"sessionId": "ws 1", "eventId": "f-9"}), "/s/ws%201"),
            ("resolved", json!({"agent": "eden", "taskId": "task_1", "sessionId": "ws_1"}), "/tasks/eden/task_1"),
            ("quiet", json!({"agent": "eden", "eventId": "f-9"}), "/events?agent=eden&open=f-9"),
            ("failed", json!({}), "/events"),
            ("blocked", json!({ "attention": attention }), "/s/ws_1"),
        ];
        for (kind, more, path) in cases {
            let mut line = json!({"kind": kind, "at": 5, "count": 1});
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let line: RecapLine = decode(line).unwrap();
            assert_eq!((evidence(&line).as_str(), format!("/{}", recap_path(&line)).as_str()), (path, path), "{kind}");
        }
    }
}
