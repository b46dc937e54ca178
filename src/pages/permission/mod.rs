//! Page of a permission request (`/permission/:id`): what would run, exactly, what led to it, and the answer. It is the
//! target of a notification, so it fits a phone. Requests of coding agents and approvals of OpenClaw are alike here.

mod answer;
mod call;
mod story;

use std::sync::Arc;

use answer::AnswerBar;
use call::ToolCallView;
use coordination::api::{Danger, GivenAnswer, PermissionChannel, PermissionDetail, PermissionState, PermissionSummary};
use leptos::prelude::*;
use story::Story;

use super::failure::Failure;
use crate::components::hidden::Name;
use crate::components::people::use_people;
use crate::components::person_request::AnswerLink;
use crate::i18n::{time, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch, use_page_title, use_segment};
use crate::routes::paths;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// The page of `/permission/:id`.
#[component]
pub fn PermissionPage() -> impl IntoView {
    let words = use_i18n();
    let id = use_segment("id");
    // A request ends with a change of its agent.
    let options = FetchOptions::refetch_when(|change, _: &String| change.everything || !change.agents.is_empty())
        .clear_on_key_change();
    let fetch = use_fetch(move || id.get(), options, |source, id| async move { source.permission(&id).await });
    use_page_title(move || words.get().permission().title.to_owned());
    let known = Memo::new(move |_| fetch.data.with(Option::is_some));
    let body = move || match (known.get(), fetch.failure.get()) {
        (true, _) => view! { <Request fetch=fetch /> }.into_any(),
        (false, Some(error)) if error.is_not_found() => view! { <MissingRequest /> }.into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=6 label=label /> }.into_any()
        }
    };
    view! {
        <main id="main" class="permission" tabindex="-1">
            {body}
        </main>
    }
}

/// Note that nothing is known of the request.
#[component]
fn MissingRequest() -> impl IntoView {
    let words = use_i18n();
    view! {
        <EmptyState
            icon=Icon::Warn
            title=Signal::derive(move || words.get().permission().missing.to_owned())
            text=Signal::derive(move || words.get().permission().missing_why.to_owned())
            alone=true
        >
            <a class="button" href=paths::home()>{move || words.get().shell.home}</a>
        </EmptyState>
    }
}

/// The newest answer, part by part, so that a change of one leaves the others.
fn part<T: PartialEq + Clone + Send + Sync + 'static>(
    fetch: Fetch<PermissionDetail>,
    of: impl Fn(&PermissionDetail) -> T + Send + Sync + 'static,
) -> Memo<Option<T>> {
    Memo::new(move |_| fetch.data.with(|detail: &Option<Arc<PermissionDetail>>| detail.as_deref().map(&of)))
}

/// The request with its answer bar while it waits, else how it ended.
#[component]
fn Request(fetch: Fetch<PermissionDetail>) -> impl IntoView {
    let (words, people) = (use_i18n(), use_people());
    let request = part(fetch, |detail| detail.request.clone());
    let call = part(fetch, |detail| detail.call.clone());
    let dangers = part(fetch, |detail| detail.dangers.clone());
    let is_open = Memo::new(move |_| {
        request.with(|request| request.as_ref().is_some_and(|request| request.state == PermissionState::Open))
    });
    let headline = move || {
        request.with(|request| {
            let request = request.as_ref()?;
            let tool = coordination::text::hidden::marked(&request.tool).into_owned();
            Some((words.get().permission().asks)(&people.name(&request.agent), &tool))
        })
    };
    let channel = move || request.with(|request| request.as_ref().map_or(PermissionChannel::Hook, |it| it.channel));
    // While it can matter: it waits, or nobody knows.
    let gateway = part(fetch, |detail| {
        let matters = matches!(detail.request.state, PermissionState::Open | PermissionState::Uncertain);
        detail.gateway_url.clone().filter(|_| matters)
    });
    let what = move || match call.get().flatten() {
        Some(call) => view! { <ToolCallView call=call channel=channel() /> }.into_any(),
        None if is_open.get() => {
            view! { <p class="permission__note">{move || words.get().permission().no_right}</p> }.into_any()
        }
        None => ().into_any(),
    };
    view! {
        <header class="permission__head">
            <h1>{headline}</h1>
            {move || request.get().filter(|_| !is_open.get()).map(|request| view! { <Ended request=request /> })}
        </header>
        {what}
        {move || {
            dangers.get().filter(|dangers| !dangers.is_empty()).map(|dangers| view! { <Dangers dangers=dangers /> })
        }}
        {move || gateway.get().flatten().map(|url| view! { <p><AnswerLink url=url /></p> })}
        <Story story=part(fetch, |detail| detail.story.clone()) request=request />
        {move || (is_open.get() && call.with(|call| call.as_ref().is_some_and(Option::is_some))).then(|| view! { <AnswerBar fetch=fetch /> })}
    }
}

/// How the request ended, and who answered.
#[component]
fn Ended(request: PermissionSummary) -> impl IntoView {
    let words = use_i18n();
    let (state, channel) = (request.state, request.channel);
    let tone = match state {
        PermissionState::Answered | PermissionState::Terminal => "is-done",
        PermissionState::NotDelivered | PermissionState::Uncertain => "is-bad",
        _ => "is-over",
    };
    view! {
        <div class=format!("permission__state {tone}") role="status">
            <p><b>{move || (words.get().permission().state)(state)}</b></p>
            {request.answer.map(|answer| view! { <Given answer=answer /> })}
            <p class="is-dim">{move || (words.get().permission().state_why)(state, channel)}</p>
        </div>
    }
}

/// The answer that a person gave.
#[component]
fn Given(answer: GivenAnswer) -> impl IntoView {
    let words = use_i18n();
    let GivenAnswer { decision, at, by, reason } = answer;
    view! {
        <p>
            {move || (words.get().permission().decided)(decision)}
            " · "
            {move || time::exact(words.locale(), at)}
            {by.map(|by| {
                let by = coordination::text::hidden::marked(&by).into_owned();
                view! { " · " {move || (words.get().permission().decided_by)(&by)} }
            })}
        </p>
        {reason.map(|reason| view! { <p>"“" <Name text=reason /> "”"</p> })}
    }
}

/// Why it takes a second press.
#[component]
fn Dangers(dangers: Vec<Danger>) -> impl IntoView {
    let words = use_i18n();
    let rows = dangers.into_iter().map(|danger| {
        let kind = danger.kind;
        view! {
            <li>
                {move || (words.get().permission().danger)(kind)}
                ": "
                <code><Name text=danger.words /></code>
            </li>
        }
    });
    view! {
        <section class="permission__dangers" aria-labelledby="permission-dangers">
            <h2 id="permission-dangers">{Icon::Warn} {move || words.get().permission().dangers}</h2>
            <ul>{rows.collect_view()}</ul>
        </section>
    }
}
