//! View of free text without markdown. Only the beginning of a long text is shown until the user unfolds it.

use coordination::text::beginning;
use coordination::text::hidden::{self, TextPiece};
use leptos::prelude::*;

use super::hidden::{draw_marks, prose_marks};
use crate::i18n::{I18n, time, use_i18n};

/// Bytes shown at once; longer texts begin folded.
pub const UNFOLDED_BYTES: usize = 4 * 1024;
/// Bytes a piece of a long text: what is far from the screen is not laid out.
const PIECE_BYTES: usize = 16 * 1024;
/// Marks of hidden characters in all pieces of a text. A piece behind them gets one mark in all.
const MAX_WHOLE_TEXT_MARKS: usize = 16 * hidden::MAX_MARKS;

/// The text.
#[component]
pub fn Plain(#[prop(into)] text: String) -> impl IntoView {
    let words = use_i18n();
    if text.len() <= UNFOLDED_BYTES {
        return view! { <span class="plain">{prose_marks(&text, words)}</span> }.into_any();
    }
    let whole = RwSignal::new(false);
    let bytes = text.len() as u64;
    let begin = cut(&text, UNFOLDED_BYTES).0.to_owned();
    let shown = move || {
        if whole.get() {
            pieces(&text, words)
        } else {
            view! { <span class="plain">{prose_marks(&begin, words)} "…"</span> }.into_any()
        }
    };
    view! {
        {shown}
        <button type="button" class="link plain__more" aria-expanded=move || whole.get().to_string() on:click=move |_| whole.update(|whole| *whole = !*whole)>
            {move || {
                let common = &words.get().common;
                if whole.get() { common.fold.to_owned() } else { (common.whole_text)(&time::count(words.locale(), bytes)) }
            }}
        </button>
    }
    .into_any()
}

/// The whole text in pieces, each laid out only near the screen. Hidden characters are marked as in the beginning.
pub fn pieces(text: &str, words: I18n) -> AnyView {
    let piece = |piece| view! { <div class="plain__piece">{draw_marks(piece, words)}</div> };
    let pieces = marked_pieces(text).into_iter().map(piece).collect_view();
    view! { <div class="plain">{pieces}</div> }.into_any()
}

/// The pieces of a text, each split at its hidden characters. Joined again, they are the text.
fn marked_pieces(text: &str) -> Vec<Vec<TextPiece<'_>>> {
    let mut pieces = Vec::new();
    let (mut rest, mut marks) = (text, 0);
    while !rest.is_empty() {
        let (piece, after) = cut(rest, PIECE_BYTES);
        let split = hidden::prose(piece);
        let found = split.iter().filter(|part| !matches!(part, TextPiece::Plain(_))).count();
        pieces.push(if found > 0 && marks >= MAX_WHOLE_TEXT_MARKS { vec![TextPiece::Rest(piece)] } else { split });
        marks += found;
        rest = after;
    }
    pieces
}

/// At most `bytes` of a text and the rest, cut behind a line where there is one.
fn cut(text: &str, bytes: usize) -> (&str, &str) {
    if text.len() <= bytes {
        return (text, "");
    }
    let head = beginning(text, bytes);
    let line = head.rfind('\n').map(|at| at + 1).filter(|at| *at > bytes / 2);
    // A character is at most four bytes: a piece is never empty.
    text.split_at_checked(line.unwrap_or(head.len())).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use coordination::text::hidden::{MAX_MARKS, TextPiece};

    use super::{MAX_WHOLE_TEXT_MARKS, PIECE_BYTES, UNFOLDED_BYTES, cut, marked_pieces};

    fn mark_count(text: &str) -> usize {
        let pieces = marked_pieces(text);
        let written = pieces.iter().flatten().map(|part| match part {
            TextPiece::Plain(text) | TextPiece::Rest(text) | TextPiece::Hidden { text, .. } => *text,
        });
        assert_eq!(written.collect::<String>(), text);
        pieces.iter().flatten().filter(|part| !matches!(part, TextPiece::Plain(_))).count()
    }

    #[test]
    fn hidden_characters_of_whole_text_are_marked() {
        assert_eq!(mark_count(&"a".repeat(3 * PIECE_BYTES)), 0);
        for at in [0, UNFOLDED_BYTES + 1_000, 2 * PIECE_BYTES + 5] {
            assert_eq!(mark_count(&format!("{}\u{202e}abc", "a".repeat(at))), 1, "{at}");
        }
    }

    #[test]
    fn marks_of_whole_text_are_bounded() {
        let pieces = 4 * MAX_WHOLE_TEXT_MARKS / MAX_MARKS;
        let text = "\u{202e}ab".repeat(pieces * PIECE_BYTES / 5);
        assert!(mark_count(&text) <= MAX_WHOLE_TEXT_MARKS + MAX_MARKS + pieces);
    }

    #[test]
    fn plain_text_splits_at_lines_without_loss() {
        assert_eq!(cut("abc", 4), ("abc", ""));
        assert_eq!(cut("ab\ncdef", 5), ("ab\n", "cdef"));
        assert_eq!(cut("가나다", 4), ("가", "나다"));
        assert_eq!(cut("\nabcdefgh", 6), ("\nabcde", "fgh"));
    }
}
