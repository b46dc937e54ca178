//! Case-insensitive substring search that does not copy the searched text.

use std::ops::Range;

use hangul::InitialsQuery;

/// The searched text, prepared once.
#[derive(Debug, Clone)]
pub struct Needle {
    lower: String,
    /// Its longest run of letters without two cases, as Hangul: a text that lacks it is out after a plain search.
    anchor: String,
    /// Only consonants were typed: the syllables that begin with them are meant too.
    initials: Option<InitialsQuery>,
}

impl Needle {
    /// Nothing for a blank text.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        let anchor = lower.split(|c: char| c.is_lowercase() != c.is_uppercase()).max_by_key(|run| run.len());
        let anchor = anchor.unwrap_or_default().to_owned();
        let initials = InitialsQuery::from_query(&lower);
        (!lower.is_empty()).then_some(Self { lower, anchor, initials })
    }

    /// Whether `text` holds it.
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

    /// The first match in `text`, in bytes.
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

    /// False when no field of a log line can hold it: one look at the line instead of one at each field. `has_escapes`
    /// says that some field is written with escapes.
    #[must_use]
    pub fn may_be_in_line(&self, line: &str, has_escapes: bool) -> bool {
        self.initials.is_some() || has_escapes || line.contains(&self.anchor)
    }

    fn is_caseless(&self) -> bool {
        self.anchor.len() == self.lower.len()
    }
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
