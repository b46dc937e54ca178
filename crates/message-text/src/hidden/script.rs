//! Approximate Unicode ranges of emoji, Han, Hangul letters, joining and right-to-left scripts, next to which an
//! invisible character can be legitimate. Exact tables would enlarge the code that the page loads first.

/// Draws as a picture, or is part of one.
pub(super) fn is_emoji(c: char) -> bool {
    matches!(
        u32::from(c),
        0xa9 | 0xae | 0x203c | 0x2049 | 0x20e3 | 0x2122 | 0x2139 | 0x2190..=0x21ff | 0x2300..=0x23ff | 0x24c2
            | 0x25a0..=0x27bf | 0x2900..=0x297f | 0x2b00..=0x2bff | 0x3030 | 0x303d | 0x3297 | 0x3299 | 0xfe0f
            | 0x1f000..=0x1faff | 0xe007f
    )
}

/// Has a form for text and one for pictures, or forms of a selector of its own.
pub(super) fn takes_variation(c: char) -> bool {
    let other = matches!(
        u32::from(c),
        0x23 | 0x2a | 0x30..=0x39 | 0x2200..=0x22ff | 0x2a00..=0x2aff | 0x1000..=0x109f | 0x3001 | 0x3002 | 0xff00..=0xff60
    );
    other || is_han(c) || (is_emoji(c) && c != '\u{fe0f}' && c != '\u{e007f}')
}

/// A letter or mark of a script whose letters join, where joiners spell: Arabic to Mandaic, the scripts of India,
/// Tibetan, Myanmar, Khmer, Mongolian.
pub(super) fn is_joining(c: char) -> bool {
    matches!(
        u32::from(c),
        0x620..=0x6ff | 0x700..=0x7ff | 0x840..=0x85f | 0x860..=0x8ff | 0x900..=0xdff | 0xf00..=0xfff | 0x1000..=0x109f
            | 0x1780..=0x17d3 | 0x1820..=0x18aa | 0x1b00..=0x1bff | 0xa840..=0xa87f | 0xa880..=0xa8ff
            | 0xfb50..=0xfdff | 0xfe70..=0xfefc | 0x11000..=0x114df
    )
}

pub(super) fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

pub(super) fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

pub(super) fn is_lead_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115e}' | '\u{a960}'..='\u{a97c}')
}

pub(super) fn is_vowel_jamo(c: char) -> bool {
    matches!(c, '\u{1161}'..='\u{11a7}' | '\u{d7b0}'..='\u{d7c6}')
}

pub(super) fn is_final_jamo(c: char) -> bool {
    matches!(c, '\u{11a8}'..='\u{11ff}' | '\u{d7cb}'..='\u{d7fb}')
}

/// Runs from right to left, or makes others do so.
pub(super) fn is_right_to_left(c: char) -> bool {
    matches!(
        u32::from(c),
        0x590..=0x8ff | 0x200f | 0x202b | 0x202e | 0x2067 | 0xfb1d..=0xfdff | 0xfe70..=0xfeff | 0x10800..=0x10fff | 0x1e800..=0x1efff
    )
}
