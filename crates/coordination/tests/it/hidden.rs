//! Characters that do not show themselves are found wherever they stand, and those that do honest work are left alone.
//!
//! Proves (text): Every hidden character is found, and legitimate ones are left alone.

use coordination::text::hidden::{Kind, MAX_MARKS, Piece, is_plain, marked, pieces, prose, without};
use proptest::prelude::*;

/// Every code point that must be seen, with its kind.
fn hidden() -> Vec<(char, Kind)> {
    let ranges: &[(u32, u32, Kind)] = &[
        (0x0, 0x8, Kind::Control),
        (0xb, 0xc, Kind::Control),
        (0xe, 0x1f, Kind::Control),
        (0x7f, 0x9f, Kind::Control),
        (0x2028, 0x2029, Kind::Control),
        (0x61c, 0x61c, Kind::Direction),
        (0x200e, 0x200f, Kind::Direction),
        (0x202a, 0x202e, Kind::Direction),
        (0x2066, 0x2069, Kind::Direction),
        (0x200b, 0x200d, Kind::Invisible),
        (0x2060, 0x2064, Kind::Invisible),
        (0xfeff, 0xfeff, Kind::Invisible),
        (0x180e, 0x180e, Kind::Invisible),
        (0xad, 0xad, Kind::Invisible),
        (0x34f, 0x34f, Kind::Invisible),
        (0x115f, 0x1160, Kind::Invisible),
        (0x3164, 0x3164, Kind::Invisible),
        (0xffa0, 0xffa0, Kind::Invisible),
        (0xe0000, 0xe007f, Kind::Tag),
        (0xfe00, 0xfe0f, Kind::Variation),
        (0xe0100, 0xe01ef, Kind::Variation),
        (0xfff9, 0xfffb, Kind::Annotation),
    ];
    ranges.iter().flat_map(|(from, to, kind)| (*from..=*to).filter_map(char::from_u32).map(|c| (c, *kind))).collect()
}

fn joined(list: &[Piece<'_>]) -> String {
    list.iter()
        .map(|piece| match piece {
            Piece::Plain(text) | Piece::Rest(text) | Piece::Hidden { text, .. } => *text,
        })
        .collect()
}

#[test]
fn every_hidden_character_is_marked_in_a_name_and_none_is_lost() {
    let all = hidden();
    assert!(all.len() > 450, "{}", all.len());
    for (c, kind) in all {
        for name in [format!("ed{c}en"), format!("{c}이든"), format!("이든{c}"), format!("a{c}{c}b")] {
            let pieces = pieces(&name);
            let found = pieces.iter().find_map(|piece| match piece {
                Piece::Hidden { first, kind, count, .. } => Some((*first, *kind, *count)),
                _ => None,
            });
            let count = name.chars().filter(|other| *other == c).count();
            assert_eq!(found, Some((c, kind, count)), "{c:?} in {name:?}");
            assert_eq!(joined(&pieces), name);
            assert_eq!(without(&name), name.replace(c, ""));
            assert!(marked(&name).contains(&format!("[U+{:04X}", u32::from(c))), "{:?}", marked(&name));
            assert!(!marked(&name).contains(c) && !is_plain(&name));
        }
    }
}

#[test]
fn honest_writing_is_left_alone() {
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
        assert!(prose(text).iter().all(|piece| matches!(piece, Piece::Plain(_))), "{text:?}");
        assert_eq!(without(text), text);
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
fn running_text_marks_what_reorders_or_hides_and_leaves_spelling_alone() {
    let marks = |text: &str| prose(text).iter().filter(|piece| matches!(piece, Piece::Hidden { .. })).count();
    for c in ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{e0041}', '\u{fff9}', '\u{7}', '\u{85}'] {
        assert_eq!(marks(&format!("앞{c}뒤")), 1, "{c:?}");
    }
    for c in ['\u{200b}', '\u{200e}', '\u{200f}', '\u{61c}', '\u{ad}', '\u{feff}', '\u{200d}', '\u{fe0f}'] {
        assert_eq!(marks(&format!("앞{c}뒤")), 0, "{c:?}");
    }
}

#[test]
fn letters_from_right_to_left_are_kept_apart_in_a_sentence() {
    assert_eq!(marked("שלום"), "\u{2068}שלום\u{2069}");
    assert_eq!(marked("이든"), "이든");
    assert_eq!(marked("a\u{202e}b"), "\u{2068}a[U+202E]b\u{2069}");
}

#[test]
fn a_flood_is_counted_and_ends() {
    assert_eq!(pieces(&"\u{200b}".repeat(10_000)).len(), 1);
    let mixed = "a\u{200b}".repeat(10_000);
    let found = pieces(&mixed);
    assert!(found.len() <= 2 * MAX_MARKS + 2 && matches!(found.last(), Some(Piece::Rest(_))), "{}", found.len());
    assert_eq!(joined(&found), mixed);
    assert!(marked(&mixed).len() < 2_000);
}

proptest! {
    #[test]
    fn pieces_joined_are_the_text(text in "(\\PC|[\\x00-\\x1f\u{ad}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{fe0f}\u{e0020}-\u{e007f}🏴👩]){0,60}") {
        prop_assert_eq!(joined(&pieces(&text)), text.as_str());
        prop_assert_eq!(joined(&prose(&text)), text.as_str());
        let bare = without(&text);
        prop_assert!(bare.len() <= text.len());
    }
}
