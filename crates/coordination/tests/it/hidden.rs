//! Tests of the detection of invisible characters: every one is found at any position, and legitimate uses are not
//! flagged.
//!
//! Proves (text): Every hidden character is found, and legitimate ones are left alone.

use coordination::text::hidden::{HiddenKind, MAX_MARKS, TextPiece, is_plain, marked, pieces, prose, strip_hidden};
use proptest::prelude::*;

/// Every code point that must be seen, with its kind.
fn hidden() -> Vec<(char, HiddenKind)> {
    let ranges: &[(u32, u32, HiddenKind)] = &[
        (0x0, 0x8, HiddenKind::Control),
        (0xb, 0xc, HiddenKind::Control),
        (0xe, 0x1f, HiddenKind::Control),
        (0x7f, 0x9f, HiddenKind::Control),
        (0x2028, 0x2029, HiddenKind::Control),
        (0x61c, 0x61c, HiddenKind::Direction),
        (0x200e, 0x200f, HiddenKind::Direction),
        (0x202a, 0x202e, HiddenKind::Direction),
        (0x2066, 0x2069, HiddenKind::Direction),
        (0x200b, 0x200d, HiddenKind::Invisible),
        (0x2060, 0x2064, HiddenKind::Invisible),
        (0xfeff, 0xfeff, HiddenKind::Invisible),
        (0x180e, 0x180e, HiddenKind::Invisible),
        (0xad, 0xad, HiddenKind::Invisible),
        (0x34f, 0x34f, HiddenKind::Invisible),
        (0x115f, 0x1160, HiddenKind::Invisible),
        (0x3164, 0x3164, HiddenKind::Invisible),
        (0xffa0, 0xffa0, HiddenKind::Invisible),
        (0xe0000, 0xe007f, HiddenKind::Tag),
        (0xfe00, 0xfe0f, HiddenKind::Variation),
        (0xe0100, 0xe01ef, HiddenKind::Variation),
        (0xfff9, 0xfffb, HiddenKind::Annotation),
    ];
    ranges.iter().flat_map(|(from, to, kind)| (*from..=*to).filter_map(char::from_u32).map(|c| (c, *kind))).collect()
}

fn joined(list: &[TextPiece<'_>]) -> String {
    list.iter()
        .map(|piece| match piece {
            TextPiece::Plain(text) | TextPiece::Rest(text) | TextPiece::Hidden { text, .. } => *text,
        })
        .collect()
}

#[test]
fn hidden_characters_in_names_are_marked() {
    let all = hidden();
    assert!(all.len() > 450, "{}", all.len());
    for (c, kind) in all {
        for name in [format!("ed{c}en"), format!("{c}이든"), format!("이든{c}"), format!("a{c}{c}b")] {
            let pieces = pieces(&name);
            let found = pieces.iter().find_map(|piece| match piece {
                TextPiece::Hidden { first, kind, count, .. } => Some((*first, *kind, *count)),
                _ => None,
            });
            let count = name.chars().filter(|other| *other == c).count();
            assert_eq!(found, Some((c, kind, count)), "{c:?} in {name:?}");
            assert_eq!(joined(&pieces), name);
            assert_eq!(strip_hidden(&name), name.replace(c, ""));
            assert!(marked(&name).contains(&format!("[U+{:04X}", u32::from(c))), "{:?}", marked(&name));
            assert!(!marked(&name).contains(c) && !is_plain(&name));
        }
    }
}

#[test]
fn plain_writing_is_unmarked() {
    for text in [
        "",
        "이든",
        "worker-quick",
        "두 줄\n그리고\t탭\r\n",
        "👩\u{200d}💻",
        "👨\u{200d}👩\u{200d}👧\u{200d}👦",
        "❤\u{fe0f}\u{200d}🔥",
        "☎\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "©\u{fe0f}",
        "🏳\u{fe0f}\u{200d}🌈",
        "👍🏽",
        "👩🏽\u{200d}🚀",
        "🇰🇷",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "می\u{200c}خواهم",
        "क\u{94d}\u{200d}ष",
        "ന\u{d4d}\u{200d}",
        "שלום",
        "مرحبا",
        "葛\u{e0100}",
        "\u{1112}\u{1161}\u{11ab}",
        "\u{115f}\u{1161}",
        "\u{1100}\u{1160}\u{11ab}",
        "e\u{301}",
        "a\u{300}\u{301}",
        "ᠮᠣ\u{180b}",
        "≨\u{fe00}",
        "　전각 공백",
    ] {
        assert!(is_plain(text), "{text:?}: {:?}", pieces(text));
        assert!(prose(text).iter().all(|piece| matches!(piece, TextPiece::Plain(_))), "{text:?}");
        assert_eq!(strip_hidden(text), text);
    }
    for broken in [
        "a\u{200d}b",
        "가\u{200d}나",
        "a\u{fe0f}",
        "🏴\u{e0067}\u{e0062}",
        "🏴\u{e0041}\u{e0042}\u{e0043}\u{e007f}",
        "👩\u{200d}a",
        "a\u{200c}ب",
    ] {
        assert!(!is_plain(broken), "{broken:?}");
    }
}

#[test]
fn text_marks_reordering_and_hidden_characters_only() {
    let marks = |text: &str| prose(text).iter().filter(|piece| matches!(piece, TextPiece::Hidden { .. })).count();
    for c in ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{e0041}', '\u{fff9}', '\u{7}', '\u{85}'] {
        assert_eq!(marks(&format!("앞{c}뒤")), 1, "{c:?}");
    }
    for c in ['\u{200b}', '\u{200e}', '\u{200f}', '\u{61c}', '\u{ad}', '\u{feff}', '\u{200d}', '\u{fe0f}'] {
        assert_eq!(marks(&format!("앞{c}뒤")), 0, "{c:?}");
    }
}

#[test]
fn right_to_left_names_are_isolated() {
    assert_eq!(marked("שלום"), "\u{2068}שלום\u{2069}");
    assert_eq!(marked("이든"), "이든");
    assert_eq!(marked("a\u{202e}b"), "\u{2068}a[U+202E]b\u{2069}");
}

#[test]
fn flood_of_hidden_characters_is_counted() {
    assert_eq!(pieces(&"\u{200b}".repeat(10_000)).len(), 1);
    let mixed = "a\u{200b}".repeat(10_000);
    let found = pieces(&mixed);
    assert!(found.len() <= 2 * MAX_MARKS + 2 && matches!(found.last(), Some(TextPiece::Rest(_))), "{}", found.len());
    assert_eq!(joined(&found), mixed);
    assert!(marked(&mixed).len() < 2_000);
}

proptest! {
    #[test]
    fn pieces_joined_are_the_text(text in "(\\PC|[\\x00-\\x1f\u{ad}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{fe0f}\u{e0020}-\u{e007f}🏴👩]){0,60}") {
        prop_assert_eq!(joined(&pieces(&text)), text.as_str());
        prop_assert_eq!(joined(&prose(&text)), text.as_str());
        let bare = strip_hidden(&text);
        prop_assert!(bare.len() <= text.len());
    }
}
