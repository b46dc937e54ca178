//! Korean particles after a word: 은/는, 이/가, 을/를, 과/와, 으로/로. The final sound of the word decides between the two
//! forms. If the sound is unknown, both are given: `이(가)`.

use coordination::hangul::syllable::{FINAL_RIEUL, final_consonant};

/// A pair of forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Particle {
    /// 은/는
    Topic,
    /// 이/가
    Subject,
    /// 을/를
    Object,
    /// 과/와
    And,
    /// 으로/로
    Toward,
}

/// How a word ends, as far as particles care.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Vowel,
    Rieul,
    Consonant,
}

/// The word with the fitting particle attached. Where the sound is unknown both forms are given: `이(가)`.
pub fn with_particle(word: &str, particle: Particle) -> String {
    let forms = match particle {
        Particle::Topic => ("은", "는", "은(는)"),
        Particle::Subject => ("이", "가", "이(가)"),
        Particle::Object => ("을", "를", "을(를)"),
        Particle::And => ("과", "와", "과(와)"),
        Particle::Toward => ("으로", "로", "(으)로"),
    };
    let form = match ending(word) {
        Some(Ending::Vowel) => forms.1,
        Some(Ending::Rieul) if particle == Particle::Toward => forms.1,
        Some(_) => forms.0,
        None => forms.2,
    };
    format!("{word}{form}")
}

fn ending(word: &str) -> Option<Ending> {
    let last = word.chars().rev().find(|c| c.is_alphanumeric())?;
    match last {
        '가'..='힣' => Some(match final_consonant(last)? {
            0 => Ending::Vowel,
            FINAL_RIEUL => Ending::Rieul,
            _ => Ending::Consonant,
        }),
        // Digits by their Sino-Korean reading: 영 일 이 삼 사 오 육 칠 팔 구.
        '2' | '4' | '5' | '9' => Some(Ending::Vowel),
        '1' | '7' | '8' => Some(Ending::Rieul),
        '0' | '3' | '6' => Some(Ending::Consonant),
        // Latin words by the name of their last letter; good enough for ids and abbreviations.
        'L' | 'R' | 'l' => Some(Ending::Rieul),
        // Words end with a silent one: leader is 리더, server is 서버.
        'r' => Some(Ending::Vowel),
        'M' | 'N' | 'm' | 'n' => Some(Ending::Consonant),
        c if c.is_ascii_alphabetic() => Some(Ending::Vowel),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_follow_the_last_sound() {
        let all = |word: &str| {
            [Particle::Topic, Particle::Subject, Particle::Object, Particle::And, Particle::Toward]
                .map(|particle| with_particle(word, particle))
                .join(" ")
        };
        assert_eq!(all("루다"), "루다는 루다가 루다를 루다와 루다로");
        assert_eq!(all("이든"), "이든은 이든이 이든을 이든과 이든으로");
        assert_eq!(all("한결"), "한결은 한결이 한결을 한결과 한결로");
        assert_eq!(all("v2"), "v2는 v2가 v2를 v2와 v2로");
        assert_eq!(all("11"), "11은 11이 11을 11과 11로");
        assert_eq!(with_particle("admin", Particle::Topic), "admin은");
        assert_eq!(with_particle("leader", Particle::Subject), "leader가");
    }

    #[test]
    fn quotes_and_emoji_do_not_hide_the_sound() {
        assert_eq!(with_particle("“세움”", Particle::Subject), "“세움”이");
        assert_eq!(with_particle("루다 🌙", Particle::Topic), "루다 🌙는");
    }

    #[test]
    fn an_unknown_sound_gets_both_forms() {
        assert_eq!(with_particle("東京", Particle::Object), "東京을(를)");
        assert_eq!(with_particle("", Particle::Toward), "(으)로");
    }
}
