//! Row of one search result: type (session, message, task, agent or event), excerpt with highlighted words, location
//! and time. The whole row is a link.

use std::borrow::Cow;

use coordination::api::{Marked, SearchHit, SearchKind};
use coordination::ids::AgentId;
use leptos::prelude::*;

use super::name;
use super::written::found;
use crate::components::agent::{AgentName, Avatar};
use crate::components::category::{CategoryBadge, CategoryTile, TileSize};
use crate::components::hidden::{Name, every_mark, prose_marks, readable};
use crate::components::machine::use_machine_links;
use crate::components::marked::pieces;
use crate::components::status::SessionStatusBadge;
use crate::components::time_ago::TimeAgo;
use crate::i18n::{I18n, use_i18n};
use crate::routes::{AgentsFilter, EventsFilter, TasksFilter, ThreadViewState, paths};
use crate::ui::badge::Badge;
use crate::ui::{Icon, Tone};

/// Where a hit leads: a message to its place in the thread, with the words marked there.
pub(super) fn href(hit: &SearchHit) -> String {
    let event = || paths::events(&EventsFilter { open: hit.event_id.clone(), ..EventsFilter::default() });
    match (hit.kind, &hit.session_id) {
        (SearchKind::Messages, Some(session)) => match (&hit.thread_id, &hit.event_id) {
            (Some(thread), Some(at)) => {
                let marked = hit.snippet.as_ref().map(found).unwrap_or_default();
                paths::thread_as(session, thread, &ThreadViewState { at: Some(at.clone()), raw: None, marked })
            }
            _ => event(),
        },
        (SearchKind::Sessions, Some(session)) => paths::session(session),
        (SearchKind::Tasks, _) => match (&hit.from, &hit.task_id) {
            (Some(owner), Some(task)) => paths::task_in(owner, task, &TasksFilter::default()),
            _ => paths::tasks(&TasksFilter {
                q: hit.task_id.as_ref().map(ToString::to_string),
                ..TasksFilter::default()
            }),
        },
        (SearchKind::Agents, _) => match &hit.from {
            Some(agent) => paths::agent(agent),
            None => paths::agents(&AgentsFilter::default()),
        },
        (SearchKind::Notes, Some(session)) => paths::place(session, hit.thread_id.as_ref(), hit.event_id.as_ref()),
        _ => event(),
    }
}

/// The line.
#[component]
pub fn Hit(hit: Memo<SearchHit>) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let kind = hit.with_untracked(|hit| hit.kind);
    let icon = match kind {
        SearchKind::Sessions => Icon::Flow,
        SearchKind::Messages => Icon::Talk,
        SearchKind::Tasks => Icon::Task,
        SearchKind::Agents => Icon::Person,
        SearchKind::Events => Icon::Event,
        SearchKind::Notes => Icon::Pen,
    };
    let title = move || hit.with(head);
    let snippet = move || {
        hit.with(|hit| hit.snippet.clone()).filter(|snippet| !snippet.text.is_empty()).map(|snippet| {
            view! { <p class="hit__text"><bdi>{marks(&readable_found(snippet, words), false)}</bdi></p> }
        })
    };
    let at = move || hit.with(|hit| hit.at).map(|at| view! { <TimeAgo at=at /> });
    view! {
        <li class="hit" data-hit=hit.with_untracked(name) data-kind=kind.as_str()>
            <span class="hit__kind">
                {icon}
                {move || (words.get().search().one)(kind)}
            </span>
            <div class="hit__body">
                <h3>
                    <a href=move || links.href(hit.with(href)) rel=links.rel() data-row="">
                        {title}
                    </a>
                </h3>
                {snippet} {move || hit.with(meta)}
            </div>
            {at}
        </li>
    }
}

/// The translation of a notice that OpenClaw itself wrote, with the same words marked.
fn readable_found(snippet: Marked, words: I18n) -> Marked {
    let Cow::Owned(text) = readable(&snippet.text, words) else { return snippet };
    let mut marks = Vec::new();
    for word in found(&snippet) {
        if let Some((before, _)) = text.split_once(&word) {
            let units = |text: &str| text.encode_utf16().count() as u32;
            marks.push([units(before), units(before) + units(&word)]);
        }
    }
    marks.sort_unstable();
    Marked { text, marks }
}

/// The first line: a title, or sender and recipient.
fn head(hit: &SearchHit) -> AnyView {
    let words = use_i18n();
    match hit.kind {
        SearchKind::Sessions | SearchKind::Tasks => match &hit.title {
            Some(title) if !title.text.is_empty() => marks(title, true),
            _ if hit.kind == SearchKind::Sessions => (move || words.get().common.default_title).into_any(),
            // A task without a title is called like its session, as everywhere.
            _ => hit.session_title.clone().map_or_else(
                || hit.task_id.as_ref().map(|task| view! { <Name text=task.to_string() /> }).into_any(),
                |title| view! { <Name text=title /> }.into_any(),
            ),
        },
        SearchKind::Agents => {
            let id = hit.from.clone();
            let name = hit.title.as_ref().map(|title| marks(title, true));
            view! { {id.map(|id| view! { <Avatar id=id small=true /> })} " " {name} }.into_any()
        }
        SearchKind::Messages => who(hit),
        SearchKind::Notes => match hit.by.clone() {
            Some(by) => view! { <Name text=by /> }.into_any(),
            None => (move || words.get().notes().nobody).into_any(),
        },
        SearchKind::Events => {
            let kind = hit.event_type.clone().unwrap_or_default();
            let word = move || (words.get().events().type_name)(&kind).map_or_else(|| kind.clone(), ToOwned::to_owned);
            let tool = hit.tool.clone().map(|name| view! { <code><Name text=name /></code> " " });
            view! { {word} " " {tool} <span class="hit__who">{who(hit)}</span> }.into_any()
        }
    }
}

/// `이든 → 세움`, or a person.
fn who(hit: &SearchHit) -> AnyView {
    let words = use_i18n();
    let agent = |id: &AgentId| view! { <AgentName id=id.clone() /> }.into_any();
    let from = match (&hit.from, hit.human) {
        (_, true) => Some((move || words.get().search().person).into_any()),
        (from, false) => from.as_ref().map(agent),
    };
    let to = hit.to.as_ref().filter(|to| Some(*to) != hit.from.as_ref()).map(agent);
    let arrow = (from.is_some() && to.is_some()).then_some(" → ");
    view! { {from} {arrow} {to} }.into_any()
}

/// The last line: where it belongs.
fn meta(hit: &SearchHit) -> AnyView {
    let words = use_i18n();
    let place = hit.place;
    let place = move || (words.get().search().place)(place).map(|text| view! { <span class="is-dim">{text}</span> });
    let status = hit.status.map(|status| view! { <SessionStatusBadge status=status /> });
    let badge = hit.category.map(|category| match hit.kind {
        SearchKind::Sessions => view! { <CategoryBadge category=category /> }.into_any(),
        _ => view! { <CategoryTile category=category size=TileSize::Small /> }.into_any(),
    });
    let session = hit.session_title.clone().filter(|_| hit.kind != SearchKind::Sessions).map(|title| {
        view! { <span class="hit__session"><Name text=title /></span> }
    });
    let owner = (hit.kind == SearchKind::Tasks).then(|| hit.from.clone()).flatten();
    let owner = owner.map(|id| view! { <AgentName id=id /> });
    let id = (hit.kind == SearchKind::Agents).then(|| hit.from.clone()).flatten();
    let id = id.map(|id| view! { <code>{every_mark(id.as_str(), words)}</code> });
    let people = hit.people.iter().cloned().map(|id| view! { <AgentName id=id /> }).collect_view();
    let resolved = hit.resolved.then(|| {
        let text = Signal::derive(move || words.get().common.resolved.to_owned());
        view! { <Badge tone=Tone::Success icon=Icon::Check text=text /> }
    });
    view! { <p class="hit__meta">{resolved} {status} {badge} {session} {owner} {id} {people} {place}</p> }.into_any()
}

/// A text with what was found in it marked. A name shows every hidden character, running text those that mislead.
fn marks(marked: &Marked, is_name: bool) -> AnyView {
    let words = use_i18n();
    let piece = |(hit, text): (bool, &str)| {
        let text = if is_name { every_mark(text, words) } else { prose_marks(text, words) };
        if hit { view! { <mark>{text}</mark> }.into_any() } else { text }
    };
    pieces(marked).into_iter().map(piece).collect_view().into_any()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use coordination::decode::decode;
    use serde_json::{Value, json};

    pub(in super::super) fn hit(fields: Value) -> SearchHit {
        decode(fields).unwrap()
    }

    #[test]
    fn search_hits_link_to_their_pages() {
        let message = hit(json!({
            "kind": "messages", "place": "text", "sessionId": "ws", "threadId": "conv:1", "eventId": "f-9",
            "snippet": {"text": "내일 배포, 배포", "marks": [[3, 5], [7, 9]]},
        }));
        assert_eq!(href(&message), "/s/ws/t/conv:1?at=f-9&mark=%EB%B0%B0%ED%8F%AC");
        let event = json!({"kind": "events", "place": "text", "eventId": "f-9", "sessionId": "ws"});
        assert_eq!(href(&hit(event)), "/events?open=f-9");
        let lost = json!({"kind": "messages", "place": "text", "eventId": "f-9", "sessionId": "ws"});
        assert_eq!(href(&hit(lost)), "/events?open=f-9", "a message without a thread is an event");
        assert_eq!(href(&hit(json!({"kind": "sessions", "place": "title", "sessionId": "ws"}))), "/s/ws");
        let task = json!({"kind": "tasks", "place": "title", "taskId": "task_1", "from": "eden"});
        assert_eq!(href(&hit(task)), "/tasks/eden/task_1");
        assert_eq!(href(&hit(json!({"kind": "agents", "place": "title", "from": "eden"}))), "/agents/eden");
    }
}
