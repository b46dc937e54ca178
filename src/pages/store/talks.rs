//! The conversations that a session takes part in: those that its agent has with the agents it talks to here.

use coordination::api::{SessionCard, SessionsQuery};
use coordination::ids::AgentId;
use coordination::transcript::reading::{Part, Speaker, Turn, What};
use leptos::prelude::*;
use serde_json::Value;

use super::state::StoreState;
use crate::components::session::session_title;
use crate::components::stored::agent_of;
use crate::components::time_ago::TimeAgo;
use crate::hooks::{FetchOptions, use_fetch};
use crate::i18n::use_words;
use crate::routes::paths;

/// Agents that are asked about, and conversations with each.
const MOST: (usize, u32) = (4, 3);

/// The agents with whom a session talks, in order: who sent something here, and to whom something was sent.
fn partners(own: &AgentId, turns: &[Turn]) -> Vec<AgentId> {
    let mut out: Vec<AgentId> = Vec::new();
    let mut add = |id: Option<AgentId>| {
        if let Some(id) = id.filter(|id| id != own && !out.contains(id) && out.len() < MOST.0) {
            out.push(id);
        }
    };
    for said in turns.iter().filter_map(|turn| if let What::Said(said) = &turn.what { Some(said) } else { None }) {
        if let Speaker::Session(key) = &said.from {
            add(agent_of(key));
        }
        for part in &said.parts {
            let Part::Call(call) = part else { continue };
            let sent = call.arguments.as_ref().filter(|_| call.name == "sessions_send");
            let text = |name: &str| sent.and_then(|sent| sent.get(name)).and_then(Value::as_str);
            add(text("sessionKey").and_then(agent_of));
            add(text("agentId").map(|id| AgentId(id.to_lowercase())));
        }
    }
    out
}

/// Links to them; nothing while none is known.
#[component]
pub(super) fn Talks(state: StoreState) -> impl IntoView {
    let words = use_words();
    let pairs = Memo::new(move |_| {
        let own = agent_of(&state.key.get()).unwrap_or_default();
        (own.clone(), state.turns.with(|turns| partners(&own, turns)))
    });
    let options = FetchOptions {
        touches: Box::new(|change, _: &(AgentId, Vec<AgentId>)| change.everything || !change.sessions.is_empty()),
        same_subject: Box::new(|one: &(AgentId, Vec<AgentId>), other: &(AgentId, Vec<AgentId>)| one.0 == other.0),
    };
    let fetch = use_fetch(
        move || pairs.get(),
        options,
        |source, (own, others)| async move {
            let mut found: Vec<SessionCard> = Vec::new();
            for other in others {
                let (agent, with) = (Some(own.clone()), vec![other]);
                let query = SessionsQuery { agent, with, limit: Some(MOST.1), ..SessionsQuery::default() };
                let page = source.sessions(&query).await?;
                let new = |card: &SessionCard| !found.iter().any(|one| one.work_session_id == card.work_session_id);
                let new: Vec<SessionCard> = page.sessions.into_iter().filter(|card| new(card)).collect();
                found.extend(new);
            }
            found.sort_by_key(|card| std::cmp::Reverse(card.last_time));
            Ok(found)
        },
    );
    let cards = Memo::new(move |_| {
        let cards = fetch.data.with(|cards| cards.as_ref().map(|cards| cards.as_ref().clone()).unwrap_or_default());
        cards
            .into_iter()
            .map(|card| (card.work_session_id, card.title, card.title_source, card.last_time))
            .collect::<Vec<_>>()
    });
    move || {
        (!cards.with(Vec::is_empty)).then(|| {
            let links = cards.get().into_iter().map(|(id, title, source, at)| {
                view! {
                    <li>
                        <a class="link" href=paths::session(&id)>
                            {move || session_title(&title, source, words)}
                        </a>
                        <TimeAgo at=at />
                    </li>
                }
            });
            view! {
                <section class="store-talks" aria-labelledby="talks">
                    <h2 id="talks">{move || words.get().stores().talks}</h2>
                    <ul>{links.collect_view()}</ul>
                </section>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::transcript::reading::turns;
    use serde_json::json;

    #[test]
    fn partners_are_who_sent_something_and_to_whom_something_was_sent() {
        let sent = |arguments: Value| {
            json!({ "role": "assistant", "content": [{ "type": "toolCall", "id": "c",
            "name": "tool_call", "arguments": { "id": "openclaw:core:sessions_send", "args": arguments } }] })
        };
        let from = |key: &str| {
            json!({ "role": "user", "content": "x",
            "provenance": { "kind": "inter_session", "sourceSessionKey": key } })
        };
        let messages = [
            from("agent:Ruda:main"),
            sent(json!({ "sessionKey": "agent:seum:main", "message": "x" })),
            sent(json!({ "agentId": "Dajim" })),
            from("agent:ruda:main"),
            from("hook:1"),
            from("agent:eden:subagent:2"),
        ];
        let found = partners(&"eden".into(), &turns(&messages, &[], &[]));
        assert_eq!(found, [AgentId::from("ruda"), "seum".into(), "dajim".into()]);
    }
}
