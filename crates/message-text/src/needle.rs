//! Case-insensitive substring search that does not copy the searched text. Korean initial consonants (`ㅂㅍ`) find the
//! syllables that begin with them (배포).

use std::ops::Range;

use hangul::InitialsQuery;

/// A searched text, prepared once. A text of consonants only (`ㅂㅍ`) finds the syllables that begin with them.
#[derive(Debug, Clone)]
pub struct Needle {
    /// The text in lower case, without outer blanks.
    lower: String,
    /// The longest run of `lower` whose letters have no case: Hangul, digits, blanks. Every match contains it, so a
    /// search for it rejects most texts.
    anchor: String,
    /// Set for a text of consonants only.
    initials: Option<InitialsQuery>,
}

impl Needle {
    /// `None` for a blank text.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        let anchor = lower.split(has_case).max_by_key(|run| run.len());
        let anchor = anchor.unwrap_or_default().to_owned();
        let initials = InitialsQuery::from_query(&lower);
        (!lower.is_empty()).then_some(Self { lower, anchor, initials })
    }

    /// True when `text` contains the needle.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        if let Some(initials) = &self.initials {
            return initials.find(text, 0).is_some();
        }
        if self.is_caseless() {
            return text.contains(&self.lower);
        }
        if self.lower.is_ascii() {
            // Bytes of other letters are never ASCII, so they need not be decoded.
            let needle = self.lower.as_bytes();
            return text
                .as_bytes()
                .windows(needle.len())
                .any(|window| window[0].eq_ignore_ascii_case(&needle[0]) && window.eq_ignore_ascii_case(needle));
        }
        text.contains(&self.anchor) && self.find(text).is_some()
    }

    /// Byte range of the first match in `text`.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        if let Some(initials) = &self.initials {
            return initials.find(text, 0);
        }
        text.char_indices().find_map(|(start, _)| {
            let mut wanted = self.lower.chars().peekable();
            for (at, c) in text.get(start..)?.char_indices() {
                if !c.to_lowercase().all(|low| wanted.next() == Some(low)) {
                    return None;
                }
                if wanted.peek().is_none() {
                    return Some(start..start + at + c.len_utf8());
                }
            }
            None
        })
    }

    /// False when no field of the log line can contain the needle, so that its fields need no search. With
    /// `has_escapes` some field is written with escapes, so the line proves nothing.
    #[must_use]
    pub fn may_be_in_line(&self, line: &str, has_escapes: bool) -> bool {
        self.initials.is_some() || has_escapes || line.contains(&self.anchor)
    }

    fn is_caseless(&self) -> bool {
        self.anchor.len() == self.lower.len()
    }
}

/// True for letters that a text may contain in another case. `İ` in lower case is two characters, `i` and the dot above
/// (U+0307), so that dot counts as a letter with case.
fn has_case(c: char) -> bool {
    c.is_lowercase() != c.is_uppercase() || c == '\u{307}'
}

#[cfg(test)]
mod tests {
    use super::Needle;

    #[test]
    fn needle_matches_in_any_case() {
        for (needle, text) in [
            ("DEPLOY", "배포 deploy"),
            ("deploy", "리뷰 뒤 Deploy"),
            ("배포", "내일 배포"),
            ("ÄPFEL", "zwei äpfel"),
            ("API 배포", "api 배포"),
            ("İSTANBUL", "İstanbul"),
            ("ㅂㅍ", "내일 배포"),
        ] {
            assert!(Needle::new(needle).is_some_and(|it| it.is_in(text)), "{needle} in {text}");
        }
        assert!(!Needle::new("deploy").is_some_and(|it| it.is_in("deplo")));
        assert!(Needle::new("  ").is_none());
    }

    #[test]
    fn match_range_is_in_written_bytes() {
        let place = |needle: &str, text: &str| Needle::new(needle).and_then(|it| it.find(text));
        assert_eq!(place("api 배포", "내일 API 배포"), Some(7..17));
        assert_eq!(place("äpfel", "zwei ÄPFEL."), Some(5..11));
        assert_eq!(place("배포", "배 포"), None);
    }
}
