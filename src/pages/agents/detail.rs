//! Page of one agent (`/agents/:agent`): current state with its evidence, agents that wait for it or that it waits for,
//! tasks, threads and sessions, lines of the work list about it, and answer times by pair.

use std::sync::Arc;

use coordination::api::{AgentDetail, AgentsQuery, Attention, Origin, QueuedSend, SessionCard};
use coordination::ids::AgentId;
use coordination::text::hidden;
use leptos::prelude::*;

use super::AgentsText;
use super::doing::Doing;
use super::pairs::PairsSection;
use super::role_of;
use super::row::{
    AgentCardLinks, AgentCardMarks, AgentPicture, AgentThreadRow, Queue, RoleMenu, SendLink, Speak, name_of,
};
use crate::components::attention_list::{AttentionRow, Waiters};
use crate::components::origin::OriginShare;
use crate::components::people::use_people;
use crate::components::session_card::SessionCardRow;
use crate::components::task::TaskRow;
use crate::components::wait_tree::WaitTree;
use crate::i18n::use_i18n;
use crate::pages::failure::Failure;
use crate::pages::names::use_names;
use crate::pages::speak::{SpeakDialog, provide_speak};
use crate::pages::unknown_filter::UnknownFilter;
use crate::queries::{Fetch, FetchOptions, use_fetch, use_page_title, use_pairs, use_segment};
use crate::routes::{AgentsFilter, PairsSince, SessionsFilter, TasksFilter, paths};
use crate::state::{use_clock, use_roles};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::live_rows::LiveRows;
use crate::ui::skeleton::Skeleton;

/// The page of `/agents/:agent`.
#[component]
pub fn AgentPage() -> impl IntoView {
    use_names();
    let (words, people, clock, pairs) = (use_i18n(), use_people(), use_clock(), use_pairs());
    let segment = use_segment("agent");
    let id = Memo::new(move |_| AgentId::from(segment.get().to_lowercase()));
    let filter = Memo::new(move |_| pairs.with(|pairs| AgentsFilter::from_pairs(pairs)));
    let options = FetchOptions::refetch_when(|change, _: &(AgentId, PairsSince)| change.touches_tasks())
        .keep_data_when(|(a, _), (b, _)| a == b);
    let key = move || (id.get(), filter.with(|filter| filter.since));
    let fetch = use_fetch(key, options, move |source, (id, since)| {
        let query = AgentsQuery { since: since.earliest_ms(clock.now()) };
        async move { source.agent(&id, &query).await }
    });
    let speak = provide_speak();
    use_page_title(move || people.name(&id.get()));
    let known = Memo::new(move |_| fetch.data.with(Option::is_some));
    let body = move || match (known.get(), fetch.failure.get()) {
        (true, _) => view! { <AgentPageContent fetch=fetch filter=filter /> }.into_any(),
        (false, Some(error)) if error.is_not_found() => view! { <Missing /> }.into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=8 label=label /> }.into_any()
        }
    };
    view! {
        <main id="main" class="agents-page agent-page" tabindex="-1">
            <UnknownFilter
                unknown=Signal::derive(move || AgentsFilter::unknown(&pairs.get()))
                without=Signal::derive(move || paths::agent_as(&id.get(), &filter.get()))
            />
            {body}
            <SpeakDialog tools=speak />
        </main>
    }
}

/// Empty state for an unknown agent.
#[component]
fn Missing() -> impl IntoView {
    let words = use_i18n();
    view! {
        <EmptyState
            icon=Icon::Person
            title=Signal::derive(move || words.get().agents().missing.to_owned())
            text=Signal::derive(move || words.get().agents().missing_why.to_owned())
            failed=true
        >
            <a class="button" href=paths::agents(&AgentsFilter::default())>
                {move || words.get().agents().to_all}
            </a>
        </EmptyState>
    }
}

/// A part of the answer that is redrawn only when it changes.
fn slice<T: PartialEq + Default + Send + Sync + 'static>(
    fetch: Fetch<AgentDetail>,
    pick: impl Fn(&AgentDetail) -> T + Send + Sync + 'static,
) -> Memo<T> {
    Memo::new(move |_| fetch.data.with(|detail| detail.as_ref().map(|detail| pick(detail)).unwrap_or_default()))
}

/// All sections of a known agent.
#[component]
fn AgentPageContent(fetch: Fetch<AgentDetail>, filter: Memo<AgentsFilter>) -> impl IntoView {
    let card = slice(fetch, |detail| Some(detail.card.clone()));
    let id = Memo::new(move |_| card.get().map(|card| card.agent.id).unwrap_or_default());
    let pairs = slice(fetch, |detail| (detail.pairs.clone(), detail.pairs.len() as u32));
    view! {
        {move || card.get().map(|card| view! { <AgentHead card=Arc::new(card) /> })}
        <Matters fetch=fetch />
        <div class="agent-page__pair">
            <Awaited fetch=fetch />
            <AgentWaitsFor fetch=fetch />
        </div>
        <Tasks fetch=fetch id=id />
        <Threads fetch=fetch />
        <AgentSessions fetch=fetch id=id />
        <PairsSection
            pairs=Signal::derive(move || pairs.get())
            filter=filter
            path=Callback::new(move |filter| paths::agent_as(&id.get_untracked(), &filter))
        />
    }
}

/// Header of an agent: picture, name, marks, links, role menu and current state.
#[component]
fn AgentHead(card: Arc<coordination::api::AgentCard>) -> impl IntoView {
    let words = use_i18n();
    let roles = use_roles();
    let id = card.agent.id.clone();
    let hooked = card.agent.origin == Origin::Hooks;
    let name = hidden::marked(&card.agent.name).into_owned();
    let menu = {
        let (card, id) = (Arc::clone(&card), id.clone());
        move || view! { <RoleMenu id=id.clone() role=role_of(roles, &card) roles=roles /> }
    };
    view! {
        <p class="agent-page__crumb">
            <a class="link" href=paths::agents(&AgentsFilter::default())>
                {Icon::ChevronLeft}
                {move || words.get().agents().title}
            </a>
        </p>
        <header class="agent-card agent-page__head">
            <div class="agent-card__who">
                <AgentPicture id=id.clone() avatar=card.avatar.clone() />
                <div>
                    <h1>{name_of(&card)}</h1>
                    <p class="agent-card__id">
                        <code>{hidden::marked(id.as_str()).into_owned()}</code>
                        <AgentCardMarks card=(*card).clone() roles=roles />
                    </p>
                    <AgentCardLinks id=id.clone() name=name avatar=card.avatar.clone() />
                    {(!hooked).then(|| view! { <Speak id=id.clone() /> })}
                </div>
                {menu}
            </div>
            <Doing card=(*card).clone() />
        </header>
    }
}

/// Section with heading, total and a link to the full list. Without content, a sentence says so.
#[component]
fn AgentSection(
    title: AgentsText,
    #[prop(into)] total: Signal<u32>,
    /// Where all of them are.
    #[prop(optional, into)]
    all: Option<Signal<String>>,
    /// Text of an empty section.
    none: AgentsText,
    children: Children,
) -> impl IntoView {
    let words = use_i18n();
    view! {
        <section class="agent-page__section">
            <div class="section-head">
                <h2>{move || title(words.get().agents())}</h2>
                <span class="section-head__count">{move || total.get()}</span>
                {move || {
                    all.filter(|_| total.get() > 0)
                        .map(|all| {
                            view! {
                                <a class="link section-head__more" href=move || all.get()>
                                    {move || words.get().agents().see_all}
                                </a>
                            }
                        })
                }}
            </div>
            {move || (total.get() == 0).then(|| view! { <p class="is-dim">{move || none(words.get().agents())}</p> })}
            {children()}
        </section>
    }
}

/// Lines of the work list about the agent; nothing without any.
#[component]
fn Matters(fetch: Fetch<AgentDetail>) -> impl IntoView {
    let words = use_i18n();
    let lines = slice(fetch, |detail| detail.attention.clone());
    let more = slice(fetch, |detail| detail.attention_more);
    move || {
        let any = lines.with(|lines| !lines.is_empty());
        any.then(|| {
            view! {
                <section class="agent-page__section work">
                    <div class="section-head">
                        <h2>{move || words.get().agents().matters}</h2>
                        <span class="section-head__count">
                            {move || format!("{}{}", lines.with(Vec::len), if more.get() { "+" } else { "" })}
                        </span>
                    </div>
                    <ol>
                        <LiveRows
                            each=move || lines.get()
                            key=Attention::key
                            draw=|item| {
                                view! {
                                    <li class="work-line">
                                        <AttentionRow item=item />
                                        <Waiters item=item tree=|agent| view! { <WaitTree agent=agent /> }.into_any() />
                                    </li>
                                }
                                .into_any()
                            }
                        />
                    </ol>
                </section>
            }
        })
    }
}

/// Requests of other agents that wait for this agent.
#[component]
fn Awaited(fetch: Fetch<AgentDetail>) -> impl IntoView {
    let card = slice(fetch, |detail| Some(detail.card.clone()));
    let total = Memo::new(move |_| card.with(|card| card.as_ref().map_or(0, |card| card.agent.queue_total)));
    view! {
        <AgentSection title=|words| words.awaited_by total=total none=|words| words.nobody_waits>
            <div class="agent-card__talks">
                {move || card.get().map(|card| view! { <Queue card=card headless=true /> })}
            </div>
        </AgentSection>
    }
}

/// Requests of this agent that wait for others.
#[component]
fn AgentWaitsFor(fetch: Fetch<AgentDetail>) -> impl IntoView {
    let words = use_i18n();
    let sends = slice(fetch, |detail| detail.waits_for.clone());
    let total = slice(fetch, |detail| detail.waits_for_total);
    let more = move || total.get().saturating_sub(sends.with(Vec::len) as u32);
    let row = move |send: QueuedSend| {
        let to = send.to.clone();
        let text = move |name: &dyn Fn(&AgentId) -> String| (words.get().agents().waits_for)(&name(&to));
        view! { <li><SendLink send=send text=text /></li> }
    };
    view! {
        <AgentSection title=|words| words.waits total=total none=|words| words.waits_for_nobody>
            <div class="agent-card__talks">
                <ol>
                    <For each=move || sends.get() key=|send| send.id.clone() children=row />
                </ol>
                {move || {
                    let more = more();
                    (more > 0).then(|| view! { <p class="is-dim">{(words.get().agents().more_talks)(more)}</p> })
                }}
            </div>
        </AgentSection>
    }
}

/// Tasks of the agent, active ones first.
#[component]
fn Tasks(fetch: Fetch<AgentDetail>, id: Memo<AgentId>) -> impl IntoView {
    let tasks = slice(fetch, |detail| detail.tasks.clone());
    let total = slice(fetch, |detail| detail.tasks_total);
    let all = Signal::derive(move || paths::tasks(&TasksFilter { agent: Some(id.get()), ..TasksFilter::default() }));
    view! {
        <AgentSection title=|words| words.tasks total=total all=all none=|words| words.no_task>
            <For each=move || tasks.get() key=|task| format!("{task:?}") let:task>
                {
                    let href = paths::task(&task.agent_id, &task.id);
                    view! { <TaskRow task=task open=false href=Signal::stored(href) with_status=true /> }
                }
            </For>
        </AgentSection>
    }
}

/// Newest threads of the agent.
#[component]
fn Threads(fetch: Fetch<AgentDetail>) -> impl IntoView {
    let threads = slice(fetch, |detail| detail.threads.clone());
    let total = Memo::new(move |_| threads.with(Vec::len) as u32);
    view! {
        <AgentSection title=|words| words.threads total=total none=|words| words.no_threads>
            <ul class="agent-card__talks">
                <For each=move || threads.get() key=|talk| format!("{talk:?}") let:talk>
                    <AgentThreadRow talk=talk />
                </For>
            </ul>
        </AgentSection>
    }
}

/// Newest sessions of the agent.
#[component]
fn AgentSessions(fetch: Fetch<AgentDetail>, id: Memo<AgentId>) -> impl IntoView {
    let sessions = slice(fetch, |detail| detail.sessions.clone());
    let total = slice(fetch, |detail| detail.sessions_total);
    let all = Signal::derive(move || {
        paths::sessions(None, &SessionsFilter { agent: Some(id.get()), ..SessionsFilter::default() })
    });
    view! {
        <AgentSection title=|words| words.recent_sessions total=total all=all none=|words| words.no_sessions>
            <div class="session-list">
                <For each=move || sessions.get() key=|card: &SessionCard| format!("{card:?}") let:card>
                    <SessionCardRow card=Signal::stored(card) origin_share=Signal::stored(OriginShare::Part) />
                </For>
            </div>
        </AgentSection>
    }
}
