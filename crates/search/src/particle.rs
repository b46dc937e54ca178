//! Remover of particles at the end of Korean nouns, for search (배포를 = 배포). Verb endings such as `지` are not removed, so
//! `페이지` (page) does not become `페이`. `src/i18n/particle.rs` chooses the particles of UI texts.

use hangul::syllable::{FINAL_RIEUL, final_consonant, is_syllable};

/// What must stand before a particle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StemEnding {
    Any,
    /// A syllable that ends in a consonant.
    Closed,
    /// A syllable that ends in a vowel.
    Open,
    /// As [`StemEnding::Open`], or one that ends in ㄹ.
    OpenOrL,
}

/// Particles and combinations of two. The longest match is stripped.
const PARTICLES: &[(&str, StemEnding)] = &[
    ("을", StemEnding::Closed),
    ("를", StemEnding::Open),
    ("이", StemEnding::Closed),
    ("가", StemEnding::Open),
    ("은", StemEnding::Closed),
    ("는", StemEnding::Open),
    ("과", StemEnding::Closed),
    ("와", StemEnding::Open),
    ("으로", StemEnding::Closed),
    ("로", StemEnding::OpenOrL),
    ("으로서", StemEnding::Closed),
    ("로서", StemEnding::OpenOrL),
    ("으로써", StemEnding::Closed),
    ("로써", StemEnding::OpenOrL),
    ("으로는", StemEnding::Closed),
    ("로는", StemEnding::OpenOrL),
    ("으로도", StemEnding::Closed),
    ("로도", StemEnding::OpenOrL),
    ("으로만", StemEnding::Closed),
    ("로만", StemEnding::OpenOrL),
    ("으로부터", StemEnding::Closed),
    ("로부터", StemEnding::OpenOrL),
    ("이나", StemEnding::Closed),
    ("이라도", StemEnding::Closed),
    ("라도", StemEnding::Open),
    ("이랑", StemEnding::Closed),
    ("랑", StemEnding::Open),
    ("이든", StemEnding::Closed),
    ("든", StemEnding::Open),
    ("이란", StemEnding::Closed),
    ("란", StemEnding::Open),
    ("과의", StemEnding::Closed),
    ("와의", StemEnding::Open),
    ("과는", StemEnding::Closed),
    ("와는", StemEnding::Open),
    ("과도", StemEnding::Closed),
    ("와도", StemEnding::Open),
    ("에", StemEnding::Any),
    ("에는", StemEnding::Any),
    ("에도", StemEnding::Any),
    ("에만", StemEnding::Any),
    ("에서", StemEnding::Any),
    ("에서는", StemEnding::Any),
    ("에서도", StemEnding::Any),
    ("에서만", StemEnding::Any),
    ("에서의", StemEnding::Any),
    ("에게", StemEnding::Any),
    ("에게는", StemEnding::Any),
    ("에게도", StemEnding::Any),
    ("에게만", StemEnding::Any),
    ("에게서", StemEnding::Any),
    ("한테", StemEnding::Any),
    ("한테는", StemEnding::Any),
    ("한테도", StemEnding::Any),
    ("한테서", StemEnding::Any),
    ("께", StemEnding::Any),
    ("께서", StemEnding::Any),
    ("께서는", StemEnding::Any),
    ("의", StemEnding::Any),
    ("도", StemEnding::Any),
    ("만", StemEnding::Any),
    ("만의", StemEnding::Any),
    ("만은", StemEnding::Any),
    ("만을", StemEnding::Any),
    ("만이", StemEnding::Any),
    ("부터", StemEnding::Any),
    ("부터는", StemEnding::Any),
    ("부터의", StemEnding::Any),
    ("까지", StemEnding::Any),
    ("까지는", StemEnding::Any),
    ("까지도", StemEnding::Any),
    ("까지만", StemEnding::Any),
    ("까지의", StemEnding::Any),
    ("보다", StemEnding::Any),
    ("보다는", StemEnding::Any),
    ("보다도", StemEnding::Any),
    ("처럼", StemEnding::Any),
    ("마다", StemEnding::Any),
    ("밖에", StemEnding::Any),
    ("조차", StemEnding::Any),
    ("마저", StemEnding::Any),
    ("하고", StemEnding::Any),
    ("들", StemEnding::Any),
    ("들을", StemEnding::Any),
    ("들이", StemEnding::Any),
    ("들은", StemEnding::Any),
    ("들도", StemEnding::Any),
    ("들의", StemEnding::Any),
    ("들에", StemEnding::Any),
    ("들과", StemEnding::Any),
    ("들로", StemEnding::Any),
    ("들만", StemEnding::Any),
    ("들에게", StemEnding::Any),
    ("들에서", StemEnding::Any),
    ("들부터", StemEnding::Any),
    ("들까지", StemEnding::Any),
];

/// Least syllables of a stem.
const MIN_STEM_SYLLABLES: usize = 2;

/// The word without the particle at its end; nothing where it has none. A Korean word keeps two syllables; behind
/// letters and digits (`nginx를`, `v2로`) any particle is one, whichever way they are read aloud.
pub(super) fn strip_particle(word: &str) -> Option<&str> {
    let hangul = word.chars().rev().take_while(|c| is_syllable(*c)).count();
    let glued = hangul < word.chars().count();
    let fits = |(particle, after): &&(&str, StemEnding)| {
        let Some(stem) = word.strip_suffix(particle) else { return false };
        let stem_syllables = hangul.saturating_sub(particle.chars().count());
        let Some(last) = stem.chars().next_back() else { return false };
        match stem_syllables {
            0 => glued && last.is_alphanumeric() && !is_syllable(last) && stem.chars().count() >= MIN_STEM_SYLLABLES,
            _ => stem_syllables >= MIN_STEM_SYLLABLES && after.fits(last),
        }
    };
    let longest = PARTICLES.iter().filter(fits).max_by_key(|(particle, _)| particle.len())?;
    word.strip_suffix(longest.0)
}

impl StemEnding {
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
    use super::strip_particle;

    #[test]
    fn particle_is_stripped_where_stem_remains() {
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
            assert_eq!(strip_particle(word), Some(stem), "{word}");
        }
        for word in ["배포", "회의", "도로", "나를", "페이지", "재평가", "이미지", "로", "를", "c를", "-를", "배포를!"]
        {
            assert_eq!(strip_particle(word), None, "{word}");
        }
    }
}
