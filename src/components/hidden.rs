//! Components that show untrusted text and make hidden characters visible: in names every invisible character, in
//! running text only characters that hide words or change the text direction. No character is removed. Notices that
//! OpenClaw itself wrote are shown in the user's language.

use std::borrow::Cow;

use coordination::text::hidden::{self, TextPiece};
use coordination::text::notice;
use leptos::prelude::*;

use crate::i18n::{I18n, use_i18n};

/// Name, title, label, tag or id within a line. Every invisible character is marked.
#[component]
pub fn Name(#[prop(into)] text: String) -> impl IntoView {
    view! { <bdi>{every_mark(&text, use_i18n())}</bdi> }
}

/// Running text within a line. Only characters that change its direction or hide words are marked. A notice of OpenClaw
/// is shown in the user's language.
#[component]
pub fn Said(#[prop(into)] text: String) -> impl IntoView {
    let words = use_i18n();
    view! { <bdi>{move || prose_marks(&readable(&text, words), words)}</bdi> }
}

/// The text, or the translation of a notice that OpenClaw itself wrote. Reactive.
pub fn readable(text: &str, words: I18n) -> Cow<'_, str> {
    match notice(text) {
        Some(notice) => (words.get().common.notice)(notice).into(),
        None => text.into(),
    }
}

/// A text with a mark for every hidden character: names, code, the words of links.
pub fn every_mark(text: &str, words: I18n) -> AnyView {
    draw_marks(hidden::pieces(text), words)
}

/// A text with marks as running text has them.
pub fn prose_marks(text: &str, words: I18n) -> AnyView {
    draw_marks(hidden::prose(text), words)
}

/// A split text, with a mark for each of its hidden pieces.
pub fn draw_marks(pieces: Vec<TextPiece<'_>>, words: I18n) -> AnyView {
    match pieces.as_slice() {
        [] => String::new().into_any(),
        [TextPiece::Plain(text)] => (*text).to_owned().into_any(),
        _ => pieces.into_iter().map(|piece| draw_piece(piece, words)).collect_view().into_any(),
    }
}

fn draw_piece(piece: TextPiece<'_>, words: I18n) -> AnyView {
    match piece {
        TextPiece::Plain(text) => text.to_owned().into_any(),
        TextPiece::Hidden { text, first, kind, count } => {
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
        TextPiece::Rest(text) => view! { <span class="hidden-rest" data-code="…">{text.to_owned()}</span> }.into_any(),
    }
}
