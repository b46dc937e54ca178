//! Status label of icon and word: plain in rows (`Badge`), on a tinted background where it must be prominent (`Chip`).
//! Colour is never the only sign. `Tone` lists the colours by meaning.

use leptos::prelude::*;

use super::Icon;

/// Meaning of a colour, the same on every page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Running, or finished well.
    Live,
    /// Waiting, uncertain, or changed by a person.
    Warn,
    /// Failed, refused or unanswered.
    Bad,
    /// Neutral information, such as a requested or planned task.
    Info,
    /// Needs a decision by a person.
    Review,
    /// Quiet, over or unknown.
    Rest,
}

impl Tone {
    /// The tone's name in CSS classes: `is-warn`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Info => "info",
            Self::Review => "review",
            Self::Rest => "rest",
        }
    }
}

/// Icon and word in the tone's ink.
#[component]
pub fn Badge(tone: Tone, icon: Icon, #[prop(into)] text: Signal<String>) -> impl IntoView {
    view! {
        <span class=format!("mark is-{}", tone.as_str())>
            {icon} <span class="mark__word">{move || text.get()}</span>
        </span>
    }
}

/// Icon and word on the tone's tint.
#[component]
pub fn Chip(tone: Tone, icon: Icon, #[prop(into)] text: Signal<String>) -> impl IntoView {
    view! {
        <span class=format!("chip is-{}", tone.as_str())>
            {icon} <span class="mark__word">{move || text.get()}</span>
        </span>
    }
}
