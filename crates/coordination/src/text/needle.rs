//! A text somebody looks for, in any case, over a whole log.

use crate::event::Event;

/// What is looked for, prepared once.
#[derive(Debug, Clone)]
pub(crate) struct Needle {
    lower: String,
    /// It has no letter with two cases, as Hangul: a plain search finds it.
    caseless: bool,
}

impl Needle {
    /// Nothing for a blank text.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        let caseless = lower.chars().all(|c| c.is_lowercase() == c.is_uppercase());
        (!lower.is_empty()).then_some(Self { lower, caseless })
    }

    /// Whether `text` holds it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        if self.caseless {
            return text.contains(&self.lower);
        }
        if self.lower.is_ascii() {
            // Bytes of other letters are never ASCII, so they need not be looked at as letters.
            let needle = self.lower.as_bytes();
            return text
                .as_bytes()
                .windows(needle.len())
                .any(|window| window[0].eq_ignore_ascii_case(&needle[0]) && window.eq_ignore_ascii_case(needle));
        }
        text.to_lowercase().contains(&self.lower)
    }

    /// False when no field of the event can hold it: one look at the line instead of one at each field.
    pub(crate) fn may_be_in(&self, event: &Event) -> bool {
        !self.caseless || event.has_escapes() || event.raw.contains(&self.lower)
    }
}

#[cfg(test)]
mod tests {
    use super::Needle;

    #[test]
    fn a_text_is_found_in_any_case_whatever_stands_beside_it() {
        for (needle, text) in [
            ("DEPLOY", "배포 deploy"),
            ("deploy", "리뷰 뒤 Deploy"),
            ("배포", "내일 배포"),
            ("ÄPFEL", "zwei äpfel"),
            ("API 배포", "api 배포"),
        ] {
            assert!(Needle::new(needle).is_some_and(|it| it.is_in(text)), "{needle} in {text}");
        }
        assert!(!Needle::new("deploy").is_some_and(|it| it.is_in("deplo")));
        assert!(Needle::new("  ").is_none());
    }
}
