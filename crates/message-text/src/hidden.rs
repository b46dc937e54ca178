//! Detector of hidden characters: direction controls, zero-width and tag characters, misplaced variation selectors and
//! control codes (Unicode TR36, TS39). Views mark the findings and remove none. [`strip_hidden`] removes them, only to
//! compare texts.

mod script;

use std::borrow::Cow;

use script::{is_emoji, is_final_jamo, is_han, is_joining, is_lead_jamo, is_mongolian, is_vowel_jamo, takes_variation};

/// Marks drawn of one text at most; a hostile one may hold any number, and each costs a node of the page.
pub const MAX_MARKS: usize = 64;

/// What kind of hidden character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenKind {
    /// Decides the order in which its neighbours are drawn (U+202E and its like).
    Direction,
    /// Has no width: zero-width spaces and joiners out of place, fillers, soft hyphens.
    Invisible,
    /// A tag character (U+E0000–U+E007F) outside a flag: text that only machines read.
    Tag,
    /// A variation selector after something that has no variations.
    Variation,
    /// A control code, or a separator of lines where none belongs.
    Control,
    /// Interlinear annotation.
    Annotation,
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPiece<'a> {
    /// Shows itself.
    Plain(&'a str),
    /// One or more hidden characters of one kind.
    Hidden {
        /// Unchanged.
        text: &'a str,
        /// The first of them.
        first: char,
        /// Their kind.
        kind: HiddenKind,
        /// How many.
        count: usize,
    },
    /// All that follows the last mark of a text that holds more than [`MAX_MARKS`].
    Rest(&'a str),
}

/// Splits a text; joined again, the pieces are the text. Line breaks and tabs count as plain.
#[must_use]
pub fn pieces(text: &str) -> Vec<TextPiece<'_>> {
    split(text, |_| true)
}

/// The same for running text, where most of these characters are somebody's honest spelling: only what turns the
/// order around, hides text from people, or is no text at all.
#[must_use]
pub fn prose(text: &str) -> Vec<TextPiece<'_>> {
    // The weak marks (U+200E, U+200F, U+061C) are part of well-written Arabic and Hebrew.
    split(text, |(first, kind)| match kind {
        HiddenKind::Direction => matches!(first, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'),
        HiddenKind::Tag | HiddenKind::Control | HiddenKind::Annotation => true,
        HiddenKind::Invisible | HiddenKind::Variation => false,
    })
}

/// True when nothing in it is hidden.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    // The common case, without looking at characters.
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        || matches!(pieces(text).as_slice(), [] | [TextPiece::Plain(_)])
}

/// A one-line text for places that take only text (a title, an accessible name, a sentence): hidden characters as
/// `[U+202E]`, and the whole isolated when it holds letters that run from right to left.
#[must_use]
pub fn marked(text: &str) -> Cow<'_, str> {
    let turns = text.chars().any(script::is_right_to_left);
    if !turns && is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    if turns {
        out.push('\u{2068}');
    }
    for piece in pieces(text) {
        match piece {
            TextPiece::Plain(plain) => out.push_str(plain),
            TextPiece::Hidden { first, count, .. } => {
                out.push('[');
                out.push_str(&code(first, count));
                out.push(']');
            }
            TextPiece::Rest(_) => out.push('…'),
        }
    }
    if turns {
        out.push('\u{2069}');
    }
    Cow::Owned(out)
}

/// A character of a kind that can be hidden, wherever it is.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    raw_kind(c).is_some()
}

/// The text without its hidden characters: for comparing, never for showing.
#[must_use]
pub fn strip_hidden(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut previous = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if kind_of(c, previous, rest.as_str()).is_none() {
            out.push(c);
        }
        previous = Some(c);
    }
    Cow::Owned(out)
}

/// `U+202E`, or `U+200B ×3`.
#[must_use]
pub fn code(first: char, count: usize) -> String {
    let code = format!("U+{:04X}", u32::from(first));
    if count > 1 { format!("{code} ×{count}") } else { code }
}

fn split(text: &str, wanted: impl Fn((char, HiddenKind)) -> bool) -> Vec<TextPiece<'_>> {
    let mut out = Vec::new();
    let (mut plain_from, mut at, mut marks) = (0, 0, 0);
    let mut previous = None;
    // End of a flag of tag characters (🏴 and its letters): up to there they are one picture.
    let mut flag_to = 0;
    let mut open: Option<(usize, char, HiddenKind, usize)> = None;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let next = at + c.len_utf8();
        let rest = text.get(next..).unwrap_or_default();
        if c == '\u{1f3f4}' {
            flag_to = next + flag(rest);
        }
        let found = if at < flag_to { None } else { kind_of(c, previous, rest) };
        let found = found.filter(|kind| wanted((c, *kind)));
        match (&mut open, found) {
            (Some((.., kind, count)), Some(now)) if *kind == now => *count += 1,
            (_, now) => {
                if let Some((from, first, kind, count)) = open.take() {
                    push_hidden(&mut out, text, from..at, (first, kind, count));
                    plain_from = at;
                }
                if let Some(kind) = now {
                    push_plain(&mut out, text, plain_from..at);
                    plain_from = at;
                    marks += 1;
                    if marks > MAX_MARKS {
                        out.extend(text.get(at..).map(TextPiece::Rest));
                        return out;
                    }
                    open = Some((at, c, kind, 1));
                }
            }
        }
        previous = Some(c);
        at = next;
    }
    match open {
        Some((from, first, kind, count)) => push_hidden(&mut out, text, from..at, (first, kind, count)),
        None => push_plain(&mut out, text, plain_from..at),
    }
    out
}

fn push_plain<'a>(out: &mut Vec<TextPiece<'a>>, text: &'a str, range: std::ops::Range<usize>) {
    out.extend(text.get(range).filter(|plain| !plain.is_empty()).map(TextPiece::Plain));
}

fn push_hidden<'a>(
    out: &mut Vec<TextPiece<'a>>,
    text: &'a str,
    range: std::ops::Range<usize>,
    (first, kind, count): (char, HiddenKind, usize),
) {
    out.extend(text.get(range).map(|text| TextPiece::Hidden { text, first, kind, count }));
}

/// Length of the tag characters that make the flag before them a country's part: letters and digits, then the end.
fn flag(rest: &str) -> usize {
    let mut length = 0;
    for (count, c) in rest.chars().enumerate() {
        length += c.len_utf8();
        match c {
            '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}' if count < 6 => {}
            '\u{e007f}' if count >= 3 => return length,
            _ => return 0,
        }
    }
    0
}

/// The kind of a hidden character; nothing for a visible one or one in proper use at its position.
fn kind_of(c: char, previous: Option<char>, rest: &str) -> Option<HiddenKind> {
    let kind = raw_kind(c)?;
    let next = rest.chars().next();
    let before = |fits: fn(char) -> bool| previous.is_some_and(fits);
    let after = |fits: fn(char) -> bool| next.is_some_and(fits);
    let proper = match c {
        '\u{200d}' => (before(is_emoji) && after(is_emoji)) || before(is_joining),
        '\u{200c}' => before(is_joining) && after(is_joining),
        // Part of a syllable that lacks a consonant or a vowel (old Korean).
        '\u{115f}' => after(is_vowel_jamo),
        '\u{1160}' => before(is_lead_jamo) && after(is_final_jamo),
        '\u{fe00}'..='\u{fe0f}' => before(takes_variation),
        '\u{e0100}'..='\u{e01ef}' => before(is_han),
        '\u{180b}'..='\u{180f}' => before(is_mongolian),
        _ => false,
    };
    (!proper).then_some(kind)
}

fn raw_kind(c: char) -> Option<HiddenKind> {
    match c {
        '\t' | '\n' | '\r' | ' '..='~' => None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => Some(HiddenKind::Control),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(HiddenKind::Direction)
        }
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            Some(HiddenKind::Variation)
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' => Some(HiddenKind::Invisible),
        '\u{fff9}'..='\u{fffb}' => Some(HiddenKind::Annotation),
        '\u{e0000}'..='\u{e0fff}' => Some(HiddenKind::Tag),
        _ => None,
    }
}
