//! Origin marks for events that only transcripts or hooks have: a mark on a line in a mixed list, one line over a list
//! of nothing else.
//!
//! In a home without a coordination log every line would have the mark, so the head says it once. Where the log has a
//! part, only lines that it lacks are marked.

use coordination::api::Origin;
use leptos::prelude::*;

use crate::i18n::use_words;
use crate::ui::Icon;

/// How much of a list only transcripts tell of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Told {
    /// The log has all of it.
    #[default]
    Nothing,
    /// The log lacks so much of it.
    Part,
    /// Transcripts tell all of it.
    All,
    /// Hooks tell all of it.
    Hooked,
}

impl Told {
    /// Of `all` things, so many are told by transcripts alone.
    pub fn of(told: u32, all: u32) -> Self {
        match told {
            0 => Self::Nothing,
            told if told < all => Self::Part,
            _ => Self::All,
        }
    }

    /// Of a list of things, each with its origin.
    pub fn among(list: impl IntoIterator<Item = Origin>) -> Self {
        let (mut told, mut hooked, mut all) = (0, 0, 0);
        for origin in list {
            all += 1;
            told += u32::from(origin == Origin::Transcript);
            hooked += u32::from(origin == Origin::Hooks);
        }
        match Self::of(told + hooked, all) {
            Self::All if hooked == all => Self::Hooked,
            Self::All if told < all => Self::Part,
            amount => amount,
        }
    }
}

/// Only transcripts tell of what has this origin.
pub fn is_told(origin: Origin) -> bool {
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

/// The mark of what only transcripts tell of.
#[component]
pub fn ToldMark() -> impl IntoView {
    let words = use_words();
    view! {
        <WhyMark
            class="small-mark is-told"
            text=Signal::derive(move || words.get().stores().told)
            why=Signal::derive(move || words.get().stores().told_why.to_owned())
        />
    }
}

/// The mark of what hooks of coding agents tell.
#[component]
pub fn HookMark() -> impl IntoView {
    let words = use_words();
    view! {
        <WhyMark
            class="small-mark is-hooked"
            text=Signal::derive(move || words.get().stores().hooked)
            why=Signal::derive(move || words.get().stores().hooked_why.to_owned())
        />
    }
}

/// The mark of something in a list, where the list holds both.
#[component]
pub fn OriginMark(origin: Origin, #[prop(into)] among: Signal<Told>) -> impl IntoView {
    move || {
        (among.get() == Told::Part).then(|| match origin {
            Origin::Transcript => Some(view! { <ToldMark /> }.into_any()),
            Origin::Hooks => Some(view! { <HookMark /> }.into_any()),
            Origin::Log | Origin::Unknown => None,
        })
    }
}

/// One line over a list of which the log has nothing.
#[component]
pub fn OriginNote(#[prop(into)] told: Signal<Told>) -> impl IntoView {
    let words = use_words();
    let text = move || match told.get() {
        Told::All => Some(words.get().stores().told_list),
        Told::Hooked => Some(words.get().stores().hooked_list),
        Told::Nothing | Told::Part => None,
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

/// At the head of a thread: all of it, or so many of its messages.
#[component]
pub fn ThreadOrigin(
    /// Messages told by transcripts alone, and all.
    #[prop(into)]
    counts: Signal<(u32, u32)>,
) -> impl IntoView {
    let words = use_words();
    move || {
        let (told, all) = counts.get();
        let text = move || {
            let words = words.get().stores();
            if told < all { (words.told_messages)(told, all) } else { words.told_thread.to_owned() }
        };
        (told > 0).then(|| {
            view! {
                <span class="thread-origin" title=move || words.get().stores().told_why>
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
    fn only_what_holds_both_is_mixed() {
        assert_eq!(
            [Told::of(0, 0), Told::of(0, 3), Told::of(1, 3), Told::of(3, 3)],
            [Told::Nothing, Told::Nothing, Told::Part, Told::All]
        );
        let (log, transcript, hooks) = (Origin::Log, Origin::Transcript, Origin::Hooks);
        assert_eq!(Told::among([transcript, transcript]), Told::All);
        assert_eq!(Told::among([hooks, hooks]), Told::Hooked);
        assert_eq!(Told::among([log, transcript]), Told::Part);
        assert_eq!(Told::among([hooks, transcript]), Told::Part, "nothing of the log, and yet of two kinds");
        assert_eq!(Told::among([log, hooks]), Told::Part);
        assert_eq!(Told::among([]), Told::Nothing);
    }

    #[test]
    fn an_origin_that_nobody_knows_is_not_said_to_be_a_transcript() {
        assert_eq!([Origin::Log, Origin::Transcript, Origin::Unknown].map(is_told), [false, true, false]);
    }
}
