//! Types of the palette's result items, and the filter that ranks items by match. It also returns the matched text
//! ranges. No browser API is used, so tests run natively.

use std::ops::Range;

use coordination::api::Marked;
use coordination::category::Category;
use coordination::hangul::syllable::is_syllable;
use coordination::hangul::{self, InitialsQuery};
use coordination::ids::AgentId;
use coordination::session::Status;
use coordination::text::hidden;

use crate::components::marked;
use crate::i18n::Locale;
use crate::queries::Shortcut;
use crate::state::{FilesChoice, Theme};
use crate::ui::Icon;

/// Score offset of items found by a synonym: they rank after items found by their own text.
const SYNONYM_SCORE: u32 = 1_000;

/// The parts of the list, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PaletteSection {
    Sessions,
    Messages,
    Agents,
    Tasks,
    Commands,
    Everywhere,
}

impl PaletteSection {
    /// Lines shown at most.
    pub(super) fn room(self, searching: bool) -> usize {
        match self {
            Self::Sessions => 5,
            Self::Messages | Self::Agents | Self::Tasks => 3,
            Self::Everywhere => 2,
            Self::Commands if searching => 6,
            Self::Commands => 40,
        }
    }
}

/// Icon or avatar before the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Face {
    Category(Category),
    Agent(AgentId),
    Icon(Icon),
}

/// What a list can be narrowed to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PaletteScope {
    Agent(AgentId),
    Tag(String),
    Status(Status),
    /// What holds these words.
    Words(String),
}

/// What a line does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PaletteAction {
    Go(String),
    Narrow(PaletteScope),
    Theme(Theme),
    Language(Locale),
    Compact(bool),
    Contrast(bool),
    CopyLink,
    /// Looks at a past moment.
    Past,
    /// Chooses files to show in place of the monitor.
    OpenFiles(FilesChoice),
    AllRead,
    Key(Shortcut),
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PaletteItem {
    /// Names it while its place changes.
    pub(super) id: String,
    pub(super) face: Face,
    pub(super) text: String,
    /// Other words it is looked for by; not shown.
    pub(super) also: String,
    /// What of the text matches, in bytes.
    pub(super) ranges: Vec<Range<usize>>,
    /// Behind the text, dimmed.
    pub(super) note: String,
    /// At the right end.
    pub(super) end: String,
    pub(super) act: PaletteAction,
    /// With Ctrl: narrows the list on screen to this.
    pub(super) narrow: Option<PaletteScope>,
}

impl PaletteItem {
    pub(super) fn new(id: impl Into<String>, face: Face, text: impl Into<String>, act: PaletteAction) -> Self {
        Self {
            id: id.into(),
            face,
            text: text.into(),
            also: String::new(),
            ranges: Vec::new(),
            note: String::new(),
            end: String::new(),
            act,
            narrow: None,
        }
    }
}

/// The lines that match, the best first and else in their order, with the places that do.
pub(super) fn matching(items: Vec<PaletteItem>, query: &str, room: usize) -> Vec<PaletteItem> {
    let mut found: Vec<(u32, PaletteItem)> = items
        .into_iter()
        .filter_map(|item| match hangul::find(query, &item.text) {
            Some(found) => Some((found.rank, PaletteItem { ranges: found.ranges, ..item })),
            None => hangul::find(query, &item.also).map(|found| (found.rank + SYNONYM_SCORE, item)),
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, item)| item).take(room).collect()
}

/// A text in pieces that match and do not, in order.
pub(super) fn pieces(text: &str, ranges: &[Range<usize>]) -> Vec<(bool, String)> {
    let mut out = Vec::new();
    let mut done = 0;
    for range in ranges {
        let (before, hit) = (text.get(done..range.start), text.get(range.clone()));
        out.extend(before.filter(|text| !text.is_empty()).map(|text| (false, text.to_owned())));
        out.extend(hit.map(|text| (true, text.to_owned())));
        done = range.end;
    }
    out.extend(text.get(done..).filter(|text| !text.is_empty()).map(|text| (false, text.to_owned())));
    out
}

/// True when the query can match a message: single letters and half syllables are searched in names only.
pub(super) fn is_for_messages(query: &str) -> bool {
    let letters = query.chars().filter(|c| !c.is_whitespace()).count();
    let syllable = query.chars().any(is_syllable);
    let initials = || letters > 1 && InitialsQuery::from_query(query.trim()).is_some();
    (letters > 1 || syllable) && !hangul::has_lone_letter(query) || initials()
}

/// A found text with its ranges in bytes, hidden characters made visible.
pub(super) fn line_of(marked: &Marked) -> (String, Vec<Range<usize>>) {
    let mut out = (String::new(), Vec::new());
    for (hit, text) in marked::pieces(marked) {
        let start = out.0.len();
        out.0.push_str(&hidden::marked(text));
        if hit {
            out.1.push(start..out.0.len());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonym_matches_rank_after_name_matches() {
        let mut dark = items(&["어두운 화면으로", "어둡게 말하기"]);
        dark[0].also = "어둡게 다크 dark".to_owned();
        let found = matching(dark, "어둡게", 5);
        assert_eq!(
            found.iter().map(|item| item.text.as_str()).collect::<Vec<_>>(),
            ["어둡게 말하기", "어두운 화면으로"]
        );
        assert!(found[1].ranges.is_empty());
    }

    fn items(texts: &[&str]) -> Vec<PaletteItem> {
        texts
            .iter()
            .map(|text| PaletteItem::new(*text, Face::Icon(Icon::Talk), *text, PaletteAction::CopyLink))
            .collect()
    }

    fn found(texts: &[&str], query: &str, room: usize) -> Vec<String> {
        matching(items(texts), query, room).into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn better_match_ranks_first_ties_keep_order() {
        assert_eq!(found(&["운영 배포", "배포 절차", "배포 창"], "ㅂㅍ", 9), ["배포 절차", "배포 창", "운영 배포"]);
        assert_eq!(found(&["운영 배포", "배포 절차", "배포 창"], "ㅂㅍ", 1), ["배포 절차"]);
        assert_eq!(found(&["b", "a"], "", 9), ["b", "a"]);
    }

    #[test]
    fn text_pieces_join_to_full_text() {
        let text = "운영 배포와 배포";
        let item = matching(items(&[text]), "배포", 1).remove(0);
        let pieces = pieces(&item.text, &item.ranges);
        assert_eq!(pieces.iter().map(|(_, text)| text.as_str()).collect::<String>(), text);
        assert_eq!(pieces.iter().filter(|(hit, _)| *hit).map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["배포"]);
    }

    #[test]
    fn found_words_are_marked_in_text() {
        let marked = Marked { text: "a\u{202E}배포 b".to_owned(), marks: vec![[2, 4]] };
        let (text, ranges) = line_of(&marked);
        assert_eq!(text, "\u{2068}a[U+202E]\u{2069}배포 b");
        assert_eq!(ranges.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["배포"]);
    }

    /// Messages are searched for words and initials only, not for single letters or half syllables.
    #[test]
    fn half_typed_text_does_not_search_messages() {
        assert!(is_for_messages("배포"));
        assert!(is_for_messages("돈"));
        assert!(is_for_messages("v2"));
        assert!(is_for_messages("ㅂㅍ"));
        assert!(!is_for_messages("ㅂ"));
        assert!(!is_for_messages("배ㅍ"));
        assert!(!is_for_messages("a"));
        assert!(!is_for_messages(" "));
    }
}
