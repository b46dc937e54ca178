//! Marks between the messages of a thread: missing and refused answers, retries, automatic routing, ends of exchanges.

use crate::components::hidden::Said;
use crate::components::plain::Plain;
use std::sync::Arc;

use coordination::api::{Mark, MarkKind};
use coordination::delivery::{REPLY_WAIT_MS, ReasonClass};
use coordination::ids::AgentId;
use leptos::prelude::*;

use super::bubble::StreamContext;
use super::flow::MarkItem;
use super::meanwhile::Meanwhile;
use crate::components::people::use_people;
use crate::i18n::{time, use_i18n};
use crate::routes::{EventsFilter, paths};
use crate::ui::Icon;

/// One mark, drawn by its kind.
#[component]
pub fn MarkView(item: MarkItem, context: StreamContext) -> impl IntoView {
    let Mark { kind, at, from, to, .. } = Mark::clone(&item.mark);
    match kind {
        MarkKind::NoReply { reason, detail, waited_secs } => {
            let what = NoticeText { reason, detail, waited_secs, refused: false };
            view! { <UnansweredNotice item=item what=what context=context /> }.into_any()
        }
        MarkKind::Blocked { reason, detail } => {
            let what = NoticeText { reason, detail, waited_secs: None, refused: true };
            view! { <UnansweredNotice item=item what=what context=context /> }.into_any()
        }
        MarkKind::Retry { attempt, max_attempts, error_code, backoff_ms } => {
            view! { <Retry at=at attempt=attempt max_attempts=max_attempts error_code=error_code backoff_ms=backoff_ms /> }
                .into_any()
        }
        MarkKind::AutoRoute { text } => view! { <AutoRouteMark at=at from=from to=to text=text /> }.into_any(),
        MarkKind::Complete { .. } => view! { <EndMark mark=item.mark /> }.into_any(),
    }
}

/// Text of a notice.
struct NoticeText {
    reason: ReasonClass,
    detail: Option<String>,
    waited_secs: Option<u32>,
    refused: bool,
}

/// Notice of a request without an answer: reason, retries, time and links. The provider's own text is folded.
#[component]
fn UnansweredNotice(item: MarkItem, what: NoticeText, context: StreamContext) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let NoticeText { reason, detail, waited_secs, refused } = what;
    let MarkItem { mark, retries, announced, sent_at } = item;
    let to = mark.to.clone();
    let title = move || {
        let (words, to) = (words.get().thread(), people.name(&to));
        if refused { (words.blocked_title)(&to) } else { (words.no_reply_title)(&to) }
    };
    let sentence = move || {
        let words = words.get().thread();
        let meaning = (words.reason_means)(reason);
        match waited_secs {
            Some(secs) if reason == ReasonClass::Timeout => (words.waited)(secs),
            Some(secs) => format!("{} {meaning}", (words.waited)(secs)),
            None => meaning.to_owned(),
        }
    };
    let ending = move || {
        let words = words.get().thread();
        let channel = if announced == Some(true) { words.announced } else { words.not_announced };
        format!("{} · {channel}", words.ended_without_answer)
    };
    let is_target = {
        let (id, target) = (mark.id.clone(), context.target);
        move || target.with(|target| target.as_ref() == Some(&id))
    };
    let at = mark.at;
    let events =
        paths::events(&EventsFilter { open: Some(mark.id.clone()), ..EventsFilter::of_session(&context.session) });
    let raw = mark.id.clone();
    // A rule that forbids the message does not depend on the other agent.
    let agent = mark.to.clone();
    let meanwhile = (at > 0 && reason != ReasonClass::Policy).then(|| {
        let since = sent_at.filter(|sent| (1..at).contains(sent)).unwrap_or(at - REPLY_WAIT_MS);
        view! { <Meanwhile agent=agent since=since until=at /> }
    });
    view! {
        <aside
            class="notice"
            class:is-target=is_target
            role="note"
            id=format!("m-{}", mark.id)
            data-event=mark.id.to_string()
            tabindex="-1"
        >
            {if refused { Icon::Blocked } else { Icon::NoReply }}
            <div>
                <h3>{title}</h3>
                <p>{sentence}</p>
                <dl>
                    <dt>{move || words.get().thread().cause}</dt>
                    <dd>{move || (words.get().thread().reason)(reason)}</dd>
                    {(retries > 0)
                        .then(|| {
                            view! {
                                <dt>{move || words.get().thread().tries}</dt>
                                <dd>{move || (words.get().thread().retries_made)(retries)}</dd>
                            }
                        })}
                    <dt>{move || words.get().thread().ended}</dt>
                    <dd>{ending}</dd>
                    <dt>{move || words.get().thread().when}</dt>
                    <dd>
                        <time>{move || time::clock_seconds(words.locale(), at)}</time>
                    </dd>
                    {meanwhile}
                </dl>
                <AsWritten detail=detail />
                <div class="notice__do">
                    <a class="link" href=events>
                        {move || words.get().thread().see_in_events}
                    </a>
                    <button type="button" class="link" on:click=move |_| context.on_raw.run(raw.clone())>
                        {move || words.get().thread().raw_event}
                    </button>
                </div>
            </div>
        </aside>
    }
}

/// Text of a provider or program as written, folded; nothing without text.
#[component]
pub fn AsWritten(detail: Option<String>) -> impl IntoView {
    let words = use_i18n();
    detail.filter(|detail| !detail.trim().is_empty()).map(|detail| {
        view! {
            <details class="as-written">
                <summary>{move || words.get().thread().as_written}</summary>
                <pre><Plain text=detail /></pre>
            </details>
        }
    })
}

/// Line of a retry: attempt, time, error code and delay.
#[component]
fn Retry(
    at: i64,
    attempt: u32,
    max_attempts: u32,
    error_code: Option<String>,
    backoff_ms: Option<i64>,
) -> impl IntoView {
    let words = use_i18n();
    let facts = move || {
        let thread = words.get().thread();
        let mut parts = vec![time::clock_seconds(words.locale(), at)];
        parts.extend(error_code.as_deref().filter(|code| !code.is_empty()).map(thread.transient));
        parts.extend(backoff_ms.filter(|ms| *ms > 0).map(|ms| (thread.after)(&time::duration(words.locale(), ms))));
        parts.join(" · ")
    };
    view! {
        <div class="stream-mark" role="note">
            {Icon::Retry} <span class="is-mid">{move || (words.get().thread().retry_of)(attempt, max_attempts)}</span>
            <span>{facts}</span>
        </div>
    }
}

/// Line of an automatically routed message: both agents, time and text.
#[component]
fn AutoRouteMark(at: i64, from: AgentId, to: AgentId, text: String) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let sentence = move || (words.get().thread().auto_route)(&people.name(&from), &people.name(&to));
    view! {
        <div class="stream-mark" role="note">
            {Icon::Link} <span class="is-mid">{sentence}</span>
            <span>{move || time::clock_seconds(words.locale(), at)}</span>
            {(!text.trim().is_empty()).then(|| view! { <span class="stream-mark__text"><Said text=text /></span> })}
        </div>
    }
}

/// Line at the end of an exchange, such as `턴 2/3에서 마침 · 결론에 이르렀음 · 채널에 알림`.
#[component]
fn EndMark(mark: Arc<Mark>) -> impl IntoView {
    let words = use_i18n();
    let MarkKind::Complete { reason, turns, max_turns, early: _, announced, failed, detail } = mark.kind.clone() else {
        return ().into_any();
    };
    let sentence = move || {
        let words = words.get().thread();
        let mut parts = vec![match turns.filter(|turns| *turns > 0) {
            _ if failed => words.failed.to_owned(),
            Some(turns) => (words.finished_at_turn)(turns, max_turns.filter(|max| *max >= turns)),
            None => words.finished.to_owned(),
        }];
        parts.extend(
            reason
                .as_deref()
                .map(|reason| (words.termination)(reason).map_or_else(|| reason.to_owned(), ToOwned::to_owned)),
        );
        parts.push(if announced { words.announced } else { words.not_announced }.to_owned());
        parts.join(" · ")
    };
    view! {
        <div class="stream-mark" class:is-failed=failed role="note">
            {if failed { Icon::Warn } else { Icon::Check }} <span>{sentence}</span>
            <AsWritten detail=detail />
        </div>
    }
    .into_any()
}
