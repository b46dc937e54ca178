//! An agent in lists (name and emoji) and beside its words (avatar).

use coordination::ids::AgentId;
use leptos::prelude::*;

use super::people::{hue_class, use_people};

/// `이든 💻`; the id in the title.
#[component]
pub fn AgentName(id: AgentId) -> impl IntoView {
    let people = use_people();
    let (name_of, emoji_of) = (id.clone(), id.clone());
    view! {
        <span class="agent-name" title=id.to_string()>
            {move || people.name(&name_of)}
            {move || {
                people.emoji(&emoji_of).map(|emoji| view! { <span class="emoji" aria-hidden="true">{format!(" {emoji}")}</span> })
            }}
        </span>
    }
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
    let face = move || {
        people.emoji(&id).unwrap_or_else(|| people.name(&id).chars().next().map(String::from).unwrap_or_default())
    };
    view! {
        <span class=class aria-hidden="true">
            {face}
        </span>
    }
}
