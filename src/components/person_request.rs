//! Full text of a request of OpenClaw, below its line of the work list: the command or the tool's own words exactly
//! as recorded, a warning, when it ends, and the gateway's page on which it is answered.

use coordination::api::{ApprovalRequest, Attention};
use leptos::prelude::*;

use super::hidden::every_mark;
use super::machine::use_machine_links;
use super::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::ui::Icon;

/// The request of a line. Nothing for lines of other kinds.
#[component]
pub fn RequestDetails(item: Memo<Attention>) -> impl IntoView {
    let request = Memo::new(move |_| item.with(|item| item.approval.clone()));
    let until = Memo::new(move |_| item.with(|item| item.until));
    move || {
        request.get().map(|request| {
            let url = request.url.clone();
            view! {
                <div class="work-line__request">
                    <RequestText request=*request.clone() />
                    <p class="request__end">
                        <RequestEnd until=until /> {url.map(|url| view! { " " <AnswerLink url=url /> })}
                    </p>
                </div>
            }
        })
    }
}

/// Whether this page was loaded under a loopback name.
fn is_on_monitors_machine() -> bool {
    let host = window().location().hostname().unwrap_or_default();
    host == "localhost" || host == "[::1]" || host.starts_with("127.")
}

/// Text, warning and place of a request.
#[component]
fn RequestText(request: ApprovalRequest) -> impl IntoView {
    let words = use_i18n();
    let ApprovalRequest { text, left_out, warning, tool, host, .. } = request;
    let is_unreadable = text.is_empty();
    let facts: Vec<String> = tool.into_iter().chain(host).collect();
    let fact = move |fact: String| view! { <code>{every_mark(&fact, words)}</code> " " };
    view! {
        {(!is_unreadable).then(|| view! { <pre class="request__text" tabindex="0">{every_mark(&text, words)}</pre> })}
        {is_unreadable.then(|| view! { <p class="request__warning">{move || words.get().home.request_unreadable}</p> })}
        {(left_out > 0).then(|| view! { <p class="request__warning">{move || (words.get().home.left_out)(left_out)}</p> })}
        {(!warning.is_empty())
            .then(|| view! { <p class="request__warning">{Icon::Warn} " " {every_mark(&warning, words)}</p> })}
        {(!facts.is_empty()).then(|| view! { <p class="is-dim">{facts.into_iter().map(fact).collect_view()}</p> })}
    }
}

/// When OpenClaw ends the request itself.
#[component]
fn RequestEnd(until: Memo<Option<i64>>) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    move || {
        until.get().map(|at| {
            let at = end_clock(words, now.at.get(), at);
            view! { <span class="is-dim">{(words.get().home.request_ends)(&at)}</span> }
        })
    }
}

/// The moment at which something ends: its time, on another day with the date. A date is not torn at the end of a line.
pub fn end_clock(words: I18n, now_ms: i64, at_ms: i64) -> String {
    let locale = words.locale();
    let at = if time::same_day(now_ms, at_ms) { time::clock(locale, at_ms) } else { time::day_clock(locale, at_ms) };
    at.replace(' ', "\u{a0}")
}

/// Link to the page of the gateway on which a person answers. Nothing where it would lead elsewhere: the address is one of
/// the monitor's machine.
#[component]
pub fn AnswerLink(url: String) -> impl IntoView {
    let words = use_i18n();
    let is_web = url.starts_with("http://") || url.starts_with("https://");
    let is_here = is_on_monitors_machine() && !use_machine_links().is_elsewhere();
    (is_web && is_here).then(|| {
        view! {
            <a class="link" href=url target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer">
                {move || words.get().home.answer_in_openclaw}
                {Icon::ArrowRight}
            </a>
        }
    })
}
