//! Full-width notice above the content, for example about stale or unreadable data, with optional actions.

use leptos::prelude::*;

use super::{Icon, Tone};

/// One band. Children are actions at its right end.
#[component]
pub fn Band(
    tone: Tone,
    icon: Icon,
    #[prop(into)] text: Signal<String>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class=format!("band is-{}", tone.as_str()) role="status">
            {icon} <p class="band__text">{move || text.get()}</p>
            {children.map(|children| view! { <div class="band__actions">{children()}</div> })}
        </div>
    }
}
