//! Normalised copy of a text for the search for secret names. Hidden characters are removed; full-width and lookalike
//! letters become ASCII. Each offset maps back to the original text.

use hangul::syllable::is_syllable;
use message_text::{hidden, lookalike};

/// A folded text and where each of its bytes comes from. Costs four bytes per byte, and nothing for a text in which
/// nothing is to be folded.
pub(super) struct FoldedSecretText<'a> {
    text: &'a str,
    folded: Option<(String, Vec<u32>)>,
}

impl<'a> FoldedSecretText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        // Offsets are of four bytes; texts are cut to kilobytes long before.
        let differs = u32::try_from(text.len()).is_ok() && text.chars().any(|c| one(c) != Some(c));
        let folded = differs.then(|| {
            let (mut out, mut from) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
            let mut at = 0_u32;
            for c in text.chars() {
                if let Some(plain) = one(c) {
                    out.push(plain);
                    from.resize(out.len(), at);
                }
                at += u32::try_from(c.len_utf8()).unwrap_or_default();
            }
            from.push(at);
            (out, from)
        });
        Self { text, folded }
    }

    /// The text to search.
    pub(super) fn text(&self) -> &str {
        self.folded.as_ref().map_or(self.text, |(folded, _)| folded)
    }

    /// The written text between two positions of [`Self::text`], with the hidden characters after it.
    pub(super) fn written(&self, from: usize, to: usize) -> &str {
        let place = |at: usize| match &self.folded {
            // Hidden characters at the very beginning belong to the first place.
            Some(_) if at == 0 => 0,
            Some((_, places)) => places.get(at).map_or(self.text.len(), |at| *at as usize),
            None => at,
        };
        self.text.get(place(from)..place(to)).unwrap_or_default()
    }
}

/// A character as it is taken; none for one that is hidden.
fn one(c: char) -> Option<char> {
    if c.is_ascii() || is_syllable(c) {
        return Some(c);
    }
    if hidden::is_hidden(c) {
        return None;
    }
    Some(lookalike::ascii(c).unwrap_or(c))
}
