//! Names and other short texts that anybody may have written: isolated from the text around them, with a mark for every
//! invisible character. Nothing is removed: a copy contains what was written.

use std::borrow::Cow;

use coordination::text::hidden::{self, Piece};
use coordination::text::notice;
use leptos::prelude::*;

use crate::i18n::{Words, use_words};

/// A name, a title, a label, a tag or an id in a line.
#[component]
pub fn Name(#[prop(into)] text: String) -> impl IntoView {
    view! { <bdi>{every_mark(&text, use_words())}</bdi> }
}

/// Running text in a line: only what turns its order around or hides words is marked. A notice of OpenClaw's own is a
/// sentence in the user's language.
#[component]
pub fn Said(#[prop(into)] text: String) -> impl IntoView {
    let words = use_words();
    view! { <bdi>{move || prose_marks(&readable(&text, words), words)}</bdi> }
}

/// The text, or the translation of a notice that OpenClaw itself wrote. Reactive.
pub fn readable(text: &str, words: Words) -> Cow<'_, str> {
    match notice(text) {
        Some(notice) => (words.get().common.notice)(notice).into(),
        None => text.into(),
    }
}

/// A text with a mark for every hidden character: names, code, the words of links.
pub fn every_mark(text: &str, words: Words) -> AnyView {
    draw(hidden::pieces(text), words)
}

/// A text with marks as running text has them.
pub fn prose_marks(text: &str, words: Words) -> AnyView {
    draw(hidden::prose(text), words)
}

fn draw(pieces: Vec<Piece<'_>>, words: Words) -> AnyView {
    match pieces.as_slice() {
        [] => String::new().into_any(),
        [Piece::Plain(text)] => (*text).to_owned().into_any(),
        _ => pieces.into_iter().map(|piece| draw_piece(piece, words)).collect_view().into_any(),
    }
}

fn draw_piece(piece: Piece<'_>, words: Words) -> AnyView {
    match piece {
        Piece::Plain(text) => text.to_owned().into_any(),
        Piece::Hidden { text, first, kind, count } => {
            let code = hidden::code(first, count);
            let written = code.clone();
            let name = move || (words.get().common.hidden_char)(kind, &code);
            view! {
                <span class="hidden-char" role="img" data-code=written title=name.clone() aria-label=name>
                    {text.to_owned()}
                </span>
            }
            .into_any()
        }
        // Lines of code stay lines: only the mark before them is like the others.
        Piece::Rest(text) => view! { <span class="hidden-rest" data-code="…">{text.to_owned()}</span> }.into_any(),
    }
}
