//! List of a session's threads: the two agents, the newest message, and how many messages have no answer, were refused
//! or still wait for one. On a phone, a link leads from an open thread back to the list.

use coordination::api::{ThreadSummary, Trouble};
use coordination::ids::{SessionId, ThreadId};
use coordination::text::hidden;
use leptos::prelude::*;

use crate::components::agent::AgentName;
use crate::components::hidden::readable;
use crate::components::people::use_people;
use crate::components::time_ago::TimeAgo;
use crate::components::unread::UnreadMark;
use crate::i18n::use_i18n;
use crate::routes::paths;
use crate::state::use_reading;
use crate::ui::{Icon, Tone, badge::Badge};

/// Threads of a session, newest first. With several threads, a link to all of them in one stream comes first.
#[component]
pub fn ThreadList(
    session: SessionId,
    #[prop(into)] threads: Signal<Vec<ThreadSummary>>,
    /// The open one.
    #[prop(into)]
    open: Signal<Option<ThreadId>>,
    /// All threads in one stream are open.
    #[prop(into)]
    whole: Signal<bool>,
) -> impl IntoView {
    let words = use_i18n();
    let several = Memo::new(move |_| threads.with(|threads| threads.len() > 1));
    let whole_href = paths::whole(&session);
    let count = move || threads.with(Vec::len) as u32;
    view! {
        <nav class="thread-list" aria-label=move || words.get().thread().threads>
            <div class="thread-list__head">
                <h2>{move || (words.get().thread().threads_n)(count())}</h2>
                <span>{move || words.get().thread().newest_first}</span>
            </div>
            <ol>
                {move || {
                    several.get().then(|| {
                        view! {
                            <li>
                                <a
                                    class="thread-list__whole"
                                    href=whole_href.clone()
                                    aria-current=move || whole.get().then_some("true")
                                >
                                    {Icon::Flow}
                                    <span>{move || words.get().thread().whole}</span>
                                </a>
                            </li>
                        }
                    })
                }}
                <For
                    each=move || threads.get()
                    key=|thread| (thread.thread_id.clone(), thread.message_count, thread.last_time, thread.trouble, thread.answered)
                    let:thread
                >
                    <ThreadRow session=session.clone() thread=thread open=open />
                </For>
            </ol>
        </nav>
    }
}

/// One thread: its two agents, unread mark, time, newest message and delivery marks.
#[component]
fn ThreadRow(session: SessionId, thread: ThreadSummary, open: Signal<Option<ThreadId>>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let reading = use_reading();
    let id = thread.thread_id.clone();
    let unread = {
        let (session, thread) = (session.clone(), thread.clone());
        Memo::new(move |_| reading.of_thread(&session, &thread))
    };
    let current = move || open.with(|open| open.as_ref() == Some(&id)).then_some("true");
    let preview = thread.last_message.clone().map(|last| {
        let text = move || {
            let name = if last.human { words.get().thread().person.to_owned() } else { people.name(&last.from) };
            (words.get().thread().spoke)(&name, &hidden::marked(&readable(&last.text, words)))
        };
        view! { <p class="thread-list__preview">{text}</p> }
    });
    let trouble = thread.trouble;
    let calm = trouble == Trouble::default() && thread.answered > 0;
    let mark = move |n: u32, tone, icon, text: fn(&crate::i18n::messages::ThreadMessages) -> fn(u32) -> String| {
        (n > 0).then(|| {
            view! { <Badge tone=tone icon=icon text=Signal::derive(move || text(words.get().thread())(n)) /> }
        })
    };
    view! {
        <li>
            <a href=paths::thread(&session, &thread.thread_id) aria-current=current>
                <div class="thread-list__who">
                    <AgentName id=thread.from.clone() />
                    <span class="ar" aria-hidden="true">
                        "↔"
                    </span>
                    <AgentName id=thread.to.clone() />
                    <UnreadMark unread=unread />
                    <TimeAgo at=thread.last_time />
                </div>
                {preview}
                <div class="thread-list__marks">
                    <span>{move || (words.get().thread().messages)(thread.message_count)}</span>
                    {mark(trouble.no_reply, Tone::Danger, Icon::NoReply, |thread| thread.no_reply_n)}
                    {mark(trouble.no_trace, Tone::Danger, Icon::NoReply, |thread| thread.no_trace_n)}
                    {mark(trouble.blocked, Tone::Danger, Icon::Blocked, |thread| thread.blocked_n)}
                    {mark(trouble.waiting, Tone::Warning, Icon::Hourglass, |thread| thread.waiting_n)}
                    {calm
                        .then(|| {
                            let text = Signal::derive(move || words.get().thread().all_answered.to_owned());
                            view! { <Badge tone=Tone::Success icon=Icon::Ok text=text /> }
                        })}
                </div>
            </a>
        </li>
    }
}

/// Link back to the list on a phone, from the open thread or from the stream of all threads; nothing without either.
#[component]
pub fn ThreadPick(
    session: SessionId,
    #[prop(into)] threads: Signal<Vec<ThreadSummary>>,
    #[prop(into)] open: Signal<Option<ThreadId>>,
    #[prop(into)] whole: Signal<bool>,
    /// What the session is called: its header is not on a phone's screen.
    #[prop(into)]
    title: Signal<String>,
) -> impl IntoView {
    let words = use_i18n();
    let back = paths::session(&session);
    let title_view = move || view! { <small class="thread-pick__session">{title}</small> };
    let all = move || {
        whole.get().then(|| {
            view! {
                <a class="thread-pick" href=back.clone()>
                    {Icon::ChevronLeft}
                    <span class="thread-pick__what">{title_view()} {move || words.get().thread().whole}</span>
                    <span class="r">{move || (words.get().thread().threads_n)(threads.with(Vec::len) as u32)}</span>
                </a>
            }
        })
    };
    let place = Memo::new(move |_| {
        let open = open.get()?;
        threads.with(|threads| {
            let index = threads.iter().position(|thread| thread.thread_id == open)?;
            let thread = &threads[index];
            Some((index + 1, threads.len(), thread.from.clone(), thread.to.clone()))
        })
    });
    let one = move || {
        place.get().map(|(n, all, from, to)| {
            view! {
                <a class="thread-pick" href=paths::session(&session)>
                    {Icon::ChevronLeft}
                    <span class="thread-pick__what">
                        {title_view()} <AgentName id=from /> <span class="is-dim" aria-hidden="true">" ↔ "</span> <AgentName id=to />
                    </span>
                    <span class="r">{move || (words.get().thread().thread_n_of)(n, all)}</span>
                </a>
            }
        })
    };
    view! {
        {all}
        {one}
    }
}
