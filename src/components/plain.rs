//! View of free text without markdown. Only the beginning of a long text is shown until the user unfolds it.

use coordination::text::beginning;
use leptos::prelude::*;

use super::hidden::prose_marks;
use crate::i18n::{time, use_i18n};

/// Bytes shown at once; longer texts begin folded.
pub const UNFOLDED_BYTES: usize = 4 * 1024;
/// Bytes a piece of a long text: what is far from the screen is not laid out.
const PIECE_BYTES: usize = 16 * 1024;

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
            pieces(&text)
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

/// The whole text in pieces, each laid out only near the screen.
pub fn pieces(text: &str) -> AnyView {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = cut(rest, PIECE_BYTES);
        out.push(view! { <div class="plain__piece">{piece.to_owned()}</div> });
        rest = after;
    }
    view! { <div class="plain">{out}</div> }.into_any()
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
    use super::cut;

    #[test]
    fn plain_text_splits_at_lines_without_loss() {
        assert_eq!(cut("abc", 4), ("abc", ""));
        assert_eq!(cut("ab\ncdef", 5), ("ab\n", "cdef"));
        assert_eq!(cut("가나다", 4), ("가", "나다"));
        assert_eq!(cut("\nabcdefgh", 6), ("\nabcde", "fgh"));
    }
}
