//! Reader of the words of a message, up to 6,000 bytes. Words in code, quotes, tables and stack traces weigh less than
//! prose, and words of answers less than those of requests. A web address counts as one feature; its words do not.

use super::words::{FeatureSink, ONE, SignKind, WordClause};
use hangul::syllable::{compose, is_syllable};
use message_text::beginning;
use protocol::api::TextZone;

/// Bytes of a message that are read: its purpose is at its beginning.
const MAX_BYTES: usize = 6000;

/// The part of a text that is read.
#[must_use]
pub fn read_part(text: &str) -> &str {
    beginning(text, MAX_BYTES)
}

/// Weight of a word in this part of a record, of [`ONE`].
fn zone_weight(zone: TextZone) -> i32 {
    match zone {
        TextZone::Label => 20,
        TextZone::Request => 16,
        TextZone::Answer => 11,
    }
}

/// Reader of texts. Its buffers are reused.
#[derive(Debug, Default)]
pub(super) struct ClauseReader {
    /// The clause being read.
    clause: WordClause,
    /// Buffer for composed syllables.
    syllables: Vec<char>,
    /// Buffer for the lower-case letters of a Latin word.
    lower: Vec<u8>,
}

/// Context of a line, from the lines before it.
struct LineContext {
    fenced: bool,
    /// Weight of the section under a heading like `[Context]`.
    section: i32,
}

impl ClauseReader {
    pub(super) fn read(&mut self, place: TextZone, text: &str, sink: &mut impl FeatureSink) {
        let text = read_part(text);
        let mut lines = LineContext { fenced: false, section: ONE };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let weight = lines.weight(line, &mut self.clause, at);
            if weight > 0 {
                self.line(line, at, (zone_weight(place) * weight / ONE).max(1), sink);
            }
            self.clause.flush(sink);
            at += line.len();
        }
    }

    fn line(&mut self, line: &str, offset: usize, weight: i32, sink: &mut impl FeatureSink) {
        let mut at = 0;
        let mut code = false;
        while let Some(c) = line.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = line.get(at..).unwrap_or_default();
            let here = if code { (weight / 2).max(1) } else { weight };
            let step = match c {
                '`' => {
                    code = !code;
                    1
                }
                'ㄱ'..='힣' | '\u{1100}'..='\u{11ff}' => self.korean(rest, offset + at, here),
                '0'..='9' | '$' | '₩' | '€' | '#' => self.number(rest, offset + at, here),
                'a'..='z' | 'A'..='Z' | '/' | '_' | '~' => self.latin(rest, offset + at, here),
                '.' | '!' | ';' | ',' | '(' | ')' | '—' | ':' | '→' | '?' => {
                    if c == '?' {
                        self.clause.push_mark(SignKind::Question, span(offset + at, 1), here);
                    }
                    self.clause.flush(sink);
                    c.len_utf8()
                }
                _ => c.len_utf8(),
            };
            at += step;
        }
    }

    /// A run of Hangul; decomposed letters, as some keyboards and file systems write them, are composed.
    fn korean(&mut self, rest: &str, at: usize, weight: i32) -> usize {
        self.syllables.clear();
        let mut length = 0;
        for c in rest.chars() {
            match c {
                c if is_syllable(c) => self.syllables.push(c),
                '\u{1100}'..='\u{11ff}' => {
                    let letter = match self.syllables.last().and_then(|before| compose(*before, c)) {
                        Some(syllable) => {
                            self.syllables.pop();
                            syllable
                        }
                        None => c,
                    };
                    self.syllables.push(letter);
                }
                _ => break,
            }
            length += c.len_utf8();
        }
        if length == 0 {
            return rest.chars().next().map_or(1, char::len_utf8);
        }
        self.clause.push_korean(&self.syllables, span(at, length), weight);
        length
    }

    /// Sums, shares, versions and issue numbers are evidence of the work; the digits are not.
    fn number(&mut self, rest: &str, at: usize, weight: i32) -> usize {
        let first = rest.chars().next().unwrap_or(' ');
        let signs = first.len_utf8() * usize::from(!first.is_ascii_digit());
        let digits = rest.get(signs..).unwrap_or_default();
        let length = digits.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')).count();
        let length = signs + digits.get(..length).unwrap_or_default().trim_end_matches(['.', ',']).len();
        if length == signs {
            return signs.max(1);
        }
        let after = rest.get(length..).unwrap_or_default();
        let mark = match first {
            '#' => Some(SignKind::Issue),
            '$' | '₩' | '€' => Some(SignKind::Money),
            _ if after.starts_with('%') => Some(SignKind::Share),
            _ if ["원", "만 원", "만원", "억", "천만", "달러", "USD", "KRW"]
                .iter()
                .any(|unit| after.starts_with(unit)) =>
            {
                Some(SignKind::Money)
            }
            _ if rest.get(..length).is_some_and(|text| text.matches('.').count() > 1) => Some(SignKind::Version),
            _ => None,
        };
        if let Some(mark) = mark {
            self.clause.push_mark(mark, span(at, length), weight);
        }
        length
    }

    /// A run of Latin letters and the signs inside names: a word, a name of the code, a path, an address.
    fn latin(&mut self, rest: &str, at: usize, weight: i32) -> usize {
        let bytes = rest.as_bytes();
        // Most runs are plain words: small letters, perhaps after a capital, without any sign.
        let first = usize::from(bytes.first().is_some_and(u8::is_ascii_uppercase));
        let small = bytes.iter().skip(first).take_while(|byte| byte.is_ascii_lowercase()).count();
        let letters = first + small;
        if letters > 0 && bytes.get(letters).is_none_or(|byte| !is_joined(*byte)) {
            self.push_lower(&bytes[..letters], at, weight);
            return letters;
        }
        self.latin_name(rest, at, weight)
    }

    /// A run that is not a plain word.
    fn latin_name(&mut self, rest: &str, at: usize, weight: i32) -> usize {
        let run = rest.get(..rest.bytes().take_while(|byte| is_joined(*byte)).count()).unwrap_or_default();
        let address = run.contains("://");
        let run = run.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '/'));
        if run.is_empty() {
            return 1;
        }
        if address {
            self.clause.push_mark(SignKind::Address, span(at, run.len()), weight);
            return run.len();
        }
        let hump = has_hump(run.as_bytes());
        let file = run.rsplit_once('.').is_some_and(|(name, ending)| {
            let letter = ending.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
            letter && !name.is_empty() && ending.len() <= 5 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        let path = run.starts_with('/') || run.matches('/').count() > 1 || run.contains("::");
        if file || path {
            self.clause.push_mark(SignKind::File, span(at, run.len()), weight);
        } else if hump || run.contains('_') {
            self.clause.push_mark(SignKind::Code, span(at, run.len()), weight);
        }
        let weight = if hump || file || path || run.contains('_') { (weight / 2).max(1) } else { weight };
        self.split(run, at, weight, hump);
        run.len()
    }

    fn push_lower(&mut self, word: &[u8], at: usize, weight: i32) {
        self.lower.clear();
        self.lower.extend(word.iter().map(u8::to_ascii_lowercase));
        self.clause.push_latin(&self.lower, span(at, word.len()), weight);
    }

    fn split(&mut self, run: &str, at: usize, weight: i32, humps: bool) {
        let bytes = run.as_bytes();
        let mut from = 0;
        for end in 1..=bytes.len() {
            let last = bytes[end - 1];
            let here = bytes.get(end).copied();
            let breaks = |byte: u8| !(byte.is_ascii_alphanumeric() || byte == b'\'');
            let hump = humps && here.is_some_and(|next| last.is_ascii_lowercase() && next.is_ascii_uppercase());
            if here.is_none_or(breaks) || hump {
                while from < end && breaks(bytes[from]) {
                    from += 1;
                }
                if from < end {
                    self.push_lower(&bytes[from..end], at + from, weight);
                }
                from = end + usize::from(!hump);
            }
        }
    }
}

/// Whether a byte continues a run that begins with a Latin letter.
fn is_joined(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'/' | b'.' | b':' | b'-' | b'\'' | b'@' | b'~' | b'=' | b'&' | b'%' | b'?' | b'#')
}

/// Whether a capital follows a small letter, as in `camelCase`.
fn has_hump(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

impl LineContext {
    /// Weight of a line, of [`ONE`]; 0 when there is nothing to read in it.
    fn weight(&mut self, line: &str, clause: &mut WordClause, at: usize) -> i32 {
        let text = line.trim_start();
        if text.starts_with("```") || text.starts_with("~~~") {
            if !self.fenced {
                clause.push_mark(SignKind::Code, span(at, 3), ONE);
            }
            self.fenced = !self.fenced;
            return 0;
        }
        if self.fenced {
            return 2;
        }
        if let Some(rest) = text.strip_prefix('[') {
            let name = rest.split(']').next().unwrap_or_default();
            let known = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
            if known(&["goal", "목표"]) {
                self.section = ONE;
                return ONE * 5 / 4;
            } else if known(&["task", "result", "outcome", "할 일", "작업", "결과"]) {
                self.section = ONE;
            } else if known(&["context", "배경", "맥락", "constraints", "제약", "조건"]) {
                self.section = ONE / 2;
            }
        }
        match text.as_bytes() {
            [b'>', ..] => self.section / 3,
            [b'|', ..] => {
                clause.push_mark(SignKind::Table, span(at, 1), ONE / 4);
                self.section / 3
            }
            _ if is_trace(text) => 1,
            _ => self.section,
        }
    }
}

/// A line of a stack trace or of a log.
fn is_trace(text: &str) -> bool {
    let call = text.strip_prefix("at ").is_some_and(|rest| rest.contains('(') || rest.contains("::"));
    let python = text.starts_with("File \"") || text.starts_with("Traceback (");
    let rust = text.starts_with("thread '") || text.starts_with("note: run with");
    call || python || rust
}

#[allow(clippy::cast_possible_truncation, reason = "a message is read up to a few thousand bytes")]
fn span(at: usize, length: usize) -> (u32, u32) {
    (at as u32, (at + length) as u32)
}
