//! Lines of an evidence file whose texts are masked, each with its place in the log and the text around the first mask.

use coordination::text::hidden;
use leptos::prelude::*;

use crate::i18n::use_i18n;

/// How every mask begins.
pub const MASK: &str = "[redacted-";
/// Characters shown before the first mask of a line.
const BEFORE: usize = 80;
/// Characters shown of a line.
const SHOWN: usize = 400;

/// The list, folded.
#[component]
pub fn MaskedLines(
    /// Place and text of each line.
    lines: Vec<(String, String)>,
    /// Masked lines that are not listed.
    more: usize,
) -> impl IntoView {
    let words = use_i18n();
    let line = |(place, text): (String, String)| {
        view! {
            <li>
                <span class="is-dim">{hidden::marked(&place).into_owned()}</span>
                <code>{hidden::marked(&around_mask(&text)).into_owned()}</code>
            </li>
        }
    };
    view! {
        <details>
            <summary>{move || words.get().files().masked_lines}</summary>
            <ul class="masked-lines">{lines.into_iter().map(line).collect_view()}</ul>
            {(more > 0)
                .then(|| view! { <p class="is-dim">{move || (words.get().files().more_masked)(more)}</p> })}
        </details>
    }
}

/// The part of a line around its first mask; the beginning of one that has none.
fn around_mask(text: &str) -> String {
    let mask = text.find(MASK).unwrap_or_default();
    let start = text[..mask].char_indices().rev().nth(BEFORE).map_or(0, |(at, _)| at);
    let mut shown: String = text[start..].chars().take(SHOWN).collect();
    if start > 0 {
        shown.insert(0, '…');
    }
    if start + shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_the_first_mask_is_shown() {
        assert_eq!(around_mask("call [redacted-phone]"), "call [redacted-phone]");
        let long = format!("{} [redacted-token] {}", "가".repeat(500), "b".repeat(500));
        let shown = around_mask(&long);
        assert!(
            shown.starts_with("…가") && shown.contains("가 [redacted-token] b") && shown.ends_with("b…"),
            "{shown}"
        );
        assert!(shown.chars().count() <= SHOWN + 2, "{shown}");
        assert_eq!(around_mask(&"x".repeat(401)).chars().count(), SHOWN + 1);
    }
}
