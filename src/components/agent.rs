//! Components of an agent: name, link, and avatar with emoji or initial. A name that imitates another agent's gets a
//! warning.

use std::collections::BTreeSet;

use coordination::ids::AgentId;
use coordination::text::hidden;
use leptos::prelude::*;

use super::hidden::every_mark;
use super::machine::use_machine_links;
use super::people::{hue_class, use_people};
use crate::i18n::use_i18n;
use crate::routes::{is_evidence_page, paths};
use crate::ui::Icon;

/// `이든 💻`; the id in the title. Isolated from the text around it, hidden characters marked, and with a warning when it
/// only looks like somebody known.
#[component]
pub fn AgentName(id: AgentId) -> impl IntoView {
    let people = use_people();
    let words = use_i18n();
    let (name_of, emoji_of) = (id.clone(), id.clone());
    let other = id.clone();
    view! {
        <span class="agent-name" title=hidden::marked(id.as_str()).into_owned()>
            {move || people.imitated(&other).map(|id| view! { <Imitation of=id /> })}
            {move || every_mark(&people.written_name(&name_of), words)}
            {move || {
                people.emoji(&emoji_of).map(|emoji| view! { <span class="emoji" aria-hidden="true">{format!(" {emoji}")}</span> })
            }}
        </span>
    }
}

/// The name as a link to the agent's page, where there is one.
#[component]
pub fn AgentLink(id: AgentId) -> impl IntoView {
    if is_evidence_page() {
        return view! { <AgentName id=id /> }.into_any();
    }
    let links = use_machine_links();
    let href = links.href(paths::agent(&id));
    view! {
        <a class="agent-link" href=href rel=links.rel()>
            <AgentName id=id />
        </a>
    }
    .into_any()
}

/// The agent's small disc as a link to its page, where there is one.
#[component]
pub fn AgentFace(id: AgentId) -> impl IntoView {
    let people = use_people();
    let named = id.clone();
    if is_evidence_page() {
        let name = move || people.name(&named);
        return view! {
            <span role="img" aria-label=name.clone() title=name>
                <Avatar id=id small=true />
            </span>
        }
        .into_any();
    }
    let href = paths::agent(&id);
    let name = move || people.name(&named);
    view! {
        <a href=href aria-label=name.clone() title=name>
            <Avatar id=id small=true />
        </a>
    }
    .into_any()
}

/// The mark of a name that only looks like another agent's.
#[component]
pub fn Imitation(
    /// The agent it looks like.
    of: AgentId,
) -> impl IntoView {
    let (people, words) = (use_people(), use_i18n());
    let text = move || (words.get().common.imitates)(&people.name(&of));
    view! {
        <span class="imitation" role="img" aria-label=text.clone() title=text>
            {Icon::Warn}
        </span>
    }
}

/// Marks before a sentence, one for each agent that it names and that only looks like a known one; nothing without any.
#[component]
pub fn Imitations(named: Memo<BTreeSet<AgentId>>) -> impl IntoView {
    let people = use_people();
    let imitated = Memo::new(move |_| {
        named.with(|named| named.iter().filter_map(|id| people.imitated(id)).collect::<BTreeSet<AgentId>>())
    });
    move || imitated.get().into_iter().map(|id| view! { <Imitation of=id /> }).collect_view()
}

/// The agent's disc: its emoji, or the first letter of its name, on its own hue.
#[component]
pub fn Avatar(
    id: AgentId,
    /// The small size for dense rows.
    #[prop(default = false)]
    small: bool,
) -> impl IntoView {
    let people = use_people();
    let class = format!("avatar {}{}", hue_class(&id), if small { " is-small" } else { "" });
    let face = move || people.emoji(&id).unwrap_or_else(|| people.letter(&id).map(String::from).unwrap_or_default());
    view! {
        <span class=class aria-hidden="true">
            {face}
        </span>
    }
}
