//! Display form of the words that decided a category (without Korean particles and endings), and a filter that passes
//! only words that describe the subject of a session.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::stem::{is_empty, korean};
use hangul::syllable::{FINAL_RIEUL, FINAL_SSANG_SIOT, final_consonant, is_syllable};

/// Bytes of a Hangul syllable in UTF-8.
const SYLLABLE_BYTES: usize = 3;
/// Letters of nearly every word.
const FEW_LETTERS: usize = 16;

/// Display form of a word: without particles and endings, in lower case.
pub(super) fn shown(word: &str) -> Cow<'_, str> {
    if !word.chars().all(is_syllable) {
        let same = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        return if same { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) };
    }
    let shown_len = |letters: &[char]| {
        let letters = without_and(letters);
        let stem_len = korean(letters);
        // The model may cut 파이프라인 after 라; it must not be displayed so.
        let sure = letters.len() > stem_len + 1 || is_particle(letters, stem_len);
        if sure { stem_len } else { letters.len() }
    };
    let mut few = ['\0'; FEW_LETTERS];
    let count = word.len() / SYLLABLE_BYTES;
    let letters = match few.get_mut(..count) {
        // Nearly every word: nothing is allocated.
        Some(few) => {
            few.iter_mut().zip(word.chars()).for_each(|(place, letter)| *place = letter);
            shown_len(few)
        }
        None => shown_len(&word.chars().collect::<Vec<_>>()),
    };
    Cow::Borrowed(word.get(..letters * SYLLABLE_BYTES).unwrap_or(word))
}

/// 문구랑, 소식이랑: the colloquial `and`, which the model leaves in place.
fn without_and(letters: &[char]) -> &[char] {
    let stem_len = match letters {
        [.., before, '이', '랑'] if letters.len() > 3 && last_consonant(*before) != 0 => letters.len() - 2,
        [.., '랑'] if letters.len() > 2 => letters.len() - 1,
        _ => letters.len(),
    };
    letters.get(..stem_len).unwrap_or(letters)
}

/// The last syllable, after the first `stem_len`, is a particle that can follow them: 이 needs a final before it and 가
/// none, so 게이트웨이 is a word and 서버가 is not.
fn is_particle(letters: &[char], stem_len: usize) -> bool {
    let (Some(before), Some(last)) = (stem_len.checked_sub(1).and_then(|at| letters.get(at)), letters.get(stem_len))
    else {
        return false;
    };
    match last {
        '은' | '이' | '을' | '과' => last_consonant(*before) != 0,
        '는' | '가' | '를' | '와' => last_consonant(*before) == 0,
        // After ㄹ as after a vowel.
        '로' => matches!(last_consonant(*before), 0 | FINAL_RIEUL),
        '의' | '에' | '도' | '만' => true,
        _ => false,
    }
}

/// Number of a syllable's final consonant; 0 when it has none.
fn last_consonant(syllable: char) -> u32 {
    final_consonant(syllable).unwrap_or_default()
}

/// Words of asking and reporting that occur in every kind of work.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "부탁", "확인", "완료", "진행", "지금", "오늘", "내일", "어제", "이번", "다음", "지난", "먼저", "바로", "그대로",
    "필요", "가능", "생각", "이거", "그거", "저희", "우리", "전부", "모두", "하나", "없이", "관련", "대한", "때문",
    "정도", "그럼", "아직", "다시", "이미", "같이", "함께", "위해", "경우", "이유", "결과", "내용", "부분", "공유",
    "전달", "준비", "있습", "없습", "그런", "이런", "어떤", "어떻게", "왜", "주세", "보고", "만들", "에서", "시에",
    "저는", "제가", "이번엔", "걸로", "그중", "나머지", "개가", "건가", "것만", "누가", "뭐가", "옆에", "자주",
    "마지막", "실제", "같은", "알고", "다만", "군데", "포함", "사람", "사람들", "요청", "말고", "대로", "중에",
    "쪽이", "둘은", "그냥", "직접", "따로", "계속", "조금", "how", "what", "when", "where", "which", "who", "why",
    "still", "wants", "while", "also", "his", "her", "she", "him", "someone", "nobody", "everyone", "others", "each",
    "through", "within", "since", "first", "third", "half", "should", "must", "make", "made", "know", "old", "new",
    "thanks", "thank", "again", "yet", "goal", "task", "context",
];

/// Last syllables of verbs, adverbs and clauses; nouns with such an end are few and are listed in [`NOUNS`].
const VERBAL: &str = "요다죠까네게며면니서려던든워줘돼해럼듯걸건지는고라된힌긴";

/// Nouns that end like verbs.
#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "필요", "개요", "수요", "주요", "소요", "중요", "바다", "화면", "측면", "반면", "도면", "용지", "공지", "유지",
    "이미지", "페이지", "메시지", "패키지", "방지", "폐지", "인지", "해지", "정지", "금지", "편지", "스토리지",
    "게이지", "문서", "순서", "부서", "견적서", "보고서", "계약서", "명세서", "제안서", "증명서", "안내서", "동의서",
    "질서", "센서", "프로세서", "이해", "오해", "피해", "장해", "저해", "방해", "올해", "조건", "안건", "물건",
    "요건", "사건", "여건", "무게", "가게", "단지", "부지", "복지", "원서", "공문서", "설계서", "기획서", "신청서",
    "검토서", "지침서", "답변서", "사양서", "요청서", "이력서", "소개서", "백서", "도서", "타워", "파워", "리뷰어",
    "단어", "언어", "용어", "검색어", "한국어", "영어", "일본어", "중국어", "베트남어", "국어", "에너지", "광고", "재고", "창고", "경고", "신고", "공고", "보고", "참고", "로고", "사고", "회고", "예고", "권고", "금고", "인프라", "카메라", "표본", "번역본", "원본", "사본", "견본",
];

/// Whether a word describes the subject of a session: a name for something, not a verb, a number's unit or a word of
/// asking.
pub(super) fn is_useful(word: &str) -> bool {
    let chars = word.chars().count();
    let latin = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let long = chars >= 2 && (!latin || chars >= 3 || ["qa", "ui", "db"].contains(&word));
    // Nearly all letters are of these two kinds, and the general question is a slow one.
    let letter = |c: char| is_syllable(c) || c.is_alphabetic();
    let named = || word.chars().all(|c| letter(c) || c.is_alphanumeric()) && word.chars().any(letter);
    let known = || is_in_list(word, COMMON, &SORTED_COMMON) || is_empty(word.as_bytes());
    long && named() && !is_verbal(word) && !known()
}

/// A list in order, made once: words are looked up while every message is read.
type Sorted = OnceLock<Vec<&'static str>>;
static SORTED_COMMON: Sorted = OnceLock::new();
static SORTED_NOUNS: Sorted = OnceLock::new();

fn is_in_list(word: &str, list: &[&'static str], sorted: &Sorted) -> bool {
    let sorted = sorted.get_or_init(|| {
        let mut sorted = list.to_vec();
        sorted.sort_unstable();
        sorted
    });
    sorted.binary_search(&word).is_ok()
}

/// 돌려주, 그대로요, 있는, 했던: a verb or a clause, whatever was removed from it.
fn is_verbal(word: &str) -> bool {
    let hangul = |c: &char| is_syllable(*c);
    let Some(last) = word.chars().last().filter(hangul) else { return false };
    let long = word.chars().count() >= 3;
    // The final of past tense and of 있다, which ends no noun.
    let past = word.chars().any(|c| final_consonant(c) == Some(FINAL_SSANG_SIOT));
    let short = if long { "주어아을를온본" } else { "어아에은" };
    (past || VERBAL.contains(last) || short.contains(last)) && !is_in_list(word, NOUNS, &SORTED_NOUNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_and_endings_come_off_and_words_stay() {
        for (written, stem) in [
            ("서버를", "서버"),
            ("구현해주세요", "구현"),
            ("정리했습니다", "정리"),
            ("도로", "도로"),
            ("약관에서는", "약관"),
            ("배포", "배포"),
            ("게이트웨이", "게이트웨이"),
            ("서버가", "서버"),
            ("문구랑", "문구"),
            ("팀이", "팀이"),
            ("법률과", "법률"),
        ] {
            assert_eq!(shown(written), stem);
        }
    }

    #[test]
    fn a_tag_is_a_name_for_something() {
        for word in ["배포", "게이트웨이", "회귀", "이미지", "우선순위", "광고", "문서", "rollback", "db", "조건"]
        {
            assert!(is_useful(word), "{word}");
        }
        for word in [
            "돌려주",
            "그대로요",
            "있는",
            "들어온",
            "결정된",
            "읽고",
            "문서라",
            "주에",
            "남겨주",
            "끝나요",
            "바꿔요",
            "했던",
            "나눠서",
            "넣어",
            "the",
            "how",
            "시에",
        ] {
            assert!(!is_useful(word), "{word}");
        }
    }
}
