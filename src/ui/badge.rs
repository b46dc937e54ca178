//! Status label of icon and word: plain in rows (`Badge`), on a tinted background where it must be prominent (`Chip`).
//! Colour is never the only sign. `Tone` lists the colours by meaning.

use leptos::prelude::*;

use super::Icon;

/// Meaning of a colour, the same on every page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Running, or finished well.
    Success,
    /// Waiting, uncertain, or changed by a person.
    Warning,
    /// Failed, refused or unanswered.
    Danger,
    /// Planned or requested. In the flow, also a run in progress.
    Info,
    /// Needs a decision by a person.
    Review,
    /// Quiet, over or unknown.
    Neutral,
}

impl Tone {
    /// The tone's name in CSS classes: `is-warn`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "live",
            Self::Warning => "warn",
            Self::Danger => "bad",
            Self::Info => "info",
            Self::Review => "review",
            Self::Neutral => "rest",
        }
    }
}

/// How a status is drawn: its tone and its icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusStyle {
    pub tone: Tone,
    pub icon: Icon,
}

/// Constructor of [`StatusStyle`], short for the tables of statuses.
pub const fn style(tone: Tone, icon: Icon) -> StatusStyle {
    StatusStyle { tone, icon }
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
