//! Origin marks of events that only transcripts or hooks record.
//!
//! A list with events of several origins marks those from transcripts and hooks. A list whose events all come from
//! transcripts, or all from hooks, gets one note above it instead.

use coordination::api::Origin;
use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::ui::Icon;

/// How much of a list only transcripts record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OriginShare {
    /// The log has all of it.
    #[default]
    Nothing,
    /// The log lacks a part of it.
    Part,
    /// Only transcripts record all of it.
    All,
    /// Only hooks report all of it.
    AllHooks,
}

impl OriginShare {
    /// Share of transcripts: of `all` things, `transcripts` are recorded by them alone.
    pub fn from_counts(transcripts: u32, all: u32) -> Self {
        match transcripts {
            0 => Self::Nothing,
            transcripts if transcripts < all => Self::Part,
            _ => Self::All,
        }
    }

    /// Of a list of things, each with its origin.
    pub fn from_origins(list: impl IntoIterator<Item = Origin>) -> Self {
        let (mut transcripts, mut hooks, mut all) = (0, 0, 0);
        for origin in list {
            all += 1;
            transcripts += u32::from(origin == Origin::Transcript);
            hooks += u32::from(origin == Origin::Hooks);
        }
        match Self::from_counts(transcripts + hooks, all) {
            Self::All if hooks == all => Self::AllHooks,
            Self::All if transcripts < all => Self::Part,
            amount => amount,
        }
    }
}

/// True for what only transcripts record.
pub fn is_from_transcript(origin: Origin) -> bool {
    origin == Origin::Transcript
}

/// A mark, with its reason for the pointer and for who listens.
#[component]
pub fn WhyMark(class: &'static str, text: Signal<&'static str>, why: Signal<String>) -> impl IntoView {
    view! {
        <span class=class title=why>
            {text}
            <span class="visually-hidden">{move || format!(": {}", why.get())}</span>
        </span>
    }
}

/// The mark of what only transcripts record.
#[component]
pub fn TranscriptMark() -> impl IntoView {
    let words = use_i18n();
    view! {
        <WhyMark
            class="small-mark is-transcript"
            text=Signal::derive(move || words.get().stores().from_transcripts)
            why=Signal::derive(move || words.get().stores().transcript_only_why.to_owned())
        />
    }
}

/// The mark of what hooks of coding agents report.
#[component]
pub fn HookMark() -> impl IntoView {
    let words = use_i18n();
    view! {
        <WhyMark
            class="small-mark is-hooked"
            text=Signal::derive(move || words.get().stores().from_hooks)
            why=Signal::derive(move || words.get().stores().hooked_why.to_owned())
        />
    }
}

/// The mark of something in a list, where the list holds both.
#[component]
pub fn OriginMark(origin: Origin, #[prop(into)] among: Signal<OriginShare>) -> impl IntoView {
    move || {
        (among.get() == OriginShare::Part).then(|| match origin {
            Origin::Transcript => Some(view! { <TranscriptMark /> }.into_any()),
            Origin::Hooks => Some(view! { <HookMark /> }.into_any()),
            Origin::Log | Origin::Unknown => None,
        })
    }
}

/// One line over a list of which the log has nothing.
#[component]
pub fn OriginNote(#[prop(into)] share: Signal<OriginShare>) -> impl IntoView {
    let words = use_i18n();
    let text = move || match share.get() {
        OriginShare::All => Some(words.get().stores().transcript_only_list),
        OriginShare::AllHooks => Some(words.get().stores().hooked_list),
        OriginShare::Nothing | OriginShare::Part => None,
    };
    move || {
        text().map(|text| {
            view! {
                <p class="origin-note">
                    {Icon::File}
                    <span>{text}</span>
                </p>
            }
        })
    }
}

/// At the head of a thread: all of it, or the number of messages.
#[component]
pub fn ThreadOrigin(
    /// Messages that only transcripts record, and all.
    #[prop(into)]
    counts: Signal<(u32, u32)>,
) -> impl IntoView {
    let words = use_i18n();
    move || {
        let (transcripts, all) = counts.get();
        let text = move || {
            let words = words.get().stores();
            if transcripts < all {
                (words.transcript_only_messages)(transcripts, all)
            } else {
                words.transcript_only_thread.to_owned()
            }
        };
        (transcripts > 0).then(|| {
            view! {
                <span class="thread-origin" title=move || words.get().stores().transcript_only_why>
                    {Icon::File}
                    <span>{text}</span>
                </span>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_is_part_only_when_mixed() {
        assert_eq!(
            [
                OriginShare::from_counts(0, 0),
                OriginShare::from_counts(0, 3),
                OriginShare::from_counts(1, 3),
                OriginShare::from_counts(3, 3)
            ],
            [OriginShare::Nothing, OriginShare::Nothing, OriginShare::Part, OriginShare::All]
        );
        let (log, transcript, hooks) = (Origin::Log, Origin::Transcript, Origin::Hooks);
        assert_eq!(OriginShare::from_origins([transcript, transcript]), OriginShare::All);
        assert_eq!(OriginShare::from_origins([hooks, hooks]), OriginShare::AllHooks);
        assert_eq!(OriginShare::from_origins([log, transcript]), OriginShare::Part);
        assert_eq!(
            OriginShare::from_origins([hooks, transcript]),
            OriginShare::Part,
            "nothing of the log, and yet of two kinds"
        );
        assert_eq!(OriginShare::from_origins([log, hooks]), OriginShare::Part);
        assert_eq!(OriginShare::from_origins([]), OriginShare::Nothing);
    }

    #[test]
    fn unknown_origin_is_not_shown_as_transcript() {
        assert_eq!([Origin::Log, Origin::Transcript, Origin::Unknown].map(is_from_transcript), [false, true, false]);
    }
}
