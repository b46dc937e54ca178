//! Suggestions for the search query: operators and their values. Plain functions, tested without a browser.

use std::ops::Range;

use coordination::hangul;
use coordination::search::Operator;

use super::written::quoted;
use crate::i18n::Locale;

/// All operators, in the order of the suggestions.
pub(super) const OPERATORS: [&str; 14] = [
    "from",
    "to",
    "agent",
    "category",
    "categories",
    "is",
    "after",
    "before",
    "type",
    "role",
    "tag",
    "session",
    "task",
    "in",
];
/// Those that take nothing but what is offered.
const CLOSED_OPERATORS: [&str; 5] = ["category", "categories", "is", "role", "in"];
/// Lines offered at most.
const MAX_OFFERS: usize = 8;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offer {
    /// Replacement for the text in the field.
    pub(super) insert: String,
    /// What is read.
    pub(super) text: String,
    /// Behind it, dimmed.
    pub(super) note: String,
}

/// Where the offers belong, and what they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Offers {
    /// What an offer replaces, in bytes of the query.
    pub(super) range: Range<usize>,
    pub(super) list: Vec<Offer>,
}

/// A value that an operator may have: as it is written, and other words for it.
pub(super) type OperatorValue = (String, String);

/// The piece of a query that ends at the caret.
#[derive(Debug, PartialEq, Eq)]
struct QueryPiece<'a> {
    range: Range<usize>,
    /// `-` before it.
    not: &'static str,
    /// The operator as written, once its colon is.
    operator: Option<&'a str>,
    /// What is typed of the name, or of the value.
    typed: &'a str,
}

/// The piece at the caret (in bytes); none within a word or a phrase.
fn piece(q: &str, caret: usize) -> Option<QueryPiece<'_>> {
    let (before, after) = (q.get(..caret)?, q.get(caret..)?);
    if after.chars().next().is_some_and(|next| !next.is_whitespace()) {
        return None;
    }
    let mut start = 0;
    let mut quoted = false;
    for (at, c) in before.char_indices() {
        if c == '"' {
            quoted = !quoted;
        } else if c.is_whitespace() && !quoted {
            start = at + c.len_utf8();
        }
    }
    let whole = before.get(start..)?;
    let bare = whole.strip_prefix('-').unwrap_or(whole);
    let not = if bare.len() < whole.len() { "-" } else { "" };
    let range = start..caret;
    match bare.split_once(':') {
        Some((operator, value)) if !operator.contains('"') => {
            let typed = value.strip_prefix('"').unwrap_or(value);
            // A closed quotation is a whole value.
            (!typed.contains('"')).then_some(QueryPiece { range, not, operator: Some(operator), typed })
        }
        _ => (!bare.is_empty() && !quoted && !bare.contains('"')).then_some(QueryPiece {
            range,
            not,
            operator: None,
            typed: bare,
        }),
    }
}

/// An unfinished condition is at the caret (in bytes): its value is empty, its quotation is open, or its value is the
/// prefix of a possible one. Such a query is not sent: the answer would be that it cannot be
/// parsed.
pub(super) fn is_unfinished(q: &str, caret: usize, values: impl Fn(&str) -> Vec<OperatorValue>) -> bool {
    let Some(QueryPiece { range, operator: Some(written), typed, .. }) = piece(q, caret) else { return false };
    let Some(name) = operator(written) else { return false };
    let is_open = q.get(range).is_some_and(|piece| piece.contains('"'));
    if typed.is_empty() || is_open {
        return true;
    }
    let begins = |value: &OperatorValue| [&value.0, &value.1].into_iter().any(|text| starts(typed, text));
    let is_whole =
        |value: &OperatorValue| [&value.0, &value.1].into_iter().any(|text| text.eq_ignore_ascii_case(typed));
    let values = if CLOSED_OPERATORS.contains(&name) { values(name) } else { Vec::new() };
    values.iter().any(begins) && !values.iter().any(is_whole)
}

/// The operator of a name that the search understands, in any language.
pub(super) fn operator(name: &str) -> Option<&'static str> {
    Operator::named(name).map(Operator::as_str)
}

/// Suggestions for `q` at the caret (in bytes). `values` knows the possible values of an operator.
pub(super) fn offers(q: &str, caret: usize, locale: Locale, values: impl Fn(&str) -> Vec<OperatorValue>) -> Offers {
    let Some(piece) = piece(q, caret) else { return Offers::default() };
    let QueryPiece { range, not, operator: written, typed } = piece;
    let words = locale.messages().search();
    let mut ranked: Vec<(u32, Offer)> = Vec::new();
    match written {
        None => {
            for name in OPERATORS {
                let own = (words.typed)(name).filter(|own| starts(typed, own));
                let shown = own.or_else(|| starts(typed, name).then_some(name));
                if let Some(shown) = shown {
                    let insert = format!("{not}{shown}:");
                    let note = (words.operator_why)(name).to_owned();
                    ranked.push((0, Offer { text: insert.clone(), insert, note }));
                }
            }
        }
        Some(written) => {
            let Some(name) = operator(written) else { return Offers::default() };
            for (value, note) in values(name) {
                let fit = |text: &str| hangul::find(typed, text).map(|found| found.rank);
                if let Some(rank) = [fit(&value), fit(&note)].into_iter().flatten().min() {
                    let insert = format!("{not}{written}:{} ", quoted(&value));
                    // Sessions and tasks are known by their titles.
                    let titled = matches!(name, "session" | "task") && !note.is_empty();
                    let (text, note) = if titled { (note, value) } else { (value, note) };
                    ranked.push((rank, Offer { insert, text, note }));
                }
            }
            ranked.sort_by_key(|(rank, _)| *rank);
        }
    }
    Offers { range, list: ranked.into_iter().map(|(_, offer)| offer).take(MAX_OFFERS).collect() }
}

/// True for the beginning of a name, also as initials or half a syllable; the whole name is one, too.
fn starts(typed: &str, name: &str) -> bool {
    hangul::find(typed, name).is_some_and(|found| found.ranges.first().is_some_and(|range| range.start == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(operator: &str) -> Vec<OperatorValue> {
        let value = |value: &str, note: &str| (value.to_owned(), note.to_owned());
        match operator {
            "from" => vec![value("eden", "이든"), value("seum", "세움"), value("a b", "둘")],
            "session" => vec![value("ws_9f", "결제 배포"), value("ws_77", "")],
            "is" => vec![value("blocked", "차단됨"), value("active", "진행 중")],
            _ => Vec::new(),
        }
    }

    fn offered(q: &str, locale: Locale) -> Vec<String> {
        offers(q, q.len(), locale, values).list.into_iter().map(|offer| offer.insert).collect()
    }

    #[test]
    fn operators_are_offered_by_prefix() {
        assert_eq!(offered("배포 fr", Locale::Ko), ["from:"]);
        assert_eq!(offered("보낸", Locale::Ko), ["보낸이:"]);
        assert_eq!(offered("ㅂㄴ", Locale::Ko), ["보낸이:", "받는이:"]);
        assert_eq!(offered("-보낸", Locale::Ko), ["-보낸이:"]);
        assert!(offered("배포 확인", Locale::Ko).is_empty(), "ordinary words are left alone");
        assert!(offered("", Locale::Ko).is_empty() && offered("배포 ", Locale::Ko).is_empty());
        assert!(offered("\"fr", Locale::En).is_empty(), "within a phrase nothing is offered");
    }

    #[test]
    fn values_are_offered_by_name() {
        assert_eq!(offered("from:", Locale::Ko).len(), 3);
        assert_eq!(offered("배포 보낸이:이", Locale::Ko), ["보낸이:eden "]);
        assert_eq!(offered("from:\"a", Locale::En).first().map(String::as_str), Some("from:\"a b\" "));
        assert_eq!(offered("-is:ㅊㄷ", Locale::Ko), ["-is:blocked "]);
        assert_eq!(offered("session:결제", Locale::Ko), ["session:ws_9f "]);
        assert_eq!(offered("세션:결제", Locale::Ko), ["세션:ws_9f "], "by every name that is understood");
        let listed = offers("협업:ws", "협업:ws".len(), Locale::Ko, values).list;
        let listed: Vec<_> = listed.iter().map(|offer| (offer.text.as_str(), offer.note.as_str())).collect();
        assert_eq!(listed, [("결제 배포", "ws_9f"), ("ws_77", "")], "a title is read, an id is written");
        assert!(offered("http:", Locale::Ko).is_empty(), "no operator");
        assert!(offered("from:\"a b\"", Locale::Ko).is_empty(), "a closed value is whole");
    }

    #[test]
    fn offer_replaces_only_piece_at_caret() {
        let q = "배포 from:e 확인";
        let found = offers(q, q.find(" 확인").unwrap(), Locale::Ko, values);
        assert_eq!(q.get(found.range.clone()), Some("from:e"));
        assert!(offers(q, q.find("om").unwrap(), Locale::Ko, values).list.is_empty(), "not within a word");
        assert!(offers("배포", 1, Locale::Ko, values).list.is_empty(), "nor within a character");
    }

    #[test]
    fn partial_condition_differs_from_complete_one() {
        let unfinished = |q: &str| is_unfinished(q, q.len(), values);
        for q in ["from:", "배포 태그:", "-is:", "태그:\"결", "session:\"", "is:blo", "상태:차단", "is:ㅊㄷ"]
        {
            assert!(unfinished(q), "{q}");
        }
        for q in
            ["", "배포", "http:", "from:ed", "태그:\"결제\"", "is:blocked", "is:nothing", "from: 배포", "is:blocked "]
        {
            assert!(!unfinished(q), "{q}");
        }
        assert!(!is_unfinished("is: 배포", "is: 배".len(), values), "only at the caret");
    }

    #[test]
    fn operators_have_labels_and_match_them() {
        for locale in Locale::ALL {
            let words = locale.messages().search();
            for name in OPERATORS {
                assert!((words.operator)(name).is_some() && !(words.operator_why)(name).is_empty(), "{name}");
                assert_eq!(operator(name), Some(name));
                assert!((words.typed)(name).is_none_or(|typed| operator(typed) == Some(name)), "{name}");
            }
        }
    }
}
