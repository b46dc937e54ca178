//! Row of one agent in the list: name and picture, links, message button, role menu, state with its evidence, task,
//! open threads, and agents that wait for it. The page of one agent uses parts of the row.

use crate::components::hidden::{Name, Said};
use coordination::text::hidden;

use coordination::api::{AgentCard, AgentThread, AvatarKind, AvatarSource, Origin, QueuedSend};
use coordination::ids::AgentId;
use leptos::prelude::*;

use super::doing::Doing;
use crate::components::agent::{Avatar, Imitation};
use crate::components::machine::{MachineMark, use_machine_links};
use crate::components::origin::HookMark;
use crate::components::people::use_people;
use crate::components::time_ago::TimeAgo;
use crate::i18n::use_i18n;
use crate::pages::speak::{SpeakButton, SpeakTarget};
use crate::routes::{EventsFilter, RoleShown, SessionsFilter, paths};
use crate::state::{Roles, use_hub};
use crate::ui::Icon;
use crate::ui::more_menu::{MenuAction, MoreMenu};

/// Card of one agent: state, threads and queue.
#[component]
pub(in crate::pages) fn AgentCardRow(card: AgentCard, role: RoleShown, roles: Roles) -> impl IntoView {
    let words = use_i18n();
    let id = card.agent.id.clone();
    let name = hidden::marked(&card.agent.name).into_owned();
    let more = card.talks_total.saturating_sub(card.talks.len() as u32);
    let talks = card.talks.iter().map(|talk| view! { <AgentThreadRow talk=talk.clone() /> }).collect_view();
    let any_talk = !card.talks.is_empty();
    let hooked = card.agent.origin == Origin::Hooks;
    let links = use_machine_links();
    // Roles and messages are those of the machine's own dashboard.
    let is_here = !links.is_elsewhere();
    let href = links.href(paths::agent(&id));
    view! {
        <li>
            <article class="agent-card" aria-label=name data-row="" tabindex="-1">
                <div class="agent-card__who">
                    <AgentPicture id=id.clone() avatar=card.avatar.clone() />
                    <div>
                        <h3>
                            <a class="agent-link" href=href rel=links.rel()>
                                {name_of(&card)}
                            </a>
                            " "
                            <MachineMark />
                        </h3>
                        <p class="agent-card__id">
                            {card.theme.clone().map(|theme| view! { <span><Said text=theme /></span> })}
                            <code><Name text=id.to_string() /></code>
                            <AgentCardMarks card=card.clone() roles=roles />
                        </p>
                        <AgentCardLinks
                            id=id.clone()
                            name=hidden::marked(&card.agent.name).into_owned()
                            avatar=card.avatar.clone()
                        />
                        {(!hooked && is_here).then(|| view! { <Speak id=id.clone() /> })}
                    </div>
                    {is_here.then(|| view! { <RoleMenu id=id role=role roles=roles /> })}
                </div>
                <Doing card=card.clone() />
                <div class="agent-card__talks">
                    <h4>{move || words.get().agents().talks}</h4>
                    {if any_talk {
                        view! { <ul>{talks}</ul> }.into_any()
                    } else {
                        view! { <p class="is-dim">{move || words.get().agents().no_talks}</p> }.into_any()
                    }}
                    {(more > 0).then(|| view! { <p class="is-dim">{move || (words.get().agents().more_talks)(more)}</p> })}
                    <Queue card=card />
                </div>
            </article>
        </li>
    }
}

/// Its name and emoji, with a warning when it only looks like another's.
pub(super) fn name_of(card: &AgentCard) -> impl IntoView + use<> {
    let emoji = card.agent.emoji.clone();
    view! {
        {card.agent.imitates.clone().map(|id| view! { <Imitation of=id /> })}
        <Name text=card.agent.name.clone() />
        {emoji.map(|emoji| view! { <span class="emoji" aria-hidden="true">{format!(" {emoji}")}</span> })}
    }
}

/// Button that writes to an agent. An agent at a terminal has none, because the gateway does not know it.
#[component]
pub(super) fn Speak(id: AgentId) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let target = Signal::stored(Some(SpeakTarget::agent(id.clone())));
    let name = Signal::derive(move || (words.get().speak().act_to)(&people.name(&id)));
    view! { <SpeakButton target=target word=|words| words.act name=name /> }
}

/// Picture of an agent; its disc when there is no picture or it fails to load.
#[component]
pub(super) fn AgentPicture(id: AgentId, avatar: Option<AvatarSource>) -> impl IntoView {
    let source = use_hub().source;
    let broken = RwSignal::new(false);
    let agent = id.clone();
    let url = Memo::new(move |_| {
        let avatar = avatar.as_ref().filter(|_| !broken.get())?;
        match avatar.kind {
            AvatarKind::Data => Some(avatar.url.clone()),
            AvatarKind::File => source.with(|source| source.as_ref().and_then(|source| source.avatar_url(&agent))),
            AvatarKind::Link | AvatarKind::Unknown => None,
        }
    });
    move || {
        match url.get() {
        Some(url) => {
            view! { <img class="agent-card__picture" src=url alt="" width="36" height="36" on:error=move |_| broken.set(true) /> }
                .into_any()
        }
        None => view! { <Avatar id=id.clone() /> }.into_any(),
    }
    }
}

/// Marks of an agent: known through hooks, not configured, role set by the user. Shows nothing for other agents.
#[component]
pub(super) fn AgentCardMarks(card: AgentCard, roles: Roles) -> impl IntoView {
    let words = use_i18n();
    let hooked = card.agent.origin == Origin::Hooks;
    let id = card.agent.id;
    let is_here = !use_machine_links().is_elsewhere();
    let marked = Memo::new(move |_| is_here && roles.marked(&id).is_some());
    view! {
        {hooked.then(|| view! { <HookMark /> })}
        {(!card.agent.configured && !hooked)
            .then(|| {
                view! {
                    <span class="small-mark" title=move || words.get().agents().not_configured_why>
                        {move || words.get().agents().not_configured}
                    </span>
                }
            })}
        {move || {
            marked
                .get()
                .then(|| {
                    view! {
                        <span class="small-mark" title=move || words.get().agents().mark_hint>
                            {move || words.get().agents().marked}
                        </span>
                    }
                })
        }}
    }
}

/// Links to the sessions and events of an agent, and to a picture on another site.
#[component]
pub(super) fn AgentCardLinks(id: AgentId, name: String, avatar: Option<AvatarSource>) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let events = links.href(paths::events(&EventsFilter { agents: vec![id.clone()], ..EventsFilter::default() }));
    let sessions = SessionsFilter { agent: Some(id), ..SessionsFilter::default() };
    let sessions = links.href(paths::sessions(None, &sessions));
    let picture = avatar.filter(|avatar| avatar.kind == AvatarKind::Link).map(|avatar| {
        view! {
            <a class="link" href=avatar.url target="_blank" rel="noopener noreferrer nofollow">
                {move || words.get().agents().picture}
            </a>
        }
    });
    let name = links.label(&name);
    view! {
        <nav class="agent-card__links" aria-label=move || (words.get().agents().links)(&name)>
            <a class="link" href=sessions rel=links.rel()>
                {move || words.get().agents().sessions_of}
            </a>
            <a class="link" href=events rel=links.rel()>
                {move || words.get().agents().events_of}
            </a>
            {picture}
        </nav>
    }
}

/// Menu that sets or resets the user's own role for an agent.
#[component]
pub(super) fn RoleMenu(id: AgentId, role: RoleShown, roles: Roles) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let other = if role == RoleShown::Main { RoleShown::Worker } else { RoleShown::Main };
    let (mark, unmark, of, named) = (id.clone(), id.clone(), id.clone(), id);
    let set = MenuAction {
        text: Signal::derive(move || (words.get().agents().mark_as)(other).to_owned()),
        run: Callback::new(move |()| roles.mark(&mark, Some(other == RoleShown::Main))),
    };
    let back = MenuAction {
        text: Signal::derive(move || {
            let marked = roles.marked(&of).is_some();
            if marked { words.get().agents().unmark.to_owned() } else { String::new() }
        }),
        run: Callback::new(move |()| roles.mark(&unmark, None)),
    };
    let label = Signal::derive(move || (words.get().agents().role_of)(&people.name(&named)));
    view! { <MoreMenu label=label acts=vec![set, back] /> }
}

/// One thread of an agent: title, other agent, waiting mark and time.
#[component]
pub(super) fn AgentThreadRow(talk: AgentThread) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let links = use_machine_links();
    let href = links.href(paths::thread(&talk.session_id, &talk.thread_id));
    let other = talk.other;
    view! {
        <li>
            <a class="link" href=href rel=links.rel()>
                <Name text=talk.title />
            </a>
            <span class="agent-card__with">
                {move || (words.get().agents().with)(&people.name(&other))}
                {talk
                    .waiting
                    .then(|| view! { " · " {Icon::Hourglass} " " {move || words.get().agents().awaited} })}
                " · "
                <TimeAgo at=talk.last_time />
            </span>
        </li>
    }
}

/// Requests that wait for an agent, in order of arrival, below a heading such as `이든에게 3건 대기`; nothing without any.
#[component]
pub(super) fn Queue(
    card: AgentCard,
    /// Without its heading, where a section has one.
    #[prop(default = false)]
    headless: bool,
) -> impl IntoView {
    let words = use_i18n();
    let total = card.agent.queue_total;
    let more = total.saturating_sub(card.queue.len() as u32);
    let name = hidden::marked(&card.agent.name).into_owned();
    let sends = card
        .queue
        .into_iter()
        .enumerate()
        .map(|(number, send)| view! { <Queued number=number + 1 send=send /> })
        .collect_view();
    (total > 0).then(|| {
        view! {
            {(!headless)
                .then(|| {
                    view! {
                        <h4 class="agent-card__queue">
                            {Icon::Hourglass} " " {move || (words.get().agents().queue)(&name, total)}
                        </h4>
                    }
                })}
            <ol>{sends}</ol>
            {(more > 0).then(|| view! { <p class="is-dim">{move || (words.get().agents().more_queued)(more)}</p> })}
        }
    })
}

/// One waiting request: its place in the queue, sender, age and first words.
#[component]
fn Queued(number: usize, send: QueuedSend) -> impl IntoView {
    let words = use_i18n();
    let from = send.from.clone();
    let text = move |name: &dyn Fn(&AgentId) -> String| (words.get().agents().requested_by)(&name(&from));
    view! {
        <li>
            <span class="is-dim">{move || (words.get().agents().place)(number)}</span>
            " "
            <SendLink send=send text=text />
        </li>
    }
}

/// Link to a waiting request, with its age and its first words.
#[component]
pub(super) fn SendLink(
    send: QueuedSend,
    /// The sender or the recipient, by name.
    text: impl Fn(&dyn Fn(&AgentId) -> String) -> String + Send + 'static,
) -> impl IntoView {
    let people = use_people();
    let links = use_machine_links();
    let href = links.href(paths::thread_at(&send.session_id, &send.thread_id, &send.id));
    let excerpt = send.text;
    view! {
        <a class="link" href=href rel=links.rel()>
            {move || text(&|id| people.name(id))}
        </a>
        " · "
        <TimeAgo at=send.sent_at />
        {(!excerpt.is_empty()).then(|| view! { <span class="agent-card__words"><Said text=excerpt /></span> })}
    }
}
