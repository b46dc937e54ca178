//! Korean particles behind a noun, ignored in search (배포를 = 배포). Verb endings are not particles: `페이지` is not
//! `페이` with an ending. The particles of UI texts are chosen by `src/i18n/particle.rs`.

use hangul::syllable::{FINAL_RIEUL, final_consonant, is_syllable};

/// What must stand before a particle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Any,
    /// A syllable that ends in a consonant.
    Closed,
    /// A syllable that ends in a vowel.
    Open,
    /// As [`StemEnding::Open`], or one that ends in ㄹ.
    OpenOrL,
}

/// Particles and combinations of two. The longest match is stripped.
const PARTICLES: &[(&str, After)] = &[
    ("을", After::Closed),
    ("를", After::Open),
    ("이", After::Closed),
    ("가", After::Open),
    ("은", After::Closed),
    ("는", After::Open),
    ("과", After::Closed),
    ("와", After::Open),
    ("으로", After::Closed),
    ("로", After::OpenOrL),
    ("으로서", After::Closed),
    ("로서", After::OpenOrL),
    ("으로써", After::Closed),
    ("로써", After::OpenOrL),
    ("으로는", After::Closed),
    ("로는", After::OpenOrL),
    ("으로도", After::Closed),
    ("로도", After::OpenOrL),
    ("으로만", After::Closed),
    ("로만", After::OpenOrL),
    ("으로부터", After::Closed),
    ("로부터", After::OpenOrL),
    ("이나", After::Closed),
    ("이라도", After::Closed),
    ("라도", After::Open),
    ("이랑", After::Closed),
    ("랑", After::Open),
    ("이든", After::Closed),
    ("든", After::Open),
    ("이란", After::Closed),
    ("란", After::Open),
    ("과의", After::Closed),
    ("와의", After::Open),
    ("과는", After::Closed),
    ("와는", After::Open),
    ("과도", After::Closed),
    ("와도", After::Open),
    ("에", After::Any),
    ("에는", After::Any),
    ("에도", After::Any),
    ("에만", After::Any),
    ("에서", After::Any),
    ("에서는", After::Any),
    ("에서도", After::Any),
    ("에서만", After::Any),
    ("에서의", After::Any),
    ("에게", After::Any),
    ("에게는", After::Any),
    ("에게도", After::Any),
    ("에게만", After::Any),
    ("에게서", After::Any),
    ("한테", After::Any),
    ("한테는", After::Any),
    ("한테도", After::Any),
    ("한테서", After::Any),
    ("께", After::Any),
    ("께서", After::Any),
    ("께서는", After::Any),
    ("의", After::Any),
    ("도", After::Any),
    ("만", After::Any),
    ("만의", After::Any),
    ("만은", After::Any),
    ("만을", After::Any),
    ("만이", After::Any),
    ("부터", After::Any),
    ("부터는", After::Any),
    ("부터의", After::Any),
    ("까지", After::Any),
    ("까지는", After::Any),
    ("까지도", After::Any),
    ("까지만", After::Any),
    ("까지의", After::Any),
    ("보다", After::Any),
    ("보다는", After::Any),
    ("보다도", After::Any),
    ("처럼", After::Any),
    ("마다", After::Any),
    ("밖에", After::Any),
    ("조차", After::Any),
    ("마저", After::Any),
    ("하고", After::Any),
    ("들", After::Any),
    ("들을", After::Any),
    ("들이", After::Any),
    ("들은", After::Any),
    ("들도", After::Any),
    ("들의", After::Any),
    ("들에", After::Any),
    ("들과", After::Any),
    ("들로", After::Any),
    ("들만", After::Any),
    ("들에게", After::Any),
    ("들에서", After::Any),
    ("들부터", After::Any),
    ("들까지", After::Any),
];

/// Least syllables of a stem.
const LEAST: usize = 2;

/// The word without the particle at its end; nothing where it has none. A Korean word keeps two syllables; behind
/// letters and digits (`nginx를`, `v2로`) any particle is one, whichever way they are read aloud.
pub(super) fn without(word: &str) -> Option<&str> {
    let hangul = word.chars().rev().take_while(|c| is_syllable(*c)).count();
    let glued = hangul < word.chars().count();
    let fits = |(particle, after): &&(&str, After)| {
        let Some(stem) = word.strip_suffix(particle) else { return false };
        let kept = hangul.saturating_sub(particle.chars().count());
        let Some(last) = stem.chars().next_back() else { return false };
        match kept {
            0 => glued && last.is_alphanumeric() && !is_syllable(last) && stem.chars().count() >= LEAST,
            _ => kept >= LEAST && after.fits(last),
        }
    };
    let longest = PARTICLES.iter().filter(fits).max_by_key(|(particle, _)| particle.len())?;
    word.strip_suffix(longest.0)
}

impl After {
    fn fits(self, last: char) -> bool {
        let end = final_consonant(last).unwrap_or_default();
        match self {
            Self::Any => true,
            Self::Closed => end != 0,
            Self::Open => end == 0,
            Self::OpenOrL => matches!(end, 0 | FINAL_RIEUL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn a_particle_is_passed_over_where_a_word_stays() {
        for (word, stem) in [
            ("배포를", "배포"),
            ("검토는", "검토"),
            ("운영에서는", "운영"),
            ("이든에게", "이든"),
            ("내일까지", "내일"),
            ("파일로", "파일"),
            ("서울로", "서울"),
            ("에이전트들을", "에이전트"),
            ("nginx를", "nginx"),
            ("v2로", "v2"),
            ("API에서", "API"),
            ("nginx서버를", "nginx서버"),
        ] {
            assert_eq!(without(word), Some(stem), "{word}");
        }
        for word in ["배포", "회의", "도로", "나를", "페이지", "재평가", "이미지", "로", "를", "c를", "-를", "배포를!"]
        {
            assert_eq!(without(word), None, "{word}");
        }
    }
}
